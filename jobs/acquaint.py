"""Acquaint: keeps people in step with what they stand in, in the background: who is new, and who is one person with whom.

What is left to do stands in the tables alone, so that it goes on after any stop where it was. No model has a part in it.
"""

import asyncio

import structlog

from memory.clock import Clock
from memory.exclusion import UnreadableExclusions
from memory.ledger import Ledger, Tables

log = structlog.get_logger()

AT_ONCE = 100
"""Mails, or identities, in one commit: the owner's own message waits behind at most one, some tens of milliseconds."""

REST_S = 2.0
"""After a commit so long is waited before it is looked whether somebody is new: mails come in shoals."""

AGAIN_S = 60.0
"""So long is waited while the exclusions can't be read."""


class Acquaint:
    """Run it for as long as the process lives; `wake` it after a commit."""

    def __init__(self, ledger: Ledger, clock: Clock, *, owner_id: int = 1, rest_s: float = REST_S) -> None:
        self._ledger = ledger
        self._clock = clock
        self._owner_id = owner_id
        self._rest_s = rest_s
        self._woken = asyncio.Event()

    def wake(self) -> None:
        """There may be somebody new. For Ledger.on_commit: on the event loop."""
        self._woken.set()

    async def run(self) -> None:
        """Until it is cancelled."""
        while True:
            self._woken.clear()
            try:
                if done := await self.all():
                    log.info("acquainted", action="people.acquainted", looked_at=done)
            except UnreadableExclusions as error:
                log.warning(str(error), action="people.waiting")
                await asyncio.sleep(AGAIN_S)
                continue
            await self._woken.wait()
            await asyncio.sleep(self._rest_s)

    async def all(self) -> int:
        """Everything that is due now; how much there was."""
        looked_at = 0
        while await self._ledger.read(lambda t: t.people.is_due(self._owner_id)):
            looked_at += await self._ledger.write(self._some)
        return looked_at

    def _some(self, t: Tables) -> int:
        return t.people.take(self._owner_id, limit=AT_ONCE, now=self._clock.now())
