"""Telegram: the poller, the sender, pairing, and how things are drawn there."""
