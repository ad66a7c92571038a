"""What acts when something arrives: one file per kind of signal."""
