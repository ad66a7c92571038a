"""What a record of the owner's says of somebody besides addresses: it can be found, and is known of them."""

from datetime import datetime

from memory.fact import FoundFact
from memory.fact_kinds import KINDS
from memory.ledger import Tables
from memory.people.mailbox import mailbox_of
from memory.search.document import Document
from tools.contacts.vcard import Card


def detail(t: Tables, owner_id: int, contact_id: int, card: Card, *, as_of: datetime, now: datetime) -> bool:
    """Keep what the card says; whether it says anything else than before. Said twice is said once.

    as_of: the file's date. What a card says that bears no date of its own is known as of then, and whatever is dated
    later stands above it.
    """
    ref = f"contact:{contact_id}"
    if not card.details:
        return t.search.drop(owner_id, [ref], now=now) > 0
    put = t.search.put(owner_id, [_document(ref, card)], now=now)
    if not (put.new or put.changed):
        return False
    address, *_ = card.contact.addresses
    identity = t.people.note(owner_id, "address", mailbox_of(address), name=card.contact.name, at=None, now=now)
    if identity is None:
        return False
    for kind, value in card.details:
        t.facts.note(owner_id, _found(ref, identity.id, kind, value, card.written_at or as_of), now=now)
    return bool(put.changed)


def _document(ref: str, card: Card) -> Document:
    contact = card.contact
    return Document(
        corpus="person",
        ref=ref,
        who=f"{contact.name} <{contact.addresses[0]}>" if contact.name else contact.addresses[0],
        title=contact.name,
        text="\n".join(_line(kind, value) for kind, value in card.details),
        at=card.written_at,
        people=tuple((contact.name, address) for address in contact.addresses),
    )


def _line(kind: str, value: str) -> str:
    return f"{KINDS[kind].english}: {value}"


def _found(ref: str, identity_id: int, kind: str, value: str, said_at: datetime) -> FoundFact:
    return FoundFact(
        identity_id=identity_id,
        kind=kind,
        value=value,
        quote=_line(kind, value),
        corpus="person",
        ref=ref,
        said_at=said_at,
        who="you",
        by="contact",
    )
