"""Away for a day and a half, and a clock that jumps: everything comes once, what is late says so, nothing stalls."""

import asyncio
from collections.abc import AsyncIterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from memory.ledger import Tables
from tests.doubles.clock import NOW, FakeClock
from tests.doubles.hand import rows
from tests.product_room import OWNER, TOKEN, Product, open_product
from tests.servers.bot_api import BotApiServer

DAY = timedelta(days=1)


@pytest.fixture
async def server() -> AsyncIterator[BotApiServer]:
    async with BotApiServer(TOKEN, owner_id=OWNER) as running:
        yield running


def remind(text: str, wall: datetime, rule: str | None = None) -> object:
    def work(t: Tables) -> None:
        t.reminders.set(owner_id=1, text=text, wall=wall, rule=rule, loop_id=None, because="b", now=NOW)

    return work


async def look(product: Product) -> list[str]:
    """One look of the timetable and all that follows; what was said."""
    before = len(product.server.calls("sendMessage"))
    await product.house.timetable.look()
    await product.settled()
    return [str(call.params["text"]) for call in product.server.calls("sendMessage")[before:]]


async def test_after_36_hours_off_the_brief_comes_late_once_and_reminders_late_and_labelled(
    database: Path, clock: FakeClock, server: BotApiServer
) -> None:
    async with open_product(database, clock, server=server) as product:
        await product.house.ledger.write(remind("the dentist", datetime(2026, 3, 2, 15, 0)))
        await product.house.ledger.write(remind("the pills", datetime(2026, 3, 2, 20, 0), "FREQ=DAILY 20:00"))
        assert await look(product) == []
    server.owner_sends("todo: call Anna")
    clock.advance(timedelta(hours=36))  # Tuesday, ten in the evening in Berlin
    async with open_product(database, clock, server=server) as product:
        await product.settled()
        said = await look(product)
        assert await look(product) == []
        assert product.loops["call Anna"] == "open"
    assert [line for line in said if "brief" in line] == []
    assert "⏰ the dentist\nLate: this was due yesterday at 15:00; I was not running then." in said
    pills = "⏰ the pills\nLate: this was due yesterday at 20:00; I was not running then.\nMissed since, too: 1."
    assert pills in said
    assert len(said) == 2
    # At ten in the evening nobody wants the morning told; a start at noon does.
    clock.advance(timedelta(hours=14))
    async with open_product(database, clock, server=server) as product:
        said = await look(product)
        assert await look(product) == []
    assert sum("This brief is late: I was not running" in line for line in said) == 1


@pytest.mark.parametrize("jumps", [(DAY, -DAY), (-DAY, DAY), (-DAY, DAY, DAY, -DAY)], ids=str)
async def test_a_clock_that_jumps_fires_nothing_twice_and_stalls_nothing(
    database: Path, clock: FakeClock, server: BotApiServer, jumps: tuple[timedelta, ...]
) -> None:
    async with open_product(database, clock, server=server) as product:
        await product.house.ledger.write(remind("the dentist", datetime(2026, 3, 2, 10, 30)))
        said = []
        for number, by in enumerate((timedelta(0), *jumps, timedelta(hours=1), DAY)):
            clock.advance(by)
            said += await look(product)
            # Whatever the clock shows, the owner is answered.
            assert await product.says(f"todo: errand {number}") == [f"Kept open: errand {number}"]
        assert sum(line.startswith("⏰ the dentist") for line in said) == 1
        assert len(product.loops) == len(jumps) + 4
        assert rows(product.settings.database, "SELECT count(*) FROM jobs WHERE state <> 'done'") == [(0,)]
        fired = rows(product.settings.database, "SELECT source_id FROM signal_heads WHERE source = 'timetable'")
    assert len(fired) == len(set(fired))


async def test_a_retry_that_waits_is_not_held_up_by_a_clock_that_is_set_back(
    database: Path, clock: FakeClock, server: BotApiServer
) -> None:
    """New work needs no time to come; only what has failed waits for one, and other work goes past it."""
    async with open_product(database, clock, server=server) as product:
        async with asyncio.timeout(10):
            clock.advance(-DAY)
            assert await product.says("todo: call Anna") == ["Kept open: call Anna"]
            clock.advance(2 * DAY)
            assert await product.says("todo: call Tom") == ["Kept open: call Tom"]
