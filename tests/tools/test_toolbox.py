"""The first tools, in the ledger: what they did stands in rows, and nonsense is answered with what to do."""

import json
from datetime import datetime, timedelta
from typing import Any

import pytest

from memory.clock import SystemClock
from memory.ledger import Tables
from memory.sql.ledger import SqlLedger
from tests.doubles.clock import NOW
from tests.doubles.spoken import hear
from tools.gate import Caller, Gate
from tools.model import ToolCall
from tools.toolbox import Toolbox

CALLER = Caller(agent="thinker", owner_id=1, turn_id=None, signal_id=None)
YESTERDAY = (datetime.now() - timedelta(days=1)).isoformat(timespec="minutes")
TOMORROW = (datetime.now() + timedelta(days=1)).isoformat(timespec="minutes")


async def call(ledger: SqlLedger, name: str, **arguments: Any) -> dict[str, Any]:
    gate = Gate(Toolbox(ledger, SystemClock()).tools(), ledger, SystemClock())
    found: dict[str, Any] = json.loads((await gate.attempt(CALLER).call(ToolCall("1", name, arguments))).content)
    return found


async def test_a_loop_is_opened_listed_and_closed(ledger: SqlLedger) -> None:
    opened = await call(ledger, "loop_open", title="send the offer")
    assert opened["opened"]["title"] == "send the offer"
    assert [loop["title"] for loop in (await call(ledger, "loops_list"))["loops"]] == ["send the offer"]
    assert (await call(ledger, "loop_close", loop_id=opened["opened"]["id"]))["done"]["state"] == "done"
    assert (await call(ledger, "loops_list"))["loops"] == []


async def test_a_loop_that_is_closed_or_not_there_is_no_success(ledger: SqlLedger) -> None:
    loop_id = (await call(ledger, "loop_open", title="x"))["opened"]["id"]
    await call(ledger, "loop_close", loop_id=loop_id)
    assert "already" in (await call(ledger, "loop_close", loop_id=loop_id))["error"]
    assert "no loop" in (await call(ledger, "loop_close", loop_id=999))["error"]


async def test_a_reminder_is_set_and_cancelled(ledger: SqlLedger) -> None:
    made = (await call(ledger, "reminder_set", text="call Anna", wall=TOMORROW))["set"]
    (reminder,) = await ledger.read(lambda t: t.reminders.active(1))
    assert (reminder.id, reminder.text, reminder.loop_id) == (made["reminder_id"], "call Anna", made["loop_id"])
    assert await call(ledger, "reminder_cancel", reminder_id=reminder.id) == {"cancelled": True}
    assert await ledger.read(lambda t: t.reminders.active(1)) == []


@pytest.mark.parametrize(
    ("wall", "rule", "said"),
    [
        (YESTERDAY, None, "gone by"),
        ("soon", None, "no time"),
        (f"{TOMORROW}+02:00", None, "without a zone"),
        (TOMORROW, "every now and then", "recurrence"),
        ("0001-01-01T00:00", None, "the year must lie between"),
        ("9999-12-31T23:59", None, "the year must lie between"),
        (TOMORROW, "FREQ=MINUTELY since 2026-01-01T00:00", "daily at most"),
        (TOMORROW, "FREQ=HOURLY;INTERVAL=12 since 2026-01-01T00:00", "daily at most"),
        (TOMORROW, "FREQ=DAILY 08:00 since 0001-01-01T00:00", "the year must lie between"),
        (TOMORROW, "FREQ=DAILY;UNTIL=00010101 08:00", "the year must lie between"),
    ],
    ids=[
        "past",
        "no time",
        "with a zone",
        "no rule",
        "year 1",
        "year 9999",
        "by the minute",
        "by the hour",
        "since",
        "until",
    ],
)
async def test_a_reminder_that_can_not_be_is_refused(ledger: SqlLedger, wall: str, rule: str | None, said: str) -> None:
    assert said in (await call(ledger, "reminder_set", text="x", wall=wall, rule=rule))["error"]
    assert await ledger.read(lambda t: (t.reminders.active(1), t.loops.list_open(1))) == ([], [])


@pytest.mark.parametrize("number", [0, -1, 2**53 + 1, 10**30, 10**400])
@pytest.mark.parametrize(("tool", "field"), [("loop_close", "loop_id"), ("reminder_cancel", "reminder_id")])
async def test_a_number_that_no_row_can_have_is_refused(ledger: SqlLedger, tool: str, field: str, number: int) -> None:
    assert "the arguments are wrong" in (await call(ledger, tool, **{field: number}))["error"]


async def test_a_title_is_one_line_of_words(ledger: SqlLedger) -> None:
    opened = await call(ledger, "loop_open", title="pay\n  #2 [task] the\u2028rent\t")
    assert opened["opened"]["title"] == "pay #2 [task] the rent"
    for title in ("\n \t", "", "x" * 301):
        assert "the arguments are wrong" in (await call(ledger, "loop_open", title=title))["error"]


async def test_a_link_that_a_model_puts_in_a_title_is_dead(ledger: SqlLedger) -> None:
    opened = await call(ledger, "loop_open", title="see https://evil.example/?q=secret")
    assert "https://" not in opened["opened"]["title"]
    await call(ledger, "reminder_set", text="see https://evil.example/?q=secret", wall=TOMORROW)
    assert "https://" not in (await ledger.read(lambda t: t.reminders.active(1)))[0].text


async def test_a_reminder_that_is_cancelled_already_is_no_success(ledger: SqlLedger) -> None:
    made = (await call(ledger, "reminder_set", text="call Anna", wall=TOMORROW))["set"]
    await call(ledger, "reminder_cancel", reminder_id=made["reminder_id"])
    assert "already" in (await call(ledger, "reminder_cancel", reminder_id=made["reminder_id"]))["error"]


async def test_a_turn_that_was_stopped_acts_no_more(ledger: SqlLedger) -> None:
    def stopped_turn(t: Tables) -> int:
        _, turn, _ = hear(t, "open a loop")
        t.thread.stop(turn.id, because="/stop", now=NOW)
        return turn.id

    caller = Caller(agent="thinker", owner_id=1, turn_id=await ledger.write(stopped_turn), signal_id=None)
    gate = Gate(Toolbox(ledger, SystemClock()).tools(), ledger, SystemClock())
    result = await gate.attempt(caller).call(ToolCall("1", "loop_open", {"title": "x"}))
    assert "stopped" in result.content
    assert await ledger.read(lambda t: t.loops.list_open(1)) == []
