"""An alarm arrives: in the thread at once, in Telegram as soon as Telegram takes it again, and never as a flood."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest

from bot.terminal import wire
from bot.terminal.client import Client
from memory.piece import OUT_OF_REACH
from memory.sql.ledger import SqlLedger
from tests.bot.terminal_room import until
from tests.doubles.clock import NOW, FakeClock
from tests.doubles.hand import hand
from tests.doubles.spoken import a_piece
from tests.doubles.stumbling import StumblingLedger
from tests.product_room import OWNER, TOKEN, Product, open_product
from tests.servers.bot_api import BotApiServer, texts
from tools import alarm as alarms
from tools.alarm import Alarm

UNREACHABLE = "Telegram can't be reached"


@pytest.fixture
async def server() -> AsyncIterator[BotApiServer]:
    async with BotApiServer(TOKEN, owner_id=OWNER) as running:
        yield running


@pytest.fixture
async def stillbell(database: Path, clock: FakeClock, server: BotApiServer) -> AsyncIterator[Product]:
    async with open_product(database, clock, server=server) as product:
        yield product


async def test_an_alarm_about_telegram_is_seen_in_the_terminal_at_once_and_in_telegram_later(
    stillbell: Product,
) -> None:
    server = stillbell.server
    async with Client(stillbell.settings.socket) as client:
        await client.attach(history=0)
        server.fault("*", 500, times=None)
        server.finish_poll()
        seen = await until(client.events(), lambda said: isinstance(said, wire.Said) and said.text.startswith("⚠️"))
    assert "Telegram refuses to hand over updates" in seen[-1].text  # type: ignore[union-attr]
    assert texts(server.bot_messages()) == []
    server.clear_faults()
    await server.wait_until(server.bot_messages, timeout=10)
    assert "Telegram refuses to hand over updates" in texts(server.bot_messages())[0]


async def tick(product: Product) -> list[str]:
    """An hour goes by, and the watch looks; what arrived in Telegram."""
    before = len(product.server.bot_messages())
    product.clock.advance(timedelta(hours=1))  # type: ignore[attr-defined]
    await product.house.timetable.look()
    await product.settled()
    return texts(product.server.bot_messages()[before:])


def alarms_said(product: Product) -> list[tuple[str, str, str]]:
    """Every alarm: its text, its channel, and how its piece stands."""
    return product.rows(
        "SELECT m.text, p.channel, p.state FROM pieces p JOIN messages m ON m.id = p.message_id "
        "WHERE p.key LIKE 'alarm:%' ORDER BY p.id"
    )


async def test_what_a_blocked_bot_could_not_say_is_said_once_it_is_unblocked_and_the_alarm_goes_to_the_terminal(
    stillbell: Product,
) -> None:
    server = stillbell.server
    server.fault("sendMessage", 403, times=1)
    lost = await stillbell.house.ledger.write(lambda t: t.pieces.say(a_piece("lost"), now=NOW, handing=True))
    stillbell.house.courier.post(lost)
    await stillbell.house.courier.settled()
    # The bot is blocked: the message is lost, and however often the watch looks, that is said once, where it is seen.
    for _ in range(3):
        assert await tick(stillbell) == []
    ((text, channel, state),) = alarms_said(stillbell)
    assert "1 message may not have reached you" in text
    assert (channel, state) == ("terminal", "shown")
    assert stillbell.house.courier.home() == "terminal"
    assert await stillbell.after(server.owner_unblocks) == ["Noted."]
    assert stillbell.house.courier.home() == "telegram"
    assert await tick(stillbell) == []
    assert len(alarms_said(stillbell)) == 1
    assert stillbell.rows("SELECT state FROM pieces WHERE key = 'lost'") == [("shown",)]


async def test_while_the_bot_is_blocked_what_nobody_asked_for_goes_to_the_terminal(stillbell: Product) -> None:
    await stillbell.after(stillbell.server.owner_blocks)
    assert stillbell.house.courier.home() == "terminal"
    assert await stillbell.after(stillbell.server.owner_unblocks) == []
    assert stillbell.house.courier.home() == "telegram"
    assert stillbell.rows("SELECT decided FROM decisions ORDER BY id") == [("nothing to do",), ("revived",)]


async def test_before_pairing_the_terminal_is_home_and_pairing_says_what_nobody_could_be_told(
    database: Path, clock: FakeClock, server: BotApiServer
) -> None:
    async with open_product(database, clock, server=server, paired=False) as product:
        assert product.house.courier.home() == "terminal"
        lost = await product.house.ledger.write(lambda t: t.pieces.say(a_piece("lost"), now=NOW, handing=True))
        product.house.courier.post(lost)
        await product.house.courier.settled()
        assert product.rows("SELECT state FROM pieces") == [("failed",)]
        async with asyncio.timeout(10):
            while not (invited := [line for line in product.console if "?start=" in line]):  # noqa: ASYNC110
                await asyncio.sleep(0.005)  # there is no event for a line on the console
        code = invited[0].partition("?start=")[2].split()[0]
        said = await product.after(lambda: server.owner_sends(f"/start {code}"))
        assert said[-1] == "Noted."
        assert product.house.courier.home() == "telegram"


async def test_a_message_that_ends_a_block_has_the_rest_said_by_the_next_tick(stillbell: Product) -> None:
    stillbell.server.fault("sendMessage", 403, times=1)
    lost = await stillbell.house.ledger.write(lambda t: t.pieces.say(a_piece("lost"), now=NOW, handing=True))
    stillbell.house.courier.post(lost)
    await stillbell.house.courier.settled()
    await stillbell.says("hello?")
    assert await tick(stillbell) == ["Noted."]
    assert alarms_said(stillbell) == []


async def test_each_lost_message_is_alarmed_about_once(stillbell: Product) -> None:
    for number, told in ((1, 1), (2, 2)):
        for key in (f"a{number}", f"b{number}")[:number]:
            said = await stillbell.house.ledger.write(lambda t, k=key: t.pieces.say(a_piece(k), now=NOW))  # type: ignore[misc]
            assert said is not None
            await stillbell.house.ledger.write(lambda t, i=said.id: t.pieces.end(i, "failed", because="b", now=NOW))  # type: ignore[misc]
        (text,) = await tick(stillbell)
        assert f"{told} message{'s' if told > 1 else ''} may not have reached you" in text
        assert await tick(stillbell) == []
        # The same tick again, as after a crash before it was put on record that it was told.
        with hand(stillbell.settings.database) as connection:
            connection.execute("DELETE FROM cursors WHERE name = 'lost told'")
            connection.execute("UPDATE jobs SET state = 'pending', finished_at = NULL WHERE kind = 'tick'")
        await stillbell.settled()
        assert len(alarms_said(stillbell)) == number


async def test_what_the_owner_was_out_of_reach_for_survives_a_crash_and_is_not_in_doubt(ledger: SqlLedger) -> None:
    for key, because in (("blocked", f"{OUT_OF_REACH}: blocked"), ("bad", "Telegram will not take it")):
        said = await ledger.write(lambda t, k=key: t.pieces.say(a_piece(k), now=NOW, handing=True))  # type: ignore[misc]
        assert said is not None
        await ledger.write(lambda t, i=said.id, b=because: t.pieces.end(i, "failed", because=b, now=NOW))  # type: ignore[misc]
    again = await ledger.write(lambda t: t.pieces.revive(1, "telegram", since=NOW))
    assert [(piece.key, piece.state) for piece in again] == [("blocked", "ready")]
    left = await ledger.read(lambda t: t.pieces.undelivered())
    assert [(piece.key, piece.in_doubt) for piece in left] == [("blocked", False)]


async def test_a_daily_alarm_is_told_once_in_each_of_the_owners_days(stillbell: Product, clock: FakeClock) -> None:
    ledger = stillbell.house.ledger
    await ledger.write(lambda t: t.owners.move(1, zone="Asia/Tokyo", from_at=NOW, because="a trip"))
    alarm = Alarm(ledger, stillbell.house.courier, clock, 1)
    # Eleven at night in Tokyo, an hour and a half later there, and six in the morning: one day of UTC, two of the owner's.
    for hours in (5, 1.5, 5.5):
        clock.advance(timedelta(hours=hours))
        await alarm.daily("disk", "little is left")
    await stillbell.settled()
    assert [key for (key,) in stillbell.rows("SELECT key FROM pieces ORDER BY id")] == [
        "alarm:disk:2026-03-02",
        "alarm:disk:2026-03-03",
    ]


async def test_an_alarm_waits_for_a_disk_that_is_full(
    ledger: SqlLedger, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    posted: list[object] = []

    class Post:
        def home(self) -> str:
            return "terminal"

        def post(self, *pieces: object) -> None:
            posted.extend(pieces)

    monkeypatch.setattr(alarms, "AGAIN_FOR", timedelta(0))
    stumbling = StumblingLedger(ledger)
    stumbling.fails = 3
    await Alarm(stumbling, Post(), clock, 1)("disk", "the disk is full")  # type: ignore[arg-type]
    assert stumbling.fails == 0
    assert len(posted) == 1
