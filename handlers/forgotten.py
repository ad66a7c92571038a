"""Forgotten bytes: a message was forgotten, and no other has brought what its file held. It goes from the disk."""

import asyncio

import structlog

from memory.job import Job
from memory.ledger import Ledger
from tools.filing import Filing

log = structlog.get_logger()

UNHELD = "unheld"
"""The kind of job by which bytes that no message holds are removed. Its payload names their `sha256`."""


class BytesForgotten:
    """Handles jobs of the kind *unheld*."""

    def __init__(self, ledger: Ledger, filing: Filing) -> None:
        self._ledger = ledger
        self._filing = filing

    async def __call__(self, job: Job) -> None:
        """Remove the bytes, unless they have been sent again since."""
        sha256 = str(job.payload["sha256"])
        if await self._ledger.read(lambda t: t.files.holds(sha256)):
            return
        await asyncio.to_thread(self._filing.path(sha256).unlink, missing_ok=True)
        log.info("bytes removed", action="file.removed")
