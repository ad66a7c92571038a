"""What Telegram hands over twice, late or in another order happens once."""

import random
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from bot.telegram.intake import cursor_name
from tests.doubles.clock import FakeClock
from tests.doubles.hand import hand
from tests.product_room import BOT_ID, OWNER, TOKEN, Product, open_product
from tests.servers.bot_api import BotApiServer


@pytest.fixture
async def server() -> AsyncIterator[BotApiServer]:
    async with BotApiServer(TOKEN, owner_id=OWNER) as running:
        yield running


@pytest.fixture
async def stillbell(database: Path, clock: FakeClock, server: BotApiServer) -> AsyncIterator[Product]:
    async with open_product(database, clock, server=server) as product:
        yield product


def said(product: Product) -> list[str]:
    """What Stillbell wrote, every time it wrote it."""
    return [call.params["text"] for call in product.server.calls("sendMessage") if call.done]


async def test_the_same_update_again_changes_nothing(stillbell: Product) -> None:
    update = stillbell.server.owner_sends("todo: call Anna")
    await stillbell.settled()
    for _ in range(3):
        assert await stillbell.after(lambda: stillbell.server.redeliver(update)) == []
    assert said(stillbell) == ["Kept open: call Anna"]
    assert stillbell.value("SELECT count(*) FROM signal_heads") == 1
    assert stillbell.value("SELECT count(*) FROM loops") == 1


@pytest.mark.parametrize("seed", range(4))
async def test_shuffled_and_doubled_updates_come_to_the_same_as_one_of_each(stillbell: Product, seed: int) -> None:
    chance = random.Random(seed)
    updates = [stillbell.server.owner_sends(f"todo: errand {number}") for number in range(10)]
    updates.append(stillbell.server.owner_edits(updates[0]["message"]["message_id"]))
    await stillbell.settled()
    again: list[Any] = updates * 2
    chance.shuffle(again)
    for update in again:
        stillbell.server.redeliver(update)
    await stillbell.settled()
    assert stillbell.loops == {f"errand {number}": "open" for number in range(10)}
    assert stillbell.value("SELECT count(*) FROM loops") == 10
    assert sorted(said(stillbell)) == sorted(f"Kept open: errand {number}" for number in range(10))


@pytest.mark.parametrize("seed", range(4))
async def test_updates_that_come_in_another_order_are_all_answered_once(stillbell: Product, seed: int) -> None:
    server = stillbell.server
    messages = [server.new_message(OWNER, server.user(), {"text": f"todo: errand {number}"}) for number in range(8)]
    late = messages * 2
    random.Random(seed).shuffle(late)
    for message in late:
        server.push_raw({"message": message})
    await stillbell.settled()
    assert stillbell.loops == {f"errand {number}": "open" for number in range(8)}
    assert stillbell.value("SELECT count(*) FROM loops") == 8
    assert sorted(said(stillbell)) == [f"Kept open: errand {number}" for number in range(8)]


async def test_the_same_tap_under_a_new_update_id_counts_once(stillbell: Product) -> None:
    await stillbell.says("todo: call Anna")
    await stillbell.says("/loops")
    tap = stillbell.server.taps(stillbell.message_with("✓ 1"), label="✓ 1")
    await stillbell.settled()
    for _ in range(2):
        stillbell.server.redeliver(tap)
    await stillbell.settled()
    assert stillbell.rows("SELECT decided FROM decisions ORDER BY id") == [("opened",), ("done",)]
    assert stillbell.value("SELECT count(*) FROM signal_heads WHERE kind = 'tap'") == 1
    assert len(stillbell.server.calls("answerCallbackQuery")) == 1


async def test_a_button_pressed_twice_in_a_hurry_counts_once(stillbell: Product) -> None:
    await stillbell.says("todo: call Anna")
    await stillbell.says("todo: call Tom")
    await stillbell.says("/loops")
    where = stillbell.message_with("✓ 1")
    stillbell.server.taps(where, label="✓ 1")
    stillbell.server.taps(where, label="✓ 1")
    await stillbell.settled()
    assert stillbell.loops == {"call Anna": "done", "call Tom": "open"}
    words = [call.params.get("text") for call in stillbell.server.calls("answerCallbackQuery")]
    assert words[0] == "OK"
    assert words[1] in {"Already done.", "This has changed since. /loops shows how it stands."}


async def test_two_thousand_updates_that_wait_at_the_start_are_handled_in_order(
    database: Path, clock: FakeClock, server: BotApiServer
) -> None:
    for number in range(2_000):
        if number % 40 == 39:
            server.owner_sends(f"todo: errand {number}")
        elif number % 5 == 0:
            server.push_raw(a_reaction(server, number))
        else:
            server.group_message("noise")
    expected = [f"errand {number}" for number in range(39, 2_000, 40)]
    async with open_product(database, clock, server=server) as product:
        await server.wait_for_calls(len(expected), "sendMessage", timeout=60)
        await product.settled()
        assert product.value("SELECT count(*) FROM signal_heads") == 50 + 400
        assert product.value("SELECT n FROM counts WHERE name = 'telegram dropped stranger'") == 1_550
        assert [title for (title,) in product.rows("SELECT title FROM loops ORDER BY id")] == expected
        assert product.rows("SELECT DISTINCT state FROM jobs") == [("done",)]
        seen = product.rows("SELECT signal_id FROM decisions WHERE decided = 'nothing to do' ORDER BY id")
        assert seen == sorted(seen)
        assert len(seen) == 400
        assert said(product) == [f"Kept open: {title}" for title in expected]


def a_reaction(server: BotApiServer, number: int) -> dict[str, Any]:
    """A thumb put under a message that is not known any more: heard, kept in its order, and not answered."""
    thumb = [{"type": "emoji", "emoji": "👍"}]
    where = {
        "chat": server.chats[OWNER],
        "message_id": 900_000 + number,
        "user": server.user(),
        "date": server.unix_now(),
    }
    return {"message_reaction": where | {"old_reaction": [], "new_reaction": thumb}}


async def test_a_lost_offset_makes_nothing_twice(database: Path, clock: FakeClock, server: BotApiServer) -> None:
    async with open_product(database, clock, server=server) as product:
        updates = [server.owner_sends(f"todo: errand {number}") for number in range(5)]
        await product.settled()
        before = said(product)
    with hand(database) as connection:
        connection.execute("DELETE FROM cursors WHERE name = ?", (cursor_name(BOT_ID),))
    # Telegram never learnt how far we had come: it hands over everything again, under the same numbers.
    server.finish_poll()
    await server.wait_until(lambda: server.polls[-1].answered is not None)
    for update in updates:
        server.push_raw(update)
    async with open_product(database, clock, server=server) as product:
        await product.settled()
        assert server.polls[-1].offset == updates[-1]["update_id"] + 1
        assert product.value("SELECT count(*) FROM signal_heads") == 5
        assert product.value("SELECT count(*) FROM loops") == 5
        assert said(product) == before
        assert await product.says("todo: one more") == ["Kept open: one more"]
