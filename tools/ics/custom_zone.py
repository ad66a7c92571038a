"""A time zone as a calendar defines it itself (VTIMEZONE), worked out for the years that are looked at."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo
from operator import itemgetter

from tools.ics.lines import Block, name_of, value_of
from tools.ics.rule import BadRule, last_wall, read_rule, starts

_OFFSET = re.compile(r"([+-])(\d{2}):?(\d{2})(?::?(\d{2}))?")
_WALL = re.compile(r"\d{8}T\d{6}")
_MOST_OBSERVANCES = 100
_MOST_DATES = 200
_YEAR = timedelta(days=366)

Change = tuple[datetime, timedelta]
"""From a wall time on, clocks are so far ahead of UTC."""


@dataclass(frozen=True)
class CustomZone(tzinfo):
    """Clocks by a list of changes, in order and never empty. Before the first one its own offset holds."""

    name: str
    changes: tuple[Change, ...]

    def utcoffset(self, at: datetime | None) -> timedelta:
        """How far ahead of UTC the clock is that shows `at`."""
        wall = at.replace(tzinfo=None) if at else self.changes[0][0]
        place = bisect_right(self.changes, wall, key=itemgetter(0))
        return self.changes[max(place - 1, 0)][1]

    def dst(self, at: datetime | None) -> timedelta:
        """Nothing: what counts is the offset, and a definition need not tell its parts."""
        return timedelta(0)

    def tzname(self, at: datetime | None) -> str:
        """The name that the calendar gives it."""
        return self.name


def custom_zone(block: Block, from_at: datetime, to_at: datetime) -> CustomZone | None:
    """The zone that a VTIMEZONE defines, for the time between (aware UTC) and a year before; None when it defines none."""
    lo, hi = from_at.replace(tzinfo=None) - _YEAR, to_at.replace(tzinfo=None) + timedelta(days=2)
    changes = {change for observance in block.blocks[:_MOST_OBSERVANCES] for change in _changes(observance, lo, hi)}
    return CustomZone(block.value("TZID"), tuple(sorted(changes))) if changes else None


def _changes(observance: Block, lo: datetime, hi: datetime) -> Iterator[Change]:
    """When a STANDARD or DAYLIGHT begins, as far as it matters in [lo, hi]; nothing when it can't be read."""
    offset, start = _offset(observance.value("TZOFFSETTO")), _wall(observance.value("DTSTART"))
    if offset is None or start is None:
        return
    yield start, offset
    before = _offset(observance.value("TZOFFSETFROM"))
    for line in observance.lines:
        if name_of(line) == "RRULE":
            try:
                rule = read_rule(value_of(line))
            except BadRule:
                continue
            until = last_wall(rule, before if before is not None else offset)
            # Of a rule that ended long ago the last time counts: from then on the clock stood.
            since = min(lo, until - _YEAR) if until and until.year > 2 else lo
            for wall in starts(rule, start, since, hi, until=until).walls:
                yield wall, offset
        elif name_of(line) == "RDATE":
            for text in value_of(line).split(",")[:_MOST_DATES]:
                wall_or_none = _wall(text)
                if wall_or_none:
                    yield wall_or_none, offset


def _offset(text: str) -> timedelta | None:
    found = _OFFSET.fullmatch(text)
    if not found:
        return None
    offset = timedelta(hours=int(found[2]), minutes=int(found[3]), seconds=int(found[4] or 0))
    if offset >= timedelta(hours=24):
        return None
    return -offset if found[1] == "-" else offset


def _wall(text: str) -> datetime | None:
    found = _WALL.match(text)
    try:
        return datetime.strptime(found[0], "%Y%m%dT%H%M%S") if found else None  # noqa: DTZ007  a wall time by definition
    except ValueError:
        return None
