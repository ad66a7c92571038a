"""A daemon in a process of its own, in a home of its own, for tests that kill it.

The processes are forked from one that has imported the product already: a start takes a tenth of a second, and it is
the real process, with its own memory, files and sockets, that dies. The servers live on in the test's process.
"""

import asyncio
import multiprocessing
import os
import signal
from collections.abc import Callable
from datetime import datetime, timedelta
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from bot.terminal.client import Client
from tests.doubles.clock import NOW
from tests.doubles.hand import hand, rows
from tests.doubles.mortal import Point, live
from tests.servers.bot_api import BotApiServer
from tests.servers.messages_api import MessagesServer

TOKEN = "700100:not-a-real-token-but-as-long-as-one"
OWNER = 1001

LATER = NOW + timedelta(minutes=5)

_PROCESSES = multiprocessing.get_context("forkserver")
_PROCESSES.set_forkserver_preload(["pytest", "tests.doubles.mortal", "tools.claude.wire", "tools.claude.failures"])

UNFINISHED = """SELECT 1 FROM jobs WHERE state IN ('pending', 'running')
UNION ALL SELECT 1 FROM pieces WHERE state IN ('ready', 'handing')"""


class Daemon:
    """The home that `database` lies in, paired with the owner of `server`, and whatever process lives in it at the moment."""

    def __init__(self, database: Path, server: BotApiServer, *, provider: MessagesServer | None = None) -> None:
        self.home = database.parent
        self.database = database
        self.log = self.home / "stderr.log"
        self.server = server
        self.environment = {
            "STILLBELL_HOME": str(self.home),
            "STILLBELL_HOST": "here",
            "STILLBELL_ZONE": "Europe/Berlin",
            "STILLBELL_LANGUAGE": "en",
            "STILLBELL_TELEGRAM_TOKEN": TOKEN,
            "STILLBELL_TELEGRAM_URL": server.url,
        }
        if provider is not None:
            self.environment |= {"ANTHROPIC_API_KEY": "sk-test-0123456789", "STILLBELL_ANTHROPIC_URL": provider.url}
        self.broken: str | None = None
        self._process: BaseProcess | None = None
        with hand(self.database) as connection:
            connection.execute("UPDATE owners SET telegram_id = ?", (OWNER,))

    @property
    def process(self) -> BaseProcess:
        assert self._process is not None, "nothing was started here"
        return self._process

    async def start(self, *, dies_at: Point | None = None, starts_at: datetime = LATER) -> None:
        """A new process, which polls or has died when this returns. Its clock shows `starts_at` and goes on from there."""
        before = len(self.server.polls)
        self._process = _PROCESSES.Process(
            target=live, args=(self.environment, starts_at, dies_at, self.log, self.broken), daemon=True
        )
        self._process.start()
        died = asyncio.create_task(self.died())
        polls = asyncio.create_task(self.server.wait_until(lambda: len(self.server.polls) > before, timeout=30))
        await asyncio.wait((died, polls), return_when=asyncio.FIRST_COMPLETED)
        for task in (died, polls):
            task.cancel()
        await asyncio.gather(died, polls, return_exceptions=True)

    async def died(self) -> int:
        """Wait for the end of the process, at most 15 s; its exit code, negative for a signal."""
        ended = asyncio.Event()
        loop = asyncio.get_running_loop()
        loop.add_reader(self.process.sentinel, ended.set)
        try:
            async with asyncio.timeout(15):
                await ended.wait()
        finally:
            loop.remove_reader(self.process.sentinel)
        self.process.join()
        code = self.process.exitcode
        assert code is not None
        return code

    async def end(self, by: signal.Signals = signal.SIGTERM) -> int:
        """Send the signal and wait for the end."""
        if self.process.pid is not None and self.process.is_alive():
            os.kill(self.process.pid, by)
        return await self.died()

    async def gone(self) -> None:
        """Whatever became of it, nothing is left running."""
        if self._process is not None and self._process.is_alive():
            await self.end(signal.SIGKILL)

    async def settled(self) -> None:
        """Every update is on record, every job done, everything said shown."""
        await self.server.wait_until(lambda: len(self.server.updates) == 0)
        await self.until(lambda: not self.rows(UNFINISHED))

    async def until(self, holds: Callable[[], Any], timeout: float = 10.0) -> Any:
        """The first true value of `holds`. What another process does has no event here: it is looked at again and again."""
        try:
            async with asyncio.timeout(timeout):
                while not (value := holds()):
                    assert self.process.is_alive(), f"the daemon died:\n{self.log.read_text()[-3000:]}"
                    await asyncio.sleep(0.01)
                return value
        except TimeoutError as error:
            raise TimeoutError(f"not within {timeout} s; the daemon's log:\n{self.log.read_text()[-3000:]}") from error

    def rows(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        """What stands in the database, seen from outside."""
        return rows(self.database, query, *values)

    def texts(self) -> list[str]:
        """What Stillbell has written into the chat, as Telegram took it, oldest first: edits are no new messages."""
        return [str(call.params["text"]) for call in self.server.calls("sendMessage") if call.done]

    async def ask(self, what: str, **args: Any) -> Any:
        """What the running daemon answers over its socket."""
        answer = None
        async with Client(self.home / "stillbell.sock") as client:
            async for step in client.ask(what, args):
                answer = step.data
        return answer
