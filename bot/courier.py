"""The courier: carries pieces to their channels, each channel in its own order.

    say (committed) ─► post ─► channel's queue ─► hand (may it still be shown?) ─► show, part by part ─► shown

Every part that was shown is a committed row before the next one goes. What was under way when the process died is shown
again with the mark that it may be a repeat; nothing else can be doubled, and nothing is lost.
"""

import asyncio
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from typing import Literal, TypeVar

import structlog

from memory.clock import Clock
from memory.errors import OutOfReach
from memory.ledger import Ledger, Tables
from memory.piece import OUT_OF_REACH, REPEATS_MAX, Piece
from tools.alarm import PREFIX
from tools.chat import Channel, MaybeShown, NotShown

log = structlog.get_logger()

SETTLE_FOR = timedelta(seconds=1)
"""How long to wait before a marked repeat: a connection that was cut needs a moment."""

AGAIN_FOR = timedelta(seconds=1)
"""How long to wait when the ledger is out of reach."""

T = TypeVar("T")


class Courier:
    """Owns one task a channel. `post` never waits; `run` ends when cancelled, leaving what is queued in the ledger."""

    def __init__(self, ledger: Ledger, channels: Iterable[Channel], clock: Clock) -> None:
        self._ledger = ledger
        self._clock = clock
        self._channels: Mapping[str, Channel] = {channel.name: channel for channel in channels}
        self._queues: Mapping[str, asyncio.Queue[Piece]] = {name: asyncio.Queue() for name in self._channels}
        self._idle = asyncio.Condition()
        self._under_way = 0

    def home(self) -> str:
        """The channel for what nobody asked for: Telegram where that leads to the owner just now, else the terminal."""
        telegram = self._channels.get("telegram")
        return "telegram" if telegram is not None and telegram.reaches_owner else "terminal"

    def post(self, *pieces: Piece | None) -> None:
        """Queue pieces that are committed as *ready* or *handing*. None stands for "said before" and is skipped."""
        for piece in pieces:
            if piece is not None and piece.channel in self._queues:
                self._under_way += 1
                self._queues[piece.channel].put_nowait(piece)

    async def typing(self, channel: str) -> None:
        """Hint in this channel that something is being worked on."""
        if channel in self._channels:
            await self._channels[channel].typing()

    async def answer_tap(self, channel: str, tap_id: str, text: str) -> None:
        """Tell the owner's thumb that the tap was felt."""
        if channel in self._channels:
            await self._channels[channel].answer_tap(tap_id, text)

    async def recover(self) -> int:
        """At boot: queue what never arrived. Returns how many pieces that were."""
        left = await self._ledger.read(lambda t: t.pieces.undelivered())
        self.post(*left)
        stranded = [piece for piece in left if piece.channel not in self._channels]
        for piece in stranded:
            await self._end(piece, "dropped", f"{piece.channel} is not connected; it stands in the history")
        return len(left)

    async def run(self) -> None:
        """Carry until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            for name, channel in self._channels.items():
                tasks.create_task(self._carry(channel, self._queues[name]), name=f"courier {name}")

    async def settled(self) -> None:
        """Returns once nothing is queued or being shown."""
        async with self._idle:
            await self._idle.wait_for(lambda: self._under_way == 0)

    async def _carry(self, channel: Channel, queue: asyncio.Queue[Piece]) -> None:
        while True:
            piece = await queue.get()
            try:
                await self._deliver(channel, piece)
            # A piece that can't be drawn is a bug of ours, and no reason to leave every later one unsaid.
            except Exception as error:
                log.exception("piece failed", action="piece.failed", key=piece.key)
                with suppress(Exception):
                    await self._given_up(channel, piece, f"{type(error).__name__}: {error}")
            finally:
                self._under_way -= 1
                async with self._idle:
                    self._idle.notify_all()

    async def _deliver(self, channel: Channel, piece: Piece) -> None:
        if piece.state == "ready":
            handed = await self._write(lambda t: t.pieces.hand(piece.id, now=self._clock.now()))
            if handed is None:
                log.info("piece dropped", action="piece.dropped", key=piece.key)
                return None
            piece = handed
        repeats = 0
        while True:
            try:
                await self._show(channel, piece)
            except NotShown as error:
                if error.for_good or (_is_alarm(piece) and not channel.reaches_owner):
                    return await self._given_up(channel, piece, str(error))
                log.warning("piece waits", action="piece.waits", key=piece.key, because=str(error))
                await asyncio.sleep(error.retry_for.total_seconds())
                piece = await self._as_it_stands(piece)
            except MaybeShown as error:
                if repeats == REPEATS_MAX:
                    return await self._end(piece, "unknown", str(error))
                repeats += 1
                log.warning("piece in doubt", action="piece.in_doubt", key=piece.key, because=str(error))
                await asyncio.sleep(SETTLE_FOR.total_seconds())
                piece = replace(await self._as_it_stands(piece), in_doubt=True)
            else:
                return await self._end(piece, "shown", "the channel took it")

    async def _given_up(self, channel: Channel, piece: Piece, because: str) -> None:
        """An alarm goes another way if there is one; what the owner was out of reach for may be revived."""
        other = home if (home := self.home()) != channel.name else "terminal"
        if _is_alarm(piece) and other != channel.name and other in self._channels:
            log.warning("alarm goes another way", action="piece.moved", key=piece.key, channel=other, because=because)
            self.post(await self._write(lambda t: t.pieces.move(piece.id, other)))
            return
        because = because if channel.reaches_owner else f"{OUT_OF_REACH}: {because}"
        await self._end(piece, "failed", because)

    async def _show(self, channel: Channel, piece: Piece) -> None:
        if piece.amends is not None:
            # What it amends was perhaps still on its way when this was written. If that was never shown, this is, as new.
            piece = await self._as_it_stands(piece)
        if piece.amends and not piece.parts:
            await channel.amend(piece)
            return
        async for part in channel.show(piece):
            await self._write(lambda t, part=part: t.pieces.part_shown(piece.id, part))  # type: ignore[misc]

    async def _as_it_stands(self, piece: Piece) -> Piece:
        """The piece with the parts that were shown meanwhile; once one was, the doubt about it is settled."""
        found = await self._ledger.read(lambda t: t.pieces.get(piece.key))
        if found is None:
            return piece
        doubt = piece.in_doubt and found.parts == piece.parts
        return replace(piece, parts=found.parts, amends=found.amends, in_doubt=doubt)

    async def _end(self, piece: Piece, state: Literal["shown", "unknown", "failed", "dropped"], because: str) -> None:
        await self._write(lambda t: t.pieces.end(piece.id, state, because=because, now=self._clock.now()))
        log.info("piece ended", action=f"piece.{state}", key=piece.key, channel=piece.channel)

    async def _write(self, work: Callable[[Tables], T]) -> T:
        """Write, however long the ledger is out of reach: nothing is shown on top of what is not on record."""
        while True:
            try:
                return await self._ledger.write(work)
            except OutOfReach as error:
                log.warning("the ledger is out of reach", action="piece.waits", because=str(error))
                await asyncio.sleep(AGAIN_FOR.total_seconds())


def _is_alarm(piece: Piece) -> bool:
    return piece.key.startswith(PREFIX)
