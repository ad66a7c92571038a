"""Rules of return: the same starts as a second, independent reader finds, and an end whatever the rule says."""

from datetime import UTC, date, datetime, timedelta
from itertools import takewhile
from time import process_time

import pytest
from dateutil.rrule import rrulestr
from hypothesis import given, settings
from hypothesis import strategies as st

from tools.ics.rule import MOST_STARTS, BadRule, last_wall, read_rule, starts

START = datetime(2024, 1, 31, 9, 30)
DAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")


def walls(text: str, *, start: datetime = START, lo: datetime = START, days: float = 400) -> list[datetime]:
    rule = read_rule(text)
    found = starts(rule, start, lo, lo + timedelta(days=days), until=last_wall(rule, timedelta(0)))
    assert not found.is_cut
    return list(found.walls)


def numbers(*choices: int, most: int = 4) -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from(choices), min_size=1, max_size=most, unique=True).map(
        lambda found: ",".join(map(str, sorted(found)))
    )


@st.composite
def rules(draw: st.DrawFn) -> str:
    frequency = draw(st.sampled_from(["HOURLY", "DAILY", "WEEKLY", "MONTHLY", "YEARLY"]))
    parts = {"FREQ": frequency, "INTERVAL": str(draw(st.integers(1, 5)))}
    maybe = {
        "BYMONTH": numbers(*range(1, 13)),
        "BYMONTHDAY": numbers(*range(1, 32), *range(-31, 0)),
        "BYHOUR": numbers(*range(24), most=3),
        "BYMINUTE": numbers(*range(60), most=3),
        "WKST": st.sampled_from(DAYS),
        "COUNT": st.integers(1, 60).map(str),
        "BYDAY": st.lists(st.sampled_from(DAYS), min_size=1, max_size=4, unique=True).map(",".join),
    }
    if frequency in ("MONTHLY", "YEARLY"):
        maybe["BYDAY"] = st.lists(
            st.tuples(st.sampled_from([1, 2, 3, 5, -1, -2]), st.sampled_from(DAYS)), min_size=1, max_size=3
        ).map(lambda found: ",".join(f"{which}{day}" for which, day in found))
        maybe["BYSETPOS"] = numbers(-2, -1, 1, 2, 3, most=2)
    if frequency == "YEARLY":
        maybe["BYYEARDAY"] = numbers(*range(1, 367), *range(-366, 0), most=8)
    for name, values in maybe.items():
        if draw(st.integers(0, 3)) == 0:
            parts[name] = draw(values)
    return ";".join(f"{name}={value}" for name, value in parts.items())


@given(rules(), st.integers(0, 700))
@settings(max_examples=150, deadline=None, derandomize=True)
def test_the_starts_are_those_that_dateutil_finds(text: str, after_days: int) -> None:
    lo = START + timedelta(days=after_days)
    hi = lo + timedelta(days=20 if "HOURLY" in text else 500)
    rule = read_rule(text)
    found = starts(rule, START, lo, hi)
    try:
        other = rrulestr(
            f"{text};UNTIL={datetime(2032, 1, 1):%Y%m%dT%H%M%S}" if "COUNT" not in text else text, dtstart=START
        )
        wanted = [wall for wall in takewhile(lambda wall: wall <= hi, other) if wall >= lo]
    except ValueError:
        return  # what dateutil calls empty
    assert list(found.walls) == wanted[: len(found.walls)]
    assert found.is_cut or len(found.walls) == len(wanted)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        pytest.param("FREQ=MONTHLY", ["2024-01-31", "2024-03-31", "2024-05-31"], id="no 31st, no meeting"),
        pytest.param("FREQ=MONTHLY;BYDAY=-1FR", ["2024-02-23", "2024-03-29", "2024-04-26"], id="last Friday"),
        pytest.param(
            "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1",
            ["2024-01-31", "2024-02-29", "2024-03-29"],
            id="last workday",
        ),
        pytest.param("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29", ["2024-02-29"], id="leap day"),
        pytest.param("FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,WE", ["2024-01-31", "2024-02-12", "2024-02-14"], id="fortnight"),
        pytest.param(
            "FREQ=DAILY;UNTIL=20240202", ["2024-01-31", "2024-02-01", "2024-02-02"], id="until a day, all of it"
        ),
        pytest.param("FREQ=DAILY;COUNT=2", ["2024-01-31", "2024-02-01"], id="twice"),
        pytest.param("freq=daily; count=1", ["2024-01-31"], id="in whatever letters"),
        pytest.param("FREQ=DAILY;COUNT=-1;UNTIL=20240131T235959", ["2024-01-31"], id="a count that is none"),
        pytest.param("FREQ=DAILY;INTERVAL=0;COUNT=2", ["2024-01-31", "2024-02-01"], id="an interval that is none"),
    ],
)
def test_what_a_rule_means(text: str, wanted: list[str]) -> None:
    assert [f"{wall:%Y-%m-%d}" for wall in walls(text)][: len(wanted)] == wanted


def test_a_rule_with_few_times_in_the_stretch_gives_no_more() -> None:
    assert len(walls("FREQ=DAILY;COUNT=2")) == 2
    assert walls("FREQ=DAILY;COUNT=2", lo=START + timedelta(days=10)) == []


@pytest.mark.parametrize(
    "text",
    [
        "",
        "nonsense",
        "FREQ=FORTNIGHTLY",
        "INTERVAL=2",
        "FREQ=DAILY;COUNT=x",
        "FREQ=DAILY;BYMONTH=13",
        "FREQ=DAILY;BYHOUR=24",
        "FREQ=WEEKLY;BYDAY=XX",
        "FREQ=DAILY;UNTIL=20269999",
        "FREQ=DAILY;WKST=??",
        "FREQ=YEARLY;BYHOUR=1,2,3,4,5,6;BYMINUTE=1,2,3,4,5,6,7,8;BYSECOND=1,2,3,4,5,6,7",
        "FREQ=DAILY;INTERVAL=" + "9" * 5000,
    ],
)
def test_what_is_no_rule_is_said_to_be_none(text: str) -> None:
    with pytest.raises(BadRule):
        read_rule(text)


@pytest.mark.parametrize(
    "text",
    [
        "FREQ=SECONDLY",
        "FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30",
        "FREQ=MINUTELY;BYDAY=MO;BYMONTHDAY=31;BYMONTH=2",
        "FREQ=DAILY;COUNT=999999999",
        "FREQ=YEARLY;COUNT=999999999;BYMONTH=2;BYMONTHDAY=30",
        "FREQ=YEARLY;BYWEEKNO=53;BYMONTH=7",
        "FREQ=HOURLY;INTERVAL=7;BYHOUR=3;BYMONTH=4;BYMONTHDAY=31",
        "FREQ=MONTHLY;INTERVAL=999999999",
        "FREQ=SECONDLY;INTERVAL=999999999999",
    ],
)
@pytest.mark.parametrize("year", [1, 1600, 2024])
def test_every_rule_is_worked_out_soon_and_to_no_more_than_can_be_used(text: str, year: int) -> None:
    began = process_time()
    found = starts(read_rule(text), datetime(year, 1, 1), datetime(2026, 1, 1), datetime(2026, 6, 1))
    # A tenth of a second of the processor where nothing else runs; what is guarded against takes minutes.
    assert process_time() - began < 3
    assert len(found.walls) <= MOST_STARTS


def test_a_rule_at_the_end_of_the_calendar_ends_with_it() -> None:
    found = starts(read_rule("FREQ=DAILY"), datetime(9999, 12, 30), datetime(9999, 12, 1), datetime(9999, 12, 31, 23))
    assert len(found.walls) == 2


@pytest.mark.parametrize(
    ("text", "offset", "wanted"),
    [
        ("FREQ=DAILY", 0, None),
        ("FREQ=DAILY;UNTIL=20240102", 5, datetime(2024, 1, 2, 23, 59, 59, 999999)),
        ("FREQ=DAILY;UNTIL=20240102T100000", 5, datetime(2024, 1, 2, 10)),
        ("FREQ=DAILY;UNTIL=20240102T100000Z", 5, datetime(2024, 1, 2, 15)),
    ],
)
def test_the_end_of_a_rule_on_the_wall(text: str, offset: int, wanted: datetime | None) -> None:
    assert last_wall(read_rule(text), timedelta(hours=offset)) == wanted


def test_until_keeps_how_it_was_written() -> None:
    assert read_rule("FREQ=DAILY;UNTIL=20240102").until == date(2024, 1, 2)
    assert read_rule("FREQ=DAILY;UNTIL=20240102T100060Z").until == datetime(2024, 1, 2, 10, 0, 59, tzinfo=UTC)
