"""A reminder: a loop's or the owner's own wish to be told something at a wall time."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

State = Literal["set", "fired", "cancelled"]

LATE_AFTER_FOR = timedelta(minutes=2)
"""From this delay on a firing says that it is late."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reminder:
    """`wall` is the next (or only) firing, naive, in whatever zone is in force then: what was set for 8 stays at 8.

    `rule` is a recurrence in text (memory.when.recurrence) or None. `loop_id` is the loop it reminds of.
    """

    id: int
    owner_id: int
    text: str
    wall: datetime
    state: State
    created_at: datetime
    rule: str | None = None
    loop_id: int | None = None


def subject(reminder_id: int) -> str:
    """How decisions and cards name a reminder."""
    return f"reminder:{reminder_id}"
