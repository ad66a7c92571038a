"""A daemon in a process of its own, in a home of its own, for tests that kill it.

The processes are forked from one that has imported the product already: a start takes a tenth of a second, and it is
the real process with its own memory, files and sockets that dies.
"""

import asyncio
import multiprocessing
import os
import shutil
import signal
from datetime import datetime
from multiprocessing.forkserver import ForkServer
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from bot.settings import Settings
from tests.doubles.hand import rows
from tests.doubles.mortal import Point, live
from tests.servers.bot_api import BotApiServer
from tests.servers.messages_api import MessagesServer

NOW = datetime.fromisoformat("2026-03-02T09:00:00+00:00")
TOKEN = "700100:not-a-real-token-but-as-long-as-one"
OWNER = 1001

_PROCESSES = multiprocessing.get_context("forkserver")
_PROCESSES.set_forkserver_preload(["tests.doubles.mortal", "tools.claude.wire", "tools.claude.failures"])


class Daemon:
    """One home and whatever process lives in it at the moment."""

    def __init__(
        self, home: Path, database: Path, server: BotApiServer, *, provider: MessagesServer | None = None
    ) -> None:
        self.home = home
        self.server = server
        self._environment = {
            "STILLBELL_HOME": str(home),
            "STILLBELL_HOST": "here",
            "STILLBELL_ZONE": "Europe/Berlin",
            "STILLBELL_LANGUAGE": "en",
            "STILLBELL_TELEGRAM_TOKEN": TOKEN,
            "STILLBELL_TELEGRAM_URL": server.url,
            "STILLBELL_LOG_LEVEL": "debug",
        }
        if provider is not None:
            self._environment |= {"ANTHROPIC_API_KEY": "sk-test-0123456789", "STILLBELL_ANTHROPIC_URL": provider.url}
        self._process: BaseProcess | None = None
        shutil.copy(database, self.database)

    @property
    def database(self) -> Path:
        return self.home / "stillbell.db"
