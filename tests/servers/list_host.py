"""A list's server for one-click unsubscribing, over TLS on 127.0.0.1: it keeps what was posted, and misbehaves on demand."""

import asyncio
import ssl
from dataclasses import dataclass, field
from types import TracebackType
from typing import Literal, Self

from tests.servers.smtp_server import certificate

Does = Literal["ok", "no", "redirect", "elsewhere", "cut", "hang", "refuse"]


@dataclass(frozen=True, slots=True)
class Posted:
    """One request as it came."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class ListHost:
    """`does` says what is answered; `posted` is its record."""

    name: str = "lists.example"
    does: Does = "ok"
    posted: list[Posted] = field(default_factory=list)
    _server: asyncio.Server | None = None
    _open: set[asyncio.Task[None]] = field(default_factory=set)

    @property
    def port(self) -> int:
        assert self._server is not None
        return int(self._server.sockets[0].getsockname()[1])

    @property
    def trust(self) -> ssl.SSLContext:
        """What a client has to trust to believe this server its name."""
        return certificate(self.name).trusting()

    async def __aenter__(self) -> Self:
        serving = certificate(self.name).serving()
        self._server = await asyncio.start_server(self._meet, "127.0.0.1", 0, ssl=serving)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._server is not None
        self._server.close()
        for task in self._open:
            task.cancel()
        await asyncio.gather(*self._open, return_exceptions=True)

    async def _meet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._open.add(task)
        try:
            await self._answer(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            self._open.discard(task)
            writer.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        first, *lines = head.strip().split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        method, path, _ = first.split(" ")
        self.posted.append(Posted(method, path, headers, body))
        if self.does == "cut":
            return
        if self.does == "hang":
            await asyncio.Event().wait()
        status = {
            "ok": "200 OK\r\nSet-Cookie: a=b",
            "no": "404 Not Found",
            "redirect": "302 Found\r\nLocation: /elsewhere",
            "elsewhere": "307 Temporary Redirect\r\nLocation: https://evil.example/u",
        }[self.does]
        writer.write(f"HTTP/1.1 {status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".encode())
        await writer.drain()
