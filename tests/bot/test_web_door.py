import asyncio
import socket
import stat
from datetime import timedelta
from pathlib import Path

import httpx
import pytest

from bot.web.door import HEADERS, Asked, strange, unknown
from bot.web.names import Names
from bot.web.token import LINK_FOR, Token, kept
from memory.errors import BadInput
from tests.bot.terminal_room import NOW
from tests.bot.web_room import WebRoom, web_room

ENDPOINTS = [("GET", "/"), ("GET", "/messages"), ("GET", "/events"), ("POST", "/message"), ("POST", "/tap")]
EVERYWHERE = [*ENDPOINTS, ("GET", "/static/chat.js"), ("GET", "/nowhere"), ("OPTIONS", "/message"), ("PUT", "/")]

# ── names ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("host", "is_ours"),
    [
        ("127.0.0.1:8787", True),
        ("localhost:8787", True),
        ("LOCALHOST:8787", True),
        ("[::1]:8787", True),
        ("my-pc.example.ts.net", True),
        ("my-pc.example.ts.net:443", True),
        ("localhost:9000", True),
        ("localhost:9001", False),
        ("localhost", False),
        ("127.0.0.1", False),
        ("127.0.0.1:80", False),
        ("evil.example:8787", False),
        ("127.0.0.1.evil.example:8787", False),
        ("localhost.:8787", False),
        ("my-pc.example.ts.net.evil.example", False),
        ("evil.my-pc.example.ts.net", False),
        ("user@localhost:8787", False),
        ("localhost:8787, evil.example", False),
        ("localhost:8787/", False),
        ("0.0.0.0:8787", False),
        ("2130706433:8787", False),
        ("", False),
        (None, False),
    ],
)
def test_only_our_own_names_are_ours(host: str | None, is_ours: bool) -> None:
    names = Names.of(8787, ["my-pc.example.ts.net", " localhost:9000 ", ""])
    assert names.know(host) is is_ours


@pytest.mark.parametrize(
    ("origin", "is_ours"),
    [
        ("http://127.0.0.1:8787", True),
        ("http://localhost:8787", True),
        ("https://my-pc.example.ts.net", True),
        ("http://127.0.0.1:3000", False),
        ("https://evil.example", False),
        ("http://evil.example#http://127.0.0.1:8787", False),
        ("null", False),
        ("", False),
        ("file://", False),
        ("chrome-extension://127.0.0.1:8787", False),
    ],
)
def test_only_our_own_origins_are_ours(origin: str, is_ours: bool) -> None:
    assert Names.of(8787, ["my-pc.example.ts.net"]).know_origin(origin) is is_ours


@pytest.mark.parametrize("host", ["*", "http://x", "a b", "x/", "*.example.com"])
def test_a_further_host_that_is_none_is_named(host: str) -> None:
    with pytest.raises(BadInput, match="STILLBELL_WEB_HOSTS"):
        Names.of(8787, [host])


# ── token ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_token_is_made_once_and_is_the_owners_alone(tmp_path: Path) -> None:
    file = tmp_path / "web.token"
    token = kept(file)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert file.read_text() == token.value + "\n"
    assert len(token.value) >= 43
    assert kept(file).value == token.value
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize("spoil", [lambda f: f.chmod(0o640), lambda f: f.write_text("\n")], ids=["readable", "empty"])
def test_a_token_that_is_no_secret_is_replaced(tmp_path: Path, spoil) -> None:  # type: ignore[no-untyped-def]
    file = tmp_path / "web.token"
    before = kept(file).value
    spoil(file)
    assert kept(file).value != before
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_link_works_once_and_for_ten_minutes() -> None:
    token = Token("t" * 43)
    link = token.link(NOW)
    assert token.redeem(link, NOW + LINK_FOR - timedelta(seconds=1))
    assert not token.redeem(link, NOW)
    late = token.link(NOW)
    assert not token.redeem(late, NOW + LINK_FOR)
    assert token.redeem(token.link(NOW), NOW)


def test_a_link_of_another_token_or_with_another_end_is_none() -> None:
    token = Token("t" * 43)
    assert not token.redeem(Token("u" * 43).link(NOW), NOW)
    ends, nonce, sign = token.link(NOW).split(".")
    assert not token.redeem(f"{int(ends, 16) + 60:x}.{nonce}.{sign}", NOW)
    for strange_one in ("", token.value, token.cookie, f"{ends}.{nonce}", "é.é.é"):
        assert not token.redeem(strange_one, NOW)


def test_neither_cookie_nor_link_holds_the_token() -> None:
    token = Token("t" * 43)
    assert token.value not in token.cookie + token.link(NOW)
    assert not token.is_bearer(token.cookie)
    assert not token.is_cookie(token.value)


# ── the judgement ─────────────────────────────────────────────────────────────────────────────────────────────────────

NAMES = Names.of(8787)
TOKEN = Token("t" * 43)
JSON = "application/json"


@pytest.mark.parametrize(
    ("asked", "status"),
    [
        pytest.param({}, 401, id="nothing"),
        pytest.param({"authorization": f"Bearer {TOKEN.value}"}, None, id="bearer"),
        pytest.param({"authorization": f"bearer {TOKEN.value} "}, None, id="bearer, small"),
        pytest.param({"authorization": TOKEN.value}, 401, id="no kind"),
        pytest.param({"authorization": f"Basic {TOKEN.value}"}, 401, id="basic"),
        pytest.param({"authorization": f"Bearer {TOKEN.value[:-1]}"}, 401, id="cut short"),
        pytest.param({"authorization": "Bearer é"}, 401, id="no ASCII"),
        pytest.param({"authorization": "Bearer x", "cookie": TOKEN.cookie}, 401, id="wrong bearer beside a cookie"),
        pytest.param({"cookie": TOKEN.cookie}, None, id="cookie"),
        pytest.param({"cookie": TOKEN.value}, 401, id="the token as a cookie"),
        pytest.param({"cookie": TOKEN.cookie, "method": "POST"}, 415, id="cookie, a form"),
        pytest.param({"cookie": TOKEN.cookie, "method": "POST", "content_type": JSON}, None, id="cookie, JSON"),
        pytest.param({"cookie": TOKEN.cookie, "site": "same-site"}, 403, id="another port's page"),
        pytest.param({"cookie": TOKEN.cookie, "site": "cross-site"}, 403, id="another site's page"),
        pytest.param({"cookie": TOKEN.cookie, "site": "same-origin"}, None, id="our page"),
        pytest.param({"cookie": TOKEN.cookie, "site": "same-site", "mode": "navigate"}, None, id="a link clicked"),
    ],
)
def test_who_counts_as_the_owner(asked: dict[str, str], status: int | None) -> None:
    turned = unknown(Asked(**{"method": "GET", "host": "127.0.0.1:8787"} | asked), TOKEN)
    assert (turned.status if turned else None) == status
    assert turned is None or turned.next


def test_a_strange_name_or_origin_is_turned_away_before_anything_else() -> None:
    assert strange(Asked(method="GET", host="localhost:8787"), NAMES) is None
    rebound = strange(Asked(method="GET", host="evil.example:8787"), NAMES)
    assert rebound is not None
    assert "STILLBELL_WEB_HOSTS" in rebound.next
    for method in ("GET", "POST"):
        assert strange(Asked(method=method, host="localhost:8787", origin="https://evil.example"), NAMES) is not None
    assert strange(Asked(method="POST", host="localhost:8787", origin="null"), NAMES) is not None
    assert strange(Asked(method="POST", host="localhost:8787", origin="http://localhost:8787"), NAMES) is None


# ── over the wire ─────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_nothing_is_served_without_the_token_and_nothing_is_kept() -> None:
    async with web_room() as room, room.client() as client:
        for method, path in EVERYWHERE:
            answer = await client.request(method, path, json={"text": "x", "data": "x"} if method == "POST" else None)
            assert answer.status_code == 401, (method, path)
            assert set(answer.json()) == {"error", "next"}
        assert room.signals() == []


async def test_nothing_is_served_under_a_rebound_name_even_with_the_token() -> None:
    async with web_room() as room, room.script(Host=f"evil.example:{room.server.port}") as client:
        for method, path in EVERYWHERE:
            assert (await client.request(method, path)).status_code == 403, (method, path)
        link = await client.get("/", params={"token": room.token.link(NOW)})
        assert (link.status_code, link.cookies) == (403, httpx.Cookies())


@pytest.mark.parametrize("origin", ["https://evil.example", "http://127.0.0.1:1", "null"])
async def test_a_post_of_another_origin_is_refused_with_cookie_and_with_token(origin: str) -> None:
    async with web_room() as room, room.browser() as browser, room.script() as script:
        for client in (browser, script):
            answer = await client.post("/message", json={"text": "x"}, headers={"Origin": origin})
            assert answer.status_code == 403
        assert room.signals() == []
        ours = await browser.post("/message", json={"text": "x"}, headers={"Origin": room.server.url})
        assert ours.status_code == 202


async def test_a_form_that_another_page_sends_along_with_our_cookie_is_refused() -> None:
    async with web_room() as room, room.browser() as browser:
        for kind in ("application/x-www-form-urlencoded", "text/plain", "multipart/form-data; boundary=x", ""):
            answer = await browser.post("/message", content=b'{"text":"x"}', headers={"Content-Type": kind})
            assert answer.status_code == 415
        assert room.signals() == []


async def test_the_link_sets_a_cookie_that_scripts_of_a_page_can_not_read_and_shows_no_more_of_itself() -> None:
    async with web_room() as room, room.client() as client:
        inside = await client.get("/", params={"token": (link := room.token.link(NOW))})
        assert (inside.status_code, inside.headers["location"]) == (303, "/")
        cookie = inside.headers["set-cookie"].lower()
        assert {"httponly", "samesite=strict", "path=/"} <= set(cookie.split("; "))
        assert "domain" not in cookie
        assert (await client.get("/")).status_code == 200
        again = await client.get("/", params={"token": link})
        assert (again.status_code, again.headers["location"]) == (303, "/")  # whoever is in already goes on
        client.cookies.clear()
        spent = await client.get("/", params={"token": link})
        assert spent.status_code == 401
        assert "used before" in spent.text
        assert "set-cookie" not in spent.headers


async def test_a_browser_without_a_cookie_is_told_how_to_get_in_in_its_language() -> None:
    async with web_room() as room, room.client(Accept="text/html") as client:
        page = await client.get("/")
        assert page.status_code == 401
        assert "stillbell web" in page.text
        german = await client.get("/", headers={"Accept-Language": "de-DE,de;q=0.9"})
        assert 'lang="de"' in german.text


async def test_every_answer_keeps_the_browser_from_helping_strangers() -> None:
    async with web_room() as room, room.client() as nobody, room.script() as script:
        answers = [
            await nobody.get("/"),
            await nobody.get("/", headers={"Accept": "text/html"}),
            await nobody.get("/", params={"token": room.token.link(NOW)}),
            await nobody.get("/", headers={"Host": "evil.example"}),
            await script.get("/"),
            await script.get("/static/chat.css"),
            await script.get("/nowhere"),
            await script.post("/message", json={"text": ""}),
        ]
        for answer in answers:
            assert {name: answer.headers.get(name) for name in HEADERS} == dict(HEADERS)
            assert "access-control-allow-origin" not in answer.headers
        policy = HEADERS["Content-Security-Policy"]
        assert "default-src 'self'" in policy
        assert "unsafe" not in policy


async def test_the_page_holds_no_script_and_no_style_of_its_own() -> None:
    async with web_room() as room, room.script() as script:
        await room.stillbell_says("|a|\n|:-:|\n|b|", "Done")
        page = (await script.get("/")).text
        assert page.count("<script") == 1
        assert '<script src="/static/chat.js" defer></script>' in page
        assert "<style" not in page
        assert " style=" not in page
        assert not any(f" on{event}=" in page for event in ("click", "load", "error", "submit"))


async def test_a_name_from_the_settings_is_served_too() -> None:
    async with web_room(more_names=["my-pc.example.ts.net"]) as room:
        async with room.script(Host="my-pc.example.ts.net", Origin="https://my-pc.example.ts.net") as script:
            assert (await script.post("/message", json={"text": "x"})).status_code == 202
        async with room.script(Host="other.example.ts.net") as script:
            assert (await script.get("/")).status_code == 403


async def test_the_server_listens_on_loopback_alone() -> None:
    async with web_room() as room:
        with pytest.raises(ConnectionRefusedError):
            await asyncio.open_connection("127.0.0.2", room.server.port)  # would reach a server on every address


async def test_a_taken_port_is_told_and_stops_nothing() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        async with web_room(port=port) as room:
            assert not room.server.listens
            [line] = room.console
            assert line.startswith(f"off  web chat: port {port} can't be had")
            assert "STILLBELL_WEB_PORT" in line
            await room.stillbell_says("the rest goes on")
            await room.server.channel.typing()


async def test_when_it_has_stopped_nobody_listens_and_the_port_is_free_again() -> None:
    async with web_room() as room:
        port = room.server.port
        async with room.script() as script, room.events(script) as events:
            stopping = asyncio.create_task(room.server.__aexit__(None, None, None))
            assert [event async for event in events] == []  # the stream ends, it is not cut
            await stopping
    with socket.socket() as again:
        again.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        again.bind(("127.0.0.1", port))


async def refused(room: WebRoom, raw: bytes) -> bytes:
    """What comes back for these bytes."""
    reader, writer = await asyncio.open_connection("127.0.0.1", room.server.port)
    writer.write(raw)
    async with asyncio.timeout(10):
        answer = await reader.read(300)
    writer.close()
    await writer.wait_closed()
    return answer


@pytest.mark.parametrize(
    ("head", "status"),
    [
        pytest.param("GET / HTTP/1.0\r\n\r\n", b"403", id="no host"),
        pytest.param("GET / HTTP/1.1\r\nHost: evil.example\r\nHost: {ours}\r\n\r\n", b"400", id="two hosts"),
        pytest.param("GET http://{ours}/ HTTP/1.1\r\nHost: evil.example\r\n\r\n", b"403", id="host in the target"),
        pytest.param("GET /" + "x" * 70_000, b"400", id="an endless head"),
        pytest.param("nonsense\r\n\r\n", b"400", id="no HTTP"),
    ],
)
async def test_odd_requests_are_refused(head: str, status: bytes) -> None:
    async with web_room() as room:
        answer = await refused(room, head.replace("{ours}", f"127.0.0.1:{room.server.port}").encode())
        assert answer.split(b" ")[1] == status
