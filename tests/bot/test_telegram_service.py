"""The service from end to end: paired by a code, heard, answered, stopped."""

import asyncio
import contextlib
import re
from collections.abc import AsyncIterator
from typing import Any

import pytest

from bot.telegram.commands import MENU
from bot.telegram.faults import TokenRefused
from bot.telegram.service import Telegram
from memory.clock import SystemClock
from memory.errors import BadInput
from tests.bot.telegram_room import OWNER, TINY, TOKEN, Room, a_piece, open_room, until

COMMANDS = [
    "brief",
    "today",
    "loops",
    "remind",
    "find",
    "who",
    "people",
    "why",
    "memory",
    "audit",
    "usage",
    "allowance",
    "quiet",
    "undo",
    "forget",
    "stop",
    "help",
]


@pytest.fixture
async def room(tmp_path: Any) -> Any:
    async with open_room(tmp_path, paired=False) as opened:
        yield opened
        assert opened.server.breaches == []


@contextlib.asynccontextmanager
async def started(room: Room, *, token: str = TOKEN, api_url: str | None = None) -> AsyncIterator[Any]:
    """A service of this room, and what it put on the console."""
    console: list[str] = []
    service = Telegram(
        token=token,
        api_url=api_url or room.server.url,
        ledger=room.ledger,
        clock=SystemClock(),
        announce=console.append,
        alarm=room.alarms.append,
        timing=TINY,
    )
    await service.start()
    try:
        yield service, console
    finally:
        await asyncio.wait_for(service.stop(), 5)


def code_in(line: str) -> str:
    found = re.search(r"\?start=(\w+)", line)
    assert found is not None
    return found[1]


async def test_from_the_code_on_the_console_to_an_answer_in_the_chat(room: Room) -> None:
    async with started(room) as (service, console):
        await until(lambda: console)
        assert "https://t.me/stillbell_test_bot?start=" in console[0]
        room.server.owner_sends(f"/start {code_in(console[0])}")
        await until(lambda: service.chat.chat_id == OWNER)
        assert "paired" in console[1]
        assert [part async for part in service.channel.show(a_piece())] == ["2"]
    assert [signal.kind for signal in await room.signals()] == ["paired"]
    assert (await room.ledger.read(lambda t: t.owners.get())).telegram_id == OWNER


async def test_a_code_that_was_guessed_at_is_replaced_on_the_console(room: Room) -> None:
    async with started(room) as (_, console):
        await until(lambda: console)
        for _ in range(5):
            room.server.owner_sends("AAAAAAAA", user_id=666)
        await until(lambda: len(console) == 2)
        assert code_in(console[0]) != code_in(console[1])
        room.server.owner_sends(code_in(console[0]), user_id=666)
        room.server.owner_sends(code_in(console[1]))
        await until(lambda: len(console) == 3)
    assert (await room.ledger.read(lambda t: t.owners.get())).telegram_id == OWNER


async def test_a_paired_bot_invites_nobody_and_remembers_where_the_owner_is(room: Room) -> None:
    await room.ledger.write(lambda t: t.owners.pair(1, telegram_id=OWNER, language="en", now=SystemClock().now()))
    async with started(room) as (service, console):
        room.server.owner_sends("hello", message_thread_id=77)
        await until(lambda: service.chat.topic_id == 77)
        await room.server.wait_for_calls(2, "setMyCommands")
        assert console == []
    async with started(room) as (service, _):
        assert (service.chat.chat_id, service.chat.topic_id) == (OWNER, 77)
        room.server.owner_sends("out of the topic again")
        await until(lambda: service.chat.topic_id is None)
    async with started(room) as (service, _):
        assert service.chat.topic_id is None


async def test_the_menu_speaks_english_and_german(room: Room) -> None:
    async with started(room):
        calls = await room.server.wait_for_calls(2, "setMyCommands")
    menus = {call.params.get("language_code", ""): call.params["commands"] for call in calls}
    assert set(menus) == {"", "de"}
    assert all([command["command"] for command in menu] == COMMANDS for menu in menus.values())
    assert {language: len(menu) for language, menu in MENU.items()} == dict.fromkeys(("en", "de"), len(COMMANDS))
    assert menus["de"][0]["description"] != menus[""][0]["description"]


async def test_starting_and_stopping_need_no_network(room: Room) -> None:
    async with started(room, api_url="http://127.0.0.1:9") as (service, console):
        await until(lambda: room.alarms or service.poller.health.trouble is None)
        assert console == []


async def test_the_introduction_waits_for_telegram(room: Room) -> None:
    room.server.fault("getMe", "html502")
    async with started(room) as (_, console):
        await until(lambda: console)
    assert len(room.server.calls("getMe")) == 2


async def test_a_refused_token_is_told_to_whoever_watches(room: Room) -> None:
    async with started(room, token="700101:another-token-that-nobody-knows") as (service, _):
        with pytest.raises(TokenRefused):
            await asyncio.wait_for(service.watch(), 5)


async def test_watching_ends_when_it_is_stopped(room: Room) -> None:
    async with started(room) as (service, _):
        watching = asyncio.create_task(service.watch())
        await room.server.wait_for_poll()
        assert not watching.done()
    async with asyncio.timeout(5):
        assert await watching is None


@pytest.mark.parametrize("token", ["", "hello", "123", "abc:def", f" {TOKEN}", f"{TOKEN}\n"])
def test_what_is_no_token_is_refused_before_anything_is_sent(room: Room, token: str) -> None:
    with pytest.raises(BadInput, match="BotFather"):
        Telegram(
            token=token,
            api_url="http://127.0.0.1:9",
            ledger=room.ledger,
            clock=SystemClock(),
            announce=print,
            alarm=print,
        )
