"""Opening the database: it must be ours, of this host, and of this version.

A database is ours when its header says so and it has its identity row.
"""

import os
import secrets
import sqlite3
import threading
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import cast

from alembic.config import Config
from alembic.util import CommandError
from sqlalchemy import Connection, Engine, Row, insert, inspect, select, update

from alembic import command
from memory.backup import FOLDER
from memory.errors import StrangeDatabase
from memory.owner import Language
from memory.sql.backup import newest_sound
from memory.sql.door import translated
from memory.sql.engine import writing_engine
from memory.sql.owners import create_first_owner
from memory.sql.schema import APPLICATION_ID, identity
from memory.sql.soundness import VERSIONS, DamagedDatabase, check_header, check_pages

MIGRATIONS = VERSIONS.parent

_ONE_AT_A_TIME = threading.Lock()
"""The library keeps the migration under way in globals: two at once, in two threads, would take each other's."""

ALWAYS_LOOKED_THROUGH_BYTES = 32 * 1024 * 1024
"""Up to this size every page is looked at whenever the database is opened: a few hundredths of a second."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """What was found: whether the database is new, and which one it is."""

    is_new: bool
    instance: str
    host: str


def open_database(
    path: Path,
    *,
    host: str,
    zone: str,
    language: Language,
    now: datetime,
    adopt: bool = False,
    thorough: bool = False,
) -> Opened:
    """Make or check the database at `path` and bring it to this version's schema. The lock must be held.

    `zone` and `language` are those of the first owner of a new database. `thorough` has every page looked at however
    large the file is: worth it after a crash. Raises StrangeDatabase for a file that is not ours, is damaged (it names
    the newest backup that is whole), comes from a newer Stillbell, or belongs to another host (unless `adopt`).
    """
    try:
        return _opened(path, host=host, zone=zone, language=language, now=now, adopt=adopt, thorough=thorough)
    except DamagedDatabase as error:
        raise DamagedDatabase(f"{error} ({_way_out(path.with_name(FOLDER))})") from error


def _way_out(backups: Path) -> str:
    found = newest_sound(backups)
    return (
        f"the newest that is whole: stillbell restore {found.path}" if found else f"none that is whole is in {backups}"
    )


def _opened(
    path: Path, *, host: str, zone: str, language: Language, now: datetime, adopt: bool, thorough: bool
) -> Opened:
    is_new = not path.exists()
    if is_new:
        _create(path, host=host, zone=zone, language=language, now=now)
    check_header(path)
    engine = writing_engine(path)
    try:
        with translated():
            if not is_new and _is_looked_through(path, thorough=thorough):
                _look_through(engine, path)
            # Before anything is changed: a database that is refused stays as it was.
            known = _known(engine, path, host=host, adopt=adopt)
            if not is_new:
                _migrate(engine)
            if known.host != host:
                _adopt(engine, host=host, now=now)
    finally:
        engine.dispose()
    os.chmod(path, 0o600)  # noqa: PTH101
    return Opened(is_new=is_new, instance=known.instance, host=host)


def _look_through(engine: Engine, path: Path) -> None:
    with engine.connect() as connection:
        check_pages(cast(sqlite3.Connection, connection.connection.driver_connection), path, with_indexes=False)


def _is_looked_through(path: Path, *, thorough: bool) -> bool:
    return thorough or path.stat().st_size <= ALWAYS_LOOKED_THROUGH_BYTES


def _create(path: Path, *, host: str, zone: str, language: Language, now: datetime) -> None:
    """Made under another name and given its own when it is whole: dying in between leaves no strange database."""
    making = path.with_name(f"{path.name}.new")
    _remove(making)
    engine = writing_engine(making)
    try:
        with translated():
            _fill(engine, host=host, zone=zone, language=language, now=now)
    except BaseException:
        engine.dispose()
        _remove(making)
        raise
    engine.dispose()
    making.replace(path)


def _fill(engine: Engine, *, host: str, zone: str, language: Language, now: datetime) -> None:
    _migrate(engine)
    with engine.connect() as connection:
        connection.exec_driver_sql("BEGIN IMMEDIATE")
        connection.exec_driver_sql(f"PRAGMA application_id={APPLICATION_ID}")
        connection.execute(
            insert(identity).values(id=1, instance=secrets.token_hex(16), host=host, created_at=now, adopted_at=now)
        )
        create_first_owner(connection, zone=zone, language=language, now=now)
        connection.exec_driver_sql("COMMIT")


def _migrate(engine: Engine) -> None:
    with engine.connect() as connection:
        migrate(connection)


def migrate(connection: Connection, revision: str = "head") -> None:
    """Bring the schema to `revision`. A database of a newer version raises StrangeDatabase."""
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    config.attributes["connection"] = connection
    try:
        with _ONE_AT_A_TIME:
            command.upgrade(config, revision)
    except CommandError as error:
        raise StrangeDatabase(
            "the database was made by a newer Stillbell: update this one (git pull), or restore an older backup"
        ) from error


def _known(engine: Engine, path: Path, *, host: str, adopt: bool) -> Row[str, str]:
    """The database's instance and the host it belongs to."""
    with engine.connect() as connection:
        whole = inspect(connection).has_table(identity.name)
        row = connection.execute(select(identity.c.instance, identity.c.host)).one_or_none() if whole else None
    if row is None:
        raise DamagedDatabase(f"{path} has no identity: it is not whole; restore the newest backup")
    if row.host != host and not adopt:
        raise StrangeDatabase(
            f"{path} belongs to the host {row.host}, and this is {host}. If it was moved here for good, adopt it: "
            "stillbell run --adopt"
        )
    return row


def _adopt(engine: Engine, *, host: str, now: datetime) -> None:
    with engine.connect() as connection:
        connection.execute(update(identity).values(host=host, adopted_at=now))


def _remove(path: Path) -> None:
    for suffix in ("", "-wal", "-shm"):
        Path(f"{path}{suffix}").unlink(missing_ok=True)
