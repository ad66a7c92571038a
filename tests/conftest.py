"""The clean room of every test: none of the machine's settings, a home of its own, and a ledger made by the real door."""

import os
import shutil
import signal
from collections.abc import AsyncIterator, Generator, Iterator
from pathlib import Path

# pytest rewrites llmock, a plugin, whenever it is first imported. Here no thread of a test runs yet: CPython 3.11.7 loses
# count of its depth when two threads build syntax trees at once, and llmock's own server imports the rest in a thread.
import llmock.main
import llmock.testing  # noqa: F401
import pytest

from memory.sql.ledger import SqlLedger
from memory.sql.opening import open_database
from tests.doubles.clock import NOW, FakeClock

# A shell that starts the tests in the background has them ignore Ctrl-C, and every child of theirs would inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

OF_THE_MACHINE = ("STILLBELL_", "ANTHROPIC_", "OPENROUTER_", "XDG_", "LC_")

NEVER_TOLD = (
    "not-a-real-token-but-as-long-as-one",
    "another-token-that-nobody-knows",
    "sk-test-key-0123456789",
    "the-password-of-work-0123456789",
)
"""The secrets that the rooms of the tests are given: no log line and no print of any test may spell one."""

_told = pytest.StashKey[set[str]]()


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


def pytest_configure(config: pytest.Config) -> None:
    config.stash[_told] = set()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """What a test wrote, log lines among it, is looked through for secrets: a check of the whole suite that costs nothing."""
    report = yield
    if any(secret in text for _, text in report.sections for secret in NEVER_TOLD):
        item.config.stash[_told].add(report.nodeid)
    return report


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    for nodeid in sorted(config.stash[_told]):
        terminalreporter.write_line(f"A SECRET WAS WRITTEN OUT during {nodeid}", red=True)


def pytest_sessionfinish(session: pytest.Session) -> None:
    if session.config.stash[_told]:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
