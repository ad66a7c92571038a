"""Signals that ask for little: what could not be read, a chat that is open again, and what nobody handles."""

from datetime import datetime

import structlog

from memory.clock import Clock
from memory.job import Job
from memory.ledger import Ledger, Tables
from memory.piece import REVIVED_FOR, Piece
from memory.wording import say
from tools.alarm import Alarm
from tools.chat import Post

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


class Membership:
    """Handles the kind *membership*: the owner has blocked or unblocked the bot."""

    def __init__(self, ledger: Ledger, post: Post, clock: Clock) -> None:
        self._ledger = ledger
        self._post = post
        self._clock = clock

    async def __call__(self, job: Job) -> None:
        """Put it on record; once the bot is unblocked, say what failed because it was blocked."""
        signal, now = job.asked_by(), self._clock.now()
        channel, blocked = str(signal.payload.get("channel", "telegram")), bool(signal.payload.get("blocked"))

        def work(t: Tables) -> list[Piece]:
            decided = "nothing to do" if blocked else "revived"
            because = "the owner has blocked the bot" if blocked else "the owner can be reached again"
            decide_once(t, job, decided=decided, because=because, now=now)
            return [] if blocked else t.pieces.revive(job.owner_id, channel, since=now - REVIVED_FOR)

        self._post.post(*await self._ledger.write(work))


def decide_once(t: Tables, job: Job, *, decided: str, because: str, now: datetime) -> bool:
    """Record what was decided about the job's signal; False when that was done before, as when a job runs again."""
    subject = f"signal:{job.signal.id}" if job.signal else f"job:{job.id}"
    if t.decisions.about(job.owner_id, subject):
        return False
    signal_id = job.signal.id if job.signal else None
    t.decisions.record(
        owner_id=job.owner_id, subject=subject, decided=decided, because=because, now=now, signal_id=signal_id
    )
    return True


class Unhandled:
    """Takes every kind without a handler: seen, nothing to do. That, too, is a decision and a row."""

    def __init__(self, ledger: Ledger, clock: Clock) -> None:
        self._ledger = ledger
        self._clock = clock

    async def __call__(self, job: Job) -> None:
        """Record that it was seen."""
        now, because = self._clock.now(), f"nobody handles the kind {job.kind}"
        await self._ledger.write(lambda t: decide_once(t, job, decided="nothing to do", because=because, now=now))
        log.info("seen", action="signal.unhandled", source=job.signal.source if job.signal else None)
