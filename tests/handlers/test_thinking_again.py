"""A thought that runs again after it was cut off does nothing twice and says what failed; a hint delays nothing."""

import asyncio
from pathlib import Path

import pytest

from handlers.think import Think
from memory.job import Job
from memory.piece import Piece
from memory.sql.ledger import SqlLedger
from tests.doubles.clock import NOW, FakeClock
from tests.doubles.scripted_model import ScriptedModel, calls
from tests.doubles.spoken import hear
from tools.filing import Filing
from tools.gate import Gate
from tools.model import Answer, Ask
from tools.thinker import BEGUN_BEFORE, Thinker
from tools.toolbox import Toolbox


class Postbox:
    """Takes what is said. Its hint hangs until the test is over."""

    def __init__(self) -> None:
        self.said: list[Piece] = []
        self.hinted = asyncio.Event()

    def home(self) -> str:
        return "telegram"

    def post(self, *pieces: Piece | None) -> None:
        self.said += [piece for piece in pieces if piece is not None]

    async def typing(self, channel: str) -> None:
        self.hinted.set()
        await asyncio.Event().wait()

    async def answer_tap(self, channel: str, tap_id: str, text: str) -> None:
        raise AssertionError("nobody tapped")


class Room:
    """A handler of thoughts over a real ledger, with one question asked."""

    def __init__(self, ledger: SqlLedger, clock: FakeClock, folder: Path) -> None:
        self.ledger, self.model, self.post = ledger, ScriptedModel(), Postbox()
        gate = Gate(Toolbox(ledger, clock).tools(), ledger, clock)
        self.think = Think(ledger, self.post, Thinker(self.model, gate), Filing(folder), clock)

    async def runs(self, attempt: int = 1) -> None:
        job = Job(
            id=1,
            owner_id=1,
            kind="thinker",
            lane="background",
            thread="owner:1",
            attempt=attempt,
            created_at=NOW,
            payload={"turn": 1},
        )
        async with asyncio.timeout(5):
            await self.think(job)

    async def loops(self) -> list[str]:
        return await self.ledger.read(lambda t: [loop.title for loop in t.loops.list_open(1)])


@pytest.fixture
async def room(ledger: SqlLedger, clock: FakeClock, tmp_path: Path) -> Room:
    await ledger.write(lambda t: hear(t, "keep the offer open"))
    return Room(ledger, clock, tmp_path)


def cut_off(ask: Ask) -> Answer:
    raise ZeroDivisionError("the process dies here")


OPEN = calls("loop_open", {"title": "send the offer"})


async def test_four_attempts_open_one_loop(room: Room) -> None:
    for attempt in (1, 2, 3):
        room.model.answers("thinker", OPEN, cut_off)
        with pytest.raises(ZeroDivisionError):
            await room.runs(attempt)
    room.model.answers("thinker", OPEN, "I keep it open.")
    await room.runs(4)
    assert await room.loops() == ["send the offer"]
    assert [piece.text for piece in room.post.said] == ["I keep it open."]
    rows = await room.ledger.read(lambda t: [row.outcome for row in t.audit.latest(1, 9)])
    assert sorted(rows) == ["done", "repeated", "repeated", "repeated"]


async def test_a_thought_that_runs_again_is_told_what_it_did_before(room: Room) -> None:
    room.model.answers("thinker", OPEN, cut_off)
    with pytest.raises(ZeroDivisionError):
        await room.runs()
    room.model.answers("thinker", "I've put it on your list.")
    await room.runs(2)
    asked = room.model.asks[-1].messages[-1].text
    assert BEGUN_BEFORE in asked
    assert "send the offer" in asked
    assert BEGUN_BEFORE not in room.model.asks[0].messages[-1].text
    assert [piece.text for piece in room.post.said] == ["I've put it on your list."]


async def test_a_failure_is_said_also_when_a_piece_was_said_before(room: Room) -> None:
    room.model.answers("thinker", "It is still open.")
    await room.runs()
    room.model.fails("thinker", "overloaded")
    await room.runs(2)
    assert [piece.key for piece in room.post.said] == ["turn:1:2", "turn:1:failed"]


async def test_a_hint_that_hangs_delays_nothing(room: Room) -> None:
    room.model.answers("thinker", "It is still open.")
    await room.runs()
    assert room.post.hinted.is_set()
    assert [piece.text for piece in room.post.said] == ["It is still open."]
    hints = [task for task in asyncio.all_tasks() if task.get_name() == "typing"]
    await asyncio.gather(*hints, return_exceptions=True)
    assert all(task.cancelled() for task in hints)
