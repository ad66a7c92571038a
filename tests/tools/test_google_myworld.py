"""Everything of Google's that Stillbell speaks, against a stand-in that was written by others."""

import json
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from email.policy import SMTP
from pathlib import Path

import icalendar
import pytest
from myworld.core.instance import Instance

from memory.dispatch import Witness
from tests.doubles.clock import FakeClock
from tests.servers.google_myworld import CALENDARS, MAILBOX, OWNER, MyWorld, myworld_server
from tools.google.acts import MailActs
from tools.google.calendar import GoogleCalendar
from tools.google.calendar_acts import CalendarActs, NewEvent, Span
from tools.google.gmail import GmailMail
from tools.google.sender import IN_JSON_MOST_BYTES, GmailSender
from tools.google.session import Session, open_session
from tools.google.token import GrantKind, TokenFile
from tools.source import SignInRefused, SlowDown, SourceDown
from tools.transport import MaybeHanded, Outgoing
from tools.vault import Vault

THERE = datetime(2026, 9, 21, 16, tzinfo=UTC)
"""Where the clock of such a world stands at first."""

SINCE = THERE - timedelta(days=30)

Opened = Callable[[Instance, GrantKind], AbstractAsyncContextManager[Session]]


@pytest.fixture(scope="module")
def world() -> Iterator[MyWorld]:
    with myworld_server() as server:
        yield server


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock(THERE)


@pytest.fixture
def opened(world: MyWorld, tmp_path: Path, clock: FakeClock) -> Opened:
    @asynccontextmanager
    async def opening(instance: Instance, kind: GrantKind) -> AsyncIterator[Session]:
        file = TokenFile(Vault(tmp_path / "secrets"), "home", kind)
        file.write(world.token(instance, clock))
        session = open_session(file, clock, endpoints=world.endpoints)
        try:
            yield session
        finally:
            await session.close()

    return opening


def seeded(count: int) -> dict[str, object]:
    emails = [
        {"from": "Bob <bob@example.net>", "to": [OWNER], "subject": f"n{number}", "body": f"Hello {number}.",
         "date": (THERE - timedelta(hours=count - number)).isoformat(), "labels": ["INBOX", "UNREAD"]}
        for number in range(count)
    ]  # fmt: skip
    return MAILBOX | {"emails": emails}


async def mail(source: GmailMail, cursor: str | None) -> tuple[list[str], list[str], str]:
    """Subjects that came, the whys, the next cursor."""
    came, whys = [], []
    async for batch in source.batches(cursor, since=SINCE, skips=lambda name: False):
        cursor = batch.cursor
        whys.append(batch.why)
        came += [one.raw.decode().split("Subject: ")[1].split("\n")[0].strip() for one in batch.arrived]
    return came, whys, cursor or ""


async def test_a_mailbox_is_caught_up_with_and_then_followed(world: MyWorld, opened: Opened) -> None:
    box = world.mailbox(seeded(60))
    async with opened(box, "read") as session:
        source = GmailMail(session)
        assert (await source.check()).identity == OWNER
        came, whys, cursor = await mail(source, None)
        assert (came, whys) == ([f"n{number}" for number in range(60)], ["backfill"] * 3)
        assert await mail(source, cursor) == ([], [], cursor)
        box.apply_action("deliver_email", {"sender": "carl@example.net", "subject": "fresh", "body": "Hi"})
        came, whys, cursor = await mail(source, cursor)
        assert (came, whys) == (["fresh"], ["news"])


async def test_a_cursor_that_is_too_old_there_is_a_gap(world: MyWorld, opened: Opened) -> None:
    box = world.mailbox(seeded(3))
    async with opened(box, "read") as session:
        source = GmailMail(session)
        _, _, cursor = await mail(source, None)
        expired = cursor.replace(cursor.split('"history": "')[1].split('"')[0], "7")
        box.apply_action("deliver_email", {"sender": "carl@example.net", "subject": "missed", "body": "Hi"})
        came, whys, _ = await mail(source, expired)
        assert (came, whys) == (["missed"], ["gap"])


async def test_labels_and_small_acts_are_told_as_changes(world: MyWorld, opened: Opened) -> None:
    box = world.mailbox(seeded(2))
    async with opened(box, "read") as session, opened(box, "send") as changing:
        source, acts = GmailMail(session), MailActs(changing)
        batches = [batch async for batch in source.batches(None, since=SINCE, skips=lambda name: False)]
        first, second = (one.uid for one in batches[0].arrived)
        await acts.mark_read(first)
        await acts.archive(second)
        await acts.label(second, "Clients")
        later = [batch async for batch in source.batches(batches[-1].cursor, since=SINCE, skips=lambda name: False)]
        (batch,) = later
        changed = {one.uid: (one.folder, one.labels, one.is_read) for one in batch.changed}
        assert changed == {first: ("INBOX", (), True), second: ("Archive", ("Clients",), False)}
        await acts.unarchive(second)
        await acts.unlabel(second, "Clients")
        assert batch.arrived == ()


async def test_a_label_that_is_skipped_is_not_read_there(world: MyWorld, opened: Opened) -> None:
    emails = [
        {"from": "a@b.example", "subject": word, "body": word, "labels": ["INBOX", word]}
        for word in ("Diary", "Clients")
    ]
    async with opened(world.mailbox(MAILBOX | {"emails": emails}), "read") as session:
        source = GmailMail(session)
        batches = [batch async for batch in source.batches(None, since=SINCE, skips="Diary".__eq__)]
        assert [one.labels for batch in batches for one in batch.arrived] == [("Clients",)]


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        pytest.param({"kind": "rate_limit"}, SlowDown, id="429"),
        pytest.param({"kind": "server_error"}, SourceDown, id="500"),
        pytest.param({"kind": "unavailable"}, SourceDown, id="503"),
        pytest.param({"kind": "bad_gateway"}, SourceDown, id="502"),
        pytest.param({"kind": "timeout"}, SourceDown, id="504"),
        pytest.param({"kind": "transport_error"}, SourceDown, id="a page of a proxy"),
    ],
)
async def test_its_faults_are_said_in_the_ports_words(
    world: MyWorld, opened: Opened, fault: dict[str, object], kind: type[Exception]
) -> None:
    box = world.mailbox(seeded(1))
    async with opened(box, "read") as session:
        source = GmailMail(session)
        box.set_faults([{"tool": "gmail.users.messages.list", **fault}])
        with pytest.raises(kind):
            await mail(source, None)
        came, _, _ = await mail(source, None)
        assert came == ["n0"]


async def test_a_permission_that_was_taken_back_is_a_refused_sign_in(
    world: MyWorld, opened: Opened, clock: FakeClock
) -> None:
    box = world.mailbox(seeded(1))
    async with opened(box, "read") as session:
        source = GmailMail(session)
        await source.check()
        clock.advance(timedelta(hours=2))
        world.forget(box)
        with pytest.raises(SignInRefused, match="stillbell auth google home"):
            await source.check()


def outgoing() -> Outgoing:
    letter = EmailMessage(policy=SMTP)
    letter["From"], letter["To"], letter["Subject"] = OWNER, "Bob <bob@example.net>", "Lunch"
    letter["Message-ID"] = "<ours@stillbell.example>"
    letter.set_content("Tuesday at ten?\nGrüße\n")
    content = letter.as_bytes()
    return Outgoing(
        digest="d", key="k", content=content, sender=OWNER, recipients=("bob@example.net", "carl@example.net")
    )


def sent(box: Instance) -> list[dict[str, object]]:
    return [each for each in box.state["mailboxes"][OWNER]["messages"].values() if "SENT" in each["labelIds"]]


@pytest.mark.parametrize(
    ("fault", "left"),
    [
        pytest.param("timeout_after_commit", 1, id="lost after"),
        pytest.param("timeout", 0, id="lost before"),
        pytest.param("truncated", 1, id="cut off"),
    ],
)
async def test_a_mail_whose_answer_is_lost_left_at_most_once_and_is_found(
    world: MyWorld, opened: Opened, fault: str, left: int
) -> None:
    box = world.mailbox()
    async with opened(box, "send") as session:
        sender = GmailSender(session, FakeClock(THERE))
        handle = await sender.prepare(outgoing())
        box.set_faults([{"tool": "gmail.users.drafts.send", "kind": fault}])
        with pytest.raises(MaybeHanded):
            await sender.hand_over(outgoing(), handle)
        assert len(sent(box)) == left
        found = await sender.look(outgoing(), handle)
        assert (found.draft, found.sent) == (("no", "yes") if left else ("yes", "no"))
        if not left:
            await sender.hand_over(outgoing(), handle)
        with pytest.raises(MaybeHanded):
            await sender.hand_over(outgoing(), handle)
        (mail_,) = sent(box)
        assert (mail_["to"], mail_["bcc"]) == (["Bob <bob@example.net>"], ["carl@example.net"])
    assert await sender.look(outgoing(), "no handle") == Witness()


async def test_a_large_mail_is_uploaded_there(world: MyWorld, opened: Opened) -> None:
    box = world.mailbox()
    async with opened(box, "send") as session:
        draft = await GmailSender(session, FakeClock(THERE)).create_draft(
            outgoing().content + b"A line of many words, over and over.\r\n" * (IN_JSON_MOST_BYTES // 30)
        )
        (held,) = box.state["mailboxes"][OWNER]["messages"].values()
        assert (held["id"], held["labelIds"], len(held["body"]) > IN_JSON_MOST_BYTES) == (
            draft.message.id,
            ["DRAFT"],
            True,
        )


async def test_calendars_are_read_whole_and_then_followed(world: MyWorld, opened: Opened) -> None:
    events = [
        {"summary": "Standup", "start": "2026-09-21T09:30:00+02:00", "end": "2026-09-21T09:45:00+02:00",
         "recurrence": ["RRULE:FREQ=WEEKLY;COUNT=9"], "attendees": ["bob@stillbell.example"]},
        {"summary": "Retro", "start": "2026-09-24T10:00:00+02:00", "end": "2026-09-24T11:00:00+02:00",
         "calendarId": "team@group.example"},
    ]  # fmt: skip
    calendar = world.calendar(CALENDARS | {"events": events})
    async with opened(calendar, "read") as session, opened(calendar, "send") as changing:
        source, acts = GoogleCalendar(session), CalendarActs(changing)
        batches = [batch async for batch in source.batches(None, skips=lambda name: False)]
        assert {batch.whole for batch in batches if batch.items} == {(OWNER,), ("team@group.example",)}
        (standup,) = next(batch for batch in batches if batch.whole == (OWNER,)).items
        (event,) = icalendar.Calendar.from_ical(standup.ics).walk("VEVENT")
        assert (str(event["SUMMARY"]), event["RRULE"]["COUNT"]) == ("Standup", [9])
        cursor = batches[-1].cursor
        assert [batch async for batch in source.batches(cursor, skips=lambda name: False)] == []

        calendar.advance(60)
        span = Span(starts=THERE + timedelta(days=1), ends=THERE + timedelta(days=1, hours=1), zone="Europe/Berlin")
        made = await acts.insert(
            "primary", "abcdef0123456789", NewEvent(summary="Lunch", span=span, guests=("bob@example.net",))
        )
        again = await acts.insert("primary", "abcdef0123456789", NewEvent(summary="Lunch", span=span))
        assert (made.id, again.id) == ("abcdef0123456789", "abcdef0123456789")
        (batch,) = [batch async for batch in source.batches(cursor, skips=lambda name: False)]
        assert [item.ref for item in batch.items] == ["abcdef0123456789"]

        later = Span(starts=span.starts + timedelta(hours=2), ends=span.ends + timedelta(hours=2), zone="Europe/Berlin")  # type: ignore[operator]
        await acts.move("primary", made.id, later)
        await acts.answer("primary", made.id, "accepted")
        calendar.advance(60)
        await acts.cancel("primary", made.id)
        assert await acts.get("primary", made.id) is None
        (batch,) = [batch async for batch in source.batches(batch.cursor, skips=lambda name: False)]
        assert batch.gone == ((OWNER, made.id),)


async def test_a_sync_token_that_is_no_good_there_reads_that_calendar_whole(world: MyWorld, opened: Opened) -> None:
    events = [{"summary": "Lunch", "start": "2026-09-22T12:00:00+02:00", "end": "2026-09-22T13:00:00+02:00"}]
    async with opened(world.calendar(CALENDARS | {"events": events}), "read") as session:
        source = GoogleCalendar(session)
        batches = [batch async for batch in source.batches(json.dumps({OWNER: "rubbish"}), skips=lambda name: False)]
        assert [(batch.whole, len(batch.items)) for batch in batches] == [((OWNER,), 1), (("team@group.example",), 0)]
