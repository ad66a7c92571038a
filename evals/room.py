"""A room for the evals: the whole product in this process, its owner paired, Telegram and the provider on real sockets.

With a provider's key in the environment the evals ask that provider; else a scripted Messages API server answers. Every
report says which.
"""

import os
import secrets
import tempfile
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bot import choosing, log, wiring
from bot.opening import opened, prepare_home
from bot.settings import Settings
from memory.clock import SystemClock
from tests.servers.bot_api import BotApiServer
from tests.servers.messages_api import MessagesServer

OWNER = 1001
TOKEN = f"700100:{secrets.token_urlsafe(24)}"

Script = Callable[[MessagesServer], None]


@dataclass(slots=True)
class Room:
    """A running product. `say` writes as the owner does in Telegram; `heard` is what came back, in order."""

    house: wiring.House
    telegram: BotApiServer
    model: MessagesServer | None
    provider: str

    async def say(self, text: str, answers: int = 1, within_s: float = 90.0) -> list[str]:
        """Write as the owner and wait for so many messages; their texts."""
        before = len(self.telegram.calls("sendMessage"))
        self.telegram.owner_sends(text)
        calls = await self.telegram.wait_for_calls(before + answers, "sendMessage", timeout=within_s)
        return [str(call.params["text"]) for call in calls[before:]]

    async def read(self, work: Callable[[Any], Any]) -> Any:
        """Ask the ledger."""
        return await self.house.ledger.read(work)


def real_provider() -> dict[str, str]:
    """The settings of a real provider, if the environment has a key."""
    names = {"ANTHROPIC_API_KEY": "anthropic_api_key", "OPENROUTER_API_KEY": "openrouter_api_key"}
    return {field: os.environ[name] for name, field in names.items() if os.environ.get(name)}


@asynccontextmanager
async def room(script: Script | None = None, *, model: bool = True) -> AsyncIterator[Room]:
    """The product, running. `script` teaches the scripted provider; a real one goes its own way."""
    async with AsyncExitStack() as stack:
        home = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="stillbell-eval-")))
        telegram = await stack.enter_async_context(BotApiServer(token=TOKEN, owner_id=OWNER))
        real = real_provider() if model else {}
        server = None
        if model and not real:
            server = await stack.enter_async_context(MessagesServer())
            if script is not None:
                script(server)
            real = {"anthropic_api_key": "scripted", "anthropic_url": server.url}
        settings = Settings(
            home=home, zone="Europe/Berlin", telegram_token=TOKEN, telegram_url=telegram.url, language="en", **real
        )
        prepare_home(settings)
        log.start(level="error", secrets=settings.secrets())
        async with opened(settings, SystemClock()) as ledger:
            now = SystemClock().now()
            await ledger.write(lambda t: t.owners.pair(1, telegram_id=OWNER, language="en", now=now))
        house = await stack.enter_async_context(wiring.running(settings, clock=SystemClock(), announce=lambda _: None))
        said = "none" if not model else "scripted server" if server else choosing.said_of_model(settings) or "none"
        await telegram.wait_for_poll()
        yield Room(house, telegram, server, said)
