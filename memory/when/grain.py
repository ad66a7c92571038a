"""How finely a time is said, and the arithmetic of the calendar on naive wall time."""

from calendar import monthrange
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

Grain = Literal["second", "minute", "hour", "day", "week", "month", "quarter", "year"]

GRAINS: tuple[Grain, ...] = ("second", "minute", "hour", "day", "week", "month", "quarter", "year")
MONTHS_IN: dict[str, int] = {"month": 1, "quarter": 3, "year": 12}
SECONDS_IN: dict[str, int] = {"second": 1, "minute": 60, "hour": 3600}
DAYS_IN: dict[str, int] = {"day": 1, "week": 7}
LAST_YEAR = 9000
"""No time beyond this year is understood, so that no step near it can leave the calendar."""


def midnight(year: int, month: int = 1, day: int = 1) -> datetime:
    """The start of a day in wall time, which has no zone. Raises ValueError when there is no such day."""
    return datetime(year, month, day)  # noqa: DTZ001  wall time is naive


def rank(grain: Grain) -> int:
    """Finer grains rank lower."""
    return GRAINS.index(grain)


def finer(grain: Grain) -> Grain:
    """The grain at which an offset of `grain` is still exact: "in two weeks" names a day, "in a day" an hour."""
    if grain == "week":
        return "day"
    return GRAINS[max(0, rank(grain) - 1)]


def floor(moment: datetime, grain: Grain) -> datetime:
    """The start of the second, … or year that `moment` lies in; weeks start on Monday."""
    if grain in SECONDS_IN:
        cleared = {"second": 0, "microsecond": 0} if grain != "second" else {"microsecond": 0}
        if grain == "hour":
            cleared["minute"] = 0
        return moment.replace(**cleared)  # type: ignore[arg-type]
    day = moment.replace(hour=0, minute=0, second=0, microsecond=0)
    if grain == "day":
        return day
    if grain == "week":
        return day - timedelta(days=day.weekday())
    months = MONTHS_IN[grain]
    return day.replace(day=1, month=(day.month - 1) // months * months + 1)


def add_months(moment: datetime, months: int) -> datetime:
    """The same day so many months on, or the month's last when it is shorter. Raises OverflowError off the calendar."""
    year, month = divmod(moment.year * 12 + moment.month - 1 + months, 12)
    if not 1 < year < LAST_YEAR:
        raise OverflowError(f"no calendar for the year {year}")
    day = moment.day if moment.day <= 28 else min(moment.day, monthrange(year, month + 1)[1])
    return moment.replace(year=year, month=month + 1, day=day)


def step(moment: datetime, grain: Grain, count: int = 1) -> datetime:
    """`moment` moved by `count` of the grain. Raises OverflowError when that leaves the calendar."""
    if grain in MONTHS_IN:
        return add_months(moment, MONTHS_IN[grain] * count)
    moved = moment + timedelta(days=DAYS_IN.get(grain, 0) * count, seconds=SECONDS_IN.get(grain, 0) * count)
    if not 1 < moved.year < LAST_YEAR:
        raise OverflowError(f"no calendar for the year {moved.year}")
    return moved


@dataclass(frozen=True, slots=True, kw_only=True)
class Length:
    """A length of time as it was said: months and days belong to the calendar, seconds to the clock."""

    months: int = 0
    days: int = 0
    seconds: int = 0
    grain: Grain = "second"

    def plus(self, other: "Length") -> "Length":
        """Both, one after the other."""
        return Length(
            months=self.months + other.months,
            days=self.days + other.days,
            seconds=self.seconds + other.seconds,
            grain=min(self.grain, other.grain, key=rank),
        )

    def times(self, count: int) -> "Length":
        """So many of it; negative for the past."""
        return Length(
            months=self.months * count, days=self.days * count, seconds=self.seconds * count, grain=self.grain
        )

    def after(self, moment: datetime) -> datetime:
        """`moment` plus this length in wall time. Raises OverflowError when that leaves the calendar."""
        return step(step(add_months(moment, self.months), "day", self.days), "second", self.seconds)


def length_of(amount: float, grain: Grain) -> Length:
    """So many of a grain; halves fall to the next finer calendar unit. Raises OverflowError for absurd amounts."""
    if amount > 1_000_000_000:
        raise OverflowError("a length beyond the calendar")
    if grain in MONTHS_IN:
        months = amount * MONTHS_IN[grain]
        return Length(months=int(months), days=round((months - int(months)) * 30), grain=grain)
    if grain in DAYS_IN:
        days = amount * DAYS_IN[grain]
        return Length(days=int(days), seconds=round((days - int(days)) * 86400), grain=grain)
    return Length(seconds=round(amount * SECONDS_IN[grain]), grain=grain)
