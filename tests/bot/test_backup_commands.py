"""`stillbell backup` and `stillbell restore`, with a daemon and without one; `doctor --alive`."""

import asyncio
import re
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from bot import __main__ as command
from bot import wiring
from bot.lock import WriterLock
from memory.sql.backup import back_up, check
from tests.doubles.clock import FakeClock
from tests.doubles.hand import hand, rows
from tests.product_room import settings_for

BY_HAND = """INSERT INTO signals (source, kind, payload) VALUES ('hand', 'thing', '{"text": "hello"}')"""

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(database: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs the command over the folder of `database`: its exit code, what it printed, and what it complained of."""
    monkeypatch.setenv("STILLBELL_HOME", str(database.parent))
    monkeypatch.setenv("STILLBELL_HOST", "here")
    monkeypatch.chdir(database.parent)

    def running(*words: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["stillbell", *words])
        capsys.readouterr()
        code = 0
        try:
            command.main()
        except SystemExit as leaving:
            code = int(leaving.code or 0)
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return running


@pytest.fixture
async def daemon(database: Path, clock: FakeClock) -> AsyncIterator[wiring.House]:
    settings = settings_for(database.parent, "", telegram_token=None)
    async with wiring.running(settings, clock=clock, announce=lambda _: None) as house:
        yield house


def made(out: str) -> Path:
    """The file that was printed."""
    found = re.search(r"^(/.*\.db): ", out, re.MULTILINE)
    assert found is not None, out
    return Path(found[1])


@pytest.mark.parametrize("where", ["", "folder", "folder/copy.db", "missing/copy.db"])
def test_without_a_daemon_a_checked_copy_is_made_where_it_is_wanted(run: Run, database: Path, where: str) -> None:
    (database.parent / "folder").mkdir()
    code, out, _ = run("backup", *([where] if where else []))
    assert code == 0
    assert "checked; 0 messages" in out
    folder = database.parent / (where.partition("/")[0] or "backups")
    assert made(out).parent == folder
    assert check(made(out)).host == "here"


def test_what_is_not_in_a_backup_is_said(run: Run, database: Path) -> None:
    files = database.parent / "files"
    assert "Kept files" not in run("backup")[1]
    files.mkdir()
    (files / "note").write_text("x")
    _, out, _ = run("backup", "copy.db")
    assert f"Kept files are not in it: they lie in {files}." in " ".join(out.split())


@pytest.mark.parametrize("words", [(), ("--backups",)], ids=["kept", "erased"])
def test_a_purge_names_the_backups_and_says_what_becomes_of_them(
    run: Run, database: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    copy = made(run("backup")[1])
    monkeypatch.setattr("typer.confirm", lambda *_, **__: True)
    monkeypatch.setattr("typer.prompt", lambda *_, **__: "purge")
    code, out, _ = run("purge", *words)
    assert code == 0
    assert str(copy) in out
    assert ("go, too" in out) is bool(words)
    assert copy.exists() is not bool(words)


async def test_a_running_daemon_makes_it(run: Run, daemon: wiring.House, database: Path) -> None:
    with hand(database) as connection:
        connection.execute(BY_HAND)
    # In a thread, because the command has an event loop of its own.
    code, out, err = await asyncio.to_thread(run, "backup")
    assert (code, err) == (0, "")
    assert made(out) == database.parent / "backups" / "stillbell-20260302T090000Z.db"
    assert check(made(out)).counts["signals"] == 1


def test_a_file_that_is_there_is_not_overwritten(run: Run, database: Path) -> None:
    (database.parent / "notes.txt").write_text("mine")
    code, _, err = run("backup", "notes.txt")
    assert code == 1
    assert "is there already" in err
    assert (database.parent / "notes.txt").read_text() == "mine"


def test_without_a_database_there_is_nothing_to_back_up(run: Run, database: Path) -> None:
    database.unlink()
    code, _, err = run("backup")
    assert code == 1
    assert "nothing to back up" in err


def test_a_backup_is_put_back_and_the_next_step_is_said(run: Run, database: Path) -> None:
    file = made(run("backup")[1])
    with hand(database) as connection:
        connection.execute(BY_HAND)
    code, out, _ = run("restore", str(file))
    assert code == 0
    assert out.splitlines()[0] == f"{file} is in place."
    assert "stillbell.db.before-restore-" in out
    assert out.splitlines()[2] == "Start it with: stillbell run"
    assert rows(database, "SELECT count(*) FROM signal_heads") == [(0,)]


def test_on_another_host_the_next_step_is_to_adopt_it(
    run: Run, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = made(run("backup")[1])
    monkeypatch.setenv("STILLBELL_HOST", "there")
    assert "stillbell run --adopt" in run("restore", str(file))[1]


def test_nothing_is_put_back_while_stillbell_runs(run: Run, database: Path) -> None:
    back_up(database, database.parent / "copy.db")
    before = database.read_bytes()
    with WriterLock(database.parent / "stillbell.lock"):
        code, _, err = run("restore", "copy.db")
    assert code == 1
    assert "already running" in err
    assert database.read_bytes() == before


@pytest.mark.parametrize("name", ["nowhere.db", "notes.txt"])
def test_what_is_no_backup_is_refused_in_a_line(run: Run, database: Path, name: str) -> None:
    (database.parent / "notes.txt").write_text("mine, and longer than a hundred bytes " * 5)
    code, _, err = run("restore", name)
    assert code == 1
    assert err.startswith("stillbell: ")
    assert len(err.splitlines()) == 1


async def test_the_quick_check_says_whether_the_daemon_answers(run: Run, daemon: wiring.House) -> None:
    assert (await asyncio.to_thread(run, "doctor", "--alive"))[0] == 0


def test_the_quick_check_fails_when_nobody_answers(run: Run, database: Path) -> None:
    assert run("doctor", "--alive") == (1, "", "")
    with WriterLock(database.parent / "stillbell.lock"):
        assert run("doctor", "--alive")[0] == 1
