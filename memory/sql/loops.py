"""Loops and reminders. Every change of state leaves a decision row beside it."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Literal

from sqlalchemy import Connection, select, update

from memory.loop import EVERY_LOOP, Kind, Loop, subject
from memory.reminder import Reminder
from memory.reminder import subject as reminder_subject
from memory.sql.cards import SqlCards
from memory.sql.decisions import SqlDecisions
from memory.sql.rows import put
from memory.sql.schema import loops, reminders

SNOOZED = "snoozed"
"""Why a snooze cancels the reminder before it, and why it sets its own."""


def _closed(state: str) -> str:
    """Why a reminder is cancelled with its loop."""
    return f"its loop is {state}"


class SqlReminders:
    """See memory.ledger.Reminders."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._decisions = SqlDecisions(connection)

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
        values: dict[str, Any] = {
            "owner_id": owner_id,
            "text": text,
            "wall": wall,
            "exact_at": exact_at,
            "rule": rule,
            "loop_id": loop_id,
            "state": "set",
            "created_at": now,
        }
        new_id = put(self._connection, reminders, values)
        reminder = Reminder(id=new_id, **values)
        self._decide(reminder, "set", because, now, signal_id)
        return reminder

    def _decide(self, reminder: Reminder, decided: str, because: str, now: datetime, signal_id: int | None) -> None:
        self._decisions.record(
            owner_id=reminder.owner_id,
            subject=reminder_subject(reminder.id),
            decided=decided,
            because=because,
            now=now,
            signal_id=signal_id,
        )

    def get(self, reminder_id: int) -> Reminder | None:
        return next(iter(self._where(reminders.c.id == reminder_id)), None)

    def active(self, owner_id: int) -> list[Reminder]:
        return self._where((reminders.c.owner_id == owner_id) & (reminders.c.state == "set"))

    def of_loop(self, loop_id: int) -> list[Reminder]:
        return self._where(reminders.c.loop_id == loop_id)

    def _where(self, condition: Any) -> list[Reminder]:
        rows = self._connection.execute(select(reminders).where(condition).order_by(reminders.c.wall, reminders.c.id))
        return [Reminder(**row) for row in rows.mappings()]

    def advance(self, reminder_id: int, *, wall: datetime | None, loop_id: int | None = None) -> None:
        values: dict[str, Any] = {"state": "fired"} if wall is None else {"wall": wall, "exact_at": None}
        if loop_id is not None:
            values["loop_id"] = loop_id
        self._connection.execute(update(reminders).where(reminders.c.id == reminder_id).values(**values))

    def cancel(self, reminder_id: int, *, because: str, now: datetime, signal_id: int | None = None) -> bool:
        return self._turn(reminder_id, "set", "cancelled", because=because, now=now, signal_id=signal_id)

    def restore(self, reminder_id: int, *, because: str, now: datetime, signal_id: int | None = None) -> bool:
        return self._turn(reminder_id, "cancelled", "set", because=because, now=now, signal_id=signal_id)

    def _turn(
        self, reminder_id: int, before: str, after: str, *, because: str, now: datetime, signal_id: int | None
    ) -> bool:
        changed = self._connection.execute(
            update(reminders).where(reminders.c.id == reminder_id, reminders.c.state == before).values(state=after)
        )
        reminder = self.get(reminder_id)
        if changed.rowcount != 1 or reminder is None:
            return False
        self._decide(reminder, after, because, now, signal_id)
        return True


class SqlLoops:
    """See memory.ledger.Loops."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._decisions = SqlDecisions(connection)
        self._reminders = SqlReminders(connection)

    def open(
        self, *, owner_id: int, kind: Kind, title: str, because: str, now: datetime, signal_id: int | None = None
    ) -> Loop:
        values: dict[str, Any] = {
            "owner_id": owner_id,
            "kind": kind,
            "title": title,
            "state": "open",
            "snoozed": False,
            "because": because,
            "opened_at": now,
        }
        loop = Loop(id=put(self._connection, loops, values), **values)
        self._record(loop, "opened", because, now, signal_id)
        return loop

    def close(
        self,
        loop_id: int,
        *,
        state: Literal["done", "dropped"],
        because: str,
        now: datetime,
        signal_id: int | None = None,
    ) -> Loop | None:
        if not self._change(loop_id, "open", state=state, closed_at=now, snoozed=False):
            return None
        # A rule goes on: done closes today's loop, not the habit.
        for reminder in self._reminders.of_loop(loop_id):
            if reminder.rule is None:
                self._reminders.cancel(reminder.id, because=_closed(state), now=now, signal_id=signal_id)
        return self._decided(loop_id, state, because, now, signal_id)

    def reopen(self, loop_id: int, *, because: str, now: datetime, signal_id: int | None = None) -> Loop | None:
        before = self.get(loop_id)
        if before is None or before.state == "open":
            return None
        self._change(loop_id, before.state, state="open", closed_at=None)
        for reminder in self._fallen(before, _closed(before.state)):
            self._reminders.restore(reminder.id, because="its loop is open again", now=now, signal_id=signal_id)
        return self._decided(loop_id, "reopened", because, now, signal_id)

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
        loop = self.get(loop_id)
        if loop is None or not self._change(loop_id, "open", snoozed=True):
            return None
        for reminder in self._reminders.of_loop(loop_id):
            if reminder.rule is None:
                self._reminders.cancel(reminder.id, because=SNOOZED, now=now, signal_id=signal_id)
        self._reminders.set(
            owner_id=loop.owner_id,
            text=loop.title,
            wall=until_wall,
            rule=None,
            loop_id=loop_id,
            because=SNOOZED,
            now=now,
            signal_id=signal_id,
            exact_at=exact_at,
        )
        return self._decided(loop_id, "snoozed", because, now, signal_id)

    def unsnooze(self, loop_id: int, *, because: str, now: datetime, signal_id: int | None = None) -> Loop | None:
        loop = self.get(loop_id)
        if loop is None or not self._change(loop_id, "open", snoozed=False):
            return None
        before = self._fallen(loop, SNOOZED)
        for reminder in self._reminders.of_loop(loop_id):
            if reminder.rule is None:
                self._reminders.cancel(reminder.id, because=because, now=now, signal_id=signal_id)
        for reminder in before[-1:]:
            self._reminders.restore(reminder.id, because=because, now=now, signal_id=signal_id)
        return self._decided(loop_id, "reopened", because, now, signal_id)

    def _fallen(self, loop: Loop, because: str) -> list[Reminder]:
        """The loop's reminders that were cancelled for this reason and no other since, in the order they were set."""

        def last_reason(reminder: Reminder) -> str:
            return self._decisions.about(loop.owner_id, reminder_subject(reminder.id))[-1].because

        cancelled = [one for one in self._reminders.of_loop(loop.id) if one.state == "cancelled"]
        return sorted((one for one in cancelled if last_reason(one) == because), key=lambda one: one.id)

    def wake(self, loop_id: int) -> None:
        self._connection.execute(update(loops).where(loops.c.id == loop_id).values(snoozed=False))

    def _change(self, loop_id: int, before: str, **values: Any) -> bool:
        return (
            self._connection.execute(
                update(loops).where(loops.c.id == loop_id, loops.c.state == before).values(**values)
            ).rowcount
            == 1
        )

    def _decided(self, loop_id: int, decided: str, because: str, now: datetime, signal_id: int | None) -> Loop:
        loop = self._where(loops.c.id == loop_id)[0]
        self._record(loop, decided, because, now, signal_id)
        return loop

    def _record(self, loop: Loop, decided: str, because: str, now: datetime, signal_id: int | None) -> None:
        """The decision, and every card that showed the loop as it was is stale."""
        SqlCards(self._connection).outdate(subject(loop.id), EVERY_LOOP, owner_id=loop.owner_id, now=now)
        self._decisions.record(
            owner_id=loop.owner_id,
            subject=subject(loop.id),
            decided=decided,
            because=because,
            now=now,
            signal_id=signal_id,
        )

    def get(self, loop_id: int) -> Loop | None:
        return next(iter(self._where(loops.c.id == loop_id)), None)

    def list_open(self, owner_id: int, *, with_snoozed: bool = False) -> list[Loop]:
        condition = (loops.c.owner_id == owner_id) & (loops.c.state == "open")
        return self._where(condition if with_snoozed else condition & loops.c.snoozed.is_(False))

    def _where(self, condition: Any) -> list[Loop]:
        rows = self._connection.execute(select(loops).where(condition).order_by(loops.c.id)).mappings().all()
        walls = self._next_walls([row["id"] for row in rows])
        return [Loop(remind_at_wall=walls.get(row["id"]), **row) for row in rows]

    def _next_walls(self, loop_ids: Sequence[int]) -> dict[int, datetime]:
        if not loop_ids:
            return {}
        rows = self._connection.execute(
            select(reminders.c.loop_id, reminders.c.wall)
            .where(reminders.c.loop_id.in_(loop_ids), reminders.c.state == "set")
            .order_by(reminders.c.wall.desc())
        )
        return dict(rows.all())
