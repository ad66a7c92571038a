"""The line before an event, said once, and the one that takes it back."""

from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import Any

import pytest

from memory.event import Event
from memory.heads_up import Correction, corrections, due, key_of
from tests.doubles.owner import living_in
from tests.doubles.planned import a_day, an_event, utc

STANDUP = an_event("standup", utc(3, 2, 10), 30)
QUARTER_TO, TEN_TO = utc(3, 2, 9, 45), utc(3, 2, 9, 50)


@pytest.mark.parametrize(
    ("now", "count"),
    [(utc(3, 2, 9, 44), 0), (QUARTER_TO, 1), (utc(3, 2, 9, 59), 1), (utc(3, 2, 10), 0), (utc(3, 2, 10, 10), 0)],
    ids=["too early", "a quarter of an hour before", "late, but before", "at its start", "when it has begun"],
)
def test_an_event_is_told_a_quarter_of_an_hour_before(now: datetime, count: int) -> None:
    assert len(due([STANDUP], (), now)) == count


def test_it_is_told_once() -> None:
    (told,) = due([STANDUP], (), QUARTER_TO)
    assert told.keys == (key_of(STANDUP),)
    assert told.because == "it begins in 15 minutes"
    assert due([STANDUP], told.keys, QUARTER_TO) == ()


def test_it_is_told_again_when_it_has_another_start() -> None:
    later = replace(STANDUP, start_at=utc(3, 2, 11), end_at=utc(3, 2, 12))
    assert len(due([later], (key_of(STANDUP),), utc(3, 2, 10, 45))) == 1


@pytest.mark.parametrize(
    "event",
    [
        replace(STANDUP, status="cancelled"),
        replace(STANDUP, my_answer="declined"),
        a_day("day", date(2026, 3, 2), living_in("UTC")),
    ],
    ids=["cancelled", "declined", "a whole day"],
)
def test_what_is_not_told(event: Event) -> None:
    assert due([event], (), event.start_at - timedelta(minutes=5)) == ()


def test_a_meeting_in_two_calendars_is_told_once_for_both() -> None:
    copies = [STANDUP, replace(STANDUP, calendar="home", occurrence="x"), replace(STANDUP, uid="copy")]
    (told,) = due(copies, (), QUARTER_TO)
    assert set(told.keys) == {key_of(copy) for copy in copies}
    assert all(due(copies, (key_of(copy),), QUARTER_TO) == () for copy in copies)


def test_two_meetings_at_one_time_are_both_told_by_their_start() -> None:
    other = an_event("review", utc(3, 2, 9, 50), 60)
    assert [one.event.uid for one in due([STANDUP, other], (), QUARTER_TO)] == ["review", "standup"]


def test_the_hour_that_comes_twice_is_told_before_each_of_the_two() -> None:
    first, second = an_event("night", utc(10, 25, 0, 30)), an_event("night", utc(10, 25, 1, 30))
    assert key_of(first) != key_of(second)
    assert [len(due([first, second], (), at)) for at in (utc(10, 25, 0, 20), utc(10, 25, 1, 20))] == [1, 1]


def correct(*after: Event, before: Event = STANDUP, now: datetime = TEN_TO, told: Any = None) -> list[Correction]:
    return list(corrections([before], after, (key_of(before),) if told is None else told, now))


def test_a_moved_event_is_corrected_once() -> None:
    later = replace(STANDUP, start_at=utc(3, 2, 14), end_at=utc(3, 2, 15))
    (one,) = correct(later)
    assert (one.kind, one.before, one.after, one.keys) == ("moved", STANDUP, later, ())
    assert correct(later, told=(key_of(STANDUP), one.key)) == []


def test_an_event_that_moves_by_minutes_needs_no_second_heads_up() -> None:
    later = replace(STANDUP, start_at=utc(3, 2, 10, 5), end_at=utc(3, 2, 11))
    (one,) = correct(later)
    assert one.keys == (key_of(later),)
    assert due([later], one.keys, utc(3, 2, 9, 55)) == ()


def test_each_move_is_corrected_anew() -> None:
    first = replace(STANDUP, start_at=utc(3, 2, 14), end_at=utc(3, 2, 15))
    second = replace(STANDUP, start_at=utc(3, 2, 15), end_at=utc(3, 2, 16))
    assert correct(first)[0].key != correct(second)[0].key


def test_a_cancelled_event_and_one_that_is_gone_are_corrected() -> None:
    assert correct(replace(STANDUP, status="cancelled"))[0].kind == "cancelled"
    (gone,) = correct()
    assert (gone.kind, gone.after) == ("gone", None)


def test_a_series_that_is_moved_as_a_whole_is_moved_and_not_gone() -> None:
    before = replace(STANDUP, occurrence="2026-03-02T10:00:00+00:00")
    moved = [
        replace(STANDUP, occurrence=f"2026-03-0{day}T11:00:00+00:00", start_at=utc(3, day, 11), end_at=utc(3, day, 12))
        for day in (2, 9)
    ]
    (one,) = correct(*moved, before=before)
    assert (one.kind, one.after) == ("moved", moved[0])


@pytest.mark.parametrize(
    "after",
    [
        pytest.param(replace(STANDUP, title="Other", place="Elsewhere"), id="it has another name and place"),
        pytest.param(replace(STANDUP, end_at=utc(3, 2, 12)), id="it lasts longer"),
        pytest.param(replace(STANDUP, my_answer="declined"), id="the owner declined it"),
        pytest.param(replace(STANDUP, uid="copy"), id="a copy of it is still there"),
    ],
)
def test_what_needs_no_correction(after: Event) -> None:
    assert correct(after) == []


def test_what_was_not_told_or_is_over_needs_none() -> None:
    assert correct(told=()) == []
    assert correct(now=utc(3, 2, 10, 29)) != []
    assert correct(now=utc(3, 2, 10, 30)) == []
