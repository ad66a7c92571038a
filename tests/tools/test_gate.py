"""The gate: a model gets only the wrapped call, and every call and refusal is a row."""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from memory.audit import Permission
from memory.clock import SystemClock
from memory.errors import NotFound
from memory.sql.ledger import SqlLedger
from tools.garbled import GarbledCall
from tools.gate import RESULT_MAX, Caller, Gate, Tool
from tools.model import ToolCall
from tools.toolbox import Arguments, Toolbox

CALLER = Caller(agent="thinker", owner_id=1, turn_id=7, signal_id=None)


class Number(Arguments):
    """One number."""

    n: int


class Hand:
    """A tool that remembers what it was given."""

    def __init__(self, *, result: Mapping[str, Any] | None = None, error: Exception | None = None) -> None:
        self.given: list[int] = []
        self._result = {"ok": True} if result is None else result
        self._error = error

    async def run(self, arguments: Number, caller: Caller) -> Mapping[str, Any]:
        self.given.append(arguments.n)
        if self._error is not None:
            raise self._error
        return self._result

    def tool(self, permission: Permission = "ALLOW") -> Tool[Number]:
        return Tool(name="hand", description="A hand.", permission=permission, arguments=Number, run=self.run)


def gate_of(ledger: SqlLedger, *tools: Tool[Any]) -> Gate:
    return Gate(tools, ledger, SystemClock())


async def rows(ledger: SqlLedger) -> list[tuple[str, str, str]]:
    return await ledger.read(lambda t: [(r.tool, r.permission, r.outcome) for r in t.audit.latest(1, 10)])


async def test_an_allowed_call_runs_and_is_a_row(ledger: SqlLedger) -> None:
    hand = Hand()
    result = await gate_of(ledger, hand.tool()).call(ToolCall("1", "hand", {"n": 3}), CALLER)
    assert (json.loads(result.content), result.is_error, hand.given) == ({"ok": True}, False, [3])
    assert await rows(ledger) == [("hand", "ALLOW", "done")]
    row = (await ledger.read(lambda t: t.audit.latest(1, 1)))[0]
    assert (row.agent, row.turn_id, len(row.arguments_digest)) == ("thinker", 7, 64)


REFUSED = {
    "an undeclared tool": (ToolCall("1", "mail_send", {"n": 1}), "ALLOW", "DENY", "refused"),
    "a denied tool": (ToolCall("1", "hand", {"n": 1}), "DENY", "DENY", "refused"),
    "a tool that asks": (ToolCall("1", "hand", {"n": 1}), "ASK", "ASK", "asked"),
    "an argument of the wrong type": (ToolCall("1", "hand", {"n": "many"}), "ALLOW", "ALLOW", "refused"),
    "an argument too many": (ToolCall("1", "hand", {"n": 1, "owner_id": 2}), "ALLOW", "ALLOW", "refused"),
    "an argument too few": (ToolCall("1", "hand", {}), "ALLOW", "ALLOW", "refused"),
    "arguments nobody can read": (GarbledCall("1", "hand", {}, wrote="{n:"), "ALLOW", "ALLOW", "refused"),
}


@pytest.mark.parametrize("case", REFUSED)
async def test_a_call_that_may_not_be_made_does_nothing_and_is_a_row(ledger: SqlLedger, case: str) -> None:
    call, permission, recorded, outcome = REFUSED[case]
    hand = Hand()
    result = await gate_of(ledger, hand.tool(permission)).call(call, CALLER)  # type: ignore[arg-type]
    assert (result.is_error, hand.given) == (True, [])
    assert "error" in json.loads(result.content)
    assert await rows(ledger) == [(call.name, recorded, outcome)]


async def test_an_error_comes_back_as_data(ledger: SqlLedger) -> None:
    hand = Hand(error=NotFound("there is no loop #9"))
    result = await gate_of(ledger, hand.tool()).call(ToolCall("1", "hand", {"n": 9}), CALLER)
    assert (json.loads(result.content), result.is_error) == ({"error": "there is no loop #9"}, True)
    assert await rows(ledger) == [("hand", "ALLOW", "failed")]


async def test_a_bug_is_no_data(ledger: SqlLedger) -> None:
    with pytest.raises(ZeroDivisionError):
        await gate_of(ledger, Hand(error=ZeroDivisionError()).tool()).call(ToolCall("1", "hand", {"n": 9}), CALLER)


async def test_a_huge_result_is_cut(ledger: SqlLedger) -> None:
    result = await gate_of(ledger, Hand(result={"x": "y" * 10**6}).tool()).call(ToolCall("1", "hand", {"n": 1}), CALLER)
    assert len(result.content) == RESULT_MAX


async def test_a_name_that_a_model_made_up_is_kept_short_and_plain(ledger: SqlLedger) -> None:
    await gate_of(ledger).call(ToolCall("1", "x\n\u202e" + "y" * 500, {"n": float("nan")}), CALLER)
    ((name, _, _),) = await rows(ledger)
    assert name.startswith("x??y")
    assert len(name) == 64


def test_a_denied_tool_is_not_even_shown(ledger: SqlLedger) -> None:
    assert gate_of(ledger, Hand().tool("DENY")).specs() == ()


def test_no_tool_of_the_box_reaches_anybody_and_each_forbids_what_it_does_not_declare(ledger: SqlLedger) -> None:
    tools = Toolbox(ledger, SystemClock()).tools()
    assert {tool.name for tool in tools} == {
        "loops_list",
        "loop_open",
        "loop_close",
        "reminder_set",
        "reminder_cancel",
        "search",
    }
    assert all(tool.spec.schema["additionalProperties"] is False for tool in tools)
    fields = {name for tool in tools for name in tool.arguments.model_fields}
    assert not fields & {"owner_id", "agent", "turn_id", "signal_id", "to", "recipient"}
