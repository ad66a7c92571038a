"""Google Calendar as a source: series with their exceptions as one object, deltas, expired tokens, and the text it is told in."""

import json
from collections.abc import AsyncIterator, Callable, Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import icalendar
import pytest
import recurring_ical_events

from tests.doubles.clock import FakeClock
from tests.servers.google_faults import Garbage, Status
from tests.servers.google_server import OWNER, GoogleServer, google_server
from tools.calendar import CalendarBatch, CalendarItem
from tools.google.answers import Event
from tools.google.calendar import GoogleCalendar
from tools.google.ics import ics_of
from tools.google.series import Item
from tools.google.session import open_session
from tools.google.token import TokenFile
from tools.source import SignInRefused, SlowDown, SourceDown
from tools.vault import Vault

BERLIN = ZoneInfo("Europe/Berlin")


def at(day: int, hour: int, month: int = 3) -> dict[str, str]:
    moment = datetime(2026, month, day, hour, tzinfo=BERLIN)
    return {"dateTime": moment.isoformat(), "timeZone": "Europe/Berlin"}


def event(each: str, day: int = 3, hour: int = 9, **more: Any) -> dict[str, Any]:
    return {"id": each, "summary": each.title(), "start": at(day, hour), "end": at(day, hour + 1), **more}


WEEKLY = event("standup", day=2, recurrence=["RRULE:FREQ=WEEKLY;COUNT=6"])
"""Mondays at nine: 2, 9, 16, 23, 30 March and 6 April; the clocks go forward on the 29th."""


def moved(to_day: int, to_hour: int, original_day: int) -> dict[str, Any]:
    stamp = datetime(2026, 3, original_day, 9, tzinfo=BERLIN).astimezone(UTC).strftime("%Y%m%dT%H%M%SZ")
    return event(
        f"standup_{stamp}",
        to_day,
        to_hour,
        summary="Moved",
        recurringEventId="standup",
        originalStartTime=at(original_day, 9),
    )


@pytest.fixture
def google() -> Iterator[GoogleServer]:
    with google_server() as server:
        yield server


@pytest.fixture
async def calendar(google: GoogleServer, tmp_path: Path, clock: FakeClock) -> AsyncIterator[GoogleCalendar]:
    file = TokenFile(Vault(tmp_path / "secrets"), "home", "read")
    file.write(google.grant(clock))
    source = GoogleCalendar(open_session(file, clock, endpoints=google.endpoints, silence_seconds=3, call_seconds=6))
    yield source
    await source.close()


async def read(
    source: GoogleCalendar, cursor: str | None = None, skips: Callable[[str], bool] = lambda name: False
) -> tuple[list[CalendarBatch], str]:
    batches = [batch async for batch in source.batches(cursor, skips=skips)]
    return batches, batches[-1].cursor if batches else cursor or ""


def items(batches: list[CalendarBatch]) -> dict[str, CalendarItem]:
    return {item.ref: item for batch in batches for item in batch.items}


def occurrences(ics: str) -> list[tuple[str, str]]:
    found = recurring_ical_events.of(icalendar.Calendar.from_ical(ics)).between(date(2026, 1, 1), date(2027, 1, 1))
    return sorted((f"{one['DTSTART'].dt:%m-%d %H:%M %z}", str(one.get("SUMMARY", ""))) for one in found)


async def test_every_calendar_is_read_whole_under_its_owners_name_for_it(
    google: GoogleServer, calendar: GoogleCalendar
) -> None:
    google.calendars.page_size = 3
    for number in range(8):
        google.calendars.put(event(f"e{number}"))
    google.calendars.add("team", summary="Team", summaryOverride="The team")
    google.calendars.put(event("retro"), "team")
    batches, cursor = await read(calendar)
    assert [(batch.whole, len(batch.items)) for batch in batches] == [((OWNER,), 8), (("team",), 1)]
    assert batches[0].names == {OWNER: OWNER, "team": "The team"}
    assert await read(calendar, cursor) == ([], cursor)


async def test_a_stopped_reading_goes_on_with_the_calendars_that_are_left(
    google: GoogleServer, calendar: GoogleCalendar
) -> None:
    google.calendars.add("team", summary="Team")
    google.calendars.put(event("retro"), "team")
    async for batch in calendar.batches(None, skips=lambda name: False):
        cursor = batch.cursor
        break
    batches, _ = await read(calendar, cursor)
    assert [batch.whole for batch in batches] == [("team",)]


async def test_a_series_and_what_differs_from_it_are_one_object(google: GoogleServer, calendar: GoogleCalendar) -> None:
    google.calendars.put(WEEKLY)
    google.calendars.put(moved(10, 15, original_day=9))
    google.calendars.put(moved(1, 1, original_day=16))
    google.calendars.cancel("standup_20260316T080000Z")
    batches, _ = await read(calendar)
    (item,) = items(batches).values()
    assert item.ref == "standup"
    assert occurrences(item.ics) == [
        ("03-02 09:00 +0100", "Standup"),
        ("03-10 15:00 +0100", "Moved"),
        ("03-23 09:00 +0100", "Standup"),
        ("03-30 09:00 +0200", "Standup"),
        ("04-06 09:00 +0200", "Standup"),
    ]


async def test_a_changed_occurrence_brings_its_whole_series(google: GoogleServer, calendar: GoogleCalendar) -> None:
    google.calendars.put(WEEKLY)
    google.calendars.put(moved(10, 15, original_day=9))
    google.calendars.put(event("other"))
    first, cursor = await read(calendar)
    google.calendars.put(moved(17, 11, original_day=16))
    batches, cursor = await read(calendar, cursor)
    assert set(items(batches)) == {"standup"}
    assert [batch.whole for batch in batches] == [()]
    assert len([words for _, words in occurrences(items(batches)["standup"].ics) if words == "Moved"]) == 2
    assert items(batches)["standup"].etag != items(first)["standup"].etag
    google.calendars.cancel("standup_20260316T080000Z")
    batches, _ = await read(calendar, cursor)
    assert len(occurrences(items(batches)["standup"].ics)) == 5


async def test_a_changed_master_keeps_its_exceptions(google: GoogleServer, calendar: GoogleCalendar) -> None:
    google.calendars.put(WEEKLY)
    google.calendars.put(moved(10, 15, original_day=9))
    _, cursor = await read(calendar)
    google.calendars.put(WEEKLY | {"summary": "Daily"})
    batches, _ = await read(calendar, cursor)
    assert [words for _, words in occurrences(items(batches)["standup"].ics)] == ["Daily", "Moved", *["Daily"] * 4]


async def test_what_changed_and_what_is_gone_is_told(google: GoogleServer, calendar: GoogleCalendar) -> None:
    for each in ("stays", "moves", "goes"):
        google.calendars.put(event(each))
    google.calendars.put(WEEKLY)
    _, cursor = await read(calendar)
    google.calendars.put(event("moves", day=4))
    google.calendars.put(event("comes"))
    google.calendars.cancel("goes")
    google.calendars.cancel("standup")
    batches, cursor = await read(calendar, cursor)
    (batch,) = batches
    assert set(items(batches)) == {"moves", "comes"}
    assert set(batch.gone) == {(OWNER, "goes"), (OWNER, "standup")}
    assert await read(calendar, cursor) == ([], cursor)


async def test_one_is_invited_to_a_single_occurrence_of_somebodys_series(
    google: GoogleServer, calendar: GoogleCalendar
) -> None:
    google.calendars.put(moved(10, 15, original_day=9))
    batches, cursor = await read(calendar)
    assert occurrences(items(batches)["standup"].ics) == [("03-10 15:00 +0100", "Moved")]
    google.calendars.put(moved(10, 16, original_day=9))
    batches, cursor = await read(calendar, cursor)
    assert occurrences(items(batches)["standup"].ics) == [("03-10 16:00 +0100", "Moved")]
    google.calendars.cancel("standup_20260309T080000Z")
    batches, _ = await read(calendar, cursor)
    assert batches[0].gone == ((OWNER, "standup"),)


async def test_an_expired_token_reads_that_calendar_whole_and_no_other(
    google: GoogleServer, calendar: GoogleCalendar
) -> None:
    google.calendars.add("team", summary="Team")
    google.calendars.put(event("stays"))
    google.calendars.put(event("goes"))
    _, cursor = await read(calendar)
    held = json.loads(cursor)
    google.calendars.forget_tokens()
    google.calendars.cancel("goes")
    fresh, _ = await read(calendar)
    tokens = json.loads(fresh[-1].cursor)
    batches, cursor = await read(calendar, json.dumps(tokens | {OWNER: held[OWNER]}))
    assert [(batch.whole, set(items([batch]))) for batch in batches] == [((OWNER,), {"stays"})]
    google.calendars.put(event("comes"))
    batches, _ = await read(calendar, cursor)
    assert [(batch.whole, set(items([batch]))) for batch in batches] == [((), {"comes"})]


async def test_page_tokens_that_expire_on_the_way_cost_a_second_listing(
    google: GoogleServer, calendar: GoogleCalendar
) -> None:
    google.calendars.page_size = 2
    for number in range(6):
        google.calendars.put(event(f"e{number}"))
    google.fail(Status("events.*pageToken", code=400, reason="invalid", spared=1))
    batches, _ = await read(calendar)
    assert len(items(batches)) == 6


async def test_calendars_come_and_go(google: GoogleServer, calendar: GoogleCalendar) -> None:
    google.calendars.add("team", summary="Team")
    google.calendars.put(event("retro"), "team")
    _, cursor = await read(calendar)
    google.calendars.remove("team")
    google.calendars.add("new", summary="New")
    google.calendars.put(event("kick-off"), "new")
    batches, cursor = await read(calendar, cursor)
    assert [(batch.whole, set(items([batch]))) for batch in batches] == [(("team",), set()), (("new",), {"kick-off"})]
    assert await read(calendar, cursor) == ([], cursor)


async def test_a_skipped_calendar_is_not_looked_into(google: GoogleServer, calendar: GoogleCalendar) -> None:
    google.calendars.add("diary-id", summary="Diary")
    google.calendars.put(event("secret"), "diary-id")
    batches, cursor = await read(calendar, skips="Diary".__eq__)
    assert items(batches) == {}
    assert "diary-id" not in cursor
    assert not google.asked("/calendars/diary-id/")
    _, cursor = await read(calendar)
    batches, cursor = await read(calendar, cursor, skips="Diary".__eq__)
    # It is still there, so nothing of it is called gone.
    assert [(batch.whole, batch.gone, batch.items) for batch in batches] == [((), (), ())]
    assert "diary-id" not in cursor


async def test_a_calendar_of_busy_times_alone_is_left_out_and_named(
    google: GoogleServer, calendar: GoogleCalendar
) -> None:
    google.calendars.add("boss", summary="The boss", role="freeBusyReader")
    await read(calendar)
    assert not google.asked("/calendars/boss/")
    checked = await calendar.check()
    assert (checked.identity, checked.folders) == (OWNER, (OWNER,))
    assert checked.notes == ("The boss: only busy times may be seen",)


async def test_a_calendar_that_is_closed_to_the_owner_does_not_stop_the_others(
    google: GoogleServer, calendar: GoogleCalendar
) -> None:
    google.calendars.add("team", summary="Team")
    google.calendars.put(event("retro"), "team")
    google.fail(Status(f"calendars/{OWNER.replace('@', '.*')}/events", code=403, reason="forbidden"))
    google.fail(Status("calendars/team/nothing", code=404, reason="notFound"))
    batches, _ = await read(calendar)
    assert [batch.whole for batch in batches] == [("team",)]


async def test_one_odd_event_spoils_no_other(google: GoogleServer, calendar: GoogleCalendar) -> None:
    google.calendars.put(event("odd") | {"start": {"dateTime": "yesterday"}})
    google.calendars.put(event("fine"))
    batches, _ = await read(calendar)
    assert set(items(batches)) == {"fine"}


@pytest.mark.parametrize("cursor", ["", "null", "[]", "rubbish", "7"])
async def test_a_cursor_that_means_nothing_reads_everything(
    google: GoogleServer, calendar: GoogleCalendar, cursor: str
) -> None:
    google.calendars.put(event("a"))
    batches, _ = await read(calendar, cursor)
    assert [batch.whole for batch in batches] == [(OWNER,)]


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        pytest.param(Status("events", code=429, headers={"Retry-After": "9"}), SlowDown, id="429"),
        pytest.param(Status("events", code=403, reason="rateLimitExceeded"), SlowDown, id="403 for the rate"),
        pytest.param(Status("events", code=500), SourceDown, id="500"),
        pytest.param(Garbage("events"), SourceDown, id="a page"),
        pytest.param(Garbage("calendarList", content=b'{"items": [{}]}'), SourceDown, id="another shape"),
        pytest.param(Status("events", code=403, reason="insufficientPermissions"), SignInRefused, id="no permission"),
    ],
)
async def test_what_breaks_is_said_in_the_ports_words_and_loses_nothing(
    google: GoogleServer, calendar: GoogleCalendar, fault: Any, kind: type[Exception]
) -> None:
    google.calendars.put(event("a"))
    google.fail(fault)
    with pytest.raises(kind):
        await read(calendar)
    assert set(items((await read(calendar))[0])) == {"a"}


async def test_the_wait_is_a_minute_or_what_is_asked(google: GoogleServer, tmp_path: Path, clock: FakeClock) -> None:
    waited: list[float] = []

    async def pause(seconds: float) -> None:
        waited.append(seconds)

    session = open_session(TokenFile(Vault(tmp_path), "home", "read"), clock, endpoints=google.endpoints)
    source = GoogleCalendar(session, pause=pause)
    await source.wait(timedelta(hours=1))
    await source.wait(timedelta(seconds=5))
    await source.close()
    assert waited == [60, 5]


# The text


def told(**fields: Any) -> str:
    return ics_of(Item(ref="e", master=Event.model_validate({"id": "e", **fields})), "Europe/Berlin")


def component(ics: str) -> icalendar.Event:
    (found,) = icalendar.Calendar.from_ical(ics).walk("VEVENT")
    return found


FULL = {
    **event("e"),
    "iCalUID": "e@google.com",
    "status": "tentative",
    "sequence": 4,
    "updated": "2026-02-01T08:00:00.000Z",
    "created": "2026-01-01T08:00:00.000Z",
    "summary": 'Über "Lunch", \\ semi; colon: ' + "ü" * 80,
    "description": "one\r\ntwo\nthree\rfour\x00\x07",
    "location": "Straße 1, 10115 Berlin",
    "transparency": "transparent",
    "visibility": "private",
    "htmlLink": "https://calendar.google.com/event?eid=abc",
    "hangoutLink": "https://meet.google.com/abc-defg-hij",
    "organizer": {"email": "bob@example.net", "displayName": "Bob"},
    "attendees": [
        {"email": OWNER, "self": True, "responseStatus": "declined", "displayName": 'Anna "A" Ex;ample: x'},
        {"email": "room@example.net", "resource": True, "responseStatus": "accepted"},
        {"email": "carl@example.net", "optional": True, "responseStatus": "something new"},
    ],
    "eventType": "focusTime",
}


def test_everything_that_is_known_of_an_event_can_be_read_back() -> None:
    read_back = component(told(**FULL))
    assert str(read_back["SUMMARY"]) == FULL["summary"]
    assert str(read_back["DESCRIPTION"]) == "one\ntwo\nthree\nfour"
    assert str(read_back["LOCATION"]) == FULL["location"]
    assert read_back["DTSTART"].dt == datetime(2026, 3, 3, 9, tzinfo=BERLIN)
    assert read_back["DTSTART"].params["TZID"] == "Europe/Berlin"
    assert read_back["DTEND"].dt == datetime(2026, 3, 3, 10, tzinfo=BERLIN)
    words = {
        name: str(read_back[name]) for name in ("UID", "STATUS", "TRANSP", "CLASS", "URL", "SEQUENCE", "ORGANIZER")
    }
    assert words == {
        "UID": "e@google.com",
        "STATUS": "TENTATIVE",
        "TRANSP": "TRANSPARENT",
        "CLASS": "PRIVATE",
        "URL": FULL["htmlLink"],
        "SEQUENCE": "4",
        "ORGANIZER": "mailto:bob@example.net",
    }
    assert str(read_back["CONFERENCE"]) == FULL["hangoutLink"]
    assert read_back["LAST-MODIFIED"].dt == datetime(2026, 2, 1, 8, tzinfo=UTC)


def test_guests_keep_their_answers_and_names() -> None:
    guests = {str(guest): guest.params for guest in component(told(**FULL))["ATTENDEE"]}
    assert guests[f"mailto:{OWNER}"]["PARTSTAT"] == "DECLINED"
    assert guests[f"mailto:{OWNER}"]["CN"] == 'Anna "A" Ex;ample: x'
    assert guests["mailto:room@example.net"]["CUTYPE"] == "RESOURCE"
    assert guests["mailto:carl@example.net"]["ROLE"] == "OPT-PARTICIPANT"
    assert guests["mailto:carl@example.net"]["PARTSTAT"] == "NEEDS-ACTION"


def test_no_line_is_longer_than_75_bytes_and_none_is_cut_within_a_character() -> None:
    lines = told(**FULL).encode().split(b"\r\n")
    assert max(map(len, lines)) <= 75
    for line in lines:
        line.decode()


def test_what_others_wrote_can_start_no_line_of_its_own() -> None:
    ics = told(
        **event("e", summary="x\r\nATTENDEE:mailto:evil@example.net", location="y\nEND:VEVENT"),
        organizer={"email": "a@b.example\r\nX-EVIL:1", "displayName": "z\r\nX-EVIL:1"},
        htmlLink="https://x.example/\r\nX-EVIL:1",
        hangoutLink="https://x.example/\nX-EVIL:1",
        recurrence=["RRULE:FREQ=DAILY;COUNT=2\r\nX-EVIL:1", "X-EVIL:1"],
        iCalUID="u\r\nX-EVIL:1",
    )
    names = {line.partition(":")[0].partition(";")[0] for line in ics.split("\r\n") if line and line[0] != " "}
    assert not names & {"X-EVIL", "ATTENDEE"}
    assert ics.split("\r\n").count("END:VEVENT") == 1


def test_a_day_stays_a_day() -> None:
    days = {"start": {"date": "2026-12-24"}, "end": {"date": "2026-12-27"}}
    read_back = component(told(summary="Christmas", **days))
    assert (read_back["DTSTART"].dt, read_back["DTEND"].dt) == (date(2026, 12, 24), date(2026, 12, 27))


@pytest.mark.parametrize(
    ("zone", "expected"),
    [
        pytest.param("America/New_York", "DTSTART;TZID=America/New_York:20260303T030000", id="another zone"),
        pytest.param(None, "DTSTART;TZID=Europe/Berlin:20260303T090000", id="the calendar's own"),
        pytest.param("UTC", "DTSTART:20260303T080000Z", id="UTC"),
        pytest.param("GMT+01:00", "DTSTART:20260303T080000Z", id="a zone that nobody knows"),
        pytest.param("../../etc/passwd", "DTSTART:20260303T080000Z", id="no zone at all"),
    ],
)
def test_times_keep_their_zone_and_never_become_naive(zone: str | None, expected: str) -> None:
    start = {"dateTime": "2026-03-03T09:00:00+01:00", "timeZone": zone}
    lines = told(**event("e") | {"start": start}).split("\r\n")
    assert expected in lines


def test_days_of_a_series_are_left_out_and_moved_as_days() -> None:
    master = Event.model_validate(
        {
            "id": "s",
            "summary": "Off",
            "start": {"date": "2026-03-02"},
            "end": {"date": "2026-03-03"},
            "recurrence": ["RRULE:FREQ=DAILY;COUNT=4", "EXDATE;VALUE=DATE:20260305"],
        }
    )
    cancelled = Event.model_validate(
        {"id": "s_1", "status": "cancelled", "recurringEventId": "s", "originalStartTime": {"date": "2026-03-03"}}
    )
    shifted = Event.model_validate(
        {
            "id": "s_2",
            "summary": "Later",
            "recurringEventId": "s",
            "originalStartTime": {"date": "2026-03-04"},
            "start": {"date": "2026-03-10"},
            "end": {"date": "2026-03-11"},
        }
    )
    ics = ics_of(Item(ref="s", master=master, exceptions=(cancelled, shifted)), "Europe/Berlin")
    found = recurring_ical_events.of(icalendar.Calendar.from_ical(ics)).between(date(2026, 1, 1), date(2027, 1, 1))
    assert sorted((one["DTSTART"].dt, str(one["SUMMARY"])) for one in found) == [
        (date(2026, 3, 2), "Off"),
        (date(2026, 3, 10), "Later"),
    ]
