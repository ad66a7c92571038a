"""The duty *train*: once a week the decision model is learned anew from what the owner did with their mail.

Learning runs in a process of its own: its libraries take a hundred megabytes, and the daemon is not to wait for them.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from pathlib import Path

import structlog

from memory.clock import Clock
from memory.decide.score import Fitted
from memory.errors import BadInput
from memory.job import Job
from memory.ledger import Ledger
from tools.learning.apart import Known
from tools.learning.keeping import save
from tools.scoring import Scoring

log = structlog.get_logger()

TRAIN = "train"
"""The kind of signal that asks for it."""

Learns = Callable[[Sequence[Known], datetime], Awaitable[Fitted]]
"""Learns from outcomes; raises BadInput when they are too few."""


class Train:
    """Handles the kind *train*."""

    def __init__(self, ledger: Ledger, scoring: Scoring, clock: Clock, folder: Path, *, learns: Learns) -> None:
        self._ledger = ledger
        self._scoring = scoring
        self._clock = clock
        self._folder = folder
        self._learns = learns

    async def __call__(self, job: Job) -> None:
        """Learn, keep what was learned, and use it from now on. Too little to learn from is no failure: the rules go on."""
        now = self._clock.now()
        outcomes = await self._scoring.outcomes()
        try:
            fitted = await self._learns([(one.features, one.acted, one.at) for one in outcomes], now)
        except BadInput as error:
            await self._record(job, "not trained", str(error), now)
            return
        await asyncio.to_thread(save, fitted, self._folder)
        self._scoring.reload()
        because = f"{fitted.mails} mails, {fitted.acted} acted on, {fitted.since:%Y-%m-%d} to {fitted.until:%Y-%m-%d}"
        await self._record(job, "trained" if fitted.is_enough else "trained on too little", because, now)

    async def _record(self, job: Job, decided: str, because: str, now: datetime) -> None:
        signal_id = job.signal.id if job.signal else None
        await self._ledger.write(
            lambda t: t.decisions.record(
                owner_id=job.owner_id,
                subject="decision model",
                decided=decided,
                because=because,
                now=now,
                signal_id=signal_id,
            )
        )
        log.info("the decision model", action="decision.trained", decided=decided, because=because)
