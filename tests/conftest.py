"""The clean room of every test: none of the machine's settings, a home of its own, and a ledger made by the real door."""

import os
import shutil
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from memory.sql.ledger import SqlLedger
from memory.sql.opening import open_database
from tests.doubles.clock import NOW, FakeClock

OF_THE_MACHINE = ("STILLBELL_", "ANTHROPIC_", "OPENROUTER_", "XDG_", "LC_")


@pytest.fixture(scope="session", autouse=True)
def _clean_environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as environment:
        for name in [name for name in os.environ if name.startswith(OF_THE_MACHINE)]:
            environment.delenv(name)
        environment.setenv("STILLBELL_WEB_PORT", "0")  # one port of the machine is no place for many tests at a time
        environment.setenv("HOME", str(tmp_path_factory.mktemp("home")))
        yield


@pytest.fixture(scope="session")
def _blank_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    # Made once: the migrations take longer than most tests.
    path = tmp_path_factory.mktemp("blank") / "stillbell.db"
    open_database(path, host="here", zone="Europe/Berlin", language="en", now=NOW)
    return path


@pytest.fixture
def database(_blank_database: Path, tmp_path: Path) -> Path:
    """A new database of the host "here" whose owner lives in Berlin, opened and closed again."""
    return Path(shutil.copy(_blank_database, tmp_path / "stillbell.db"))


@pytest.fixture
async def ledger(database: Path) -> AsyncIterator[SqlLedger]:
    """The real ledger over `database`."""
    async with SqlLedger(database) as opened:
        yield opened


@pytest.fixture
def clock() -> FakeClock:
    """A clock that stands at NOW."""
    return FakeClock()
