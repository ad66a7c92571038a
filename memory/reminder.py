"""A reminder: a loop's or the owner's own wish to be told something at a wall time."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from memory.zones import Timeline

State = Literal["set", "fired", "cancelled"]

LATE_AFTER_FOR = timedelta(minutes=2)
"""From this delay on a firing says that it is late."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reminder:
    """`wall` is the next (or only) firing, naive, in whatever zone is in force then: what was set for 8 stays at 8.

    `exact_at` is set for "in 20 minutes": such a one keeps its instant wherever the owner goes. `rule` is a recurrence in text (memory.when.recurrence) or None. `loop_id` is the loop it reminds of.
    """

    id: int
    owner_id: int
    text: str
    wall: datetime
    state: State
    created_at: datetime
    rule: str | None = None
    loop_id: int | None = None
    exact_at: datetime | None = None

    def due_at(self, zones: Timeline) -> datetime:
        """The instant at which it fires, as things stand."""
        return self.exact_at or zones.wall_to_utc(self.wall)


def subject(reminder_id: int) -> str:
    """How decisions and cards name a reminder."""
    return f"reminder:{reminder_id}"
