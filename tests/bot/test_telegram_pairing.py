"""Pairing: one code, one owner, and nothing kept of anybody else."""

from collections.abc import Iterator
from typing import Any

import pytest

from bot.telegram.intake import Taken, take_in
from bot.telegram.pairing import ALPHABET, LENGTH, WRONG_MAX, Pairing, asker, new_code
from tests.bot.telegram_room import BOT_ID, NOW, OWNER, Room, open_room
from tests.servers.bot_api import BotApiServer

CODE = "K7MXQ2WD"


@pytest.fixture
async def room(tmp_path: Any) -> Any:
    async with open_room(tmp_path, paired=False) as opened:
        yield opened


def codes() -> Iterator[str]:
    return iter(f"CODE{number:04}" for number in range(100))


async def take(room: Room, *updates: Any, pairing: Pairing | None = None) -> Taken:
    fresh = codes()
    awaited = pairing or Pairing(CODE)
    return await room.ledger.write(
        lambda t: take_in(t, updates, bot_id=BOT_ID, pairing=awaited, now=NOW, fresh=lambda: next(fresh))
    )


async def paired_with(room: Room) -> int | None:
    return await room.ledger.read(lambda t: t.owners.get().telegram_id)


def test_codes_are_long_enough_and_free_of_what_is_misread() -> None:
    made = {new_code() for _ in range(200)}
    assert len(made) == 200
    assert all(len(code) == LENGTH and set(code) <= set(ALPHABET) for code in made)
    assert not set("0O1IL") & set(ALPHABET)


@pytest.mark.parametrize(
    "said", [f"/start {CODE}", CODE, CODE.lower(), "k7mx-q2wd", f"  {CODE} ", f"/start@stillbell_test_bot {CODE}"]
)
def test_the_code_is_taken_as_people_type_it(said: str) -> None:
    assert Pairing(CODE).try_code(said, fresh=new_code) is None


@pytest.mark.parametrize("said", ["K7MXQ2W", f"{CODE}X", "hello", "/help", "ä", "\ud83d"])
def test_anything_else_is_a_wrong_try(said: str) -> None:
    assert Pairing(CODE).try_code(said, fresh=new_code) == Pairing(CODE, wrong=1)


def test_opening_the_chat_is_no_try() -> None:
    assert Pairing(CODE).try_code("/start", fresh=new_code) == Pairing(CODE)


def test_after_five_wrong_tries_the_code_is_another() -> None:
    pairing: Pairing | None = Pairing(CODE)
    for _ in range(WRONG_MAX):
        assert pairing is not None
        assert pairing.code == CODE
        pairing = pairing.try_code("AAAAAAAA", fresh=lambda: "NEWCODE2")
    assert pairing == Pairing("NEWCODE2")
    assert pairing.try_code(CODE, fresh=new_code) is not None


async def test_whoever_sends_the_code_is_the_owner_from_then_on(room: Room) -> None:
    taken = await take(
        room,
        room.server.owner_sends("before", user_id=666),
        room.server.owner_sends(f"/start {CODE}"),
        room.server.owner_sends("after"),
        room.server.owner_sends("after", user_id=666),
    )
    assert await paired_with(room) == OWNER
    assert taken.pairing is None
    assert [(s.kind, s.source_id) for s in await room.signals()] == [
        ("paired", f"paired:{OWNER}"),
        ("message", f"message:{OWNER}:3"),
    ]
    assert (await room.counted("unpaired"), await room.counted("stranger")) == (1, 1)


async def test_the_code_is_spent_by_being_used(room: Room) -> None:
    await take(room, room.server.owner_sends(CODE))
    await take(room, room.server.owner_sends(CODE, user_id=666))
    assert await paired_with(room) == OWNER


@pytest.mark.parametrize(
    ("code", "language"), [("de", "de"), ("de-AT", "de"), ("en", "en"), ("fr", "en"), (None, "en")]
)
async def test_the_language_is_the_clients(room: Room, code: str | None, language: str) -> None:
    update = room.server.owner_sends(CODE)
    update["message"]["from"] = update["message"]["from"] | {"language_code": code}
    await take(room, update)
    assert (await room.ledger.read(lambda t: t.owners.get())).language == language


def in_a_group(api: BotApiServer) -> Any:
    return api.owner_sends(CODE, chat_id=-5)


def as_a_caption(api: BotApiServer) -> Any:
    return api.owner_sends_photo(caption=CODE)


def as_an_edit(api: BotApiServer) -> Any:
    api.owner_sends("x")
    return api.owner_edits(1, CODE)


def in_a_broken_message(api: BotApiServer) -> Any:
    return {"update_id": 1, "message": {"text": CODE, "from": {"id": "1001"}, "chat": {"type": "private"}}}


@pytest.mark.parametrize("make", [in_a_group, as_a_caption, as_an_edit, in_a_broken_message])
async def test_the_code_counts_only_as_a_text_in_a_private_chat(room: Room, make: Any) -> None:
    update = make(room.server)
    assert asker(update) is None
    await take(room, update)
    assert await paired_with(room) is None


async def test_nothing_that_is_said_before_pairing_is_kept(room: Room) -> None:
    said = [room.server.owner_sends(f"secret {number}") for number in range(7)]
    taken = await take(room, *said)
    assert taken.pairing == Pairing("CODE0000", wrong=2)
    assert await room.signals() == []
    assert await room.counted("unpaired") == 7


async def test_a_paired_bot_takes_no_code(room: Room) -> None:
    await room.ledger.write(lambda t: t.owners.pair(1, telegram_id=OWNER, language="en", now=NOW))
    await take(room, room.server.owner_sends(CODE, user_id=666))
    assert await paired_with(room) == OWNER


def test_the_invitation_can_be_opened_or_typed() -> None:
    said = Pairing(CODE).invitation("stillbell_test_bot")
    assert f"https://t.me/stillbell_test_bot?start={CODE}" in said
    assert f"/start {CODE}" in said
