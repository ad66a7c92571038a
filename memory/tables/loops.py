"""Where what is open is kept, what is to be said at a time, and what landed.

Every datetime is aware UTC unless it is called `wall`. What else may be raised stands in memory/ledger.
"""

from collections.abc import Collection
from datetime import datetime
from typing import Literal, Protocol

from memory.loop import Kind, Loop
from memory.notice import Notice
from memory.quiet import Urgency
from memory.reminder import Reminder


class Loops(Protocol):
    """What is open."""

    def open(
        self, *, owner_id: int, kind: Kind, title: str, because: str, now: datetime, signal_id: int | None = None
    ) -> Loop:
        """A new loop, with its decision row."""
        ...

    def close(
        self,
        loop_id: int,
        *,
        state: Literal["done", "dropped"],
        because: str,
        now: datetime,
        signal_id: int | None = None,
    ) -> Loop | None:
        """Close it, cancel its reminders, outdate its cards; None when it was not open."""
        ...

    def reopen(self, loop_id: int, *, because: str, now: datetime, signal_id: int | None = None) -> Loop | None:
        """Open it again, with the reminder it had; None when it is open."""
        ...

    def snooze(
        self,
        loop_id: int,
        *,
        until_wall: datetime,
        because: str,
        now: datetime,
        signal_id: int | None = None,
        exact_at: datetime | None = None,
    ) -> Loop | None:
        """Out of sight until the wall time, when a reminder brings it back; None when it is not open."""
        ...

    def unsnooze(self, loop_id: int, *, because: str, now: datetime, signal_id: int | None = None) -> Loop | None:
        """Back in sight, the snooze's reminder cancelled and the one before it set again; None when it is not open."""
        ...

    def wake(self, loop_id: int) -> None:
        """In sight again."""
        ...

    def get(self, loop_id: int) -> Loop | None:
        """One loop, or None."""
        ...

    def list_open(self, owner_id: int, *, with_snoozed: bool = False) -> list[Loop]:
        """The open loops, oldest first: the order in which "the first" counts."""
        ...


class Reminders(Protocol):
    """What is to be said at a wall time."""

    def set(
        self,
        *,
        owner_id: int,
        text: str,
        wall: datetime,
        rule: str | None,
        loop_id: int | None,
        because: str,
        now: datetime,
        signal_id: int | None = None,
        exact_at: datetime | None = None,
    ) -> Reminder:
        """A new reminder, with its decision row."""
        ...

    def get(self, reminder_id: int) -> Reminder | None:
        """One reminder, or None."""
        ...

    def active(self, owner_id: int) -> list[Reminder]:
        """Every reminder that will fire, soonest wall time first."""
        ...

    def advance(self, reminder_id: int, *, wall: datetime | None, loop_id: int | None = None) -> None:
        """After a firing: the next wall time, or None when it was the last."""
        ...

    def cancel(self, reminder_id: int, *, because: str, now: datetime, signal_id: int | None = None) -> bool:
        """It will not fire; False when it was not set."""
        ...

    def restore(self, reminder_id: int, *, because: str, now: datetime, signal_id: int | None = None) -> bool:
        """A cancelled reminder is set again."""
        ...


class Notices(Protocol):
    """What landed and may be worth a line."""

    def hold(
        self,
        *,
        owner_id: int,
        source: str,
        summary: str,
        urgency: Urgency,
        because: str,
        deliver_after_at: datetime,
        now: datetime,
        signal_id: int | None = None,
    ) -> Notice | None:
        """Keep it; None when this signal has a notice already."""
        ...

    def due(self, owner_id: int, now: datetime) -> list[Notice]:
        """Not yet told and no longer held, oldest first."""
        ...

    def held(self, owner_id: int, now: datetime) -> list[Notice]:
        """Not yet told and still held."""
        ...

    def get(self, notice_id: int) -> Notice | None:
        """One notice, or None."""
        ...

    def told_since(self, owner_id: int, prefix: str, since: datetime) -> int:
        """How many were told at or after `since` in a piece whose key begins so."""
        ...

    def told(self, notice_ids: Collection[int], *, key: str, now: datetime) -> None:
        """These stand in the piece `key` and never again in another."""
        ...
