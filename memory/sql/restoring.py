"""Restoring: a backup takes the place of the database.

backup ─► hidden file ─ checked, migrated, what was on its way marked ─► the database's name
"""

import os
import sqlite3
from contextlib import closing, suppress
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from sqlalchemy import Connection, or_, select, update

from memory.backup import Backup
from memory.errors import NotFound
from memory.sql.backup import WITH_IT, check, copy, flush, hidden
from memory.sql.decisions import SqlDecisions
from memory.sql.door import translated
from memory.sql.engine import writing_engine
from memory.sql.opening import migrate
from memory.sql.schema import pieces, turns
from memory.sql.soundness import DamagedDatabase, check_header


def restore(file: Path, database: Path, *, now: datetime) -> tuple[Backup, Path | None]:
    """Put a copy of the backup `file` in the place of `database`; the backup, and where the old database lies now.

    The lock must be held. Whatever was on its way to a channel when the backup was made may have arrived since: it is
    in doubt. Raises NotFound, DamagedDatabase, and StrangeDatabase for a backup of a newer Stillbell; then nothing has
    changed.
    """
    if not file.is_file():
        raise NotFound(f"there is no file {file}")
    check_header(file)
    with translated(), hidden(database.parent) as being_made:
        copy(file, being_made)
        backup = check(being_made)
        _make_ready(being_made, because=f"restored from {file.name}", now=now)
        flush(being_made)
        aside = _put_aside(database, now)
        being_made.replace(database)
        flush(database.parent)
    return replace(backup, path=file), aside


def _make_ready(path: Path, *, because: str, now: datetime) -> None:
    engine = writing_engine(path)
    try:
        with engine.connect() as connection:
            migrate(connection)
            connection.exec_driver_sql("BEGIN IMMEDIATE")
            _doubt(connection)
            SqlDecisions(connection).record(
                owner_id=1, subject="database", decided="restored", because=because, now=now
            )
            connection.exec_driver_sql("COMMIT")
    finally:
        engine.dispose()


def _doubt(connection: Connection) -> None:
    """What was ready to be shown counts as being shown, so that the courier marks it as a possible repeat."""
    live = select(turns.c.id).where(turns.c.stopped_at.is_(None))
    connection.execute(
        update(pieces)
        .where(pieces.c.state == "ready", or_(pieces.c.turn_id.is_(None), pieces.c.turn_id.in_(live)))
        .values(state="handing")
    )


def _put_aside(database: Path, now: datetime) -> Path | None:
    """Give the database a second name. Until its first name is taken over, a crash leaves it where it was."""
    if not database.exists():
        return None
    aside = database.with_name(f"{database.name}.before-restore-{now:%Y%m%dT%H%M%SZ}")
    _fold(database)
    aside.unlink(missing_ok=True)
    os.link(database, aside)
    for ending in WITH_IT:
        # Left in place they would be taken for the restored database's own.
        with suppress(FileNotFoundError):
            Path(f"{database}{ending}").rename(f"{aside}{ending}")
    return aside


def _fold(database: Path) -> None:
    """Bring what is only in the write-ahead log into the file, if the file can still be read.

    SQLite throws the log of a file away that it takes for empty, so what is no database isn't opened at all.
    """
    with suppress(sqlite3.Error, DamagedDatabase):
        check_header(database)
        with closing(sqlite3.connect(database)) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
