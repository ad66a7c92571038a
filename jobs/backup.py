"""The duty *backup*: every night a checked copy of the database, and the copies that are no longer needed taken away."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import structlog

from memory.backup import HIDDEN, name_at, superseded
from memory.clock import Clock
from memory.job import Job
from memory.ledger import Ledger

log = structlog.get_logger()

LEFT_FOR = timedelta(days=1)
"""A copy that has not become whole in so long was cut off by a crash."""


class BackupDuty:
    """Handles the kind *backup*; the backups lie in `folder`. Success is silent; a failure is tried again, then alarms."""

    def __init__(self, ledger: Ledger, clock: Clock, folder: Path) -> None:
        self._ledger = ledger
        self._clock = clock
        self._folder = folder

    async def __call__(self, job: Job) -> None:
        """Make the backup, and only then take away older ones. Raises what `Ledger.back_up` raises."""
        made = await self._ledger.back_up(self._folder / name_at(self._clock.now()))
        log.info("backup made", action="backup.made", path=str(made.path), size_bytes=made.size_bytes)
        names = superseded(path.name for path in self._folder.iterdir())
        for path in (*(self._folder / name for name in names), *self._cut_off()):
            path.unlink(missing_ok=True)
            log.info("backup removed", action="backup.removed", path=str(path))

    def _cut_off(self) -> list[Path]:
        before = self._clock.now() - LEFT_FOR
        hidden = self._folder.glob(f"{HIDDEN}*")
        return [path for path in hidden if datetime.fromtimestamp(path.stat().st_mtime, UTC) < before]
