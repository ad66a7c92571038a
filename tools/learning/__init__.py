"""Learning: fits the local decision model (memory/decide) to the owner's own history, and keeps what was learned in a file."""
