"""The one writer: it owns the one writing connection, takes units of work and commits them in groups.

    write(work) ─► queue ─► BEGIN IMMEDIATE, each unit in a savepoint, COMMIT ─► the callers return, durable

One commit costs one flush of the disk however many units it holds; a unit that raises is rolled back alone. Between
groups the writer looks whether another connection has committed: that is how a signal inserted by hand is noticed.

A group that made jobs carries the rider with it: the worker's own unit, which takes them in the same commit. A message
is thereby recorded and taken with one flush of the disk instead of two.
"""

import asyncio
import queue
import sqlite3
import threading
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from memory.exclusion import NOTHING, Exclusions
from memory.ledger import Tables
from memory.sql.door import translated
from memory.sql.tables import SqlTables
from memory.sql.warm import Warm

T = TypeVar("T")

GROUP_MAX = 256
FOREIGN_LOOK_EVERY_S = 0.05
"""How often an idle writer looks for commits of others: one pragma, a few microseconds."""

FOREIGN = frozenset({"inline", "background"})
"""What a commit of another connection may have touched: a hand can only publish."""


@dataclass(slots=True)
class _Unit:
    work: Callable[[SqlTables], Any]
    future: asyncio.Future[Any]
    result: Any = None
    error: BaseException | None = None
    deliver: Callable[[Any], None] | None = None


Ride = tuple[Callable[[Tables], Any], Callable[[Any], None]]
Rider = Callable[[Collection[str]], Ride | None]
"""Asked on the writer's thread, with the lanes in which there are new jobs: a unit to ride along, and who gets its
result (on the event loop); None for not now."""


@dataclass(frozen=True, slots=True)
class Pulse:
    """How busy the writer is: units that wait, and commits since it was started."""

    waiting: int
    commits: int


class Writer:
    """Start it once on the event loop's thread; `close` finishes what is queued."""

    def __init__(
        self,
        connection: Connection,
        on_commit: Callable[[frozenset[str]], None],
        exclusions: Callable[[], Exclusions] = lambda: NOTHING,
        warm: Warm | None = None,
    ) -> None:
        self.rider: Rider | None = None
        self._connection = connection
        self._on_commit = on_commit
        self._exclusions = exclusions
        self._warm = warm
        self._loop = asyncio.get_running_loop()
        self._queue: queue.SimpleQueue[_Unit | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="ledger-writer", daemon=True)
        self._closed = False
        self._commits = 0
        self._thread.start()

    async def write(self, work: Callable[[SqlTables], T]) -> T:
        """Run `work` in a transaction; returns when it is durable."""
        if self._closed:
            raise RuntimeError("the ledger is closed")
        unit = _Unit(work, self._loop.create_future())
        self._queue.put(unit)
        # Shielded: a caller that is cancelled must not leave the unit without anybody to settle it.
        result: T = await asyncio.shield(unit.future)
        return result

    @property
    def pulse(self) -> Pulse:
        """How busy it is just now."""
        return Pulse(self._queue.qsize(), self._commits)

    async def close(self) -> None:
        """Commit what is queued and let the connection go."""
        if not self._closed:
            self._closed = True
            self._queue.put(None)
            await asyncio.to_thread(self._thread.join)

    def _run(self) -> None:
        with self._connection as connection:
            tables = SqlTables(connection, self._exclusions, self._warm)
            version = _data_version(connection)
            open_ = True
            while open_:
                group, open_ = self._next_group()
                if group:
                    self._commit(connection, tables, group)
                # On a failing disk even this look may fail: the next one tells.
                with suppress(sqlite3.Error):
                    seen = _data_version(connection)
                    if seen != version:
                        version = seen
                        self._loop.call_soon_threadsafe(self._on_commit, FOREIGN)

    def _next_group(self) -> tuple[list[_Unit], bool]:
        """The units that wait, and whether there may be more after them."""
        group: list[_Unit] = []
        try:
            unit = self._queue.get(timeout=FOREIGN_LOOK_EVERY_S)
            while unit is not None and len(group) < GROUP_MAX - 1:
                group.append(unit)
                unit = self._queue.get_nowait()
        except queue.Empty:
            return group, True
        if unit is not None:
            group.append(unit)
        return group, unit is not None

    def _commit(self, connection: Connection, tables: SqlTables, group: list[_Unit]) -> None:
        try:
            with translated():
                _run_raw(connection, "BEGIN IMMEDIATE")
                for unit in group:
                    _run_in_savepoint(connection, tables, unit)
                self._take_along(connection, tables, group)
                _run_raw(connection, "COMMIT")
                self._commits += 1
        # Whatever went wrong with the transaction went wrong for each of its callers, and the thread must live on.
        except Exception as error:  # noqa: BLE001
            _roll_back(connection)
            for unit in group:
                unit.error = unit.error or error
        touched = frozenset(tables.touched)
        tables.touched.clear()
        self._loop.call_soon_threadsafe(self._settle, group, touched)

    def _take_along(self, connection: Connection, tables: SqlTables, group: list[_Unit]) -> None:
        ride = self.rider(frozenset(tables.touched)) if self.rider is not None and tables.touched else None
        if ride is not None:
            work, deliver = ride
            unit = _Unit(work, self._loop.create_future(), deliver=deliver)
            _run_in_savepoint(connection, tables, unit)
            if unit.error is None:
                tables.touched.clear()
            group.append(unit)

    def _settle(self, group: list[_Unit], touched: frozenset[str]) -> None:
        for unit in group:
            if unit.future.cancelled():
                continue
            if unit.error is not None:
                unit.future.set_exception(unit.error)
                # A caller that was cancelled meanwhile never asks: the error is not "never retrieved".
                unit.future.exception()
            else:
                unit.future.set_result(unit.result)
                if unit.deliver is not None:
                    unit.deliver(unit.result)
        self._on_commit(touched)


def _run_in_savepoint(connection: Connection, tables: SqlTables, unit: _Unit) -> None:
    _run_raw(connection, "SAVEPOINT unit")
    tables.begin()
    try:
        with translated():
            unit.result = unit.work(tables)
    # The unit's own error, bug or not, belongs to its caller: it is handed back, and the group goes on without it.
    except Exception as error:
        unit.error = error
        if not _driver(connection).in_transaction:
            # SQLite itself ended the transaction (disk full, I/O error): nothing of the group stands.
            raise
        _run_raw(connection, "ROLLBACK TO unit")
    _run_raw(connection, "RELEASE unit")


def _roll_back(connection: Connection) -> None:
    # Where even that fails, the next unit is told so when it begins.
    with suppress(DBAPIError, sqlite3.Error):
        if _driver(connection).in_transaction:
            _run_raw(connection, "ROLLBACK")


def _driver(connection: Connection) -> sqlite3.Connection:
    raw: Any = connection.connection.dbapi_connection
    return cast(sqlite3.Connection, raw)


def _run_raw(connection: Connection, statement: str) -> None:
    """Past SQLAlchemy, which would take ten times as long for the six words that frame every unit."""
    _driver(connection).execute(statement)


def _data_version(connection: Connection) -> int:
    return int(_driver(connection).execute("PRAGMA data_version").fetchone()[0])
