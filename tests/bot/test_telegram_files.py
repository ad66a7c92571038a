"""Fetching files from Telegram: whole or not at all, within its limit, and with the token in no word."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.telegram.fetching import TelegramFiles
from tests.bot.telegram_room import TOKEN, Room, open_room
from tools.fetching import NotFetched


@pytest.fixture
async def room(tmp_path: Path) -> AsyncIterator[Room]:
    async with open_room(tmp_path) as opened:
        yield opened


@pytest.fixture
async def files(room: Room) -> AsyncIterator[TelegramFiles]:
    fetching = TelegramFiles(room.line.bot)
    yield fetching
    await fetching.close()


async def fetched(files: TelegramFiles, file_id: str) -> bytes:
    return b"".join([chunk async for chunk in files.fetch(file_id)])


async def refused(files: TelegramFiles, file_id: str) -> NotFetched:
    with pytest.raises(NotFetched) as told:
        await fetched(files, file_id)
    whole = [told.value, told.value.__cause__, told.value.__context__]
    assert not any(TOKEN in f"{error!r}{error}" for error in whole)
    return told.value


async def test_a_file_comes_whole_and_in_pieces(room: Room, files: TelegramFiles) -> None:
    data = bytes(range(256)) * 4096
    stored = room.server.add_file(data)
    chunks = [chunk async for chunk in files.fetch(stored.file_id)]
    assert b"".join(chunks) == data
    assert len(chunks) > 1


async def test_an_empty_file_is_a_file(room: Room, files: TelegramFiles) -> None:
    assert await fetched(files, room.server.add_file(b"").file_id) == b""


@pytest.mark.parametrize("fault", ["drop_before", "500", "404 html", "html502", "garbage"])
async def test_a_download_that_fails_is_worth_another_try_and_never_names_the_address(
    room: Room, files: TelegramFiles, fault: str
) -> None:
    stored = room.server.add_file(b"words")
    room.server.fault("download", "html502" if fault == "404 html" else fault)
    assert not (await refused(files, stored.file_id)).for_good
    assert await fetched(files, stored.file_id) == b"words"


async def test_less_than_telegram_announced_is_no_file(room: Room, files: TelegramFiles) -> None:
    stored = room.server.add_file(b"half", size_bytes=8)
    assert "4 of 8 bytes" in str(await refused(files, stored.file_id))


async def test_what_telegram_will_not_hand_over_is_not_asked_for_twice(room: Room, files: TelegramFiles) -> None:
    large = room.server.add_file(b"x", size_bytes=25 << 20)
    assert (await refused(files, large.file_id)).for_good
    assert (await refused(files, "no such file")).for_good


@pytest.mark.parametrize("fault", [429, 500, "drop_before", "html502"])
async def test_a_getfile_that_fails_is_worth_another_try(room: Room, files: TelegramFiles, fault: int | str) -> None:
    stored = room.server.add_file(b"words")
    room.server.fault("getFile", fault)
    assert not (await refused(files, stored.file_id)).for_good
