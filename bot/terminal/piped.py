"""The chat without a terminal: lines come in on a pipe, each is answered in full before the next is said."""

import asyncio
import sys
from collections.abc import AsyncIterator, Callable
from datetime import timedelta
from pathlib import Path

from bot.terminal import wire
from bot.terminal.client import Client, as_raised
from bot.terminal.drawing import plainly
from bot.terminal.line import AtHand, Leave, Nothing, Press, read
from memory.errors import OutOfReach


class Piped:
    """Says each of `lines`, and writes what Stillbell says by `show`; `trouble` gets what went wrong with a line."""

    def __init__(
        self,
        socket_path: Path,
        *,
        lines: AsyncIterator[str],
        show: Callable[[str], None],
        trouble: Callable[[str], None],
        patience_for: timedelta,
    ) -> None:
        self._path = socket_path
        self._lines = lines
        self._show = show
        self._trouble = trouble
        self._patience_for = patience_for
        self._settled = asyncio.Event()
        self._at_hand = AtHand()
        self._written: dict[int, str] = {}
        self.failed = False

    async def run(self) -> None:
        """Until the lines end or one of them is /quit.

        Raises NotRunning, and OutOfReach when an answer takes longer than `patience_for` or the daemon hangs up.
        """
        async with Client(self._path) as client:
            await client.attach(history=0)
            hearing = asyncio.create_task(self._hear(client), name="chat: hearing")
            saying = asyncio.create_task(self._say_all(client), name="chat: saying")
            try:
                await asyncio.wait({hearing, saying}, return_when=asyncio.FIRST_COMPLETED)
                if not saying.done():
                    await hearing
                await saying
            finally:
                hearing.cancel()
                saying.cancel()
                await asyncio.gather(hearing, saying, return_exceptions=True)

    async def _hear(self, client: Client) -> None:
        async for answer in client.events():
            match answer:
                case wire.Said(role="stillbell"):
                    self._write(answer)
                case wire.Settled():
                    self._settled.set()
                case wire.Error():
                    self.failed = True
                    self._trouble(str(as_raised(answer)))

    def _write(self, said: wire.Said) -> None:
        self._at_hand.see(said)
        if self._written.get(said.id) != said.text:
            self._written[said.id] = said.text
            self._show(plainly(said))

    async def _say_all(self, client: Client) -> None:
        async for line in self._lines:
            meaning = read(line, self._at_hand.buttons)
            if isinstance(meaning, Leave):
                return
            if isinstance(meaning, Nothing):
                continue
            await (client.tap(meaning.button.data) if isinstance(meaning, Press) else client.say(meaning.text))
            await self._until_settled(client)

    async def _until_settled(self, client: Client) -> None:
        self._settled.clear()
        await client.settle()
        try:
            async with asyncio.timeout(self._patience_for.total_seconds()):
                await self._settled.wait()
        except TimeoutError as error:
            seconds = self._patience_for.total_seconds()
            raise OutOfReach(
                f"no end of the answer within {seconds:g} seconds; Stillbell goes on with it. See: stillbell chat"
            ) from error


async def stdin_lines() -> AsyncIterator[str]:
    """The lines of this process's standard input, whatever it is, read beside the event loop."""
    while line := await asyncio.to_thread(sys.stdin.readline):
        yield line
