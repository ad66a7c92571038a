"""A hand at the database: a plain connection without any of our settings, as `sqlite3` on a console opens one."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


@contextmanager
def hand(database: Path) -> Iterator[sqlite3.Connection]:
    """The connection; what was done is committed at the end unless something raised."""
    connection = sqlite3.connect(database)
    try:
        with connection:
            yield connection
    finally:
        connection.close()


def rows(database: Path, query: str, *values: Any) -> list[tuple[Any, ...]]:
    """What `query` finds, seen from outside."""
    with hand(database) as connection:
        return connection.execute(query, values).fetchall()
