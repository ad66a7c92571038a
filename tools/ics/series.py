"""Which occurrences an object of a calendar has in a stretch of time: recurring_ical_events, held within bounds.

The library knows how a series, its exceptions and its extra dates go together. How often a rule comes round is counted
by tools/ics/rule, which ends whatever the rule says.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta, tzinfo
from itertools import islice
from typing import Any

from icalendar import Calendar, Component
from recurring_ical_events import CalendarQuery
from recurring_ical_events.occurrence import Occurrence as LibraryOccurrence
from recurring_ical_events.selection.name import ComponentsWithName
from recurring_ical_events.series import Series

from tools.ics.rule import MOST_TRIED, last_wall, read_rule, starts

MOST_OCCURRENCES = 500
"""Of one object in a stretch."""

_AROUND = timedelta(hours=38)
"""So far may a wall time lie from the same digits in UTC, and a whole day around that."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Occurrence:
    """One occurrence: its component (the series' own, or an exception), and its times as the calendar has them.

    planned: when it was to be before anybody moved it; None when the event stands alone. start, end: a date for a whole
    day, a naive time for one that floats, else with a zone.
    """

    component: Component
    planned: date | datetime | None
    start: date | datetime
    end: date | datetime
    sequence: int


@dataclass(slots=True)
class _Budget:
    """What may still be tried for all rules of one object together."""

    left: int = MOST_TRIED


class _Rule:
    """A rule in the place of the library's own."""

    def __init__(self, text: str, start: datetime, budget: _Budget) -> None:
        self._rule = read_rule(text)
        self._start = start
        self._budget = budget
        self.string = text
        self.until = self._rule.until
        self.is_cut = False

    def between(self, lo: datetime, hi: datetime, *, inc: bool = True) -> Sequence[datetime]:
        """The starts in [lo, hi]; `inc`, as the library asks, takes both ends in."""
        zone = self._start.tzinfo
        walls = [_wall(at, zone) for at in (self._start, lo, hi)]
        found = starts(
            self._rule, *walls, until=last_wall(self._rule, self._offset(zone)), most_tried=self._budget.left
        )
        self._budget.left -= found.tried
        self.is_cut = self.is_cut or found.is_cut
        return [wall.replace(tzinfo=zone) for wall in found.walls]

    def _offset(self, zone: tzinfo | None) -> timedelta:
        """How far ahead of UTC the series' clock is when the rule ends."""
        until = self.until
        if not zone or not isinstance(until, datetime) or not until.tzinfo:
            return timedelta(0)
        return until.astimezone(zone).utcoffset() or timedelta(0)


def _bounded(budget: _Budget) -> type[Any]:
    """The library's series with our rules."""

    class Rules(Series.RecurrenceRules):  # type: ignore[misc]  # the library brings no types
        def create_rule_with_start(self, rule_string: str) -> Any:
            return _Rule(rule_string, self.start, budget)

    class Bounded(Series):  # type: ignore[misc]  # as above
        RecurrenceRules = Rules

    return Bounded


@dataclass(frozen=True, slots=True)
class Expanded:
    """The occurrences of some events, and what kept others from being found."""

    occurrences: tuple[Occurrence, ...]
    faults: tuple[str, ...] = ()


def expand(events: Sequence[Component], lo: datetime, hi: datetime) -> Expanded:
    """The occurrences that touch [lo, hi) (aware UTC). Never raises.

    Those that float, and whole days, have no place in UTC yet: a day or two more of them are given.
    """
    faults: dict[str, None] = {}
    found: list[Occurrence] = []
    for series in _all_series(events, faults):
        try:
            around = _AROUND if any(_floats(adapter.start) for adapter in series.components) else timedelta(0)
            between = series.between(lo - around, hi + around)
            found += [_occurrence(one, series) for one in islice(between, MOST_OCCURRENCES + 1)]
        except Exception as error:  # noqa: BLE001  the library raises whatever comes on odd times
            faults[f"a series can't be worked out: {type(error).__name__}"] = None
        if any(getattr(rule, "is_cut", False) for rule in getattr(series.recurrence, "rrules", ())):
            faults["it comes round too often, or began too long ago: only the first times are kept"] = None
    if len(found) > MOST_OCCURRENCES:
        faults[f"more than {MOST_OCCURRENCES} times in the stretch: the rest is left out"] = None
    return Expanded(tuple(found[:MOST_OCCURRENCES]), tuple(faults))


def _all_series(events: Sequence[Component], faults: dict[str, None]) -> Iterator[Any]:
    series = _bounded(_Budget())
    by_uid: dict[str, list[Component]] = {}
    for event in events:
        by_uid.setdefault(str(event["UID"]), []).append(event)
    for together in by_uid.values():
        whole = Calendar()
        whole.subcomponents = together
        try:
            yield from CalendarQuery(whole, components=[ComponentsWithName("VEVENT", series=series)]).series
        except Exception as error:  # noqa: BLE001  as above
            faults[f"a series can't be worked out: {type(error).__name__}"] = None


def _occurrence(found: LibraryOccurrence, series: Any) -> Occurrence:
    adapter = found._adapter
    return Occurrence(
        component=adapter._component,
        planned=_planned(found),
        start=found.start,
        end=found.end,
        sequence=max(0, series.sequence),
    )


def _planned(found: LibraryOccurrence) -> date | datetime | None:
    """Where it stood in its series: what the exception replaces, or its own start before "this and all later" moved it."""
    adapter = found._adapter
    component = adapter._component
    start: date | datetime = found.start
    if "RECURRENCE-ID" not in component:
        return start if "RRULE" in component or "RDATE" in component else None
    replaced: date | datetime = component["RECURRENCE-ID"].dt
    if not adapter.this_and_future or start == adapter.start:
        return replaced
    moved_by: timedelta = adapter.move_recurrences_by
    return start - moved_by


def _floats(start: date) -> bool:
    return not isinstance(start, datetime) or start.tzinfo is None


def _wall(at: datetime, zone: tzinfo | None) -> datetime:
    return (at.astimezone(zone) if at.tzinfo and zone else at).replace(tzinfo=None)
