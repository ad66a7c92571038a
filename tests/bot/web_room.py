"""A room for the tests of the web chat: a real ledger, a server on a real port, and clients that are let in or not."""

import asyncio
import json
import sqlite3
import tempfile
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from bot.web.server import WebServer
from bot.web.token import Token, kept
from memory.card import Card, Choice
from memory.ledger import Tables
from memory.piece import NewPiece
from memory.signal import NewSignal
from memory.sql.ledger import SqlLedger
from tests.bot.terminal_room import NOW, StoppedClock, fresh_database


@dataclass(frozen=True)
class Event:
    """One server-sent event. `id` is the last one that was given, as a browser keeps it."""

    name: str
    data: Mapping[str, Any]
    id: str


class Events:
    """The events of one response, in order."""

    def __init__(self, response: httpx.Response) -> None:
        self._lines = response.aiter_lines()
        self._id = ""

    def __aiter__(self) -> AsyncIterator[Event]:
        return self._read()

    async def _read(self) -> AsyncIterator[Event]:
        name, data = "message", ""
        async for line in self._lines:
            key, _, value = line.partition(": ")
            if key == "event":
                name = value
            elif key == "data":
                data += value
            elif key == "id":
                self._id = value
            elif not line and data:
                yield Event(name, json.loads(data), self._id)
                name, data = "message", ""

    async def next(self, name: str = "message") -> Event:
        """The next event of this name, whatever else comes before it."""
        async with asyncio.timeout(10):
            async for event in self._read():
                if event.name == name:
                    return event
        raise AssertionError(f"the stream ended before any {name}")


@dataclass
class WebRoom:
    """What a test of the web chat holds in its hands."""

    ledger: SqlLedger
    server: WebServer
    home: Path
    console: list[str]
    pieces: int = 0
    committed: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def token(self) -> Token:
        return kept(self.home / "web.token")

    @asynccontextmanager
    async def client(self, **headers: str) -> AsyncIterator[httpx.AsyncClient]:
        """A client with these headers and no others of note."""
        async with httpx.AsyncClient(base_url=self.server.url, headers=headers, timeout=10) as client:
            yield client

    @asynccontextmanager
    async def script(self, **headers: str) -> AsyncIterator[httpx.AsyncClient]:
        """A client that knows the token."""
        async with self.client(Authorization=f"Bearer {self.token.value}", **headers) as client:
            yield client

    @asynccontextmanager
    async def browser(self, **headers: str) -> AsyncIterator[httpx.AsyncClient]:
        """A client that came in by a link."""
        async with self.client(**{"Content-Type": "application/json"} | headers) as client:
            inside = await client.get("/", params={"token": self.token.link(NOW)})
            assert inside.status_code == 303
            yield client

    @asynccontextmanager
    async def events(self, client: httpx.AsyncClient, query: str = "", **headers: str) -> AsyncIterator[Events]:
        """Follow; what happens from now on is told."""
        async with client.stream("GET", f"/events{query}", headers=headers) as response:
            assert response.status_code == 200
            events = Events(response)
            await asyncio.wait_for(self.joined(), 10)
            yield events

    async def joined(self) -> None:
        """Until every open stream follows the thread."""
        while len(self.server._live._followers) < len(self.server._web.streams):  # noqa: ASYNC110  joining has no event
            await asyncio.sleep(0)

    async def owner_says(self, text: str, channel: str = "telegram") -> int:
        """A message of the owner, heard as the talk handler hears it; its id."""
        self.pieces += 1
        signal = NewSignal(source="made", kind="message", source_id=f"{self.pieces}", payload={"text": text})

        def hear(t: Tables) -> int:
            signal_id = t.signals.publish(signal, now=NOW)
            assert signal_id is not None
            message, _, _ = t.thread.hear(
                owner_id=1,
                channel=channel,
                text=text,
                signal_id=signal_id,
                channel_message_id=None,
                reply_to=None,
                now=NOW,
            )
            return message.id

        return await self.ledger.write(hear)

    async def stillbell_says(self, text: str, *choices: str, amends: str | None = None) -> str:
        """A piece, with a card when there are choices; its key."""
        self.pieces += 1
        key = f"piece-{self.pieces}"

        def say(t: Tables) -> None:
            card_id = None
            if choices:
                card = Card(
                    kind="loop",
                    subject="loop:1",
                    text=text,
                    choices=tuple(Choice(word.lower(), word) for word in choices),
                    because="the owner asked",
                )
                card_id = t.cards.put(card, owner_id=1, now=NOW).id
            piece = NewPiece(key=key, owner_id=1, channel="web", text=text, card_id=card_id, amends_key=amends)
            t.pieces.say(piece, now=NOW)

        await self.ledger.write(say)
        return key

    def signals(self) -> list[dict[str, Any]]:
        """What came in by the web: kind, id and payload, oldest first."""
        with closing(sqlite3.connect(self.home / "stillbell.db")) as looking:
            rows = looking.execute(
                "SELECT kind, source_id, payload FROM signals WHERE source = 'web' ORDER BY id"
            ).fetchall()
        return [{"kind": kind, "id": of, **json.loads(payload)} for kind, of, payload in rows]


@asynccontextmanager
async def web_room(**options: Any) -> AsyncIterator[WebRoom]:
    """A ledger and a server on a free port, in a folder of their own."""
    with tempfile.TemporaryDirectory(prefix="sb") as folder:
        home, console = Path(folder), list[str]()
        (home / "stillbell.db").write_bytes(fresh_database())
        async with SqlLedger(home / "stillbell.db") as ledger:
            server = WebServer(
                ledger=ledger,
                clock=StoppedClock(),
                token_file=home / "web.token",
                announce=console.append,
                **{"port": 0} | options,
            )
            async with server:
                yield WebRoom(ledger, server, home, console)
