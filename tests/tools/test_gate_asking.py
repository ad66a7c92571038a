"""The gate's ASK: a tool that asks puts a card before the owner and does nothing else; what could send never loads."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import pytest

from memory.clock import SystemClock
from memory.errors import BadInput
from memory.ledger import Tables
from memory.piece import NewPiece, Piece
from memory.refusal import Refusal
from memory.sql.ledger import SqlLedger
from tools.arguments import Arguments
from tools.declared import UnfitTool
from tools.gate import NOTHING_WAS_SENT, Acting, Asking, Caller, Gate, Question, Reading, Tool
from tools.model import ToolCall

CALLER = Caller(agent="thinker", owner_id=1, turn_id=7, signal_id=None)


class Number(Arguments):
    """One number."""

    n: int


class Asks:
    """A tool that puts a question, and remembers what it was asked with."""

    def __init__(self, *, refusal: str = "", error: Exception | None = None) -> None:
        self.given: list[int] = []
        self._refusal = refusal
        self._error = error

    def ask(self, t: Tables, arguments: Number, caller: Caller) -> Question | Refusal:
        self.given.append(arguments.n)
        if self._error is not None:
            raise self._error
        if self._refusal:
            return Refusal(self._refusal)
        piece = t.pieces.say(
            NewPiece(key=f"card:{len(self.given)}", owner_id=1, channel="terminal", text="?"),
            now=SystemClock().now(),
            handing=True,
        )
        return Question(f"approval:{len(self.given)}", piece)

    def tool(self, permission: Any = "ASK") -> Tool[Number]:
        return Asking(name="propose", description="Asks.", permission=permission, arguments=Number, ask=self.ask)


async def rows(ledger: SqlLedger) -> list[tuple[str, str, str | None]]:
    return await ledger.read(lambda t: [(r.outcome, r.because, r.subject) for r in reversed(t.audit.latest(1, 10))])


async def test_a_tool_that_asks_puts_its_card_and_the_model_learns_that_nothing_was_sent(ledger: SqlLedger) -> None:
    posted: list[Piece | None] = []
    gate = Gate((Asks().tool(),), ledger, SystemClock(), post=posted.append)
    result = await gate.attempt(CALLER).call(ToolCall("1", "propose", {"n": 3}))
    assert (json.loads(result.content), result.is_error) == ({"asked": "approval:1", "note": NOTHING_WAS_SENT}, False)
    assert await rows(ledger) == [("asked", "needs the owner's yes", "approval:1")]
    assert [piece.key for piece in posted if piece] == ["card:1"]
    assert gate.specs()[0].name == "propose"
    assert await gate.deeds(CALLER) == [], "asking is no deed: nothing may be called done by it"


async def test_a_refused_question_is_a_row_with_its_reason_and_puts_no_card(ledger: SqlLedger) -> None:
    posted: list[Piece | None] = []
    gate = Gate((Asks(refusal="discarded before").tool(),), ledger, SystemClock(), post=posted.append)
    result = await gate.attempt(CALLER).call(ToolCall("1", "propose", {"n": 3}))
    assert (json.loads(result.content), result.is_error) == ({"error": "discarded before"}, True)
    assert await rows(ledger) == [("refused", "discarded before", None)]
    assert posted == []


async def test_what_cannot_even_be_asked_comes_back_as_data(ledger: SqlLedger) -> None:
    gate = Gate((Asks(error=BadInput("no such mail")).tool(),), ledger, SystemClock())
    result = await gate.attempt(CALLER).call(ToolCall("1", "propose", {"n": 3}))
    assert (json.loads(result.content), result.is_error) == ({"error": "no such mail"}, True)
    assert [row[0] for row in await rows(ledger)] == ["failed"]


async def test_a_turn_that_runs_again_asks_nothing_twice(ledger: SqlLedger) -> None:
    asks = Asks()
    gate = Gate((asks.tool(),), ledger, SystemClock())
    await gate.attempt(CALLER).call(ToolCall("1", "propose", {"n": 3}))
    again = gate.attempt(CALLER)
    told = [json.loads((await again.call(ToolCall(str(n), "propose", {"n": 3}))).content)["asked"] for n in range(2)]
    assert told == ["approval:1", "approval:2"]
    assert asks.given == [3, 3]
    assert [row[0] for row in await rows(ledger)] == ["asked", "repeated", "asked"]


async def test_what_a_question_put_and_its_row_stand_or_fall_together(ledger: SqlLedger) -> None:
    gate = Gate((Asks(error=ZeroDivisionError()).tool(),), ledger, SystemClock())
    with pytest.raises(ZeroDivisionError):
        await gate.attempt(CALLER).call(ToolCall("1", "propose", {"n": 3}))
    assert await rows(ledger) == []
    assert not await ledger.read(lambda t: t.pieces.has("card:1"))


# --- what never loads ---


class Outbox:
    """Something that can send."""

    def hand_over(self, text: str) -> str:
        return text

    def read(self, t: Tables, arguments: Number, caller: Caller) -> Mapping[str, Any]:
        return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Sneaky(Asking[Number]):
    """Asks, and sends by itself."""

    send: Any


class Holder:
    """Holds a way out, and looks harmless."""

    def __init__(self) -> None:
        self._outbox = Outbox()

    def read(self, t: Tables, arguments: Number, caller: Caller) -> Mapping[str, Any]:
        return {}


class Slotted:
    """Holds a way out where no dictionary shows it."""

    __slots__ = ("_outbox",)

    def __init__(self) -> None:
        self._outbox = Outbox()

    def read(self, t: Tables, arguments: Number, caller: Caller) -> Mapping[str, Any]:
        return {}


async def waits(t: Tables, arguments: Number, caller: Caller) -> Mapping[str, Any]:
    return {}


def closing_over() -> Any:
    outbox = Outbox()
    return lambda t, arguments, caller: {"sent": outbox.hand_over(str(arguments.n))}


def bound(t: Tables, arguments: Number, caller: Caller, *, outbox: Outbox) -> Mapping[str, Any]:
    return {"sent": outbox.hand_over("")}


def reading(read: Any) -> Tool[Number]:
    return Reading(name="hand", description="A hand.", permission="ALLOW", arguments=Number, read=read)


UNFIT: dict[str, Any] = {
    "one that asks and sends": lambda: Sneaky(
        name="hand", description="", permission="ASK", arguments=Number, ask=Asks().ask, send=Outbox().hand_over
    ),
    "one whose handler belongs to a way out": lambda: reading(Outbox().read),
    "one whose handler is the sending itself": lambda: reading(Outbox().hand_over),
    "one that holds a way out": lambda: reading(Holder().read),
    "one that holds a way out in a slot": lambda: reading(Slotted().read),
    "one that closes over a way out": lambda: reading(closing_over()),
    "one that a way out is bound to": lambda: reading(partial(bound, outbox=Outbox())),
    "one that could wait for the world": lambda: reading(waits),
    "one that acts through a way out": lambda: Acting(
        name="hand",
        description="",
        permission="ALLOW",
        arguments=Number,
        act=Holder().read,
        tell=lambda t, subject: {},
    ),
    "one that asks without having to": lambda: Asks().tool("ALLOW"),
}


@pytest.mark.parametrize("case", UNFIT)
async def test_a_tool_that_could_send_never_loads(ledger: SqlLedger, case: str) -> None:
    with pytest.raises(UnfitTool):
        Gate((UNFIT[case](),), ledger, SystemClock())


async def test_a_denied_tool_that_asks_stays_denied(ledger: SqlLedger) -> None:
    asks = Asks()
    gate = Gate((asks.tool("DENY"),), ledger, SystemClock())
    result = await gate.attempt(CALLER).call(ToolCall("1", "propose", {"n": 3}))
    assert result.is_error
    assert (asks.given, gate.specs()) == ([], ())
