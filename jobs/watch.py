"""The duty *watch*: the hourly tick goes through the whole pipeline, and looks whether all is well. It uses no model."""

import json
import shutil
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path

from memory.clock import Clock
from memory.job import Job
from memory.ledger import Ledger, Tables
from memory.piece import REVIVED_FOR, Piece
from tools.alarm import PREFIX, Alarm
from tools.chat import Post
from tools.exit import asking

DISK_LOW_BYTES = 200 * 1024 * 1024

TAPS_LAST_FOR = timedelta(hours=24)
"""So long Telegram keeps what the owner does for a bot that is not there: a tap before that came to nothing."""

TICK = "tick"
"""The cursor that holds when the watch last looked."""

TOLD_LOST = "lost told"
"""The cursor that holds the keys of the lost pieces that the owner has been told of."""


class Watch:
    """Handles the kind *tick*. Success is silent."""

    def __init__(self, ledger: Ledger, alarm: Alarm, post: Post, clock: Clock, home: Path) -> None:
        self._ledger = ledger
        self._alarm = alarm
        self._post = post
        self._clock = clock
        self._home = home

    async def __call__(self, job: Job) -> None:
        """Record the tick; alarm about each new thing that is wrong; try again what the owner was out of reach for."""
        owner_id, now = job.owner_id, self._clock.now()
        self._post.post(*await self._ledger.write(lambda t: self._look(t, owner_id, now)))
        free = shutil.disk_usage(self._home).free
        if free < DISK_LOW_BYTES:
            await self._alarm.daily(
                "disk", f"only {free // 1024**2} MB are left on the disk of {self._home}; free some space"
            )
        lost, told = await self._ledger.read(lambda t: _lost(t, owner_id))
        if new := [key for key in lost if key not in told]:
            await self._alarm(
                f"pieces:{new[-1]}",
                f"{len(new)} message{'s' if len(new) > 1 else ''} may not have reached you; /brief and /loops have what matters",
            )
        if set(lost) != told:
            await self._ledger.write(lambda t: t.cursors.set(TOLD_LOST, json.dumps(lost), owner_id=owner_id, now=now))

    def _look(self, t: Tables, owner_id: int, now: datetime) -> list[Piece | None]:
        before, home = t.cursors.get(TICK, owner_id=owner_id), self._post.home()
        t.cursors.set(TICK, now.isoformat(), owner_id=owner_id, now=now)
        revived = t.pieces.revive(owner_id, home, since=now - REVIVED_FOR)
        if before is None or now - datetime.fromisoformat(before) < TAPS_LAST_FOR:
            return [*revived]
        return [*revived, *asking.show_after_absence(t, owner_id, channel=home, now=now)]


def _lost(t: Tables, owner_id: int) -> tuple[Sequence[str], set[str]]:
    """The keys of what is lost, oldest first, and of what was told of that."""
    unsettled = t.pieces.unsettled(owner_id)
    # An alarm that failed is no message about which to alarm: that would go on for ever.
    lost = [key for key, _ in unsettled if not key.startswith(PREFIX)]
    return lost, set(json.loads(t.cursors.get(TOLD_LOST, owner_id=owner_id) or "[]"))
