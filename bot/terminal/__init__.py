"""The terminal channel: the daemon's socket, the chat that attaches to it, and the questions that commands ask."""
