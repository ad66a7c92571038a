"""`python -m evals.agentdojo`: prints the report; 1 when anything did not hold."""

import sys

from evals.agentdojo.report import run


def main() -> int:
    """Run and print."""
    report = run()
    print("\n".join(report.lines()), flush=True)
    return 0 if report.passed else 1


if __name__ == "__main__":
    sys.exit(main())
