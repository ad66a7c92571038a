"""The first tools, in the ledger: what they did stands in rows, and nonsense is answered with what to do."""

import json
from datetime import datetime, timedelta
from typing import Any

import pytest

from memory.clock import SystemClock
from memory.sql.ledger import SqlLedger
from tools.gate import Caller, Gate
from tools.model import ToolCall
from tools.toolbox import Toolbox

CALLER = Caller(agent="thinker", owner_id=1, turn_id=None, signal_id=None)
TOMORROW = (datetime.now() + timedelta(days=1)).isoformat(timespec="minutes")


async def call(ledger: SqlLedger, name: str, **arguments: Any) -> dict[str, Any]:
    gate = Gate(Toolbox(ledger, SystemClock()).tools(), ledger, SystemClock())
    found: dict[str, Any] = json.loads((await gate.call(ToolCall("1", name, arguments), CALLER)).content)
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
        ("2020-01-01T09:00", None, "gone by"),
        ("soon", None, "no time"),
        (f"{TOMORROW}+02:00", None, "without a zone"),
        (TOMORROW, "every now and then", "recurrence"),
    ],
    ids=["past", "no time", "with a zone", "no rule"],
)
async def test_a_reminder_that_can_not_be_is_refused(ledger: SqlLedger, wall: str, rule: str | None, said: str) -> None:
    assert said in (await call(ledger, "reminder_set", text="x", wall=wall, rule=rule))["error"]
    assert await ledger.read(lambda t: (t.reminders.active(1), t.loops.list_open(1))) == ([], [])
