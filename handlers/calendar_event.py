"""Events: one begins soon, or something in a calendar has changed. Plain lines, without a model."""

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
    """Handles the kinds *heads_up* (`soon`) and *calendar_event* (`changed`)."""

    def __init__(self, ledger: Ledger, post: Post, clock: Clock) -> None:
        self._ledger = ledger
        self._post = post
        self._clock = clock

    async def soon(self, job: Job) -> None:
        """Say what begins soon, unless that is not so any more."""
        self._post.post(await self._ledger.write(lambda t: self._soon(t, job, self._clock.now())))

    async def changed(self, job: Job) -> None:
        """Correct what was told, and raise what now clashes."""
        pieces = await self._ledger.write(lambda t: self._changed(t, job, self._clock.now()))
        self._post.post(*pieces)
        log.info("calendar changed", action="calendar.changed", told=len(pieces))

    def _soon(self, t: Tables, job: Job, now: datetime) -> Piece | None:
        said = job.asked_by().payload
        piece = event_delivering.heads_up(
            t,
            t.owners.get(job.owner_id),
            uid=str(said["uid"]),
            occurrence=str(said.get("occurrence") or ""),
            start_at=datetime.fromisoformat(str(said["start_at"])),
            channel=self._post.home(),
            now=now,
        )
        if piece is None:
            because = "it has begun, moved, was called off or declined, or was told already"
            decide_once(t, job, decided="nothing to do", because=because, now=now)
        return piece

    def _changed(self, t: Tables, job: Job, now: datetime) -> list[Piece]:
        said, owner, channel = job.asked_by().payload, t.owners.get(job.owner_id), self._post.home()
        before = [from_plain(one) for one in said.get("before") or ()]
        pieces = event_delivering.correct(t, owner, str(said["uid"]), before, channel=channel, now=now)
        pieces += event_delivering.raise_conflicts(t, owner, channel=channel, now=now)
        told = f"{len(pieces)} lines" if pieces else "nothing to do"
        decide_once(t, job, decided=told, because="a calendar has changed", now=now)
        return pieces
