"""A rule of return (RRULE), worked out for a stretch of time and never for longer.

The usual libraries count a rule up from its first day, and look on for ever when nothing fits it any more ("every second,
on the 30th of February"). Text from strangers can't be trusted with that. Here a rule starts near the stretch that is
asked for, and both what is found and what is tried are numbered. Wall time in, wall time out: zones are added elsewhere.

    periods of the frequency (days, weeks …) ─► the days in each that fit ─► × times of day ─► positions ─► starts
"""

import calendar
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from itertools import product
from math import prod
from typing import Literal, cast, get_args

MOST_STARTS = 400
"""So many starts of one rule are kept in a stretch; a daily one for a year, with room."""
MOST_TRIED = 40_000
"""So many days and times are looked at: a century of days."""
MOST_TIMES = 300
"""So many times a day may be written out; every five minutes is 288."""

_NEVER = datetime(9999, 12, 31, 23, 59, 59)  # noqa: DTZ001  a wall time

Frequency = Literal["SECONDLY", "MINUTELY", "HOURLY", "DAILY", "WEEKLY", "MONTHLY", "YEARLY"]

_SECONDS: Mapping[str, int] = {"SECONDLY": 1, "MINUTELY": 60, "HOURLY": 3600}
_WEEKDAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
_DAY = re.compile(r"([+-]?\d{1,2})?(MO|TU|WE|TH|FR|SA|SU)")
_UNTIL = re.compile(r"(\d{8})(?:T(\d{6})(Z?))?")


class BadRule(ValueError):  # noqa: N818  a noun phrase, as in memory/errors
    """The text is no rule of return."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """The parts of an RRULE, with its names in words.

    until: the last moment, as it is written: a date (all of that day), a wall time, or aware UTC. days: (which, weekday)
    with which 0 for every one, Monday 0. positions: BYSETPOS.
    """

    frequency: Frequency
    interval: int = 1
    count: int | None = None
    until: date | datetime | None = None
    months: frozenset[int] = frozenset()
    week_numbers: frozenset[int] = frozenset()
    year_days: frozenset[int] = frozenset()
    month_days: frozenset[int] = frozenset()
    days: tuple[tuple[int, int], ...] = ()
    hours: tuple[int, ...] = ()
    minutes: tuple[int, ...] = ()
    seconds: tuple[int, ...] = ()
    positions: tuple[int, ...] = ()
    week_start: int = 0


@dataclass(frozen=True, slots=True)
class Starts:
    """The starts in a stretch, in order, as wall times. `tried`: what it cost, in days and times that were looked at.

    is_cut: there may be more than were looked for.
    """

    walls: tuple[datetime, ...]
    tried: int = 0
    is_cut: bool = False


def read_rule(text: str) -> Rule:
    """What an RRULE says. Raises BadRule."""
    parts = dict(part.split("=", 1) for part in text.upper().replace(" ", "").split(";") if "=" in part)
    if parts.get("FREQ") not in get_args(Frequency):
        raise BadRule(f"no frequency in {text[:80]!r}")
    try:
        return _rule(parts)
    except (ValueError, OverflowError) as error:
        raise BadRule(f"can't read {text[:80]!r}") from error


def _rule(parts: Mapping[str, str]) -> Rule:
    clocks = [_numbers(parts, *bounds) for bounds in (("BYHOUR", 0, 23), ("BYMINUTE", 0, 59), ("BYSECOND", 0, 59))]
    if prod(len(numbers) or 1 for numbers in clocks) > MOST_TIMES:
        raise BadRule(f"more than {MOST_TIMES} times a day")
    count = int(parts["COUNT"]) if "COUNT" in parts else None
    return Rule(
        frequency=cast("Frequency", parts["FREQ"]),
        interval=max(1, int(parts.get("INTERVAL", "1"))),
        count=count if count is None or count > 0 else None,
        until=_until(parts["UNTIL"]) if "UNTIL" in parts else None,
        months=frozenset(_numbers(parts, "BYMONTH", 1, 12)),
        week_numbers=frozenset(_numbers(parts, "BYWEEKNO", -53, 53)),
        year_days=frozenset(_numbers(parts, "BYYEARDAY", -366, 366)),
        month_days=frozenset(_numbers(parts, "BYMONTHDAY", -31, 31)),
        days=_days(parts.get("BYDAY", "")),
        hours=clocks[0],
        minutes=clocks[1],
        seconds=clocks[2],
        positions=_numbers(parts, "BYSETPOS", -366, 366),
        week_start=_WEEKDAYS.index(parts.get("WKST", "MO")),
    )


def _numbers(parts: Mapping[str, str], name: str, least: int, most: int) -> tuple[int, ...]:
    numbers = sorted({int(number) for number in parts.get(name, "").split(",") if number})
    if numbers and not least <= numbers[0] <= numbers[-1] <= most:
        raise BadRule(f"{name} out of its bounds")
    return tuple(numbers)


def _days(text: str) -> tuple[tuple[int, int], ...]:
    found = [_DAY.fullmatch(day) for day in text.split(",") if day]
    if None in found:
        raise BadRule("no weekday")
    return tuple((int(day[1] or 0), _WEEKDAYS.index(day[2])) for day in found if day)


def _until(text: str) -> date | datetime:
    found = _UNTIL.fullmatch(text)
    if not found:
        raise BadRule("no date")
    on = datetime.strptime(found[1], "%Y%m%d")  # noqa: DTZ007  its zone comes with the "Z", or is the wall's
    if not found[2]:
        return on.date()
    hour, minute, second = (int(found[2][place : place + 2]) for place in (0, 2, 4))
    at = datetime.combine(on, time(hour, minute, min(second, 59)))
    return at.replace(tzinfo=UTC) if found[3] else at


def starts(
    rule: Rule,
    start: datetime,
    lo: datetime,
    hi: datetime,
    *,
    until: datetime | None = None,
    most_tried: int = MOST_TRIED,
) -> Starts:
    """The starts of `rule`, which begins at `start`, in [lo, hi]. All are wall times of one zone, without a zone.

    until: the rule's end as a wall time of that zone, as `last_wall` gives it. `start` itself is one only if it fits.
    """
    whole = _completed(rule, start)
    tried = 0
    found: list[datetime] = []
    left = whole.count
    first = start if left is not None else max(start, lo)
    last = min(hi, until) if until else hi
    for number in _numbers_from(whole, start, first):
        if tried >= most_tried:
            return Starts(tuple(found), tried, is_cut=True)
        period = _in_period(whole, number)
        if period is None:
            break
        tried += period.tried
        for wall in period.walls:
            if wall < start:
                continue
            if wall > last or left == 0:
                return Starts(tuple(found), tried)
            left = None if left is None else left - 1
            if wall >= lo:
                if len(found) >= MOST_STARTS:
                    return Starts(tuple(found), tried, is_cut=True)
                found.append(wall)
        if _first_of(whole, number + whole.interval) > last:
            break
    return Starts(tuple(found), tried)


def last_wall(rule: Rule, offset_for: timedelta) -> datetime | None:
    """The end of the rule as a wall time where clocks are `offset_for` ahead of UTC."""
    until = rule.until
    if isinstance(until, datetime):
        return until.replace(tzinfo=None) + offset_for if until.tzinfo else until
    return datetime.combine(until, time.max) if until else None


def _completed(rule: Rule, start: datetime) -> Rule:
    """What a rule leaves open follows its start: weekly is on the same weekday, yearly on the same date, at the same time."""
    if not (rule.week_numbers or rule.year_days or rule.month_days or rule.days):
        if rule.frequency == "YEARLY":
            rule = replace(rule, months=rule.months or frozenset((start.month,)), month_days=frozenset((start.day,)))
        elif rule.frequency == "MONTHLY":
            rule = replace(rule, month_days=frozenset((start.day,)))
        elif rule.frequency == "WEEKLY":
            rule = replace(rule, days=((0, start.weekday()),))
    per = _SECONDS.get(rule.frequency, 86400)
    return replace(
        rule,
        hours=rule.hours or ((start.hour,) if per > 3600 else ()),
        minutes=rule.minutes or ((start.minute,) if per > 60 else ()),
        seconds=rule.seconds or ((start.second,) if per > 1 else ()),
    )


# Periods: each frequency numbers its own from the first day of the calendar on


def _number_of(rule: Rule, at: datetime) -> int:
    if rule.frequency in _SECONDS:
        return (at.toordinal() * 86400 + at.hour * 3600 + at.minute * 60 + at.second) // _SECONDS[rule.frequency]
    if rule.frequency == "DAILY":
        return at.toordinal()
    if rule.frequency == "WEEKLY":
        return (at.toordinal() - 1 - rule.week_start) // 7
    return at.year * 12 + at.month - 1 if rule.frequency == "MONTHLY" else at.year


def _numbers_from(rule: Rule, start: datetime, first: datetime) -> Iterator[int]:
    """The numbers of the periods that count, from the one that holds or precedes `first`."""
    number = _number_of(rule, start)
    number += (_number_of(rule, first) - number) // rule.interval * rule.interval
    while True:
        yield number
        number += rule.interval


def _first_of(rule: Rule, number: int) -> datetime:
    """The first moment of a period; the last of all times when it lies beyond the calendar."""
    try:
        if rule.frequency in _SECONDS:
            days, second = divmod(number * _SECONDS[rule.frequency], 86400)
            return datetime.fromordinal(days) + timedelta(seconds=second)
        return datetime.combine(_days_of(rule, number)[0], time.min)
    except (ValueError, OverflowError):
        return _NEVER


def _days_of(rule: Rule, number: int) -> list[date]:
    """The days of a period. Raises ValueError or OverflowError beyond the calendar."""
    if rule.frequency in _SECONDS:
        return [date.fromordinal(number * _SECONDS[rule.frequency] // 86400)]
    if rule.frequency == "DAILY":
        return [date.fromordinal(number)]
    if rule.frequency == "WEEKLY":
        return [date.fromordinal(number * 7 + 1 + rule.week_start + day) for day in range(7)]
    if rule.frequency == "MONTHLY":
        year, month = divmod(number, 12)
        return [date(year, month + 1, day + 1) for day in range(calendar.monthrange(year, month + 1)[1])]
    first = date(number, 1, 1)
    return [date.fromordinal(first.toordinal() + day) for day in range(365 + calendar.isleap(number))]


def _in_period(rule: Rule, number: int) -> Starts | None:
    """What of a period fits, in order; None beyond the calendar."""
    try:
        days = _days_of(rule, number)
    except (ValueError, OverflowError):
        return None
    fitting = [day for day in days if _fits(rule, day)]
    found = (
        [datetime.combine(day, clock) for day, clock in product(fitting, _times_of(rule, number))] if fitting else []
    )
    tried = len(days) + len(found)
    if not rule.positions:
        return Starts(tuple(found), tried)
    places = [place - 1 if place > 0 else len(found) + place for place in rule.positions if place]
    return Starts(tuple(found[place] for place in sorted(set(places)) if 0 <= place < len(found)), tried)


def _times_of(rule: Rule, number: int) -> list[time]:
    hours, minutes, seconds = rule.hours, rule.minutes, rule.seconds
    if rule.frequency in _SECONDS:
        second = number * _SECONDS[rule.frequency] % 86400
        hour, minute = second // 3600, second // 60 % 60
        hours = (hour,) if not hours or hour in hours else ()
        if rule.frequency != "HOURLY":
            minutes = (minute,) if not minutes or minute in minutes else ()
        if rule.frequency == "SECONDLY":
            seconds = (second % 60,) if not seconds or second % 60 in seconds else ()
    return [time(*clock) for clock in product(hours, minutes, seconds)]


# Days


def _fits(rule: Rule, day: date) -> bool:
    return not (
        (rule.months and day.month not in rule.months)
        or (rule.month_days and not _is_month_day(rule, day))
        or (rule.days and not _is_weekday(rule, day))
        or (rule.year_days and not _is_year_day(rule, day))
        or (rule.week_numbers and not _is_in_week(rule, day))
    )


def _is_month_day(rule: Rule, day: date) -> bool:
    if day.day in rule.month_days:
        return True
    return day.day - calendar.monthrange(day.year, day.month)[1] - 1 in rule.month_days


def _is_year_day(rule: Rule, day: date) -> bool:
    number = day.timetuple().tm_yday
    return number in rule.year_days or number - 366 - calendar.isleap(day.year) in rule.year_days


def _is_weekday(rule: Rule, day: date) -> bool:
    """Which-th weekdays count within the month, or within the year when the rule is yearly and names no month."""
    weekday = day.weekday()
    wanted = {which for which, name in rule.days if name == weekday}
    if not wanted or 0 in wanted or rule.frequency not in ("MONTHLY", "YEARLY"):
        return bool(wanted)
    if rule.frequency == "YEARLY" and not rule.months:
        at, length = day.timetuple().tm_yday, 365 + calendar.isleap(day.year)
    else:
        at, length = day.day, calendar.monthrange(day.year, day.month)[1]
    return (at - 1) // 7 + 1 in wanted or -((length - at) // 7 + 1) in wanted


def _is_in_week(rule: Rule, day: date) -> bool:
    """A week belongs to the year that holds its fourth day."""
    try:
        middle = day + timedelta(days=3 - (day.weekday() - rule.week_start) % 7)
        number = (middle.timetuple().tm_yday - 1) // 7 + 1
        last = _last_week(middle.year, rule.week_start)
    except OverflowError:
        return False
    return number in rule.week_numbers or number - last - 1 in rule.week_numbers


def _last_week(year: int, week_start: int) -> int:
    """The number of the last week: the year's last day that is a fourth day of its week lies in it."""
    last_day = date(year, 12, 31)
    back = (last_day.weekday() - (week_start + 3)) % 7
    return (last_day.timetuple().tm_yday - back - 1) // 7 + 1
