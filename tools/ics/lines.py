"""The lines of iCalendar text, before any library reads them: unfolded, sorted into blocks, and few enough.

A library that reads calendar text as it comes keeps what strangers wrote: time zones under names of their own choosing
in a cache for all calendars, a hundred thousand dates, attachments of megabytes. So only the properties that say
something to us go on, each event by itself, so that a broken one takes no other with it.
"""

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field

MOST_CHARACTERS = 1_000_000
"""Of one object, without what is skipped. An event with the guest list of a whole company has some 100,000."""
MOST_RAW = 10_000_000
"""Of one object with all that is in it: files hang in calendars, too."""
MOST_OF_A_LINE = 40_000
"""Of one property. Lists of dates may be longer."""
EVERYTHING = sys.maxsize
"""No limit, for text whose length was looked at already."""
MOST_EVENTS = 500
"""In one object: a series and its exceptions."""
_MOST_DEEP = 20

_UNWANTED = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufeff]")
_LINE_END = re.compile(r"\r\n|\n|\r")
_FOLD = re.compile(r"(?:\r\n|\n|\r)[ \t]")
_NAME = re.compile(r"[A-Za-z0-9-]+")


_DATES = frozenset({"RDATE", "EXDATE"})
_WANTED = _DATES | {
    *(
        "UID",
        "DTSTAMP",
        "DTSTART",
        "DTEND",
        "DURATION",
        "RECURRENCE-ID",
        "RRULE",
        "SEQUENCE",
        "METHOD",
        "STATUS",
        "TRANSP",
    ),
    *(
        "SUMMARY",
        "LOCATION",
        "DESCRIPTION",
        "COMMENT",
        "URL",
        "CONFERENCE",
        "ORGANIZER",
        "ATTENDEE",
        "CLASS",
        "CATEGORIES",
    ),
    *("TZID", "TZOFFSETFROM", "TZOFFSETTO", "X-LIC-LOCATION", "X-WR-TIMEZONE", "X-WR-CALNAME"),
    *("X-MICROSOFT-CDO-BUSYSTATUS", "X-GOOGLE-CONFERENCE"),
}


@dataclass(frozen=True, slots=True)
class Block:
    """What stands between a BEGIN and its END: properties, and blocks within."""

    name: str
    lines: tuple[str, ...]
    blocks: tuple["Block", ...] = ()

    def value(self, name: str) -> str:
        """What the first property of that name says, "" when there is none."""
        return next((value_of(line) for line in self.lines if name_of(line) == name), "")


@dataclass(frozen=True, slots=True)
class Scanned:
    """The text as blocks. `is_calendar`: there is a VCALENDAR; `is_whole`: each one that begins also ends."""

    head: Block
    events: tuple[Block, ...]
    zones: tuple[Block, ...]
    is_calendar: bool
    is_whole: bool
    faults: tuple[str, ...] = ()


@dataclass(slots=True)
class _Open:
    """A block whose END has not come yet."""

    name: str
    lines: list[str] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)

    def closed(self) -> Block:
        return Block(self.name, tuple(self.lines), tuple(self.blocks))


def name_of(line: str) -> str:
    """The property's name in capitals, "" when the line has none."""
    found = _NAME.match(line)
    return found[0].upper() if found and line[found.end() : found.end() + 1] in (":", ";") else ""


def value_of(line: str) -> str:
    """What follows the first colon outside of quotes."""
    in_quotes = False
    for at, letter in enumerate(line):
        if letter == '"':
            in_quotes = not in_quotes
        elif letter == ":" and not in_quotes:
            return line[at + 1 :].strip()
    return ""


def unfolded(text: str) -> list[str]:
    """The lines as they were before they were folded, without control characters. Never raises."""
    return [line for line in _LINE_END.split(_UNWANTED.sub("", _FOLD.sub("", text))) if line.strip()]


def scan(text: str, *, most_characters: int = MOST_CHARACTERS, most_events: int = MOST_EVENTS) -> Scanned:
    """Sort `text` into blocks. Never raises: what can't be read is left out and named in `faults`."""
    reader = _Reader(most_characters, most_events)
    for line in unfolded(text[: max(MOST_RAW, most_characters)]):
        if not reader.read(line):
            break
    return reader.finished(is_cut=len(text) > max(MOST_RAW, most_characters))


class _Reader:
    """Takes lines in order. A stack of open blocks; whatever never ends is dropped."""

    def __init__(self, most_characters: int, most_events: int) -> None:
        self._open: list[_Open] = []
        self._left = most_characters
        self._most_events = most_events
        self._head: list[str] = []
        self._events: list[Block] = []
        self._zones: list[Block] = []
        self._is_calendar = False
        self._faults: dict[str, None] = {}

    def read(self, line: str) -> bool:
        """Take a line; false when there was enough."""
        name = name_of(line)
        if name == "BEGIN":
            self._begin(value_of(line).upper()[:80])
        elif name == "END":
            self._end(value_of(line).upper()[:80])
        elif self._open and name in _WANTED:
            kept = line if name in _DATES else line[:MOST_OF_A_LINE]
            inmost = self._open[-1]
            (self._head if inmost.name == "VCALENDAR" else inmost.lines).append(kept)
            self._left -= len(kept)
            return self._left >= 0
        self._left -= 12
        return self._left >= 0

    def _begin(self, name: str) -> None:
        if len(self._open) >= _MOST_DEEP:
            self._faults["nested too deep: the rest is left out"] = None
            return
        if name == "VCALENDAR":
            self._is_calendar = True
        if name in ("VCALENDAR", "VEVENT", "VTIMEZONE") and self._open and self._open[-1].name != "VCALENDAR":
            self._faults[f"{self._open[-1].name} without an end"] = None
            self._open = [block for block in self._open if block.name == "VCALENDAR"][:1]
        self._open.append(_Open(name))

    def _end(self, name: str) -> None:
        if name not in [block.name for block in self._open]:
            return
        while (block := self._open.pop()).name != name:
            self._faults[f"{block.name} without an end"] = None
        self._keep(block.closed())

    def _keep(self, block: Block) -> None:
        if block.name == "VEVENT":
            if len(self._events) < self._most_events:
                self._events.append(block)
            else:
                self._faults[f"more than {self._most_events} events in one object: the rest is left out"] = None
        elif block.name == "VTIMEZONE":
            self._zones.append(block)
        elif self._open and self._open[-1].name == "VTIMEZONE":
            self._open[-1].blocks.append(block)

    def finished(self, *, is_cut: bool) -> Scanned:
        """Everything that was taken."""
        if is_cut or self._left < 0:
            self._faults["too long: the rest is left out"] = None
        if self._open:
            self._faults[f"{self._open[-1].name} without an end"] = None
        return Scanned(
            Block("VCALENDAR", tuple(self._head)),
            tuple(self._events),
            tuple(self._zones),
            self._is_calendar,
            is_whole=self._is_calendar and not self._open,
            faults=tuple(self._faults),
        )


def single_items(scanned: Scanned) -> Iterator[tuple[str, str]]:
    """A calendar of many events as (uid, VCALENDAR) each: an event, or a series with its exceptions; zones with both.

    Events without a UID come under "".
    """
    by_uid: dict[str, list[Block]] = {}
    for event in scanned.events:
        by_uid.setdefault(event.value("UID"), []).append(event)
    head = [line for line in scanned.head.lines if name_of(line) in ("METHOD", "X-WR-TIMEZONE")]
    zones = [(zone.value("TZID").strip('"'), "\r\n".join(_written(zone))) for zone in scanned.zones]
    for uid, events in by_uid.items():
        body = "\r\n".join(line for event in events for line in _written(event))
        wanted = [zone for name, zone in zones if name and name in body]
        yield uid, "\r\n".join(("BEGIN:VCALENDAR", *head, *wanted, body, "END:VCALENDAR", ""))


def _written(block: Block) -> Iterator[str]:
    yield f"BEGIN:{block.name}"
    yield from block.lines
    for inner in block.blocks:
        yield from _written(inner)
    yield f"END:{block.name}"
