"""The duty *watch*: the hourly tick goes through the whole pipeline, and looks whether all is well. It uses no model."""

import shutil
from pathlib import Path

from memory.clock import Clock
from memory.job import Job
from memory.ledger import Ledger
from tools.alarm import Alarm

DISK_LOW_BYTES = 200 * 1024 * 1024


class Watch:
    """Handles the kind *tick*. Success is silent."""

    def __init__(self, ledger: Ledger, alarm: Alarm, clock: Clock, home: Path) -> None:
        self._ledger = ledger
        self._alarm = alarm
        self._clock = clock
        self._home = home

    async def __call__(self, job: Job) -> None:
        """Record the tick; alarm once a day about each thing that is wrong."""
        now = self._clock.now()
        on = now.date().isoformat()
        await self._ledger.write(lambda t: t.cursors.set("tick", now.isoformat(), now=now))
        free = shutil.disk_usage(self._home).free
        if free < DISK_LOW_BYTES:
            await self._alarm(
                f"disk:{on}", f"only {free // 1024**2} MB are left on the disk of {self._home}; free some space"
            )
        unsettled = await self._ledger.read(lambda t: t.pieces.unsettled(job.owner_id))
        if unsettled:
            await self._alarm(
                f"pieces:{unsettled[-1][0]}",
                f"{len(unsettled)} messages may not have reached you; /brief and /loops have what matters",
            )
