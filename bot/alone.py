"""Alone: what a command works with when no daemon runs."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

from bot.settings import Settings
from bot.terminal.asks import reading_asks, writing_asks
from bot.terminal.wire import AskHandler
from memory.clock import SystemClock
from memory.errors import NotFound
from memory.sql.ledger import SqlReader


@asynccontextmanager
async def reading(settings: Settings) -> AsyncIterator[Mapping[str, AskHandler]]:
    """What can be asked of the database itself. Raises NotFound when there is none yet."""
    if not settings.database.exists():
        raise NotFound(f"nothing is kept in {settings.home} yet. Start Stillbell with: make run  (or: stillbell run)")
    async with SqlReader(settings.database) as ledger:
        yield reading_asks(ledger, clock=SystemClock())


@asynccontextmanager
async def writing(settings: Settings) -> AsyncIterator[Mapping[str, AskHandler]]:
    """What can be done to the database under its lock, which is made and migrated if need be. Raises AnotherWriter."""
    # The whole house: of no use to what only reads, and most of a second.
    from bot.wiring import opened, prepare_home  # noqa: PLC0415

    clock = SystemClock()
    prepare_home(settings)
    async with opened(settings, clock) as ledger:
        yield writing_asks(ledger, clock=clock)
