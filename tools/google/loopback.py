"""The door on 127.0.0.1 at which the browser comes back from Google's page of consent. Open for one sign-in, then gone."""

import asyncio
import html
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from urllib.parse import parse_qs, urlsplit

from memory.errors import BadInput

_HEAD_MOST_BYTES = 16 << 10
_HEAD_SECONDS = 10.0

_PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Stillbell</title>
<body style="font: 1.1rem/1.5 system-ui; max-width: 34rem; margin: 4rem auto; padding: 0 1rem"><p>{}</p></body></html>
"""
_DONE = "Thank you. Stillbell has its answer; you can close this page and go back to where you started."
_DENIED = "You said no, and nothing was given. You can close this page; Stillbell says how to try again."
_STRANGE = "This is not the answer that Stillbell waits for. Open the address that it showed once more."


@dataclass(frozen=True, slots=True, kw_only=True)
class Consent:
    """What came back: a code to exchange, or the word for why there is none ("access_denied")."""

    code: str = ""
    error: str = ""


def consent_of(address: str, state: str) -> Consent | None:
    """What the address says to which the browser was sent back; None when it is not an answer to `state`."""
    asked = parse_qs(urlsplit(address).query)
    told = asked.get("state", [""])[-1]
    if not secrets.compare_digest(told.encode(), state.encode()):
        return None
    code, error = asked.get("code", [""])[-1], asked.get("error", [""])[-1]
    return Consent(code=code, error=error) if code or error else None


class Loopback:
    """Waits for the one answer that bears `state`; whatever else knocks is told so, and changes nothing."""

    def __init__(self, state: str) -> None:
        self._state = state
        self._answer: asyncio.Future[Consent] = asyncio.get_running_loop().create_future()

    async def answer(self) -> Consent:
        """The answer, once it has come."""
        return await asyncio.shield(self._answer)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one connection."""
        try:
            async with asyncio.timeout(_HEAD_SECONDS):
                head = await reader.readuntil(b"\r\n\r\n")
            status, words = self._heard(head)
            writer.write(_response(status, words))
            await writer.drain()
        except (TimeoutError, OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            pass  # whoever knocks and says nothing may go
        finally:
            writer.close()
            with suppress(OSError):
                await writer.wait_closed()

    def _heard(self, head: bytes) -> tuple[str, str]:
        method, _, rest = head.split(b"\r\n", 1)[0].decode("latin-1").partition(" ")
        address = rest.partition(" ")[0]
        if method != "GET" or urlsplit(address).path != "/":
            return "404 Not Found", _STRANGE
        consent = consent_of(address, self._state)
        if consent is None:
            return "400 Bad Request", _STRANGE
        if not self._answer.done():
            self._answer.set_result(consent)
        return "200 OK", _DENIED if consent.error else _DONE


@asynccontextmanager
async def loopback(state: str, port: int = 0) -> AsyncIterator[tuple[Loopback, str]]:
    """The open door and its address. `port` 0 is any free one. Raises BadInput when that port is taken."""
    door = Loopback(state)
    try:
        server = await asyncio.start_server(door.serve, "127.0.0.1", port, limit=_HEAD_MOST_BYTES)
    except OSError as error:
        raise BadInput(f"port {port} of this machine can't be used: {error.strerror}") from error
    try:
        yield door, f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
    finally:
        server.close()
        await server.wait_closed()


def _response(status: str, words: str) -> bytes:
    page = _PAGE.format(html.escape(words)).encode()
    head = (
        f"HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {len(page)}\r\n"
        "Cache-Control: no-store\r\nReferrer-Policy: no-referrer\r\nConnection: close\r\n\r\n"
    )
    return head.encode() + page
