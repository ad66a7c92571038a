"""Vouching: what the ledger knows of whoever sent a mail, weighed (memory/authenticity)."""

from memory.authenticity import Standing, standing
from memory.ledger import Tables
from memory.mail import KeptMail
from tools.oneself import own_addresses


def standing_of(t: Tables, kept: KeptMail) -> Standing | None:
    """What is to be said of the sender; None for a mail of the owner's."""
    if kept.by_owner:
        return None
    return standing(
        kept.mail,
        contacts=t.contacts.all(kept.owner_id),
        own=own_addresses(t, kept.owner_id),
        written_to=t.mails.written_to(kept.owner_id),
    )
