"""Leaving a list by one POST to the address that its own header names (RFC 8058)."""
