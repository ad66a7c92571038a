"""A database that is not whole is refused, and the newest backup that is whole is named."""

import asyncio
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from memory.backup import name_at
from memory.errors import StrangeDatabase
from memory.sql import opening
from memory.sql.backup import back_up
from memory.sql.ledger import SqlLedger
from memory.sql.opening import open_database
from tests.doubles.clock import NOW
from tests.doubles.hand import hand, rows
from tests.doubles.spoken import publish

ROOT = Path(__file__).parents[2]
PAGE_BYTES = 4096

Spoil = Callable[[Path], object]


def zero_bytes(path: Path) -> None:
    path.write_bytes(b"")


def rubbish(path: Path) -> None:
    path.write_bytes(os.urandom(50_000))


def cut_within_the_header(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:60])


def truncated(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: -20 * PAGE_BYTES])


def cut_within_a_page(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-100])


def a_corrupt_page(path: Path) -> None:
    """The root of the table of jobs: not looked at before the first job."""
    with hand(path) as connection:
        page = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'jobs'").fetchone()[0]
    with path.open("r+b") as file:
        file.seek((page - 1) * PAGE_BYTES)
        file.write(b"\xff" * PAGE_BYTES)


def foreign(path: Path) -> None:
    path.unlink()
    with hand(path) as connection:
        connection.execute("CREATE TABLE bookmarks (url)")


STRANGE = (zero_bytes, rubbish, cut_within_the_header, truncated, cut_within_a_page, a_corrupt_page, foreign)


def opened(path: Path, *, thorough: bool = False) -> None:
    open_database(path, host="here", zone="UTC", language="en", now=NOW, thorough=thorough)


@pytest.fixture
def backups(database: Path) -> list[Path]:
    """Three backups of three days; the newest is damaged."""
    paths = [database.parent / "backups" / name_at(NOW - timedelta(days=days)) for days in range(3)]
    for path in paths:
        back_up(database, path)
    a_corrupt_page(paths[0])
    return paths


@pytest.mark.parametrize("spoil", STRANGE)
def test_it_is_refused_and_the_newest_whole_backup_is_named(database: Path, backups: list[Path], spoil: Spoil) -> None:
    spoil(database)
    before = database.read_bytes()
    with pytest.raises(StrangeDatabase) as refused:
        opened(database)
    assert f"stillbell restore {backups[1]})" in str(refused.value)
    assert database.read_bytes() == before


@pytest.mark.parametrize("spoil", STRANGE)
def test_where_there_is_no_backup_that_is_said(database: Path, spoil: Spoil) -> None:
    spoil(database)
    with pytest.raises(StrangeDatabase, match=f"none that is whole is in {database.parent / 'backups'}"):
        opened(database)


def test_a_large_database_is_looked_through_after_a_crash_only(database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "ALWAYS_LOOKED_THROUGH_BYTES", 1000)
    a_corrupt_page(database)
    opened(database)
    with pytest.raises(StrangeDatabase, match="damaged"):
        opened(database, thorough=True)


def test_the_log_of_a_killed_writer_is_no_damage(database: Path, tmp_path: Path) -> None:
    """What a kill leaves: the file as of the last checkpoint, and all the rest in the log beside it."""
    killed = tmp_path / "killed" / "stillbell.db"
    killed.parent.mkdir()

    async def write_and_copy() -> None:
        async with SqlLedger(database) as ledger:
            for number in range(20):
                await ledger.write(lambda t, n=number: publish(t, f"number {n}"))
            for ending in ("", "-wal"):
                shutil.copy(f"{database}{ending}", f"{killed}{ending}")

    asyncio.run(write_and_copy())
    opened(killed, thorough=True)
    assert rows(killed, "SELECT count(*) FROM signal_heads") == [(20,)]


def test_a_start_over_a_strange_file_ends_with_one_line_and_restoring_mends_it(
    database: Path, backups: list[Path]
) -> None:
    zero_bytes(database)
    environment = {**os.environ, "STILLBELL_HOME": str(database.parent), "STILLBELL_HOST": "here"}

    def stillbell(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "bot", *words]
        return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)

    refused = stillbell("run", "--no-chat")
    assert refused.returncode == 1
    assert refused.stderr.splitlines() == [
        f"stillbell: {database} is empty, so it is damaged: restore the newest backup, or move it away to start afresh "
        f"(the newest that is whole: stillbell restore {backups[1]})"
    ]
    restored = stillbell("restore", str(backups[1]))
    assert restored.returncode == 0, restored.stderr
    assert "Start it with: stillbell run\n" in restored.stdout
    opened(database, thorough=True)
