"""A calendar as a file or an address: read when it has changed, kept when what is there is broken, never told where it is."""

import asyncio
import gzip
import logging
import os
import socket
import traceback
import tracemalloc
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from memory.errors import BadInput
from tests.contracts.calendar_stage import Plan, ics_of
from tests.servers import ics_web
from tools.calendar import CalendarBatch
from tools.ics import source as ics_source
from tools.ics.source import IcsCalendar
from tools.source import SignInRefused, SlowDown, SourceDown

STANDUP = Plan(uid="standup", title="Standup")


@pytest.fixture
def web() -> Iterator[ics_web.IcsWeb]:
    with ics_web.running(body=ics_of(STANDUP).encode()) as server:
        yield server


async def read(calendar: IcsCalendar, cursor: str | None = None) -> list[CalendarBatch]:
    try:
        async with asyncio.timeout(20):
            return [batch async for batch in calendar.batches(cursor, skips=lambda name: False)]
    finally:
        await calendar.close()


async def read_file(path: Path, cursor: str | None = None) -> list[CalendarBatch]:
    return await read(IcsCalendar(path), cursor)


# What is there


def a_file(folder: Path, content: bytes) -> Path:
    path = folder / "work.ics"
    path.write_bytes(content)
    return path


async def test_an_event_with_its_exceptions_is_one_item_with_its_zone_and_no_other(tmp_path: Path) -> None:
    zones = "".join(
        f"BEGIN:VTIMEZONE\nTZID:{name}\nBEGIN:STANDARD\nDTSTART:19700101T000000\nTZOFFSETFROM:+0000\nTZOFFSETTO:+0100\n"
        "END:STANDARD\nEND:VTIMEZONE\n"
        for name in ("Office", "Camp")
    )
    events = "".join(
        f"BEGIN:VEVENT\nUID:{uid}\n{more}DTSTART;TZID={zone}:20260316T100000\nBEGIN:VALARM\nTRIGGER:-PT5M\nEND:VALARM\nEND:VEVENT\n"
        for uid, more, zone in (
            ("a", "RRULE:FREQ=DAILY\n", "Office"),
            ("b", "", "Camp"),
            ("a", "RECURRENCE-ID;TZID=Office:20260317T100000\n", "Office"),
        )
    )
    (batch,) = await read_file(a_file(tmp_path, f"BEGIN:VCALENDAR\n{zones}{events}END:VCALENDAR\n".encode()))
    by_ref = {item.ref: item.ics for item in batch.items}
    assert list(by_ref) == ["a", "b"]
    assert by_ref["a"].count("BEGIN:VEVENT") == 2
    assert ("TZID:Office" in by_ref["a"], "TZID:Camp" in by_ref["a"]) == (True, False)
    assert ("TZID:Office" in by_ref["b"], "TZID:Camp" in by_ref["b"]) == (False, True)
    assert batch.whole == ("calendar",)


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"\xef\xbb\xbf" + ics_of(Plan(uid="u", title="Grüße")).encode(), id="UTF-8 with its mark"),
        pytest.param(ics_of(Plan(uid="u", title="Grüße")).encode("cp1252"), id="as Windows wrote it"),
        pytest.param(ics_of(Plan(uid="u", title="Grüße")).encode("utf-16"), id="UTF-16"),
    ],
)
async def test_a_file_is_read_in_the_letters_it_was_written_in(tmp_path: Path, content: bytes) -> None:
    (batch,) = await read_file(a_file(tmp_path, content))
    assert "SUMMARY:Grüße" in batch.items[0].ics


async def test_an_item_has_another_etag_only_when_it_is_another(tmp_path: Path) -> None:
    path = a_file(tmp_path, ics_of(STANDUP, Plan(uid="lunch", title="Lunch")).encode())
    (first,) = await read_file(path)
    path.write_bytes(ics_of(STANDUP, Plan(uid="lunch", title="Late lunch")).encode())
    (second,) = await read_file(path, first.cursor)
    etags = [{item.ref: item.etag for item in batch.items} for batch in (first, second)]
    assert etags[0]["standup"] == etags[1]["standup"]
    assert etags[0]["lunch"] != etags[1]["lunch"]


async def test_a_calendar_without_a_name_is_called_after_its_file(tmp_path: Path) -> None:
    content = ics_of(STANDUP).replace("X-WR-CALNAME:Work\r\n", "").encode()
    (batch,) = await read_file(a_file(tmp_path, content))
    assert batch.names == {"calendar": "work"}
    (named,) = await read(IcsCalendar(tmp_path / "work.ics", name="Mine"))
    assert named.names == {"calendar": "Mine"}


async def test_a_thousand_events_of_a_large_file_are_read_whole(tmp_path: Path) -> None:
    plans = [Plan(uid=f"u{number}", title="x" * 1000) for number in range(3000)]
    (batch,) = await read_file(a_file(tmp_path, ics_of(*plans).encode()))
    assert len(batch.items) == 3000


# Broken


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        pytest.param(b"", "no calendar", id="empty"),
        pytest.param(b"<!doctype html><html><body>Sign in</body></html>", "a web page", id="a web page"),
        pytest.param(b"BEGIN:VCARD\nFN:Bob\nEND:VCARD\n", "no calendar", id="something else"),
        pytest.param(ics_of(STANDUP).encode()[:-20], "breaks off", id="half written"),
        pytest.param(os.urandom(2000), "no calendar", id="noise"),
    ],
)
async def test_what_is_no_whole_calendar_is_not_taken_and_the_reason_is_said(
    tmp_path: Path, content: bytes, reason: str
) -> None:
    path = a_file(tmp_path, ics_of(STANDUP).encode())
    (batch,) = await read_file(path)
    path.write_bytes(content)
    with pytest.raises(SourceDown, match=reason):
        await read_file(path, batch.cursor)
    path.write_bytes(ics_of(STANDUP).encode())
    assert await read_file(path, batch.cursor) == []


async def test_a_file_that_is_too_large_or_none_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = a_file(tmp_path, ics_of(STANDUP).encode())
    monkeypatch.setattr(ics_source, "MOST_BYTES", 100)
    with pytest.raises(SourceDown, match="larger"):
        await read_file(path)
    with pytest.raises(SourceDown, match="no file"):
        await read_file(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(SourceDown, match="no file"):
        await read_file(tmp_path / "pipe")


async def test_a_change_of_the_file_ends_the_waiting(tmp_path: Path) -> None:
    path = a_file(tmp_path, ics_of(STANDUP).encode())
    calendar = IcsCalendar(path, look_every=timedelta(milliseconds=5))
    await read(calendar)
    waiting = asyncio.create_task(calendar.wait(timedelta(minutes=5)))
    await asyncio.sleep(0.05)
    assert not waiting.done()
    path.write_bytes(ics_of(STANDUP, Plan(uid="lunch", title="Lunch")).encode())
    async with asyncio.timeout(10):
        await waiting


# At an address


async def test_what_has_not_changed_is_not_sent_again(web: ics_web.IcsWeb) -> None:
    (batch,) = await read(IcsCalendar(web.url))
    assert await read(IcsCalendar(web.url), batch.cursor) == []
    assert [request.get("if-none-match") is not None for request in web.requests] == [False, True]


async def test_a_server_without_etags_is_asked_by_date_and_compared_by_content(web: ics_web.IcsWeb) -> None:
    web.has_etag = False
    date = "Mon, 02 Mar 2026 09:00:00 GMT"
    web.told = [(200, {"Last-Modified": date}, web.body)]
    (batch,) = await read(IcsCalendar(web.url))
    (only_cursor,) = await read(IcsCalendar(web.url), batch.cursor)
    assert web.requests[1]["if-modified-since"] == date
    assert (only_cursor.items, only_cursor.whole) == ((), ())


@pytest.mark.parametrize("packs", [True, False], ids=["packed", "unpacked"])
async def test_packed_or_not_it_is_the_same(web: ics_web.IcsWeb, packs: bool) -> None:
    web.packs = packs
    (batch,) = await read(IcsCalendar(web.url))
    assert [item.ref for item in batch.items] == ["standup"]


@pytest.mark.parametrize(
    ("headers", "body"),
    [
        pytest.param({}, b"BEGIN:VCALENDAR\r\n" + b"X" * 300_000, id="large"),
        pytest.param({"Content-Encoding": "gzip"}, gzip.compress(b"\0" * 50_000_000), id="a bomb"),
        pytest.param(
            {"Content-Encoding": "gzip"}, gzip.compress(ics_of(STANDUP).encode())[:-9], id="packed, broken off"
        ),
        pytest.param({"Content-Encoding": "br"}, b"whatever", id="packed otherwise"),
        pytest.param({"Content-Encoding": "gzip"}, b"not packed", id="not packed at all"),
    ],
)
async def test_what_is_too_large_or_oddly_packed_is_not_read(
    web: ics_web.IcsWeb, monkeypatch: pytest.MonkeyPatch, headers: dict[str, str], body: bytes
) -> None:
    monkeypatch.setattr(ics_source, "MOST_BYTES", 200_000)
    web.told = [(200, headers, body)]
    with pytest.raises(SourceDown):
        await read(IcsCalendar(web.url))


async def test_a_bomb_is_not_unpacked_to_see_how_large_it_is(
    web: ics_web.IcsWeb, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ics_source, "MOST_BYTES", 200_000)
    web.told = [(200, {"Content-Encoding": "gzip"}, gzip.compress(b"\0" * 60_000_000))]
    tracemalloc.start()
    try:
        with pytest.raises(SourceDown, match="larger"):
            await read(IcsCalendar(web.url))
        assert tracemalloc.get_traced_memory()[1] < 10_000_000
    finally:
        tracemalloc.stop()


async def test_an_answer_that_breaks_off_changes_nothing(web: ics_web.IcsWeb) -> None:
    web.cut_after = 40
    web.packs = False
    with pytest.raises(SourceDown):
        await read(IcsCalendar(web.url))


@pytest.mark.parametrize(
    ("status", "headers", "raised", "words"),
    [
        (401, {}, SignInRefused, "refuses"),
        (403, {}, SignInRefused, "no longer lets"),
        (404, {}, SourceDown, "no calendar at this address"),
        (410, {}, SourceDown, "no calendar at this address"),
        (500, {}, SourceDown, "fault"),
        (503, {}, SourceDown, "fault"),
        (204, {}, SourceDown, "204"),
        (304, {}, SourceDown, "304"),
        (302, {"Location": ""}, SourceDown, "302"),
    ],
)
async def test_what_a_server_refuses_is_said_in_our_words(
    web: ics_web.IcsWeb, status: int, headers: dict[str, str], raised: type[Exception], words: str
) -> None:
    web.told = [(status, headers, b"")]
    with pytest.raises(raised, match=words) as caught:
        await read(IcsCalendar(web.url))
    assert web.path not in "".join(traceback.format_exception(caught.value))


@pytest.mark.parametrize(
    ("status", "headers", "wait_for"),
    [
        (429, {"Retry-After": "120"}, timedelta(minutes=2)),
        (503, {"Retry-After": "7"}, timedelta(seconds=7)),
        (429, {}, timedelta(minutes=1)),
        (429, {"Retry-After": "soon"}, timedelta(minutes=1)),
        (429, {"Retry-After": "-5"}, timedelta(minutes=1)),
        (429, {"Retry-After": "9" * 30}, timedelta(hours=6)),
        (
            429,
            {"Date": "Mon, 02 Mar 2026 09:00:00 GMT", "Retry-After": "Mon, 02 Mar 2026 09:30:00 GMT"},
            timedelta(minutes=30),
        ),
        (
            429,
            {"Date": "Mon, 02 Mar 2026 09:00:00 GMT", "Retry-After": "Mon, 02 Mar 2026 08:30:00 GMT"},
            timedelta(seconds=1),
        ),
    ],
)
async def test_a_server_that_asks_for_patience_gets_as_much(
    web: ics_web.IcsWeb, status: int, headers: dict[str, str], wait_for: timedelta
) -> None:
    web.told = [(status, headers, b"")]
    with pytest.raises(SlowDown) as caught:
        await read(IcsCalendar(web.url))
    assert caught.value.wait_for == wait_for


async def test_a_server_that_says_nothing_is_not_waited_for_long(web: ics_web.IcsWeb) -> None:
    # Nobody takes the call: the system does, and that is all that happens.
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        silent = IcsCalendar(f"http://127.0.0.1:{port}/x.ics", silence_for=timedelta(milliseconds=50))
        with pytest.raises(SourceDown, match="does not answer"):
            await read(silent)


async def test_a_redirect_is_followed_for_a_while(web: ics_web.IcsWeb) -> None:
    web.told = [(301, {"Location": "/elsewhere"}, b""), (302, {"Location": web.url}, b"")]
    (batch,) = await read(IcsCalendar(web.url))
    assert [item.ref for item in batch.items] == ["standup"]
    web.told = [(302, {"Location": "/again"}, b"")] * 9
    with pytest.raises(SourceDown, match="circles"):
        await read(IcsCalendar(web.url))


@pytest.mark.parametrize("place", ["http://example.com/x", "ftp://127.0.0.1/x", "file:///etc/passwd", "http://["])
async def test_a_redirect_to_where_one_does_not_go_is_not_followed(web: ics_web.IcsWeb, place: str) -> None:
    web.told = [(302, {"Location": place}, b"")]
    with pytest.raises(SourceDown):
        await read(IcsCalendar(web.url))


@pytest.mark.parametrize(
    "address", ["http://example.com/secret-1.ics", "https://", "https://[::1/secret-1", "webcal:///secret-1"]
)
def test_an_address_that_is_not_asked_is_refused_at_once_and_not_repeated(address: str) -> None:
    with pytest.raises(BadInput) as caught:
        IcsCalendar(address)
    assert "secret-1" not in str(caught.value)


def test_webcal_means_https_and_plain_http_can_be_allowed() -> None:
    # Nothing is asked: no exception is the point.
    IcsCalendar("webcal://example.com/basic.ics")
    IcsCalendar("http://example.com/basic.ics", allow_plain=True)


async def test_a_secret_address_is_neither_said_nor_logged(
    web: ics_web.IcsWeb, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    calendar = IcsCalendar(web.url)
    checked = await calendar.check()
    (batch,) = await read(calendar)
    web.stop()
    with pytest.raises(SourceDown) as caught:
        await read(IcsCalendar(web.url), batch.cursor)
    told = [repr(checked), repr(batch), repr(calendar), *traceback.format_exception(caught.value), caplog.text]
    assert web.path not in "".join(told)
