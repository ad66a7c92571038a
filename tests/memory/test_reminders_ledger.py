"""Reminders in the ledger: set, fired, cancelled, each with its row of history."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from memory.ledger import Tables
from memory.reminder import Reminder, subject
from memory.sql.ledger import SqlLedger
from memory.zones import Stay, Timeline
from tests.doubles.clock import NOW

EIGHT = datetime(2026, 3, 3, 8)


def remind(tables: Tables, wall: datetime = EIGHT, **given: Any) -> Reminder:
    usual: dict[str, Any] = {"owner_id": 1, "text": "milk", "rule": None, "loop_id": None, "because": "b", "now": NOW}
    return tables.reminders.set(wall=wall, **(usual | given))


async def test_what_was_set_is_kept_as_wall_time(ledger: SqlLedger) -> None:
    reminder = await ledger.write(lambda t: remind(t, rule="FREQ=DAILY", exact_at=NOW + timedelta(minutes=20)))
    kept = await ledger.read(lambda t: t.reminders.get(reminder.id))
    assert kept == reminder
    assert kept is not None
    assert (kept.wall, kept.wall.tzinfo, kept.exact_at) == (EIGHT, None, NOW + timedelta(minutes=20))


async def test_an_aware_time_where_wall_time_is_meant_is_a_bug(ledger: SqlLedger) -> None:
    with pytest.raises(Exception, match="wall time is meant"):
        await ledger.write(lambda t: remind(t, NOW))


async def test_a_naive_time_where_an_instant_is_meant_is_a_bug(ledger: SqlLedger) -> None:
    with pytest.raises(Exception, match="aware one is needed"):
        await ledger.write(lambda t: remind(t, exact_at=EIGHT))


async def test_the_soonest_comes_first_and_only_what_will_fire(ledger: SqlLedger) -> None:
    def several(t: Tables) -> None:
        late, soon, fired, cancelled = (remind(t, EIGHT + timedelta(hours=n)) for n in (3, 0, 1, 2))
        assert late.id < soon.id
        t.reminders.advance(fired.id, wall=None)
        t.reminders.cancel(cancelled.id, because="b", now=NOW)

    await ledger.write(several)
    assert [r.wall.hour for r in await ledger.read(lambda t: t.reminders.active(1))] == [8, 11]


async def test_a_firing_moves_a_rule_on_and_ends_a_single_one(ledger: SqlLedger) -> None:
    def fire(t: Tables) -> tuple[Reminder | None, Reminder | None]:
        habit, once = remind(t, rule="FREQ=DAILY", exact_at=NOW), remind(t)
        t.reminders.advance(habit.id, wall=EIGHT + timedelta(days=1))
        t.reminders.advance(once.id, wall=None)
        return t.reminders.get(habit.id), t.reminders.get(once.id)

    habit, once = await ledger.write(fire)
    assert habit is not None
    assert once is not None
    assert (habit.state, habit.wall, habit.exact_at) == ("set", EIGHT + timedelta(days=1), None)
    assert once.state == "fired"


async def test_a_firing_can_tie_the_reminder_to_todays_loop(ledger: SqlLedger) -> None:
    def fire(t: Tables) -> Reminder | None:
        loop = t.loops.open(owner_id=1, kind="task", title="x", because="b", now=NOW)
        reminder = remind(t, rule="FREQ=DAILY")
        t.reminders.advance(reminder.id, wall=EIGHT, loop_id=loop.id)
        t.reminders.advance(reminder.id, wall=EIGHT)
        return t.reminders.get(reminder.id)

    reminder = await ledger.write(fire)
    assert reminder is not None
    assert reminder.loop_id == 1


async def test_a_reminder_is_cancelled_once_and_can_be_set_again(ledger: SqlLedger) -> None:
    def life(t: Tables) -> list[bool]:
        reminder = remind(t)
        steps = (t.reminders.cancel, t.reminders.cancel, t.reminders.restore, t.reminders.restore)
        return [step(reminder.id, because="said so", now=NOW) for step in steps]

    assert await ledger.write(life) == [True, False, True, False]
    decisions = await ledger.read(lambda t: t.decisions.about(1, subject(1)))
    assert [decision.decided for decision in decisions] == ["set", "cancelled", "set"]


async def test_a_fired_reminder_is_past_cancelling(ledger: SqlLedger) -> None:
    def life(t: Tables) -> list[bool]:
        reminder = remind(t)
        t.reminders.advance(reminder.id, wall=None)
        return [
            t.reminders.cancel(reminder.id, because="b", now=NOW),
            t.reminders.restore(reminder.id, because="b", now=NOW),
        ]

    assert await ledger.write(life) == [False, False]
    assert await ledger.write(lambda t: t.reminders.cancel(99, because="b", now=NOW)) is False


def test_a_reminder_fires_at_its_wall_time_wherever_the_owner_is_and_an_exact_one_at_its_instant() -> None:
    berlin = Timeline((Stay(NOW, "Europe/Berlin"),))
    moved = Timeline((Stay(NOW, "America/New_York"),))
    usual = {"id": 1, "owner_id": 1, "text": "x", "wall": EIGHT, "state": "set", "created_at": NOW}
    walled, exact = Reminder(**usual), Reminder(**usual, exact_at=NOW + timedelta(minutes=20))
    assert walled.due_at(moved) - walled.due_at(berlin) == timedelta(hours=6)
    assert exact.due_at(moved) == exact.due_at(berlin) == NOW + timedelta(minutes=20)
