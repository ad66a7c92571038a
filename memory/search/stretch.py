"""A stretch of time in which something is looked for, and which stretch somebody means by the words for a time."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from memory.when.grain import Grain, floor, midnight, step
from memory.when.reading import Reading

FIRST = midnight(1970)
"""Where "before May" begins: nothing that is kept is older."""

_SINCE = re.compile(r"(since|seit|ab)\b", re.IGNORECASE)
"""Looked for in the words: "photos from last year" are no later ones, though the reader has it so."""

_AHEAD = re.compile(
    r"\b(next|coming|upcoming|tomorrow|tonight|this|nächste\w*|kommende\w*|morgen|übermorgen|heute|diese\w*)\b",
    re.IGNORECASE,
)
"""What lies ahead and is said so never came round before."""

_AGO = re.compile(r"\b(day|week|month)s? ago\b|^vor\b.*\b(tag|woche|monat)(?:en?|n)?$", re.IGNORECASE)
_UNIT: dict[str, Grain] = {
    "day": "day", "week": "week", "month": "month", "tag": "day", "woche": "week", "monat": "month",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Stretch:
    """A stretch of time in UTC, its end not included."""

    from_at: datetime
    to_at: datetime


def meant(reading: Reading, text: str, *, now: datetime, zone: ZoneInfo) -> Stretch | None:
    """What the words for a time mean to somebody who looks for something.

    "In March" is the last one, "next week" and "tonight" lie ahead, "since Monday" goes on until today, "three weeks ago"
    is the week of that day. None for what returns, has no length or lies beyond the calendar.
    """
    if reading.kind == "duration" or reading.recurrence is not None:
        return None
    wall_now = now.astimezone(zone).replace(tzinfo=None)
    try:
        start, end = _ends(reading, text)
        if start > wall_now and not _AHEAD.search(text):
            unit = _came_round(reading.grain, text, start - wall_now)
            start, end = (step(each, unit, -1) for each in (start, end))
            if start > wall_now:
                return None
        return between(*_leaning(reading, text, start, end, step(floor(wall_now, "day"), "day")), zone)
    except OverflowError:
        return None


def unit_ago(text: str) -> Grain | None:
    """In what "three weeks ago" counts: nobody means the hour, as the reader has it. Years ago is what is told, not when."""
    found = _AGO.search(text)
    return _UNIT[(found[1] or found[2]).lower()] if found else None


def _ends(reading: Reading, text: str) -> tuple[datetime, datetime]:
    """Where it starts and ends, as it is said."""
    unit = unit_ago(text)
    if unit is not None:
        return floor(reading.wall, unit), step(floor(reading.wall, unit), unit)
    return reading.wall, reading.end or step(floor(reading.wall, reading.grain), reading.grain)


def _leaning(
    reading: Reading, text: str, start: datetime, end: datetime, tomorrow: datetime
) -> tuple[datetime, datetime]:
    """The same with the end open that the words leave open."""
    if reading.bound == "after" or _SINCE.match(text):
        return start, max(end, tomorrow)
    if reading.bound in ("until", "by"):
        return FIRST, end
    return (FIRST, start) if reading.bound == "before" else (start, end)


def _came_round(grain: Grain, text: str, ahead: timedelta) -> Grain:
    """What lies ahead came round before: the weekday last week, the date last year."""
    is_weekday = grain == "day" and ahead <= timedelta(days=8) and not re.search(r"\d", text)
    return "week" if is_weekday else "year"


def between(start: datetime, end: datetime, zone: ZoneInfo) -> Stretch | None:
    """The stretch between two moments of the wall; None if there is nothing between them, or it is beyond the calendar."""
    try:
        from_at, to_at = (wall.replace(tzinfo=zone).astimezone(UTC) for wall in (start, end))
    except OverflowError:
        return None
    return Stretch(from_at, to_at) if from_at < to_at else None


def common(stretches: Iterable[Stretch]) -> Stretch | None:
    """What all of these stretches have in common."""
    several = list(stretches)
    if not several:
        return None
    from_at, to_at = max(one.from_at for one in several), min(one.to_at for one in several)
    return Stretch(from_at, to_at) if from_at < to_at else None


def covering(stretches: Iterable[Stretch]) -> Stretch | None:
    """The one stretch in which all of these lie."""
    several = list(stretches)
    return Stretch(min(one.from_at for one in several), max(one.to_at for one in several)) if several else None
