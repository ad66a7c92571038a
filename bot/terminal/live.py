"""Live: one look at the thread after a commit, told to everybody who follows it.

    commit ─► wake ─► look (one snapshot) ─► offer to each follower what is new and what reads otherwise

A newcomer gets the history and everything after it: nothing twice, and nothing between the two is lost.
"""

import asyncio
from collections.abc import Callable
from typing import Protocol

import structlog

from bot.terminal.following import Seen, history, look
from bot.terminal.wire import Answer, Said
from memory.errors import StillbellError
from memory.ledger import Ledger, Tables

COALESCE_S = 0.02
"""After one look at the thread, the commits of this long share the next."""

log = structlog.get_logger()


class Follower(Protocol):
    """Somebody who follows the thread."""

    def offer(self, answer: Answer) -> None:
        """Take what happened, without waiting."""
        ...


class Live:
    """Tells followers what happens in the thread of `owner_id`. `busy` says whether the thread has work left.

    `run` looks; it ends when cancelled. `wake` asks for another look, as every commit has to.
    """

    def __init__(self, ledger: Ledger, owner_id: int, *, busy: Callable[[Tables], bool] = lambda _: False) -> None:
        self._ledger = ledger
        self._owner_id = owner_id
        self._busy = busy
        self._followers: set[Follower] = set()
        self._settling: dict[Follower, Callable[[], None]] = {}
        self._seen: Seen | None = None
        self._looking = asyncio.Lock()
        self._woken = asyncio.Event()

    def wake(self) -> None:
        """Something may have happened."""
        self._woken.set()

    def tell(self, answer: Answer) -> None:
        """Tell every follower something that stands in no row."""
        for follower in self._followers:
            follower.offer(answer)

    async def join(self, follower: Follower, *, limit: int, after_id: int | None) -> list[Said]:
        """Follow from now on. Returns the history as `following.history` does, up to the first thing that is offered.

        Whoever takes it on in order shows it before waiting for anything else.
        """
        # Under the lock no look at the thread falls between the history that is read here and the first live message.
        async with self._looking:
            if not self._followers:
                self._seen = None  # nobody has followed for a while: what happened meanwhile is history, not news
            await self._tell_news()
            last_id = self._seen.last_id if self._seen else 0
            shown = await self._ledger.read(lambda t: history(t, self._owner_id, limit=limit, after_id=after_id))
            self._followers.add(follower)
            return [one for one in shown if one.id <= last_id]

    def settle(self, follower: Follower, then: Callable[[], None]) -> None:
        """Call `then` once no work is left and what happened before was offered."""
        self._settling[follower] = then
        self.wake()

    def leave(self, follower: Follower) -> None:
        """Follow no longer."""
        self._followers.discard(follower)
        self._settling.pop(follower, None)

    async def run(self) -> None:
        """Look after every commit, until cancelled."""
        while True:
            await self._woken.wait()
            self._woken.clear()
            await self._catch_up()
            await asyncio.sleep(COALESCE_S)

    async def _catch_up(self) -> None:
        try:
            # Whether anyone follows is asked under the lock: somebody may be joining just now, and what was committed
            # behind the history that is being read for them is told by nobody else.
            async with self._looking:
                if self._followers or self._settling:
                    await self._tell_news()
        except StillbellError as error:
            # The next commit looks again.
            log.warning("the thread could not be read", action="thread.not_followed", because=str(error))

    async def _tell_news(self) -> None:
        seen = self._seen
        news, busy = await self._ledger.read(lambda t: (look(t, self._owner_id, seen), self._busy(t)))
        self._seen = news.seen
        for follower in self._followers:
            for one in (*news.new, *news.amended):
                follower.offer(one)
        if not busy:
            settled, self._settling = self._settling, {}
            for then in settled.values():
                then()
