"""A ledger of its own for an eval of the search, and filling its index of meanings."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from memory.clock import SystemClock
from memory.search.embedder import Embedder
from memory.sql.ledger import SqlLedger
from memory.sql.opening import open_database

AT_ONCE = 64


@asynccontextmanager
async def opened(folder: Path, model: Embedder | None = None) -> AsyncIterator[SqlLedger]:
    """A new ledger in the folder."""
    path = folder / "stillbell.db"
    now = SystemClock().now()
    open_database(path, host="eval", zone="Europe/Berlin", language="en", now=now)
    async with SqlLedger(path, embedder=model) as ledger:
        yield ledger


@asynccontextmanager
async def reopened(folder: Path, model: Embedder | None = None) -> AsyncIterator[SqlLedger]:
    """The ledger that is in the folder."""
    async with SqlLedger(folder / "stillbell.db", embedder=model) as ledger:
        yield ledger


async def embed_all(ledger: SqlLedger, model: Embedder) -> None:
    """Give every passage its vector."""
    while waiting := await ledger.read(lambda t: t.search.unembedded(1, limit=AT_ONCE)):
        vectors = model.embed([one.text for one in waiting])
        pairs = list(zip(waiting, vectors, strict=True))
        await ledger.write(lambda t, pairs=pairs: t.search.keep_vectors(1, pairs))  # type: ignore[misc]
