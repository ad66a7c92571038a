"""Importing contacts: a vCard file becomes records of the owner's own, each known again by its key, so that twice is once."""

import asyncio
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from memory.clock import Clock
from memory.errors import BadInput
from memory.ledger import Ledger, Tables
from tools.contacts.details import detail
from tools.contacts.vcard import FILE_MAX_BYTES, AddressBook, Card, read_vcards
from tools.corpora.place import changed_at

FAULTS_TOLD = 50

BATCH_CARDS = 200
"""Cards in one commit: the owner's own message waits behind at most one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedContacts:
    """What came of it. known: those that were there and say the same. without_address: cards with nobody to write to."""

    new: int
    changed: int
    known: int
    without_address: int
    faults: tuple[tuple[int, str], ...]
    kept: int


def is_vcard(path: Path) -> bool:
    """Whether a path names a vCard file, by its ending."""
    return path.suffix.lower() in (".vcf", ".vcard")


async def import_contacts(path: Path, *, ledger: Ledger, owner_id: int, clock: Clock) -> ImportedContacts:
    """Keep every card of the file at `path`. Raises BadInput when it can't be read."""
    book, changed_at = await asyncio.to_thread(_read, path)
    as_of = min(changed_at, clock.now())
    counts = {"new": 0, "changed": 0, "known": 0}
    for start in range(0, len(book.cards), BATCH_CARDS):
        some, now = book.cards[start : start + BATCH_CARDS], clock.now()
        words = await ledger.write(
            lambda t, some=some, now=now: [_keep(t, owner_id, card, as_of, now) for card in some]  # type: ignore[misc]
        )
        for word in words:
            counts[word] += 1
    kept = await ledger.read(lambda t: len(t.contacts.all(owner_id)))
    faults = tuple((fault.number, fault.because) for fault in book.faults[:FAULTS_TOLD])
    return ImportedContacts(**counts, without_address=book.without_address, faults=faults, kept=kept)


def _read(path: Path) -> tuple[AddressBook, datetime]:
    """What is in it, and when it was changed."""
    try:
        with path.open("rb") as file:
            return read_vcards(file.read(FILE_MAX_BYTES + 1)), changed_at(path)
    except OSError as error:
        raise BadInput(f"{path} can't be read ({error.strerror})") from error


def _keep(t: Tables, owner_id: int, card: Card, as_of: datetime, now: datetime) -> str:
    before = t.contacts.keyed(owner_id, card.contact.source, card.key)
    # Also when it is the same: somebody whom the exclusions covered until now comes back by it.
    contact_id = t.contacts.keep(owner_id, card.contact, key=card.key, now=now)
    says_else = detail(t, owner_id, contact_id, card, as_of=as_of, now=now)
    if before is None:
        return "new"
    return "changed" if says_else or before.contact != card.contact else "known"
