"""Asking: a command's question goes to the running daemon, or, when none runs, to the database itself."""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, aclosing
from pathlib import Path
from typing import Any

from bot.terminal.client import Client, NotRunning
from bot.terminal.wire import AskHandler, Steps
from memory.errors import AnotherWriter

Alone = Callable[[], AbstractAsyncContextManager[Mapping[str, AskHandler]]]
"""Opens what answers when no daemon runs."""

STARTS_FOR_S = 20.0
"""So long a daemon that holds the lock may take until it listens: it may be migrating, or stopping."""

LOOK_AGAIN_S = 0.2


async def ask(
    socket_path: Path, what: str, args: Mapping[str, Any], *, alone: Alone, starts_for_s: float = STARTS_FOR_S
) -> Steps:
    """What is told in answer, in order. Raises what the answering side raises, a StillbellError."""
    async with AsyncExitStack() as stack:
        asks = await _asked(stack, socket_path, alone, starts_for_s)
        async with aclosing(asks.ask(what, args) if isinstance(asks, Client) else asks[what](args)) as steps:
            async for step in steps:
                yield step


async def _asked(
    stack: AsyncExitStack, socket_path: Path, alone: Alone, starts_for_s: float
) -> Client | Mapping[str, AskHandler]:
    """The daemon, also one that has the lock and is about to listen; else the database. Raises AnotherWriter in the end."""
    until = asyncio.get_running_loop().time() + starts_for_s
    while True:
        try:
            return await stack.enter_async_context(Client(socket_path))
        except NotRunning:
            try:
                return await stack.enter_async_context(alone())
            except AnotherWriter:
                if asyncio.get_running_loop().time() > until:
                    raise
        await asyncio.sleep(LOOK_AGAIN_S)
