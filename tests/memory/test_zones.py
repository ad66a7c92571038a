"""Wall time and zones: both changes of clocks, journeys, and the names of places."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo, available_timezones

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.errors import BadInput
from memory.zones import Stay, Timeline, find_zone, to_utc, to_wall

BERLIN = ZoneInfo("Europe/Berlin")
NEW_YORK = ZoneInfo("America/New_York")


@pytest.mark.parametrize(
    ("zone", "wall", "utc", "shown"),
    [
        (BERLIN, "2026-03-29 01:59", "2026-03-29T00:59", "2026-03-29 01:59"),
        (BERLIN, "2026-03-29 02:30", "2026-03-29T01:30", "2026-03-29 03:30"),
        (BERLIN, "2026-03-29 03:00", "2026-03-29T01:00", "2026-03-29 03:00"),
        (BERLIN, "2026-10-25 02:30", "2026-10-25T00:30", "2026-10-25 02:30"),
        (BERLIN, "2026-10-25 03:00", "2026-10-25T02:00", "2026-10-25 03:00"),
        (NEW_YORK, "2026-03-08 02:30", "2026-03-08T07:30", "2026-03-08 03:30"),
        (NEW_YORK, "2026-03-08 03:00", "2026-03-08T07:00", "2026-03-08 03:00"),
        (NEW_YORK, "2026-11-01 01:30", "2026-11-01T05:30", "2026-11-01 01:30"),
        (NEW_YORK, "2026-11-01 02:00", "2026-11-01T07:00", "2026-11-01 02:00"),
    ],
    ids=["Berlin before the gap", "Berlin in the gap", "Berlin after the gap", "Berlin in the fold", "Berlin after the fold",
         "New York in the gap", "New York after the gap", "New York in the fold", "New York after the fold"],
)  # fmt: skip
def test_a_wall_time_is_one_instant_even_when_the_clocks_change(
    zone: ZoneInfo, wall: str, utc: str, shown: str
) -> None:
    at = to_utc(datetime.fromisoformat(wall), zone)
    assert at == datetime.fromisoformat(utc).replace(tzinfo=UTC)
    assert to_wall(at, zone).replace(fold=0) == datetime.fromisoformat(shown)


@given(
    st.datetimes(datetime(1971, 1, 1), datetime(2036, 1, 1)),
    st.sampled_from(["Europe/Berlin", "America/New_York", "Asia/Tokyo", "Australia/Lord_Howe"]),
)
def test_an_instant_comes_back_from_its_wall_time_except_in_the_second_pass_of_a_fold(
    moment: datetime, name: str
) -> None:
    zone = ZoneInfo(name)
    at = moment.replace(tzinfo=UTC)
    wall = to_wall(at, zone)
    back = to_utc(wall, zone)
    assert back == at if wall.fold == 0 else back < at


TOKYO_UNTIL_FRIDAY = Timeline(
    (
        Stay(datetime(2025, 1, 1, tzinfo=UTC), "Europe/Berlin"),
        Stay(datetime(2026, 3, 2, 12, tzinfo=UTC), "Asia/Tokyo"),
        Stay(datetime(2026, 3, 6, 12, tzinfo=UTC), "Europe/Berlin"),
    )
)


@pytest.mark.parametrize(
    ("wall", "utc"),
    [
        ("2026-03-02 08:00", "2026-03-02T07:00"),
        ("2026-03-04 08:00", "2026-03-03T23:00"),
        ("2026-03-07 08:00", "2026-03-07T07:00"),
        ("2026-03-02 17:00", "2026-03-02T12:00"),
        ("2026-03-06 15:00", "2026-03-06T06:00"),
    ],
    ids=["at home before", "in Tokyo", "at home again", "skipped by flying east", "repeated by flying west"],
)
def test_what_was_set_in_wall_time_stays_in_wall_time_on_a_journey(wall: str, utc: str) -> None:
    assert TOKYO_UNTIL_FRIDAY.wall_to_utc(datetime.fromisoformat(wall)) == datetime.fromisoformat(utc).replace(
        tzinfo=UTC
    )


def test_the_zone_in_force_is_that_of_the_stay_begun_last() -> None:
    assert TOKYO_UNTIL_FRIDAY.zone_at(datetime(2026, 3, 6, 11, 59, tzinfo=UTC)).key == "Asia/Tokyo"
    assert TOKYO_UNTIL_FRIDAY.zone_at(datetime(2026, 3, 6, 12, tzinfo=UTC)).key == "Europe/Berlin"
    assert TOKYO_UNTIL_FRIDAY.zone_at(datetime(1999, 1, 1, tzinfo=UTC)).key == "Europe/Berlin"


@pytest.mark.parametrize(
    "stays",
    [(), (Stay(datetime(2026, 1, 2, tzinfo=UTC), "UTC"), Stay(datetime(2026, 1, 1, tzinfo=UTC), "UTC"))],
    ids=["empty", "disordered"],
)
def test_a_timeline_that_could_answer_nothing_is_refused(stays: tuple[Stay, ...]) -> None:
    with pytest.raises(BadInput):
        Timeline(stays)


@pytest.mark.parametrize(
    ("place", "zone"),
    [
        ("Tokyo", "Asia/Tokyo"),
        ("Tokio", "Asia/Tokyo"),
        ("münchen", "Europe/Berlin"),
        ("Muenchen", "Europe/Berlin"),
        ("Munich", "Europe/Berlin"),
        ("Köln", "Europe/Berlin"),
        ("Cologne", "Europe/Berlin"),
        ("Hamburg", "Europe/Berlin"),
        ("Wien", "Europe/Vienna"),
        ("Zürich", "Europe/Zurich"),
        ("Genf", "Europe/Zurich"),
        ("Mailand", "Europe/Rome"),
        ("Lissabon", "Europe/Lisbon"),
        ("Warschau", "Europe/Warsaw"),
        ("Peking", "Asia/Shanghai"),
        ("Neu-Delhi", "Asia/Kolkata"),
        ("Mumbai", "Asia/Kolkata"),
        ("San Francisco", "America/Los_Angeles"),
        ("Washington", "America/New_York"),
        ("Boston", "America/New_York"),
        ("new york", "America/New_York"),
        ("Sao Paulo", "America/Sao_Paulo"),
        ("São Paulo", "America/Sao_Paulo"),
        ("Japan", "Asia/Tokyo"),
        ("Österreich", "Europe/Vienna"),
        ("the Netherlands", "Europe/Amsterdam"),
        ("Pacific time", "America/Los_Angeles"),
        ("Reykjavik", "Atlantic/Reykjavik"),
        ("Europe/Helsinki", "Europe/Helsinki"),
        ("UTC", "UTC"),
    ],
)
def test_a_place_is_found_in_english_and_german(place: str, zone: str) -> None:
    assert find_zone(place) == zone


@pytest.mark.parametrize("place", ["", "the", "Atlantis", "USA", "Brazil", "Schreibtisch"])
def test_a_place_that_has_no_one_zone_is_not_guessed(place: str) -> None:
    assert find_zone(place) is None


def test_every_zone_that_is_named_exists() -> None:
    assert {find_zone(name) for name in ("Köln", "Bali", "Hawaii", "Kiew")} <= available_timezones()
