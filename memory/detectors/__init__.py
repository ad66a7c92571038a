"""What can be seen in a mail or a thread without any model: one detector a file, each a pure function with its quote."""
