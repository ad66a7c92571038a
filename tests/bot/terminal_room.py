"""A room for the terminal's tests: a real ledger, a server on a real socket, and a Stillbell that answers as told."""

import asyncio
import json
import sqlite3
import tempfile
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from bot.terminal import wire
from bot.terminal.client import Client
from bot.terminal.server import TerminalServer
from memory.card import Card, Choice
from memory.ledger import Tables
from memory.piece import NewPiece
from memory.signal import NewSignal
from memory.sql.ledger import SqlLedger
from memory.sql.opening import open_database

NOW = datetime(2026, 3, 2, 7, 14, tzinfo=UTC)
ZONE = "Europe/Berlin"


class StoppedClock:
    def now(self) -> datetime:
        return NOW


@dataclass
class Room:
    """What a test of the terminal holds in its hands."""

    ledger: SqlLedger
    server: TerminalServer
    path: Path
    asks: dict[str, wire.AskHandler]
    pieces: int = 0
    busy: Callable[[Tables], bool] = lambda _: False
    committed: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def database(self) -> Path:
        return self.path.with_name("stillbell.db")

    async def owner_says(self, text: str, channel: str = "telegram") -> int:
        """A message of the owner, heard as the talk handler hears it; its id."""
        self.pieces += 1
        signal = NewSignal(source="made", kind="message", source_id=f"{self.pieces}", payload={"text": text})

        def hear(tables: Tables) -> int:
            signal_id = tables.signals.publish(signal, now=NOW)
            assert signal_id is not None
            message, _, _ = tables.thread.hear(
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

        def say(tables: Tables) -> None:
            card_id = None
            if choices:
                card = Card(
                    kind="loop",
                    subject="loop:1",
                    text=text,
                    choices=tuple(Choice(word.lower(), word) for word in choices),
                    because="the owner asked",
                )
                card_id = tables.cards.put(card, owner_id=1, now=NOW).id
            tables.pieces.say(
                NewPiece(key=key, owner_id=1, channel="terminal", text=text, card_id=card_id, amends_key=amends),
                now=NOW,
            )

        await self.ledger.write(say)
        return key

    def signals(self, kind: str | None = None) -> list[Mapping[str, Any]]:
        """The payloads of what came over the socket (of this kind), oldest first."""
        with closing(sqlite3.connect(self.database)) as looking:
            rows = looking.execute("SELECT kind, payload FROM signals WHERE source = 'terminal' ORDER BY id").fetchall()
        return [{"kind": of, **json.loads(payload)} for of, payload in rows if kind in (None, of)]

    async def heard(self, kind: str, number: int = 1) -> Mapping[str, Any]:
        """The payload of the signal with this number of its kind, once it is committed."""
        async with asyncio.timeout(10):
            while len(self.signals(kind)) < number:
                self.committed.clear()
                await self.committed.wait()
        return self.signals(kind)[number - 1]

    async def work_is_done(self) -> None:
        """One more piece of work is done, for a `busy` that counts them (in the snapshot, as the real one does)."""
        await self.ledger.write(lambda t: t.counts.add("done", owner_id=1, now=NOW))

    async def attached(self, client: Client, *, history: int = 0) -> AsyncIterator[wire.Answer]:
        """Attach, and wait until the server has done it."""
        await client.attach(history=history)
        await client.settle()
        events = client.events()
        async for answer in events:
            if isinstance(answer, wire.Settled):
                break
        return events


@cache
def fresh_database() -> bytes:
    """A migrated, empty database: made once, since migrating costs more than most tests."""
    with tempfile.TemporaryDirectory() as folder:
        open_database(Path(folder) / "s.db", host="here", zone=ZONE, language="en", now=NOW)
        return (Path(folder) / "s.db").read_bytes()


@asynccontextmanager
async def room(*, home: Path | None = None, **options: Any) -> AsyncIterator[Room]:
    """A ledger and a server in `home`, or in a folder of their own whose path is short enough for a socket."""
    with tempfile.TemporaryDirectory(prefix="sb") as folder:
        place = home or Path(folder)
        database = place / "stillbell.db"
        database.write_bytes(fresh_database())
        asks: dict[str, wire.AskHandler] = {}
        async with SqlLedger(database) as ledger:
            made: list[Room] = []
            server = TerminalServer(
                ledger=ledger,
                socket_path=place / "stillbell.sock",
                asks=asks,
                clock=StoppedClock(),
                busy=lambda t: made[0].busy(t),  # noqa: PLW0108  a test sets it later
                version="0.1.0",
                **options,
            )
            made.append(Room(ledger=ledger, server=server, path=place / "stillbell.sock", asks=asks))
            ledger.on_commit(made[0].committed.set)
            async with server:
                yield made[0]


async def until(events: AsyncIterator[wire.Answer], wanted: Callable[[wire.Answer], bool]) -> list[wire.Answer]:
    """What comes up to and with the first wanted one."""
    came: list[wire.Answer] = []
    async with asyncio.timeout(10):
        async for answer in events:
            came.append(answer)
            if wanted(answer):
                break
    return came


async def next_said(events: AsyncIterator[wire.Answer]) -> wire.Said:
    """The next message, whatever else comes before it."""
    last = (await until(events, lambda answer: isinstance(answer, wire.Said)))[-1]
    assert isinstance(last, wire.Said)
    return last
