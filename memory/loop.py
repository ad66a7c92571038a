"""An open loop: something owed by or to the owner, open until it is closed, with how and why."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from memory.legible import legible

Kind = Literal["reply", "task", "waiting", "promise", "approval"]
State = Literal["open", "done", "dropped"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Loop:
    """One loop. `remind_at_wall` is naive wall time in whatever zone is then in force; None when nothing is set."""

    id: int
    owner_id: int
    kind: Kind
    title: str
    state: State
    opened_at: datetime
    because: str
    closed_at: datetime | None = None
    remind_at_wall: datetime | None = None
    snoozed: bool = False


TITLE_MAX = 200
"""So many characters a title has at most: a line on a phone, and no story."""


def title_of(words: str) -> str:
    """The title of a loop, or the text of a reminder, from what somebody wrote: one line, of no more than TITLE_MAX."""
    flat = " ".join(legible(words).split())
    return flat if len(flat) <= TITLE_MAX else f"{flat[: TITLE_MAX - 1].rstrip()}…"


EVERY_LOOP = "loops"
"""The subject of a card that lists what is open: any change of a loop makes it stale."""


def subject(loop_id: int) -> str:
    """How decisions and cards name a loop."""
    return f"loop:{loop_id}"


def is_listed(loop: Loop) -> bool:
    """Whether the loop stands in a list of what is open: a snoozed one is out of sight until it comes round."""
    return loop.state == "open" and not loop.snoozed
