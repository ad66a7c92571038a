"""A room for the tests of commands: an empty data folder, the command line in this process, the real daemon beside it.

def test_…(run: Run, home: Path) -> None:
    with running_house():
        code, out, err = run("accounts", "list")
"""

import asyncio
import io
import os
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager, contextmanager
from pathlib import Path
from typing import Any, TypeVar

import pytest

from bot import __main__ as command
from bot import wiring
from bot.opening import prepare_home
from bot.settings import load
from bot.wiring import House
from memory.clock import SystemClock
from tests.doubles.hand import hand

T = TypeVar("T")

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def home(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A data folder that is not there yet, and an environment that says nothing else."""
    for name in [name for name in os.environ if name.startswith(("STILLBELL_", "ANTHROPIC_", "OPENROUTER_"))]:
        monkeypatch.delenv(name)
    with tempfile.TemporaryDirectory(prefix="sb") as folder:
        monkeypatch.setenv("STILLBELL_HOME", f"{folder}/home")
        monkeypatch.setenv("STILLBELL_HOST", "here")
        monkeypatch.setenv("STILLBELL_ZONE", "Europe/Berlin")
        monkeypatch.setenv("STILLBELL_LANGUAGE", "en")
        monkeypatch.setenv("STILLBELL_WEB_PORT", "0")
        monkeypatch.setenv("STILLBELL_EMBEDDER", "off")
        yield Path(folder) / "home"


@pytest.fixture
def run(home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs the command in this process: its exit code, what it printed, and what it complained of."""

    def running(*words: str, stdin: str = "") -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["stillbell", *words])
        monkeypatch.setattr(sys, "stdin", io.StringIO(stdin))
        code = 0
        try:
            command.main()
        except SystemExit as leaving:
            code = int(leaving.code or 0)
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return running


@contextmanager
def in_thread(opening: Callable[[], AbstractAsyncContextManager[T]]) -> Iterator[T]:
    """What `opening` opens, on an event loop of its own, until the end of the block."""
    loop = asyncio.new_event_loop()
    opened: list[T] = []
    failed: list[BaseException] = []
    ready = threading.Event()
    leave = asyncio.Event()

    async def keep() -> None:
        async with opening() as it:
            opened.append(it)
            ready.set()
            await leave.wait()

    def live() -> None:
        try:
            loop.run_until_complete(keep())
        except BaseException as error:  # noqa: BLE001  told in the thread of the test
            failed.append(error)
        finally:
            ready.set()
            loop.run_until_complete(loop.shutdown_default_executor())

    thread = threading.Thread(target=live, name="in a thread")
    thread.start()
    assert ready.wait(20)
    try:
        if opened:
            yield opened[0]
    finally:
        loop.call_soon_threadsafe(leave.set)
        thread.join(20)
        loop.close()
    if failed:
        raise failed[0]


@contextmanager
def running_house() -> Iterator[House]:
    """The whole product in the data folder of this environment, in a thread."""

    def opening() -> AbstractAsyncContextManager[House]:
        settings = load()
        prepare_home(settings)
        return wiring.running(settings, clock=SystemClock(), announce=lambda line: None)

    with in_thread(opening) as house:
        yield house


def everything_kept(home: Path) -> str:
    """The whole database, as text."""
    with hand(home / "stillbell.db") as connection:
        return "\n".join(connection.iterdump())


def one(home: Path, query: str, *values: Any) -> Any:
    """The one value that `query` finds."""
    with hand(home / "stillbell.db") as connection:
        return connection.execute(query, values).fetchone()[0]
