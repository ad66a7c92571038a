"""Alone: what a command works with when no daemon runs."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from bot.lock import WriterLock
from bot.settings import Settings
from bot.terminal.account_asks import account_asks, accounts_listed, exclusion_asks
from bot.terminal.asks import backup_asks, reading_asks, writing_asks
from bot.terminal.watch_asks import watch_asks
from bot.terminal.wire import AskHandler
from memory.backup import Backup
from memory.clock import SystemClock
from memory.errors import NotFound
from memory.sql.backup import back_up
from memory.sql.ledger import SqlReader
from memory.sql.soundness import is_earlier
from tools.embedding.choosing import embedder
from tools.exclusions import ExclusionFile


@dataclass(frozen=True, slots=True, kw_only=True)
class Restored:
    """What was put in place, and where the database lies that was there before."""

    backup: Backup
    aside: Path | None
    is_of_this_host: bool


@asynccontextmanager
async def reading(settings: Settings) -> AsyncIterator[Mapping[str, AskHandler]]:
    """What can be asked of the database itself. Raises NotFound when there is none yet."""
    if not settings.database.exists():
        raise NotFound(f"nothing is kept in {settings.home} yet. Start Stillbell with: make run  (or: stillbell run)")
    if is_earlier(settings.database):
        await _brought_up(settings)
    async with SqlReader(settings.database, ExclusionFile(settings.exclusions)) as ledger:

        async def ready() -> None:
            if (model := await asyncio.to_thread(embedder, settings.embedder)) is not None:
                ledger.find_by_meaning(model)

        yield {**reading_asks(ledger, clock=SystemClock(), ready=ready), "accounts.list": accounts_listed(ledger)}


async def _brought_up(settings: Settings) -> None:
    """Bring a database that an earlier version left to this version's schema. Raises AnotherWriter."""
    from bot.opening import opened  # noqa: PLC0415  as below

    async with opened(settings, SystemClock()):
        pass


@asynccontextmanager
async def backing_up(settings: Settings) -> AsyncIterator[Mapping[str, AskHandler]]:
    """What copies the database, under its lock and just as it is. Raises NotFound, AnotherWriter."""
    if not settings.database.exists():
        raise NotFound(f"nothing is kept in {settings.home} yet, so there is nothing to back up")
    with WriterLock(settings.lock):
        yield backup_asks(
            lambda to: asyncio.to_thread(back_up, settings.database, to), folder=settings.backups, clock=SystemClock()
        )


def restored(settings: Settings, file: Path) -> Restored:
    """Put the backup in the place of the database. Raises AnotherWriter while Stillbell runs, and what restoring raises."""
    # SQLAlchemy and alembic: of no use to what only copies.
    from memory.sql.restoring import restore  # noqa: PLC0415

    settings.home.mkdir(mode=0o700, parents=True, exist_ok=True)
    with WriterLock(settings.lock):
        backup, aside = restore(file, settings.database, now=SystemClock().now())
    return Restored(backup=backup, aside=aside, is_of_this_host=backup.host == settings.host_name)


@asynccontextmanager
async def writing(settings: Settings) -> AsyncIterator[Mapping[str, AskHandler]]:
    """What can be done to the database under its lock, which is made and migrated if need be. Raises AnotherWriter."""
    # The whole house: of no use to what only reads, and most of a second.
    from bot.opening import opened, prepare_home  # noqa: PLC0415

    clock = SystemClock()
    prepare_home(settings)
    async with opened(settings, clock) as ledger:
        yield {
            **writing_asks(ledger, clock=clock),
            **account_asks(ledger, clock=clock),
            **watch_asks(ledger, clock=clock),
            **exclusion_asks(ledger, ExclusionFile(settings.exclusions), clock=clock),
        }
