"""A relay between a client and a server: it counts and records what passes, and can be cut and mended."""

import asyncio
from contextlib import suppress
from types import TracebackType
from typing import Self


class Relay:
    """Listens on 127.0.0.1 on a free port and passes everything on to `target_port`.

    said: what clients have sent, all of it. opened: how many connections were made so far. `open_now` of them are open.
    """

    def __init__(self, target_port: int) -> None:
        self._target_port = target_port
        self._talks: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None
        self._changed = asyncio.Condition()
        self._is_cut = False
        self.said = bytearray()
        self.opened = 0
        self.port = 0

    @property
    def open_now(self) -> int:
        return len(self._talks)

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._server is not None
        self._server.close()
        await self.cut()

    async def cut(self) -> None:
        """Cut every connection, and whoever comes from now on as soon as they come."""
        self._is_cut = True
        talks = list(self._talks)
        for task in talks:
            task.cancel()
        await asyncio.gather(*talks, return_exceptions=True)

    def mend(self) -> None:
        """Pass things on again."""
        self._is_cut = False

    async def drop(self) -> None:
        """Cut what is open now, and take new connections."""
        await self.cut()
        self.mend()

    async def heard(self, words: bytes, times: int = 1) -> None:
        """Wait until clients have sent `words` so often."""
        async with asyncio.timeout(10), self._changed:
            await self._changed.wait_for(lambda: self.said.count(words) >= times)

    async def none_open(self) -> None:
        """Wait until no connection is open."""
        async with asyncio.timeout(10), self._changed:
            await self._changed.wait_for(lambda: not self._talks)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.opened += 1
        if self._is_cut:
            writer.transport.abort()
            return
        task = asyncio.current_task()
        assert task is not None
        self._talks.add(task)
        try:
            await self._talk(reader, writer)
        except asyncio.CancelledError:  # cut: the streams' own callback would take it for a fault
            pass
        finally:
            writer.transport.abort()
            self._talks.discard(task)
            with suppress(asyncio.CancelledError):
                async with self._changed:
                    self._changed.notify_all()

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, onwards = await asyncio.open_connection("127.0.0.1", self._target_port)
        try:
            sides = [asyncio.create_task(self._pass(reader, onwards, recorded=True))]
            sides.append(asyncio.create_task(self._pass(there, writer, recorded=False)))
            try:
                await asyncio.wait(sides, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for side in sides:
                    side.cancel()
                await asyncio.gather(*sides, return_exceptions=True)
        finally:
            onwards.transport.abort()

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, recorded: bool) -> None:
        with suppress(OSError):
            while data := await reader.read(65536):
                if recorded:
                    async with self._changed:
                        self.said += data
                        self._changed.notify_all()
                writer.write(data)
                await writer.drain()
