"""A disk that is full and a database that another program holds: nothing is lost, nothing is acknowledged, it heals by itself."""

import os
import resource
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from memory.errors import OutOfReach
from memory.sql import engine
from memory.sql.ledger import SqlLedger
from tests.doubles.clock import FakeClock
from tests.doubles.daemon import OWNER, TOKEN, Daemon
from tests.doubles.spoken import publish
from tests.product_room import open_product
from tests.servers.bot_api import BotApiServer

HOLDER = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("BEGIN IMMEDIATE")
print("held", flush=True)
sys.stdin.read()
"""


@pytest.fixture
async def server() -> AsyncIterator[BotApiServer]:
    async with BotApiServer(TOKEN, owner_id=OWNER) as running:
        yield running


@pytest.fixture
async def daemon(database: Path, server: BotApiServer) -> AsyncIterator[Daemon]:
    made = Daemon(database, server)
    yield made
    await made.gone()


@contextmanager
def full_disk(pid: int, at_bytes: int) -> Iterator[None]:
    """No file of this process grows beyond so many bytes: its next writes fail as they do on a full disk."""
    soft, hard = resource.prlimit(pid, resource.RLIMIT_FSIZE)
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (at_bytes, hard))
    try:
        yield
    finally:
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (soft, hard))


@contextmanager
def held(database: Path) -> Iterator[None]:
    """Another process is in the middle of a transaction."""
    words = [sys.executable, "-c", HOLDER, str(database)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        yield
        assert holder.stdin is not None
        holder.stdin.close()


def log_bytes(database: Path) -> int:
    """How long the write-ahead log is: the disk is full just behind it."""
    return Path(f"{database}-wal").stat().st_size


async def test_on_a_full_disk_nothing_is_acknowledged_and_all_is_done_once_there_is_room(
    daemon: Daemon, server: BotApiServer, database: Path
) -> None:
    await daemon.start()
    server.owner_sends("todo: the first")
    await daemon.settled()
    assert daemon.process.pid is not None
    with full_disk(daemon.process.pid, log_bytes(database)):
        polls = len(server.polls)
        for number in range(5):
            server.owner_sends(f"todo: errand {number}")
        await server.wait_until(lambda: len(server.polls) > polls)
        # Reading goes on, and so does the process.
        assert (await daemon.ask("doctor"))["parts"]["telegram"] == "paired"
        assert len(server.updates) == 5
        assert daemon.rows("SELECT count(*) FROM loops") == [(1,)]
    await daemon.settled()
    assert daemon.rows("SELECT title FROM loops ORDER BY id") == [
        ("the first",),
        *((f"errand {number}",) for number in range(5)),
    ]
    said = [text for text in daemon.texts() if text.startswith("Kept open")]
    assert said == ["Kept open: the first", *(f"Kept open: errand {number}" for number in range(5))]
    assert await daemon.end() == 0


async def test_a_ledger_on_a_full_disk_keeps_what_it_has_and_says_what_to_do(ledger: SqlLedger, database: Path) -> None:
    for number in range(20):
        await ledger.write(lambda t, n=number: publish(t, f"before {n}"))
    acknowledged = 20
    with full_disk(os.getpid(), log_bytes(database)):
        for number in range(20):
            with pytest.raises(OutOfReach, match="nothing was written"):
                await ledger.write(lambda t, n=number: publish(t, f"full {n}"))
        assert await ledger.read(lambda t: sum(t.signals.exists("made", f"before {n}") for n in range(20))) == 20
    await ledger.write(lambda t: publish(t, "after"))
    counted = await ledger.read(lambda t: sum(t.jobs.counts().values()))
    assert counted == acknowledged + 1


async def test_a_backup_on_a_full_disk_fails_and_leaves_nothing(ledger: SqlLedger, database: Path) -> None:
    folder = database.parent / "backups"
    with full_disk(os.getpid(), 20_000), pytest.raises(OutOfReach):
        await ledger.back_up(folder / "copy.db")
    assert list(folder.iterdir()) == []
    assert (await ledger.back_up(folder / "copy.db")).path.exists()


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy timeout of a twentieth of a second instead of five."""
    monkeypatch.setattr(engine, "BUSY_TIMEOUT_MS", 50)


@pytest.mark.usefixtures("hasty")
async def test_a_database_held_longer_than_the_timeout_is_said_and_reading_goes_on(database: Path) -> None:
    async with SqlLedger(database) as ledger:
        with held(database):
            with pytest.raises(OutOfReach, match="another program holds the database"):
                await ledger.write(lambda t: publish(t, "held"))
            assert await ledger.read(lambda t: t.signals.exists("made", "held")) is False
        await ledger.write(lambda t: publish(t, "free"))
        assert await ledger.read(lambda t: t.signals.exists("made", "free")) is True


@pytest.mark.usefixtures("hasty")
async def test_what_arrives_while_the_database_is_held_is_answered_once_when_it_is_free(
    database: Path, clock: FakeClock, server: BotApiServer
) -> None:
    async with open_product(database, clock, server=server) as product:
        with held(database):
            polls = len(server.polls)
            server.owner_sends("todo: call Anna")
            await server.wait_until(lambda: len(server.polls) >= polls + 2)
            assert server.calls("sendMessage") == []
            assert len(server.updates) == 1
        await product.settled()
        assert product.loops == {"call Anna": "open"}
        assert [call.params["text"] for call in server.calls("sendMessage")] == ["Kept open: call Anna"]
