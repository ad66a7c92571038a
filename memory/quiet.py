"""Quiet hours: when something may be said."""

from dataclasses import dataclass
from datetime import datetime, time, timedelta
from typing import Literal

from memory.owner import Owner

Urgency = Literal["now", "soon", "hold"]
"""`now` breaks quiet hours; `soon` waits for their end; `hold` waits for the next morning brief."""


@dataclass(frozen=True, slots=True)
class Delivery:
    """When a notice goes out. `at` is None for at once."""

    at: datetime | None
    because: str


def is_quiet(owner: Owner, now: datetime) -> bool:
    """Whether `now` lies in the owner's quiet hours. Equal ends mean that there are none."""
    wall = owner.zones.wall_at(now).time()
    start, end = owner.quiet_from, owner.quiet_to
    if start <= end:
        return start <= wall < end
    return wall >= start or wall < end


def delivery(owner: Owner, urgency: Urgency, now: datetime) -> Delivery:
    """When something of this urgency is said to `owner`."""
    if urgency == "now":
        return Delivery(None, "urgent: quiet hours don't hold it")
    if urgency == "soon":
        if not is_quiet(owner, now):
            return Delivery(None, "outside quiet hours")
        return Delivery(next_at(owner, owner.quiet_to, now), "held until quiet hours end")
    return Delivery(next_at(owner, owner.brief_at, now), "held for the morning brief")


def next_at(owner: Owner, wall_time: time, now: datetime) -> datetime:
    """The next instant after `now` at which the owner's clock on the wall shows `wall_time`."""
    today = owner.zones.wall_at(now).date()
    for days in (0, 1, 2):
        at = owner.zones.wall_to_utc(datetime.combine(today + timedelta(days=days), wall_time))
        if at > now:
            return at
    raise AssertionError("a wall time comes round within two days")
