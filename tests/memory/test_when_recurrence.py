"""What returns: said in words, kept as text, asked for its next time."""

from datetime import date, datetime, time
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.errors import BadInput
from memory.when.reader import read
from memory.when.recurrence import Recurrence

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 3, 4, 9, 30, tzinfo=BERLIN)


@pytest.mark.parametrize(
    ("text", "rule", "first"),
    [
        ("every day at 7am", "FREQ=DAILY 07:00", "2026-03-05 07:00"),
        ("every weekday at 8", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR 08:00", "2026-03-05 08:00"),
        ("at 8 every weekday", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR 08:00", "2026-03-05 08:00"),
        ("werktags um 7:30", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR 07:30", "2026-03-05 07:30"),
        ("jeden Tag um 20 Uhr", "FREQ=DAILY 20:00", "2026-03-04 20:00"),
        ("jeden Morgen um 7", "FREQ=DAILY 07:00", "2026-03-05 07:00"),
        ("every evening at 9", "FREQ=DAILY 21:00", "2026-03-04 21:00"),
        ("every morning", "FREQ=DAILY 08:00", "2026-03-05 08:00"),
        ("täglich", "FREQ=DAILY 09:00", "2026-03-05 09:00"),
        ("jeden Montag", "FREQ=WEEKLY;BYDAY=MO 09:00", "2026-03-09 09:00"),
        ("montags und donnerstags um 18 Uhr", "FREQ=WEEKLY;BYDAY=MO,TH 18:00", "2026-03-05 18:00"),
        ("montags bis freitags um 8", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR 08:00", "2026-03-05 08:00"),
        ("every mon, wed and fri at 9am", "FREQ=WEEKLY;BYDAY=MO,WE,FR 09:00", "2026-03-06 09:00"),
        ("every weekday except Friday at 8", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH 08:00", "2026-03-05 08:00"),
        ("jeden Tag außer Sonntag um 8", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR,SA 08:00", "2026-03-05 08:00"),
        ("every other day at noon", "FREQ=DAILY;INTERVAL=2 12:00 since 2026-03-04T12:00", "2026-03-04 12:00"),
        (
            "every two weeks on Monday at 9",
            "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO 09:00 since 2026-03-09T09:00",
            "2026-03-09 09:00",
        ),
        (
            "alle zwei Wochen montags",
            "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO 09:00 since 2026-03-09T09:00",
            "2026-03-09 09:00",
        ),
        ("every month on the 3rd at 9am", "FREQ=MONTHLY;BYMONTHDAY=3 09:00", "2026-04-03 09:00"),
        ("am ersten jedes Monats", "FREQ=MONTHLY;BYMONTHDAY=1 09:00", "2026-04-01 09:00"),
        ("am letzten Tag jedes Monats", "FREQ=MONTHLY;BYMONTHDAY=-1 09:00", "2026-03-31 09:00"),
        ("at the end of every month", "FREQ=MONTHLY;BYMONTHDAY=-1 09:00", "2026-03-31 09:00"),
        ("the last Friday of every month at 4pm", "FREQ=MONTHLY;BYDAY=-1FR 16:00", "2026-03-27 16:00"),
        ("jeden ersten Montag im Monat um 10", "FREQ=MONTHLY;BYDAY=1MO 10:00", "2026-04-06 10:00"),
        (
            "the last workday of every month",
            "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1 09:00",
            "2026-03-31 09:00",
        ),
        ("every year on March 3", "FREQ=YEARLY;BYMONTH=3;BYMONTHDAY=3 09:00", "2027-03-03 09:00"),
        ("jedes Jahr am 24. Dezember um 16 Uhr", "FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=24 16:00", "2026-12-24 16:00"),
        ("every 20 minutes", "FREQ=MINUTELY;INTERVAL=20 since 2026-03-04T09:30", "2026-03-04 09:50"),
        ("alle 4 Stunden", "FREQ=HOURLY;INTERVAL=4 since 2026-03-04T09:30", "2026-03-04 13:30"),
        ("every day at 8 until Friday", "FREQ=DAILY;UNTIL=20260306 08:00", "2026-03-05 08:00"),
        ("starting Monday every day at 8", "FREQ=DAILY 08:00", "2026-03-09 08:00"),
    ],
)
def test_a_rule_of_return_is_understood(text: str, rule: str, first: str) -> None:
    (mention,) = read(text, now=NOW, zone=BERLIN)
    (reading,) = mention.readings
    assert mention.text == text
    assert reading.recurrence is not None
    assert reading.recurrence.to_text() == rule
    assert reading.wall == datetime.fromisoformat(first)


def test_every_third_friday_is_asked() -> None:
    (mention,) = read("every third Friday", now=NOW, zone=BERLIN)
    rules = [reading.recurrence.to_text() for reading in mention.readings if reading.recurrence]
    assert rules[0] == "FREQ=MONTHLY;BYDAY=3FR 09:00"
    assert rules[1].startswith("FREQ=WEEKLY;INTERVAL=3;BYDAY=FR")


@pytest.mark.parametrize(
    ("rule", "after", "expected"),
    [
        ("FREQ=DAILY 08:00", "2026-03-04 08:00", "2026-03-05 08:00"),
        ("FREQ=MONTHLY;BYMONTHDAY=31 08:00", "2026-01-31 08:00", "2026-03-31 08:00"),
        ("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29 08:00", "2026-03-01 00:00", "2028-02-29 08:00"),
        (
            "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO 09:00 since 2026-03-02T09:00",
            "2026-03-02 09:00",
            "2026-03-16 09:00",
        ),
        ("FREQ=WEEKLY;INTERVAL=2;BYDAY=MO 09:00 since 2026-03-02T09:00", "2025-01-01 00:00", "2026-03-02 09:00"),
        ("FREQ=MONTHLY;INTERVAL=3;BYMONTHDAY=15 09:00 since 2026-01-15T09:00", "2027-01-20 00:00", "2027-04-15 09:00"),
        ("FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1 09:00", "2026-05-01 00:00", "2026-05-29 09:00"),
        ("FREQ=YEARLY;BYMONTH=11;BYDAY=4TH 09:00", "2026-03-01 00:00", "2026-11-26 09:00"),
    ],
)
def test_the_next_occurrence_comes_after(rule: str, after: str, expected: str) -> None:
    assert Recurrence.from_text(rule).next_after(datetime.fromisoformat(after)) == datetime.fromisoformat(expected)


@pytest.mark.parametrize(
    ("rule", "after"),
    [
        ("FREQ=DAILY;UNTIL=20260306 08:00", "2026-03-06 08:00"),
        ("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30 08:00", "2026-03-01 00:00"),
        ("FREQ=DAILY 08:00", "8999-12-31 09:00"),
    ],
    ids=["it has ended", "no such day", "the end of the calendar"],
)
def test_a_rule_without_a_next_occurrence_says_so(rule: str, after: str) -> None:
    assert Recurrence.from_text(rule).next_after(datetime.fromisoformat(after)) is None


@pytest.mark.parametrize(
    "text",
    ["", "daily", "FREQ=NEVER", "FREQ=DAILY;BYDAY=XX", "FREQ=DAILY;INTERVAL=0", "FREQ=DAILY 25:00", "FREQ=DAILY;COUNT=3",
     "FREQ=MONTHLY;BYMONTHDAY=32", "INTERVAL=2", "FREQ=DAILY=2", "FREQ=DAILY since tomorrow"],
)  # fmt: skip
def test_text_that_is_no_rule_is_refused(text: str) -> None:
    with pytest.raises(BadInput):
        Recurrence.from_text(text)


WALLS = st.datetimes(datetime(1990, 1, 1), datetime(2100, 1, 1)).map(lambda wall: wall.replace(second=0, microsecond=0))
TIMES = st.times().map(lambda at: at.replace(second=0, microsecond=0))
PAIRS = st.tuples(st.sampled_from([0, 1, 2, 3, 4, -1]), st.integers(0, 6))
RULES = st.one_of(
    st.builds(Recurrence, frequency=st.just("DAILY"), interval=st.integers(1, 40), at=TIMES, since=WALLS),
    st.builds(
        Recurrence,
        frequency=st.just("WEEKLY"),
        interval=st.integers(1, 8),
        days=st.sets(st.integers(0, 6), min_size=1).map(lambda days: tuple((0, day) for day in sorted(days))),
        at=TIMES,
        since=st.none() | WALLS,
    ),
    st.builds(Recurrence, frequency=st.just("MONTHLY"), days=PAIRS.map(lambda pair: (pair,)), at=TIMES),
    st.builds(
        Recurrence,
        frequency=st.just("MONTHLY"),
        interval=st.integers(1, 5),
        month_days=st.integers(-28, 28).filter(bool).map(lambda day: (day,)),
        at=TIMES,
        since=st.none() | WALLS,
        until=st.none() | st.dates(date(1990, 1, 1), date(2100, 1, 1)),
    ),
    st.builds(
        Recurrence,
        frequency=st.just("YEARLY"),
        months=st.integers(1, 12).map(lambda month: (month,)),
        month_days=st.integers(1, 28).map(lambda day: (day,)),
        at=TIMES,
    ),
    st.builds(Recurrence, frequency=st.sampled_from(["MINUTELY", "HOURLY"]), interval=st.integers(1, 999), since=WALLS),
)


@given(RULES)
def test_a_rule_reads_back_from_its_text(rule: Recurrence) -> None:
    assert Recurrence.from_text(rule.to_text()) == rule


@given(RULES, WALLS)
def test_occurrences_strictly_increase_and_none_is_skipped(rule: Recurrence, wall: datetime) -> None:
    first = rule.next_after(wall)
    if first is None:
        return
    assert first > wall
    assert rule.at is None or first.time() == rule.at
    between = wall + (first - wall) / 2
    assert rule.next_after(between) == first
    second = rule.next_after(first)
    assert second is None or second > first


def test_the_time_of_day_is_kept_to_the_minute() -> None:
    assert Recurrence(frequency="DAILY", at=time(8, 5)).to_text() == "FREQ=DAILY 08:05"
