"""What a reader has to know of the owner, from the ledger; and what the owner is called, as exports tell it."""

import json
from collections.abc import Collection, Iterable
from datetime import datetime

from memory.ledger import Tables
from tools.chats.imessage import plain_handle
from tools.corpora.reading import Circumstance
from tools.oneself import own_addresses

CALLED = "called_in_chats"
"""The preference that remembers the owner's names and ids in chats."""

NAMES_MAX = 50


def circumstance(t: Tables, owner_id: int, now: datetime, me: Iterable[str] = ()) -> Circumstance:
    """What is known now. me: what the owner says they are called, besides. Raises UnreadableExclusions."""
    contacts = t.contacts.all(owner_id)
    return Circumstance(
        zones=t.owners.get(owner_id).zones,
        now=now,
        me=frozenset({*called(t, owner_id), *me}),
        addresses=own_addresses(t, owner_id),
        names={plain_handle(one): stored.contact.name for stored in contacts for one in stored.contact.addresses},
        exclusions=t.exclusions,
    )


def called(t: Tables, owner_id: int) -> list[str]:
    """What the owner is called in chats, as far as it was told or learned."""
    return [str(name) for name in json.loads(t.preferences.get(owner_id, CALLED) or "[]")]


def learn(t: Tables, owner_id: int, names: Collection[str]) -> None:
    """Remember names of the owner's."""
    known = called(t, owner_id)
    if more := [name for name in sorted(names) if name not in known]:
        t.preferences.set(owner_id, CALLED, json.dumps([*known, *more][-NAMES_MAX:]))
