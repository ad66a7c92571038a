"""The card of those one is about to meet: told ten minutes before, once a meeting, within the transaction that records it.

    a meeting near ─► guests from outside ─► whom the owner sees daily, or of whom nothing is new: left out
                  ─► one of them: their card │ several: a few lines each, the rest by name, each whole card behind a button
                  ─► the heads-up stands in it where that was not said yet

Silence is the default; what was decided is a row either way.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from memory import company
from memory.card import Card, Choice
from memory.company import Guest
from memory.day_words import safe
from memory.event import Event
from memory.event_words import event_line
from memory.ledger import Tables
from memory.owner import Owner
from memory.people.person import Person
from memory.piece import NewPiece, Piece
from memory.portrait import Portrait, portrait
from memory.portraitwords import say
from memory.quiet import is_quiet
from memory.wording import say as say_plainly
from tools import portrait_card, portraying
from tools.oneself import own_addresses

KIND = "company"
"""The kind of the card of several guests."""

CARD = "card"
"""The button behind which a guest's own card is: card.7."""

FEW_LINES = 3
"""So many lines each of several guests has."""

NAMES_MAX, LABEL_MAX = 5, 40

SHOWN, SILENT = "shown", "silent"

_WEIGHS = {"owed": 3, "promised": 3, "asked": 3, "awaited": 2}
"""What makes a guest worth a line before another; every other line counts once."""


@dataclass(frozen=True, slots=True)
class Told:
    """What is told of a meeting's company: a card, or why nothing is."""

    card: Card | None
    because: str


@dataclass(frozen=True, slots=True)
class _Drawn:
    """A guest with what there is to know of them now."""

    guest: Guest
    person: Person
    portrait: Portrait
    is_news: bool


def tell(
    t: Tables, owner: Owner, copies: Sequence[Event], *, channel: str, now: datetime, with_heads_up: bool
) -> Piece | None:
    """Show who one is about to meet; None when there is nothing to say, or it was said. copies: of one meeting.

    with_heads_up: the meeting itself was not told yet, so that the card does.
    """
    event = _fullest(copies)
    if any(_was_decided(t, owner, one, now) for one in copies):
        return None
    told = _compose(t, owner, copies, now, with_heads_up=with_heads_up)
    subject = company.subject_of(event)
    decided = SHOWN if told.card else SILENT
    t.decisions.record(owner_id=owner.id, subject=subject, decided=decided, because=told.because, now=now)
    if told.card is None:
        return None
    stored = t.cards.put(told.card, owner_id=owner.id, now=now)
    new = NewPiece(
        key=company.firing_of(event),
        owner_id=owner.id,
        channel=channel,
        text=told.card.text,
        # The heads-up has made its sound five minutes before.
        silent=not with_heads_up,
        card_id=stored.id,
    )
    return t.pieces.say(new, now=now, handing=True)


def is_due(copies: Sequence[Event], now: datetime) -> bool:
    """Whether the time for the card of a meeting has come."""
    return bool(company.due(copies, now))


def _was_decided(t: Tables, owner: Owner, event: Event, now: datetime) -> bool:
    """Whether it was told on this day, for a meeting that moves by an hour needs no second card, or weighed just now."""
    today = owner.zones.wall_at(now).date()
    decided = t.decisions.about(owner.id, company.subject_of(event))
    shown = any(one.decided == SHOWN and owner.zones.wall_at(one.at).date() == today for one in decided)
    return shown or any(now - one.at < company.LEAD_FOR for one in decided)


def _fullest(copies: Sequence[Event]) -> Event:
    """The copy that tells of most people."""
    return max(copies, key=lambda one: len(one.attendees))


def _compose(t: Tables, owner: Owner, copies: Sequence[Event], now: datetime, *, with_heads_up: bool) -> Told:
    event = _fullest(copies)
    if is_quiet(owner, now):
        return Told(None, "quiet hours")
    guests = company.guests(event, own_addresses(t, owner.id))
    if not guests:
        return Told(None, "nobody from outside is asked to it")
    drawn = _drawn(t, owner, [one.key for one in copies], guests, now)
    if not drawn:
        return Told(None, "nothing is new of those who come")
    head = _head(event, owner, now, with_heads_up=with_heads_up)
    because = f"a meeting with {len(guests)} from outside begins in ten minutes"
    if len(guests) == 1:
        return Told(_of_one(drawn[0], head, owner, because), because)
    worth = drawn[: company.SHOWN_MAX]
    card = Card(
        kind=KIND,
        subject=company.subject_of(event),
        text=_few_lines(worth, guests, head, owner),
        choices=_buttons(worth, owner),
        because=because,
    )
    return Told(card, because)


def _drawn(t: Tables, owner: Owner, keys: Sequence[str], guests: Sequence[Guest], now: datetime) -> list[_Drawn]:
    """Those of whom there is something to know, the most worth knowing first. keys: of the meeting itself."""
    around = portraying.meetings_around(t, owner, now)
    found = []
    for guest in guests:
        person = t.people.of(owner.id, guest.address)
        if person is None or person.kind != "person":
            continue
        known = portraying.known(t, owner, person, now, around=around, besides=keys)
        if company.is_close(portraying.exchanged_at(t, owner, person), owner.zones.zone_at(now), now):
            continue
        last_at = known.last_meeting.event.start_at if known.last_meeting else None
        since = company.since(last_at, now)
        drawn = portrait(known, owner, now, since=since)
        if drawn.says_something or (since is None and _is_known(drawn)):
            found.append(_Drawn(guest, person, drawn, is_news=since is not None))
    return sorted(found, key=lambda one: -_worth(one.portrait))


def _is_known(drawn: Portrait) -> bool:
    """Whether they are known by more than being asked to a meeting."""
    return any(
        line.kind == "exchange" or (line.kind == "met" and line.sources[0].where != "calendar") for line in drawn.lines
    )


def _worth(drawn: Portrait) -> int:
    return sum(_WEIGHS.get(line.kind, 1) for line in drawn.lines)


def _head(event: Event, owner: Owner, now: datetime, *, with_heads_up: bool) -> str:
    if with_heads_up:
        line = event_line(event, owner.zones, now, owner.language, safe)
        return say_plainly(owner.language, "heads_up", event=line)
    minutes = max(1, round((event.start_at - now) / timedelta(minutes=1)))
    title = safe(event.title)
    key = "company_one" if minutes == 1 else "company"
    return say(owner.language, key, minutes=minutes, title=title)


def _of_one(one: _Drawn, head: str, owner: Owner, because: str) -> Card:
    """The whole card, with its sources behind the button."""
    card = portrait_card.card(one.portrait, owner, because=because)
    news = [say(owner.language, "company_since")] if one.is_news else []
    return Card(
        kind=card.kind,
        subject=card.subject,
        text="\n".join((head, *news, card.text)),
        choices=card.choices,
        because=because,
    )


def _few_lines(drawn: Sequence[_Drawn], guests: Sequence[Guest], head: str, owner: Owner) -> str:
    """A few lines for each of those worth knowing; the others by name."""
    addresses = {one.guest.address for one in drawn}
    others = [guest for guest in guests if guest.address not in addresses]
    blocks = ["\n".join(line.text for line in one.portrait.lines[:FEW_LINES]) for one in drawn]
    return "\n\n".join((head, *blocks, *([_others(others, owner)] if others else [])))


def _buttons(drawn: Sequence[_Drawn], owner: Owner) -> tuple[Choice, ...]:
    """One for the whole card of each."""
    return tuple(
        Choice(f"{CARD}.{one.person.id}", say(owner.language, "button_card", name=one.person.shown[:LABEL_MAX]))
        for one in drawn
    )


def _others(others: Sequence[Guest], owner: Owner) -> str:
    names, more = company.named(others, NAMES_MAX)
    told = ", ".join(safe(name) for name in names)
    if more:
        told = say(owner.language, "company_others", names=told, count=more)
    return say(owner.language, "company_with", names=told)
