"""Connections: the one that writes, and the few that read."""

from pathlib import Path
from typing import Any
from urllib.parse import quote

from sqlalchemy import URL, Engine, create_engine, event
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine
from sqlalchemy.pool import AsyncAdaptedQueuePool

BUSY_TIMEOUT_MS = 5_000
CACHE_KIB = 64 * 1024
READERS = 3

CHECKPOINT_PAGES = 500
"""The writer checkpoints twice as early as any other connection would, so that a hand's short INSERT never does:
SQLite before 3.51.3 can damage a file when two connections write and checkpoint at once."""


def _prepare(dbapi_connection: Any, statements: tuple[str, ...]) -> None:
    cursor = dbapi_connection.cursor()
    for statement in statements:
        cursor.execute(statement)
    cursor.close()


def writing_engine(path: Path) -> Engine:
    """The engine of the one writing connection. Durable at every commit: WAL with synchronous=FULL."""
    engine = create_engine(
        # A URL in parts: a folder's name may hold whatever would mean something in one that is written out.
        URL.create("sqlite+pysqlite", database=str(path)),
        isolation_level="AUTOCOMMIT",
        connect_args={"check_same_thread": False, "timeout": BUSY_TIMEOUT_MS / 1000, "cached_statements": 512},
    )

    @event.listens_for(engine, "connect")
    def _(dbapi_connection: Any, record: Any) -> None:
        _prepare(
            dbapi_connection,
            (
                "PRAGMA journal_mode=WAL",
                "PRAGMA synchronous=FULL",
                "PRAGMA foreign_keys=ON",
                "PRAGMA recursive_triggers=ON",
                f"PRAGMA cache_size=-{CACHE_KIB}",
                f"PRAGMA wal_autocheckpoint={CHECKPOINT_PAGES}",
                "PRAGMA mmap_size=0",
            ),
        )

    return engine


def reading_engine(path: Path) -> AsyncEngine:
    """The engine of the readers. They can't write: the file is opened read-only."""
    engine = create_async_engine(
        URL.create("sqlite+aiosqlite", database=f"file:{quote(str(path))}", query={"mode": "ro", "uri": "true"}),
        isolation_level="AUTOCOMMIT",
        poolclass=AsyncAdaptedQueuePool,
        pool_size=READERS,
        max_overflow=0,
        connect_args={"timeout": BUSY_TIMEOUT_MS / 1000},
    )

    @event.listens_for(engine.sync_engine, "connect")
    def _(dbapi_connection: Any, record: Any) -> None:
        _prepare(
            dbapi_connection,
            ("PRAGMA query_only=ON", f"PRAGMA cache_size=-{CACHE_KIB}"),
        )

    return engine
