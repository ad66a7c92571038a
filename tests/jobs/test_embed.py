"""The index of meanings is made in the background, goes on where it was, and follows what comes."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from jobs.embed import Embed
from memory.search.document import Document
from memory.sql.ledger import SqlLedger
from tests.doubles.clock import NOW
from tests.doubles.embedder import WordEmbedder
from tests.doubles.hand import rows


def notes(count: int, word: str = "apple") -> list[Document]:
    return [
        Document(corpus="note", ref=f"note:{word}{n}", who="you", title="", text=f"{word}{n}", at=NOW)
        for n in range(count)
    ]


class Failing(WordEmbedder):
    """Breaks off at the third batch."""

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        if len(self.embedded) >= 16:
            raise RuntimeError("the power is gone")
        return super().embed(texts)


@pytest.fixture
def worker() -> AsyncIterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(1) as pool:
        yield pool  # type: ignore[misc]


async def put(ledger: SqlLedger, documents: Sequence[Document]) -> None:
    await ledger.write(lambda t: t.search.put(1, documents, now=NOW))


async def test_everything_gets_a_vector_once(database: Path, worker: ThreadPoolExecutor) -> None:
    embedder = WordEmbedder()
    async with SqlLedger(database, embedder=embedder) as ledger:
        await put(ledger, notes(20))
        embed = Embed(ledger, embedder)
        assert await embed.all(worker) == 20
        assert await embed.all(worker) == 0
    assert len(embedder.embedded) == 20


async def test_after_a_crash_it_goes_on_where_it_was(database: Path, worker: ThreadPoolExecutor) -> None:
    first, second = Failing(), WordEmbedder()
    async with SqlLedger(database, embedder=first) as ledger:
        await put(ledger, notes(30))
        with pytest.raises(RuntimeError, match="the power is gone"):
            await Embed(ledger, first).all(worker)
    assert rows(database, "SELECT count(*) FROM passage_vectors") == [(16,)]
    async with SqlLedger(database, embedder=second) as ledger:
        assert await Embed(ledger, second).all(worker) == 14
    assert not set(first.embedded) & set(second.embedded)


async def test_what_comes_later_is_embedded_after_the_commit_that_brought_it(database: Path) -> None:
    embedder, seen, loop = WordEmbedder(), asyncio.Event(), asyncio.get_running_loop()
    embedder.on_embedded = lambda: loop.call_soon_threadsafe(seen.set)
    async with SqlLedger(database, embedder=embedder) as ledger:
        embed = Embed(ledger, embedder, rest_s=0.0)
        ledger.on_commit(embed.wake)
        running = asyncio.create_task(embed.run())
        await put(ledger, notes(3))
        async with asyncio.timeout(30):
            await seen.wait()
            seen.clear()
            await put(ledger, notes(2, "pear"))
            await seen.wait()
        assert set(embedder.embedded) == {"apple0", "apple1", "apple2", "pear0", "pear1"}
        running.cancel()
        with suppress(asyncio.CancelledError):
            await running


async def test_it_stops_when_it_is_asked_to(database: Path) -> None:
    embedder = WordEmbedder()
    async with SqlLedger(database, embedder=embedder) as ledger:
        running = asyncio.create_task(Embed(ledger, embedder).run())
        await asyncio.sleep(0)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            async with asyncio.timeout(10):
                await running
