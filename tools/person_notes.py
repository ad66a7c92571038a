"""Person notes: the owner says who is one person and who is two, and takes it back."""

from collections.abc import Collection, Sequence
from datetime import datetime

from memory.card import Card, Choice
from memory.errors import BadInput, NotFound
from memory.foreign import foreign
from memory.ledger import Tables
from memory.owner import Owner
from memory.people.person import Change, Identity, Person
from memory.personwords import say
from memory.wording import say as say_plain

KIND = "person-change"
"""The kind of the card that takes a join or a split back, and what its subject begins with."""

SHOWN_MAX, IDENTITIES_MAX = 60, 6


def join(t: Tables, owner: Owner, one: Person, other: Person, *, because: str, now: datetime, signal_id: int) -> Card:
    """They are one; what is said of it."""
    change = t.people.join(owner.id, one.id, other.id, because=because, now=now)
    person = t.people.get(owner.id, one.id)
    text = say(owner.language, "joined", who=named(person), identities=listed(person.identities))
    return _noted(t, owner, change, text, now=now, signal_id=signal_id)


def split(
    t: Tables, owner: Owner, person: Person, leave: Collection[int], *, because: str, now: datetime, signal_id: int
) -> Card:
    """These identities are somebody else's; what is said of it."""
    change = t.people.split(owner.id, person.id, leave, because=because, now=now)
    gone = [one for one in person.identities if one.id in leave]
    stay = [one for one in person.identities if one.id not in leave]
    text = say(owner.language, "split", one=listed(stay), other=listed(gone))
    return _noted(t, owner, change, text, now=now, signal_id=signal_id)


def take_back(t: Tables, subject: str, owner: Owner, *, now: datetime, signal_id: int) -> str:
    """The change undone; what is said of it."""
    number = int(subject.partition(":")[2])
    told = title(t, owner, number)
    try:
        t.people.undo(owner.id, number, because="the owner undid it", now=now)
    except (BadInput, NotFound):
        return say(owner.language, "gone")
    t.decisions.record(
        owner_id=owner.id,
        subject=subject,
        decided="undone",
        because="the owner undid it",
        now=now,
        signal_id=signal_id,
    )
    return say(owner.language, "undone", title=told)


def take_back_latest(t: Tables, subject: str, owner: Owner, *, now: datetime, signal_id: int) -> str | None:
    """The same by words; None when its card is no longer open."""
    stored = t.cards.open_about(owner.id, subject)
    if stored is None or not t.cards.decide(stored.id, "undo", now=now):
        return None
    return take_back(t, subject, owner, now=now, signal_id=signal_id)


def title(t: Tables, owner: Owner, change_id: int) -> str:
    """Whom a change was about, as Markdown; "" when nobody of them may be shown."""
    try:
        change = t.people.change(owner.id, change_id)
    except NotFound:
        return ""
    found = (t.people.of_identity(owner.id, one) for one in change.identities)
    return next((named(person) for person in found if person is not None), "")


def named(person: Person) -> str:
    """A person by name, as Markdown."""
    return foreign(person.shown, SHOWN_MAX)


def listed(identities: Sequence[Identity]) -> str:
    """By what somebody is known, as Markdown."""
    shown = [foreign(one.shown, SHOWN_MAX) for one in identities if one.shown]
    more = f" … +{len(shown) - IDENTITIES_MAX}" if len(shown) > IDENTITIES_MAX else ""
    return ", ".join(shown[:IDENTITIES_MAX]) + more


def _noted(t: Tables, owner: Owner, change: Change, text: str, *, now: datetime, signal_id: int) -> Card:
    subject = f"{KIND}:{change.id}"
    t.decisions.record(
        owner_id=owner.id,
        subject=subject,
        decided=change.what,
        because=change.because,
        now=now,
        signal_id=signal_id,
    )
    return Card(
        kind=KIND,
        subject=subject,
        text=text,
        choices=(Choice("undo", say_plain(owner.language, "button_undo")),),
        because=change.because,
    )
