"""Transcribers: implementations of the port tools/transcriber."""
