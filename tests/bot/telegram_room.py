"""A room for the Telegram tests: a Bot API server on a real socket, a real ledger, and the parts between them."""

import asyncio
import contextlib
import shutil
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bot.telegram.channel import TelegramChannel
from bot.telegram.chat import OwnerChat
from bot.telegram.intake import Taken, cursor_name
from bot.telegram.limiter import Limiter
from bot.telegram.line import Line
from bot.telegram.pairing import Pairing
from bot.telegram.poller import Poller, Timing
from memory.card import Card, Choice, StoredCard
from memory.clock import SystemClock
from memory.owner import Language
from memory.piece import Piece
from memory.signal import Signal
from memory.sql.ledger import SqlLedger
from memory.sql.opening import open_database
from tests.doubles.counted import counted
from tests.servers.bot_api import BotApiServer

BOT_ID = 700100
TOKEN = f"{BOT_ID}:not-a-real-token-but-as-long-as-one"
OWNER = 1001
NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)

TINY = Timing(
    poll_for=timedelta(seconds=2), read_beyond_for=timedelta(milliseconds=300), wedged_after=timedelta(seconds=5)
)


@cache
def _blank_database() -> tuple[TemporaryDirectory[str], Path]:
    folder = TemporaryDirectory()
    path = Path(folder.name) / "blank.db"
    open_database(path, host="here", zone="Europe/Berlin", language="en", now=NOW)
    return folder, path


def database(folder: Path) -> Path:
    """A database of its own with one owner, not yet paired."""
    path = folder / "stillbell.db"
    shutil.copy(_blank_database()[1], path)
    return path


@dataclass
class Stepping:
    """A monotonic clock that moves when somebody sleeps by it."""

    now: float = 1000.0
    slept: list[float] = field(default_factory=list)

    def monotonic(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds
        await asyncio.sleep(0)


@dataclass
class Turning:
    """A clock for the wall that a test turns by hand."""

    at: datetime = NOW

    def now(self) -> datetime:
        return self.at


@dataclass
class Room:
    """What a test has at hand. `waits` is how long the pollers meant to pause; they don't really."""

    server: BotApiServer
    ledger: SqlLedger
    line: Line
    chat: OwnerChat
    channel: TelegramChannel
    stepping: Stepping
    language: Language = "en"
    waits: list[timedelta] = field(default_factory=list)
    alarms: list[str] = field(default_factory=list)
    taken: list[Taken] = field(default_factory=list)

    def poller(self, *, pairing: Pairing | None = None, clock: Any = None, **given: Any) -> Poller:
        """A poller of this room."""
        defaults: dict[str, Any] = {"timing": TINY, "bot_id": BOT_ID, "line": self.line, "pause": self.pause}
        return Poller(
            ledger=self.ledger,
            clock=clock or SystemClock(),
            pairing=pairing,
            took=self.took,
            alarm=self.alarms.append,
            **(defaults | given),
        )

    def took(self, taken: Taken) -> None:
        self.taken.append(taken)
        self.chat.learn(taken.heard)

    async def pause(self, wait_for: timedelta) -> None:
        self.waits.append(wait_for)
        await asyncio.sleep(0)

    async def signals(self, kind: str | None = None) -> list[Signal]:
        """Everything on record, oldest first."""

        def all_of(t: Any) -> list[Signal]:
            ids = range(1, sum(t.signals.counts_since(1, datetime(2000, 1, 1, tzinfo=UTC)).values()) + 1)
            return [t.signals.get(signal_id) for signal_id in ids]

        found = await self.ledger.read(all_of)
        return [signal for signal in found if kind in (None, signal.kind)]

    async def cursor(self, bot_id: int = BOT_ID) -> str | None:
        return await self.ledger.read(lambda t: t.cursors.get(cursor_name(bot_id), owner_id=1))

    async def counted(self, reason: str) -> int:
        since = datetime(2000, 1, 1, tzinfo=UTC)
        return await self.ledger.read(lambda t: counted(t, f"telegram dropped {reason}", since))

    async def show(self, piece: Piece) -> list[str]:
        return [part async for part in self.channel.show(piece)]


@contextlib.asynccontextmanager
async def open_room(folder: Path, *, paired: bool = True, **server: Any) -> AsyncIterator[Room]:
    """A room with an owner who is paired, unless told otherwise."""
    stepping = Stepping()
    async with BotApiServer(TOKEN, owner_id=OWNER, **server) as api, SqlLedger(database(folder)) as ledger:
        line = Line(token=TOKEN, api_url=api.url)
        chat = OwnerChat(chat_id=OWNER if paired else None)
        if paired:
            await ledger.write(lambda t: t.owners.pair(1, telegram_id=OWNER, language="en", now=NOW))
        limiter = Limiter(monotonic=stepping.monotonic, sleep=stepping.sleep)

        async def language_of(owner_id: int) -> Language:
            return room.language

        channel = TelegramChannel(bot=line.bot, chat=chat, limiter=limiter, language_of=language_of)
        room = Room(api, ledger, line, chat, channel, stepping)
        try:
            yield room
        finally:
            await line.close()


@contextlib.asynccontextmanager
async def running(poller: Poller) -> AsyncIterator[asyncio.Task[None]]:
    """The poller, polling until the block ends. What ended it before is for the test to look at."""
    task = asyncio.create_task(poller.run())
    try:
        yield task
    finally:
        poller.stop()
        with contextlib.suppress(Exception):
            await asyncio.wait_for(task, 5)


async def until(predicate: Callable[[], Any], timeout_s: float = 5.0) -> Any:
    """The first true value of `predicate`, looked at between other tasks' steps."""
    async with asyncio.timeout(timeout_s):
        while not (value := predicate()):  # noqa: ASYNC110 what is looked at has no event of its own
            await asyncio.sleep(0.001)
        return value


def a_piece(text: str = "Hello.", **given: Any) -> Piece:
    """A piece in hand."""
    defaults: dict[str, Any] = {"id": 1, "key": "turn:1:0", "owner_id": 1, "channel": "telegram", "state": "handing"}
    return Piece(text=text, created_at=NOW, message_id=1, **(defaults | given))


def a_card(*choices: Choice, **given: Any) -> StoredCard:
    """An open card."""
    card = Card(
        kind="loop",
        subject="loop:7",
        text="Pay the invoice?",
        choices=choices or (Choice("done", "Done", "good"), Choice("drop", "Drop it", "danger")),
        because="it is due today",
    )
    defaults: dict[str, Any] = {"id": 7, "owner_id": 1, "state": "open", "created_at": NOW}
    return StoredCard(card=card, digest=card.digest, **(defaults | given))
