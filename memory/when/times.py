"""How partial times are made, and how two of them combine into a narrower one."""

from datetime import datetime, timedelta
from itertools import islice, product

from memory.when.grain import Grain, Length, floor, midnight, rank, step
from memory.when.habits import PARTS
from memory.when.node import Scene, Time
from memory.when.series import Both, Clock, DayOfMonth, Fixed, Lasting, OfDay, Offset, PartOfYear, Series, Weekday

LEVELS = {"year": 80, "quarter": 70, "season": 65, "month": 60, "week": 50, "weekend": 45}
LEVELS |= {"date": 40, "holiday": 40, "day": 40, "weekday": 39, "part": 20, "clock": 10}
"""Coarse to fine: of two times that combine, the coarser one is the frame of the other."""
DAYS = frozenset({"date", "holiday", "day", "weekday"})
CONFLICTS = {
    "date": {"day", "month", "year", "quarter", "season", "week", "holiday", "weekend"},
    "holiday": {"day", "month", "week", "weekend", "quarter", "season"},
    "season": {"month", "quarter", "week", "day", "weekday"},
    "quarter": {"month", "week", "day", "weekday"},
    "week": {"day", "month", "year", "weekend"},
    "weekend": {"day", "clock"},
}
END = -3
"""The mark of the end of something: "until the end of May" means its very end."""
MIDNIGHT = -24
"""The hour of the word "midnight": Friday at midnight is the end of Friday to most and its start to some."""
CHOICES_AT_MOST = 4


def weekday(number: int) -> Time:
    """Every Monday (0) …; said on that very day it means the next one."""
    return Time(choices=(Weekday(number),), grain="day", facets=frozenset({"weekday"}), later=True, value=number)


def month(number: int) -> Time:
    """Every January (1) …"""
    return Time(choices=(PartOfYear(number),), grain="month", facets=frozenset({"month"}), value=number)


def year(number: int) -> Time:
    """One year."""
    return fixed(midnight(number, 1, 1), "year", {"year"}).but(latent=True, value=number)


def day_of_month(number: int) -> Time:
    """Every n-th of a month."""
    return Time(choices=(DayOfMonth(number),), grain="day", facets=frozenset({"day"}), day=number)


def date_in(frame: Time, day: int) -> Time:
    """The n-th of a month that is known or comes every year; keeps the month apart for "1st to 3rd of May"."""
    choices = tuple(Both(series, DayOfMonth(day)) for series in frame.choices)
    facets = frame.facets | {"day"}
    return Time(choices=choices, grain="day", facets=facets, day=day, rest=frame.choices)


def calendar_date(number_year: int, number_month: int, day: int) -> Time | None:
    """One date, or None when there is no such day."""
    try:
        start = midnight(number_year, number_month, day)
    except ValueError:
        return None
    frame = fixed(start.replace(day=1), "month", {"month", "year"})
    return fixed(start, "day", {"day", "month", "year"}).but(day=day, rest=frame.choices)


def fixed(start: datetime, grain: Grain, facets: set[str]) -> Time:
    """One stretch as wide as the grain."""
    return Time(choices=(Fixed(start, step(start, grain)),), grain=grain, facets=frozenset(facets))


def days_from(scene: Scene, count: int) -> Time:
    """Today, tomorrow, the day before yesterday."""
    return fixed(step(floor(scene.wall, "day"), "day", count), "day", {"date"}).but(past=count < 0)


def cycle(scene: Scene, grain: Grain, offset: int, count: int = 1) -> Time:
    """This week, next month, last year; `count` for units of several."""
    start = step(floor(scene.wall, grain), grain, offset * count)
    facets = {"hour": {"clock"}, "minute": {"clock"}, "second": {"clock"}, "day": {"date"}}.get(grain, {grain})
    if grain in ("month", "quarter"):
        facets = facets | {"year"}
    return fixed(start, grain, facets).but(past=offset < 0)


def clock(hour: int, minute: int = -1, second: int = -1, *, half: bool | None = None, padded: bool = False) -> Time:
    """A time on the clock; half: it may mean the afternoon too, by default for hours up to twelve."""
    grain: Grain = "second" if second >= 0 else "minute" if minute >= 0 else "hour"
    twice = (1 <= hour <= 12 and not padded) if half is None else half
    seconds = hour % 24 * 3600 + max(minute, 0) * 60 + max(second, 0)
    width = {"second": 1, "minute": 60, "hour": 3600}[grain]
    return Time(
        choices=(Clock(seconds, width, twice),),
        grain=grain,
        facets=frozenset({"clock"}),
        half=twice,
        padded=padded,
        value=hour,
    )


def part_of_day(name: str) -> Time:
    """The morning … of any day."""
    hours = PARTS[name]
    series = OfDay(round(hours.first * 3600), round(hours.past * 3600))
    return Time(choices=(series,), grain="hour", facets=frozenset({"part"}), interval=True, part=name)


def from_now(scene: Scene, length: Length) -> Time:
    """An offset from now: by the clock in real time, by the calendar in wall time."""
    wall, at = scene.wall, None
    moved = length.after(wall)
    if length.seconds and not length.days and not length.months:
        at = scene.now_at + timedelta(seconds=length.seconds)
        wall = at.astimezone(scene.zone).replace(tzinfo=None)
        moved = wall
    fine = rank(length.grain) < rank("day")
    if length.grain == "year":
        base = fixed(floor(moved, "day"), "day", {"date"})
    else:
        base = fixed(floor(moved, "second") if fine else floor(moved, "day"), "second" if fine else "day", {"date"})
    if fine:
        base = base.but(facets=frozenset({"date", "clock"}), grain="minute" if length.grain != "second" else "second")
    return base.but(exact=moved, exact_at=at, past=moved < scene.wall)


def level(time: Time) -> int:
    """How fine a time is, at its finest."""
    return min(LEVELS[facet] for facet in time.facets)


def _conflict(first: Time, second: Time) -> bool:
    return any(CONFLICTS.get(facet, set()) & second.facets for facet in first.facets)


def may_combine(first: Time, second: Time) -> bool:
    """Whether two times fill different fields, and the finer one has something to hang on to."""
    if first.facets & second.facets or (first.latent and second.latent) or first.duration or second.duration:
        return False
    if _conflict(first, second) or _conflict(second, first):
        return False
    coarse, fine = (first, second) if level(first) >= level(second) else (second, first)
    union = coarse.facets | fine.facets
    if "month" not in union and "year" in union and union & {"day", "weekday"}:
        return False
    if fine.facets & {"clock", "part"}:
        if coarse.interval and not coarse.facets & {"part"}:
            return False
        return bool(coarse.facets & (DAYS | {"part"}))
    return True


def combine(first: Time, second: Time) -> Time | None:
    """Both at once: the finer within the coarser; None when they don't go together."""
    if not may_combine(first, second) or "at" not in (first.bound, second.bound):
        return None
    coarse, fine = (first, second) if level(first) >= level(second) else (second, first)
    if "clock" in fine.facets and coarse.part in NIGHTS:
        coarse = coarse.but(choices=tuple(_into_the_night(series) for series in coarse.choices))
    choices = _within(coarse.choices, fine.choices)
    if fine.value in (MIDNIGHT, 24) and coarse.facets & DAYS and "part" not in coarse.facets:
        ends = tuple(Offset(series, 86400) for series in choices)
        choices = (*ends, *choices)[:CHOICES_AT_MOST] if fine.value == MIDNIGHT else ends
    clocked = bool(fine.facets & {"clock"})
    return Time(
        choices=choices,
        grain=min(coarse.grain, fine.grain, key=rank),
        facets=coarse.facets | fine.facets,
        half=fine.half and "part" not in coarse.facets,
        padded=fine.padded,
        interval=fine.interval,
        later=(coarse.later or fine.later)
        and not (coarse.facets | fine.facets) & {"week", "month", "day", "date", "year"},
        past=coarse.past or fine.past,
        part=fine.part or ("" if clocked else coarse.part),
        bound=first.bound if first.bound != "at" else second.bound,
        loose=_loose(coarse, fine),
        day=coarse.day or fine.day,
        rest=_rest(coarse, fine),
        value=fine.value,
    )


def _within(outer: tuple[Series, ...], inner: tuple[Series, ...]) -> tuple[Series, ...]:
    return tuple(Both(o, i) for o, i in islice(product(outer, inner), CHOICES_AT_MOST))


def _loose(coarse: Time, fine: Time) -> tuple[Series, ...]:
    """The date without its weekday, kept through further combination."""
    if fine.facets == {"weekday"} and {"month", "day"} <= coarse.facets:
        return coarse.choices
    if coarse.loose:
        return _within(coarse.loose, fine.choices)
    return _within(coarse.choices, fine.loose) if fine.loose else ()


NIGHTS = ("night", "tonight", "late evening")


def _into_the_night(series: Series) -> Series:
    """Tonight at two is after midnight: with an hour, the night runs on to six."""
    return Lasting(series, Length(seconds=12 * 3600, grain="hour"))


def _rest(coarse: Time, fine: Time) -> tuple[Series, ...]:
    """What remains of a combined date without its day: the year of "3rd of May 2027" belongs to the month."""
    if not fine.rest or "clock" in fine.facets or "part" in fine.facets:
        return ()
    if "year" not in coarse.facets:
        return fine.rest
    return tuple(Both(outer, inner) for outer, inner in product(coarse.choices, fine.rest))
