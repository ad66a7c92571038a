"""A room for the tests of the whole product: the real wiring in this process, with Telegram and the provider played.

async with open_product(database, clock) as product:
    assert await product.says("todo: call Anna") == ["Kept open: call Anna"]
    await product.taps("Undo")
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from bot import wiring
from bot.opening import opened
from bot.settings import Settings
from bot.telegram import limiter
from bot.wiring import House
from memory.clock import Clock
from tests.doubles.clock import NOW
from tests.doubles.hand import hand, rows
from tests.servers.bot_api import BotApiServer, texts
from tests.servers.messages_api import MessagesServer

BOT_ID = 700100
TOKEN = f"{BOT_ID}:not-a-real-token-but-as-long-as-one"
OWNER = 1001

INSTINCT = "You are the instinct of Stillbell"
THINKER = "You are the thinker of Stillbell"
TRIAGE = "You judge one mail"


@dataclass
class Product:
    """A running Stillbell, what Telegram knows of it, and the provider, if there is one."""

    server: BotApiServer
    house: House
    settings: Settings
    clock: Clock
    model: MessagesServer | None = None
    console: list[str] = field(default_factory=list)
    committed: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def provider(self) -> MessagesServer:
        assert self.model is not None, "open it with a model"
        return self.model

    async def says(self, text: str | None = None, **given: Any) -> list[str]:
        """The owner writes, and everything settles; what Stillbell wrote meanwhile."""
        return await self.after(lambda: self.server.owner_sends(text, **given))

    async def after(self, gesture: Any) -> list[str]:
        """What Stillbell wrote by the time that everything `gesture` set off is settled."""
        before = {message["message_id"] for message in self.server.bot_messages()}
        gesture()
        await self.settled()
        return texts(m for m in self.server.bot_messages() if m["message_id"] not in before)

    async def after_a_look(self) -> list[str]:
        """What Stillbell wrote because the timetable looked at the clock."""
        before = {message["message_id"] for message in self.server.bot_messages()}
        await self.house.timetable.look()
        await self.settled()
        return texts(m for m in self.server.bot_messages() if m["message_id"] not in before)

    async def taps(self, label: str, message_id: int | None = None) -> str:
        """The owner presses the button, by default under the newest message that ever had it; how the message now reads."""
        where = message_id or self.message_with(label)
        # What the button says now; one that has gone is pressed by a client that has not seen it go.
        data = self.server.buttons(where).get(label)
        await self.after(lambda: self.server.taps(where, data, label=label))
        return self.text_of(where)

    @property
    def thumb(self) -> str:
        """The word that the last tap was answered with."""
        return str(self.server.calls("answerCallbackQuery")[-1].params.get("text", ""))

    def message_with(self, label: str) -> int:
        """The newest message with this button."""
        found = [m["message_id"] for m in self.server.bot_messages() if label in self.server.buttons(m["message_id"])]
        assert found, f"no button {label!r} among {[self.labels(m['message_id']) for m in self.server.bot_messages()]}"
        return int(found[-1])

    @property
    def newest(self) -> int:
        """The id of Stillbell's newest message."""
        return int(self.server.bot_messages()[-1]["message_id"])

    def labels(self, message_id: int | None = None) -> list[str]:
        """The buttons under a message, by default the newest of Stillbell's."""
        return list(self.server.buttons(message_id or self.newest))

    def text_of(self, message_id: int) -> str:
        message = self.server.message(message_id)
        assert message is not None
        return str(message["text"])

    async def settled(self, *, within_s: float = 10.0) -> None:
        """Every update is on record, every job is done, everything said is shown."""
        async with asyncio.timeout(within_s):
            await self.server.wait_until(lambda: len(self.server.updates) == 0, within_s)
            while True:
                self.committed.clear()
                if not await self._busy():
                    await self.house.courier.settled()
                    if not await self._busy():
                        return
                else:
                    await self.committed.wait()

    async def _busy(self) -> int:
        failed = self.rows("SELECT kind, last_error FROM jobs WHERE last_error IS NOT NULL AND state <> 'cancelled'")
        assert failed == [], "a handler raised"
        counts = await self.house.ledger.read(lambda t: t.jobs.counts())
        return counts.get("pending", 0) + counts.get("running", 0)

    async def until(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        """The first rows that `query` finds, looked for after every commit."""
        async with asyncio.timeout(10):
            while not (found := self.rows(query, *values)):
                self.committed.clear()
                if not (found := self.rows(query, *values)):
                    await self.committed.wait()
                else:
                    break
        return found

    def rows(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        """What stands in the database, seen from outside."""
        return rows(self.settings.database, query, *values)

    def value(self, query: str, *values: Any) -> Any:
        """The one value that `query` finds."""
        return self.rows(query, *values)[0][0]

    def everything_kept(self) -> str:
        """The whole database, as text."""
        with hand(self.settings.database) as connection:
            return "\n".join(connection.iterdump())

    @property
    def loops(self) -> dict[str, str]:
        """The loops: title and state."""
        return dict(self.rows("SELECT title, state FROM loops ORDER BY id"))


def settings_for(home: Path, telegram_url: str, *, model: MessagesServer | None = None, **given: Any) -> Settings:
    """Settings of a data folder whose outside world is on this machine."""
    usual = {
        "home": home,
        "host": "here",
        "zone": "Europe/Berlin",
        "language": "en",
        # Whatever is installed beside the tests: what is found by meaning, a test says itself.
        "embedder": "off",
        "telegram_token": TOKEN,
        "telegram_url": telegram_url,
        "anthropic_api_key": "sk-test-key-0123456789" if model else None,
        "anthropic_url": model.url if model else None,
    }
    return Settings(**(usual | given))


@asynccontextmanager
async def open_product(
    database: Path,
    clock: Clock,
    *,
    paired: bool = True,
    model: bool = False,
    looks: bool = False,
    language: str = "en",
    server: BotApiServer | None = None,
    **given: Any,
) -> AsyncIterator[Product]:
    """Stillbell in the folder of `database`, at `clock`, paired with the owner unless told otherwise.

    The timetable looks only when the test says so, unless `looks`. Telegram's pace of a message a second is not kept:
    the limiter has tests of its own. `given` are further settings.
    """
    async with AsyncExitStack() as stack:
        pace = stack.enter_context(pytest.MonkeyPatch.context())
        pace.setattr(limiter, "INTERVAL_S", 0.0)
        server = server or await stack.enter_async_context(BotApiServer(TOKEN, owner_id=OWNER))
        provider = await stack.enter_async_context(MessagesServer()) if model else None
        settings = settings_for(database.parent, server.url, model=provider, **given)
        if paired:
            await pair(settings, clock, language)
        console: list[str] = []
        house = await stack.enter_async_context(wiring.running(settings, clock=clock, announce=console.append))
        if not looks:
            house.timetable.stop()
        product = Product(server, house, settings, clock, provider, console)
        house.ledger.on_commit(product.committed.set)
        await server.wait_for_poll()
        yield product
        assert not house.failed.done(), "a part died"
        assert server.breaches == []
        assert provider is None or provider.refused == []


async def pair(settings: Settings, clock: Clock, language: str = "en") -> None:
    """Make the owner of the Bot API server the owner of the data folder, as the code on the console would."""
    async with opened(settings, clock) as ledger:
        await ledger.write(
            lambda t: t.owners.pair(1, telegram_id=OWNER, language="de" if language == "de" else "en", now=NOW)
        )
