"""CalDAV: from any address to the calendars, and through whatever a server answers."""

import asyncio
import logging
import socket
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from memory.errors import BadInput
from tests.contracts.calendar_stage import Plan, ics_of
from tests.servers import radicale
from tests.servers.radicale import PASSWORD, USER, Radicale
from tools.caldav import changes, source
from tools.caldav.source import CalDavCalendar
from tools.calendar import CalendarBatch
from tools.source import SignInRefused, SlowDown, SourceDown

WRONG = "not-the-password-1"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Radicale]:
    with radicale.running(tmp_path) as running:
        running.put("work", "standup.ics", ics_of(Plan(uid="standup", title="Standup")))
        yield running


def account(server: Any, path: str = "", password: str = PASSWORD) -> CalDavCalendar:
    return CalDavCalendar(f"{server.url}{path}", user=USER, secret=lambda: password)


async def read(
    calendar: CalDavCalendar, cursor: str | None = None, skips: tuple[str, ...] = ()
) -> tuple[list[CalendarBatch], str]:
    try:
        async with asyncio.timeout(30):
            batches = [batch async for batch in calendar.batches(cursor, skips=lambda name: name in skips)]
    finally:
        await calendar.close()
    return batches, batches[-1].cursor if batches else cursor or ""


def refs(batches: list[CalendarBatch]) -> list[str]:
    return sorted(item.ref for batch in batches for item in batch.items)


# Discovery


@pytest.mark.parametrize("path", ["", "anna/", "anna", ".well-known/caldav", "anna/work/", "anna/work"])
async def test_the_calendars_are_found_from_any_address(server: Radicale, path: str) -> None:
    batches, _ = await read(account(server, path))
    assert refs(batches) == ["/anna/work/standup.ics"]


async def test_a_calendars_own_address_means_that_calendar_alone(server: Radicale) -> None:
    server.make_calendar("home", "Home")
    checked = await account(server, "anna/home/").check()
    assert checked.folders == ("Home",)


async def test_each_calendar_has_its_name_and_lists_of_tasks_are_none(server: Radicale) -> None:
    server.make_calendar("home", "Grüße &amp; &lt;mehr&gt;")
    server.make_calendar("tasks", "Tasks", kind="VTODO")
    batches, _ = await read(account(server))
    assert batches[-1].names == {"/anna/work/": "Work", "/anna/home/": "Grüße & <mehr>"}


async def test_an_address_without_calendars_is_said_to_have_none(server: Radicale) -> None:
    with stand_in({"PROPFIND": (404, {}, b"")}) as other, pytest.raises(SourceDown, match="names no calendars"):
        await account(other).check()


# Several calendars


async def test_a_new_calendar_comes_and_a_deleted_one_goes(server: Radicale) -> None:
    _, cursor = await read(account(server))
    server.make_calendar("home", "Home")
    server.put("home", "run.ics", ics_of(Plan(uid="run", title="Run")))
    batches, cursor = await read(account(server), cursor)
    assert (refs(batches), batches[-1].whole) == (["/anna/home/run.ics"], ("/anna/home/",))
    server.delete("home")
    batches, cursor = await read(account(server), cursor)
    assert [(batch.items, batch.whole) for batch in batches] == [((), ("/anna/home/",))]
    batches, _ = await read(account(server), cursor)
    assert batches == []


async def test_an_excluded_calendar_is_not_even_asked(server: Radicale) -> None:
    server.make_calendar("diary", "Diary")
    server.put("diary", "secret.ics", ics_of(Plan(uid="secret", title="Secret")))
    batches, _ = await read(account(server), skips=("Diary",))
    assert refs(batches) == ["/anna/work/standup.ics"]
    assert [path for method, path in server.requests if "diary" in path] == []


async def test_a_change_in_one_calendar_asks_for_one_object(server: Radicale) -> None:
    for number in range(5):
        server.put("work", f"{number}.ics", ics_of(Plan(uid=str(number), title="x")))
    _, cursor = await read(account(server))
    server.put("work", "3.ics", ics_of(Plan(uid="3", title="y")))
    batches, _ = await read(account(server), cursor)
    assert refs(batches) == ["/anna/work/3.ics"]
    assert batches[0].whole == ()


async def test_what_is_no_event_is_no_item(server: Radicale) -> None:
    task = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\nBEGIN:VTODO\r\nUID:t\r\nSUMMARY:Pay\r\nEND:VTODO\r\nEND:VCALENDAR\r\n"
    server.put("work", "task.ics", task)
    batches, _ = await read(account(server))
    assert refs(batches) == ["/anna/work/standup.ics"]


async def test_odd_names_of_objects_are_asked_for_as_they_are(server: Radicale) -> None:
    for number, name in enumerate(("a%20b.ics", "%25.ics", "a&b;c=d.ics", "x@example.org.ics")):
        server.put("work", name, ics_of(Plan(uid=str(number), title="x")))
    batches, cursor = await read(account(server))
    assert len(refs(batches)) == 5
    server.delete("work", "%25.ics")
    batches, _ = await read(account(server), cursor)
    assert batches[0].gone == (("/anna/work/", "/anna/work/%.ics"),)


# Refusals and faults


async def test_a_wrong_password_is_refused_and_not_repeated(server: Radicale, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with pytest.raises(SignInRefused, match=r"127\.0\.0\.1 refuses") as caught:
        await account(server, password=WRONG).check()
    assert WRONG not in "".join(traceback.format_exception(caught.value)) + caplog.text


async def test_a_renewed_password_is_used_at_the_next_try(server: Radicale) -> None:
    passwords = ["old", PASSWORD]
    calendar = CalDavCalendar(server.url, user=USER, secret=lambda: passwords.pop(0))
    with pytest.raises(SignInRefused):
        await calendar.check()
    assert (await calendar.check()).folders == ("Work",)
    await calendar.close()


@pytest.mark.parametrize(
    ("status", "headers", "raised"),
    [
        (429, {"Retry-After": "7"}, SlowDown),
        (503, {"Retry-After": "7"}, SlowDown),
        (503, {}, SourceDown),
        (500, {}, SourceDown),
        (302, {"Location": "http://example.com/"}, SourceDown),
    ],
)
async def test_what_a_server_says_at_any_step_is_said_in_our_words(
    server: Radicale, status: int, headers: dict[str, str], raised: type[Exception]
) -> None:
    for steps in range(4):
        ok = account(server)
        batches = ok.batches(None, skips=lambda name: False)
        server.answers = []
        if steps:
            await anext(batches)
        server.answers = [(status, headers)] * (steps + 1)
        with pytest.raises(raised) as caught:
            async for _ in batches:
                pass
        if isinstance(caught.value, SlowDown):
            assert caught.value.wait_for == timedelta(seconds=7)
        await ok.close()


async def test_a_redirect_to_another_host_gets_neither_password_nor_question(server: Radicale) -> None:
    with stand_in({}) as thief:
        server.answers = [(307, {"Location": f"http://localhost:{thief.port}/"})]
        with pytest.raises(SourceDown, match="does not get the password"):
            await account(server).check()
        assert thief.requests == []


async def test_a_server_that_points_to_another_host_gets_no_password_there(server: Radicale) -> None:
    with stand_in({}) as thief:
        home = f"http://localhost:{thief.port}/home/"
        body = _multistatus("/", f"<C:calendar-home-set><D:href>{home}</D:href></C:calendar-home-set>")
        with (
            stand_in({"PROPFIND": (207, {}, body)}) as liar,
            pytest.raises(SourceDown, match="does not get the password"),
        ):
            await account(liar).check()
        assert thief.requests == []


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b"<html><body>Sign in</body></html>", id="a web page"),
        pytest.param(b"", id="nothing"),
        pytest.param(b"<multistatus", id="broken off"),
        pytest.param(b"<a><b></multistatus>", id="no XML"),
        pytest.param(b"\x00" * 500 + b"multistatus", id="noise"),
        pytest.param(b'{"multistatus": 1}', id="other words"),
    ],
)
async def test_what_is_no_answer_is_down_and_not_logged(body: bytes, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    with stand_in({"PROPFIND": (207, {"Content-Type": "text/html"}, body)}) as liar, pytest.raises(SourceDown):
        await account(liar).check()
    assert "Sign in" not in caplog.text


async def test_entities_in_an_answer_are_not_unfolded() -> None:
    bomb = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c SYSTEM "file:///etc/passwd">]>'
    name = "<D:resourcetype><C:calendar/></D:resourcetype><D:displayname>&b;&c;</D:displayname>"
    body = _multistatus("/cal/", name).replace(b"?>", b"?>" + bomb.encode(), 1)
    with stand_in({"PROPFIND": (207, {}, body)}) as liar:
        checked = await account(liar).check()
    assert "root:" not in repr(checked)
    assert len(checked.folders[0]) < 200


async def test_an_answer_that_is_too_large_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "MOST_BYTES", 10_000)
    body = _multistatus("/", "<D:displayname>" + "x" * 20_000 + "</D:displayname>")
    with stand_in({"PROPFIND": (207, {}, body)}) as liar, pytest.raises(SourceDown, match="larger"):
        await account(liar).check()


async def test_one_monstrous_object_does_not_hide_the_others(server: Radicale, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(6):
        server.put("work", f"{number}.ics", ics_of(Plan(uid=str(number), title="x" * (60_000 if number == 3 else 10))))
    monkeypatch.setattr(source, "MOST_BYTES", 20_000)
    batches, _ = await read(account(server))
    assert "/anna/work/3.ics" not in refs(batches)
    assert len(refs(batches)) == 6


async def test_a_calendar_with_more_objects_than_are_read_says_so(
    server: Radicale, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.put("work", "b.ics", ics_of(Plan(uid="b", title="b")))
    monkeypatch.setattr(changes, "MOST_OBJECTS", 1)
    with pytest.raises(SourceDown, match="Work holds more than 1"):
        await read(account(server))


async def test_a_server_without_lists_of_changes_is_read_whole_when_its_tag_is_another() -> None:
    with stand_in(
        {
            "PROPFIND": (207, {}, _PLAIN_CALENDAR),
            "REPORT sync": (501, {}, b""),
            "REPORT objects": (207, {}, _object("/cal/a.ics", ics_of(Plan(uid="a", title="A")))),
        }
    ) as plain:
        batches, cursor = await read(account(plain))
        assert (refs(batches), batches[-1].whole) == (["/cal/a.ics"], ("/cal/",))
        batches, cursor = await read(account(plain), cursor)
        assert batches == []
        plain.answers["PROPFIND"] = (207, {}, _PLAIN_CALENDAR.replace(b"tag-1", b"tag-2"))
        batches, _ = await read(account(plain), cursor)
        assert batches[-1].whole == ("/cal/",)


async def test_a_server_that_wants_a_digest_of_the_password_gets_that() -> None:
    challenge = {"WWW-Authenticate": 'Digest realm="r", nonce="n", qop="auth", algorithm=MD5'}
    with stand_in({"PROPFIND": (207, {}, _PLAIN_CALENDAR)}) as server:
        server.wants = "Digest", challenge
        checked = await account(server).check()
        assert checked.folders == ("Plain",)
        assert "Digest" in server.requests[-1]["authorization"]


async def test_a_server_that_says_nothing_is_not_waited_for_long() -> None:
    # Nobody takes the call: the system does, and that is all that happens.
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        calendar = CalDavCalendar(
            f"http://127.0.0.1:{port}/", user=USER, secret=lambda: PASSWORD, silence_for=timedelta(milliseconds=50)
        )
        with pytest.raises(SourceDown, match="does not answer"):
            await calendar.check()
        await calendar.close()


@pytest.mark.parametrize("url", ["http://example.com/dav", "example.com", "ftp://example.com", ""])
def test_an_address_without_encryption_is_refused_before_anything_is_sent(url: str) -> None:
    with pytest.raises(BadInput):
        CalDavCalendar(url, user=USER, secret=lambda: PASSWORD)


def test_a_password_in_the_address_is_not_kept() -> None:
    calendar = CalDavCalendar("https://anna:hunter22@example.com/", user=USER, secret=lambda: PASSWORD)
    assert "hunter22" not in repr(vars(calendar))


# A server that says what it is told to


@dataclass
class StandIn:
    """Answers by method; REPORT by what is asked for. `wants`: the scheme of signing in, and its challenge."""

    answers: dict[str, tuple[int, Mapping[str, str], bytes]]
    requests: list[dict[str, str]] = field(default_factory=list)
    wants: tuple[str, Mapping[str, str]] = ("", {})
    port: int = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/"

    def answer(self, method: str, body: bytes, headers: Mapping[str, str]) -> tuple[int, Mapping[str, str], bytes]:
        self.requests.append({name.lower(): value for name, value in headers.items()})
        scheme, challenge = self.wants
        if not headers.get("Authorization", "").startswith(scheme):
            return 401, challenge, b""
        if method == "REPORT":
            method = "REPORT sync" if b"sync-collection" in body else "REPORT objects"
        return self.answers.get(method, (404, {}, b""))


@contextmanager
def stand_in(answers: dict[str, tuple[int, Mapping[str, str], bytes]]) -> Iterator[StandIn]:
    standing = StandIn(answers)

    class Handler(BaseHTTPRequestHandler):
        def do(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            status, headers, said = standing.answer(self.command, body, dict(self.headers.items()))
            self.send_response(status)
            for name, value in {"Content-Length": str(len(said)), "Content-Type": "application/xml", **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(said)

        do_PROPFIND = do_REPORT = do_GET = do  # noqa: N815  the names that the library calls

        def log_message(self, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    standing.port = server.server_port
    Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield standing
    finally:
        server.shutdown()
        server.server_close()


def _multistatus(*pairs: str) -> bytes:
    responses = "".join(
        f"<D:response><D:href>{href}</D:href><D:propstat><D:prop>{props}</D:prop><D:status>HTTP/1.1 200 OK</D:status>"
        "</D:propstat></D:response>"
        for href, props in zip(pairs[::2], pairs[1::2], strict=True)
    )
    spaces = 'xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav" xmlns:S="http://calendarserver.org/ns/"'
    return f'<?xml version="1.0"?><D:multistatus {spaces}>{responses}</D:multistatus>'.encode()


def _object(href: str, ics: str) -> bytes:
    return _multistatus(href, f"<D:getetag>1</D:getetag><C:calendar-data>{ics}</C:calendar-data>")


_PLAIN_CALENDAR = _multistatus(
    "/cal/",
    "<D:resourcetype><D:collection/><C:calendar/></D:resourcetype><D:displayname>Plain</D:displayname>"
    "<S:getctag>tag-1</S:getctag>",
    "/cal/a.ics",
    "<D:getetag>1</D:getetag>",
)
