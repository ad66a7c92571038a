"""The calendar part of a mail as an invitation."""

from datetime import UTC, date, datetime, time

import pytest

from memory.invitation import Invitation
from memory.rulewords import in_words
from tests.doubles.owner import living_in
from tools.ics.invitation import read_invitation

OWNER = living_in("Europe/Berlin")
TIMES = ("DTSTART;TZID=W. Europe Standard Time:20260316T100000", "DTEND;TZID=W. Europe Standard Time:20260316T110000")


def part(*lines: str, method: str = "REQUEST") -> str:
    head = ["BEGIN:VCALENDAR", f"METHOD:{method}", "VERSION:2.0", "BEGIN:VEVENT", "UID:m1", "SUMMARY:Plan"]
    return "\r\n".join((*head, *lines, "END:VEVENT", "END:VCALENDAR", ""))


def read(*lines: str, method: str = "REQUEST") -> Invitation:
    found = read_invitation(part(*lines, method=method), owner=OWNER)
    assert found is not None
    return found


def test_a_request_says_who_asks_whom_to_what_and_when() -> None:
    found = read(
        *TIMES,
        "SEQUENCE:2",
        "LOCATION:Room 4",
        'ORGANIZER;CN=Bob;SENT-BY="mailto:Kim@Example.net":mailto:bob@example.net',
        "ATTENDEE;CN=Anna;PARTSTAT=NEEDS-ACTION:mailto:anna@example.org",
        "COMMENT:Please come",
    )
    assert (found.method, found.uid, found.sequence, found.title, found.place) == ("request", "m1", 2, "Plan", "Room 4")
    assert (found.start_at, found.end_at) == (
        datetime(2026, 3, 16, 9, tzinfo=UTC),
        datetime(2026, 3, 16, 10, tzinfo=UTC),
    )
    assert (found.zone, found.repeats, found.recurrence, found.comment) == ("Europe/Berlin", False, None, "Please come")
    assert found.organizer is not None
    assert (found.organizer.name, found.organizer.address, found.sent_by) == (
        "Bob",
        "bob@example.net",
        "kim@example.net",
    )
    assert [one.address for one in found.attendees] == ["anna@example.org"]


@pytest.mark.parametrize(
    "method", ["REQUEST", "CANCEL", "REPLY", "COUNTER", "PUBLISH", "ADD", "REFRESH", "DECLINECOUNTER"]
)
def test_the_method_is_kept(method: str) -> None:
    assert read(*TIMES, method=method.title()).method == method.lower()


@pytest.mark.parametrize(
    "text", ["", "hello", part(*TIMES, method="PAY"), part(), part("DTSTART:soon"), "METHOD:REQUEST"]
)
def test_what_asks_nothing_is_no_invitation(text: str) -> None:
    assert read_invitation(text, owner=OWNER) is None


def test_a_cancellation_needs_no_time() -> None:
    found = read("SEQUENCE:1", method="CANCEL")
    assert (found.uid, found.start_at, found.end_at, found.zone) == ("m1", None, None, "")


def test_one_of_a_series_is_known_by_its_planned_start() -> None:
    found = read("RECURRENCE-ID;TZID=Europe/Berlin:20260323T100000", *TIMES)
    assert found.occurrence == "2026-03-23T09:00:00+00:00"
    assert not found.repeats


def test_of_a_series_with_exceptions_the_series_is_read() -> None:
    exception = "\r\n".join(("BEGIN:VEVENT", "UID:m1", "RECURRENCE-ID:20260323T090000Z", *TIMES, "END:VEVENT"))
    text = part(*TIMES, "RRULE:FREQ=WEEKLY").replace("BEGIN:VEVENT", f"{exception}\r\nBEGIN:VEVENT", 1)
    found = read_invitation(text, owner=OWNER)
    assert found is not None
    assert (found.occurrence, found.repeats) == ("", True)


@pytest.mark.parametrize(
    ("rule", "english", "german"),
    [
        ("FREQ=WEEKLY", "every Monday at 10:00", "jeden Montag um 10:00"),
        ("FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,TH", "every 2 weeks on Monday and Thursday at 10:00", None),
        ("FREQ=MONTHLY;BYDAY=-1FR", "every month on the last Friday at 10:00", None),
        ("FREQ=DAILY;BYDAY=MO,TU,WE,TH,FR", "every weekday at 10:00", "jeden Werktag um 10:00"),
    ],
)
def test_a_series_in_our_own_words(rule: str, english: str, german: str | None) -> None:
    found = read(*TIMES, f"RRULE:{rule}")
    assert found.recurrence is not None
    assert in_words(found.recurrence, "en") == english
    assert german is None or in_words(found.recurrence, "de") == german


@pytest.mark.parametrize("rule", ["FREQ=SECONDLY", "FREQ=YEARLY;BYWEEKNO=7", "FREQ=DAILY;BYHOUR=9,17", "FREQ=NEVER"])
def test_a_rule_beyond_our_words_has_none(rule: str) -> None:
    assert read(*TIMES, f"RRULE:{rule}").recurrence is None


def test_the_rule_of_a_whole_day_has_no_time() -> None:
    found = read("DTSTART;VALUE=DATE:20260316", "RRULE:FREQ=WEEKLY;UNTIL=20260601")
    assert (found.starts_on, found.ends_on) == (date(2026, 3, 16), date(2026, 3, 17))
    assert found.recurrence is not None
    assert (found.recurrence.at, found.recurrence.until) == (None, date(2026, 6, 1))
    timed = read(*TIMES, "RRULE:FREQ=WEEKLY").recurrence
    assert timed is not None
    assert timed.at == time(10)


def test_what_is_odd_about_its_times_is_said() -> None:
    assert "not known" in read("DTSTART;TZID=Mordor:20260316T100000").faults[0]
