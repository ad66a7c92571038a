"""Meaning: the embedding model in the daemon: loaded when nothing else is to be done, kept warm, and put to work.

start ─► the conversation is quiet ─► load (beside the event loop) ─► hand it to the ledger ─► jobs/embed, for as long as it runs

Until then, and without a model, search goes by words alone, and says so.
"""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta

import structlog

from jobs.embed import Embed
from memory.errors import BadInput, OutOfReach
from memory.ledger import Tables
from memory.search.embedder import Embedder
from memory.sql.ledger import SqlLedger

log = structlog.get_logger()

SETTLES_FOR = timedelta(seconds=3)
"""So long after the start it waits first: the model takes a second of the processor, and the first reply comes before it."""

BUSY_FOR = timedelta(milliseconds=500)
"""So often it is looked whether the conversation is quiet again."""

FAILED_FOR = timedelta(minutes=1)
"""So long it rests when the disk would not take what was made."""


class Meaning:
    """Run it once. `load` gives the model, or None; `busy` says whether the conversation has work left."""

    def __init__(
        self,
        ledger: SqlLedger,
        *,
        load: Callable[[], Embedder | None],
        busy: Callable[[Tables], bool],
        owner_id: int = 1,
        pause: Callable[[timedelta], Awaitable[None]] | None = None,
    ) -> None:
        self._ledger = ledger
        self._load = load
        self._busy = busy
        self._owner_id = owner_id
        self._pause = pause or _pause
        self.trouble: str | None = None
        """What stands in the way, in words."""

    async def run(self) -> None:
        """Until it is cancelled; at once done where there is no model."""
        await self._pause(SETTLES_FOR)
        await self.quiet()
        try:
            model = await asyncio.to_thread(self._load)
        except BadInput as error:
            self.trouble = str(error)
            log.warning("no finding by meaning", action="embed.no_model", because=self.trouble)
            return
        if model is None:
            return
        self._ledger.find_by_meaning(model)
        await self._warm(model)
        log.info("finding by meaning", action="embed.ready", model=model.name)
        embed = Embed(self._ledger, model, owner_id=self._owner_id, quiet=self.quiet)
        self._ledger.on_commit(embed.wake)
        while True:
            try:
                await embed.run()
            except OutOfReach as error:
                log.warning("vectors not kept", action="embed.failed", because=str(error))
                await self._pause(FAILED_FOR)

    async def quiet(self) -> None:
        """Wait until the conversation has no work left."""
        while await self._ledger.read(self._busy):
            await self._pause(BUSY_FOR)

    async def _warm(self, model: Embedder) -> None:
        """Read the index into memory and ask the model once, so that the first question waits for neither."""
        vector = await asyncio.to_thread(model.embed_query, "warm")
        await self._ledger.read(lambda t: t.search.nearest(self._owner_id, vector))


async def _pause(wait_for: timedelta) -> None:
    await asyncio.sleep(wait_for.total_seconds())
