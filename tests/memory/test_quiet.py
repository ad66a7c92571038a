"""Quiet hours, on the owner's own clock, in the nights that have one hour more or less too."""

from datetime import UTC, datetime, time, timedelta

import pytest

from memory.quiet import Delivery, delivery, is_quiet, next_at
from tests.doubles.owner import an_owner


def utc(month: int, day: int, hour: int, minute: int = 0) -> datetime:
    return datetime(2026, month, day, hour, minute, tzinfo=UTC)


@pytest.mark.parametrize(
    ("wall", "is_so"),
    [("21:59", False), ("22:00", True), ("23:59", True), ("00:00", True), ("06:59", True), ("07:00", False)],
)
def test_the_night_is_quiet_from_its_first_minute_to_its_last(wall: str, is_so: bool) -> None:
    at = datetime.combine(datetime(2026, 1, 5).date(), time.fromisoformat(wall), UTC)
    assert is_quiet(an_owner("UTC"), at) is is_so


@pytest.mark.parametrize(("hour", "is_so"), [(12, False), (13, True), (14, True), (15, False), (2, False)])
def test_quiet_hours_may_lie_within_a_day(hour: int, is_so: bool) -> None:
    assert is_quiet(an_owner("UTC", quiet_from=time(13), quiet_to=time(15)), utc(1, 5, hour)) is is_so


@pytest.mark.parametrize("hour", range(24))
def test_equal_ends_mean_no_quiet_hours(hour: int) -> None:
    assert not is_quiet(an_owner("UTC", quiet_from=time(7), quiet_to=time(7)), utc(1, 5, hour))


def test_quiet_is_what_the_owners_clock_says_wherever_they_are() -> None:
    at = utc(1, 5, 22)
    assert is_quiet(an_owner("Europe/Berlin"), at)
    assert not is_quiet(an_owner("America/New_York"), at)
    assert not is_quiet(an_owner("Europe/Berlin", (utc(1, 5, 12), "America/New_York")), at)


NIGHT, DAY = utc(1, 5, 23), utc(1, 6, 12)


@pytest.mark.parametrize(
    ("urgency", "now", "at"),
    [
        pytest.param("now", NIGHT, None, id="urgent at night: at once"),
        pytest.param("now", DAY, None, id="urgent by day: at once"),
        pytest.param("soon", NIGHT, utc(1, 6, 6), id="soon at night: when the night ends"),
        pytest.param("soon", DAY, None, id="soon by day: at once"),
        pytest.param("hold", NIGHT, utc(1, 6, 6, 30), id="held at night: the brief"),
        pytest.param("hold", DAY, utc(1, 7, 6, 30), id="held by day: the next brief"),
    ],
)
def test_what_is_said_when(urgency: str, now: datetime, at: datetime | None) -> None:
    told = delivery(an_owner(), urgency, now)  # type: ignore[arg-type]
    assert told.at == at
    assert isinstance(told, Delivery)
    assert told.because


@pytest.mark.parametrize(
    ("zone", "wall", "now", "at"),
    [
        pytest.param("Europe/Berlin", "07:00", utc(3, 28, 23), utc(3, 29, 5), id="spring: an hour earlier in UTC"),
        pytest.param("Europe/Berlin", "07:00", utc(10, 24, 23), utc(10, 25, 6), id="autumn: an hour later in UTC"),
        pytest.param("Europe/Berlin", "02:30", utc(3, 28, 23), utc(3, 29, 1, 30), id="a time that spring skips"),
        pytest.param("Europe/Berlin", "02:30", utc(10, 24, 23), utc(10, 25, 0, 30), id="a time that autumn has twice"),
        pytest.param("Europe/Berlin", "02:30", utc(10, 25, 1), utc(10, 26, 1, 30), id="between its two passes"),
        pytest.param("America/New_York", "07:00", utc(3, 8, 4), utc(3, 8, 11), id="spring in New York"),
        pytest.param("America/New_York", "07:00", utc(11, 1, 3), utc(11, 1, 12), id="autumn in New York"),
        pytest.param("UTC", "07:00", utc(1, 5, 7), utc(1, 6, 7), id="at that very moment: tomorrow"),
        pytest.param("UTC", "07:00", utc(1, 5, 6, 59), utc(1, 5, 7), id="a minute before: today"),
    ],
)
def test_the_next_time_the_clock_shows_it(zone: str, wall: str, now: datetime, at: datetime) -> None:
    assert next_at(an_owner(zone), time.fromisoformat(wall), now) == at


@pytest.mark.parametrize("zone", ["Europe/Berlin", "America/New_York", "Pacific/Apia", "Australia/Lord_Howe"])
def test_what_waits_for_the_night_to_end_goes_when_it_is_not_quiet_any_more(zone: str) -> None:
    owner = an_owner(zone)
    for hours in range(0, 24 * 365, 5):
        now = utc(1, 1, 0) + timedelta(hours=hours)
        at = delivery(owner, "soon", now).at
        assert (at is None) == (not is_quiet(owner, now))
        if at is not None:
            assert timedelta(0) < at - now <= timedelta(hours=10)
            assert not is_quiet(owner, at)
