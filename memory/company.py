"""Company: who of those asked to a meeting comes from outside, so that a word about them ten minutes before may help.

Nobody needs to be told about a colleague or about whom they see every day. So a guest is somebody of another domain than
the owner's own (a free mailbox is nobody's own domain), who has not declined, and is neither a room nor a robot nor an
office; and with whom the owner has not exchanged something on most of the last days, as with family and the customer of
the moment. Of somebody met within the last days only what is new since then is worth a word: a weekly talk begins where
it ended. A large gathering is nobody's company.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from memory import heads_up
from memory.canonical import digest
from memory.event import Attendee, Event
from memory.people.mailbox import FREEMAIL, domain_of, is_robot, is_role, mailbox_of

KIND = "company"
"""The kind of the signal that a meeting with others begins soon."""

LEAD_FOR = timedelta(minutes=10)
"""So long before a meeting the card of its guests comes."""

GATHERING_FROM = 16
"""So many people and more are a gathering: a card for each of them helps nobody."""

SHOWN_MAX = 3
"""So many guests are told of; the rest are named."""

RECENT_FOR = timedelta(days=10)
"""Whoever was met within this is told of only with what is new: a week, and what a week is put off by."""

CLOSE_DAYS, CLOSE_WITHIN = 8, 14
"""Who exchanged something with the owner on so many of the last so many days is seen daily."""

_ROOM = "resource.calendar.google.com"


@dataclass(frozen=True, slots=True)
class Guest:
    """Somebody from outside who is asked to a meeting, as the calendar writes them."""

    name: str
    address: str


def guests(event: Event, mine: Collection[str]) -> tuple[Guest, ...]:
    """Those from outside, in the order in which they stand; () for a large gathering. mine: the owner's addresses."""
    if not mine:
        # Without knowing who the owner is there, everybody would be a guest, the owner among them.
        return ()
    asked = _asked(event, {mailbox_of(address) for address in mine})
    if len(asked) + 1 >= GATHERING_FROM:
        return ()
    own = {domain for address in mine if (domain := domain_of(address)) not in FREEMAIL}
    return tuple(Guest(one.name, mailbox_of(one.address)) for one in asked if _is_from_outside(one, own))


def _asked(event: Event, mine: Collection[str]) -> tuple[Attendee, ...]:
    """Everybody but the owner, each once; whoever organizes comes first."""
    everybody = (*((event.organizer,) if event.organizer else ()), *event.attendees)
    found: dict[str, Attendee] = {}
    for one in everybody:
        mailbox = mailbox_of(one.address) if one.address else ""
        if mailbox and mailbox not in mine:
            known = found.get(mailbox)
            # An organizer's line bears no answer; the one among the attendees does.
            found[mailbox] = one if known is None or one.answer else known
    return tuple(found.values())


def _is_from_outside(one: Attendee, own: Collection[str]) -> bool:
    domain = domain_of(one.address)
    is_own = any(domain == known or domain.endswith(f".{known}") for known in own)
    is_nobody = domain.endswith(_ROOM) or is_robot(one.address) or is_role(one.address)
    return not is_own and not is_nobody and one.answer != "declined"


def is_close(exchanged: Iterable[datetime], zone: ZoneInfo, now: datetime) -> bool:
    """Whether something went to or fro on most of the last days (aware UTC), as with those one sees anyway."""
    today = now.astimezone(zone).date()
    days: set[date] = {at.astimezone(zone).date() for at in exchanged if at <= now}
    return sum(0 <= (today - on).days < CLOSE_WITHIN for on in days) >= CLOSE_DAYS


def since(last_met_at: datetime | None, now: datetime) -> datetime | None:
    """From when on something of a guest is news: the last meeting, if that was of late; else everything is."""
    return last_met_at if last_met_at is not None and now - last_met_at <= RECENT_FOR else None


def subject_of(event: Event) -> str:
    """How decisions name the company of an occurrence, whenever it may begin."""
    return f"company:{digest(event.key)[:32]}"


def firing_of(event: Event) -> str:
    """How a coming due is named: which occurrence, at which start."""
    return f"{subject_of(event)}:{event.start_at.isoformat()}"


def due(events: Iterable[Event], now: datetime) -> tuple[tuple[Event, ...], ...]:
    """The meetings that begin within LEAD_FOR, take the owner's time and have others asked to them, each with its copies."""
    coming = (event for event in events if heads_up.is_told_of(event) and event.is_busy and _has_others(event))
    near = [event for event in coming if event.start_at - LEAD_FOR <= now < event.start_at]
    return tuple(tuple(copies) for copies in heads_up.meetings(near))


def _has_others(event: Event) -> bool:
    return bool(event.attendees) or event.organizer is not None


def named(others: Sequence[Guest], most: int = 5) -> tuple[tuple[str, ...], int]:
    """The names of those who are only named, and how many more there are."""
    return tuple(one.name or one.address for one in others[:most]), max(0, len(others) - most)
