"""Calendar text to send: the same bytes for the same value, and read back by two readers as what was meant."""

from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any

import icalendar
import pytest

from memory.errors import BadInput
from tests.doubles.owner import living_in
from tools.ics.invitation import read_invitation
from tools.ics.writing import Meeting, Person, cancel, counter, reply, request

AT = datetime(2026, 3, 1, 12, 30, 5, 999, tzinfo=UTC)
BOB, ANNA = Person("bob@example.net", "Bob Example"), Person("anna@example.org", "Anna")
MEETING = Meeting(
    uid="m1@example.net",
    organizer=BOB,
    guests=(ANNA, Person("kim@example.net", 'Kim "K", Jr.')),
    sequence=2,
    title="Plan; the next, big thing",
    place="Room 4",
    start_at=datetime(2026, 3, 16, 9, tzinfo=UTC),
    end_at=datetime(2026, 3, 16, 10, tzinfo=UTC),
    zone="Europe/Berlin",
)
OWNER = living_in("Asia/Tokyo")


def read(text: bytes) -> Any:
    found = read_invitation(text.decode(), owner=OWNER)
    assert found is not None
    assert found.faults == ()
    return found


def second_reader(text: bytes) -> Any:
    whole = icalendar.Calendar.from_ical(text)
    (event,) = whole.walk("VEVENT")
    return whole, event


def lines(text: bytes) -> list[str]:
    return text.decode().replace("\r\n ", "").split("\r\n")


def test_a_reply_carries_the_answer_of_one_to_the_organizer() -> None:
    text = reply(MEETING, me=ANNA, answer="accepted", comment="See you there", at=AT)
    found = read(text)
    assert (found.method, found.uid, found.sequence, found.comment) == ("reply", "m1@example.net", 2, "See you there")
    assert [(one.address, one.answer) for one in found.attendees] == [("anna@example.org", "accepted")]
    assert found.organizer.address == "bob@example.net"
    assert found.start_at == MEETING.start_at
    assert "DTSTAMP:20260301T123005Z" in lines(text)


@pytest.mark.parametrize("answer", ["accepted", "declined", "tentative"])
def test_each_answer_is_spelt(answer: Any) -> None:
    assert f"PARTSTAT={answer.upper()}" in reply(MEETING, me=ANNA, answer=answer, at=AT).decode()


def test_a_request_asks_every_guest() -> None:
    found = read(request(MEETING, at=AT))
    assert found.method == "request"
    assert [(one.name, one.address, one.answer) for one in found.attendees] == [
        ("Anna", "anna@example.org", "needs-action"),
        ('Kim "K", Jr.', "kim@example.net", "needs-action"),
    ]
    assert (found.title, found.place, found.zone) == (MEETING.title, "Room 4", "Europe/Berlin")


def test_a_cancellation_says_so_twice() -> None:
    text = cancel(replace(MEETING, sequence=3), comment="Sorry", at=AT)
    found = read(text)
    assert (found.method, found.sequence, found.comment) == ("cancel", 3, "Sorry")
    assert "STATUS:CANCELLED" in lines(text)


def test_a_counter_proposes_other_times_for_the_same_version() -> None:
    later = replace(
        MEETING, start_at=datetime(2026, 3, 17, 9, tzinfo=UTC), end_at=datetime(2026, 3, 17, 10, tzinfo=UTC)
    )
    found = read(counter(later, me=ANNA, comment="A day later?", at=AT))
    assert (found.method, found.sequence, found.start_at) == ("counter", 2, later.start_at)
    assert [one.address for one in found.attendees] == ["anna@example.org"]


@pytest.mark.parametrize("write", [request, cancel])
def test_the_same_meeting_gives_the_same_bytes(write: Any) -> None:
    assert write(MEETING, at=AT) == write(replace(MEETING), at=AT)
    assert write(MEETING, at=AT) != write(replace(MEETING, title="Other"), at=AT)


def test_the_zone_is_defined_in_the_text_and_agrees_with_the_times() -> None:
    series = replace(MEETING, rule="FREQ=WEEKLY;BYDAY=MO;COUNT=4")
    text = request(series, at=AT)
    assert "DTSTART;TZID=Europe/Berlin:20260316T100000" in lines(text)
    # A reader that knows no zone by its name works the summer out from the definition alone.
    nameless = text.decode().replace("Europe/Berlin", "Somewhere")
    found = read_invitation(nameless, owner=OWNER)
    assert found is not None
    assert found.start_at == series.start_at
    whole, event = second_reader(text)
    assert len(whole.walk("VTIMEZONE")) == 1
    assert event["DTSTART"].dt.astimezone(UTC) == series.start_at


def test_times_in_utc_need_no_definition() -> None:
    text = request(replace(MEETING, zone=""), at=AT)
    assert b"VTIMEZONE" not in text
    assert "DTSTART:20260316T090000Z" in lines(text)


def test_whole_days_are_dates() -> None:
    days = replace(MEETING, start_at=None, end_at=None, starts_on=date(2026, 3, 16), ends_on=date(2026, 3, 18))
    found = read(request(days, at=AT))
    assert (found.starts_on, found.ends_on) == (date(2026, 3, 16), date(2026, 3, 18))
    assert b"VTIMEZONE" not in request(days, at=AT)


@pytest.mark.parametrize(
    ("occurrence", "line"),
    [
        ("2026-03-23T09:00:00+00:00", "RECURRENCE-ID;TZID=Europe/Berlin:20260323T100000"),
        ("2026-03-23T09:00:00", "RECURRENCE-ID:20260323T090000"),
        ("2026-03-23", "RECURRENCE-ID;VALUE=DATE:20260323"),
    ],
)
def test_one_of_a_series_is_named_by_its_planned_start(occurrence: str, line: str) -> None:
    assert line in lines(reply(replace(MEETING, occurrence=occurrence), me=ANNA, answer="declined", at=AT))


def test_no_line_can_be_slipped_in() -> None:
    evil = "x\r\nATTENDEE:mailto:evil@example.com\r\nX:"
    meeting = replace(MEETING, title=evil, place=evil, notes=evil, organizer=Person("bob@example.net", evil))
    text = request(meeting, comment=evil, at=AT)
    assert len([line for line in lines(text) if line.startswith("ATTENDEE")]) == 2
    assert {one.address for one in read(text).attendees} == {"anna@example.org", "kim@example.net"}
    assert not [line for line in lines(text) if line.startswith("X:")]


def test_names_are_written_without_characters_that_hide_something() -> None:
    text = request(replace(MEETING, organizer=Person("bob@example.net", "Bob\u202egro.elpmaxe\u200b")), at=AT)
    assert "CN=Bobgro.elpmaxe:" in text.decode().replace("\r\n ", "")


def test_no_line_is_longer_than_readers_take() -> None:
    text = request(replace(MEETING, notes="Grüße und viele Worte " * 100), at=AT)
    assert max(len(line) for line in text.split(b"\r\n")) <= 75


@pytest.mark.parametrize(
    "given",
    [
        pytest.param({"start_at": None}, id="no start"),
        pytest.param({"end_at": datetime(2026, 3, 16, 8, tzinfo=UTC)}, id="an end before its start"),
        pytest.param({"starts_on": date(2026, 3, 16), "ends_on": date(2026, 3, 17)}, id="times and days"),
        pytest.param({"zone": "Mordor"}, id="no zone"),
        pytest.param({"zone": "europe/berlin"}, id="a zone in other letters"),
        pytest.param({"rule": "FREQ=NEVER"}, id="no rule"),
        pytest.param({"occurrence": "Monday"}, id="no planned start"),
    ],
)
def test_half_a_meeting_is_refused(given: dict[str, Any]) -> None:
    with pytest.raises(BadInput):
        replace(MEETING, **given)


@pytest.mark.parametrize(
    "address", ["", "bob", "bob@", "a@b@c", "mailto:bob@example.net", "bob@example.net\r\nX:y", "b ob@x"]
)
def test_an_address_that_is_none_is_refused(address: str) -> None:
    with pytest.raises(BadInput):
        Person(address)
