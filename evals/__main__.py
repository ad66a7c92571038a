"""`python -m evals` runs every eval; `python -m evals bus ack` those named."""

import asyncio
import importlib
import sys

EVALS = (
    "two_speed",
    "relevance",
    "open_loops",
    "thread_memory",
    "memory",
    "tools",
    "bus",
    "ack",
    "dates",
    "power",
    "crash_matrix",
    "quotes",
    "ingest",
    "morning",
    "judgement",
    "promises",
    "persons",
    "facts",
    "recall",
    "recall_settings",
    "known_item",
    "search_scale",
)


def main() -> int:
    """Run and print; 1 when one of them did not hold."""
    wanted = sys.argv[1:] or EVALS
    failed = False
    for name in wanted:
        if name not in EVALS:
            print(f"there is no eval {name}; there are: {', '.join(EVALS)}")
            return 2
        report = asyncio.run(importlib.import_module(f"evals.{name}").run())
        print("\n".join(report.lines()), flush=True)
        failed = failed or not report.passed
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
