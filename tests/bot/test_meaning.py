"""The model in the daemon: loaded when it is quiet, told when it can't be, and never in the conversation's way."""

import asyncio
from collections.abc import Callable
from datetime import timedelta

import pytest

from bot.meaning import BUSY_FOR, FAILED_FOR, SETTLES_FOR, Meaning
from jobs import embed
from memory.errors import BadInput, OutOfReach
from memory.search.document import Document
from memory.search.embedder import Embedder
from memory.sql.ledger import SqlLedger
from tests.doubles.clock import NOW
from tests.doubles.embedder import WordEmbedder


class Room:
    """A conversation that is busy for so many looks, and what was waited for."""

    def __init__(self, ledger: SqlLedger, load: Callable[[], Embedder | None], *, busy: int = 0) -> None:
        self.busy = busy
        self.waited: list[timedelta] = []
        self.meaning = Meaning(ledger, load=load, busy=self._busy, pause=self._pause)

    def _busy(self, _: object) -> bool:
        self.busy -= 1
        return self.busy >= 0

    async def _pause(self, wait_for: timedelta) -> None:
        self.waited.append(wait_for)
        await asyncio.sleep(0)


async def test_it_waits_until_the_conversation_is_quiet_and_then_gives_everything_its_vector(ledger: SqlLedger) -> None:
    note = Document(corpus="note", ref="note:1", who="you", title="", text="the heron", at=NOW)
    await ledger.write(lambda t: t.search.put(1, [note], now=NOW))
    model, done = WordEmbedder(), asyncio.Event()
    model.on_embedded = lambda: loop.call_soon_threadsafe(done.set)
    loop = asyncio.get_running_loop()
    room = Room(ledger, lambda: model, busy=2)
    running = asyncio.create_task(room.meaning.run())
    async with asyncio.timeout(10):
        await done.wait()
        while not (ready := await ledger.read(lambda t: t.search.readiness(1))).embedded:
            pass
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    assert (ready.model, ready.share) == ("words/1", 1.0)
    assert room.waited[:3] == [SETTLES_FOR, BUSY_FOR, BUSY_FOR]


async def test_without_a_model_it_is_done_at_once(ledger: SqlLedger) -> None:
    room = Room(ledger, lambda: None)
    await room.meaning.run()
    assert room.meaning.trouble is None


async def test_a_model_that_can_not_be_used_is_told_and_ends_nothing(ledger: SqlLedger) -> None:
    def no_model() -> Embedder:
        raise BadInput("/own holds no model; or say off")

    room = Room(ledger, no_model)
    await room.meaning.run()
    assert room.meaning.trouble == "/own holds no model; or say off"


async def test_a_full_disk_ends_nothing(ledger: SqlLedger, monkeypatch: pytest.MonkeyPatch) -> None:
    tries: list[int] = []

    async def full(_: object) -> None:
        tries.append(1)
        if len(tries) == 2:
            raise asyncio.CancelledError
        raise OutOfReach("the disk is full")

    monkeypatch.setattr(embed.Embed, "run", full)
    room = Room(ledger, WordEmbedder)
    with pytest.raises(asyncio.CancelledError):
        await room.meaning.run()
    assert room.waited[-1] == FAILED_FOR
