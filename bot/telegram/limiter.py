"""The limiter: keeps each chat within what Telegram takes from a bot, without a chat waiting for another.

Telegram names no exact figures: about one message a second in one chat, short bursts being fine; what it says in a 429
counts above all. The first message after a silence never waits.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta

INTERVAL_S = 1.0
"""Seconds that each message takes up."""

BURST = 4
"""Messages that may go at once after a silence."""


@dataclass(frozen=True, slots=True)
class Pace:
    """One chat's pace, in seconds of a monotonic clock.

    `free_at` is when everything sent so far has been paid for at INTERVAL_S each; `held_until` is what a 429 said.
    """

    free_at: float = 0.0
    held_until: float = 0.0

    def wait_s(self, now: float) -> float:
        """Seconds until the next message may go."""
        return max(0.0, self.free_at - (BURST - 1) * INTERVAL_S - now, self.held_until - now)

    def sent(self, now: float) -> "Pace":
        """After one more message."""
        return Pace(max(self.free_at, now) + INTERVAL_S, self.held_until)

    def held(self, now: float, hold_s: float) -> "Pace":
        """After a 429 that asks for `hold_s`; what follows then goes one by one, with no burst."""
        until = max(self.held_until, now + hold_s)
        return Pace(max(self.free_at, until + (BURST - 1) * INTERVAL_S), until)


class Limiter:
    """Lets callers through in order, chat by chat."""

    def __init__(
        self,
        *,
        monotonic: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._monotonic = monotonic
        self._sleep = sleep
        self._paces: dict[int, Pace] = {}
        self._queues: dict[int, asyncio.Lock] = {}

    def held_for(self, chat_id: int) -> timedelta | None:
        """How much of a pause that Telegram asked for is left in this chat; None when there is none."""
        left = self._pace(chat_id).held_until - self._monotonic()
        return timedelta(seconds=left) if left > 0 else None

    def hold(self, chat_id: int, pause_for: timedelta) -> None:
        """Telegram asks for a pause in this chat."""
        self._paces[chat_id] = self._pace(chat_id).held(self._monotonic(), pause_for.total_seconds())

    async def turn(self, chat_id: int) -> None:
        """Return when one message may go to this chat, and count it."""
        async with self._queues.setdefault(chat_id, asyncio.Lock()):
            # A pause may have been asked for while we slept.
            while wait_s := self._pace(chat_id).wait_s(self._monotonic()):
                await self._sleep(wait_s)
            self._paces[chat_id] = self._pace(chat_id).sent(self._monotonic())

    def _pace(self, chat_id: int) -> Pace:
        return self._paces.get(chat_id, Pace())
