"""Free and busy, also on the days that have an hour more or less."""

from dataclasses import replace
from datetime import date, datetime, time, timedelta

import pytest

from memory.errors import BadInput
from memory.event import Event
from memory.free_busy import ANY_TIME, Hours, Span, busy, free_slots
from tests.doubles.owner import living_in
from tests.doubles.planned import a_day, an_event, utc

BERLIN = living_in("Europe/Berlin")
HOUR = timedelta(hours=1)


def slots(*events: Event, from_at: datetime, to_at: datetime, at_least: timedelta = HOUR, **given: object) -> list[str]:
    found = free_slots(
        events,
        zones=BERLIN,
        from_at=from_at,
        to_at=to_at,
        at_least=at_least,
        **given,  # type: ignore[arg-type]
    )
    return [f"{BERLIN.wall_at(one.start_at):%d %H:%M}-{BERLIN.wall_at(one.end_at):%H:%M}" for one in found]


def test_what_touches_or_overlaps_is_one_span() -> None:
    events = [
        an_event("b", utc(3, 2, 10), 30),
        an_event("a", utc(3, 2, 9), 60),
        an_event("c", utc(3, 2, 10, 15), 60),
        an_event("d", utc(3, 2, 12), 60),
        an_event("inside", utc(3, 2, 12, 10), 10),
    ]
    assert busy(events, from_at=utc(3, 2), to_at=utc(3, 3)) == (
        Span(utc(3, 2, 9), utc(3, 2, 11, 15)),
        Span(utc(3, 2, 12), utc(3, 2, 13)),
    )


def test_only_what_lies_between_the_two_counts() -> None:
    events = [an_event("long", utc(3, 1), 60 * 48), an_event("after", utc(3, 4), 60)]
    assert busy(events, from_at=utc(3, 2), to_at=utc(3, 2, 12)) == (Span(utc(3, 2), utc(3, 2, 12)),)


@pytest.mark.parametrize(
    "change",
    [{"is_busy": False}, {"status": "cancelled"}, {"my_answer": "declined"}, {"end_at": utc(3, 2, 9)}],
    ids=str,
)
def test_what_takes_no_time(change: dict[str, object]) -> None:
    event = replace(an_event("a", utc(3, 2, 9)), **change)  # type: ignore[arg-type]
    assert busy([event], from_at=utc(3, 2), to_at=utc(3, 3)) == ()


def test_a_whole_day_takes_the_owners_day() -> None:
    day = a_day("holiday", date(2026, 3, 2), BERLIN)
    assert busy([day], from_at=utc(3, 1), to_at=utc(3, 5)) == (Span(utc(3, 1, 23), utc(3, 2, 23)),)


def test_the_gaps_of_a_working_day() -> None:
    events = [an_event("a", utc(3, 2, 9), 60), an_event("b", utc(3, 2, 10, 30), 90)]
    assert slots(*events, from_at=utc(3, 2), to_at=utc(3, 2, 23)) == ["02 09:00-10:00", "02 13:00-18:00"]
    half = slots(*events, from_at=utc(3, 2), to_at=utc(3, 2, 23), at_least=HOUR / 2)
    assert half == ["02 09:00-10:00", "02 11:00-11:30", "02 13:00-18:00"]


def test_what_has_gone_by_of_today_is_not_offered() -> None:
    assert slots(from_at=utc(3, 2, 14, 20), to_at=utc(3, 3, 12)) == ["02 15:20-18:00", "03 09:00-13:00"]


def test_the_weekend_is_not_offered_unless_it_is_asked_for() -> None:
    friday_to_monday = {"from_at": utc(3, 6, 5), "to_at": utc(3, 9, 12)}
    assert slots(**friday_to_monday) == ["06 09:00-18:00", "09 09:00-13:00"]
    weekend = Hours(weekdays=frozenset({5, 6}))
    assert slots(**friday_to_monday, hours=weekend) == ["07 09:00-18:00", "08 09:00-18:00"]


def test_day_and_night_are_one_stretch() -> None:
    assert free_slots([], zones=BERLIN, from_at=utc(3, 2), to_at=utc(3, 5), at_least=HOUR, hours=ANY_TIME) == (
        Span(utc(3, 2), utc(3, 5)),
    )


@pytest.mark.parametrize(
    ("day", "night_hours"), [((3, 29), 2), ((10, 25), 4), ((3, 22), 3)], ids=["spring", "autumn", "any day"]
)
def test_the_hours_of_a_changing_day_are_those_on_the_wall_and_counted_as_they_last(
    day: tuple[int, int], night_hours: int
) -> None:
    night = Hours(time(1), time(4), frozenset(range(7)))
    start = utc(*day) - timedelta(hours=2)
    (found,) = free_slots(
        [], zones=BERLIN, from_at=start, to_at=start + timedelta(hours=24), at_least=HOUR, hours=night
    )
    assert found.lasts_for == timedelta(hours=night_hours)
    for length, count in ((night_hours, 1), (night_hours + 1, 0)):
        at_least = timedelta(hours=length)
        slots_found = free_slots(
            [], zones=BERLIN, from_at=start, to_at=start + timedelta(hours=24), at_least=at_least, hours=night
        )
        assert len(slots_found) == count


def test_on_a_journey_the_hours_are_those_of_the_place() -> None:
    travels = living_in("Europe/Berlin", (utc(3, 3), "Asia/Tokyo"))
    found = free_slots([], zones=travels, from_at=utc(3, 2), to_at=utc(3, 5), at_least=HOUR)
    assert found == (
        Span(utc(3, 2, 8), utc(3, 2, 17)),
        Span(utc(3, 3), utc(3, 3, 9)),
        Span(utc(3, 4), utc(3, 4, 9)),
    )


def test_nothing_is_free_when_all_is_taken() -> None:
    assert slots(an_event("all", utc(3, 1), 60 * 24 * 5), from_at=utc(3, 2), to_at=utc(3, 4)) == []


@pytest.mark.parametrize(("since", "until"), [(time(18), time(9)), (time(9), time(9))])
def test_hours_that_end_before_they_begin_are_refused(since: time, until: time) -> None:
    with pytest.raises(BadInput):
        Hours(since, until)


def test_hours_may_last_until_midnight() -> None:
    evening = Hours(time(20), time(), frozenset(range(7)))
    assert slots(from_at=utc(3, 2), to_at=utc(3, 3), hours=evening) == ["02 20:00-00:00"]
