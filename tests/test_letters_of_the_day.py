"""What has not left is a line of the day: what waits for a tap, and what was approved and is held back."""

from pathlib import Path

import pytest

from bot.web.day import day
from tests.doubles.clock import FakeClock
from tests.exit_room import open_office
from tools import day_page


@pytest.mark.parametrize("asked", ["/today", "/brief"])
async def test_a_letter_that_waits_for_a_tap_stands_in_the_day_until_it_is_sent(
    database: Path, clock: FakeClock, asked: str
) -> None:
    async with open_office(database, clock) as office:
        assert "Waiting for your tap" not in "\n".join(await office.says(asked))
        await office.says("reply to Anna: Friday suits me.")
        told = "\n".join(await office.says(asked))
        assert "Waiting for your tap" in told
        assert "anna@muster.example: Re: Lunch" in told
        await office.taps("Send")
        assert "Waiting for your tap" not in "\n".join(await office.says(asked))


async def test_the_page_of_the_day_shows_it_too(database: Path, clock: FakeClock) -> None:
    async with open_office(database, clock) as office:
        ledger = office.product.house.ledger

        async def shown() -> str:
            return await ledger.write(lambda t: day(day_page.page(t, t.owners.get(1), clock.now())))

        assert 'class="letters"' not in await shown()
        await office.says("reply to Anna: Friday suits me.")
        page = await shown()
        assert 'class="letters"' in page
        assert "anna@muster.example: Re: Lunch" in page


async def test_a_letter_whose_words_are_erased_is_no_line(database: Path, clock: FakeClock) -> None:
    async with open_office(database, clock) as office:
        await office.says("reply to Anna: Friday suits me.")
        await office.product.house.ledger.write(lambda t: t.drafts.erase(1))
        assert "Waiting for your tap" not in "\n".join(await office.says("/today"))
