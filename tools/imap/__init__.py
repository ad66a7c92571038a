"""Any IMAP account behind the mail port, by way of imap-tools. Nothing else imports that, or imaplib.

    source   the mail port: batches, wait, check. Reads, and opens folders for reading alone (EXAMINE)
    lookup   is a mail of ours in Sent?
    acts     archive, move, mark as read, and back: on a connection of its own that no source can reach

Each has one connection, served by one thread of its own; nothing here blocks the event loop.
"""
