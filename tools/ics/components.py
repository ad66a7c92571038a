"""One event of a calendar as the library reads it, with every time in the zone that is meant.

The library would resolve zones by itself, in a cache that all calendars share, and make a time of an unknown zone naive
without a word. So it is shown the times without their zones, and the zones are put back here.
"""

import re
from collections.abc import Iterator, Sequence
from datetime import date, datetime, timedelta
from hashlib import sha256
from typing import Any

from icalendar import Component
from icalendar import Event as VEvent
from icalendar.prop import vBroken, vText

from tools.ics.lines import Block, name_of
from tools.ics.people import MOST_ATTENDEES
from tools.ics.rule import BadRule, read_rule
from tools.ics.zones import Zones

MOST_DATES = 300
"""RDATEs and EXDATEs, each, in the stretch that is looked at."""
UID_MOST = 500

_TIMES = ("DTSTART", "DTEND", "RECURRENCE-ID")
_LISTS = ("RDATE", "EXDATE")
_ONCE = (
    *(
        "UID",
        "DTSTAMP",
        "DTSTART",
        "DTEND",
        "DURATION",
        "RECURRENCE-ID",
        "SUMMARY",
        "LOCATION",
        "DESCRIPTION",
        "STATUS",
    ),
    *("TRANSP", "ORGANIZER", "SEQUENCE", "X-MICROSOFT-CDO-BUSYSTATUS"),
)
_OFTEN = ("RRULE", "RDATE", "EXDATE", "ATTENDEE", "COMMENT")
_MOST_OF_A_KIND = {"ATTENDEE": MOST_ATTENDEES, "RRULE": 5, "COMMENT": 5}
_TZID = re.compile(r';TZID=("[^"]*"|.*?)(?=;[A-Z-]+=|$)', re.IGNORECASE)
_MARGIN = timedelta(days=62)


class Unreadable(ValueError):  # noqa: N818  a noun phrase, as in memory/errors
    """The event can't be read at all; says why."""


class _Room:
    """How many dates of a list are kept: all of a short one; of a long one those that are near, and not too many."""

    def __init__(self, name: str, block: Block, keep: tuple[date, date]) -> None:
        many = sum(line.count(",") + 1 for line in block.lines if name_of(line) == name) > MOST_DATES
        self._bounds = (f"{keep[0]:%Y%m%d}", f"{keep[1]:%Y%m%d}") if many else ("", "~")
        self._left = MOST_DATES
        self.is_full = False

    def kept(self, dates: Sequence[str]) -> Sequence[str]:
        lo, hi = self._bounds
        near = [text for text in dates if lo <= text.strip()[:8] <= hi]
        self.is_full = self.is_full or len(near) > self._left
        near = near[: self._left]
        self._left -= len(near)
        return near


class Reader:
    """Reads the events of one calendar text. What is left out or guessed is added to `faults`, each once.

    lo, hi: the stretch for which lists of dates are kept when they are long.
    """

    def __init__(self, zones: Zones, home: str, lo: date, hi: date) -> None:
        self.faults: dict[str, None] = {}
        self._zones = zones
        self._home = home
        self._keep = lo - _MARGIN, hi + _MARGIN

    def read(self, block: Block, *, needs_start: bool = True) -> Component:
        """The event of a VEVENT block. Raises Unreadable, also for one without a start unless it needs none."""
        zones: list[str] = []
        lines = list(self._shown(block, zones))
        try:
            event = VEvent.from_ical("\r\n".join(("BEGIN:VEVENT", *lines, "END:VEVENT", "")))
        except Exception as error:
            raise Unreadable(f"an event can't be read: {type(error).__name__}") from error
        self._mend(event, block)
        if needs_start and "DTSTART" not in event:
            raise Unreadable("an event without a start")
        self._put_zones_back(event, zones)
        return event

    # Before the library reads it

    def _shown(self, block: Block, zones: list[str]) -> Iterator[str]:
        """The lines that the library gets to see; `zones` takes the names of their zones."""
        seen: dict[str, int] = {}
        self._room = {name: _Room(name, block, self._keep) for name in _LISTS}
        for line in block.lines:
            name = name_of(line)
            seen[name] = seen.get(name, 0) + 1
            if name in _LISTS or (name in _TIMES and seen[name] == 1):
                yield from self._without_zone(name, line, zones)
            elif (name in _ONCE and seen[name] == 1) or (name in _OFTEN and self._has_room(name, seen[name])):
                yield line

    def _has_room(self, name: str, number: int) -> bool:
        most = _MOST_OF_A_KIND[name]
        if number == most + 1:
            self.faults[f"more than {most} of {name}: the rest is left out"] = None
        return number <= most

    def _without_zone(self, name: str, line: str, zones: list[str]) -> Iterator[str]:
        """A time without its zone's name, which may hold any character; X-ZONE says which of `zones` it was."""
        head, _, value = line.rpartition(":")
        value = value.strip()
        found = _TZID.search(head)
        parameters = ";RANGE=THISANDFUTURE" if "THISANDFUTURE" in head.upper() else ""
        if found and not value.upper().endswith("Z"):
            zones.append(found[1])
            parameters += f";X-ZONE={len(zones) - 1}"
        if name in _LISTS:
            value = ",".join(self._room[name].kept(value.split(",")))
            if self._room[name].is_full:
                self.faults[f"more than {MOST_DATES} dates in {name}: the rest is left out"] = None
        elif "VALUE=DATE" in head.upper().split(";") and re.fullmatch(r"\d{8}T\d{6}Z?", value):
            value = value[:8]
        if value:
            yield f"{name}{parameters}:{value}"

    # After it was read

    def _mend(self, event: Component, block: Block) -> None:
        """Leave out what is broken, and name it."""
        for name in [name for name in (*_ONCE, *_OFTEN) if name in event]:
            values = event.pop(name)
            kept = [value for value in (values if isinstance(values, list) else [values]) if _is_sound(name, value)]
            if len(kept) < (len(values) if isinstance(values, list) else 1):
                self.faults[f"{name} can't be read"] = None
            if kept:
                event[name] = kept if isinstance(values, list) and len(kept) > 1 else kept[0]
        if not str(event.get("UID", "")).strip():
            event["UID"] = vText(f"without-uid-{sha256(repr(block.lines).encode()).hexdigest()[:24]}")
            self.faults["an event without a UID"] = None
        event["UID"] = vText(str(event["UID"]).strip()[:UID_MOST])

    def _put_zones_back(self, event: Component, zones: Sequence[str]) -> None:
        for name in _TIMES:
            if name in event:
                prop: Any = event[name]
                prop.dt = self._placed(prop.dt, prop.params, zones)
        for name in _LISTS:
            values: Any = event.get(name, [])
            for group in values if isinstance(values, list) else [values]:
                for one in group.dts:
                    one.dt = self._placed(one.dt, group.params, zones)

    def _placed(self, value: Any, parameters: Any, zones: Sequence[str]) -> Any:
        if isinstance(value, tuple):
            return tuple(self._placed(part, parameters, zones) for part in value)
        if not isinstance(value, datetime) or value.tzinfo:
            return value
        name = zones[int(parameters["X-ZONE"])] if "X-ZONE" in parameters else self._home
        if not name:
            return value
        named = self._zones.named(name)
        if named.fault:
            self.faults[named.fault] = None
        return value.replace(tzinfo=named.clock)


def _is_sound(name: str, value: Any) -> bool:
    """Whether a property is what its name says."""
    if isinstance(value, vBroken):
        return False
    if name == "RRULE":
        return _is_rule(value.to_ical().decode())
    if name == "DURATION":
        return isinstance(value.dt, timedelta)
    if name == "SEQUENCE":
        return isinstance(value, int)
    if name in _TIMES or name in _LISTS:
        return all(_is_a_time(name, one.dt) for one in getattr(value, "dts", [value]))
    return True


def _is_rule(text: str) -> bool:
    try:
        read_rule(text)
    except BadRule:
        return False
    return True


def time_of(event: Component, name: str) -> date | datetime | None:
    """A time of an event that was read: a date for a whole day, naive when it floats; None when it has none."""
    prop: Any = event.get(name)
    found: date | datetime | None = prop.dt if prop is not None else None
    return found


def _is_a_time(name: str, value: Any) -> bool:
    """Whether it is a day or a moment; for RDATE a period will do as well. A duration or a time of day is none."""
    if isinstance(value, tuple):
        return name == "RDATE" and len(value) == 2 and _is_a_time("", value[0])
    return isinstance(value, date)
