"""A stream: one client that follows the thread by server-sent events.

event: message    id: 42   a message of the thread; a client that comes back says this id and misses nothing
event: amended             a message that was shown before and now reads like this
event: typing              something is being worked on
event: beat                nothing new; only for the page, which takes silence for a lost connection
"""

import asyncio
import json
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable
from typing import Any

from bot.terminal.wire import Answer, Said

BACKLOG_MAX = 500
"""Events that wait for a client that does not read; with more, the stream ends, and the client takes it up again."""

BEAT_S = 15.0
"""A sign of life after so much silence, so that proxies and tunnels keep the connection, and a dead one is found."""

RETRY_MS = 1000


class Stream:
    """Takes what is offered and gives it out in order. `drawn` adds to a message what the client needs to show it."""

    def __init__(self, drawn: Callable[[Said], dict[str, Any]], *, beat: bool = False, beat_s: float = BEAT_S) -> None:
        self._drawn = drawn
        self._beat = b"event: beat\ndata: {}\n\n" if beat else b": still here\n\n"
        self._beat_s = beat_s
        self._waiting: deque[Answer] = deque()
        self._news = asyncio.Event()
        self._ended = False

    def offer(self, answer: Answer) -> None:
        """See bot.terminal.live.Follower."""
        if len(self._waiting) >= BACKLOG_MAX:
            self.end()
        if not self._ended:
            self._waiting.append(answer)
            self._news.set()

    def end(self) -> None:
        """Nothing more comes. What was not read is read again when the client comes back."""
        self._ended = True
        self._waiting.clear()
        self._news.set()

    async def chunks(self, first: Iterable[Said]) -> AsyncIterator[bytes]:
        """The bytes: `first`, and then whatever is offered, until the end."""
        yield f"retry: {RETRY_MS}\n\n".encode()
        for said in first:
            yield self._event(said)
        while not self._ended:
            if not await self._comes():
                yield self._beat
            while self._waiting:
                yield self._event(self._waiting.popleft())

    async def _comes(self) -> bool:
        """Whether something came before the next beat is due."""
        try:
            async with asyncio.timeout(self._beat_s):
                await self._news.wait()
        except TimeoutError:
            return False
        self._news.clear()
        return True

    def _event(self, answer: Answer) -> bytes:
        data: dict[str, Any] = self._drawn(answer) if isinstance(answer, Said) else {}
        name = getattr(answer, "is_", "typing")
        number = f"id: {answer.id}\n" if isinstance(answer, Said) and name == "message" else ""
        return f"{number}event: {name}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n".encode()
