"""The web chat in the whole product: a turn asked there, the manual's own conversation, and the command for the link."""

import asyncio
import os
import re
import shutil
import socket
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from html import unescape
from pathlib import Path
from typing import Any

import httpx
import pytest

from bot import wiring
from bot.doctor import check_web, live_from_json
from bot.settings import Settings, load
from bot.terminal import wire
from bot.terminal.client import Client
from bot.terminal.live import Live
from bot.web.links import links, print_links
from bot.web.token import kept
from bot.web.words import words
from bot.wiring import House
from memory.errors import BadInput, NotFound
from memory.owner import Language
from tests.bot.terminal_room import fresh_database, until
from tests.bot.web_room import Events
from tests.doubles.clock import FakeClock

MANUAL = Path(__file__).parents[2] / "docs" / "web.md"


def free_port() -> int:
    with socket.socket() as looking:
        looking.bind(("127.0.0.1", 0))
        return int(looking.getsockname()[1])


@dataclass
class Wired:
    house: House
    settings: Settings
    console: list[str]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.settings.web_port}"

    @asynccontextmanager
    async def script(self) -> AsyncIterator[httpx.AsyncClient]:
        headers = {"Authorization": f"Bearer {self.settings.web_token.read_text().strip()}"}
        async with httpx.AsyncClient(base_url=self.url, headers=headers, timeout=10) as client:
            yield client


@asynccontextmanager
async def wired(port: int | None = None) -> AsyncIterator[Wired]:
    """The whole product without Telegram and without a model."""
    with tempfile.TemporaryDirectory(prefix="sb") as folder:
        home, console = Path(folder), list[str]()
        (home / "stillbell.db").write_bytes(fresh_database())
        settings = Settings(home=home, host="here", web_port=free_port() if port is None else port)
        async with wiring.running(settings, clock=FakeClock(), announce=console.append) as house:
            house.timetable.stop()
            yield Wired(house, settings, console)


async def test_a_turn_asked_in_the_web_is_answered_there_and_seen_in_the_terminal() -> None:
    async with wired() as it, it.script() as script, Client(it.settings.socket) as terminal:
        await terminal.attach(history=0)
        await terminal.settle()
        there = terminal.events()
        await until(there, lambda answer: isinstance(answer, wire.Settled))
        async with script.stream("GET", "/events?after=0") as response:
            events = Events(response)
            assert (await script.post("/message", json={"text": "todo: call Anna"})).status_code == 202
            asked, answered = await events.next(), await events.next()
            assert (asked.data["role"], asked.data["channel"]) == ("owner", "web")
            assert (answered.data["role"], answered.data["channel"]) == ("stillbell", "web")
            assert "call Anna" in answered.data["text"]
            seen = await until(there, lambda answer: isinstance(answer, wire.Said) and answer.role == "stillbell")
            assert [(one.channel, one.text) for one in seen if isinstance(one, wire.Said)] == [
                ("web", "todo: call Anna"),
                ("web", answered.data["text"]),
            ]


async def test_what_nobody_asked_for_still_goes_home_and_is_seen_in_the_web() -> None:
    async with wired() as it, it.script() as script:
        assert it.house.courier.home() == "terminal"
        async with script.stream("GET", "/events?after=0") as response, Client(it.settings.socket) as terminal:
            await terminal.post(wire.Say(id="t-1", text="todo: water the plants"))
            events = Events(response)
            assert [(await events.next()).data["channel"] for _ in range(2)] == ["terminal", "terminal"]


@pytest.mark.parametrize("part", ["terminal", "web"])
async def test_a_server_that_dies_takes_the_process_with_it(monkeypatch: pytest.MonkeyPatch, part: str) -> None:
    async def dies(self: Live) -> None:
        if asyncio.current_task().get_name().startswith(part):  # type: ignore[union-attr]
            raise ZeroDivisionError
        await asyncio.Event().wait()

    monkeypatch.setattr(Live, "run", dies)
    async with wired() as it:
        with pytest.raises(ZeroDivisionError):
            await asyncio.wait_for(it.house.failed, 10)


async def test_nothing_is_left_running_after_the_end() -> None:
    before = asyncio.all_tasks()
    async with wired():
        assert {task.get_name() for task in asyncio.all_tasks() - before} >= {"terminal", "web", "courier", "worker"}
    assert asyncio.all_tasks() - before == set()


async def test_every_piece_said_in_the_web_is_recorded_as_shown() -> None:
    async with wired() as it, it.script() as script, script.stream("GET", "/events") as response:
        await script.post("/message", json={"text": "/loops"})
        answered = None
        events = Events(response)
        while answered is None or answered.data["role"] != "stillbell":
            answered = await events.next()
        await it.house.courier.settled()
        assert await it.house.ledger.read(lambda t: t.pieces.undelivered()) == []


async def test_a_taken_port_leaves_the_rest_of_stillbell_running() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        async with wired(port) as it, Client(it.settings.socket) as terminal:
            assert any(line.startswith(f"off  web chat: port {port} can't be had") for line in it.console)
            told = [step.data async for step in terminal.ask("doctor", {})]
            assert check_web(port=port, live=live_from_json(told[0])).state == "warn"
            await terminal.attach(history=0)
            await terminal.post(wire.Say(id="t-1", text="/loops"))
            events = terminal.events()
            await until(events, lambda answer: isinstance(answer, wire.Said) and answer.role == "stillbell")


async def test_the_web_chat_can_be_turned_off() -> None:
    async with wired(0) as it:
        assert not any("web chat" in line for line in it.console)
        assert not it.settings.web_token.exists()


@pytest.mark.parametrize(("given", "port"), [(None, 8787), ("", 0), ("0", 0), ("9000", 9000)])
def test_the_port_is_a_setting(monkeypatch: pytest.MonkeyPatch, given: str | None, port: int) -> None:
    monkeypatch.delenv("STILLBELL_WEB_PORT")
    if given is not None:
        monkeypatch.setenv("STILLBELL_WEB_PORT", given)
    assert load().web_port == port


# ── the manual ────────────────────────────────────────────────────────────────────────────────────────────────────────


def blocks() -> list[str]:
    """What the manual says to type, block by block."""
    return re.findall(r"^```sh\n(.*?)^```", MANUAL.read_text(), re.MULTILINE | re.DOTALL)


async def bash(script: str) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        "bash", "-c", script, stdout=asyncio.subprocess.PIPE, env={"PATH": os.environ["PATH"], "HOME": "/nonexistent"}
    )


async def said_by(process: asyncio.subprocess.Process, wanted: str) -> str:
    """What it prints up to the line in which `wanted` stands."""
    assert process.stdout is not None
    printed = ""
    async with asyncio.timeout(10):
        while wanted not in printed:
            line = await process.stdout.readline()
            assert line, f"it ended without {wanted!r}: {printed}"
            printed += line.decode()
    return printed


@pytest.mark.skipif(not (shutil.which("curl") and shutil.which("bash")), reason="there is no curl or no bash here")
async def test_the_conversation_of_the_manual_can_be_had_with_curl() -> None:
    setting, follow, say, tap = blocks()
    async with wired() as it:
        setting = setting.replace("8787", str(it.settings.web_port))
        setting = setting.replace("~/.local/share/stillbell", str(it.settings.home))
        following = await bash(f"{setting}\nexec {follow}")
        try:
            await said_by(following, "retry:")
            await said_by(await bash(f"{setting}\n{say}"), '"new":true}')
            told = await said_by(following, '"buttons": [{')
            assert "event: message" in told
            [data] = re.findall(r'"data": "(c:[^"]+:undo)"', told)
            pressed = tap.replace("c:1:0123456789ab:undo", data)
            assert pressed != tap or data == "c:1:0123456789ab:undo"
            await said_by(await bash(f"{setting}\n{pressed}"), '"new":true}')
            assert "call Anna" in await said_by(following, "event: amended") + await said_by(following, "data: ")
        finally:
            following.kill()
            await following.communicate()


def test_the_manual_never_puts_the_token_on_a_command_line() -> None:
    for block in blocks():
        assert not re.search(r"-H ['\"]?Authorization", block)


# ── the link ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def settings_in(home: Path, **given: Any) -> Settings:
    return Settings(**{"home": home, "web_port": 8787} | given)


def test_a_link_is_printed_for_each_place_and_each_lets_in_once(tmp_path: Path) -> None:
    now = datetime(2026, 3, 2, 7, 14, tzinfo=UTC)
    token = kept(tmp_path / "web.token")
    settings = settings_in(tmp_path, web_hosts="my-pc.example.ts.net, localhost:9000,[fd00::1]:8787")
    found = links(settings, token, now)
    assert [link.partition("/?token=")[0] for link in found] == [
        "http://127.0.0.1:8787",
        "https://my-pc.example.ts.net",
        "http://localhost:9000",
        "http://[fd00::1]:8787",
    ]
    assert all(token.redeem(link.partition("=")[2], now) for link in found)


def test_the_command_prints_the_link_and_says_when_nothing_runs(tmp_path: Path) -> None:
    shown, noted = list[str](), list[str]()
    print_links(settings_in(tmp_path), show=shown.append, note=noted.append)
    [link] = shown
    assert kept(tmp_path / "web.token").redeem(link.partition("=")[2], datetime.now(UTC))
    assert "not running" in noted[0]


def test_without_a_web_chat_or_a_data_folder_the_command_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="STILLBELL_WEB_PORT"):
        print_links(settings_in(tmp_path, web_port=0), show=print, note=print)
    with pytest.raises(NotFound, match="make run"):
        print_links(settings_in(tmp_path / "none"), show=print, note=print)


async def test_the_printed_link_opens_the_page_of_the_running_stillbell() -> None:
    async with wired() as it, httpx.AsyncClient(timeout=10) as browser:
        [link] = links(it.settings, kept(it.settings.web_token), FakeClock().now())
        page = await browser.get(link, follow_redirects=True)
        assert page.status_code == 200
        assert str(page.url) == f"{it.url}/"
        assert 'role="log"' in page.text


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("path", ["/today", "/search?q=heron", "/found?ref=note:x"])
async def test_what_a_page_can_not_show_while_the_exclusions_are_unreadable_is_told_on_a_page(
    path: str, language: Language
) -> None:
    async with wired() as it, it.script() as script:
        await it.house.ledger.write(lambda t: t.owners.set(1, language=language))
        it.settings.exclusions.write_text("<b>nonsense</b>\n")
        answer = await script.get(path)
        assert answer.status_code == 503
        assert answer.headers["content-type"].startswith("text/html")
        assert words(language)["wrong_excluded"] in unescape(answer.text)
        assert "line 1 of the exclusions" in answer.text
        assert "<b>nonsense" not in answer.text
        it.settings.exclusions.write_text("")
        assert (await script.get(path)).status_code == (404 if "found" in path else 200)


async def test_a_page_of_what_is_gone_leads_back_and_a_script_is_told_in_json() -> None:
    async with wired() as it, it.script() as script:
        gone = await script.get("/found?ref=note:x")
        assert (gone.status_code, 'href="/search"' in gone.text) == (404, True)
        wrong = await script.get("/search?start=x")
        assert (wrong.status_code, words("en")["wrong_address"] in wrong.text) == (400, True)
        assert (await script.get("/messages?limit=x")).json()["next"]
