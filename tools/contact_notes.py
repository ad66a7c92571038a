"""Contact notes: addresses that the owner told here. They become records of their own, and can be taken back."""

import json
from datetime import datetime

from memory.card import Card, Choice
from memory.confusable import folded
from memory.contact import StoredContact, make
from memory.ledger import Tables
from memory.markdown import escaped
from memory.owner import Owner
from memory.recipient import among
from memory.wording import say

KIND = "contact"
"""The kind of the card that takes a note back."""

NOTED = "noted"


def keep(
    t: Tables, owner: Owner, name: str, address: str, *, now: datetime, because: str, signal_id: int
) -> Card | str:
    """Keep the address under the name; what is said of it. The address is in the form of memory/recipient."""
    known = next((one for one in t.contacts.all(owner.id) if _is_note_of(one, name)), None)
    before = known.contact.addresses if known else ()
    shown = {"name": escaped(name), "address": f"`{address}`"}
    if among(address, before):
        return say(owner.language, "contact_known", **shown)
    contact_id = t.contacts.keep(owner.id, make(name, (address, *before), "owner"), key=_key(name), now=now)
    t.decisions.record(
        owner_id=owner.id, subject=f"contact:{contact_id}", decided=NOTED, because=because, now=now, signal_id=signal_id
    )
    return Card(
        kind=KIND,
        subject=f"contact:{contact_id}",
        text=say(owner.language, "contact_kept", **shown),
        choices=(Choice("undo", say(owner.language, "button_undo")),),
        because=because,
        state_of_subject=json.dumps({"name": name, "before": list(before)}),
    )


def take_back(t: Tables, card: Card, owner: Owner, *, now: datetime, signal_id: int) -> str:
    """The record as it was before; what is said of it."""
    held = json.loads(card.state_of_subject)
    name, before = str(held["name"]), held["before"]
    if before:
        t.contacts.keep(owner.id, make(name, before, "owner"), key=_key(name), now=now)
    else:
        t.contacts.drop(owner.id, int(card.subject.partition(":")[2]))
    t.decisions.record(
        owner_id=owner.id,
        subject=card.subject,
        decided="undone",
        because="the owner undid it",
        now=now,
        signal_id=signal_id,
    )
    return say(owner.language, "contact_undone", title=escaped(name))


def take_back_latest(t: Tables, subject: str, owner: Owner, *, now: datetime, signal_id: int) -> str | None:
    """The same by words; None when its card is no longer open."""
    stored = t.cards.open_about(owner.id, subject)
    if stored is None or not t.cards.decide(stored.id, "undo", now=now):
        return None
    return take_back(t, stored.card, owner, now=now, signal_id=signal_id)


def _is_note_of(stored: StoredContact, name: str) -> bool:
    return stored.contact.source == "owner" and _key(stored.contact.name) == _key(name)


def _key(name: str) -> str:
    return f"name:{' '.join(folded(name).split())}"
