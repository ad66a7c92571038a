"""Calendar text to events: one object (an event, or a series with its exceptions) and the time one wants to know about.

    text ─► lines ─► components, each with its zones ─► occurrences in the stretch ─► events in UTC

Whatever the text holds, this ends soon and raises nothing: what can't be read is left out, and named.
"""

from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta

from icalendar import Component

from memory.event import Event, EventStatus
from memory.zones import Timeline
from tools.ics.components import Reader, Unreadable
from tools.ics.lines import scan
from tools.ics.people import answer_of, attendees_of, first, organizer_of
from tools.ics.plain import one_line, paragraph
from tools.ics.series import Expanded, Occurrence, expand
from tools.ics.zones import Zones, zone_name

MOST_FAULTS = 20

TITLE_MOST, PLACE_MOST, NOTES_MOST = 300, 300, 8_000

_EARLIEST, _LATEST = datetime(1902, 1, 1, tzinfo=UTC), datetime(2300, 1, 1, tzinfo=UTC)
_LONGEST = timedelta(days=3 * 366)


@dataclass(frozen=True, slots=True)
class Occurrences:
    """The events of one object, by start. `faults`: what was left out or guessed, in words; each event bears them too."""

    events: tuple[Event, ...]
    faults: tuple[str, ...] = ()


def occurrences(
    ics: str, *, calendar: str, ref: str, owner: Timeline, me: frozenset[str], from_at: datetime, to_at: datetime
) -> Occurrences:
    """What `ics` holds between two moments (aware UTC; at most three years). Never raises.

    calendar, ref: as in Event. owner: whose clock times without a zone, or of an unknown one, are read on. me: the owner's
    addresses, lower case; their answer becomes `my_answer`.
    """
    lo = min(max(from_at, _EARLIEST), _LATEST)
    hi = min(max(to_at, lo), lo + _LONGEST)
    reader, components = _components(ics, owner, lo, hi)
    expanded = expand(components, lo, hi) if components else Expanded(())
    events = []
    faults = {**reader.faults, **dict.fromkeys(expanded.faults)}
    for found in expanded.occurrences:
        try:
            event = event_of(found, calendar=calendar, ref=ref, owner=owner, me=me)
        except (OverflowError, ValueError, TypeError):
            faults["a time beyond the calendar"] = None
            continue
        if _touches(event, lo, hi):
            events.append(event)
    known = tuple(faults)[:MOST_FAULTS]
    once = {event.key: replace(event, faults=known) for event in reversed(events)}
    return Occurrences(tuple(sorted(once.values(), key=lambda event: (event.start_at, event.key))), known)


def _components(ics: str, owner: Timeline, lo: datetime, hi: datetime) -> tuple[Reader, list[Component]]:
    """Every event in the text that can be read, and the reader that knows what was wrong with it."""
    scanned = scan(ics)
    home = zone_name(scanned.head.value("X-WR-TIMEZONE"))
    zones = Zones(scanned.zones, owner.zone_at(lo), lo, hi)
    reader = Reader(zones, home, lo.date(), hi.date())
    reader.faults.update(dict.fromkeys(scanned.faults))
    components = []
    for block in scanned.events:
        try:
            components.append(reader.read(block))
        except Unreadable as error:
            reader.faults[str(error)] = None
    if not scanned.events:
        reader.faults["no event in it" if scanned.is_calendar else "no calendar"] = None
    return reader, components


def event_of(found: Occurrence, *, calendar: str, ref: str, owner: Timeline, me: frozenset[str]) -> Event:
    """An occurrence in our words. Raises OverflowError, ValueError or TypeError for times beyond the calendar."""
    component = found.component
    attendees = attendees_of(component)
    is_day = not isinstance(found.start, datetime)
    starts_on, ends_on = _days(found) if is_day else (None, None)
    return Event(
        calendar=calendar,
        ref=ref,
        uid=str(component["UID"]),
        occurrence=_iso(found.planned),
        title=one_line(_text(component, "SUMMARY"), TITLE_MOST),
        place=one_line(_text(component, "LOCATION"), PLACE_MOST),
        notes=paragraph(_text(component, "DESCRIPTION"), NOTES_MOST),
        start_at=_utc(starts_on or found.start, owner),
        end_at=_utc(ends_on or found.end, owner),
        starts_on=starts_on,
        ends_on=ends_on,
        zone=_zone(found.start),
        status=_status(component),
        organizer=organizer_of(component),
        attendees=attendees,
        my_answer=answer_of(attendees, me),
        is_busy=_is_busy(component),
        sequence=found.sequence,
    )


def _days(found: Occurrence) -> tuple[date, date]:
    """First day and the day after the last; an end that is no later than the start means one day."""
    start, end = found.start, found.end.date() if isinstance(found.end, datetime) else found.end
    return start, max(end, start + timedelta(days=1))


def _utc(value: date, owner: Timeline) -> datetime:
    if not isinstance(value, datetime):
        value = datetime.combine(value, datetime.min.time())
    return value.astimezone(UTC) if value.tzinfo else owner.wall_to_utc(value)


def _zone(start: date) -> str:
    return str(getattr(start.tzinfo, "key", "")) if isinstance(start, datetime) and start.tzinfo else ""


def _iso(planned: date | None) -> str:
    """The planned start: a date, a floating wall time, or in UTC, so that it is the same from whatever zone it is named."""
    if isinstance(planned, datetime) and planned.tzinfo:
        planned = planned.astimezone(UTC)
    return planned.isoformat() if planned else ""


def _text(component: Component, name: str) -> str:
    return str(first(component.get(name, "")))


def _status(component: Component) -> EventStatus:
    status = _text(component, "STATUS").strip().upper()
    return "cancelled" if status == "CANCELLED" else "tentative" if status == "TENTATIVE" else "confirmed"


def _is_busy(component: Component) -> bool:
    is_free = _text(component, "X-MICROSOFT-CDO-BUSYSTATUS").strip().upper() == "FREE"
    return not is_free and _text(component, "TRANSP").strip().upper() != "TRANSPARENT"


def _touches(event: Event, lo: datetime, hi: datetime) -> bool:
    return event.start_at < hi and (event.end_at > lo or event.start_at == event.end_at == lo)
