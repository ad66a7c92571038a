"""The worker: every job runs to its end or is set aside loudly, each thread in order, and stopping loses nothing."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

import bot.worker
from bot.worker import LIMITS, Worker
from memory.job import Job, Later
from memory.ledger import Tables
from memory.sql.ledger import SqlLedger
from tests.doubles.clock import FakeClock
from tests.doubles.hand import hand, rows
from tests.doubles.spoken import publish
from tests.doubles.stumbling import StumblingLedger

Handler = Callable[[Job], Awaitable[None]]

HOURLY = timedelta(hours=1)
"""A clock that moves so far at every look finds every retry due at once."""


class Desk:
    """A worker with its alarms, and what went through its hands: (kind, signal's source id) in order of starting."""

    def __init__(self, ledger: Any, handlers: Mapping[str, Handler] | None = None, clock: Any = None) -> None:
        self.ledger = ledger
        self.alarms: list[tuple[str, str]] = []
        self.unhandled: list[str] = []
        self.handlers = dict(handlers or {})
        self.worker = Worker(
            ledger, self.handlers, unhandled=self._unhandled, alarm=self._alarm, clock=clock or FakeClock()
        )

    async def _unhandled(self, job: Job) -> None:
        self.unhandled.append(job.kind)

    async def _alarm(self, key: str, text: str) -> None:
        self.alarms.append((key, text))

    @asynccontextmanager
    async def working(self) -> AsyncIterator[asyncio.Task[None]]:
        """The worker at work until the block ends."""
        task = asyncio.create_task(self.worker.run())
        try:
            yield task
        finally:
            self.worker.stop()
            await asyncio.wait_for(task, 20)

    async def counts(self, wanted: Callable[[Mapping[str, int]], bool]) -> Mapping[str, int]:
        """How many jobs stand in each state, once that is as wanted."""
        changed = asyncio.Event()
        self.ledger.on_commit(changed.set)
        async with asyncio.timeout(15):
            while True:
                changed.clear()
                counts = await self.ledger.read(lambda t: t.jobs.counts())
                if wanted(counts):
                    return counts  # type: ignore[no-any-return]
                await changed.wait()

    async def settled(self) -> Mapping[str, int]:
        """The counts once nothing is left to do."""
        return await self.counts(lambda counts: not counts.get("pending") and not counts.get("running"))


class Recorder:
    """A handler that notes what it is given, and fails as often as told for each source id."""

    def __init__(self, fails: Mapping[str, int] | None = None) -> None:
        self.seen: list[str] = []
        self._fails = dict(fails or {})

    async def __call__(self, job: Job) -> None:
        source_id = job.asked_by().source_id
        self.seen.append(source_id)
        await asyncio.sleep(0)
        if self._fails.get(source_id):
            self._fails[source_id] -= 1
            raise ZeroDivisionError(f"about {source_id}")


class Holding:
    """A handler that waits to be let go."""

    def __init__(self) -> None:
        self.started = asyncio.Event()
        self.let_go = asyncio.Event()
        self.inside = 0
        self.most = 0
        self.enough = asyncio.Event()
        self.wanted = 1

    async def __call__(self, job: Job) -> None:
        self.inside += 1
        self.most = max(self.most, self.inside)
        self.started.set()
        if self.inside >= self.wanted:
            self.enough.set()
        await self.let_go.wait()
        self.inside -= 1


async def say(ledger: Any, *source_ids: str, kind: str = "message") -> None:
    await ledger.write(lambda t: [publish(t, source_id, kind=kind) for source_id in source_ids])


# --- running ---


@pytest.mark.parametrize("before", [True, False], ids=["waiting at the start", "coming while it waits"])
async def test_every_job_is_run_once(ledger: SqlLedger, before: bool) -> None:
    handler = Recorder()
    desk = Desk(ledger, {"message": handler})
    if before:
        await say(ledger, "a", "b", "c")
    async with desk.working():
        if not before:
            for source_id in ("a", "b", "c"):
                await say(ledger, source_id)
        assert await desk.settled() == {"done": 3}
    assert handler.seen == ["a", "b", "c"]
    assert desk.alarms == []


async def test_a_signal_by_hand_is_run(ledger: SqlLedger, database: Path) -> None:
    handler = Recorder()
    desk = Desk(ledger, {"note": handler})
    async with desk.working():
        with hand(database) as connection:
            connection.execute("INSERT INTO signals (source, kind, payload) VALUES ('cron', 'note', '{}')")
        await desk.counts(lambda counts: counts.get("done") == 1)
    assert len(handler.seen) == 1


async def test_a_kind_that_nobody_handles_is_taken_note_of(ledger: SqlLedger) -> None:
    desk = Desk(ledger)
    await say(ledger, "a", kind="hologram")
    async with desk.working():
        assert await desk.settled() == {"done": 1}
    assert desk.unhandled == ["hologram"]


async def test_a_thread_keeps_its_order_through_every_failure(ledger: SqlLedger) -> None:
    handler = Recorder({"2": 2, "4": 99})
    desk = Desk(ledger, {"message": handler}, FakeClock(step_for=HOURLY))
    await say(ledger, *"12345")
    async with desk.working():
        assert await desk.settled() == {"done": 4, "parked": 1}
    assert handler.seen == ["1", "2", "2", "2", "3", "4", "4", "4", "5"]


async def test_a_tap_does_not_wait_for_a_message_that_is_being_answered(ledger: SqlLedger) -> None:
    talk, tap = Holding(), Recorder()
    desk = Desk(ledger, {"message": talk, "tap": tap})
    async with desk.working():
        await say(ledger, "m")
        await asyncio.wait_for(talk.started.wait(), 10)
        await say(ledger, "t", kind="tap")
        assert await desk.counts(lambda counts: counts.get("done") == 1) == {"done": 1, "running": 1}
        talk.let_go.set()
    assert tap.seen == ["t"]


async def test_as_many_run_beside_one_another_as_may_and_no_more(ledger: SqlLedger) -> None:
    handler = Holding()
    handler.wanted = LIMITS["background"]
    desk = Desk(ledger, {"mail": handler})
    await say(ledger, *(str(number) for number in range(LIMITS["background"] + 6)), kind="mail")
    async with desk.working():
        await asyncio.wait_for(handler.enough.wait(), 10)
        assert await desk.counts(lambda counts: True) == {"running": 64, "pending": 6}
        assert len(desk.worker.running) == handler.most == 64
        handler.let_go.set()
        assert await desk.settled() == {"done": 70}
    assert handler.most == 64


# --- failing ---


async def test_a_failing_job_is_tried_again_until_it_succeeds(ledger: SqlLedger, database: Path) -> None:
    handler = Recorder({"a": 4})
    desk = Desk(ledger, {"mail": handler}, FakeClock(step_for=HOURLY))
    await say(ledger, "a", kind="mail")
    async with desk.working():
        assert await desk.settled() == {"done": 1}
    assert handler.seen == ["a"] * 5
    assert rows(database, "SELECT attempts FROM jobs") == [(5,)]
    assert desk.alarms == []


async def test_a_job_is_not_tried_again_before_its_time(ledger: SqlLedger) -> None:
    handler, clock = Recorder({"a": 1}), FakeClock()
    desk = Desk(ledger, {"mail": handler}, clock)
    await say(ledger, "a", kind="mail")
    async with desk.working():
        await desk.counts(lambda counts: counts.get("pending") == 1 and len(handler.seen) == 1)
        await say(ledger, "nudge", kind="other")
        await desk.counts(lambda counts: counts.get("done") == 1)
        assert handler.seen == ["a"]
        clock.advance(timedelta(seconds=2))
        await say(ledger, "nudge again", kind="other")
        assert await desk.settled() == {"done": 3}
    assert handler.seen == ["a", "a"]


async def test_a_job_that_puts_itself_off_is_no_failure_however_often(ledger: SqlLedger) -> None:
    clock, seen = FakeClock(step_for=HOURLY), list[int]()

    async def six_times_later(job: Job) -> None:
        seen.append(job.attempt)
        if len(seen) <= 6:
            raise Later(clock.now())

    desk = Desk(ledger, {"message": six_times_later}, clock)
    await say(ledger, "a")
    async with desk.working():
        assert await desk.settled() == {"done": 1}
    assert seen == [1] * 7
    assert desk.alarms == []


async def test_a_job_that_keeps_failing_is_set_aside_with_an_alarm_and_the_next_runs(ledger: SqlLedger) -> None:
    handler = Recorder({"poison": 99})
    desk = Desk(ledger, {"message": handler}, FakeClock(step_for=HOURLY))
    await say(ledger, "poison", "after")
    async with desk.working():
        assert await desk.settled() == {"parked": 1, "done": 1}
    assert handler.seen == ["poison"] * 3 + ["after"]
    ((key, text),) = desk.alarms
    assert key == "parked:1"
    assert "message" in text
    assert "ZeroDivisionError: about poison" in text
    ((_, _, reason),) = await ledger.read(lambda t: t.jobs.parked(1))
    assert "about poison" in reason


async def test_a_job_is_set_aside_even_if_its_alarm_fails(ledger: SqlLedger) -> None:
    desk = Desk(ledger, {"message": Recorder({"poison": 99})}, FakeClock(step_for=HOURLY))

    async def broken(key: str, text: str) -> None:
        raise ConnectionError

    desk.worker = Worker(
        ledger, desk.handlers, unhandled=desk._unhandled, alarm=broken, clock=FakeClock(step_for=HOURLY)
    )
    await say(ledger, "poison", "after")
    async with desk.working():
        assert await desk.settled() == {"parked": 1, "done": 1}


# --- the ledger out of reach ---


@pytest.mark.parametrize("failures", [1, 5])
async def test_a_ledger_out_of_reach_is_waited_for_and_no_end_is_forgotten(
    ledger: SqlLedger, monkeypatch: pytest.MonkeyPatch, failures: int
) -> None:
    monkeypatch.setattr(bot.worker, "AGAIN_EVERY_S", 0)
    stumbling, handler = StumblingLedger(ledger), Recorder()

    async def fills_the_disk(job: Job) -> None:
        await handler(job)
        stumbling.fails = failures

    desk = Desk(stumbling, {"mail": fills_the_disk, "message": handler})
    await say(ledger, "a", kind="mail")
    async with desk.working() as task:
        await desk.counts(lambda counts: counts.get("done") == 1)
        await say(ledger, "b")
        assert await desk.settled() == {"done": 2}
        assert not task.done()
    assert handler.seen == ["a", "b"]


async def test_stopping_on_a_full_disk_still_stops_and_what_ended_runs_again(ledger: SqlLedger) -> None:
    stumbling, handler = StumblingLedger(ledger), Holding()
    desk = Desk(stumbling, {"mail": handler})
    await say(ledger, "a", kind="mail")
    async with desk.working():
        await asyncio.wait_for(handler.started.wait(), 10)
        stumbling.fails = 99
        handler.let_go.set()
    assert await ledger.read(lambda t: t.jobs.counts()) == {"running": 1}
    assert await Desk(ledger).worker.recover() == 1


# --- stopping ---


async def test_stopping_finishes_what_runs_and_leaves_the_rest(ledger: SqlLedger) -> None:
    handler = Holding()
    desk = Desk(ledger, {"message": handler})
    await say(ledger, "runs", "waits")
    task = asyncio.create_task(desk.worker.run())
    await asyncio.wait_for(handler.started.wait(), 10)
    desk.worker.stop()
    await say(ledger, "comes late", kind="mail")
    handler.let_go.set()
    await asyncio.wait_for(task, 10)
    assert await ledger.read(lambda t: t.jobs.counts()) == {"done": 1, "pending": 2}
    assert handler.most == 1


async def test_a_job_that_hangs_past_the_grace_is_cut_off_and_runs_at_the_next_start(
    ledger: SqlLedger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bot.worker, "GRACE_FOR", timedelta(milliseconds=1))
    hanging = Holding()
    desk = Desk(ledger, {"message": hanging})
    await say(ledger, "a")
    async with desk.working():
        await asyncio.wait_for(hanging.started.wait(), 10)
    assert await ledger.read(lambda t: t.jobs.counts()) == {"running": 1}
    assert desk.worker.running == []
    handler = Recorder()
    again = Desk(ledger, {"message": handler})
    assert await again.worker.recover() == 1
    async with again.working():
        assert await again.settled() == {"done": 1}
    assert handler.seen == ["a"]


async def test_a_job_that_a_commit_has_taken_along_while_stopping_is_finished_too(ledger: SqlLedger) -> None:
    handler = Recorder()
    desk = Desk(ledger, {"message": handler})
    loop = asyncio.get_running_loop()
    writer: Any = ledger._writer
    asked = writer.rider

    def stopped_just_then(*lanes: Any) -> Any:
        # The race: the job is taken in the writer's thread, and before its handler can begin somebody stops the worker.
        ride = asked(*lanes)
        loop.call_soon_threadsafe(desk.worker.stop)
        return ride

    writer.rider = stopped_just_then
    task = asyncio.create_task(desk.worker.run())
    while not desk.worker._idle:  # noqa: ASYNC110 there is no event for being idle
        await asyncio.sleep(0.001)
    await say(ledger, "a")
    await asyncio.wait_for(task, 10)
    assert handler.seen == ["a"]
    assert desk.worker.running == []
    assert await ledger.read(lambda t: t.jobs.counts()) == {"done": 1}


async def test_an_idle_worker_takes_a_job_in_the_commit_that_made_it(ledger: SqlLedger, database: Path) -> None:
    handler = Holding()
    desk = Desk(ledger, {"message": handler})
    states: list[Any] = []
    async with desk.working():
        while not desk.worker._idle:  # noqa: ASYNC110 there is no event for being idle
            await asyncio.sleep(0.001)
        ledger.on_commit(lambda: states.append(rows(database, "SELECT state FROM jobs")))
        await say(ledger, "a")
        await asyncio.wait_for(handler.started.wait(), 10)
        handler.let_go.set()
    assert states[0] == [("running",)]


async def test_two_commits_never_take_the_same_room(ledger: SqlLedger) -> None:
    """The writer's thread may ask for a second commit before the event loop has begun what the first one took."""
    handler, rooms = Holding(), list[Any]()
    handler.wanted = LIMITS["background"]
    desk = Desk(ledger, {"mail": handler})
    writer: Any = ledger._writer
    async with desk.working():
        while not desk.worker._idle:  # noqa: ASYNC110 there is no event for being idle
            await asyncio.sleep(0.001)
        asked = writer.rider

        def twice(lanes: Any) -> Any:
            first, second = asked(lanes), asked(lanes)
            rooms.append((first is not None, second, desk.worker._room()["background"]))
            return first

        writer.rider = twice
        await say(ledger, *(str(number) for number in range(LIMITS["background"] + 6)), kind="mail")
        await asyncio.wait_for(handler.enough.wait(), 10)
        assert await desk.counts(lambda counts: True) == {"running": 64, "pending": 6}
        handler.let_go.set()
        assert await desk.settled() == {"done": 70}
    assert rooms[0] == (True, None, 0)
    assert handler.most == 64


async def test_a_commit_that_failed_with_what_it_had_taken_leaves_the_room_free(ledger: SqlLedger) -> None:
    handler = Recorder()
    desk = Desk(ledger, {"message": handler})
    writer: Any = ledger._writer
    async with desk.working():
        while not desk.worker._idle:  # noqa: ASYNC110 there is no event for being idle
            await asyncio.sleep(0.001)
        assert writer.rider({"inline"}) is not None  # and nothing comes of it
        await say(ledger, "a")
        await desk.settled()
        assert desk.worker._room() == LIMITS
    assert handler.seen == ["a"]


# --- a clock that is set back ---


async def test_a_retry_does_not_wait_for_a_clock_that_was_set_back(ledger: SqlLedger, database: Path) -> None:
    handler, clock = Recorder({"a": 1}), FakeClock()
    desk = Desk(ledger, {"mail": handler}, clock)
    await say(ledger, "a", kind="mail")
    async with desk.working():
        await desk.counts(lambda counts: counts.get("pending") == 1 and len(handler.seen) == 1)
        clock.advance(-timedelta(days=1))
        await say(ledger, "nudge", kind="other")
        await desk.counts(lambda counts: counts.get("done") == 1)
        ((due,),) = rows(database, "SELECT run_at FROM jobs WHERE state = 'pending'")
        assert due == "2026-03-01T09:00:02.000Z"
        clock.advance(timedelta(seconds=2))
        await say(ledger, "nudge again", kind="other")
        assert await desk.settled() == {"done": 3}
    assert handler.seen == ["a", "a"]


async def test_a_job_put_off_looks_anew_when_the_clock_was_set_back_while_stillbell_was_down(
    ledger: SqlLedger,
) -> None:
    ahead, seen = FakeClock().advance(timedelta(days=1)), list[str]()

    async def later(job: Job) -> None:
        seen.append("put off")
        raise Later(ahead)

    desk = Desk(ledger, {"message": later})
    await say(ledger, "a")
    async with desk.working():
        await desk.counts(lambda counts: counts.get("pending") == 1 and seen == ["put off"])
    handler = Recorder()
    again = Desk(ledger, {"message": handler})
    await again.worker.recover()
    async with again.working():
        assert await again.settled() == {"done": 1}
    assert handler.seen == ["a"]


# --- starting again ---


async def test_a_job_that_ran_at_several_deaths_is_set_aside_with_an_alarm_at_the_start(ledger: SqlLedger) -> None:
    def dies_thrice(t: Tables) -> None:
        publish(t, "a")
        for _ in range(2):
            t.jobs.round((), take={"inline": 1}, now=FakeClock().now())
            t.jobs.recover(now=FakeClock().now())
        t.jobs.round((), take={"inline": 1}, now=FakeClock().now())

    await ledger.write(dies_thrice)
    desk = Desk(ledger)
    assert await desk.worker.recover() == 0
    ((key, text),) = desk.alarms
    assert key == "parked:1"
    assert "ended several times" in text
