"""Events: one begins soon, with somebody from outside, or something in a calendar has changed. Plain lines, without a model."""

from collections.abc import Callable
from datetime import datetime

import structlog

from handlers.other import decide_once
from memory.clock import Clock
from memory.event import from_plain
from memory.job import Job
from memory.ledger import Ledger, Tables
from memory.piece import Piece
from tools import event_delivering
from tools.chat import Post

log = structlog.get_logger()


class CalendarEvents:
    """Handles the kinds *heads_up* (`soon`), *company* (`met`) and *calendar_event* (`changed`)."""

    def __init__(self, ledger: Ledger, post: Post, clock: Clock) -> None:
        self._ledger = ledger
        self._post = post
        self._clock = clock

    async def soon(self, job: Job) -> None:
        """Say what begins soon, unless that is not so any more."""
        self._post.post(await self._ledger.write(lambda t: self._soon(t, job, self._clock.now())))

    async def met(self, job: Job) -> None:
        """Show who one is about to meet, if that is worth a word."""
        self._post.post(await self._ledger.write(lambda t: self._met(t, job, self._clock.now())))

    async def changed(self, job: Job) -> None:
        """Correct what was told, and raise what now clashes."""
        pieces = await self._ledger.write(lambda t: self._changed(t, job, self._clock.now()))
        self._post.post(*pieces)
        log.info("calendar changed", action="calendar.changed", told=len(pieces))

    def _soon(self, t: Tables, job: Job, now: datetime) -> Piece | None:
        piece = self._told(event_delivering.heads_up, t, job, now)
        if piece is None:
            because = "it has begun, moved, was called off or declined, or was told already"
            decide_once(t, job, decided="nothing to do", because=because, now=now)
        return piece

    def _met(self, t: Tables, job: Job, now: datetime) -> Piece | None:
        piece = self._told(event_delivering.company, t, job, now)
        if piece is None:
            because = "it is no more about to begin, or its company needs no word"
            decide_once(t, job, decided="nothing to do", because=because, now=now)
        return piece

    def _told(self, tell: Callable[..., Piece | None], t: Tables, job: Job, now: datetime) -> Piece | None:
        said = job.asked_by().payload
        return tell(
            t,
            t.owners.get(job.owner_id),
            uid=str(said["uid"]),
            occurrence=str(said.get("occurrence") or ""),
            start_at=datetime.fromisoformat(str(said["start_at"])),
            channel=self._post.home(),
            now=now,
        )

    def _changed(self, t: Tables, job: Job, now: datetime) -> list[Piece]:
        said, owner, channel = job.asked_by().payload, t.owners.get(job.owner_id), self._post.home()
        before = [from_plain(one) for one in said.get("before") or ()]
        pieces = event_delivering.correct(t, owner, str(said["uid"]), before, channel=channel, now=now)
        pieces += event_delivering.raise_conflicts(t, owner, channel=channel, now=now)
        told = f"{len(pieces)} lines" if pieces else "nothing to do"
        decide_once(t, job, decided=told, because="a calendar has changed", now=now)
        return pieces
