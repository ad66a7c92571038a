"""The web chat: the thread in a browser on this machine, and the plain API for scripts."""
