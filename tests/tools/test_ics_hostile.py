"""Calendar text that is meant to harm, or is none: it ends soon, raises nothing, and says what it left out."""

from datetime import UTC, datetime, timedelta
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.doubles.owner import living_in
from tools.ics.invitation import read_invitation
from tools.ics.reading import Occurrences, occurrences

OWNER = living_in("Europe/Berlin")
FROM = datetime(2026, 1, 1, tzinfo=UTC)

SOON_SECONDS = 5.0
"""Of the processor, which others may share. Each takes less than a fifth of a second where nothing else runs; without the
limits they take minutes, or for ever."""


def read(text: str) -> Occurrences:
    return occurrences(
        text, calendar="c", ref="r", owner=OWNER, me=frozenset(), from_at=FROM, to_at=FROM + timedelta(days=60)
    )


def event(*lines: str, head: str = "") -> str:
    start = () if any(line.startswith("DTSTART") for line in lines) else ("DTSTART:20260105T100000Z", "DURATION:PT1H")
    body = "\r\n".join(("BEGIN:VEVENT", "UID:u", *start, *lines, "END:VEVENT"))
    return f"BEGIN:VCALENDAR\r\n{head}{body}\r\nEND:VCALENDAR\r\n"


def minutes(count: int) -> list[str]:
    start = datetime(2026, 1, 5)
    return [f"{start + timedelta(minutes=number):%Y%m%dT%H%M%SZ}" for number in range(count)]


RUBBISH_ZONE = (
    "BEGIN:VTIMEZONE\r\nTZID:Z\r\n"
    + "BEGIN:STANDARD\r\nDTSTART:19700101T000000\r\nTZOFFSETTO:+0200\r\nRRULE:FREQ=SECONDLY\r\nEND:STANDARD\r\n" * 500
    + "END:VTIMEZONE\r\n"
)
OLD = "DTSTART:19700101T100000Z"

CASES = {
    "a rule every second for ever": event("RRULE:FREQ=SECONDLY"),
    "the same since 1970": event(OLD, "RRULE:FREQ=SECONDLY"),
    "a rule that never comes": event(OLD, "RRULE:FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30"),
    "a rule that counts for ever": event("DTSTART:00010101T000000Z", "RRULE:FREQ=DAILY;COUNT=99999999"),
    "a rule with all times of all days": event(
        OLD,
        f"RRULE:FREQ=YEARLY;BYDAY=MO,TU;BYHOUR={','.join(map(str, range(24)))};BYMINUTE={','.join(map(str, range(60)))}",
    ),
    "ten thousand dates in a line": event("RDATE:" + ",".join(minutes(10_000))),
    "ten thousand lines of a date": event(*(f"RDATE:{text}" for text in minutes(10_000))),
    "ten thousand dates left out": event("RRULE:FREQ=DAILY", "EXDATE:" + ",".join(minutes(10_000))),
    "five hundred series of every second": event().replace(
        event(),
        "BEGIN:VCALENDAR\r\n"
        + "".join(
            f"BEGIN:VEVENT\r\nUID:{n}\r\n{OLD}\r\nRRULE:FREQ=SECONDLY;BYMONTHDAY=30;BYMONTH=2\r\nEND:VEVENT\r\n"
            for n in range(1000)
        )
        + "END:VCALENDAR\r\n",
    ),
    "a thousand exceptions for all later times": "BEGIN:VCALENDAR\r\n"
    + "".join(
        f"BEGIN:VEVENT\r\nUID:u\r\nRECURRENCE-ID;RANGE=THISANDFUTURE:{text}\r\nDTSTART:{text}\r\nEND:VEVENT\r\n"
        for text in minutes(1000)
    )
    + "BEGIN:VEVENT\r\nUID:u\r\nDTSTART:20260105T000000Z\r\nRRULE:FREQ=MINUTELY\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n",
    "a zone that changes every second": event("DTSTART;TZID=Z:20260105T100000", "RRULE:FREQ=DAILY", head=RUBBISH_ZONE),
    "thousands of zones": event(*(f"RDATE;TZID=Q{number}:20260105T100000" for number in range(5000))),
    "a name of a zone that is a hundred thousand parts": event("DTSTART;TZID=/" + "a/" * 100_000 + ":20260105T100000"),
    "thousands of guests": event(*(f"ATTENDEE;CN=G:mailto:g{number}@example.org" for number in range(20_000))),
    "a guest with a hundred thousand parameters": event("ATTENDEE" + ";A=B" * 100_000 + ":mailto:g@example.org"),
    "a title of a megabyte": event("SUMMARY:" + "\u202e" * 500_000 + "x" * 500_000),
    "a million folds": event("SUMMARY:" + "\r\n x" * 300_000),
    "blocks in blocks": "BEGIN:VCALENDAR\r\n" + "BEGIN:VEVENT\r\nBEGIN:X\r\n" * 100_000,
    "ends without a beginning": "BEGIN:VCALENDAR\r\n" + "END:VEVENT\r\n" * 200_000,
    "a length of ten thousand years": event(OLD, "DURATION:P3650000D", "RRULE:FREQ=DAILY"),
    "numbers of a hundred thousand digits": event(
        f"SEQUENCE:{'9' * 100_000}", f"RRULE:FREQ=DAILY;COUNT={'9' * 100_000}"
    ),
    "the last moment there is": event("DTSTART:99991231T235959Z", "RRULE:FREQ=SECONDLY"),
    "the first moment there is": event("DTSTART;TZID=Asia/Tokyo:00010101T000000", "RRULE:FREQ=DAILY"),
}


@pytest.mark.parametrize("text", CASES.values(), ids=CASES.keys())
def test_it_ends_soon_with_a_few_hundred_events_at_most(text: str) -> None:
    began = process_time()
    found = read(text)
    assert process_time() - began < SOON_SECONDS
    assert len(found.events) <= 500
    read_invitation(text.replace("BEGIN:VCALENDAR", "BEGIN:VCALENDAR\r\nMETHOD:REQUEST", 1), owner=OWNER)
    assert process_time() - began < 2 * SOON_SECONDS


@pytest.mark.parametrize(
    "case",
    [
        "a rule every second for ever",
        "a rule that never comes",
        "a rule that counts for ever",
        "a rule with all times of all days",
        "ten thousand dates in a line",
        "ten thousand lines of a date",
        "ten thousand dates left out",
        "five hundred series of every second",
        "thousands of zones",
        "thousands of guests",
        "blocks in blocks",
        "a length of ten thousand years",
    ],
)
def test_what_was_left_out_is_said(case: str) -> None:
    assert read(CASES[case]).faults


def test_every_second_begins_with_the_first_second_of_the_stretch() -> None:
    found = read(CASES["the same since 1970"])
    assert found.events[0].start_at == FROM
    assert len(found.events) == 400


def test_what_belongs_to_an_event_is_kept_though_files_hang_in_it() -> None:
    text = event("ATTACH;ENCODING=BASE64;VALUE=BINARY:" + "\r\n ".join(["A" * 74] * 40_000), "SUMMARY:Kept")
    found = read(text)
    assert [one.title for one in found.events] == ["Kept"]
    assert found.faults == ()


LINES = st.sampled_from(
    [
        *("BEGIN:VCALENDAR", "END:VCALENDAR", "BEGIN:VEVENT", "END:VEVENT", "BEGIN:VTIMEZONE", "END:VTIMEZONE"),
        *(
            "BEGIN:STANDARD",
            "END:STANDARD",
            "TZID:Z",
            "TZOFFSETTO:+0100",
            "UID:u",
            "UID:",
            "METHOD:REQUEST",
            "SEQUENCE:-1",
        ),
        *(
            "DTSTART:20260105T100000Z",
            "DTSTART:20260105",
            "DTSTART;TZID=Z:20260105T100000",
            "DTSTART:100000",
            "DTSTART:",
        ),
        *("DTEND:20260105", "DTEND:20250105T100000", "DURATION:-PT1H", "DURATION:P", "DURATION:20260105"),
        *(
            "RRULE:FREQ=DAILY",
            "RRULE:FREQ=WEEKLY;UNTIL=20260101",
            "RRULE:FREQ=MONTHLY;COUNT=3;BYDAY=-5SU",
            "RRULE:;;==",
        ),
        *("RDATE:20260106T100000/PT1H,20260107", "RDATE;VALUE=PERIOD:20260106T100000Z/20260105T100000Z", "RDATE:,,"),
        *(
            "EXDATE:20260105",
            "EXDATE;TZID=Z:20260106T100000",
            "RECURRENCE-ID:20260105T100000Z",
            "RECURRENCE-ID:20260106",
        ),
        *("RECURRENCE-ID;RANGE=THISANDFUTURE:20260106T100000", "ORGANIZER:", "ATTENDEE;CN=:mailto:", "ATTENDEE;=;:::"),
        *(
            "SUMMARY;LANGUAGE=de:x\\",
            "STATUS:",
            " folded",
            "\tfolded",
            "no colon",
            ":",
            ";",
            "X-WR-TIMEZONE:Z",
            "DTSTART;;;=",
        ),
    ]
)


@given(st.lists(LINES, max_size=40), st.sampled_from(["\r\n", "\n"]))
@settings(max_examples=400, deadline=None, derandomize=True)
def test_no_order_of_lines_raises(lines: list[str], end: str) -> None:
    text = end.join(lines)
    whole = end.join(["BEGIN:VCALENDAR", "METHOD:REQUEST", "BEGIN:VEVENT", *lines, "END:VEVENT", "END:VCALENDAR"])
    for one in (text, whole):
        for event_read in read(one).events:
            assert event_read.start_at.tzinfo is not None
            assert event_read.start_at <= event_read.end_at
        read_invitation(one, owner=OWNER)


@given(st.text(max_size=300))
@settings(max_examples=200, deadline=None, derandomize=True)
def test_no_text_raises(text: str) -> None:
    read(text)
    read(event("SUMMARY:" + text, text, "DTEND:" + text, "RRULE:" + text, "RDATE;TZID=" + text, "ATTENDEE;CN=" + text))
    read(event(f"DTSTART;TZID={text}:20260105T100000", text))
    read_invitation(f"BEGIN:VCALENDAR\nMETHOD:{text}\n{event(text)}", owner=OWNER)


@pytest.mark.parametrize(
    ("start", "lines"),
    [
        (";VALUE=DATE:99991231", ["RECURRENCE-ID:00010101T000000Z"]),
        (":20260105", ["RECURRENCE-ID:00010101T000000Z", "DURATION:P999999999D"]),
    ],
)
def test_an_exception_that_ends_beyond_the_calendar_raises_nothing(start: str, lines: list[str]) -> None:
    assert read(event(f"DTSTART{start}", *lines)).faults


@pytest.mark.parametrize(
    "text", ["", "\x00", "\ud800", "BEGIN:VCALENDAR", "<html><body>Sign in</body></html>", "\ufeff" * 9]
)
def test_what_is_no_calendar_holds_nothing_and_says_so(text: str) -> None:
    found = read(text)
    assert found.events == ()
    assert found.faults
