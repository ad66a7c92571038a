"""The process: it wires the parts together, holds the channels, and runs the jobs."""
