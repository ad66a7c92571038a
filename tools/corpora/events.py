"""Events as documents: one for each series and each event that stands alone; an exception that says something else is its own.

calendar:4/9c01aa52e07b11f2/0                   the account, the object in its calendar, and which of what it says
calendar:<place>/<file>/9c01aa52e07b11f2/0      the same of a file that was imported (tools/corpora/folder)
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from hashlib import sha256

from memory.event import Attendee, Event
from memory.search.document import PEOPLE_MAX, Document

OF_AN_OBJECT = 20
"""So many different things at most are kept of one object."""


def beginning(account_id: int, calendar: str, ref: str) -> str:
    """What all refs of a calendar's object begin with. A file's calendar goes by what the refs of the file begin with."""
    if is_of_file(calendar):
        return f"{calendar}{_hashed(f'/{ref}')}/"
    return f"calendar:{account_id}/{_hashed(f'{calendar}/{ref}')}/"


def is_of_file(calendar: str) -> bool:
    """Whether a calendar's id is that of an imported file."""
    return calendar.startswith("calendar:")


def _hashed(name: str) -> str:
    return sha256(name.encode("utf-8", "replace")).hexdigest()[:16]


def documents_of(
    events: Iterable[Event], *, under: str, calendar: str, mine: frozenset[str], now: datetime
) -> list[Document]:
    """What can be found of an object's occurrences. calendar: its name. mine: the owner's addresses, lower case.

    A series stands at its next time, or at its last one; cancelled times are left out.
    """
    alike: dict[tuple[object, ...], list[Event]] = {}
    for event in events:
        if event.status != "cancelled":
            alike.setdefault((event.title, event.place, event.notes, _people(event, mine)), []).append(event)
    # What most of a series says comes first, so that its ref stays.
    several = sorted(alike.values(), key=lambda times: -len(times))[:OF_AN_OBJECT]
    return [_document(times, f"{under}{number}", calendar, mine, now) for number, times in enumerate(several)]


def _document(times: Sequence[Event], ref: str, calendar: str, mine: frozenset[str], now: datetime) -> Document:
    ahead = [event for event in times if event.end_at >= now]
    event = min(ahead, key=_start) if ahead else max(times, key=_start)
    return Document(
        corpus="calendar",
        ref=ref,
        who=_organizer(event, mine),
        title=event.title,
        text="\n".join(part for part in (event.place, event.notes) if part),
        at=event.start_at,
        place=calendar,
        people=_people(event, mine),
        by_owner=_is_mine(event.organizer, mine),
    )


def name_of(given: Mapping[tuple[int, str], str], account_id: int, calendar: str) -> str:
    """A calendar's name, or its id where nobody has named it."""
    return given.get((account_id, calendar)) or calendar


def _start(event: Event) -> datetime:
    return event.start_at


def _is_mine(one: Attendee | None, mine: frozenset[str]) -> bool:
    return one is None or one.address in mine


def _organizer(event: Event, mine: frozenset[str]) -> str:
    one = event.organizer
    if one is None or _is_mine(one, mine):
        return "you"
    return f"{one.name} <{one.address}>" if one.name and one.address else one.name or one.address


def _people(event: Event, mine: frozenset[str]) -> tuple[tuple[str, str], ...]:
    others = ((one.name, one.address) for one in event.attendees if one.address not in mine)
    return tuple(dict.fromkeys(one for one in others if any(one)))[:PEOPLE_MAX]
