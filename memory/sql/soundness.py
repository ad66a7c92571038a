"""Soundness: whether a file is a database of ours, and whole."""

import sqlite3
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

from memory.errors import StrangeDatabase
from memory.sql.schema import APPLICATION_ID

HEADER_BYTES = 100

VERSIONS = Path(__file__).parents[2] / "alembic" / "versions"

RESTORE = "restore the newest backup, or move it away to start afresh"


class DamagedDatabase(StrangeDatabase):
    """The file is not a whole database of ours: only a backup helps."""


def check_header(path: Path) -> None:
    """Look at the file's first hundred bytes, opening nothing. Raises DamagedDatabase.

    A zero-byte file is a damaged database, not a new one: SQLite itself would open it as empty without a word.
    """
    size_bytes = path.stat().st_size
    with path.open("rb") as file:
        header = file.read(HEADER_BYTES)
    if size_bytes == 0:
        raise DamagedDatabase(f"{path} is empty, so it is damaged: {RESTORE}")
    if size_bytes < HEADER_BYTES:
        raise DamagedDatabase(f"{path} is cut off after {size_bytes} bytes: {RESTORE}")
    if header[:16] != b"SQLite format 3\0":
        raise DamagedDatabase(f"{path} is not a database: {RESTORE}")
    if _is_cut_off(path, header, size_bytes):
        raise DamagedDatabase(f"{path} is cut off after {size_bytes} bytes: {RESTORE}")
    if int.from_bytes(header[68:72], "big") != APPLICATION_ID:
        raise DamagedDatabase(
            f"{path} was not made by Stillbell: move it away, set STILLBELL_HOME to another folder, "
            "or restore the newest backup"
        )


def _is_cut_off(path: Path, header: bytes, size_bytes: int) -> bool:
    """Whether the file is shorter than it says, or ends within a page. While there is a log the rest may stand in that."""
    log = Path(f"{path}-wal")
    if log.exists() and log.stat().st_size > 0:
        return False
    page_bytes = int.from_bytes(header[16:18], "big")
    pages = int.from_bytes(header[28:32], "big")
    # 1 stands for 65,536, which two bytes can't say (sqlite.org/fileformat2.html, 1.3.2).
    page_bytes = 65_536 if page_bytes == 1 else page_bytes
    return size_bytes % page_bytes != 0 or size_bytes < pages * page_bytes if page_bytes else True


def is_earlier(path: Path) -> bool:
    """Whether an earlier version left the database, and none has brought it to this version's schema since."""
    newest = max(file.name.partition("_")[0] for file in VERSIONS.glob("[0-9]*.py"))
    with closing(sqlite3.connect(f"file:{quote(str(path))}?mode=ro", uri=True)) as connection:
        try:
            row = connection.execute("SELECT version_num FROM alembic_version").fetchone()
        except sqlite3.Error:
            # No database of ours, or a damaged one: whoever reads it says so.
            return False
    return row is not None and str(row[0]) < newest


def check_pages(connection: sqlite3.Connection, path: Path, *, with_indexes: bool) -> None:
    """Look at every page; `with_indexes` takes about twice as long. Raises DamagedDatabase."""
    pragma = "integrity_check" if with_indexes else "quick_check"
    found = connection.execute(f"PRAGMA {pragma}(1)").fetchone()[0]
    if found != "ok":
        raise DamagedDatabase(f"{path} is damaged ({found.splitlines()[-1]}): {RESTORE}")
