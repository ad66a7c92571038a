"""A conflict: two events that both want the owner at the same time. Raised once."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from memory.canonical import digest
from memory.event import Event
from memory.free_busy import takes_time

MOST_CONFLICTS = 50
"""Of one look; beyond that it is no news that the calendar is full."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """Two events, the earlier first, and when they overlap (aware UTC).

    key: the same as long as both are the same events at the same times; what it names was raised before.
    """

    first: Event
    second: Event
    from_at: datetime
    to_at: datetime
    key: str
    because: str


def conflicts(events: Iterable[Event], *, now: datetime, horizon: timedelta) -> tuple[Conflict, ...]:
    """The conflicts between now and `horizon` from now, the next one first; at most MOST_CONFLICTS.

    Only events that have times and take the owner's time can be in conflict; touching ends are none. Two occurrences of
    one series are none either, and the same meeting in two calendars is one.
    """
    coming = [
        event
        for event in events
        if takes_time(event)
        and not event.is_all_day
        and event.start_at < event.end_at
        and event.end_at > now
        and event.start_at < now + horizon
    ]
    found: list[Conflict] = []
    for first, second in _overlapping(without_copies(coming)):
        found.append(_conflict(first, second))
        if len(found) == MOST_CONFLICTS:
            break
    return tuple(sorted(found, key=lambda conflict: (conflict.from_at, conflict.key)))


def without_copies(events: Iterable[Event]) -> list[Event]:
    """Each meeting once, by start: of copies (the same uid, or title, at the same time) the one whose key comes first."""
    kept: list[Event] = []
    seen: set[tuple[str, str, datetime, datetime]] = set()
    for event in sorted(events, key=lambda event: (event.start_at, event.end_at, event.key)):
        names = {("uid", event.uid), ("title", " ".join(event.title.split()).casefold())}
        marks = {(kind, name, event.start_at, event.end_at) for kind, name in names if name}
        if not marks & seen:
            kept.append(event)
        seen |= marks
    return kept


def _overlapping(events: Sequence[Event]) -> Iterator[tuple[Event, Event]]:
    """The pairs that overlap, of events in order of their start."""
    going_on: list[Event] = []
    for event in events:
        going_on = [earlier for earlier in going_on if earlier.end_at > event.start_at]
        yield from ((earlier, event) for earlier in going_on if earlier.uid != event.uid)
        going_on.append(event)


def _conflict(first: Event, second: Event) -> Conflict:
    from_at, to_at = second.start_at, min(first.end_at, second.end_at)
    minutes = round((to_at - from_at) / timedelta(minutes=1))
    return Conflict(
        first=first,
        second=second,
        from_at=from_at,
        to_at=to_at,
        key=digest(sorted([event.key, event.start_at.isoformat()] for event in (first, second)))[:32],
        because=f"both take the owner's time, and they overlap for {minutes} minutes",
    )
