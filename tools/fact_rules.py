"""Fact rules: what plain code reads of people, without any model: signatures, birthdays in wishes, in calendars, in their own words."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime, timedelta

from memory.event import StoredEvent
from memory.fact import FoundFact
from memory.facts.birthday import named_in, of_event, own_in, wish_in
from memory.facts.signature import block_below_name, signed
from memory.facts.value import fault_in, of_day, plain
from memory.ledger import Tables
from memory.owner import Owner
from memory.people.person import Person
from tools.corpora.events import beginning
from tools.fact_sources import FactSource, names_of

RULES = "rules 2"
"""Who has read a document: another number, and all are read again."""

YEAR_FOR, SLICE_FOR = timedelta(days=366), timedelta(days=31)


def facts_in(sources: Iterable[FactSource], person: Person, owner: Owner) -> list[FoundFact]:
    """What these say of the person. Takes a moment for each mail: not on the event loop."""
    found = (fact for source in sources for fact in _facts(source, person, owner))
    return [fact for fact in found if fault_in(fact.kind, fact.value) is None]


def _facts(source: FactSource, person: Person, owner: Owner) -> Iterator[FoundFact]:
    on = owner.zones.wall_at(source.at).date()
    if source.by_them and (own := own_in(source.zones().said if source.mail else source.text, on)):
        value, words = own
        yield replace(_found(source, "birthday", value, words), by="chat")
    if source.mail is not None and source.by_them:
        yield from signed_in(source)
    elif source.mail is None and not source.by_them and (wish := wish_in(source.text, names_of(person))):
        yield replace(_found(source, "birthday", of_day(on.month, on.day) or "", wish), by="chat")


def signed_in(source: FactSource) -> Iterator[FoundFact]:
    """What the end of a mail says of its sender. Takes a moment."""
    sender = source.mail.mail.sender if source.mail else None
    if sender is None:
        return
    parts = source.zones()
    lines = (
        parts.signature.split("\n")
        if parts.signature.strip()
        else block_below_name(parts.said.split("\n"), sender.name)
    )
    for one in signed(lines, name=sender.name, address=sender.address or ""):
        yield _found(source, one.kind, plain(one.value), one.quote)


def _found(source: FactSource, kind: str, value: str, quote: str) -> FoundFact:
    return FoundFact(
        identity_id=source.sighting.identity_id,
        kind=kind,
        value=value,
        quote=quote,
        corpus=source.sighting.corpus,
        ref=source.sighting.ref,
        said_at=source.at,
        who=source.who,
        by="signature",
    )


def birthdays(t: Tables, owner: Owner, now: datetime) -> list[FoundFact]:
    """The birthdays in the owner's calendars, of those who can be meant by the name alone. One read for each month."""
    found: dict[str, FoundFact] = {}
    for month in range(YEAR_FOR // SLICE_FOR + 1):
        begin = now + month * SLICE_FOR
        for stored in t.calendars.between(owner.id, begin, begin + SLICE_FOR):
            fact = _of_event(t, owner, stored)
            if fact is not None:
                found.setdefault(fact.ref, fact)
    return list(found.values())


def _of_event(t: Tables, owner: Owner, stored: StoredEvent) -> FoundFact | None:
    event = stored.event
    name = named_in(event.title) if event.starts_on is not None and event.status != "cancelled" else None
    person = _named(t, owner.id, name) if name else None
    value = of_event(event.starts_on, event.notes) if event.starts_on else None
    if person is None or value is None:
        return None
    return FoundFact(
        identity_id=person.surest.id,
        kind="birthday",
        value=value,
        quote=" ".join(event.title.split()),
        corpus="calendar",
        ref=f"{beginning(stored.account_id, event.calendar, event.ref)}0",
        said_at=event.start_at,
        who="",
        by="calendar",
    )


def _named(t: Tables, owner_id: int, name: str) -> Person | None:
    """The only one of that name; "Annas" may be Anna's in German."""
    for one in (name, name.removesuffix("s")):
        people = t.people.named(owner_id, one)
        if people:
            return people[0] if len(people) == 1 else None
    return None
