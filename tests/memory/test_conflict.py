"""Conflicts: what can't both be attended, raised once."""

from dataclasses import replace
from datetime import date, timedelta
from typing import Any

import pytest

from memory.conflict import MOST_CONFLICTS, Conflict, conflicts
from memory.event import Event
from tests.doubles.owner import living_in
from tests.doubles.planned import a_day, an_event, utc

NOW = utc(3, 2, 8)
WEEK = timedelta(days=7)
STANDUP = an_event("standup", utc(3, 2, 9), 60)
REVIEW = an_event("review", utc(3, 2, 9, 30), 60)


def found(*events: Event, now: Any = NOW, horizon: timedelta = WEEK) -> tuple[Conflict, ...]:
    return conflicts(events, now=now, horizon=horizon)


def test_two_events_at_one_time_are_a_conflict_for_as_long_as_they_overlap() -> None:
    (one,) = found(REVIEW, STANDUP)
    assert (one.first, one.second) == (STANDUP, REVIEW)
    assert (one.from_at, one.to_at) == (utc(3, 2, 9, 30), utc(3, 2, 10))
    assert "30 minutes" in one.because


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(an_event("after", utc(3, 2, 10)), id="touching its end"),
        pytest.param(an_event("before", utc(3, 2, 8)), id="touching its start"),
        pytest.param(replace(REVIEW, my_answer="declined"), id="declined"),
        pytest.param(replace(REVIEW, status="cancelled"), id="cancelled"),
        pytest.param(replace(REVIEW, is_busy=False), id="marked as free"),
        pytest.param(replace(REVIEW, uid="standup", occurrence="2026-03-02"), id="of the same series"),
        pytest.param(an_event("moment", utc(3, 2, 9, 30), 0), id="of no length"),
        pytest.param(a_day("holiday", date(2026, 3, 2), living_in("Europe/Berlin")), id="of the whole day"),
        pytest.param(replace(STANDUP, calendar="home"), id="the same in another calendar"),
        pytest.param(replace(STANDUP, uid="copy", title=" STANDUP "), id="a copy under another uid"),
    ],
)
def test_what_is_no_conflict(other: Event) -> None:
    assert found(STANDUP, other) == ()


@pytest.mark.parametrize("answer", ["accepted", "tentative", "needs-action", ""])
def test_whatever_was_not_declined_counts(answer: Any) -> None:
    assert len(found(STANDUP, replace(REVIEW, my_answer=answer, status="tentative"))) == 1


def test_a_copy_does_not_double_a_conflict() -> None:
    copies = [replace(STANDUP, calendar="home"), replace(STANDUP, uid="a-copy")]
    assert len(found(STANDUP, REVIEW, *copies)) == 1


def test_two_whole_days_are_no_conflict() -> None:
    zones = living_in("Europe/Berlin")
    assert found(*(a_day(uid, date(2026, 3, 2), zones) for uid in ("holiday", "fair"))) == ()


def test_three_at_one_time_are_three_pairs_by_time() -> None:
    pairs = [(one.first.uid, one.second.uid) for one in found(an_event("lunch", utc(3, 2, 9, 45)), REVIEW, STANDUP)]
    assert pairs[0] == ("standup", "review")
    assert set(pairs[1:]) == {("standup", "lunch"), ("review", "lunch")}


def test_a_long_event_is_in_conflict_with_each_that_lies_in_it() -> None:
    fair = an_event("fair", utc(3, 2, 9), 8 * 60)
    inside = [an_event(f"talk{hour}", utc(3, 2, hour)) for hour in (10, 12, 14)]
    assert [one.second.uid for one in found(fair, *inside)] == ["talk10", "talk12", "talk14"]


@pytest.mark.parametrize(
    ("now", "horizon", "count"),
    [
        (utc(3, 2, 10), WEEK, 0),
        (utc(3, 2, 9, 59), WEEK, 1),
        (utc(3, 1, 9), timedelta(hours=24), 0),
        (utc(3, 1, 9), timedelta(hours=25), 1),
    ],
    ids=["one is over", "both go on", "beyond the horizon", "within it"],
)
def test_only_what_is_to_come_is_raised(now: Any, horizon: timedelta, count: int) -> None:
    assert len(found(STANDUP, REVIEW, now=now, horizon=horizon)) == count


def test_a_conflict_keeps_its_key_until_one_of_the_two_moves() -> None:
    (before,) = found(STANDUP, REVIEW)
    (renamed,) = found(replace(STANDUP, title="Other", place="Here", sequence=4), replace(REVIEW, ref="other.ics"))
    (later,) = found(STANDUP, REVIEW, now=utc(3, 2, 9, 45))
    assert before.key == renamed.key == later.key
    moved = replace(REVIEW, start_at=utc(3, 2, 9, 45))
    assert found(STANDUP, moved)[0].key != before.key


def test_a_conflict_over_the_hour_that_comes_twice_is_none_when_one_ends_before() -> None:
    # 02:15 to 02:45, and 02:30 to 03:00 an hour later by the sun: on the wall they overlap.
    first, second = an_event("first", utc(10, 25, 0, 15), 30), an_event("second", utc(10, 25, 1, 30), 30)
    assert found(first, second, now=utc(10, 24)) == ()


def test_a_calendar_that_is_nothing_but_conflicts_raises_no_flood() -> None:
    events = [an_event(f"e{number}", utc(3, 2, 9), 60, title=str(number)) for number in range(300)]
    assert len(found(*events)) == MOST_CONFLICTS
