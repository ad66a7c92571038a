"""An invitation, or what became of one, that came with a mail as a calendar object.

Only enough of it is read to judge the mail by; what goes into a calendar is read by the calendar's own reader.
"""

import re
from datetime import UTC, datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from memory.detectors.finding import QUOTE_MAX, Finding
from memory.mail import KeptMail
from memory.people.mailbox import mailbox_of
from memory.zones import to_utc

_LINES_MAX = 2_000
_FOLD = re.compile(r"\r?\n[ \t]")
_METHODS = {"REQUEST": "request", "CANCEL": "cancel", "REPLY": "reply", "COUNTER": "counter", "ADD": "request"}
_STAMP = re.compile(r"(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)(Z)?)?")


def invitation(kept: KeptMail, *, zone: ZoneInfo, now: datetime) -> Finding | None:
    """The first calendar object with a method; its quote is the title, its due_at the start.

    detail: "request", "cancel", "reply", "counter"; with "-foreign" behind it when the organizer is not who sent the
    mail: anybody can write that a meeting of others is cancelled. zone: the owner's, for times without one.
    """
    if kept.by_owner:
        return None
    for calendar in kept.mail.calendars:
        lines = _FOLD.sub("", calendar).splitlines()[:_LINES_MAX]
        method = _METHODS.get(_value(lines, "METHOD").upper())
        if method:
            return _finding(kept, method, _of_event(lines), zone, now)
    return None


def _finding(kept: KeptMail, method: str, lines: list[str], zone: ZoneInfo, now: datetime) -> Finding:
    due_at = _start(lines, zone)
    organizer = _value(lines, "ORGANIZER").removeprefix("mailto:").removeprefix("MAILTO:")
    sender = (kept.mail.sender.address if kept.mail.sender else None) or ""
    foreign = method in ("request", "cancel") and mailbox_of(organizer) != mailbox_of(sender)
    return Finding(
        kind="invitation",
        detail=f"{method}-foreign" if foreign else method,
        quote=_value(lines, "SUMMARY")[:QUOTE_MAX],
        due_at=due_at,
        is_past=due_at is not None and due_at < now,
    )


def _of_event(lines: list[str]) -> list[str]:
    """The lines of the first event, without those of its alarms."""
    upper = [line.strip().upper() for line in lines]
    start = upper.index("BEGIN:VEVENT") if "BEGIN:VEVENT" in upper else 0
    end = next((n for n in range(start + 1, len(upper)) if upper[n].startswith(("END:VEVENT", "BEGIN:VALARM"))), None)
    return lines[start:end]


def _line(lines: list[str], name: str) -> str:
    return next((line for line in lines if line.upper().startswith((f"{name}:", f"{name};"))), "")


def _value(lines: list[str], name: str) -> str:
    """What stands behind the colon that ends the parameters; a colon in quotation marks does not."""
    in_quotes = False
    line = _line(lines, name)
    for at, char in enumerate(line):
        if char == '"':
            in_quotes = not in_quotes
        elif char == ":" and not in_quotes:
            return line[at + 1 :].strip()
    return ""


def _start(lines: list[str], zone: ZoneInfo) -> datetime | None:
    found = _STAMP.match(_value(lines, "DTSTART"))
    if found is None:
        return None
    numbers = [int(part or 0) for part in found.groups()[:6]]
    try:
        wall = datetime(*numbers)  # type: ignore[arg-type]  # noqa: DTZ001  wall time is naive
        return wall.replace(tzinfo=UTC) if found[7] else to_utc(wall, _zone_of(_line(lines, "DTSTART"), zone))
    except (ValueError, OverflowError):
        return None


def _zone_of(line: str, owners: ZoneInfo) -> ZoneInfo:
    named = re.search(r"TZID=\"?([A-Za-z0-9_+/-]{1,60})", line)
    try:
        return ZoneInfo(named[1]) if named else owners
    except (ZoneInfoNotFoundError, ValueError, OSError):  # OSError: the name of a folder, such as "Europe"
        return owners
