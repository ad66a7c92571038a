"""Free and busy: what the owner's events take of their time, and what they leave."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, time, timedelta

from memory.errors import BadInput
from memory.event import Event
from memory.zones import Timeline

_WORKDAYS = frozenset(range(5))


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """From one instant up to another (aware UTC), the end not included."""

    start_at: datetime
    end_at: datetime

    @property
    def lasts_for(self) -> timedelta:
        """How long it really lasts, whatever clocks do meanwhile."""
        return self.end_at - self.start_at


@dataclass(frozen=True, slots=True)
class Hours:
    """The part of a day that may be filled, on the owner's wall clock; weekdays with Monday 0.

    `until` midnight means the end of the day. Raises BadInput when it ends before it begins.
    """

    since: time = time(9)
    until: time = time(18)
    weekdays: frozenset[int] = _WORKDAYS

    def __post_init__(self) -> None:
        """Hours over midnight would belong to two days."""
        if self.until <= self.since and self.until != time():
            raise BadInput("working hours end before they begin: 9-18")


ANY_TIME = Hours(time(), time(), frozenset(range(7)))
"""Day and night."""


def takes_time(event: Event) -> bool:
    """Whether the owner is busy with it: neither cancelled nor declined, and not marked as free."""
    return event.is_busy and event.status != "cancelled" and event.my_answer != "declined"


def busy(events: Iterable[Event], *, from_at: datetime, to_at: datetime) -> tuple[Span, ...]:
    """When the owner is busy between two instants (aware), in order; what touches or overlaps is one span.

    Whole days count from midnight to midnight of the owner's, as their `start_at` and `end_at` say.
    """
    taken = sorted(
        Span(max(event.start_at, from_at), min(event.end_at, to_at))
        for event in events
        if takes_time(event) and event.start_at < to_at and event.end_at > from_at and event.start_at < event.end_at
    )
    merged: list[Span] = []
    for span in taken:
        if merged and span.start_at <= merged[-1].end_at:
            merged[-1] = Span(merged[-1].start_at, max(merged[-1].end_at, span.end_at))
        else:
            merged.append(span)
    return tuple(merged)


def free_slots(
    events: Iterable[Event],
    *,
    zones: Timeline,
    from_at: datetime,
    to_at: datetime,
    at_least: timedelta,
    hours: Hours = Hours(),
) -> tuple[Span, ...]:
    """The stretches between two instants (aware) that are free for `at_least`, within the owner's hours, in order.

    A day on which clocks change has its hours on the wall all the same; how long a stretch lasts is counted in real time.
    """
    taken = busy(events, from_at=from_at, to_at=to_at)
    return tuple(
        gap
        for window in _windows(zones, from_at, to_at, hours)
        for gap in _gaps(window, taken)
        if gap.lasts_for >= at_least
    )


def _windows(zones: Timeline, from_at: datetime, to_at: datetime, hours: Hours) -> Iterator[Span]:
    """The owner's hours of each day, as far as they lie between the two; those that meet at midnight are one."""
    open_window: Span | None = None
    for window in _days(zones, from_at, to_at, hours):
        if open_window and window.start_at <= open_window.end_at:
            open_window = Span(open_window.start_at, max(open_window.end_at, window.end_at))
            continue
        if open_window:
            yield open_window
        open_window = window
    if open_window:
        yield open_window


def _days(zones: Timeline, from_at: datetime, to_at: datetime, hours: Hours) -> Iterator[Span]:
    day, last = zones.wall_at(from_at).date() - timedelta(days=1), zones.wall_at(to_at).date()
    while day <= last:
        following = day + timedelta(days=1)
        end = datetime.combine(following, time()) if hours.until == time() else datetime.combine(day, hours.until)
        since, until = zones.wall_to_utc(datetime.combine(day, hours.since)), zones.wall_to_utc(end)
        window = Span(max(since, from_at), min(until, to_at))
        if day.weekday() in hours.weekdays and window.start_at < window.end_at:
            yield window
        day = following


def _gaps(window: Span, taken: Iterable[Span]) -> Iterator[Span]:
    at = window.start_at
    for span in taken:
        if span.end_at <= at:
            continue
        if span.start_at >= window.end_at:
            break
        if span.start_at > at:
            yield Span(at, span.start_at)
        at = span.end_at
    if at < window.end_at:
        yield Span(at, window.end_at)
