import asyncio
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from bot import __main__ as command
from bot.lock import WriterLock
from bot.terminal import asking
from bot.terminal.asks import asks
from bot.terminal.wire import Progress, Steps
from memory.clock import SystemClock
from tests.bot.terminal_room import Room, fresh_database, room
from tests.tools.test_importing import mail, mbox

ROOT = Path(__file__).parents[2]

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def home(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty data folder, and an environment that says nothing else."""
    for name in [name for name in os.environ if name.startswith(("STILLBELL_", "ANTHROPIC_", "OPENROUTER_"))]:
        monkeypatch.delenv(name)
    with tempfile.TemporaryDirectory(prefix="sb") as folder:
        monkeypatch.setenv("STILLBELL_HOME", folder)
        monkeypatch.setenv("STILLBELL_HOST", "here")
        yield Path(folder)


@pytest.fixture
def run(home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs the command in this process: its exit code, what it printed, and what it complained of."""

    def running(*words: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["stillbell", *words])
        code = 0
        try:
            command.main()
        except SystemExit as leaving:
            code = int(leaving.code or 0)
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return running


@pytest.fixture
def kept(home: Path) -> Path:
    """A database in the data folder, as a stopped daemon leaves it."""
    database = home / "stillbell.db"
    database.write_bytes(fresh_database())
    database.chmod(0o600)
    return database


@contextmanager
def daemon(home: Path, **more: object) -> Iterator[Room]:
    """A server at the socket of the data folder, in a thread with a loop of its own."""
    began: list[Room] = []
    ready = threading.Event()
    loop = asyncio.new_event_loop()
    leave = asyncio.Event()

    async def keep() -> None:
        async with room(home=home) as it:
            it.asks.update(asks(it.ledger, SystemClock()))
            it.asks.update(more)  # type: ignore[arg-type]
            began.append(it)
            ready.set()
            await leave.wait()

    thread = threading.Thread(target=lambda: loop.run_until_complete(keep()))
    thread.start()
    assert ready.wait(10)
    try:
        yield began[0]
    finally:
        loop.call_soon_threadsafe(leave.set)
        thread.join()
        loop.run_until_complete(loop.shutdown_default_executor())
        loop.close()


def test_help_names_every_command_and_shows_examples(run: Run) -> None:
    code, out, _ = run("--help")
    assert code == 0
    for name in ("run", "chat", "web", "import", "find", "doctor", "usage"):
        assert f"stillbell {name}" in out or f" {name} " in out
    assert "stillbell find invoice anna" in out


@pytest.mark.parametrize("name", ["run", "chat", "web", "import", "find", "doctor", "usage"])
def test_every_command_has_its_own_help(run: Run, name: str) -> None:
    code, out, _ = run(name, "--help")
    assert code == 0
    assert "Usage: stillbell" in out


def test_help_is_quick_because_nothing_heavy_is_imported() -> None:
    heavy = "sqlalchemy", "alembic", "telegram", "anthropic", "pydantic", "prompt_toolkit", "httpx", "selectolax"
    program = f"import sys, bot.__main__; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_the_version_is_told(run: Run) -> None:
    assert run("--version")[:2] == (0, "stillbell 0.1.0\n")


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        pytest.param(("chat",), 1, "Start it with: make run", id="chat without a daemon"),
        pytest.param(("find", "x"), 1, "nothing is kept", id="find without a database"),
        pytest.param(("usage",), 1, "nothing is kept", id="usage without a database"),
        pytest.param(("import", "/nowhere/at/all"), 2, "give", id="import of nothing"),
        pytest.param(("find",), 2, "Missing argument", id="find without words"),
        pytest.param(("find", "x", "--limit", "0"), 2, "--limit", id="a limit out of range"),
        pytest.param(("fnd", "x"), 2, "No such command", id="a slip of the pen"),
    ],
)
def test_every_error_says_what_to_do_and_shows_no_traceback(
    run: Run, words: tuple[str, ...], code: int, told: str
) -> None:
    got, out, err = run(*words)
    assert got == code
    assert told in err
    assert "Traceback" not in err + out


def test_a_setting_that_can_not_be_used_is_named(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STILLBELL_MODEL_PRICE_IN", "cheap")
    code, _, err = run("usage")
    assert code == 2
    assert "MODEL_PRICE_IN" in err


def test_a_bug_is_not_hidden(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> object:
        raise ZeroDivisionError

    monkeypatch.setattr(asking, "ask", broken)
    with pytest.raises(ZeroDivisionError):
        run("usage")


@pytest.mark.parametrize("with_daemon", [False, True], ids=["alone", "through the daemon"])
def test_what_is_imported_is_found_with_a_daemon_and_without(
    run: Run, home: Path, kept: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, with_daemon: bool
) -> None:
    mbox(tmp_path / "m", mail(1), mail(2, "The heron landed at noon."), b"\nno header at all\n")
    monkeypatch.chdir(tmp_path)

    def import_and_find() -> None:
        code, out, _ = run("import", "m")
        assert code == 0
        assert "Read 3 mails in 1 file: 2 new, 0 known already, 1 unreadable. 2 mails are kept" in out
        assert f"{tmp_path / 'm'}, byte" in out
        assert "Nothing new" in run("import", "m")[1]
        code, out, _ = run("find", "heron", "noon")
        assert code == 0
        assert out.splitlines() == [
            "Mail",
            "2026-03-02 08:00  Anna Example <anna@example.org>  Note 2",
            "    The heron landed at noon.",
            "    mail:2",
            "Found by words; open one with: stillbell show REF",
        ]
        code, out, _ = run("show", "mail:2")
        assert code == 0
        assert out.splitlines()[-1] == "The heron landed at noon."
        assert "stillbell find tells the refs" in run("show", "mail:9")[2]
        assert run("find", "nonesuch") == (0, "Nothing found. Try fewer words, or other ones.\n", "")

    if with_daemon:
        with daemon(home):
            import_and_find()
    else:
        import_and_find()


def test_an_import_makes_the_database_when_there_is_none(run: Run, home: Path, tmp_path: Path) -> None:
    code, out, _ = run("import", str(mbox(tmp_path / "m", mail(1))))
    assert code == 0
    assert "1 new" in out
    assert (home / "stillbell.db").stat().st_mode & 0o777 == 0o600


def test_bad_mails_are_listed_up_to_twenty(run: Run, kept: Path, tmp_path: Path) -> None:
    code, out, _ = run("import", str(mbox(tmp_path / "m", *[b"\nno header at all\n"] * 25)))
    assert code == 0
    assert "25 unreadable" in out
    assert out.count("byte ") == 20
    assert "…" in out


def test_an_import_beside_another_writer_is_refused_with_its_name(run: Run, home: Path, tmp_path: Path) -> None:
    with WriterLock(home / "stillbell.lock"):
        code, _, err = run("import", str(mbox(tmp_path / "m", mail(1))))
    assert code == 1
    assert f"process {os.getpid()}" in err
    assert not (home / "stillbell.db").exists()


def test_ctrl_c_ends_an_import_in_a_line_and_stops_it_in_the_daemon(home: Path, kept: Path, tmp_path: Path) -> None:
    began, stopped = threading.Event(), threading.Event()

    async def endless(args: object) -> Steps:
        try:
            progress = {"total_bytes": 1, "done_bytes": 0, "new": 0, "repeated": 0, "bad": 0}
            yield Progress(data=progress)
            began.set()
            await asyncio.Event().wait()
        finally:
            stopped.set()

    with daemon(home, **{"import": endless}):
        words = [sys.executable, "-m", "bot", "import", str(mbox(tmp_path / "m", mail(1)))]
        with subprocess.Popen(words, cwd=ROOT, stderr=subprocess.PIPE, text=True) as importing:
            assert began.wait(20)
            importing.send_signal(signal.SIGINT)
            _, err = importing.communicate(timeout=20)
        assert stopped.wait(10)
    assert importing.returncode == 130
    assert err == "Stopped. What was read is kept; the same command goes on from here.\n"


def test_usage_says_so_when_no_model_was_called(run: Run, kept: Path) -> None:
    code, out, _ = run("usage")
    assert code == 0
    assert "no model was called; 0.0000 of 5.00 USD" in out


def test_the_doctor_has_one_line_for_each_part(run: Run, home: Path, kept: Path) -> None:
    code, out, _ = run("doctor")
    lines = [line.split()[:2] for line in out.splitlines()]
    assert lines == [
        ["settings", "ok"],
        ["database", "ok"],
        ["lock", "off"],
        ["clock", "ok"],
        ["telegram", "off"],
        ["web", "off"],
        ["model", "off"],
        ["account", "off"],
        ["watched", "off"],
        ["imports", "off"],
        ["meaning", "off"],
        ["excluded", "off"],
        ["decision", "off"],
        ["chain", "ok"],
        ["disk", "ok"],
    ]
    assert code == 0


def test_the_doctor_asks_the_running_daemon(run: Run, home: Path, kept: Path) -> None:
    with WriterLock(home / "stillbell.lock"), daemon(home):
        code, out, _ = run("doctor")
    assert code == 0
    assert f"lock      ok   process {os.getpid()}" in out


def test_the_doctor_fails_when_something_is_wrong(run: Run, home: Path, kept: Path) -> None:
    shutil.copyfile(__file__, kept)
    with WriterLock(home / "stillbell.lock"):
        code, out, _ = run("doctor")
    assert code == 1
    assert "database  bad" in out
    assert "lock      bad" in out


def test_a_pipe_is_answered_and_ends(run: Run, home: Path, kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with daemon(home) as it, Path(os.devnull).open() as nothing:
        monkeypatch.setattr(sys, "stdin", nothing)
        assert run("chat") == (0, "", "")
        assert it.signals() == []
