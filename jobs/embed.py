"""Embed: gives what can be found its vectors, in the background, what is found often and what is newest first.

What is left to do stands in the tables alone, so that it goes on after any stop where it was. One thread does it, as the
least urgent of the process; search goes by words meanwhile.
"""

import asyncio
import os
import threading
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import structlog

from memory.ledger import Ledger
from memory.search.embedder import Embedder, Unembedded

log = structlog.get_logger()

LOOKED_UP = 512
"""So many passages are looked up at a time: finding the next ones is work, too."""

AT_ONCE = 8
"""So many are embedded and kept together: a second or two of work."""

REST_S = 5.0
"""After a commit so long is waited before it is looked whether something new is to be found: mails come in shoals."""

NICENESS = 15


class Embed:
    """Run it for as long as the process lives; `wake` it after a commit. `quiet` waits until it is in nobody's way."""

    def __init__(
        self,
        ledger: Ledger,
        embedder: Embedder,
        *,
        owner_id: int = 1,
        rest_s: float = REST_S,
        quiet: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        self._ledger = ledger
        self._quiet = quiet
        self._embedder = embedder
        self._owner_id = owner_id
        self._rest_s = rest_s
        self._woken = asyncio.Event()

    def wake(self) -> None:
        """There may be something new. For Ledger.on_commit: on the event loop."""
        self._woken.set()

    async def run(self) -> None:
        """Until it is cancelled."""
        with ThreadPoolExecutor(1, "embed", initializer=_step_back) as worker:
            while True:
                self._woken.clear()
                done = await self.all(worker)
                if done:
                    log.info("embedded", action="embed.done", passages=done)
                await self._woken.wait()
                await asyncio.sleep(self._rest_s)

    async def all(self, worker: ThreadPoolExecutor) -> int:
        """Everything that is without a vector now; how many passages got one."""
        await self._ledger.write(lambda t: t.search.note_uses(self._owner_id))
        done = 0
        while waiting := await self._ledger.read(lambda t: t.search.unembedded(self._owner_id, limit=LOOKED_UP)):
            kept = 0
            for start in range(0, len(waiting), AT_ONCE):
                kept += await self._some(worker, waiting[start : start + AT_ONCE])
            if not kept:
                break  # All of it was changed meanwhile: the change has woken us.
            done += kept
        while await self._ledger.write(lambda t: t.search.block()):
            pass
        return done

    async def _some(self, worker: ThreadPoolExecutor, some: Sequence[Unembedded]) -> int:
        if self._quiet is not None:
            await self._quiet()
        loop = asyncio.get_running_loop()
        vectors = await loop.run_in_executor(worker, self._embedder.embed, [one.text for one in some])
        pairs = list(zip(some, vectors, strict=True))
        return await self._ledger.write(lambda t: t.search.keep_vectors(self._owner_id, pairs))


def _step_back() -> None:
    """Let every other thread of the machine go first."""
    with suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICENESS)
