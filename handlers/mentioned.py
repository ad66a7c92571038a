"""Mentioned: which mail "it" is: that of the card which is answered, else of the latest card about one."""

from memory.ledger import Tables
from memory.mail import KeptMail
from memory.mail_thread import thread_of as thread_named
from memory.thread import Message
from tools import mail_acts

MENTIONED_WITHIN = 12
"""A mail whose card was shown in one of the last so many messages is the one being talked about; a card that is redrawn
counts anew."""


def thread_of(t: Tables, asked: Message) -> int | None:
    """The thread of mail that is being talked about. An answer means what it answers, or nothing."""
    if asked.reply_to_id:
        return _on_card(t, t.thread.get(asked.reply_to_id))
    recent = t.thread.history(asked.owner_id, limit=MENTIONED_WITHIN)
    return next((found for message in reversed(recent) if (found := _on_card(t, message)) is not None), None)


def latest_of(t: Tables, thread_id: int) -> KeptMail | None:
    """The newest mail of a thread that somebody else wrote."""
    return next((kept for kept in reversed(t.mails.thread(thread_id, limit=20)) if not kept.by_owner), None)


def _on_card(t: Tables, message: Message) -> int | None:
    stored = t.cards.get(message.card_id) if message.card_id else None
    return (thread_named(stored.card.subject) or mail_acts.thread_of(stored.card)) if stored else None
