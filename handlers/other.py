"""Signals that ask for little: what could not be read, what nobody handles, and the hourly tick."""

import structlog

from memory.clock import Clock
from memory.job import Job
from memory.ledger import Ledger
from memory.wording import say
from tools.alarm import Alarm

log = structlog.get_logger()


class Unreadable:
    """Handles the kind *unreadable*: the row is kept, the owner is told, the next one is handled."""

    def __init__(self, ledger: Ledger, alarm: Alarm) -> None:
        self._ledger = ledger
        self._alarm = alarm

    async def __call__(self, job: Job) -> None:
        """Tell the owner once."""
        signal = job.asked_by()
        owner = await self._ledger.read(lambda t: t.owners.get(job.owner_id))
        await self._alarm(signal.source_id, say(owner.language, "unreadable", signal=signal.id))


class Unhandled:
    """Takes every kind without a handler: seen, nothing to do. That, too, is a decision and a row."""

    def __init__(self, ledger: Ledger, clock: Clock) -> None:
        self._ledger = ledger
        self._clock = clock

    async def __call__(self, job: Job) -> None:
        """Record that it was seen."""
        now = self._clock.now()
        await self._ledger.write(
            lambda t: t.decisions.record(
                owner_id=job.owner_id,
                subject=f"signal:{job.signal.id}" if job.signal else f"job:{job.id}",
                decided="nothing to do",
                because=f"nobody handles the kind {job.kind}",
                now=now,
                signal_id=job.signal.id if job.signal else None,
            )
        )
        log.info("seen", action="signal.unhandled", source=job.signal.source if job.signal else None)
