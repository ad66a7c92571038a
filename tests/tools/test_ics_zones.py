"""Time zones of calendars: whatever they are called, no time loses its zone, and none takes another calendar's."""

from datetime import UTC, datetime

import pytest

from tests.doubles.owner import living_in
from tools.ics.reading import Occurrences, occurrences
from tools.ics.zones import zone_name

OWNER = living_in("Europe/Berlin")


def definition(name: str, offset: str, *more: str, summer: str = "") -> list[str]:
    """A VTIMEZONE with winter and, if given, summer as in the European Union."""
    lines = ["BEGIN:VTIMEZONE", f"TZID:{name}", *more]
    lines += ["BEGIN:STANDARD", "DTSTART:16010101T030000", f"TZOFFSETFROM:{summer or offset}", f"TZOFFSETTO:{offset}"]
    lines += ["RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10"] if summer else []
    lines += ["END:STANDARD"]
    if summer:
        lines += ["BEGIN:DAYLIGHT", "DTSTART:16010101T020000", f"TZOFFSETFROM:{offset}", f"TZOFFSETTO:{summer}"]
        lines += ["RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3", "END:DAYLIGHT"]
    return [*lines, "END:VTIMEZONE"]


def read(start: str, *zone: str, head: tuple[str, ...] = (), more: tuple[str, ...] = ()) -> Occurrences:
    lines = ["BEGIN:VCALENDAR", *head, *zone, "BEGIN:VEVENT", "UID:a@example.org", "SUMMARY:Talk", start]
    return occurrences(
        "\r\n".join((*lines, "DURATION:PT1H", *more, "END:VEVENT", "END:VCALENDAR")),
        calendar="c",
        ref="r",
        owner=OWNER,
        me=frozenset(),
        from_at=datetime(2026, 1, 1, tzinfo=UTC),
        to_at=datetime(2026, 12, 31, tzinfo=UTC),
    )


def start_of(*given: str, **more: tuple[str, ...]) -> str:
    found = read(*given, **more)
    (event,) = found.events
    assert found.faults == ()
    return f"{event.start_at:%m-%d %H:%M}"


@pytest.mark.parametrize(
    ("name", "zone"),
    [
        ("Europe/Berlin", "Europe/Berlin"),
        ("europe/berlin", "Europe/Berlin"),
        ("/Europe/Berlin", "Europe/Berlin"),
        ("/freeassociation.sourceforge.net/Tzfile/Europe/Berlin", "Europe/Berlin"),
        ("/mozilla.org/20050126_1/America/Argentina/Buenos_Aires", "America/Argentina/Buenos_Aires"),
        ("W. Europe Standard Time", "Europe/Berlin"),
        ("Eastern Standard Time", "America/New_York"),
        ("tzone://Microsoft/Utc", "UTC"),
        ("UTC", "UTC"),
        ("(UTC+01:00) Amsterdam, Berlin, Bern, Rome, Stockholm, Vienna", "Europe/Amsterdam"),
        ("(GMT+01.00) Nowhere, Vienna", "Europe/Vienna"),
        ("(UTC-05:00) Berlin", ""),
        ("Customized Time Zone", ""),
        ("../../etc/passwd", ""),
        ("", ""),
    ],
)
def test_the_zone_that_a_name_means(name: str, zone: str) -> None:
    assert zone_name(name) == zone


@pytest.mark.parametrize(
    "start",
    [
        pytest.param("DTSTART;TZID=Europe/Berlin:20260302T100000", id="by the IANA's name"),
        pytest.param('DTSTART;TZID="Europe/Berlin":20260302T100000', id="in quotes"),
        pytest.param("DTSTART;TZID=W. Europe Standard Time:20260302T100000", id="by Microsoft's name"),
        pytest.param("DTSTART;TZID=(UTC+01:00) Amsterdam, Berlin, Bern:20260302T100000", id="with a colon, unquoted"),
        pytest.param(
            'DTSTART;VALUE=DATE-TIME;TZID="(UTC+01:00) Amsterdam, Berlin":20260302T100000', id="behind a value"
        ),
        pytest.param("DTSTART;TZID=Berlin:20260302T100000", id="by a city"),
        pytest.param("DTSTART;TZID=GMT+0100:20260302T100000", id="by an offset"),
        pytest.param("DTSTART;TZID=Europe/Berlin:20260302T090000Z", id="in UTC, whatever it names"),
        pytest.param("DTSTART:20260302T090000Z", id="in UTC"),
        pytest.param("DTSTART:20260302T100000", id="floating: on the owner's clock"),
    ],
)
def test_ten_in_berlin_is_nine_in_utc_however_it_is_written(start: str) -> None:
    assert start_of(start) == "03-02 09:00"


def test_a_zone_that_only_the_calendar_knows_is_taken_from_its_definition() -> None:
    zone = definition("Office", "+0530")
    assert start_of("DTSTART;TZID=Office:20260302T100000", *zone) == "03-02 04:30"


def test_a_definition_has_summer_and_winter() -> None:
    zone = definition("Camp", "-0330", summer="-0230")
    found = read("DTSTART;TZID=Camp:20260301T100000", *zone, more=("RRULE:FREQ=MONTHLY;COUNT=10",))
    hours = {event.start_at.month: f"{event.start_at:%H:%M}" for event in found.events}
    assert hours[3] == hours[11] == "13:30"
    assert hours[4] == hours[10] == "12:30"


def test_a_definition_that_agrees_with_the_owners_clock_is_the_owners_zone() -> None:
    zone = definition("Customized Time Zone", "+0100", summer="+0200")
    (event,) = read("DTSTART;TZID=Customized Time Zone:20260302T100000", *zone).events
    assert event.zone == "Europe/Berlin"


def test_a_definition_that_ended_long_ago_stands_as_it_ended() -> None:
    zone = ["BEGIN:VTIMEZONE", "TZID:Old", "BEGIN:DAYLIGHT", "DTSTART:19800301T020000", "TZOFFSETFROM:+0300"]
    zone += ["TZOFFSETTO:+0400", "RRULE:FREQ=YEARLY;BYMONTH=3;UNTIL=20100301T000000Z", "END:DAYLIGHT"]
    zone += ["BEGIN:STANDARD", "DTSTART:19801001T020000", "TZOFFSETFROM:+0400", "TZOFFSETTO:+0300"]
    zone += ["RRULE:FREQ=YEARLY;BYMONTH=10;UNTIL=20091001T000000Z", "END:STANDARD", "END:VTIMEZONE"]
    assert start_of("DTSTART;TZID=Old:20260302T100000", *zone) == "03-02 06:00"


def test_two_calendars_that_call_different_zones_by_the_same_name_keep_their_own() -> None:
    start = "DTSTART;TZID=Customized Time Zone:20260302T100000"
    hours = [start_of(start, *definition("Customized Time Zone", offset)) for offset in ("-1000", "+0900", "-1000")]
    assert hours == ["03-02 20:00", "03-02 01:00", "03-02 20:00"]


def test_a_definition_can_be_about_a_known_place() -> None:
    zone = definition("made-up-17", "+0000", "X-LIC-LOCATION:Asia/Tokyo")
    assert start_of("DTSTART;TZID=made-up-17:20260302T100000", *zone) == "03-02 01:00"


def test_a_zone_that_nobody_knows_is_the_owners_and_says_so() -> None:
    found = read("DTSTART;TZID=Middle-earth:20260302T100000")
    (event,) = found.events
    assert f"{event.start_at:%H:%M}" == "09:00"
    assert event.zone == ""
    assert "Middle-earth" in found.faults[0]
    assert "Europe/Berlin" in found.faults[0]
    assert event.faults == found.faults


def test_times_without_a_zone_are_in_the_zone_that_the_calendar_names_for_all() -> None:
    start = "DTSTART:20260302T100000"
    assert start_of(start, head=("X-WR-TIMEZONE:America/New_York",)) == "03-02 15:00"
    assert start_of(start, head=("X-WR-TIMEZONE:Nowhere",)) == "03-02 09:00"


@pytest.mark.parametrize(
    "rubbish",
    [
        pytest.param(["BEGIN:VTIMEZONE", "TZID:Z1", "END:VTIMEZONE"], id="empty"),
        pytest.param(["BEGIN:VTIMEZONE", "TZID:Z1", "BEGIN:STANDARD", "END:STANDARD", "END:VTIMEZONE"], id="no offset"),
        pytest.param(definition("Z1", "+9999"), id="an offset of days"),
        pytest.param(definition("Z1", "east"), id="an offset in words"),
    ],
)
def test_a_definition_that_defines_nothing_is_no_zone(rubbish: list[str]) -> None:
    found = read("DTSTART;TZID=Z1:20260302T100000", *rubbish)
    assert [f"{event.start_at:%H:%M}" for event in found.events] == ["09:00"]
    assert "not known" in found.faults[0]


def test_times_in_hours_that_clocks_skip_or_repeat_come_once() -> None:
    zone = "DTSTART;TZID=Europe/Berlin:"
    assert start_of(f"{zone}20260329T023000") == "03-29 01:30"
    assert start_of(f"{zone}20261025T023000") == "10-25 00:30"
    assert start_of("DTSTART:20260329T023000") == "03-29 01:30"
