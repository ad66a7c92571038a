"""Making and checking backups.

    database ─ one read transaction ─► hidden file ─ checked, flushed ─► its name

SQLite's online backup copies page by page within one read transaction: the writer goes on meanwhile, Python lets other
threads run, and the copy is the database to the byte. VACUUM INTO would write a smaller file, but it builds every
index anew (about ten times the work) and can't copy a database that is damaged somewhere, which is when one wants to.
"""

import os
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote

from memory.backup import HIDDEN, Backup, newest_first
from memory.errors import OutOfReach, StillbellError
from memory.sql.door import translated
from memory.sql.engine import BUSY_TIMEOUT_MS
from memory.sql.soundness import RESTORE, DamagedDatabase, check_header, check_pages

COUNTED = {
    "messages": "messages",
    "loops": "loops",
    "reminders": "reminders",
    "mails": "mails",
    "signals": "signal_heads",
}

WITH_IT = ("-wal", "-shm")
"""What SQLite keeps beside a database under these endings."""


def back_up(database: Path, to: Path) -> Backup:
    """Write a checked copy of `database`, which may be in use, to the file `to`, replacing one of that name.

    It appears under its name only when it is whole and on the disk. Raises DamagedDatabase when the copy does not pass
    its check (then the database doesn't either), OutOfReach when it can't be written.
    """
    try:
        with translated():
            return _backed_up(database, to)
    except OSError as error:
        raise OutOfReach(f"the backup {to} can't be written: {error.strerror or error}") from error


def _backed_up(database: Path, to: Path) -> Backup:
    to.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with hidden(to.parent) as being_made:
        counts = copy(database, being_made)
        backup = check(being_made)
        if backup.counts != counts:
            raise DamagedDatabase(f"the copy has {backup.counts} where the database has {counts}: {RESTORE}")
        flush(being_made)
        being_made.replace(to)
        flush(to.parent)
    return replace(backup, path=to)


def check(path: Path) -> Backup:
    """Look at everything in a backup. Raises DamagedDatabase."""
    with translated():
        check_header(path)
        # Nobody writes to it, and looking must leave nothing beside it.
        with _open(path, "immutable=1") as made:
            check_pages(made, path, with_indexes=True)
            if made.execute("PRAGMA foreign_key_check").fetchone() is not None:
                raise DamagedDatabase(f"{path} has rows that point at nothing: {RESTORE}")
            row = made.execute("SELECT instance, host FROM identity").fetchone()
            if row is None:
                raise DamagedDatabase(f"{path} has no identity: {RESTORE}")
            counts = _counts(made)
    return Backup(path=path, size_bytes=path.stat().st_size, instance=row[0], host=row[1], counts=counts)


def newest_sound(folder: Path) -> Backup | None:
    """The newest backup in `folder` that passes its check."""
    names = newest_first(path.name for path in folder.iterdir()) if folder.is_dir() else []
    for name in names:
        with suppress(StillbellError, OSError):
            return check(folder / name)
    return None


def copy(database: Path, to: Path) -> dict[str, int]:
    """Copy page by page what `database` is at this moment; the rows counted in the same moment."""
    with _open(database, "mode=ro") as source, closing(sqlite3.connect(to, isolation_level=None)) as target:
        source.execute("BEGIN")
        counts = _counts(source)
        source.backup(target)
        source.execute("COMMIT")
        # One file, whole by itself, wherever it is carried.
        target.execute("PRAGMA journal_mode=DELETE")
    return counts


def _counts(connection: sqlite3.Connection) -> dict[str, int]:
    return {name: connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for name, table in COUNTED.items()}


@contextmanager
def _open(path: Path, how: str) -> Iterator[sqlite3.Connection]:
    address = f"file:{quote(str(path))}?{how}"
    seconds = BUSY_TIMEOUT_MS / 1000
    with closing(sqlite3.connect(address, uri=True, isolation_level=None, timeout=seconds)) as connection:
        yield connection


@contextmanager
def hidden(folder: Path) -> Iterator[Path]:
    """A new file that only its owner may read; gone at the end unless it was renamed."""
    handle, name = tempfile.mkstemp(prefix=HIDDEN, suffix=".part", dir=folder)
    os.close(handle)
    path = Path(name)
    try:
        yield path
    finally:
        for ending in ("", "-journal", *WITH_IT):
            Path(f"{path}{ending}").unlink(missing_ok=True)


def flush(path: Path) -> None:
    """Have the system put the file, or the folder's list of names, on the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
