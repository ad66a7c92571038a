"""The page in a real browser: typed, pressed, cut off and taken up again."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

import pytest

from bot.web.server import WebServer
from tests.bot.terminal_room import NOW, StoppedClock
from tests.bot.web_browser import CHROMIUM, Page, page_of, running_browser
from tests.bot.web_room import WebRoom, web_room

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed, and pip can't bring it"),
]

SHOWN = "[...document.querySelectorAll('#log article .body')].map((one) => one.textContent.trim())"
WAITING = "[...document.querySelectorAll('#waiting .body')].map((one) => one.textContent)"
FOCUS = "document.activeElement.id"


@pytest.fixture(scope="module")
def browser() -> Iterator[str]:
    """One browser for all tests of this file; each has a server, and so an origin, of its own."""
    with running_browser() as address:
        yield address


@asynccontextmanager
async def open_page(browser: str) -> AsyncIterator[tuple[WebRoom, Page]]:
    async with web_room() as room, page_of(browser) as page:
        await page.width(1000)
        await page.open(f"{room.server.url}/?token={room.token.link(NOW)}")
        yield room, page
        assert page.complaints == []


@asynccontextmanager
async def restarted(room: WebRoom) -> AsyncIterator[None]:
    """The server again, as after a restart of the daemon: on the same port, over the same ledger and token."""
    again = WebServer(
        ledger=room.ledger,
        clock=StoppedClock(),
        port=room.server.port,
        token_file=room.home / "web.token",
        announce=room.console.append,
    )
    async with again:
        assert again.listens
        yield


async def came(room: WebRoom, number: int) -> None:
    """Until so many signals came in. What another process sends has no event here."""
    async with asyncio.timeout(8):
        while len(room.signals()) < number:  # noqa: ASYNC110
            await asyncio.sleep(0.01)


async def test_a_message_typed_in_the_browser_is_sent_shown_once_and_leaves_the_focus_where_it_was(
    browser: str,
) -> None:
    async with open_page(browser) as (room, page):
        await page.until(f"{FOCUS} === 'text'")
        await page.type("one")
        await page.press("Enter", shift=True)
        await page.type("two")
        assert await page.see("text.value") == "one\ntwo"
        await page.see(
            "text.dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter', isComposing: true, bubbles: true}))"
        )
        assert await page.see("text.value") == "one\ntwo"  # the Enter of an input method chooses a word
        await page.press("Enter")
        await came(room, 1)
        assert room.signals()[0]["text"] == "one\ntwo"
        assert await page.see(WAITING) == ["one\ntwo"]
        await room.owner_says("one\ntwo", channel="web")
        await page.until(f"{SHOWN}.length === 1")
        assert await page.see(WAITING) == []
        assert await page.see(f"[{FOCUS}, text.value]") == ["text", ""]


async def test_a_button_pressed_by_keyboard_is_a_tap_and_keeps_its_place(browser: str) -> None:
    async with open_page(browser) as (room, page):
        key = await room.stillbell_says("Offer <b>&</b>", "Done", "Tomorrow")
        await page.until(f"{SHOWN}.length === 1")
        assert await page.see(SHOWN) == ["Offer <b>&</b>"]
        for _ in range(2):
            await page.press("Tab", shift=True)
        assert await page.see("document.activeElement.textContent") == "Done"
        assert await page.see("getComputedStyle(document.activeElement).outlineStyle") == "solid"
        await page.press(" ")
        await came(room, 1)
        assert room.signals()[0]["data"].endswith(":done")
        await page.press(" ")  # pressed again while it is being felt
        await room.stillbell_says("Done: Offer", amends=key)
        await page.until(f"{SHOWN}[0] === 'Done: Offer'")
        assert await page.see(FOCUS) == "m1"
        assert await page.see("document.querySelectorAll('#log button').length") == 0
        assert len(room.signals()) == 1


async def test_what_is_typed_while_stillbell_is_stopped_is_kept_and_sent_once_and_nothing_is_missed(
    browser: str,
) -> None:
    async with open_page(browser) as (room, page):
        key = await room.stillbell_says("before", "Done")
        await page.until(f"{SHOWN}.length === 1")
        await room.server.__aexit__(None, None, None)
        await page.type("kept")
        await page.press("Enter")
        await page.until(f"{WAITING}.length === 1 && state.textContent !== ''")
        assert len(json.loads(await page.see("JSON.stringify(Object.values(localStorage))"))) == 1
        await room.stillbell_says("meanwhile")
        await room.stillbell_says("changed meanwhile", amends=key)
        async with restarted(room):
            await came(room, 1)
            await page.until(f"{SHOWN}.length === 2 && state.textContent === ''")
            await room.owner_says("kept", channel="web")
            await page.until(f"{SHOWN}.length === 3")
            assert await page.see(SHOWN) == ["changed meanwhile", "meanwhile", "kept"]
            assert await page.see(WAITING) == []
            assert await page.see("localStorage.length") == 0
            assert [signal["text"] for signal in room.signals()] == ["kept"]


async def test_a_message_that_was_kept_survives_a_reload_and_one_that_had_arrived_is_not_said_again(
    browser: str,
) -> None:
    async with open_page(browser) as (room, page):
        async with room.script() as script:
            await script.post("/message", json={"text": "arrived", "id": "a-1"})  # and its acknowledgement was lost
        await room.owner_says("arrived", channel="web")
        await page.see("localStorage.setItem('stillbell say 000000000000001 a-1', 'arrived')")
        await page.see("localStorage.setItem('stillbell say 000000000000002 a-2', 'kept')")
        await page.open(room.server.url)
        await came(room, 2)
        await page.until(f"JSON.stringify({WAITING}) === JSON.stringify(['kept'])")
        assert [signal["id"] for signal in room.signals()] == ["a-1", "a-2"]
        assert await page.see("localStorage.length") == 0


async def test_nothing_sticks_out_of_a_narrow_page_and_days_and_earlier_messages_are_shown(browser: str) -> None:
    async with open_page(browser) as (room, page):
        await page.width(360)
        for n in range(45):
            await room.owner_says(f"{n} " + ("x" * 300 if n == 44 else ""))
        await room.stillbell_says("|a|b|\n|-|-|\n|" + "x" * 200 + "|y|\n\n`" + "x" * 200 + "`", "A long label " * 9)
        await page.open(room.server.url)
        assert await page.see("scroll.scrollWidth <= 360 && document.documentElement.scrollWidth <= 360")
        days = await page.see("[...document.querySelectorAll('.day')].map((one) => one.textContent)")
        assert [day.replace(",", "") for day in days] == ["Monday 2 March 2026"]
        assert await page.see(f"{SHOWN}.length") == 40
        await page.see("older.click()")
        await page.until(f"{SHOWN}.length === 46 && older.hidden")
        assert (await page.see(SHOWN))[0] == "0"
        assert await page.see("document.querySelectorAll('.day').length") == 1


async def test_the_end_stays_in_sight_while_the_line_grows_and_reading_further_up_is_not_disturbed(
    browser: str,
) -> None:
    async with open_page(browser) as (room, page):
        for n in range(30):
            await room.owner_says(f"{n}")
        await page.until(f"{SHOWN}.length === 30 && isAtEnd()")
        await page.type("1\n2\n3\n4\n5\n6")
        await page.until("text.clientHeight > 120 && isAtEnd()")
        await page.see("scroll.scrollTop = 100")
        await page.until("!followsEnd")
        await room.stillbell_says("new")
        await page.until(f"{SHOWN}.length === 31 && !newer.hidden")
        assert await page.see("scroll.scrollTop") == 100
        await page.see("newer.click()")
        await page.until("isAtEnd() && newer.hidden")
        assert await page.see(FOCUS) == "text"
