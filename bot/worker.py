"""The worker: takes jobs and runs their handlers.

    commit ─wake─► round: settle what ended, take what may start (one transaction) ─► a task for each job ─► handler

Inline jobs run in order within their thread, background jobs beside them. A job that fails is tried again later; one that
keeps failing is parked with an alarm, and the next one runs. Stopping takes no new job, lets what runs finish within the
grace, and leaves the rest in the ledger.
"""

import asyncio
import threading
from collections.abc import Awaitable, Callable, Collection, Mapping
from contextlib import suppress
from datetime import datetime, timedelta

import structlog

from memory.clock import Clock
from memory.errors import OutOfReach
from memory.job import Finished, Job, Lane, Later, Park, Retry, after_failure, after_outage
from memory.ledger import Ledger, Tables

log = structlog.get_logger()

Handler = Callable[[Job], Awaitable[None]]
Alarm = Callable[[str, str], Awaitable[None]]

LIMITS: Mapping[Lane, int] = {"inline": 8, "background": 64}
"""How many jobs of a lane run at once."""

GRACE_FOR = timedelta(seconds=10)
"""How long stopping waits for jobs that run. What is cut off then runs again at the next start."""

AGAIN_EVERY_S = 1.0
"""How long to wait when the ledger is out of reach."""

STALLED_AFTER_S = 120.0
"""A worker that has not turned for so long hangs: several rounds are overdue."""

SET_BACK_FOR = timedelta(seconds=3)
"""A clock that shows so much less than it did was set back; less is how clocks are kept right."""

LOOK_EVERY_S = 30.0
"""A round is due at least this often, whatever was or wasn't noticed."""


class Worker:
    """`run` until `stop`. `handlers` by kind of job; `unhandled` takes every other kind."""

    def __init__(
        self, ledger: Ledger, handlers: Mapping[str, Handler], *, unhandled: Handler, alarm: Alarm, clock: Clock
    ) -> None:
        self._ledger = ledger
        self._handlers = handlers
        self._unhandled = unhandled
        self._alarm = alarm
        self._clock = clock
        self._wake = asyncio.Event()
        self._stopping = False
        self._idle = False
        self._running: dict[asyncio.Task[Finished | None], Job] = {}
        self._finished: list[Finished] = []
        self._turned_s: float | None = None
        self._latest_at: datetime | None = None
        # What a commit has taken and the event loop has not begun; the writer's thread and the event loop both look.
        self._aboard: Mapping[Lane, int] = {}
        self._boarding = threading.Lock()
        ledger.on_jobs(self._wake.set)
        ledger.ride(self._ride)

    async def recover(self) -> int:
        """At boot, before `run`: jobs left running are pending again. Returns how many."""
        now = self._clock.now()

        def work(t: Tables) -> tuple[int, list[Job]]:
            t.jobs.clamp(now=now)
            return t.jobs.recover(now=now)

        again, parked = await self._ledger.write(work)
        for job in parked:
            await self._tell_parked(job, "Stillbell ended several times while it ran")
        return again

    async def run(self) -> None:
        """Take and run jobs until `stop`; returns when the last one has ended or the grace is over."""
        while not self._stopping:
            self._turned_s = asyncio.get_running_loop().time()
            self._wake.clear()
            try:
                if await self._round() == 0:
                    await self._sleep()
            except OutOfReach as error:
                # A full disk, a database held by another program: it may pass, and nothing is lost until then.
                log.warning("the ledger is out of reach", action="worker.waits", because=str(error))
                await asyncio.sleep(AGAIN_EVERY_S)
        await self._drain()

    def stop(self) -> None:
        """Take nothing new."""
        self._stopping = True
        self._wake.set()

    @property
    def moves(self) -> bool:
        """Whether it still turns, busy or not; asked on the event loop. True before `run`."""
        return self._turned_s is None or asyncio.get_running_loop().time() - self._turned_s < STALLED_AFTER_S

    @property
    def running(self) -> list[Job]:
        """The jobs in hand."""
        return list(self._running.values())

    async def _round(self) -> int:
        finished, self._finished = self._finished, []
        room = {} if self._stopping else self._room()
        now, set_back = self._now()

        def work(t: Tables) -> list[Job]:
            if set_back:
                t.jobs.clamp(now=now)
            return t.jobs.round(finished, take=room, now=now)

        try:
            jobs = await self._ledger.write(work)
        except OutOfReach:
            self._finished = [*finished, *self._finished]
            raise
        # Every commit before this one is settled: what went along with one and was not begun came to nothing with it.
        if self._disembark():
            self._wake.set()
        if set_back:
            log.warning("the clock was set back", action="worker.clock_set_back", to=now.isoformat())
        self._latest_at = now
        self._begin(jobs)
        return len(jobs)

    def _now(self) -> tuple[datetime, bool]:
        """The present, and whether it lies before what was the present at an earlier look."""
        now = self._clock.now()
        return now, self._latest_at is not None and now < self._latest_at - SET_BACK_FOR

    def _ride(self, lanes: Collection[str]) -> tuple[Callable[[Tables], list[Job]], Callable[[list[Job]], None]] | None:
        """Take what a commit has just made, within that commit. Not while busy: the next round takes it then."""
        with self._boarding:
            if not self._idle or self._stopping or self._aboard:
                return None
            self._aboard = room = {lane: most for lane, most in self._room().items() if lane in lanes}
        now = self._clock.now()
        return (lambda t: t.jobs.round((), take=room, now=now)), self._arrive

    def _arrive(self, jobs: list[Job]) -> None:
        """What rode along begins."""
        self._disembark()
        self._begin(jobs)
        if not self._idle:
            # A round that went on meanwhile left the room alone that was kept for these.
            self._wake.set()

    def _disembark(self) -> bool:
        """Give the room free that was kept; whether there was any."""
        with self._boarding:
            kept, self._aboard = self._aboard, {}
        return bool(kept)

    def _begin(self, jobs: list[Job]) -> None:
        for job in jobs:
            task = asyncio.create_task(self._work(job), name=f"job {job.id} {job.kind}")
            self._running[task] = job
            task.add_done_callback(self._ended)

    def _room(self) -> dict[Lane, int]:
        used: dict[Lane, int] = {"inline": 0, "background": 0}
        for job in tuple(self._running.values()):
            used[job.lane] += 1
        return {lane: most - used[lane] - self._aboard.get(lane, 0) for lane, most in LIMITS.items()}

    async def _sleep(self) -> None:
        now = self._clock.now()
        due_at = await self._ledger.read(lambda t: t.jobs.next_run_at(now=now))
        wait = LOOK_EVERY_S if due_at is None else min(LOOK_EVERY_S, max(0.0, (due_at - now).total_seconds()) + 0.001)
        try:
            self._sit(idle=True)
            async with asyncio.timeout(wait):
                await self._wake.wait()
        except TimeoutError:
            pass
        finally:
            self._sit(idle=False)

    def _sit(self, *, idle: bool) -> None:
        with self._boarding:
            self._idle = idle

    async def _work(self, job: Job) -> Finished | None:
        with structlog.contextvars.bound_contextvars(job=job.id, kind=job.kind):
            try:
                await self._handlers.get(job.kind, self._unhandled)(job)
            except Later as later:
                log.debug("job put off", action="job.put_off", until=later.at.isoformat())
                return Finished(job.id, later_at=later.at)
            # Whatever a handler raises, bug or not, is that job's fate and no other's.
            except Exception as error:  # noqa: BLE001
                return await self._failed(job, error)
            log.debug("job done", action="job.done")
            return Finished(job.id)

    async def _failed(self, job: Job, error: Exception) -> Finished:
        said = f"{type(error).__name__}: {error}"[:500]
        now = self._clock.now()
        if isinstance(error, OutOfReach):
            fate: Retry | Park = after_outage(attempt=job.attempt, now=now)
        else:
            fate = after_failure(lane=job.lane, attempt=job.attempt, error=said, now=now)
        if isinstance(fate, Park):
            log.exception("job parked", action="job.parked", attempt=job.attempt)
            await self._tell_parked(job, said)
            return Finished(job.id, parked_because=fate.because, error=said)
        log.warning("job failed", action="job.failed", attempt=job.attempt, error=said, exc_info=error)
        return Finished(job.id, retry_at=fate.at, error=said)

    async def _tell_parked(self, job: Job, said: str) -> None:
        try:
            await self._alarm(f"parked:{job.id}", f"{job.kind} (job {job.id}) keeps failing and is set aside: {said}")
        # An alarm that can't be raised must not stop the job from being parked: the row itself is kept and shown by doctor.
        except Exception:
            log.exception("alarm failed", action="alarm.failed", about=job.id)

    def _ended(self, task: asyncio.Task[Finished | None]) -> None:
        self._running.pop(task)
        if not task.cancelled() and (finished := task.result()) is not None:
            self._finished.append(finished)
        self._wake.set()

    async def _drain(self) -> None:
        """Let what runs finish; cut off what takes longer than the grace."""
        with suppress(OutOfReach):
            # What rode along with a commit may not have begun yet: after this round it has.
            await self._round()
        if self._running:
            _, late = await asyncio.wait(list(self._running), timeout=GRACE_FOR.total_seconds())
            for task in late:
                task.cancel()
            if late:
                log.warning("jobs cut off", action="job.cut_off", count=len(late))
                await asyncio.wait(late)
        # What can't be put on record now is found running at the next start, and runs again.
        with suppress(OutOfReach):
            await self._round()
