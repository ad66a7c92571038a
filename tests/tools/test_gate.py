"""The gate: a model gets only the wrapped call, and every call and refusal is a row."""

import json
import sqlite3
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memory.audit import Permission, code
from memory.clock import SystemClock
from memory.errors import NotFound, StillbellError
from memory.ledger import Tables
from memory.loop import subject
from memory.sql.ledger import SqlLedger
from tests.doubles.hand import hand as by_hand
from tools.garbled import GarbledCall
from tools.gate import RESULT_MAX, Acting, Caller, Gate, Reading, Tool
from tools.model import ToolCall
from tools.toolbox import Arguments, Toolbox

CALLER = Caller(agent="thinker", owner_id=1, turn_id=7, signal_id=None)


class Number(Arguments):
    """One number."""

    n: int


class Hand:
    """A tool that remembers what it was given, and opens a loop if it acts."""

    def __init__(self, *, result: Mapping[str, Any] | None = None, error: Exception | None = None) -> None:
        self.given: list[int] = []
        self._result = {"ok": True} if result is None else result
        self._error = error

    def read(self, t: Tables, arguments: Number, caller: Caller) -> Mapping[str, Any]:
        self.given.append(arguments.n)
        if self._error is not None:
            raise self._error
        return self._result

    def act(self, t: Tables, arguments: Number, caller: Caller) -> str:
        loop = t.loops.open(owner_id=1, kind="task", title=f"n{arguments.n}", because="test", now=SystemClock().now())
        self.read(t, arguments, caller)
        return subject(loop.id)

    def tell(self, t: Tables, named: str) -> Mapping[str, Any]:
        loop = t.loops.get(int(named.removeprefix("loop:")))
        assert loop is not None
        return {"opened": loop.title}

    def tool(self, permission: Permission = "ALLOW") -> Tool[Number]:
        return Reading(name="hand", description="A hand.", permission=permission, arguments=Number, read=self.read)

    def acting(self) -> Tool[Number]:
        return Acting(
            name="hand", description="A hand.", permission="ALLOW", arguments=Number, act=self.act, tell=self.tell
        )


def gate_of(ledger: SqlLedger, *tools: Tool[Any]) -> Gate:
    return Gate(tools, ledger, SystemClock())


async def titles(ledger: SqlLedger) -> list[str]:
    return await ledger.read(lambda t: [loop.title for loop in t.loops.list_open(1)])


async def rows(ledger: SqlLedger) -> list[tuple[str, str, str]]:
    return await ledger.read(lambda t: [(r.tool, r.permission, r.outcome) for r in t.audit.latest(1, 10)])


async def test_an_allowed_call_runs_and_is_a_row(ledger: SqlLedger) -> None:
    hand = Hand()
    result = await gate_of(ledger, hand.tool()).attempt(CALLER).call(ToolCall("1", "hand", {"n": 3}))
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
    result = await gate_of(ledger, hand.tool(permission)).attempt(CALLER).call(call)  # type: ignore[arg-type]
    assert (result.is_error, hand.given) == (True, [])
    assert "error" in json.loads(result.content)
    assert await rows(ledger) == [(call.name, recorded, outcome)]


async def test_an_error_comes_back_as_data(ledger: SqlLedger) -> None:
    hand = Hand(error=NotFound("there is no loop #9"))
    result = await gate_of(ledger, hand.tool()).attempt(CALLER).call(ToolCall("1", "hand", {"n": 9}))
    assert (json.loads(result.content), result.is_error) == ({"error": "there is no loop #9"}, True)
    assert await rows(ledger) == [("hand", "ALLOW", "failed")]


async def test_a_bug_is_no_data(ledger: SqlLedger) -> None:
    with pytest.raises(ZeroDivisionError):
        await (
            gate_of(ledger, Hand(error=ZeroDivisionError()).tool())
            .attempt(CALLER)
            .call(ToolCall("1", "hand", {"n": 9}))
        )


async def test_what_a_tool_changed_and_its_row_stand_or_fall_together(ledger: SqlLedger, database: Path) -> None:
    with by_hand(database) as connection:
        connection.execute(
            "CREATE TRIGGER no_row BEFORE INSERT ON audit WHEN NEW.outcome = 'done' BEGIN SELECT RAISE(ABORT, 'no'); END"
        )
    with pytest.raises(Exception, match="no"):
        await gate_of(ledger, Hand().acting()).attempt(CALLER).call(ToolCall("1", "hand", {"n": 1}))
    assert await titles(ledger) == []


async def test_a_tool_that_fails_half_way_leaves_its_row_and_nothing_else(ledger: SqlLedger) -> None:
    hand = Hand(error=NotFound("there is no such thing"))
    await gate_of(ledger, hand.acting()).attempt(CALLER).call(ToolCall("1", "hand", {"n": 1}))
    assert await titles(ledger) == []
    assert await rows(ledger) == [("hand", "ALLOW", "failed")]


async def test_a_turn_that_runs_again_does_nothing_twice(ledger: SqlLedger) -> None:
    gate = gate_of(ledger, Hand().acting())
    calls = [ToolCall("1", "hand", {"n": 1}), ToolCall("2", "hand", {"n": 1}), ToolCall("3", "hand", {"n": 2})]
    first, again = gate.attempt(CALLER), gate.attempt(CALLER)
    for call in calls[:2]:
        await first.call(call)
    told = [json.loads((await again.call(call)).content) for call in calls]
    assert await titles(ledger) == ["n1", "n1", "n2"]
    assert told == [
        {"done_before": "loop:1", "opened": "n1"},
        {"done_before": "loop:2", "opened": "n1"},
        {"opened": "n2"},
    ]
    assert [outcome for _, _, outcome in reversed(await rows(ledger))] == [
        "done",
        "done",
        "repeated",
        "repeated",
        "done",
    ]


async def test_another_turn_may_do_the_same_again(ledger: SqlLedger) -> None:
    gate, call = gate_of(ledger, Hand().acting()), ToolCall("1", "hand", {"n": 1})
    await gate.attempt(CALLER).call(call)
    await gate.attempt(replace(CALLER, turn_id=8)).call(call)
    assert await titles(ledger) == ["n1", "n1"]
    assert [deed.told["opened"] for deed in await gate.deeds(CALLER)] == ["n1"]


async def test_a_failure_before_uses_up_no_repeat(ledger: SqlLedger) -> None:
    hand, call = Hand(error=NotFound("not yet")), ToolCall("1", "hand", {"n": 1})
    attempt = gate_of(ledger, hand.acting()).attempt(CALLER)
    await attempt.call(call)
    hand._error = None
    await attempt.call(call)
    await gate_of(ledger, hand.acting()).attempt(CALLER).call(call)
    assert await titles(ledger) == ["n1"]


async def test_the_audit_keeps_nothing_that_a_model_or_a_chat_wrote(ledger: SqlLedger, database: Path) -> None:
    gate = gate_of(ledger, Hand(error=NotFound("nothing about MARROW")).tool())
    for arguments in ({"n": 1}, {"n": "MARROW"}, {"n": 1, "MARROW": 2}, {}):
        result = await gate.attempt(CALLER).call(ToolCall("1", "hand", arguments))
        assert result.is_error
    kept = await ledger.read(lambda t: [row.because for row in reversed(t.audit.latest(1, 9))])
    assert kept == ["not found", *["arguments refused: 1 fields"] * 3]
    with sqlite3.connect(database) as connection:
        assert "MARROW" not in "\n".join(connection.iterdump())


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param({"n": 10**30}, id="a huge number"),
        pytest.param({"n": "\ud800"}, id="half a character"),
        pytest.param({"\ud800": 1}, id="half a character as a name"),
        pytest.param({"n": float("inf")}, id="no number"),
        pytest.param({"n": json.loads("[" * 900 + "]" * 900)}, id="nested deeply"),
    ],
)
async def test_whatever_a_model_writes_is_answered_with_data(ledger: SqlLedger, arguments: dict[str, Any]) -> None:
    result = await gate_of(ledger, Hand().tool()).attempt(CALLER).call(ToolCall("1", "hand", arguments))
    result.content.encode()
    assert len(await rows(ledger)) == 1


def test_every_error_has_a_code_without_its_words() -> None:
    kinds, codes = [StillbellError], set()
    while kinds:
        kind = kinds.pop()
        kinds += kind.__subclasses__()
        codes.add(code(kind.__new__(kind)))
    assert {"bad input", "not found", "out of reach"} <= codes
    assert all(one.replace(" ", "").isalpha() and one.islower() for one in codes)


async def test_a_huge_result_is_cut(ledger: SqlLedger) -> None:
    result = (
        await gate_of(ledger, Hand(result={"x": "y" * 10**6}).tool())
        .attempt(CALLER)
        .call(ToolCall("1", "hand", {"n": 1}))
    )
    assert len(result.content) == RESULT_MAX


async def test_a_name_that_a_model_made_up_is_kept_short_and_plain(ledger: SqlLedger) -> None:
    await gate_of(ledger).attempt(CALLER).call(ToolCall("1", "x\n\u202e" + "y" * 500, {"n": float("nan")}))
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
        "search_open",
        "person",
        "mail_search",
        "mail_thread",
        "events_list",
        "free_busy",
    }
    assert all(tool.spec.schema["additionalProperties"] is False for tool in tools)
    fields = {name for tool in tools for name in tool.arguments.model_fields}
    assert not fields & {"owner_id", "agent", "turn_id", "signal_id", "to", "recipient"}
