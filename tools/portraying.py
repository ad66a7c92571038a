"""Portraying: what the ledger holds of a person, gathered for a portrait (memory/portrait) in a bounded number of reads.

Every read passes the exclusions: somebody whom they cover is nobody here, and what names them is not there.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from memory.event import StoredEvent
from memory.fact import Fact
from memory.fact_kinds import KINDS, Group
from memory.facts.value import in_words
from memory.heads_up import is_told_of
from memory.ledger import Tables
from memory.mail import KeptMail
from memory.owner import Owner
from memory.people.mailbox import mailbox_of
from memory.people.person import Person, Sighting
from memory.people.rhythm import Rhythm, rhythm
from memory.portrait import Exchange, First, Known, Obligation, Source, Together, Topic, Trait
from memory.search.passage import EXCHANGED
from tools.obligations import between

AROUND_FOR = timedelta(days=60)
"""So far back and ahead meetings are looked for: as far as occurrences are read back (tools/incoming)."""

PAST_MAX, AHEAD_MAX = 1_000, 500
"""So many events of that time are read: they come by start, so the last of what is past must be among them."""

SIGHTINGS_MAX = 300
"""So many of the newest places where somebody stands are looked at; a rhythm needs no more."""

EACH_CORPUS_MAX = 40
MAILS_MAX = 60


_TOPICS: Mapping[Group, Topic] = {
    "tastes": "taste",
    "views": "view",
    "preferences": "preference",
    "personal details": "personal",
    "working life": "work",
    "shared history": "history",
}

ROLE, DATES, ASKED = ("role", "employer"), ("birthday", "occasion"), "asked"
"""Kinds of facts that have a line of their own: who they are, days to think of, and what they asked for."""


@dataclass(frozen=True, slots=True)
class Around:
    """The meetings before and after a moment, by start."""

    past: tuple[StoredEvent, ...]
    ahead: tuple[StoredEvent, ...]


def nobody(t: Tables, owner: Owner) -> Literal["nobody", "nobody_yet"]:
    """In which words it is said that nobody is called so: not for good while who is who is still being found out."""
    return "nobody_yet" if t.people.is_due(owner.id) else "nobody"


def meetings_around(t: Tables, owner: Owner, now: datetime) -> Around:
    """Read once for however many people."""
    past = t.calendars.between(owner.id, now - AROUND_FOR, now, limit=PAST_MAX)
    ahead = t.calendars.between(owner.id, now, now + AROUND_FOR, limit=AHEAD_MAX)
    return Around(
        past=tuple(one for one in past if one.event.start_at <= now),
        ahead=tuple(one for one in ahead if one.event.start_at > now),
    )


def known(
    t: Tables, owner: Owner, person: Person, now: datetime, *, around: Around, besides: Collection[str] = ()
) -> Known:
    """Everything that a portrait of this person is drawn from. besides: events (by key) that are being told anyway."""
    seen = t.people.sightings(owner.id, person.id, limit=SIGHTINGS_MAX)
    mails = _mails(t, seen)
    facts = t.facts.current(owner.id, person.identity_ids)
    open_between = between(t, owner, person, mails, now)
    last, coming = (_meeting(some, person, besides) for some in (reversed(around.past), around.ahead))
    return Known(
        person_id=person.id,
        name=person.name,
        addresses=tuple(one.shown for one in person.identities if one.kind in ("address", "phone")),
        exchanges=tuple(_exchanges(t, owner, person)),
        rhythm=_rhythm(seen, person, now),
        first=_first(t, owner, person),
        last_meeting=last,
        next_meeting=coming,
        owed=open_between.owed,
        promised=open_between.promised,
        asked=(*open_between.asked, *_asked_for(facts, open_between.asked)),
        awaited=open_between.awaited,
        traits=tuple(_traits(facts, owner)),
    )


def exchanged_at(t: Tables, owner: Owner, person: Person) -> list[datetime]:
    """When something went either way, of the newest."""
    seen = t.people.sightings(owner.id, person.id, limit=SIGHTINGS_MAX, corpora=EXCHANGED)
    return [one.at for one in seen if one.at is not None]


def _mails(t: Tables, seen: Sequence[Sighting]) -> list[KeptMail]:
    """The newest mails that went between the two, newest first."""
    numbers = [int(one.ref.removeprefix("mail:")) for one in seen if one.corpus == "mail" and _is_between(one)]
    return t.mails.some(list(dict.fromkeys(numbers))[:MAILS_MAX])[::-1]


def _is_between(one: Sighting) -> bool:
    return one.by_owner != (one.role == "wrote")


# When


def _exchanges(t: Tables, owner: Owner, person: Person) -> Iterator[Exchange]:
    for corpus in EXCHANGED:
        seen = t.people.sightings(owner.id, person.id, limit=EACH_CORPUS_MAX, corpora=(corpus,))
        told = [one for one in seen if one.at is not None and _is_between(one)]
        theirs = next((one for one in told if not one.by_owner), None)
        owners = next((one for one in told if one.by_owner), None)
        if theirs or owners:
            yield Exchange(where=corpus, from_them=_source(theirs, person), from_you=_source(owners, person))


def _source(one: Sighting | None, person: Person) -> Source | None:
    if one is None:
        return None
    who = "you" if one.by_owner else person.name if one.role == "wrote" else ""
    return Source(ref=one.ref, at=one.at, who=who, where=one.corpus)


def _rhythm(seen: Sequence[Sighting], person: Person, now: datetime) -> tuple[Rhythm, Source] | None:
    wrote = [one for one in seen if one.role == "wrote" and not one.by_owner and one.at is not None]
    found = rhythm((one.at for one in wrote if one.at is not None), now=now)
    source = _source(wrote[0], person) if wrote else None
    return (found, source) if found is not None and source is not None else None


def _meeting(
    events: Iterator[StoredEvent] | Sequence[StoredEvent], person: Person, besides: Collection[str]
) -> Together | None:
    """The first of these that both are asked to, and that neither has declined."""
    for stored in events:
        event = stored.event
        asked = (*((event.organizer,) if event.organizer else ()), *event.attendees)
        theirs = [one for one in asked if one.address and mailbox_of(one.address) in person.addresses]
        if (
            theirs
            and event.key not in besides
            and is_told_of(event)
            and all(one.answer != "declined" for one in theirs)
        ):
            return Together(event=event, source=Source(ref=f"event:{stored.id}", at=event.start_at, where="calendar"))
    return None


def _first(t: Tables, owner: Owner, person: Person) -> First | None:
    seen = t.people.first_sighting(owner.id, person.id)
    if seen is None or seen.at is None:
        return None
    source = _source(seen, person)
    mails = t.mails.some([int(seen.ref.removeprefix("mail:"))]) if seen.corpus == "mail" else []
    if source is None or not mails:
        return First(source=source) if source is not None else None
    mail = mails[0].mail
    by_third = not seen.by_owner and seen.role != "wrote" and mail.sender is not None
    by = (mail.sender.name or mail.sender.address or "") if by_third and mail.sender else ""
    return First(source=source, title=mail.subject, by=by)


# What


def _traits(facts: Sequence[Fact], owner: Owner) -> Iterator[Trait]:
    """What facts say in a few words; a role or an employer without the word for it."""
    for fact in facts:
        if fact.kind != ASKED:
            value = in_words(fact.kind, fact.value, owner.language)
            words = value if fact.kind in ROLE else f"{KINDS[fact.kind].word(owner.language)} {value}"
            yield Trait(topic=_topic(fact.kind), words=words, source=_source_of(fact))


def _topic(kind: str) -> Topic:
    if kind in ROLE:
        return "role"
    return "date" if kind in DATES else _TOPICS[KINDS[kind].group]


def _asked_for(facts: Sequence[Fact], found: Sequence[Obligation]) -> Iterator[Obligation]:
    """What facts say that they asked for, beside what was found in the mails themselves."""
    there = {one.source.ref for one in found}
    for fact in facts:
        if fact.kind == ASKED and fact.ref not in there:
            yield Obligation(words=fact.quote, source=_source_of(fact), since_at=fact.said_at)


def _source_of(fact: Fact) -> Source:
    return Source(ref=fact.subject, at=fact.said_at, who=fact.who, where=fact.corpus, quote=fact.quote)
