"""Serving: the daemon from its start to a signal, the end of its chat, or the death of one of its parts."""

import asyncio
import signal
import sys
from contextlib import suppress
from datetime import timedelta
from functools import partial

from bot import log as logs
from bot.opening import prepare_home
from bot.secrets import Secrets
from bot.settings import Settings
from bot.terminal.chat import chat as terminal_chat
from bot.wiring import running
from memory.clock import SystemClock
from tools.vault import Vault

SWITCH_EVERY_S = 0.0005
"""The writer's thread and the event loop share one interpreter: at Python's 5 ms either may wait that long for the other,
which is as long as a whole acknowledgement should take."""


async def serve(settings: Settings, *, chat: bool, adopt: bool = False) -> None:
    """Run until SIGTERM, SIGINT or the end of the chat. Raises StillbellError when it can't start or a part died."""
    prepare_home(settings)
    sys.setswitchinterval(SWITCH_EVERY_S)
    secrets = Secrets(settings.secrets(), Vault(settings.vault))
    logs.start(level=settings.log_level, secrets=secrets, file=settings.log if chat else None)
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGTERM, stop.set)
    if not chat:
        loop.add_signal_handler(signal.SIGINT, stop.set)
    async with running(
        settings, clock=SystemClock(), announce=_announce, adopt=adopt, pause=partial(_within, stop)
    ) as house:
        tasks = [asyncio.create_task(_until(stop), name="stop")]
        if chat:
            tasks.append(asyncio.create_task(_chatting(settings), name="chat"))
        waits: list[asyncio.Future[None]] = [house.failed, *tasks]
        ended, _ = await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        for task in tasks:
            task.cancel()
        for end in ended:
            end.result()


async def _within(stop: asyncio.Event, wait_for: timedelta) -> None:
    """Wait so long, or until it is time to stop."""
    with suppress(TimeoutError):
        async with asyncio.timeout(wait_for.total_seconds()):
            await stop.wait()


async def _until(stop: asyncio.Event) -> None:
    await stop.wait()


async def _chatting(settings: Settings) -> None:
    await terminal_chat(settings.socket, ends_daemon=True)


def _announce(line: str) -> None:
    print(line, file=sys.stderr, flush=True)  # noqa: T201  the console is where a person reads the pairing code
