"""Events for tests of pure judgement."""

from datetime import UTC, date, datetime, timedelta
from typing import Any

from memory.event import Event
from memory.zones import Timeline


def an_event(uid: str, start_at: datetime, minutes: float = 60, **given: Any) -> Event:
    """An event of that many minutes, called as its uid in capitals unless told otherwise."""
    usual: dict[str, Any] = {
        "calendar": "work",
        "ref": f"{uid}.ics",
        "title": uid.title(),
        "start_at": start_at,
        "end_at": start_at + timedelta(minutes=minutes),
    }
    return Event(uid=uid, **(usual | given))


def a_day(uid: str, starts_on: date, zones: Timeline, *, days: int = 1, **given: Any) -> Event:
    """An event of whole days, from midnight to midnight of the owner's."""
    ends_on = starts_on + timedelta(days=days)
    start_at, end_at = (zones.wall_to_utc(datetime.combine(on, datetime.min.time())) for on in (starts_on, ends_on))
    return an_event(uid, start_at, end_at=end_at, starts_on=starts_on, ends_on=ends_on, **given)


def utc(month: int, day: int, hour: int = 0, minute: int = 0) -> datetime:
    """A moment of the year 2026."""
    return datetime(2026, month, day, hour, minute, tzinfo=UTC)
