"""What is measured rather than asserted; each prints a report (evals/README.md)."""
