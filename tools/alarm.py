"""The alarm: Stillbell tells its owner that something of its own is wrong. Raised once a key; written before it is sent."""

import asyncio
from datetime import timedelta

import structlog

from memory.clock import Clock
from memory.errors import OutOfReach
from memory.ledger import Ledger, Tables
from memory.piece import NewPiece, Piece
from memory.wording import say
from tools.chat import Post

log = structlog.get_logger()

AGAIN_FOR = timedelta(seconds=5)
"""How long an alarm waits that can't be put on record."""

PREFIX = "alarm:"
"""How the key of every alarm begins."""


class Alarm:
    """Call it with a key (the same fault has the same key) and a sentence for the owner."""

    def __init__(self, ledger: Ledger, post: Post, clock: Clock, owner_id: int) -> None:
        self._ledger = ledger
        self._post = post
        self._clock = clock
        self._owner_id = owner_id

    async def __call__(self, key: str, text: str) -> None:
        """Say it, unless this key was told before."""
        await self._raise(key, text, daily=False)

    async def daily(self, key: str, text: str) -> None:
        """Say it, unless this key was told before on the same day of the owner's."""
        await self._raise(key, text, daily=True)

    async def _raise(self, key: str, text: str, *, daily: bool) -> None:
        log.warning(text, action="alarm.raised", key=key)
        self._post.post(await self._written(key, text, daily=daily))

    async def _written(self, key: str, text: str, *, daily: bool) -> Piece | None:
        """On record, however long the ledger is out of reach: a full disk is just what an alarm may be about."""
        while True:
            try:
                return await self._ledger.write(lambda t: self._write(t, key, text, daily=daily))
            except OutOfReach as error:
                log.warning("the alarm waits", action="alarm.waits", key=key, because=str(error))
                await asyncio.sleep(AGAIN_FOR.total_seconds())

    def _write(self, t: Tables, key: str, text: str, *, daily: bool) -> Piece | None:
        owner, now = t.owners.get(self._owner_id), self._clock.now()
        on = f":{owner.zones.wall_at(now).date()}" if daily else ""
        new = NewPiece(
            key=f"{PREFIX}{key}{on}",
            owner_id=self._owner_id,
            channel=self._post.home(),
            text=say(owner.language, "alarm", text=text),
        )
        return t.pieces.say(new, now=now, handing=True)
