"""The calendar part of a mail (text/calendar), read as an invitation."""

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, get_args

from icalendar import Component
from recurring_ical_events.adapters.event import EventAdapter

from memory.invitation import Invitation, Method
from memory.when.recurrence import INTERVAL_AT_MOST, Recurrence
from memory.zones import Timeline
from tools.ics.components import Reader, Unreadable, time_of
from tools.ics.lines import Block, Scanned, scan
from tools.ics.people import attendees_of, first, organizer_of, parameter
from tools.ics.plain import address, paragraph
from tools.ics.reading import MOST_FAULTS, event_of
from tools.ics.rule import BadRule, Rule, read_rule
from tools.ics.series import Occurrence
from tools.ics.zones import Zones, zone_name

COMMENT_MOST = 2_000

_METHODS: Mapping[str, Method] = {name.upper(): name for name in get_args(Method)}
_DAY = re.compile(r"\d{8}(?!\d)")
_SOME_DAY = datetime(2026, 1, 1, tzinfo=UTC)


def read_invitation(ics: str, *, owner: Timeline) -> Invitation | None:
    """What a text/calendar part says, None when it is no invitation. Never raises.

    owner: whose clock times without a zone are read on. Of a series with exceptions the series itself is read.
    """
    scanned = scan(ics)
    method = _METHODS.get(scanned.head.value("METHOD").upper())
    block = _main(scanned.events)
    if method is None or block is None:
        return None
    reader = _reader(scanned, block, owner)
    try:
        return _invitation(method, reader.read(block, needs_start=method != "cancel"), reader, owner)
    except (Unreadable, OverflowError, ValueError, TypeError):
        # The last three are times at the ends of the calendar.
        return None


def _main(events: Sequence[Block]) -> Block | None:
    """The series before its exceptions."""
    return next((event for event in events if not event.value("RECURRENCE-ID")), events[0] if events else None)


def _reader(scanned: Scanned, block: Block, owner: Timeline) -> Reader:
    """A reader whose zones are worked out for the time around the event's start."""
    found = _DAY.search(block.value("DTSTART"))
    try:
        day = datetime.strptime(found[0], "%Y%m%d").replace(tzinfo=UTC) if found else _SOME_DAY
        lo, hi = day - timedelta(days=2), day + timedelta(days=400)
    except (ValueError, OverflowError):
        lo, hi = _SOME_DAY, _SOME_DAY + timedelta(days=400)
    zones = Zones(scanned.zones, owner.zone_at(lo), lo, hi)
    reader = Reader(zones, zone_name(scanned.head.value("X-WR-TIMEZONE")), lo.date(), hi.date())
    reader.faults.update(dict.fromkeys(scanned.faults))
    return reader


def _invitation(method: Method, component: Component, reader: Reader, owner: Timeline) -> Invitation:
    start = time_of(component, "DTSTART")
    event = event_of(_whole(component), calendar="", ref="", owner=owner, me=frozenset())
    has_time = start is not None
    return Invitation(
        method=method,
        uid=event.uid,
        occurrence=event.occurrence,
        sequence=event.sequence,
        title=event.title,
        place=event.place,
        notes=event.notes,
        comment=paragraph(str(first(component.get("COMMENT", ""))), COMMENT_MOST),
        start_at=event.start_at if has_time else None,
        end_at=event.end_at if has_time else None,
        starts_on=event.starts_on,
        ends_on=event.ends_on,
        zone=event.zone if has_time else "",
        repeats="RRULE" in component or "RDATE" in component,
        recurrence=_recurrence(component, start) if start else None,
        organizer=organizer_of(component),
        sent_by=address(parameter(first(component.get("ORGANIZER")), "SENT-BY")),
        attendees=attendees_of(component),
        faults=tuple(reader.faults)[:MOST_FAULTS],
    )


def _whole(component: Component) -> Occurrence:
    """The event, or the first time of the series; a cancellation may come without a time and is then put anywhere."""
    has_time = "DTSTART" in component
    start, end = EventAdapter(component).span if has_time else (_SOME_DAY, _SOME_DAY)
    sequence: Any = component.get("SEQUENCE", 0)
    return Occurrence(
        component=component,
        planned=time_of(component, "RECURRENCE-ID"),
        start=start,
        end=end,
        sequence=max(0, int(sequence)),
    )


def _recurrence(component: Component, start: date | datetime) -> Recurrence | None:
    """The rule, if there is one and our own words can say it: no weeks or days of the year, nothing below an hour."""
    rules: Any = component.get("RRULE")
    if rules is None or isinstance(rules, list):
        return None
    try:
        rule = read_rule(rules.to_ical().decode())
    except BadRule:
        return None
    wall = start.replace(tzinfo=None) if isinstance(start, datetime) else datetime.combine(start, time())
    return _sayable(rule, wall, is_day=not isinstance(start, datetime))


def _sayable(rule: Rule, wall: datetime, *, is_day: bool) -> Recurrence | None:
    is_odd = (
        rule.week_numbers or rule.year_days or rule.hours or rule.minutes or rule.seconds or len(rule.positions) > 1
    )
    if rule.frequency == "SECONDLY" or is_odd or rule.interval > INTERVAL_AT_MOST:
        return None
    days = rule.days or (((0, wall.weekday()),) if rule.frequency == "WEEKLY" else ())
    return Recurrence(
        frequency=rule.frequency,
        interval=rule.interval,
        days=days,
        month_days=tuple(sorted(rule.month_days)),
        months=tuple(sorted(rule.months)),
        position=rule.positions[0] if rule.positions else 0,
        at=None if is_day or rule.frequency in ("HOURLY", "MINUTELY") else wall.time().replace(second=0),
        since=wall.replace(second=0),
        until=_last_day(rule),
    )


def _last_day(rule: Rule) -> date | None:
    return rule.until.date() if isinstance(rule.until, datetime) else rule.until
