"""The rows of a Messages database (`chat.db`), read beside the program that writes it, without ever holding it up.

A database that is in use has a journal beside it: both are copied and the copy is read. One at rest is read where it is,
as a file that nobody changes. Only plain tables are looked into, and only such columns as there are: they have grown over
the years.

This is somebody else's file and no part of what is kept: hence SQL outside memory/sql (see the contract).
"""

import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from memory.errors import BadInput

TRIES = 3
"""So often a copy is taken anew when the database was written to meanwhile."""

VALUE_MAX_BYTES = 16 << 20

_WANTED = {
    "message": (
        "ROWID guid text attributedBody handle_id date is_from_me associated_message_type item_type date_edited date_retracted"
    ),
    "handle": "ROWID id",
    "chat": "ROWID guid chat_identifier display_name style",
    "chat_message_join": "chat_id message_id",
    "chat_handle_join": "chat_id handle_id",
    "attachment": "ROWID transfer_name mime_type",
    "message_attachment_join": "message_id attachment_id",
}
_NEEDED = {"message": "ROWID guid date is_from_me", "handle": "ROWID id", "chat": "ROWID guid", "chat_message_join": ""}

Row = dict[str, Any]


class NoChatDb(BadInput):
    """It is no Messages database that can be read. Says why."""


@contextmanager
def opened(path: Path) -> Iterator["ChatDb"]:
    """The database at `path`, for reading. Raises NoChatDb."""
    with tempfile.TemporaryDirectory(prefix="stillbell-") as folder:
        file, how = _at_rest(path, Path(folder))
        try:
            with closing(sqlite3.connect(f"{file.as_uri()}?{how}", uri=True, check_same_thread=False)) as connection:
                yield ChatDb(_guarded(connection))
        except sqlite3.Error as error:
            raise NoChatDb(f"{path} can't be read as a Messages database ({error})") from error


class ChatDb:
    """The rows. Every method may raise NoChatDb through `opened`: whoever reads does so within it."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._columns = {table: self._there(table, names.split()) for table, names in _WANTED.items()}
        for table, names in _NEEDED.items():
            missing = set(names.split()) - set(self._columns[table])
            if missing or not self._columns[table]:
                raise NoChatDb(f"it is no Messages database: there is no {table} {' '.join(sorted(missing))}".rstrip())

    def handles(self) -> dict[int, str]:
        """Every number and address, by id."""
        return {row["ROWID"]: str(row["id"] or "") for row in self._rows("SELECT ROWID, id FROM handle")}

    def chats(self) -> Iterator[Row]:
        """Every chat, with `handles`: who else is in it."""
        with_whom: dict[int, list[int]] = {}
        if self._columns["chat_handle_join"]:
            for row in self._rows("SELECT chat_id, handle_id FROM chat_handle_join ORDER BY rowid"):
                with_whom.setdefault(row["chat_id"], []).append(row["handle_id"])
        for row in self._rows(f"SELECT {self._named('chat')} FROM chat ORDER BY ROWID"):
            yield {**row, "handles": with_whom.get(row["ROWID"], [])}

    def mark(self, chat_id: int) -> str:
        """Another one whenever something was said, changed or taken back in a chat."""
        latest = ", ".join(
            f"max(m.{name})"
            for name in ("ROWID", "date", "date_edited", "date_retracted")
            if name in self._columns["message"]
        )
        query = (
            f"SELECT count(*), {latest} FROM chat_message_join j JOIN message m ON m.ROWID = j.message_id "
            "WHERE j.chat_id = ?"
        )
        return ".".join(str(value) for value in self._connection.execute(query, (chat_id,)).fetchone())

    def messages(self, chat_id: int) -> Iterator[Row]:
        """The messages of a chat in order, with `files`: (name, media type) of what came with them."""
        files = self._files(chat_id)
        named = ", ".join(f"m.{name}" for name in self._columns["message"])
        query = (
            f"SELECT {named} FROM chat_message_join j JOIN message m ON m.ROWID = j.message_id "
            "WHERE j.chat_id = ? ORDER BY m.date, m.ROWID"
        )
        for row in self._rows(query, chat_id):
            yield {**row, "files": files.get(row["ROWID"], [])}

    def _files(self, chat_id: int) -> dict[int, list[tuple[str, str]]]:
        found: dict[int, list[tuple[str, str]]] = {}
        if not (self._columns["attachment"] and self._columns["message_attachment_join"]):
            return found
        query = (
            f"SELECT a.message_id, {', '.join(f'f.{name}' for name in self._columns['attachment'])} "
            "FROM chat_message_join j JOIN message_attachment_join a ON a.message_id = j.message_id "
            "JOIN attachment f ON f.ROWID = a.attachment_id WHERE j.chat_id = ?"
        )
        for row in self._rows(query, chat_id):
            told = (str(row.get("transfer_name") or ""), str(row.get("mime_type") or ""))
            found.setdefault(row["message_id"], []).append(told)
        return found

    def _there(self, table: str, names: list[str]) -> list[str]:
        """Those of the columns that the table has; none when it is no plain table."""
        kinds = self._connection.execute("SELECT type FROM sqlite_master WHERE name = ?", (table,)).fetchall()
        if kinds != [("table",)]:
            return []
        there = {str(row[1]).lower() for row in self._connection.execute(f"PRAGMA table_info({table})")}
        return [name for name in names if name.lower() in there or name == "ROWID"]

    def _named(self, table: str) -> str:
        return ", ".join(self._columns[table])

    def _rows(self, query: str, *values: object) -> Iterator[Row]:
        cursor = self._connection.execute(query, values)
        names = [column[0] for column in cursor.description]
        for row in cursor:
            yield dict(zip(names, row, strict=True))


def _guarded(connection: sqlite3.Connection) -> sqlite3.Connection:
    """Nothing that stands in the file is run, and text of any bytes is read."""
    connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, VALUE_MAX_BYTES)
    for pragma in ("trusted_schema = OFF", "cell_size_check = ON", "query_only = ON", "mmap_size = 0"):
        connection.execute(f"PRAGMA {pragma}")
    return connection


def _at_rest(path: Path, folder: Path) -> tuple[Path, str]:
    """A file that nobody writes to, and how it is to be opened."""
    try:
        if not _journal(path):
            return path.resolve(), "mode=ro&immutable=1"
        for _ in range(TRIES):
            before = _mark(path)
            copy = folder / "chat.db"
            shutil.copyfile(path, copy)
            shutil.copyfile(f"{path}-wal", f"{copy}-wal")
            if _mark(path) == before:
                return copy, "mode=rw"
    except OSError as error:
        raise NoChatDb(
            f"{path} can't be read ({error.strerror}). On a Mac, give the terminal full access to the disk "
            "(System Settings, Privacy & Security), or import a copy"
        ) from error
    raise NoChatDb(f"{path} is being written to: try again in a moment")


def _journal(path: Path) -> bool:
    journal = Path(f"{path}-wal")
    return journal.exists() and journal.stat().st_size > 0


def _mark(path: Path) -> tuple[int, int]:
    """Only the database itself: what is added to the journal meanwhile is whole or left out."""
    found = path.stat()
    return found.st_mtime_ns, found.st_size
