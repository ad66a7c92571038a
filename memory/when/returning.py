"""From a rule of return as it was said to one that can be kept: its hour chosen, its start fixed."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, time, timedelta

from memory.when.grain import Grain, floor
from memory.when.habits import DAY_ANCHOR, PARTS, SURE_AFTERNOON, SURE_MORNING
from memory.when.node import Every, Scene, Time
from memory.when.reading import Reading
from memory.when.recurrence import DAYS, WORKDAYS, Recurrence
from memory.when.series import Clock

FirstWall = Callable[[Scene, Time], datetime | None]

_UNITS = {
    "MINUTELY": "minute",
    "HOURLY": "hour",
    "DAILY": "day",
    "WEEKLY": "week",
    "MONTHLY": "month",
    "YEARLY": "year",
}


def readings_of_every(scene: Scene, every: Every, first_wall: FirstWall) -> tuple[Reading, ...]:
    """One reading for each hour it may mean; `first_wall` resolves the times that bound it."""
    until = first_wall(scene, every.until) if every.until else None
    start = first_wall(scene, every.start) if every.start else None
    found = []
    for at in _hours(scene, every.clock):
        after = max(scene.wall, start - timedelta(minutes=1)) if start else scene.wall
        rule = _counted(_rule(scene, every, at, start, until), every, after)
        first = rule.next_after(after)
        if first is not None:
            grain: Grain = "minute" if every.clock or every.frequency in ("MINUTELY", "HOURLY") else "day"
            found.append(_reading(rule, first, grain))
    others = readings_of_every(scene, every.or_else, first_wall) if every.or_else else ()
    return (*found, *others)


def _reading(rule: Recurrence, first: datetime, grain: Grain) -> Reading:
    return Reading(
        wall=first, anchor=first, grain=grain, kind="instant", recurrence=rule, explanation=_said(rule, first)
    )


def _rule(scene: Scene, every: Every, at: time, start: datetime | None, until: datetime | None) -> Recurrence:
    """The rule with what was left open filled in from today: "weekly" is on this weekday."""
    by_clock = every.frequency in ("MINUTELY", "HOURLY")
    days, month_days, months = every.days, every.month_days, every.months
    day = start or scene.wall
    if every.frequency == "WEEKLY" and not days:
        days = ((0, day.weekday()),)
    if every.frequency in ("MONTHLY", "YEARLY") and not days and not month_days:
        month_days = (day.day,)
        months = (day.month,) if every.frequency == "YEARLY" else months
    return Recurrence(
        frequency=every.frequency,
        interval=every.interval,
        days=days,
        month_days=month_days,
        months=months,
        position=every.position,
        at=None if by_clock else at,
        since=floor(scene.wall, "minute") if by_clock else None,
        until=until.date() if until else None,
    )


def _counted(rule: Recurrence, every: Every, after: datetime) -> Recurrence:
    """A rule of every so many fixed to its start: the next day that was named, else today."""
    if rule.interval == 1 or rule.since or rule.at is None:
        return rule
    named = bool(every.days or every.month_days)
    start = replace(rule, interval=1).next_after(after) if named else datetime.combine(after, rule.at)
    return replace(rule, since=start)


def _hours(scene: Scene, clock: Time | None) -> list[time]:
    """The hours it may mean, likeliest first: those of a day that is named, as in resolve."""
    if clock is None:
        return [DAY_ANCHOR]
    series = clock.series
    if not isinstance(series, Clock):
        return [PARTS[clock.part].anchor]
    morning, afternoon = _time(series.second % 43200), _time(series.second % 43200 + 43200)
    if not clock.half:
        return [_time(series.second % 86400)]
    if morning.hour == 0:
        return [afternoon]
    if morning.hour in SURE_AFTERNOON:
        return [afternoon] if scene.language == "en" else [afternoon, morning]
    return [morning] if morning.hour in SURE_MORNING or scene.language == "de" else [morning, afternoon]


def _time(second: int) -> time:
    return time(second // 3600, second % 3600 // 60)


def _said(rule: Recurrence, first: datetime) -> str:
    unit = _UNITS[rule.frequency]
    how_often = f"every {unit}" if rule.interval == 1 else f"every {rule.interval} {unit}s"
    if rule.days == WORKDAYS and not rule.position:
        how_often = "every weekday" if rule.interval == 1 else how_often
    elif rule.days:
        how_often += " on " + ", ".join(f"{_nth(n)}{DAYS[day].title()}" for n, day in rule.days)
    elif rule.month_days:
        how_often += " on day " + ", ".join("last" if n == -1 else str(n) for n in rule.month_days)
    at = f" at {rule.at:%H:%M}" if rule.at else ""
    return f"{how_often}{at}, first on {first:%A}, {first.day} {first:%B} {first.year}"


def _nth(number: int) -> str:
    return {0: "", -1: "last "}.get(number, f"{number}. ")
