"""The duty *watch*: the hourly tick goes through the whole pipeline, and looks whether all is well. It uses no model."""

import shutil
from datetime import timedelta
from pathlib import Path

from memory.clock import Clock
from memory.job import Job
from memory.ledger import Ledger
from tools.alarm import PREFIX, Alarm
from tools.chat import Post

DISK_LOW_BYTES = 200 * 1024 * 1024

ALARM_AGAIN_FOR = timedelta(days=7)
"""For so long an alarm that no channel would take is tried again at every tick. It stands in the thread from the first."""


class Watch:
    """Handles the kind *tick*. Success is silent."""

    def __init__(self, ledger: Ledger, alarm: Alarm, post: Post, clock: Clock, home: Path) -> None:
        self._ledger = ledger
        self._alarm = alarm
        self._post = post
        self._clock = clock
        self._home = home

    async def __call__(self, job: Job) -> None:
        """Record the tick; alarm once a day about each thing that is wrong; try failed alarms again."""
        now = self._clock.now()
        on = now.date().isoformat()
        await self._ledger.write(lambda t: t.cursors.set("tick", now.isoformat(), now=now))
        free = shutil.disk_usage(self._home).free
        if free < DISK_LOW_BYTES:
            await self._alarm(
                f"disk:{on}", f"only {free // 1024**2} MB are left on the disk of {self._home}; free some space"
            )
        unsettled = await self._ledger.read(lambda t: t.pieces.unsettled(job.owner_id))
        # An alarm that failed is no message about which to alarm: that would go on for ever.
        lost = [key for key, _ in unsettled if not key.startswith(PREFIX)]
        if lost:
            await self._alarm(
                f"pieces:{lost[-1]}",
                f"{len(lost)} message{'s' if len(lost) > 1 else ''} may not have reached you; /brief and /loops have what matters",
            )
        if len(lost) < len(unsettled):
            since = now - ALARM_AGAIN_FOR
            self._post.post(*await self._ledger.write(lambda t: t.pieces.revive(job.owner_id, PREFIX, since=since)))
