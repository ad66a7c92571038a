"""Asking while a daemon starts: whoever holds the lock is waited for, and nothing is done beside it."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from bot.terminal.asking import ask
from bot.terminal.asks import asks
from bot.terminal.wire import AskHandler
from memory.errors import AnotherWriter
from tests.bot.terminal_room import StoppedClock, room


async def test_a_command_waits_for_a_daemon_that_is_about_to_listen(tmp_path: Path) -> None:
    socket = tmp_path / "s"
    async with room() as it:
        await it.owner_says("the heron landed at noon")
        it.asks.update(asks(it.ledger, StoppedClock()))

        @asynccontextmanager
        async def held() -> AsyncIterator[Mapping[str, AskHandler]]:
            socket.symlink_to(it.path)
            raise AnotherWriter("somebody holds the lock")
            yield {}

        steps = [step async for step in ask(socket, "find", {"words": "heron", "limit": 5}, alone=held)]
    assert [hit["line"] for hit in steps[-1].data["hits"]] == ["the heron landed at noon"]


async def test_one_that_holds_the_lock_and_never_listens_is_told_of(tmp_path: Path) -> None:
    @asynccontextmanager
    async def held() -> AsyncIterator[Mapping[str, AskHandler]]:
        raise AnotherWriter("somebody holds the lock")
        yield {}

    with pytest.raises(AnotherWriter):
        async for _ in ask(tmp_path / "s", "find", {}, alone=held, starts_for_s=0):
            pass
