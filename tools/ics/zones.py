"""Which time zone a calendar means by the name it gives one.

    the IANA's name, also behind a vendor's prefix ─► Microsoft's name ─► "(UTC+01:00) Amsterdam, Berlin …"
    ─► the place in its definition (X-LIC-LOCATION) ─► an offset ─► its definition itself ─► a city ─► not known

Definitions are looked up in the text that they came with and nowhere else: "Customized Time Zone" is another zone in
every calendar. A time whose zone is not known is read on the owner's clock, and says so.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

from icalendar.timezone.windows_to_olson import WINDOWS_TO_OLSON

from memory.zones import find_zone
from tools.ics.custom_zone import CustomZone, custom_zone
from tools.ics.lines import Block
from tools.ics.plain import one_line

MOST_ZONES = 50
"""In one object; a meeting has one or two."""

_OFFSET = re.compile(r"(?:UTC|GMT|Z)?\s*(?:([+\-−])\s*(\d{1,2})(?:[:.]?(\d{2}))?)?", re.IGNORECASE)
_BRACKETED = re.compile(r"\((?:UTC|GMT)\s*(?:([+\-−])\s*(\d{1,2})[:.](\d{2}))?\)\s*(.*)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Named:
    """What a name means. `clock` None: not known. `iana` is "" for an offset or a definition of the calendar's own."""

    clock: tzinfo | None
    iana: str = ""
    fault: str | None = None


class Zones:
    """The names in one calendar text. `from_at`, `to_at` (aware UTC): the time for which definitions are worked out."""

    def __init__(self, definitions: Sequence[Block], home: ZoneInfo, from_at: datetime, to_at: datetime) -> None:
        self._definitions = {_bare(block.value("TZID")): block for block in reversed(definitions)}
        self._home = home
        self._stretch = from_at, to_at
        self._known: dict[str, Named] = {}

    def named(self, name: str) -> Named:
        """The zone of that name. Never raises."""
        if name not in self._known:
            if len(self._known) >= MOST_ZONES:
                return Named(None, fault=f"more than {MOST_ZONES} time zones: the rest is read on the owner's clock")
            self._known[name] = self._look_up(_bare(name))
        return self._known[name]

    def _look_up(self, name: str) -> Named:
        iana = zone_name(name) or self._by_location(name)
        if iana:
            return Named(ZoneInfo(iana), iana)
        offset = _offset(name)
        if offset is not None:
            return Named(timezone(offset))
        defined = self._by_definition(name)
        if defined:
            return defined
        iana = find_zone(name[:100]) or ""
        if iana:
            return Named(ZoneInfo(iana), iana)
        shown = one_line(name, 60)
        return Named(None, fault=f"the time zone {shown!r} is not known: read on the owner's clock ({self._home.key})")

    def _by_location(self, name: str) -> str:
        block = self._definitions.get(name)
        return zone_name(_bare(block.value("X-LIC-LOCATION"))) if block else ""

    def _by_definition(self, name: str) -> Named | None:
        block = self._definitions.get(name)
        zone = custom_zone(block, *self._stretch) if block else None
        if zone is None:
            return None
        return Named(self._home, self._home.key) if _agree(zone, self._home, *self._stretch) else Named(zone)


def zone_name(name: str) -> str:
    """The IANA's name of a zone by any name that needs no definition, "" when there is none."""
    if name.casefold() in ("z", "utc", "gmt", "tzone://microsoft/utc", "coordinated universal time"):
        return "UTC"
    for candidate in _candidates(name):
        found = _iana().get(candidate.casefold()) or _windows().get(candidate.casefold())
        if found:
            return found
    return _bracketed(name)


def _candidates(name: str) -> Iterator[str]:
    """The name, then what is left of it without a vendor's prefix: "/mozilla.org/2005_1/Europe/Berlin"."""
    yield name
    parts = [part for part in name[:200].split("/") if part]
    for start in range(max(1, len(parts) - 1)):
        yield "/".join(parts[start:])


def _bracketed(name: str) -> str:
    """The first city of "(UTC+01:00) Amsterdam, Berlin …" whose clocks show that offset at some time of the year."""
    found = _BRACKETED.fullmatch(name)
    if not found:
        return ""
    offset = _timedelta(found[1], found[2], found[3]) if found[1] else timedelta(0)
    for city in (find_zone(city) for city in found[4][:200].split(",")):
        if city and offset in _offsets_of(city):
            return city
    return ""


def _offset(name: str) -> timedelta | None:
    """The offset that a name spells: "GMT+0100", "+02:00", "(UTC+05:30) Somewhere". None when it spells none."""
    found = _OFFSET.fullmatch(name) or _BRACKETED.fullmatch(name)
    if not name or not found or not found[1]:
        return None
    return _timedelta(found[1], found[2], found[3])


def _timedelta(sign: str, hours: str, minutes: str | None) -> timedelta | None:
    offset = timedelta(hours=int(hours), minutes=int(minutes or 0))
    if offset > timedelta(hours=15):
        return None
    return offset if sign == "+" else -offset


def _bare(name: str) -> str:
    return " ".join(name.strip().strip('"').split())


def _agree(zone: CustomZone, home: ZoneInfo, from_at: datetime, to_at: datetime) -> bool:
    """Whether both clocks show the same at noon of every tenth day of the stretch."""
    days = min((to_at - from_at).days, 800)
    noons = [from_at.replace(tzinfo=None) + timedelta(days=day) for day in range(0, days + 1, 10)]
    return all(noon.replace(tzinfo=zone).utcoffset() == noon.replace(tzinfo=home).utcoffset() for noon in noons)


@cache
def _iana() -> dict[str, str]:
    return {name.casefold(): name for name in available_timezones()}


@cache
def _windows() -> dict[str, str]:
    return {name.casefold(): zone for name, zone in WINDOWS_TO_OLSON.items()}


@cache
def _offsets_of(zone: str) -> frozenset[timedelta | None]:
    return frozenset(datetime(2026, month, 1, tzinfo=UTC).astimezone(ZoneInfo(zone)).utcoffset() for month in (1, 7))
