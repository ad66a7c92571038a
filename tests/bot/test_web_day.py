"""The page of the day: what needs the owner, with buttons that are taps, and nothing in it that others could have put there."""

import re
from collections.abc import Callable
from datetime import timedelta
from html.parser import HTMLParser
from typing import Any

import pytest

from memory.card import read_callback
from memory.ledger import Tables
from memory.mail import Address
from tests.bot.terminal_room import NOW
from tests.bot.test_web_wired import wired
from tests.bot.web_room import WebRoom, web_room
from tests.doubles.clock import NOW as WIRED_NOW
from tests.doubles.judged import a_judged, plan
from tests.doubles.letters import SARAH
from tests.doubles.planned import an_event
from tools.day_page import LINES_MAX, SILENT_SHOWN_MAX

WILD = "<img src=x onerror=alert(1)> [win](https://evil.example) \"'</main><script>alert(1)</script>"


class Reader(HTMLParser):
    """What a browser makes of the page: elements with their attributes, and text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.said = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.said += data

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]

    @property
    def text(self) -> str:
        return " ".join(self.said.split())

    @property
    def taps(self) -> list[str]:
        return [str(one["data-tap"]) for one in self.all("button") if "data-tap" in one]

    @property
    def lines(self) -> list[str]:
        return [str(one["id"]) for one in self.all("li") if "id" in one]


async def look(room: WebRoom, work: Callable[[Tables], Any] | None = None) -> Reader:
    """The page, after `work` was done in the ledger."""
    if work is not None:
        await room.ledger.write(work)
    async with room.browser() as browser:
        answer = await browser.get("/today")
        assert answer.status_code == 200
        assert "default-src 'self'" in answer.headers["content-security-policy"]
        return Reader(answer.text)


def a_morning(t: Tables) -> None:
    a_judged(t, "notify", now=NOW, subject="the lease")
    a_judged(t, "log", now=NOW, code="list", subject="patch 7", sender=SARAH)
    t.loops.open(owner_id=1, kind="task", title="call Tom", because="b", now=NOW)
    t.loops.open(owner_id=1, kind="waiting", title="the contract", because="b", now=NOW)
    plan(t, an_event("standup", NOW + timedelta(hours=1), 30, place="Room 4"))


async def test_the_day_stands_in_sections_with_what_is_next() -> None:
    async with web_room() as room:
        page = await look(room, a_morning)
        for said in (
            "Today, Monday, 2 March",
            "Anna Winter (anna@winter.example): the lease",
            "09:14–09:44 Standup (Room 4) next",
            "the contract",
            "call Tom",
            "lists 1",
            "Sarah Stone (sarah@stone.example): patch 7",
            "2 mails since yesterday at 08:14: 0 asked the model, 0.00 USD.",
        ):
            assert said in page.text


async def test_an_empty_day_says_so() -> None:
    async with web_room() as room:
        page = await look(room)
        assert "Nothing needs you." in page.text
        assert "No calendar is connected yet" in page.text
        assert page.taps == []


async def test_every_line_has_its_buttons_which_are_taps_on_one_card() -> None:
    async with web_room() as room:
        page = await look(room, a_morning)
        taps = [read_callback(data) for data in page.taps]
        assert all(tap is not None for tap in taps)
        assert [tap.choice for tap in taps if tap] == ["mail-done.1", "mail-later.1", "mail-less.1", "done.2", "done.1"]
        assert len({tap.card_id for tap in taps if tap}) == 1
        async with room.browser() as browser:
            assert (await browser.post("/tap", json={"data": page.taps[0]})).status_code == 202
        assert room.signals()[0]["data"] == page.taps[0]


async def test_looking_again_writes_nothing_while_nothing_has_changed() -> None:
    async with web_room() as room:
        first = await look(room, a_morning)
        assert (await look(room)).taps == first.taps
        later = await look(room, lambda t: t.loops.close(1, state="done", because="b", now=NOW))
        assert len(later.taps) == len(first.taps) - 1
        assert not set(later.taps) & set(first.taps)


async def test_a_line_says_why_it_stands_there() -> None:
    async with web_room() as room:
        page = await look(room, a_morning)
        assert "told at once, 50% consequence, by a rule. somebody asks" in page.text


def a_wild_morning(t: Tables) -> None:
    stranger = Address(WILD, "x@evil.example")
    a_judged(t, "notify", now=NOW, subject=WILD, sender=stranger, said=WILD)
    a_judged(t, "ignore", now=NOW, code="marketing", subject=WILD, sender=stranger)
    t.loops.open(owner_id=1, kind="reply", title=WILD, because="b", now=NOW)
    plan(t, an_event("x", NOW + timedelta(hours=1), title=WILD, place=WILD), an_event("y", NOW + timedelta(hours=1)))


async def test_what_others_wrote_is_text_and_nothing_of_it_runs_loads_or_leads_anywhere() -> None:
    async with web_room() as room:
        page = await look(room, a_wild_morning)
        assert [one.get("src") for one in page.all("script")] == ["/static/day.js"]
        assert page.all("img") == []
        assert {one["href"] for one in page.all("a")} == {"/", "/search"}
        assert not [attributes for _, attributes in page.elements if any(name.startswith("on") for name in attributes)]
        assert not [attributes for _, attributes in page.elements if "style" in attributes]
        assert "hxxps://evil" in page.text


async def test_a_crowded_day_is_bounded_and_says_how_much_it_left_out() -> None:
    def crowd(t: Tables) -> None:
        for number in range(LINES_MAX + 20):
            t.loops.open(owner_id=1, kind="task", title=f"task {number}", because="b", now=NOW)
        for number in range(SILENT_SHOWN_MAX + 5):
            a_judged(t, "log", now=NOW, code="list", subject=f"s{number}")

    async with web_room() as room:
        page = await look(room, crowd)
        assert len(page.taps) == LINES_MAX
        assert "… and 5 more" in page.text


async def test_nobody_sees_the_day_without_the_token() -> None:
    async with web_room() as room, room.client() as stranger:
        assert (await stranger.get("/today")).status_code == 401
        assert (await stranger.get("/today", headers={"Accept": "text/html"})).status_code == 401


@pytest.mark.parametrize(("language", "said"), [("en", "Needs you"), ("de", "Braucht dich")])
async def test_the_page_speaks_the_owners_language(language: str, said: str) -> None:
    async with web_room() as room:
        page = await look(room, lambda t: t.owners.set(1, language=language))  # type: ignore[arg-type]
        assert said in page.text
        assert page.all("html")[0]["lang"] == language


async def test_the_chat_leads_to_the_day_and_the_day_to_the_chat() -> None:
    async with web_room() as room, room.browser() as browser:
        assert 'href="/today"' in (await browser.get("/")).text
        assert 'href="/"' in (await browser.get("/today")).text


async def test_a_button_of_the_page_does_what_it_says_and_the_chat_has_it() -> None:
    async with wired() as it, it.script() as script:
        await it.house.ledger.write(lambda t: a_judged(t, "notify", now=WIRED_NOW, subject="the lease"))
        await it.house.ledger.write(
            lambda t: t.loops.open(owner_id=1, kind="task", title="call Tom", because="b", now=WIRED_NOW)
        )
        page = Reader((await script.get("/today")).text)
        async with script.stream("GET", "/events?after=0") as response:
            for verb in ("mail-done.", "done."):
                (data,) = [one for one in page.taps if f":{verb}" in one]
                assert (await script.post("/tap", json={"data": data})).status_code == 202
            told = ""
            async for line in response.aiter_lines():
                told += line
                if "the lease" in told and "call Tom" in told:
                    break
        assert re.search(r"Done: \*\*the lease\*\*", told)
        assert Reader((await script.get("/today")).text).lines == []
