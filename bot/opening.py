"""Opening what a Stillbell works on: its data folder, and the database in it."""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from bot import standing
from bot.lock import WriterLock
from bot.settings import Settings
from memory.clock import Clock
from memory.errors import BadInput
from memory.sql.ledger import SqlLedger
from memory.sql.opening import open_database
from tools.exclusions import ExclusionFile


def prepare_home(settings: Settings) -> None:
    """The data folder, for its owner alone, with a settings file to fill in."""
    os.umask(0o077)
    file = settings.home / "settings.env"
    try:
        settings.home.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not file.exists():
            file.write_text(standing.TEMPLATE)
    except OSError as error:
        raise BadInput(
            f"the data folder {settings.home} can't be used ({error.strerror}): set STILLBELL_HOME to a folder of yours"
        ) from error


@asynccontextmanager
async def opened(settings: Settings, clock: Clock, *, adopt: bool = False) -> AsyncIterator[SqlLedger]:
    """The lock taken, the database checked and migrated, the ledger open."""
    with WriterLock(settings.lock):
        async with open_ledger(settings, clock, adopt=adopt) as ledger:
            yield ledger


@asynccontextmanager
async def open_ledger(
    settings: Settings, clock: Clock, *, adopt: bool, thorough: bool = False
) -> AsyncIterator[SqlLedger]:
    """The database checked (whole if `thorough`) and migrated, the ledger open. The lock must be held."""
    await asyncio.to_thread(
        open_database,
        settings.database,
        host=settings.host_name,
        zone=settings.first_zone,
        language=settings.first_language,
        now=clock.now(),
        adopt=adopt,
        thorough=thorough,
    )
    async with SqlLedger(settings.database, ExclusionFile(settings.exclusions)) as ledger:
        yield ledger
