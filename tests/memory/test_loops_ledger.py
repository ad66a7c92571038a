"""Loops in the ledger: open until closed, with how and why, and what hangs on them goes with them."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from memory.card import Card, Choice
from memory.ledger import Tables
from memory.loop import EVERY_LOOP, Loop, subject
from memory.reminder import subject as reminder_subject
from memory.sql.ledger import SqlLedger
from tests.doubles.clock import NOW
from tests.doubles.spoken import publish

EIGHT, TEN = datetime(2026, 3, 3, 8), datetime(2026, 3, 3, 10)


def opened(tables: Tables, title: str = "Pay the rent", **given: Any) -> Loop:
    return tables.loops.open(owner_id=1, kind="task", title=title, because="said so", now=NOW, **given)


def reminded(tables: Tables, wall: datetime = EIGHT, rule: str | None = None) -> Loop:
    loop = opened(tables)
    tables.reminders.set(owner_id=1, text=loop.title, wall=wall, rule=rule, loop_id=loop.id, because="said so", now=NOW)
    return loop


def active(tables: Tables) -> list[datetime]:
    return [reminder.wall for reminder in tables.reminders.active(1)]


def history(tables: Tables, about: str) -> list[tuple[str, str]]:
    return [(decision.decided, decision.because) for decision in tables.decisions.about(1, about)]


def close(tables: Tables, loop: Loop, **given: Any) -> Loop | None:
    usual = {"state": "done", "because": "paid", "now": NOW}
    return tables.loops.close(loop.id, **(usual | given))


def snooze(tables: Tables, loop: Loop, until: datetime = TEN) -> Loop | None:
    return tables.loops.snooze(loop.id, until_wall=until, because="later", now=NOW)


async def test_an_opened_loop_stands_in_the_list_with_its_reason(ledger: SqlLedger) -> None:
    def work(t: Tables) -> Loop:
        return opened(t, signal_id=publish(t))

    loop = await ledger.write(work)
    assert await ledger.read(lambda t: t.loops.list_open(1)) == [loop]
    assert (loop.state, loop.opened_at, loop.remind_at_wall, loop.snoozed) == ("open", NOW, None, False)
    (decision,) = await ledger.read(lambda t: t.decisions.about(1, subject(loop.id)))
    assert (decision.decided, decision.because, decision.signal_id) == ("opened", "said so", 1)


async def test_the_list_is_in_order_of_opening(ledger: SqlLedger) -> None:
    await ledger.write(lambda t: [opened(t, title) for title in ("c", "a", "b")])
    assert [loop.title for loop in await ledger.read(lambda t: t.loops.list_open(1))] == ["c", "a", "b"]


@pytest.mark.parametrize("state", ["done", "dropped"])
async def test_a_closed_loop_leaves_the_list_with_how_and_why(ledger: SqlLedger, state: str) -> None:
    loop = await ledger.write(opened)
    closed = await ledger.write(lambda t: close(t, loop, state=state, now=NOW + timedelta(hours=1)))
    assert closed is not None
    assert (closed.state, closed.closed_at) == (state, NOW + timedelta(hours=1))
    assert await ledger.read(lambda t: t.loops.list_open(1, with_snoozed=True)) == []
    assert (await ledger.read(lambda t: history(t, subject(loop.id))))[1:] == [(state, "paid")]


async def test_a_loop_is_closed_once(ledger: SqlLedger) -> None:
    loop = await ledger.write(opened)
    await ledger.write(lambda t: close(t, loop))
    assert await ledger.write(lambda t: close(t, loop, state="dropped")) is None
    assert await ledger.write(lambda t: close(t, Loop(**{**_fields(loop), "id": 99}))) is None
    assert len(await ledger.read(lambda t: history(t, subject(loop.id)))) == 2


def _fields(loop: Loop) -> dict[str, Any]:
    return {name: getattr(loop, name) for name in Loop.__dataclass_fields__}


async def test_the_earliest_reminder_is_the_loops_time(ledger: SqlLedger) -> None:
    def twice(t: Tables) -> Loop | None:
        loop = reminded(t, TEN)
        t.reminders.set(owner_id=1, text="x", wall=EIGHT, rule=None, loop_id=loop.id, because="b", now=NOW)
        return t.loops.get(loop.id)

    loop = await ledger.write(twice)
    assert loop is not None
    assert loop.remind_at_wall == EIGHT


async def test_closing_cancels_the_reminder_and_reopening_sets_it_again(ledger: SqlLedger) -> None:
    loop = await ledger.write(reminded)
    await ledger.write(lambda t: close(t, loop))
    assert await ledger.read(active) == []
    reopened = await ledger.write(lambda t: t.loops.reopen(loop.id, because="not paid", now=NOW))
    assert reopened is not None
    assert (reopened.state, reopened.closed_at, reopened.remind_at_wall) == ("open", None, EIGHT)
    assert await ledger.read(active) == [EIGHT]
    assert [decided for decided, _ in await ledger.read(lambda t: history(t, reminder_subject(1)))] == [
        "set",
        "cancelled",
        "set",
    ]


async def test_an_open_loop_can_not_be_reopened(ledger: SqlLedger) -> None:
    loop = await ledger.write(opened)
    assert await ledger.write(lambda t: t.loops.reopen(loop.id, because="b", now=NOW)) is None
    assert await ledger.write(lambda t: t.loops.reopen(99, because="b", now=NOW)) is None


async def test_reopening_brings_back_only_the_reminder_that_fell_with_the_loop(ledger: SqlLedger) -> None:
    def life(t: Tables) -> list[datetime]:
        loop = reminded(t, EIGHT)
        snooze(t, loop, TEN)
        close(t, loop)
        t.loops.reopen(loop.id, because="not paid", now=NOW)
        return active(t)

    assert await ledger.write(life) == [TEN]


async def test_reopening_does_not_bring_back_what_the_owner_cancelled(ledger: SqlLedger) -> None:
    def life(t: Tables) -> list[datetime]:
        loop = reminded(t, EIGHT)
        t.reminders.cancel(1, because="the owner said no", now=NOW)
        close(t, loop)
        t.loops.reopen(loop.id, because="not paid", now=NOW)
        return active(t)

    assert await ledger.write(life) == []


async def test_done_closes_todays_loop_and_not_the_habit(ledger: SqlLedger) -> None:
    loop = await ledger.write(lambda t: reminded(t, rule="FREQ=DAILY"))
    await ledger.write(lambda t: close(t, loop))
    assert await ledger.read(active) == [EIGHT]


async def test_a_snoozed_loop_is_out_of_sight_until_its_time(ledger: SqlLedger) -> None:
    loop = await ledger.write(reminded)
    snoozed = await ledger.write(lambda t: snooze(t, loop))
    assert snoozed is not None
    assert (snoozed.snoozed, snoozed.remind_at_wall) == (True, TEN)
    assert await ledger.read(active) == [TEN]
    assert await ledger.read(lambda t: t.loops.list_open(1)) == []
    assert await ledger.read(lambda t: t.loops.list_open(1, with_snoozed=True)) == [snoozed]
    await ledger.write(lambda t: t.loops.wake(loop.id))
    assert len(await ledger.read(lambda t: t.loops.list_open(1))) == 1


async def test_a_snooze_leaves_the_rule_alone(ledger: SqlLedger) -> None:
    loop = await ledger.write(lambda t: reminded(t, rule="FREQ=DAILY"))
    await ledger.write(lambda t: snooze(t, loop))
    assert await ledger.read(active) == [EIGHT, TEN]


async def test_taking_a_snooze_back_brings_back_the_reminder_before_it_step_by_step(ledger: SqlLedger) -> None:
    def life(t: Tables) -> list[list[datetime]]:
        loop = reminded(t, EIGHT)
        seen = []
        for until in (TEN, TEN + timedelta(days=1)):
            snooze(t, loop, until)
        for _ in range(3):
            t.loops.unsnooze(loop.id, because="undone", now=NOW)
            seen.append(active(t))
        return seen

    assert await ledger.write(life) == [[TEN], [EIGHT], []]


async def test_a_closed_loop_can_be_neither_snoozed_nor_woken_from_it(ledger: SqlLedger) -> None:
    loop = await ledger.write(opened)
    await ledger.write(lambda t: close(t, loop))
    assert await ledger.write(lambda t: snooze(t, loop)) is None
    assert await ledger.write(lambda t: t.loops.unsnooze(loop.id, because="b", now=NOW)) is None
    assert await ledger.read(active) == []


async def test_closing_a_snoozed_loop_ends_the_snooze(ledger: SqlLedger) -> None:
    def life(t: Tables) -> Loop | None:
        loop = opened(t)
        snooze(t, loop)
        close(t, loop)
        return t.loops.reopen(loop.id, because="b", now=NOW)

    reopened = await ledger.write(life)
    assert reopened is not None
    assert not reopened.snoozed


CHANGES = {
    "close": close,
    "snooze": snooze,
    "unsnooze": lambda t, loop: t.loops.unsnooze(loop.id, because="b", now=NOW),
    "open another": lambda t, loop: opened(t, "another"),
}


@pytest.mark.parametrize("change", CHANGES)
async def test_every_change_makes_the_list_of_what_is_open_stale(ledger: SqlLedger, change: str) -> None:
    def life(t: Tables) -> tuple[str, str]:
        loop = opened(t)
        ids = []
        for about in (EVERY_LOOP, subject(loop.id)):
            card = Card(kind="k", subject=about, text="?", choices=(Choice("done", "Done"),), because="asked")
            ids.append(t.cards.put(card, owner_id=1, now=NOW).id)
        CHANGES[change](t, loop)
        listed, own = (t.cards.get(card_id) for card_id in ids)
        assert listed is not None
        assert own is not None
        return listed.state, own.state

    own = "open" if change == "open another" else "stale"
    assert await ledger.write(life) == ("stale", own)


async def test_a_change_and_its_reason_stand_or_fall_together(ledger: SqlLedger) -> None:
    def fails(t: Tables) -> None:
        opened(t)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await ledger.write(fails)
    assert await ledger.read(lambda t: (t.loops.list_open(1), t.decisions.latest(1, 10))) == ([], [])
