"""An event of Google's as iCalendar text, for whoever reads calendars (tools/ics).

Times keep their zone by its name in the IANA's list, which every reader knows, so no definitions of zones are added.
"""

import re
from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

from tools.google.answers import Event, Moment, Person
from tools.google.series import Item

_ANSWERS = {"accepted": "ACCEPTED", "declined": "DECLINED", "tentative": "TENTATIVE", "needsAction": "NEEDS-ACTION"}
_STATES = {"confirmed": "CONFIRMED", "tentative": "TENTATIVE", "cancelled": "CANCELLED"}
_RULES = ("RRULE", "EXRULE", "RDATE", "EXDATE")
_SPELLED = (("\\", "\\\\"), (";", "\\;"), (",", "\\,"), ("\r\n", "\\n"), ("\n", "\\n"), ("\r", "\\n"))
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_LINE_MOST_BYTES = 75


def ics_of(item: Item, zone: str) -> str:
    """The object as a VCALENDAR. `zone`: the calendar's own, for times that name none."""
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Stillbell//Google Calendar//EN"]
    if item.master is not None:
        lines += _event(item.master, item.uid, zone, _cut_out(item, zone))
    home = _zone_name(item.master.start if item.master else None, zone)
    for exception in item.exceptions:
        if not exception.is_cancelled and exception.start is not None:
            lines += _event(exception, item.uid, zone, _recurrence_id(exception, home))
    lines.append("END:VCALENDAR")
    return "".join(f"{folded}\r\n" for line in lines for folded in _folded(line))


def _event(event: Event, uid: str, zone: str, more: Iterable[str]) -> list[str]:
    return [
        "BEGIN:VEVENT",
        _text("UID", uid),
        *_times(event, zone),
        *more,
        *_words(event),
        *_people(event),
        "END:VEVENT",
    ]


def _times(event: Event, zone: str) -> Iterator[str]:
    yield f"DTSTAMP:{_utc(event.updated or event.created or datetime(1970, 1, 1, tzinfo=UTC))}"
    if event.start is not None:
        yield _at("DTSTART", event.start, _zone_name(event.start, zone))
    if event.end is not None:
        yield _at("DTEND", event.end, _zone_name(event.end, zone))
    for name, moment in (("CREATED", event.created), ("LAST-MODIFIED", event.updated)):
        if moment is not None:
            yield f"{name}:{_utc(moment)}"


def _words(event: Event) -> Iterator[str]:
    for name, words in (("SUMMARY", event.summary), ("LOCATION", event.location), ("DESCRIPTION", event.description)):
        if words:
            yield _text(name, words)
    yield f"STATUS:{_STATES.get(event.status, 'CONFIRMED')}"
    yield f"SEQUENCE:{max(event.sequence, 0)}"
    yield f"TRANSP:{'TRANSPARENT' if event.transparency == 'transparent' else 'OPAQUE'}"
    if event.visibility in ("private", "confidential"):
        yield f"CLASS:{event.visibility.upper()}"
    if event.html_link:
        yield f"URL:{_bare(event.html_link)}"
    if way_in := _way_in(event):
        yield f"CONFERENCE;VALUE=URI:{_bare(way_in)}"
    if event.event_type != "default":
        yield _text("X-GOOGLE-EVENT-TYPE", event.event_type)


def _people(event: Event) -> Iterator[str]:
    if event.organizer is not None and event.organizer.email:
        yield f"ORGANIZER{_named(event.organizer)}:mailto:{_bare(event.organizer.email)}"
    for guest in event.attendees:
        if guest.email:
            yield _guest(guest)


def _guest(guest: Person) -> str:
    kind = ";CUTYPE=RESOURCE" if guest.resource else ""
    role = "OPT-PARTICIPANT" if guest.optional else "REQ-PARTICIPANT"
    answer = _ANSWERS.get(guest.response_status, "NEEDS-ACTION")
    return f"ATTENDEE{_named(guest)}{kind};ROLE={role};PARTSTAT={answer}:mailto:{_bare(guest.email)}"


def _named(person: Person) -> str:
    # Quotes and carets have a spelling of their own within a parameter (RFC 6868).
    name = " ".join(_CONTROL.sub("", person.display_name).split())
    return f';CN="{name.replace("^", "^^").replace(chr(34), "^" + chr(39))}"' if name else ""


def _way_in(event: Event) -> str:
    entries = event.conference_data.entry_points if event.conference_data else ()
    return event.hangout_link or next((entry.uri for entry in entries if entry.entry_point_type == "video"), "")


# A series


def _cut_out(item: Item, zone: str) -> Iterator[str]:
    """The rules of a series, and its occurrences that were cancelled."""
    if item.master is None or not item.master.recurrence:
        return
    for rule in item.master.recurrence:
        if rule.upper().startswith(_RULES):
            yield _bare(rule)
    home = _zone_name(item.master.start, zone)
    for exception in item.exceptions:
        if exception.is_cancelled and exception.original_start_time is not None:
            yield _at("EXDATE", exception.original_start_time, home)


def _recurrence_id(exception: Event, home: str) -> Iterator[str]:
    if exception.original_start_time is not None:
        yield _at("RECURRENCE-ID", exception.original_start_time, home)


# Times


def _zone_name(moment: Moment | None, zone: str) -> str:
    """The zone that a moment is told in; "" for one that nobody knows, which is then told in UTC."""
    name = (moment.time_zone if moment else None) or zone
    return name if name in _zones() and name != "UTC" else ""


@cache
def _zones() -> set[str]:
    return available_timezones()


def _at(name: str, moment: Moment, zone: str) -> str:
    if moment.date_time is None:
        return f"{name};VALUE=DATE:{_day(moment.day)}"
    at = moment.date_time if moment.date_time.tzinfo is not None else moment.date_time.replace(tzinfo=UTC)
    if not zone:
        return f"{name}:{_utc(at)}"
    return f"{name};TZID={zone}:{at.astimezone(ZoneInfo(zone)):%Y%m%dT%H%M%S}"


def _day(day: date | None) -> str:
    return f"{day or date(1970, 1, 1):%Y%m%d}"


def _utc(moment: datetime) -> str:
    return f"{(moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC):%Y%m%dT%H%M%SZ}"


# Lines


def _text(name: str, words: str) -> str:
    for plain, spelled in _SPELLED:
        words = words.replace(plain, spelled)
    return f"{name}:{_CONTROL.sub('', words)}"


def _bare(value: str) -> str:
    """A value that is no text: on one line, whoever wrote it."""
    return "".join(_CONTROL.sub("", value).split())


def _folded(line: str) -> Iterator[str]:
    """The line in pieces of at most 75 bytes, cut between characters; all but the first begin with a space."""
    piece, held = "", 0
    for character in line:
        size = len(character.encode("utf-8", "replace"))
        if held + size > _LINE_MOST_BYTES:
            yield piece
            piece, held = " ", 1
        piece += character
        held += size
    yield piece
