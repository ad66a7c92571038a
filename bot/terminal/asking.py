"""Asking: a command's question goes to the running daemon, or, when none runs, to the database itself."""

from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, aclosing
from pathlib import Path
from typing import Any

from bot.terminal.client import Client, NotRunning
from bot.terminal.wire import AskHandler, Steps

Alone = Callable[[], AbstractAsyncContextManager[Mapping[str, AskHandler]]]
"""Opens what answers when no daemon runs."""


async def ask(socket_path: Path, what: str, args: Mapping[str, Any], *, alone: Alone) -> Steps:
    """What is told in answer, in order. Raises what the answering side raises, a StillbellError."""
    async with AsyncExitStack() as stack:
        try:
            client = await stack.enter_async_context(Client(socket_path))
        except NotRunning:
            asks = await stack.enter_async_context(alone())
            steps = asks[what](args)
        else:
            steps = client.ask(what, args)
        async with aclosing(steps):
            async for step in steps:
                yield step
