"""The ledger on SQLite."""

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

from sqlalchemy import Connection
from sqlalchemy.ext.asyncio import AsyncEngine

from memory.backup import Backup
from memory.exclusion import NOTHING, Exclusions
from memory.ledger import Tables
from memory.search.embedder import Embedder
from memory.sql.backup import back_up
from memory.sql.door import translated
from memory.sql.engine import reading_engine, writing_engine
from memory.sql.tables import SqlTables
from memory.sql.warm import Warm
from memory.sql.writer import Pulse, Rider, Writer

T = TypeVar("T")


class SqlLedger:
    """See memory.ledger.Ledger. An async context manager over a database that is open and migrated (memory.sql.opening).

    `exclusions` gives the list in force, at every read; raises UnreadableExclusions. `embedder` finds by meaning.
    """

    def __init__(
        self,
        path: Path,
        exclusions: Callable[[], Exclusions] = lambda: NOTHING,
        embedder: Embedder | None = None,
    ) -> None:
        self._path = path
        self._warm = Warm(embedder)
        self._exclusions = exclusions
        self._wakes: list[Callable[[], None]] = []
        self._job_wakes: list[Callable[[], None]] = []
        self._engine = writing_engine(path)
        self._readers = reading_engine(path)
        self._writer: Writer | None = None

    async def __aenter__(self) -> Self:
        # Connected and read once: a database that can't be opened is told now, not at the first message.
        with translated():
            connection = await asyncio.to_thread(self._engine.connect)
        self._writer = Writer(connection, self._committed, self._exclusions, self._warm)
        await self._writer.write(lambda tables: tables.cursors.get("nothing", owner_id=0))
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._readers.dispose()
        if self._writer is not None:
            await self._writer.close()
        self._engine.dispose()

    async def write(self, work: Callable[[Tables], T]) -> T:
        if self._writer is None:
            raise RuntimeError("open the ledger first: async with SqlLedger(path)")
        writer = self._writer
        return await self._warm.with_vectors(lambda: writer.write(work))

    async def read(self, work: Callable[[Tables], T]) -> T:
        return await read(self._readers, work, self._exclusions, self._warm)

    def find_by_meaning(self, embedder: Embedder) -> None:
        """From now on, with this embedder: it takes a second or two to load, and nobody waits for that."""
        self._warm.embedder = embedder

    def on_commit(self, wake: Callable[[], None]) -> None:
        self._wakes.append(wake)

    def on_jobs(self, wake: Callable[[], None]) -> None:
        self._job_wakes.append(wake)

    def ride(self, rider: Rider) -> None:
        if self._writer is None:
            raise RuntimeError("open the ledger first: async with SqlLedger(path)")
        self._writer.rider = rider

    async def back_up(self, to: Path) -> Backup:
        return await asyncio.to_thread(back_up, self._path, to)

    @property
    def pulse(self) -> Pulse:
        """How busy the writer is."""
        if self._writer is None:
            raise RuntimeError("open the ledger first: async with SqlLedger(path)")
        return self._writer.pulse

    def _committed(self, touched: frozenset[str]) -> None:
        for wake in self._wakes:
            wake()
        if touched:
            for wake in self._job_wakes:
                wake()


class SqlReader:
    """The reading half alone, for a command that looks while no daemon runs."""

    def __init__(
        self,
        path: Path,
        exclusions: Callable[[], Exclusions] = lambda: NOTHING,
        embedder: Embedder | None = None,
    ) -> None:
        self._warm = Warm(embedder)
        self._readers = reading_engine(path)
        self._exclusions = exclusions

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._readers.dispose()

    def find_by_meaning(self, embedder: Embedder) -> None:
        """See SqlLedger.find_by_meaning."""
        self._warm.embedder = embedder

    async def read(self, work: Callable[[Tables], T]) -> T:
        """See memory.ledger.Ledger.read."""
        return await read(self._readers, work, self._exclusions, self._warm)


async def read(
    readers: AsyncEngine, work: Callable[[Tables], T], exclusions: Callable[[], Exclusions], warm: Warm
) -> T:
    """Run `work` on one of the read-only connections, in one snapshot, once the vectors of what it asks are there.

    Whoever is cancelled meanwhile learns it when the read is over: one that is cut off leaves a connection in the middle
    of its transaction, for whose end the closing of the pool then waits in vain.
    """
    return await warm.with_vectors(lambda: _whole(_read(readers, work, exclusions, warm)))


async def _whole(read: Coroutine[Any, Any, T]) -> T:
    reading = asyncio.create_task(read)
    try:
        return await asyncio.shield(reading)
    except asyncio.CancelledError:
        await asyncio.wait([reading])
        # Nobody asks any more how it went.
        reading.exception()
        raise


async def _read(
    readers: AsyncEngine, work: Callable[[Tables], T], exclusions: Callable[[], Exclusions], warm: Warm
) -> T:
    def snapshot(connection: Connection) -> T:
        connection.exec_driver_sql("BEGIN")
        try:
            return work(SqlTables(connection, exclusions, warm))
        finally:
            connection.exec_driver_sql("COMMIT")

    with translated():
        async with readers.connect() as connection:
            return await connection.run_sync(snapshot)
