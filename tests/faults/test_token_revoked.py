"""A token that Telegram no longer knows: nothing more is asked of Telegram, what was to be said waits, the terminal goes on."""

from collections.abc import AsyncIterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from bot import wiring
from bot.terminal import wire
from bot.terminal.client import Client
from memory.ledger import Tables
from memory.piece import Piece
from tests.bot.terminal_room import until
from tests.doubles.clock import FakeClock
from tests.doubles.spoken import a_piece
from tests.product_room import OWNER, TOKEN, Product, open_product
from tests.servers.bot_api import BotApiServer, texts

RENEW = "get a new one from @BotFather"


@pytest.fixture
async def server() -> AsyncIterator[BotApiServer]:
    async with BotApiServer(TOKEN, owner_id=OWNER) as running:
        yield running


@pytest.fixture(autouse=True)
def _no_last_words(monkeypatch: pytest.MonkeyPatch) -> None:
    """What waits for a token would only hold the end of each test up."""
    monkeypatch.setattr(wiring, "LAST_WORDS_FOR", timedelta(milliseconds=20))


async def revoked(product: Product) -> None:
    """Telegram refuses the token from now on; returns when that was noticed and put on record."""
    product.server.fault("*", 401, times=None)
    product.server.finish_poll()
    await product.until("SELECT 1 FROM pieces WHERE key LIKE 'alarm:telegram:%'")


def speak(t: Tables, now: datetime) -> Piece | None:
    return t.pieces.say(a_piece("brief", text="Good morning."), now=now)


async def test_nothing_more_is_asked_of_telegram_and_what_waits_is_told_with_the_next_token(
    database: Path, clock: FakeClock, server: BotApiServer
) -> None:
    async with open_product(database, clock, server=server) as product:
        await revoked(product)
        assert any(RENEW in line for line in product.console)
        polls, calls = len(server.polls), len(server.sent)
        product.house.courier.post(await product.house.ledger.write(lambda t: speak(t, clock.now())))
        await product.house.courier.typing("telegram")
        await product.house.courier.answer_tap("telegram", "1", "OK")
        assert product.house.worker.moves
        assert (len(server.polls), len(server.sent)) == (polls, calls)
        assert product.rows("SELECT state FROM pieces WHERE key = 'brief'") != [("failed",)]
    server.clear_faults()
    async with open_product(database, clock, server=server) as product:
        await product.settled()
        said = texts(server.bot_messages())
    assert "Good morning." in [text.removeprefix("(may be a repeat) ") for text in said]
    # How to renew it was of use before it was renewed, and in the terminal: Telegram's own queue is no place for that.
    assert not any(RENEW in text for text in said)


async def test_the_alarm_about_the_token_and_what_follows_go_where_the_owner_can_see_it(
    database: Path, clock: FakeClock, server: BotApiServer
) -> None:
    async with open_product(database, clock, server=server) as product:
        await revoked(product)
        assert product.house.courier.home() == "terminal"
        await product.until("SELECT 1 FROM pieces WHERE key LIKE 'alarm:telegram:%' AND state = 'shown'")
        assert product.rows("SELECT channel FROM pieces WHERE key LIKE 'alarm:telegram:%'") == [("terminal",)]


async def test_the_terminal_goes_on_and_says_how_to_renew(
    database: Path, clock: FakeClock, server: BotApiServer
) -> None:
    async with open_product(database, clock, server=server) as product:
        await revoked(product)
        async with Client(product.settings.socket) as client:
            await client.attach(history=5)
            await client.post(wire.Say(id="1", text="todo: call Anna"))
            heard = await until(
                client.events(), lambda said: isinstance(said, wire.Said) and said.text.startswith("Kept open")
            )
            alarms = [said.text for said in heard if isinstance(said, wire.Said) and RENEW in said.text]
            assert len(alarms) == 1
        async with Client(product.settings.socket) as client:
            (told,) = [step.data async for step in client.ask("doctor", {})]
        assert RENEW in told["parts"]["telegram_trouble"]


async def test_a_token_that_is_refused_from_the_start_leaves_the_terminal(
    database: Path, clock: FakeClock, server: BotApiServer
) -> None:
    server.fault("getMe", 401, times=None)
    async with open_product(database, clock, server=server) as product:
        await revoked(product)
        assert not product.house.failed.done()
