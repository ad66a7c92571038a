"""A Stillbell that keeps dying takes its time, says so, and sets the job aside that it dies of."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest

from bot import serving, wiring
from bot.ends import WAITS_S, WITHIN_FOR, Ends, back_off
from memory.errors import Refused
from memory.job import INTERRUPTIONS_MAX
from tests.doubles.clock import FakeClock
from tests.doubles.daemon import OWNER, TOKEN, Daemon
from tests.doubles.mortal import Point
from tests.product_room import settings_for
from tests.servers.bot_api import BotApiServer


@pytest.fixture
async def server() -> AsyncIterator[BotApiServer]:
    async with BotApiServer(TOKEN, owner_id=OWNER) as running:
        yield running


def killed(path: Path, clock: FakeClock) -> timedelta:
    """A run that never comes to its end; how long it waited first."""
    return Ends(path, clock).__enter__().wait_for


def test_the_waits_grow_and_then_stay() -> None:
    waits = [back_off(number).total_seconds() for number in range(9)]
    assert waits == [0, 0, 0, 2, 10, 60, 60, 60, 60]
    assert waits[: len(WAITS_S)] == list(WAITS_S)


def test_every_bad_end_counts_until_one_is_good(tmp_path: Path, clock: FakeClock) -> None:
    path = tmp_path / "ends"
    waits = [killed(path, clock).total_seconds() for _ in range(6)]
    assert waits == [0, 0, 0, 2, 10, 60]
    with Ends(path, clock) as ends:
        assert ends.bad == 6
    with Ends(path, clock) as ends:
        assert ends.bad == 0


def test_bad_ends_of_earlier_than_ten_minutes_are_forgiven(tmp_path: Path, clock: FakeClock) -> None:
    path = tmp_path / "ends"
    for _ in range(5):
        killed(path, clock)
    clock.advance(WITHIN_FOR + timedelta(seconds=1))
    # The run that was begun then ended some time since.
    assert Ends(path, clock).__enter__().bad == 1


@pytest.mark.parametrize("back", [timedelta(minutes=5), timedelta(days=1)], ids=str)
def test_a_clock_that_is_set_back_makes_no_endless_wait(tmp_path: Path, clock: FakeClock, back: timedelta) -> None:
    path = tmp_path / "ends"
    for _ in range(5):
        killed(path, clock)
    clock.advance(-back)
    assert Ends(path, clock).__enter__().bad == (5 if back < WITHIN_FOR else 1)


def test_a_refusal_and_ctrl_c_are_no_bad_ends_and_a_bug_is(tmp_path: Path, clock: FakeClock) -> None:
    path = tmp_path / "ends"
    for error, bad in ((Refused("no"), 0), (KeyboardInterrupt(), 0), (asyncio.CancelledError(), 0), (ValueError(), 1)):
        with pytest.raises(type(error)), Ends(path, clock):
            raise error
        with Ends(path, clock) as ends:
            assert ends.bad == bad


@pytest.mark.parametrize("text", ["", "{", "[]", '{"running": true}', '{"running": true, "bad": ["yesterday"]}'])
def test_a_record_that_can_not_be_read_holds_nothing_up(tmp_path: Path, clock: FakeClock, text: str) -> None:
    path = tmp_path / "ends"
    path.write_text(text)
    with Ends(path, clock) as ends:
        assert ends.bad == 0


async def test_a_start_after_many_bad_ends_waits_and_says_so(
    database: Path, clock: FakeClock, server: BotApiServer
) -> None:
    settings = settings_for(database.parent, server.url)
    for _ in range(4):
        killed(settings.ends, clock)
    console: list[str] = []
    waited: list[timedelta] = []

    async def pause(wait_for: timedelta) -> None:
        waited.append(wait_for)

    async with wiring.running(settings, clock=clock, announce=console.append, pause=pause):
        pass
    assert waited == [timedelta(seconds=10)]
    assert "Stillbell ended badly 4 times within ten minutes: it waits 10 s before it starts." in console
    async with wiring.running(settings, clock=clock, announce=console.append, pause=pause):
        pass
    assert len(waited) == 1


async def test_sigterm_ends_the_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    stop = asyncio.Event()
    waiting = asyncio.create_task(serving._within(stop, timedelta(hours=1)))
    stop.set()
    async with asyncio.timeout(5):
        await waiting


async def test_the_job_it_dies_of_is_set_aside_and_the_next_one_runs(database: Path, server: BotApiServer) -> None:
    daemon = Daemon(database, server)
    poison = Point(what="commit", when="before", holds="SELECT 1 FROM loops WHERE title = 'poison'")
    try:
        server.owner_sends("todo: poison")
        for _ in range(INTERRUPTIONS_MAX):
            await daemon.start(dies_at=poison)
            assert await daemon.died() == -9
        server.owner_sends("todo: call Anna")
        await daemon.start(dies_at=poison)
        await daemon.settled()
        assert await daemon.end() == 0
    finally:
        await daemon.gone()
    assert daemon.rows("SELECT title FROM loops") == [("call Anna",)]
    ((state, because),) = daemon.rows("SELECT state, last_error FROM jobs WHERE kind = 'message' AND state <> 'done'")
    assert (state, because) == ("parked", f"Stillbell ended {INTERRUPTIONS_MAX} times while this was running")
    assert any("keeps failing and is set aside" in text for text in daemon.texts())
    assert "it waits 2 s before it starts" in daemon.log.read_text()
