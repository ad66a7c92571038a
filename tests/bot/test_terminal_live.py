import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from bot.terminal.live import Live
from bot.terminal.wire import Answer, Said, Typing
from memory.ledger import Tables
from memory.piece import NewPiece
from memory.sql.ledger import SqlLedger
from tests.bot.terminal_room import NOW

T = TypeVar("T")


class Listener:
    """A follower that keeps what it was offered."""

    def __init__(self) -> None:
        self.heard: list[Answer] = []
        self.news = asyncio.Event()

    def offer(self, answer: Answer) -> None:
        self.heard.append(answer)
        self.news.set()

    async def texts(self, number: int) -> list[str]:
        """The texts it was offered, once there are so many."""
        async with asyncio.timeout(10):
            while len(self.heard) < number:
                self.news.clear()
                await self.news.wait()
        return [one.text for one in self.heard if isinstance(one, Said)]


class Interrupted:
    """The ledger, with something happening just before each read."""

    def __init__(self, ledger: SqlLedger) -> None:
        self._ledger = ledger
        self.before: list[Callable[[], Awaitable[None]]] = []

    async def read(self, work: Callable[[Tables], T]) -> T:
        if self.before:
            await self.before.pop(0)()
        return await self._ledger.read(work)


async def say(ledger: SqlLedger, text: str) -> None:
    piece = NewPiece(key=text, owner_id=1, channel="terminal", text=text)
    await ledger.write(lambda t: t.pieces.say(piece, now=NOW))


async def nothing() -> None:
    """What happens before a read when nothing does."""


async def followed(live: Live, ledger: SqlLedger) -> asyncio.Task[None]:
    ledger.on_commit(live.wake)
    return asyncio.create_task(live.run())


async def test_what_is_said_while_somebody_joins_is_told_once(ledger: SqlLedger) -> None:
    await say(ledger, "before")
    between: Any = Interrupted(ledger)
    # The first read looks for news, the second reads the history: in between somebody speaks.
    between.before = [nothing, lambda: say(ledger, "meanwhile")]
    live, listener = Live(between, 1), Listener()
    running = await followed(live, ledger)
    shown = await live.join(listener, limit=10, after_id=None)
    assert [said.text for said in shown] == ["before"]
    assert await listener.texts(1) == ["meanwhile"]
    running.cancel()


async def test_what_happened_while_nobody_followed_is_history_and_no_news(ledger: SqlLedger) -> None:
    live, first, second = Live(ledger, 1), Listener(), Listener()
    running = await followed(live, ledger)
    assert await live.join(first, limit=10, after_id=None) == []
    live.leave(first)
    await say(ledger, "unheard")
    assert [said.text for said in await live.join(second, limit=10, after_id=None)] == ["unheard"]
    await say(ledger, "heard")
    assert await second.texts(1) == ["heard"]
    assert first.heard == []
    running.cancel()


async def test_who_has_left_is_told_nothing_and_the_others_are(ledger: SqlLedger) -> None:
    live, stays, leaves = Live(ledger, 1), Listener(), Listener()
    running = await followed(live, ledger)
    for listener in (stays, leaves):
        await live.join(listener, limit=0, after_id=None)
    live.leave(leaves)
    live.tell(Typing())
    await say(ledger, "a word")
    assert await stays.texts(2) == ["a word"]
    assert leaves.heard == []
    running.cancel()


async def test_settled_is_told_after_the_news_and_only_when_no_work_is_left(ledger: SqlLedger) -> None:
    work = [True]
    live, listener, order = Live(ledger, 1, busy=lambda _: work[0]), Listener(), list[str]()
    running = await followed(live, ledger)
    await live.join(listener, limit=0, after_id=None)
    settled = asyncio.Event()

    def then() -> None:
        order.append(f"settled after {len(listener.heard)}")
        settled.set()

    live.settle(listener, then)
    await say(ledger, "first")
    await listener.texts(1)
    assert not settled.is_set()
    work[0] = False
    await say(ledger, "last")
    await asyncio.wait_for(settled.wait(), 10)
    assert order == ["settled after 2"]
    running.cancel()
