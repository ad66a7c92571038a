"""Calendar text to send: an answer to an invitation, an invitation, a cancellation, a counter-proposal (RFC 5546).

The same value always gives the same bytes: nothing is asked of the machine, and the moment of writing (DTSTAMP) is handed
in. What zones the times are in is defined in the text, as its reader may not know them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from typing import Literal
from zoneinfo import ZoneInfo

from icalendar import Calendar, Timezone, vCalAddress, vRecur, vText
from icalendar import Event as Component

from memory.errors import BadInput
from tools.ics.plain import address, one_line, paragraph
from tools.ics.rule import BadRule, read_rule
from tools.ics.zones import zone_name

PRODUCT = "-//Stillbell//Calendar//EN"
_YEARS_OF_A_SERIES = 10
"""So far ahead the zone of a series is defined; readers that know the zone by its name need none of it."""

Method = Literal["REPLY", "REQUEST", "CANCEL", "COUNTER"]
Said = Literal["accepted", "declined", "tentative"]


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody in a meeting. Raises BadInput for what is no mail address."""

    address: str
    name: str = ""

    def __post_init__(self) -> None:
        """An address that can't be read reaches nobody."""
        if not self.address or address(self.address) != self.address.lower():
            raise BadInput(f"{one_line(self.address, 80)!r} is no mail address")


@dataclass(frozen=True, slots=True, kw_only=True)
class Meeting:
    """The meeting that is written about.

    occurrence: which one of a series, as in memory/event; "" for all of it, or one that stands alone. start_at, end_at:
    aware UTC, or starts_on and ends_on (the end not included) for whole days. zone: the IANA zone it is planned in; "" is
    UTC, which no series should have. rule: an RRULE ("FREQ=WEEKLY;BYDAY=MO").

    Raises BadInput when it has no time, an unknown zone, or a rule that is none.
    """

    uid: str
    organizer: Person
    guests: tuple[Person, ...] = ()
    sequence: int = 0
    occurrence: str = ""
    title: str = ""
    place: str = ""
    notes: str = ""
    start_at: datetime | None = None
    end_at: datetime | None = None
    starts_on: date | None = None
    ends_on: date | None = None
    zone: str = ""
    rule: str = ""

    def __post_init__(self) -> None:
        """What is sent to people has to be whole."""
        has_times = self.start_at is not None and self.end_at is not None and self.start_at <= self.end_at
        has_days = self.starts_on is not None and self.ends_on is not None and self.starts_on < self.ends_on
        if has_times == has_days:
            raise BadInput("a meeting needs a start and an end after it, either as times or as days")
        if self.zone and zone_name(self.zone) != self.zone:
            raise BadInput(f"{one_line(self.zone, 80)!r} is no time zone: write it like Europe/Berlin")
        try:
            if self.rule:
                read_rule(self.rule)
            if self.occurrence:
                _planned(self.occurrence)
        except (BadRule, ValueError) as error:
            raise BadInput(f"this is no series: {one_line(self.rule or self.occurrence, 80)!r}") from error


def reply(meeting: Meeting, *, me: Person, answer: Said, comment: str = "", at: datetime) -> bytes:
    """The owner's answer to the organizer of `meeting`, which is as the invitation has it. `at`: aware, when it is written."""
    event = _event(replace(meeting, guests=(), notes="", rule=""), at, comment)
    event.add("ATTENDEE", _attendee(me, PARTSTAT=answer.upper()))
    return _text("REPLY", event, meeting)


def request(meeting: Meeting, *, comment: str = "", at: datetime) -> bytes:
    """The invitation to every guest; with a higher `sequence`, how the meeting is from now on."""
    event = _event(meeting, at, comment)
    event.add("STATUS", "CONFIRMED")
    for guest in meeting.guests:
        event.add("ATTENDEE", _attendee(guest, PARTSTAT="NEEDS-ACTION", ROLE="REQ-PARTICIPANT", RSVP="TRUE"))
    return _text("REQUEST", event, meeting)


def cancel(meeting: Meeting, *, comment: str = "", at: datetime) -> bytes:
    """The cancellation to every guest; its `sequence` is higher than that of what is cancelled."""
    event = _event(meeting, at, comment)
    event.add("STATUS", "CANCELLED")
    for guest in meeting.guests:
        event.add("ATTENDEE", _attendee(guest))
    return _text("CANCEL", event, meeting)


def counter(meeting: Meeting, *, me: Person, comment: str = "", at: datetime) -> bytes:
    """The owner's proposal to the organizer: the meeting as the owner would have it, with the sequence it was asked with."""
    event = _event(replace(meeting, guests=()), at, comment)
    event.add("ATTENDEE", _attendee(me, PARTSTAT="TENTATIVE"))
    return _text("COUNTER", event, meeting)


def _event(meeting: Meeting, at: datetime, comment: str) -> Component:
    event = Component()
    event.add("UID", meeting.uid)
    event.add("DTSTAMP", at.astimezone(UTC).replace(microsecond=0))
    event.add("SEQUENCE", meeting.sequence)
    event.add("ORGANIZER", _attendee(meeting.organizer))
    event.add("DTSTART", _time(meeting.start_at, meeting.starts_on, meeting.zone))
    event.add("DTEND", _time(meeting.end_at, meeting.ends_on, meeting.zone))
    if meeting.occurrence:
        event.add("RECURRENCE-ID", _in_zone(_planned(meeting.occurrence), meeting.zone))
    if meeting.rule:
        event.add("RRULE", vRecur.from_ical(meeting.rule))
    words = (("SUMMARY", one_line(meeting.title, 500)), ("LOCATION", one_line(meeting.place, 500)))
    longer = (("DESCRIPTION", paragraph(meeting.notes, 20_000)), ("COMMENT", paragraph(comment, 4_000)))
    for name, text in (*words, *longer):
        if text:
            event.add(name, text)
    return event


def _text(method: Method, event: Component, meeting: Meeting) -> bytes:
    whole = Calendar()
    whole.add("PRODID", PRODUCT)
    whole.add("VERSION", "2.0")
    whole.add("METHOD", method)
    for component in (*_zone(meeting), event):
        whole.add_component(component)
    written: bytes = whole.to_ical()
    return written


def _zone(meeting: Meeting) -> Sequence[Timezone]:
    """The definition of the meeting's zone, for its year, or for some years of a series."""
    if not meeting.zone or meeting.zone == "UTC" or meeting.start_at is None:
        return ()
    year = meeting.start_at.year
    last = min(year + (_YEARS_OF_A_SERIES if meeting.rule or meeting.occurrence else 2), 2037)
    return (Timezone.from_tzid(meeting.zone, first_date=date(min(year, last) - 1, 1, 1), last_date=date(last, 1, 1)),)


def _attendee(person: Person, **parameters: str) -> vCalAddress:
    written = vCalAddress(f"mailto:{person.address}")
    name = one_line(person.name, 120)
    if name:
        written.params["CN"] = vText(name)
    for key, value in parameters.items():
        written.params[key] = vText(value)
    return written


def _time(at: datetime | None, on: date | None, zone: str) -> datetime | date | None:
    return _in_zone(at.replace(microsecond=0), zone) if at else on


def _in_zone(time: datetime | date, zone: str) -> datetime | date:
    """The same moment on the zone's clock; a date, or a time that floats, stays what it is."""
    return time.astimezone(ZoneInfo(zone or "UTC")) if isinstance(time, datetime) and time.tzinfo else time


def _planned(occurrence: str) -> datetime | date:
    """The planned start that an occurrence's ISO form names. Raises ValueError."""
    return date.fromisoformat(occurrence) if len(occurrence) == 10 else datetime.fromisoformat(occurrence)
