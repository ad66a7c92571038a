"""A peer: one command at the other end of the socket."""

import asyncio
import contextlib
import socket

from bot.terminal import wire
from bot.terminal.listening import peer_uid
from memory.errors import BadInput

BACKLOG_MAX_BYTES = 8 << 20
"""A peer that lets more than this pile up is let go: nobody waits for the slowest."""

LINGER_S = 2.0
"""How long the last word to a peer may take before the connection is cut."""


class Peer:
    """Lines in, lines out."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._draining = asyncio.Lock()
        self.greeted = False

    @property
    def uid(self) -> int | None:
        """The user it runs as, from the kernel."""
        connected: socket.socket = self._writer.get_extra_info("socket")
        return peer_uid(connected)

    @property
    def is_gone(self) -> bool:
        """Whether we hung up on it."""
        return self._writer.is_closing()

    async def line(self) -> bytes:
        """The next line it says; empty when it has hung up. Raises BadInput after a line longer than the wire allows."""
        skipped = False
        while True:
            try:
                line = await self._reader.readuntil(b"\n")
            except asyncio.LimitOverrunError as error:
                await self._reader.readexactly(error.consumed)
                skipped = True
            except asyncio.IncompleteReadError:
                return b""  # half a line is none
            else:
                break
        if skipped:
            raise BadInput(f"a line of more than {wire.LINE_MAX} bytes: say it in parts.")
        return line

    def offer(self, answer: wire.Answer) -> None:
        """Send without waiting; a peer that doesn't read is let go instead of held for."""
        if self.is_gone:
            return
        if self._writer.transport.get_write_buffer_size() > BACKLOG_MAX_BYTES:
            self.dismiss(wire.Error(text="too slow: this terminal did not read for too long. Start it again."))
            return
        self._writer.write(wire.write(answer))

    async def send(self, answer: wire.Answer) -> None:
        """Send, waiting while it is busy reading. Raises ConnectionError when it has gone."""
        async with self._draining:
            self._writer.write(wire.write(answer))
            await self._writer.drain()

    def dismiss(self, last: wire.Error) -> None:
        """A last word, and the end of the connection."""
        if self.is_gone:
            return
        with contextlib.suppress(ConnectionError):
            self._writer.write(wire.write(last))
        self.close()

    def close(self) -> None:
        """Hang up once what was written is read, or soon anyway."""
        self._writer.close()
        asyncio.get_running_loop().call_later(LINGER_S, self._writer.transport.abort)
