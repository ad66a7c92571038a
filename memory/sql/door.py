"""The door to SQLite: its errors that a person can act on become ours; bugs are let through."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.exc import DBAPIError

from memory.errors import OutOfReach, StillbellError
from memory.sql.soundness import DamagedDatabase

_ACTS: tuple[tuple[str, type[StillbellError], str], ...] = (
    (
        "disk is full",
        OutOfReach,
        "the disk is full: nothing was written; free some space and Stillbell goes on by itself",
    ),
    ("disk i/o error", OutOfReach, "the disk refused to write: nothing was written; look at the disk and its quota"),
    ("database is locked", OutOfReach, "another program holds the database: close it; Stillbell tries again"),
    ("malformed", DamagedDatabase, "the database is damaged: stop Stillbell and restore the newest backup"),
    (
        "file is not a database",
        DamagedDatabase,
        "the file is not a database: restore the newest backup, or move the file away",
    ),
    (
        "no such table",
        DamagedDatabase,
        "this is no database of Stillbell's, or not a whole one: restore the newest backup",
    ),
    ("unable to open", OutOfReach, "the database can't be opened: is the data folder there, and yours?"),
    ("readonly database", OutOfReach, "the database is read-only: is the data folder yours to write?"),
)
"""What SQLite says (it has no finer codes at this level), which error that is, and what to do next."""


@contextmanager
def translated() -> Iterator[None]:
    """Raise StillbellErrors for what SQLite reports of the disk and the file."""
    try:
        yield
    except (DBAPIError, sqlite3.Error) as error:
        said = str(error).lower()
        for mark, kind, text in _ACTS:
            if mark in said:
                raise kind(text) from error
        raise
