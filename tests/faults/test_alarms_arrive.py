"""An alarm arrives: in the thread at once, in Telegram as soon as Telegram takes it again, and never as a flood."""

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest

from bot.terminal import wire
from bot.terminal.client import Client
from memory.sql.ledger import SqlLedger
from tests.bot.terminal_room import until
from tests.doubles.clock import NOW, FakeClock
from tests.doubles.spoken import a_piece
from tests.doubles.stumbling import StumblingLedger
from tests.product_room import OWNER, TOKEN, Product, open_product
from tests.servers.bot_api import BotApiServer, texts
from tools import alarm as alarms
from tools.alarm import PREFIX, Alarm

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


async def test_an_alarm_that_a_blocked_bot_could_not_tell_is_told_once_it_is_unblocked(stillbell: Product) -> None:
    stillbell.server.fault("sendMessage", 403, times=1)
    lost = await stillbell.house.ledger.write(lambda t: t.pieces.say(a_piece("lost"), now=NOW, handing=True))
    stillbell.house.courier.post(lost)
    await stillbell.house.courier.settled()
    # The bot is blocked: the message is lost, and so is the alarm about it, however often the watch looks.
    for _ in range(3):
        assert await tick(stillbell) == []
    assert stillbell.rows("SELECT state FROM pieces WHERE key LIKE 'alarm:%'") == [("failed",)]
    await stillbell.says("hello?")
    (told,) = await tick(stillbell)
    assert "1 message may not have reached you" in told
    assert await tick(stillbell) == []
    assert stillbell.value("SELECT count(*) FROM messages WHERE text LIKE '⚠️%'") == 1


async def test_an_alarm_tried_again_survives_a_crash_and_no_other_failed_piece_is(ledger: SqlLedger) -> None:
    for key in ("alarm:new", "alarm_old", "turn:1:1"):
        said = await ledger.write(lambda t, k=key: t.pieces.say(a_piece(k), now=NOW, handing=True))  # type: ignore[misc]
        assert said is not None
        await ledger.write(lambda t, i=said.id: t.pieces.end(i, "failed", because="b", now=NOW))  # type: ignore[misc]
    late = await ledger.write(lambda t: t.pieces.revive(1, PREFIX, since=NOW + timedelta(seconds=1)))
    assert late == []
    again = await ledger.write(lambda t: t.pieces.revive(1, PREFIX, since=NOW))
    assert [(piece.key, piece.state) for piece in again] == [("alarm:new", "handing")]
    assert [piece.key for piece in await ledger.read(lambda t: t.pieces.undelivered())] == ["alarm:new"]


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
    await Alarm(stumbling, Post(), clock)("disk", "the disk is full")  # type: ignore[arg-type]
    assert stumbling.fails == 0
    assert len(posted) == 1
