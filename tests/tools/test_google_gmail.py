"""Gmail as a source: what is listed, what the history tells, and what happens when Google forgets, stalls or breaks."""

import asyncio
import json
import socket
import threading
import traceback
from collections.abc import AsyncIterator, Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.doubles.clock import NOW, FakeClock
from tests.servers.google_faults import Cut, Drip, Fault, Garbage, Half, Hang, Status
from tests.servers.google_server import OWNER, GoogleServer, google_server
from tools.google.gmail import BATCH, GmailMail
from tools.google.mailbox import Mailbox
from tools.google.session import CALLS_AT_ONCE, open_session
from tools.google.token import TokenFile
from tools.mail import Arrived, MailBatch
from tools.source import SignInRefused, SlowDown, SourceDown
from tools.vault import Vault

SINCE = NOW - timedelta(days=30)


def mail(name: str, text: str = "Hello.") -> bytes:
    return (
        f"From: bob@example.net\r\nTo: {OWNER}\r\nSubject: {name}\r\nMessage-ID: <{name}@example.net>\r\n\r\n{text}\r\n"
    ).encode()


def nothing(name: str) -> bool:
    return False


def subjects(arrived: tuple[Arrived, ...] | list[Arrived]) -> list[str]:
    return [one.raw.split(b"Subject: ")[1].split(b"\r\n")[0].decode() for one in arrived]


@pytest.fixture
def google() -> Iterator[GoogleServer]:
    with google_server() as server:
        yield server


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    return Vault(tmp_path / "secrets")


@pytest.fixture
async def gmail(google: GoogleServer, vault: Vault, clock: FakeClock) -> AsyncIterator[GmailMail]:
    file = TokenFile(vault, "home", "read")
    file.write(google.grant(clock))
    source = GmailMail(open_session(file, clock, endpoints=google.endpoints, silence_seconds=3, call_seconds=6))
    yield source
    await source.close()


async def read(
    source: GmailMail, cursor: str | None = None, skips: Callable[[str], bool] = nothing
) -> tuple[list[MailBatch], str]:
    batches = [batch async for batch in source.batches(cursor, since=SINCE, skips=skips)]
    return batches, batches[-1].cursor if batches else cursor or ""


def arrived(batches: list[MailBatch]) -> list[str]:
    return [subject for batch in batches for subject in subjects(batch.arrived)]


def fill(google: GoogleServer, count: int, start: int = 0) -> list[str]:
    return [
        google.gmail.deliver(mail(f"n{number}"), at=NOW - timedelta(hours=count + start - number))
        for number in range(start, start + count)
    ]


async def test_everything_since_then_comes_oldest_first_and_only_once(google: GoogleServer, gmail: GmailMail) -> None:
    google.gmail.page_size = 7
    google.gmail.deliver(mail("ancient"), at=SINCE - timedelta(days=1))
    fill(google, 60)
    batches, cursor = await read(gmail)
    assert arrived(batches) == [f"n{number}" for number in range(60)]
    assert {batch.why for batch in batches} == {"backfill"}
    assert [(batch.done, batch.total) for batch in batches] == [(25, 60), (50, 60), (60, 60)]
    assert (await read(gmail, cursor)) == ([], cursor)


async def test_a_mail_is_handed_over_byte_for_byte_with_where_it_lies(google: GoogleServer, gmail: GmailMail) -> None:
    raw = mail("odd", "Gr\xfc\xdfe \x00 \u2028") + bytes(range(256))
    google.gmail.deliver(
        raw, labels=("INBOX", "STARRED", "Clients/Big"), at=NOW - timedelta(hours=1, microseconds=1000)
    )
    ((batch,), _) = await read(gmail)
    (one,) = batch.arrived
    assert one.raw == raw
    assert (one.folder, set(one.labels), one.is_sent, one.is_read) == ("INBOX", {"STARRED", "Clients/Big"}, False, True)
    assert one.received_at == NOW - timedelta(hours=1, microseconds=1000)


@pytest.mark.parametrize(
    ("labels", "folder", "is_sent"),
    [
        pytest.param(("SENT",), "Sent", True, id="sent"),
        pytest.param(("SENT", "INBOX"), "INBOX", True, id="sent to oneself"),
        pytest.param(("Clients",), "Archive", False, id="archived under a label"),
        pytest.param((), "Archive", False, id="archived"),
    ],
)
async def test_the_folder_follows_from_the_labels(
    google: GoogleServer, gmail: GmailMail, labels: tuple[str, ...], folder: str, is_sent: bool
) -> None:
    google.gmail.deliver(mail("a"), labels=labels)
    ((batch,), _) = await read(gmail)
    assert [(one.folder, one.is_sent) for one in batch.arrived] == [(folder, is_sent)]


@pytest.mark.parametrize("label", ["DRAFT", "SPAM", "TRASH", "CHAT"])
async def test_drafts_spam_trash_and_chats_are_not_read(google: GoogleServer, gmail: GmailMail, label: str) -> None:
    google.gmail.deliver(mail("before"), labels=(label,))
    _, cursor = await read(gmail)
    google.gmail.deliver(mail("after"), labels=(label,))
    batches, _ = await read(gmail, cursor)
    assert arrived(batches) == []


async def test_a_stopped_backfill_goes_on_where_it_stopped(google: GoogleServer, gmail: GmailMail) -> None:
    fill(google, 130)
    google.gmail.mails[next(iter(google.gmail.mails))].labels.append("STARRED")
    cursor, seen = None, []
    for _ in range(7):
        async for batch in gmail.batches(cursor, since=SINCE, skips=nothing):
            cursor = batch.cursor
            seen += subjects(batch.arrived)
            break
    assert seen == [f"n{number}" for number in range(130)]
    assert batch.done == batch.total == 130


async def test_what_comes_during_a_backfill_is_news_and_comes_once(google: GoogleServer, gmail: GmailMail) -> None:
    fill(google, 60)
    cursor = None
    async for batch in gmail.batches(None, since=SINCE, skips=nothing):
        cursor = batch.cursor
        break
    google.gmail.deliver(mail("fresh"), at=NOW)
    batches, _ = await read(gmail, cursor)
    assert [batch.why for batch in batches if "fresh" in subjects(batch.arrived)] == ["news"]
    assert arrived(batches) == [*(f"n{number}" for number in range(BATCH, 60)), "fresh"]


async def test_the_history_says_what_came_moved_was_read_and_is_gone(google: GoogleServer, gmail: GmailMail) -> None:
    read_, moved, deleted, trashed = fill(google, 4)
    _, cursor = await read(gmail)
    google.gmail.relabel(read_, take=("UNREAD",))
    google.gmail.relabel(moved, take=("INBOX",), add=("Clients",))
    google.gmail.delete(deleted)
    google.gmail.relabel(trashed, take=("INBOX",), add=("TRASH",))
    google.gmail.deliver(mail("fresh"), labels=("INBOX", "UNREAD", "Brand new"))
    ((batch,), _) = await read(gmail, cursor)
    assert batch.why == "news"
    assert [(one.folder, one.labels) for one in batch.arrived] == [("INBOX", ("Brand new",))]
    assert {(one.uid, one.folder, one.labels, one.is_read) for one in batch.changed} == {
        (f"gmail:{read_}", "INBOX", (), True),
        (f"gmail:{moved}", "Archive", ("Clients",), False),
    }
    assert set(batch.gone) == {f"gmail:{deleted}", f"gmail:{trashed}"}


@pytest.mark.parametrize("label", ["TRASH", "SPAM"])
async def test_what_is_taken_out_of_spam_or_trash_comes(google: GoogleServer, gmail: GmailMail, label: str) -> None:
    each = google.gmail.deliver(mail("lost"), labels=(label,))
    _, cursor = await read(gmail)
    google.gmail.relabel(each, take=(label,), add=("INBOX",))
    google.gmail.relabel(each, add=("STARRED",))
    batches, _ = await read(gmail, cursor)
    assert arrived(batches) == ["lost"]


async def test_a_mail_that_is_gone_before_it_is_fetched_is_left_out(google: GoogleServer, gmail: GmailMail) -> None:
    fill(google, 3)
    google.fail(Status("GET .*/messages/m.*format=raw", code=404, reason="notFound", spared=1))
    batches, cursor = await read(gmail)
    assert len(arrived(batches)) == 2
    each = google.gmail.deliver(mail("short-lived"))
    google.gmail.delete(each)
    batches, _ = await read(gmail, cursor)
    assert arrived(batches) == []


async def test_a_label_that_is_made_during_a_backfill_is_known_by_its_name(
    google: GoogleServer, gmail: GmailMail
) -> None:
    fill(google, 1)
    labels = []
    async for batch in gmail.batches(None, since=SINCE, skips=nothing):
        labels += [one.labels for one in batch.arrived]
        if batch.why == "backfill":
            google.gmail.deliver(mail("fresh"), labels=("INBOX", "Brand new"))
    assert labels == [(), ("Brand new",)]


async def test_after_a_first_refusal_the_rest_of_a_batch_is_not_asked_for(
    google: GoogleServer, gmail: GmailMail
) -> None:
    fill(google, 25)
    google.fail(Status("format=raw", code=429, times=25))
    with pytest.raises(SlowDown):
        await read(gmail)
    assert google.asked("format=raw") <= 2 * CALLS_AT_ONCE


async def test_a_long_history_comes_in_portions_that_can_be_resumed(google: GoogleServer, gmail: GmailMail) -> None:
    _, cursor = await read(gmail)
    google.gmail.page_size = 11
    fill(google, 60)
    portions = []
    while True:
        async for batch in gmail.batches(cursor, since=SINCE, skips=nothing):
            portions.append(subjects(batch.arrived))
            cursor = batch.cursor
            break
        else:
            break
    assert [len(portion) for portion in portions] == [25, 25, 10]
    assert [subject for portion in portions for subject in portion] == [f"n{number}" for number in range(60)]


async def test_a_forgotten_history_is_a_gap_without_doubles(google: GoogleServer, gmail: GmailMail) -> None:
    fill(google, 40)
    _, cursor = await read(gmail)
    google.gmail.forget_history()
    google.gmail.deliver(mail("missed"), at=NOW)
    google.gmail.forget_history()
    batches, cursor = await read(gmail, cursor)
    assert arrived(batches) == ["missed"]
    assert batches[0].why == "gap"
    google.gmail.deliver(mail("next"), at=NOW)
    batches, _ = await read(gmail, cursor)
    assert [(batch.why, subjects(batch.arrived)) for batch in batches] == [("news", ["next"])]


async def test_a_gap_does_not_list_what_was_long_read(google: GoogleServer, gmail: GmailMail) -> None:
    fill(google, 300)
    _, cursor = await read(gmail)
    google.gmail.forget_history()
    before = google.asked("format=raw")
    await read(gmail, cursor)
    assert google.asked("format=raw") == before


async def test_a_history_that_is_forgotten_in_the_middle_of_a_backfill_loses_nothing(
    google: GoogleServer, gmail: GmailMail
) -> None:
    fill(google, 60)
    cursor = None
    async for batch in gmail.batches(None, since=SINCE, skips=nothing):
        cursor = batch.cursor
        break
    google.gmail.deliver(mail("meanwhile"), at=NOW)
    google.gmail.forget_history()
    batches, _ = await read(gmail, cursor)
    assert arrived(batches) == [*(f"n{number}" for number in range(BATCH, 60)), "meanwhile"]


async def test_page_tokens_that_expire_on_the_way_cost_a_second_listing(google: GoogleServer, gmail: GmailMail) -> None:
    google.gmail.page_size = 5
    fill(google, 20)
    google.fail(Status("messages.*pageToken", code=400, reason="invalidArgument", spared=1))
    batches, cursor = await read(gmail)
    assert arrived(batches) == [f"n{number}" for number in range(20)]
    fill(google, 20, start=20)
    google.fail(Status("history.*pageToken", code=400, reason="invalidArgument", spared=1))
    batches, _ = await read(gmail, cursor)
    assert len(arrived(batches)) == 20


@pytest.mark.parametrize(
    "cursor",
    ["", "null", "[]", "rubbish", '{"history": "not a number", "seen_ms": 0, "recent": []}', '{"history": 7}'],
)
async def test_a_cursor_that_means_nothing_is_no_error(google: GoogleServer, gmail: GmailMail, cursor: str) -> None:
    fill(google, 2)
    batches, cursor = await read(gmail, cursor)
    assert arrived(batches) == ["n0", "n1"]
    assert await read(gmail, cursor) == ([], cursor)


async def test_the_cursor_stays_small(google: GoogleServer, gmail: GmailMail) -> None:
    fill(google, 400)
    batches, _ = await read(gmail)
    assert max(len(batch.cursor) for batch in batches) < 4000


@pytest.mark.parametrize(
    "skipped", ["Diary", "INBOX", "Archive", "Sent"], ids=["a label", "the inbox", "the archive", "sent mail"]
)
async def test_what_is_skipped_is_never_fetched(google: GoogleServer, gmail: GmailMail, skipped: str) -> None:
    places = {"Diary": ("INBOX", "Diary"), "INBOX": ("INBOX",), "Archive": (), "Sent": ("SENT",)}
    secret = google.gmail.deliver(mail("secret"), labels=places[skipped])
    google.gmail.deliver(mail("open"), labels=("INBOX", "SENT") if skipped == "Archive" else ("Clients",))
    if skipped == "Archive":
        google.gmail.label("Clients")
    batches, cursor = await read(gmail, skips=lambda name: name == skipped)
    assert arrived(batches) == ["open"]
    later = google.gmail.deliver(mail("secret too"), labels=places[skipped])
    batches, cursor = await read(gmail, cursor, skips=lambda name: name == skipped)
    assert arrived(batches) == []
    assert not google.asked(f"{secret}?alt=json&format=raw")
    assert not google.asked(f"{secret}?format=raw")
    assert not google.asked(f"{later}?format=raw")
    assert [call for call in google.calls if "format=raw" in call and (secret in call or later in call)] == []


async def test_a_mail_that_gets_a_skipped_label_is_gone_and_comes_back_without_it(
    google: GoogleServer, gmail: GmailMail
) -> None:
    each = google.gmail.deliver(mail("private"))
    google.gmail.label("Diary")
    skips = "Diary".__eq__
    _, cursor = await read(gmail, skips=skips)
    google.gmail.relabel(each, add=("Diary",))
    ((batch,), cursor) = await read(gmail, cursor, skips=skips)
    assert (batch.gone, batch.changed) == ((f"gmail:{each}",), ())
    google.gmail.relabel(each, take=("Diary",))
    batches, _ = await read(gmail, cursor, skips=skips)
    assert arrived(batches) == ["private"]


async def test_changes_that_concern_nothing_move_the_cursor_all_the_same(
    google: GoogleServer, gmail: GmailMail
) -> None:
    _, cursor = await read(gmail)
    google.gmail.deliver(mail("a draft"), labels=("DRAFT",))
    batches, later = await read(gmail, cursor)
    assert arrived(batches) == []
    assert later != cursor
    assert await read(gmail, later) == ([], later)


async def test_waiting_takes_a_minute_or_what_is_asked(google: GoogleServer, vault: Vault, clock: FakeClock) -> None:
    waited: list[float] = []

    async def pause(seconds: float) -> None:
        waited.append(seconds)

    source = GmailMail(open_session(TokenFile(vault, "home", "read"), clock, endpoints=google.endpoints), pause=pause)
    await source.wait(timedelta(hours=1))
    await source.wait(timedelta(seconds=5))
    await source.close()
    assert waited == [60, 5]


async def test_a_check_says_who_one_is_and_what_can_be_read(google: GoogleServer, gmail: GmailMail) -> None:
    google.gmail.label("Clients")
    checked = await gmail.check()
    assert (checked.identity, checked.folders) == (OWNER, ("INBOX", "Sent", "Archive", "Clients"))


@pytest.mark.parametrize(
    ("fault", "wait_for"),
    [
        pytest.param(
            Status("labels", code=429, headers={"Retry-After": "90"}, reason="rateLimitExceeded"),
            timedelta(seconds=90),
            id="429 in seconds",
        ),
        pytest.param(
            Status("labels", code=429, headers={"Retry-After": "Mon, 02 Mar 2026 09:05:00 GMT"}),
            timedelta(minutes=5),
            id="429 until a date",
        ),
        pytest.param(Status("labels", code=429), timedelta(minutes=1), id="429 that doesn't say"),
        pytest.param(
            Status(
                "labels",
                code=429,
                message="User-rate limit exceeded.  Retry after 2026-03-02T09:12:00.000Z (Mail sending)",
            ),
            timedelta(minutes=12),
            id="429 that says it in words",
        ),
        pytest.param(
            Status("labels", code=403, reason="userRateLimitExceeded"), timedelta(minutes=1), id="403 for the rate"
        ),
        pytest.param(Status("labels", code=403, reason="dailyLimitExceeded"), timedelta(hours=1), id="403 for the day"),
        pytest.param(
            Status("labels", code=503, headers={"Retry-After": "30"}), timedelta(seconds=30), id="503 in seconds"
        ),
        pytest.param(
            Status("token", code=429, headers={"Retry-After": "7"}), timedelta(seconds=7), id="429 of the sign-in"
        ),
        pytest.param(
            Status("labels", code=429, headers={"Retry-After": "99999999"}), timedelta(days=1), id="429 without measure"
        ),
    ],
)
async def test_patience_is_asked_for_and_passed_on(
    google: GoogleServer, gmail: GmailMail, fault: Status, wait_for: timedelta
) -> None:
    google.fail(fault)
    with pytest.raises(SlowDown) as told:
        await gmail.check()
    assert told.value.wait_for == wait_for
    assert (await gmail.check()).identity == OWNER


@pytest.mark.parametrize(
    "fault",
    [
        pytest.param(Status("profile", code=500), id="500"),
        pytest.param(Status("profile", code=500, message="x" * 100_000), id="500 in many words"),
        pytest.param(Status("profile", code=502), id="502"),
        pytest.param(Status("profile", code=503), id="503"),
        pytest.param(Status("profile", code=400, reason="failedPrecondition"), id="400"),
        pytest.param(Status("profile", code=302, headers={"Location": "http://127.0.0.1:9/"}), id="a redirection"),
        pytest.param(Hang("profile"), id="no answer"),
        pytest.param(Drip("profile"), id="an answer without end"),
        pytest.param(Cut("profile"), id="a cut line"),
        pytest.param(Half("profile"), id="half an answer"),
        pytest.param(Garbage("profile"), id="a page"),
        pytest.param(Garbage("profile", content=b"\xff\xfe"), id="no text"),
        pytest.param(Garbage("profile", content=b"[]"), id="a list"),
        pytest.param(Garbage("profile", content=b"[" * 100_000), id="a pit"),
        pytest.param(Garbage("profile", content=b'{"historyId": {}}'), id="another shape"),
        pytest.param(Garbage("profile", content=b""), id="nothing"),
        pytest.param(Status("token", code=500), id="500 of the sign-in"),
        pytest.param(Cut("token"), id="a cut line of the sign-in"),
        pytest.param(Garbage("token"), id="a page of the sign-in"),
        pytest.param(Garbage("token", content=b'{"access_token": 7}'), id="another shape of the sign-in"),
    ],
)
async def test_whatever_breaks_is_a_source_that_is_down_and_nothing_is_tried_twice(
    google: GoogleServer, gmail: GmailMail, fault: Fault
) -> None:
    google.fail(fault)
    with pytest.raises(SourceDown) as told:
        await read(gmail)
    assert not isinstance(told.value, SlowDown)
    assert "canary" not in "".join(traceback.format_exception(told.value))
    assert google.asked(fault.calls) == 1
    google.go_on.set()
    assert (await gmail.check()).identity == OWNER


async def test_a_server_that_is_not_there_is_a_source_that_is_down(google: GoogleServer, gmail: GmailMail) -> None:
    await gmail.check()
    google.stop()
    with pytest.raises(SourceDown):
        await gmail.check()
    google.start()
    assert (await gmail.check()).identity == OWNER


@pytest.mark.parametrize("calls", ["/labels", "messages\\?", "messages/m.*raw", "history"])
async def test_a_fault_in_the_middle_of_a_backfill_loses_nothing(
    google: GoogleServer, gmail: GmailMail, calls: str
) -> None:
    fill(google, 60)
    google.fail(Status(calls, code=500, spared=30 if "raw" in calls else 0))
    cursor, seen = None, []
    with pytest.raises(SourceDown):  # noqa: PT012 - what came before the fault counts
        async for batch in gmail.batches(None, since=SINCE, skips=nothing):
            cursor, seen = batch.cursor, seen + subjects(batch.arrived)
    batches, _ = await read(gmail, cursor)
    assert seen + arrived(batches) == [f"n{number}" for number in range(60)]


async def test_a_listing_without_end_is_given_up(
    google: GoogleServer, gmail: GmailMail, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tools.google.mailbox.PAGES_MOST", 3)
    google.gmail.page_size = 1
    fill(google, 5)
    with pytest.raises(SourceDown, match="never ends"):
        await read(gmail)


async def test_a_permission_that_was_taken_back_names_the_command_that_renews_it(
    google: GoogleServer, gmail: GmailMail, vault: Vault, clock: FakeClock
) -> None:
    fill(google, 1)
    _, cursor = await read(gmail)
    google.revoke()
    with pytest.raises(SignInRefused, match=r"Run: stillbell auth google home$"):
        await read(gmail, cursor)
    google.gmail.deliver(mail("held"))
    TokenFile(vault, "home", "read").write(google.grant(clock))
    batches, _ = await read(gmail, cursor)
    assert arrived(batches) == ["held"]


@pytest.mark.parametrize(
    ("reason", "said"),
    [
        ("insufficientPermissions", "Run: stillbell auth google home"),
        ("accessNotConfigured", "is not switched on in your Google project"),
    ],
)
async def test_a_missing_permission_is_a_refused_sign_in(
    google: GoogleServer, gmail: GmailMail, reason: str, said: str
) -> None:
    google.fail(Status("profile", code=403, reason=reason))
    with pytest.raises(SignInRefused, match=said):
        await gmail.check()


async def test_many_calls_at_once_renew_the_token_once(google: GoogleServer, gmail: GmailMail) -> None:
    fill(google, 40)
    await read(gmail)
    google.end_access()
    await asyncio.gather(*(gmail.check() for _ in range(8)))
    assert google.asked("POST /token") == 2


async def test_mail_is_not_read_with_the_grant_for_sending(
    google: GoogleServer, vault: Vault, clock: FakeClock
) -> None:
    session = open_session(TokenFile(vault, "home", "send"), clock, endpoints=google.endpoints)
    with pytest.raises(ValueError, match="grant for reading"):
        GmailMail(session)
    await session.close()


async def test_a_session_that_is_closed_within_a_call_leaves_no_connection_open(
    google: GoogleServer, gmail: GmailMail, vault: Vault, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(google, 1)
    connect, made, go_on = socket.create_connection, list[socket.socket](), threading.Event()

    def slowly(*given: Any, **named: Any) -> socket.socket:
        one: socket.socket = connect(*given, **named)
        made.append(one)
        loop.call_soon_threadsafe(connected.set)
        go_on.wait(10)
        return one

    loop, connected = asyncio.get_running_loop(), asyncio.Event()
    monkeypatch.setattr(socket, "create_connection", slowly)
    session = open_session(TokenFile(vault, "home", "read"), clock, endpoints=google.endpoints)
    call = asyncio.create_task(Mailbox(session).profile())
    await connected.wait()
    await session.close()
    go_on.set()
    await call
    assert [one.fileno() for one in made] == [-1] * len(made)
    with pytest.raises(SourceDown, match="from this side"):
        await Mailbox(session).profile()


async def test_a_cursor_says_no_more_than_ids_and_times(google: GoogleServer, gmail: GmailMail) -> None:
    google.gmail.deliver(mail("confidential"))
    _, cursor = await read(gmail)
    assert set(json.loads(cursor)) == {"history", "seen_ms", "recent"}
    assert "confidential" not in cursor
