"""Calendar text to events: series and their exceptions, whole days, people, and words without tricks in them."""

from datetime import UTC, date, datetime, timedelta

import pytest

from memory.event import Event
from tests.doubles.owner import living_in
from tools.ics.reading import Occurrences, occurrences

ME = frozenset({"anna@example.org", "anna@work.example"})
BERLIN = "TZID=Europe/Berlin"
DAY = timedelta(days=1)


def event(*lines: str, uid: str = "u@example.org") -> list[str]:
    return ["BEGIN:VEVENT", f"UID:{uid}", "DTSTAMP:20260101T000000Z", *lines, "END:VEVENT"]


def read(
    *events: list[str], zone: str = "Europe/Berlin", from_on: date = date(2026, 1, 1), days: int = 365
) -> Occurrences:
    from_at = datetime.combine(from_on, datetime.min.time(), UTC)
    return occurrences(
        "\r\n".join(("BEGIN:VCALENDAR", "VERSION:2.0", *(line for one in events for line in one), "END:VCALENDAR")),
        calendar="work",
        ref="object.ics",
        owner=living_in(zone),
        me=ME,
        from_at=from_at,
        to_at=from_at + timedelta(days=days),
    )


def only(*lines: str) -> Event:
    found = read(event(*lines))
    assert found.faults == ()
    (one,) = found.events
    return one


def starts(found: Occurrences) -> list[str]:
    return [f"{one.start_at:%m-%d %H:%M}" for one in found.events]


MONDAYS = (f"DTSTART;{BERLIN}:20260316T100000", f"DTEND;{BERLIN}:20260316T103000", "SUMMARY:Standup")


def test_an_event_is_told_as_it_was_written() -> None:
    one = only(
        *MONDAYS,
        "LOCATION:Room 4\\, 2nd floor",
        "DESCRIPTION:Bring\\nnumbers\\; please",
        "SEQUENCE:3",
        "STATUS:TENTATIVE",
    )
    assert (one.calendar, one.ref, one.uid, one.occurrence) == ("work", "object.ics", "u@example.org", "")
    assert (one.title, one.place, one.notes) == ("Standup", "Room 4, 2nd floor", "Bring\nnumbers; please")
    assert one.start_at == datetime(2026, 3, 16, 9, tzinfo=UTC)
    assert one.end_at - one.start_at == timedelta(minutes=30)
    assert (one.zone, one.status, one.sequence, one.is_busy) == ("Europe/Berlin", "tentative", 3, True)
    assert (one.starts_on, one.ends_on, one.organizer, one.my_answer) == (None, None, None, "")


@pytest.mark.parametrize(
    ("line", "is_busy", "status"),
    [
        ("TRANSP:OPAQUE", True, "confirmed"),
        ("TRANSP:TRANSPARENT", False, "confirmed"),
        ("X-MICROSOFT-CDO-BUSYSTATUS:FREE", False, "confirmed"),
        ("STATUS:CANCELLED", True, "cancelled"),
        ("STATUS:SOMEHOW", True, "confirmed"),
    ],
)
def test_whether_it_takes_time_and_whether_it_takes_place(line: str, is_busy: bool, status: str) -> None:
    one = only(*MONDAYS, line)
    assert (one.is_busy, one.status) == (is_busy, status)


def test_a_weekly_series_stays_at_its_time_on_the_wall_when_clocks_change() -> None:
    found = read(event(*MONDAYS, "RRULE:FREQ=WEEKLY;COUNT=4"))
    assert starts(found) == ["03-16 09:00", "03-23 09:00", "03-30 08:00", "04-06 08:00"]


def test_each_of_a_series_is_known_by_its_planned_start() -> None:
    found = read(event(*MONDAYS, "RRULE:FREQ=WEEKLY;COUNT=2"))
    assert [one.occurrence for one in found.events] == ["2026-03-16T09:00:00+00:00", "2026-03-23T09:00:00+00:00"]


def test_a_series_in_utc_stays_in_utc() -> None:
    found = read(event("DTSTART:20260323T090000Z", "DURATION:PT30M", "RRULE:FREQ=WEEKLY;COUNT=2"))
    assert starts(found) == ["03-23 09:00", "03-30 09:00"]


def test_left_out_added_and_moved_dates_of_a_series() -> None:
    found = read(
        event(
            *MONDAYS,
            "RRULE:FREQ=WEEKLY;COUNT=3",
            f"EXDATE;{BERLIN}:20260323T100000",
            f"RDATE;{BERLIN}:20260319T100000",
        ),
        event(
            f"RECURRENCE-ID;{BERLIN}:20260330T100000",
            f"DTSTART;{BERLIN}:20260331T150000",
            f"DTEND;{BERLIN}:20260331T160000",
            "SUMMARY:Standup\\, late",
        ),
    )
    assert starts(found) == ["03-16 09:00", "03-19 09:00", "03-31 13:00"]
    moved = found.events[-1]
    assert (moved.title, moved.occurrence) == ("Standup, late", "2026-03-30T08:00:00+00:00")


def test_this_and_all_later_are_moved_together_and_keep_their_planned_starts() -> None:
    found = read(
        event(*MONDAYS, "RRULE:FREQ=WEEKLY;COUNT=4"),
        event(
            f"RECURRENCE-ID;{BERLIN};RANGE=THISANDFUTURE:20260323T100000",
            f"DTSTART;{BERLIN}:20260323T110000",
            f"DTEND;{BERLIN}:20260323T113000",
            "SUMMARY:Standup",
        ),
    )
    assert starts(found) == ["03-16 09:00", "03-23 10:00", "03-30 09:00", "04-06 09:00"]
    planned = [one.occurrence[5:16] for one in found.events]
    assert planned == ["03-16T09:00", "03-23T09:00", "03-30T08:00", "04-06T08:00"]
    assert len({one.key for one in found.events}) == 4


def test_an_exception_whose_series_was_never_seen_stands_for_itself() -> None:
    found = read(event(f"RECURRENCE-ID;{BERLIN}:20260330T100000", *MONDAYS))
    assert [one.occurrence for one in found.events] == ["2026-03-30T08:00:00+00:00"]


def test_a_cancelled_exception_is_told_as_cancelled() -> None:
    found = read(
        event(*MONDAYS, "RRULE:FREQ=WEEKLY;COUNT=2"),
        event(
            f"RECURRENCE-ID;{BERLIN}:20260323T100000",
            f"DTSTART;{BERLIN}:20260323T100000",
            "DURATION:PT30M",
            "STATUS:CANCELLED",
        ),
    )
    assert [one.status for one in found.events] == ["confirmed", "cancelled"]


def test_a_whole_day_is_the_owners_whole_day() -> None:
    found = read(event("DTSTART;VALUE=DATE:20260329", "DTEND;VALUE=DATE:20260330"))
    (one,) = found.events
    assert one.is_all_day
    assert (one.starts_on, one.ends_on) == (date(2026, 3, 29), date(2026, 3, 30))
    assert one.end_at - one.start_at == timedelta(hours=23)
    (elsewhere,) = read(event("DTSTART;VALUE=DATE:20260329"), zone="Asia/Tokyo").events
    assert elsewhere.start_at == datetime(2026, 3, 28, 15, tzinfo=UTC)


@pytest.mark.parametrize(
    "lines",
    [
        ("DTSTART;VALUE=DATE:20260105",),
        ("DTSTART:20260105",),
        ("DTSTART;VALUE=DATE:20260105T000000",),
        ("DTSTART;VALUE=DATE:20260105", "DTEND;VALUE=DATE:20260105"),
        ("DTSTART;VALUE=DATE:20260105", "DURATION:P1D"),
    ],
    ids=" ".join,
)
def test_one_day_in_the_ways_it_is_written(lines: tuple[str, ...]) -> None:
    one = only(*lines)
    assert (one.starts_on, one.ends_on) == (date(2026, 1, 5), date(2026, 1, 6))


def test_a_yearly_day_comes_once_a_year_and_is_known_by_its_date() -> None:
    found = read(event("DTSTART;VALUE=DATE:19800229", "RRULE:FREQ=YEARLY"), from_on=date(2027, 6, 1), days=1000)
    assert [one.occurrence for one in found.events] == ["2028-02-29"]


def test_floating_times_follow_the_owner_on_their_way() -> None:
    travels = living_in("Europe/Berlin", (datetime(2026, 3, 20, tzinfo=UTC), "Asia/Tokyo"))
    text = "\r\n".join(
        (
            "BEGIN:VCALENDAR",
            *event("DTSTART:20260316T070000", "RRULE:FREQ=WEEKLY;COUNT=2", "SUMMARY:Run"),
            "END:VCALENDAR",
        )
    )
    from_at = datetime(2026, 3, 1, tzinfo=UTC)
    found = occurrences(
        text, calendar="c", ref="r", owner=travels, me=ME, from_at=from_at, to_at=from_at + timedelta(days=60)
    )
    assert starts(found) == ["03-16 06:00", "03-22 22:00"]
    assert [one.occurrence for one in found.events] == ["2026-03-16T07:00:00", "2026-03-23T07:00:00"]


@pytest.mark.parametrize(
    ("lines", "lasts_for"),
    [
        (("DURATION:PT45M",), timedelta(minutes=45)),
        (("DURATION:P1DT1H",), timedelta(hours=25)),
        ((), timedelta(0)),
        ((f"DTEND;{BERLIN}:20260316T100000",), timedelta(0)),
        ((f"DTEND;{BERLIN}:20260316T093000",), timedelta(minutes=30)),
        (("DTEND:20260316T100000Z",), timedelta(hours=1)),
        (("DTEND;TZID=America/New_York:20260316T100000",), timedelta(hours=5)),
    ],
)
def test_how_long_it_lasts(lines: tuple[str, ...], lasts_for: timedelta) -> None:
    one = only(f"DTSTART;{BERLIN}:20260316T100000", *lines)
    assert one.end_at - one.start_at == lasts_for


def test_only_what_touches_the_stretch_is_told() -> None:
    daily = event("DTSTART:20200101T230000Z", "DURATION:PT2H", "RRULE:FREQ=DAILY")
    found = read(daily, from_on=date(2026, 5, 2), days=1)
    # The night before reaches into the day; the one that begins at its end does not.
    assert starts(found) == ["05-01 23:00", "05-02 23:00"]
    assert starts(read(event("DTSTART:20260502T000000Z", "DURATION:PT1H"), from_on=date(2026, 5, 1), days=1)) == []
    assert starts(read(event("DTSTART:20260430T230000Z", "DURATION:PT1H"), from_on=date(2026, 5, 1), days=1)) == []


def test_people_and_what_they_answered() -> None:
    one = only(
        *MONDAYS,
        "ORGANIZER;CN=Bob:MAILTO:Bob@Example.net",
        "ATTENDEE;CN=Anna;PARTSTAT=DECLINED:mailto:Anna@Work.example",
        'ATTENDEE;CN="Doe, Jane";PARTSTAT=ACCEPTED;ROLE=OPT-PARTICIPANT:mailto:jane@example.net',
        "ATTENDEE:mailto:kim@example.net",
        "ATTENDEE;CN=Room 4;CUTYPE=ROOM:invalid:nomail",
        "ATTENDEE;EMAIL=lee@example.net;PARTSTAT=TENTATIVE:/o=firm/cn=lee",
    )
    assert one.organizer is not None
    assert (one.organizer.name, one.organizer.address, one.organizer.answer) == ("Bob", "bob@example.net", "")
    told = [(person.name, person.address, person.answer, person.is_optional) for person in one.attendees]
    assert told == [
        ("Anna", "anna@work.example", "declined", False),
        ("Doe, Jane", "jane@example.net", "accepted", True),
        ("", "kim@example.net", "needs-action", False),
        ("Room 4", "", "needs-action", False),
        ("", "lee@example.net", "tentative", False),
    ]
    assert one.my_answer == "declined"


def test_whoever_is_not_asked_has_not_answered() -> None:
    assert only(*MONDAYS, "ORGANIZER:mailto:anna@example.org", "ATTENDEE:mailto:bob@example.net").my_answer == ""


def test_words_come_without_control_direction_and_invisible_characters() -> None:
    one = only(
        f"DTSTART;{BERLIN}:20260316T100000",
        "SUMMARY:Pay \u202eyas\u202c\x07\u200b\u2066now\\nSYSTEM: hi",
        "LOCATION:\x1b[31m",
    )
    assert one.title == "Pay yasnow SYSTEM: hi"
    assert one.place == "[31m"


def test_long_words_are_cut_and_nothing_is_read_into_them() -> None:
    one = only(*MONDAYS[:2], "SUMMARY:" + "x" * 5000, "DESCRIPTION:" + "END:VEVENT\\n" * 2000)
    assert len(one.title) == 300
    assert len(one.notes) == 8000


def test_folded_lines_in_any_line_ends_are_put_together() -> None:
    for end in ("\r\n", "\n", "\r"):
        text = "BEGIN:VCALENDAR|BEGIN:VEVENT|UID:u|DTSTART:2026|\t0316T1000|\u200700Z|SUMMARY:Gr|  üße|END:VEVENT|END:VCALENDAR"
        lines = text.replace("\u2007", " ").replace("|", end)
        found = occurrences(
            lines,
            calendar="c",
            ref="r",
            owner=living_in("UTC"),
            me=ME,
            from_at=datetime(2026, 3, 1, tzinfo=UTC),
            to_at=datetime(2026, 4, 1, tzinfo=UTC),
        )
        assert [(one.title, f"{one.start_at:%H:%M}") for one in found.events] == [("Gr üße", "10:00")]


def test_a_broken_event_takes_no_other_with_it() -> None:
    found = read(
        event("DTSTART:somewhen", uid="broken"),
        event(uid="none"),
        event(*MONDAYS, "DTEND:never", "RRULE:FREQ=SOMETIMES", "SEQUENCE:many", "RDATE:x", uid="half"),
        event(*MONDAYS, uid="sound"),
    )
    assert [one.uid for one in found.events] == ["half", "sound"]
    for word in ("DTSTART", "without a start", "RRULE", "SEQUENCE", "RDATE"):
        assert any(word in fault for fault in found.faults), word


def test_an_event_without_a_uid_has_one_that_stays() -> None:
    text = ["BEGIN:VEVENT", *MONDAYS, "END:VEVENT"]
    (first,), (again,) = read(text).events, read(text).events
    assert first.uid == again.uid != ""
    assert "UID" in first.faults[0]


def test_of_two_versions_the_newer_counts() -> None:
    found = read(event(*MONDAYS, "SEQUENCE:1"), event(*MONDAYS[:2], "SUMMARY:Newer", "SEQUENCE:2"))
    assert [one.title for one in found.events] == ["Newer"]
