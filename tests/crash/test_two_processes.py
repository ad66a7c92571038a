"""One writer, however many try; and a stop that loses nothing."""

import asyncio
import os
import signal
import sqlite3
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.lock import holder
from memory.errors import StrangeDatabase
from memory.sql.opening import open_database
from tests.doubles.clock import NOW
from tests.doubles.daemon import OWNER, TOKEN, Daemon
from tests.servers.bot_api import BotApiServer
from tests.servers.messages_api import Answer, MessagesServer, Text, user_says

ROOT = Path(__file__).parents[2]

# The real command, watched by Python itself: whatever opens the database is written down.
WATCHED_COMMAND = """
import sys
def look(event, values):
    if event in ("open", "sqlite3.connect") and "stillbell.db" in str(values):
        print("touched:", event, values, file=sys.stderr)
sys.addaudithook(look)
sys.argv = ["stillbell", "run", "--no-chat"]
from bot.__main__ import main
main()
"""


@pytest.fixture
async def server() -> AsyncIterator[BotApiServer]:
    async with BotApiServer(TOKEN, owner_id=OWNER) as running:
        yield running


@pytest.fixture
async def provider() -> AsyncIterator[MessagesServer]:
    async with MessagesServer() as running:
        yield running


@pytest.fixture
async def daemon(database: Path, server: BotApiServer, provider: MessagesServer) -> AsyncIterator[Daemon]:
    made = Daemon(database, server, provider=provider)
    yield made
    await made.gone()


def a_reply(text: str, *, once: asyncio.Event | None = None) -> Answer:
    return Answer([Text(f'{{"reply": "{text}", "needs_thought": false}}')], before=once)


async def test_a_second_process_ends_before_it_touches_the_database_and_names_the_first(daemon: Daemon) -> None:
    await daemon.start()
    daemon.server.owner_sends("todo: call Anna")
    await daemon.until(daemon.texts)
    await daemon.settled()
    polls, calls = len(daemon.server.polls), len(daemon.server.sent)

    second = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        WATCHED_COMMAND,
        cwd=ROOT,
        env=os.environ | daemon.environment,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, said = await asyncio.wait_for(second.communicate(), 60)

    assert second.returncode == 1
    assert f"process {daemon.process.pid} " in said.decode()
    assert "stillbell chat" in said.decode()
    assert "touched" not in said.decode()
    assert "Traceback" not in said.decode()
    assert out == b""
    assert (len(daemon.server.polls), len(daemon.server.sent)) == (polls, calls)
    assert f"process {daemon.process.pid} " in holder(daemon.home / "stillbell.lock")


async def test_of_two_that_start_at_the_same_moment_one_runs(
    database: Path, server: BotApiServer, daemon: Daemon
) -> None:
    other = Daemon(database, server)
    try:
        await asyncio.gather(daemon.start(), other.start())
        alive = [one for one in (daemon, other) if one.process.is_alive()]
        if len(alive) == 2:
            # Both were told of the same first poll; the loser's end is a moment away.
            ended, _ = await asyncio.wait(
                [asyncio.create_task(one.died()) for one in (daemon, other)], return_when=asyncio.FIRST_COMPLETED
            )
            assert [task.result() for task in ended] == [1]
        assert [one.process.is_alive() for one in (daemon, other)].count(True) == 1
    finally:
        await other.gone()


async def test_the_lock_of_a_killed_process_holds_nobody_up(daemon: Daemon) -> None:
    await daemon.start()
    first = daemon.process.pid
    await daemon.end(signal.SIGKILL)
    await daemon.start()
    assert daemon.process.is_alive()
    assert daemon.process.pid != first
    assert f"process {daemon.process.pid} " in holder(daemon.home / "stillbell.lock")


async def test_a_copy_on_another_host_refuses(daemon: Daemon) -> None:
    with pytest.raises(StrangeDatabase, match="--adopt"):
        await asyncio.to_thread(
            open_database, daemon.database, host="elsewhere", zone="Europe/Berlin", language="en", now=NOW
        )


@pytest.mark.parametrize("by", [signal.SIGTERM, signal.SIGINT], ids=["SIGTERM", "SIGINT"])
async def test_an_idle_daemon_stops_at_once_and_leaves_nothing_behind(daemon: Daemon, by: signal.Signals) -> None:
    await daemon.start()
    await daemon.settled()
    assert await daemon.end(by) == 0
    assert not (daemon.home / "stillbell.sock").exists()
    with sqlite3.connect(daemon.database) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    connection.close()


async def test_stopping_finishes_what_is_in_flight_and_a_restart_goes_on_with_the_rest(
    daemon: Daemon, provider: MessagesServer
) -> None:
    may_answer = asyncio.Event()
    provider.script(user_says("first"), a_reply("One.", once=may_answer))
    provider.script(user_says("second"), a_reply("Two."))
    await daemon.start()
    daemon.server.owner_sends("What is first?")
    await provider.wait_for_requests(1)
    daemon.server.owner_sends("What is second?")
    await daemon.until(lambda: len(daemon.rows("SELECT 1 FROM jobs WHERE kind = 'message'")) == 2)

    os.kill(daemon.process.pid or 0, signal.SIGTERM)
    await daemon.until(lambda: "daemon.stopping" in daemon.log.read_text())
    may_answer.set()
    assert await daemon.died() == 0
    assert daemon.texts() == ["One."]
    assert daemon.rows("SELECT state FROM jobs WHERE kind = 'message' ORDER BY id") == [("done",), ("pending",)]
    assert daemon.rows("SELECT interruptions FROM jobs WHERE kind = 'message'") == [(0,), (0,)]
    assert len(provider.requests) == 1

    await daemon.start()
    await daemon.until(lambda: len(daemon.texts()) == 2)
    await daemon.settled()
    assert daemon.texts() == ["One.", "Two."]


async def test_a_job_left_running_by_a_killed_process_is_done_by_the_next(
    daemon: Daemon, provider: MessagesServer
) -> None:
    provider.script(user_says("first"), a_reply("Never.", once=asyncio.Event()), a_reply("One."))
    await daemon.start()
    daemon.server.owner_sends("What is first?")
    await provider.wait_for_requests(1)
    await daemon.end(signal.SIGKILL)
    state = "SELECT state, attempts, interruptions FROM jobs WHERE kind = 'message'"
    assert daemon.rows(state) == [("running", 1, 0)]

    await daemon.start()
    await daemon.until(daemon.texts)
    await daemon.settled()
    assert daemon.texts() == ["One."]
    assert daemon.rows(state) == [("done", 2, 1)]
    # The call of the dead process may have cost money: it stands as unknown, at its worst case.
    states = daemon.rows("SELECT state FROM usage WHERE label = 'instinct' ORDER BY id")
    assert states == [("unknown",), ("settled",)]
