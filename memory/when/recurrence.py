"""What comes back: a rule in the spirit of RFC 5545 with a wall time, stored as one line of text.

"FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR 08:00"
"FREQ=WEEKLY;INTERVAL=2;BYDAY=MO 09:00 since 2026-03-02T09:00"
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from itertools import islice
from typing import Literal

from memory.errors import BadInput
from memory.when.grain import Grain, floor, midnight, step

Frequency = Literal["MINUTELY", "HOURLY", "DAILY", "WEEKLY", "MONTHLY", "YEARLY"]

GRAIN_OF: dict[Frequency, Grain] = {
    "MINUTELY": "minute",
    "HOURLY": "hour",
    "DAILY": "day",
    "WEEKLY": "week",
    "MONTHLY": "month",
    "YEARLY": "year",
}
DAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
WORKDAYS = ((0, 0), (0, 1), (0, 2), (0, 3), (0, 4))
EPOCH = midnight(1970, 1, 5)
"""A Monday at the start of counting, for rules that name no start of their own."""
PERIODS_AT_MOST = 1_000
"""So many periods without an occurrence mean that there is none: the 30th of February."""
INTERVAL_AT_MOST = 1_000

_TEXT = re.compile(r"(?P<rule>[A-Z0-9=;,+-]{1,300})(?: (?P<at>\d\d:\d\d))?(?: since (?P<since>[0-9T:-]{16}))?")
_DAY = re.compile(r"([+-]?\d)?(MO|TU|WE|TH|FR|SA|SU)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Recurrence:
    """Every so often, in wall time.

    days: pairs of ordinal and weekday; ordinal 0 is every such day, 1 the first of the period, -1 the last; Monday is 0.
    position: of the days that fit in a period, only this one (-1 the last): the last workday of the month.
    at: the wall time of the occurrence; none for rules by the hour or minute, which count from `since`.
    since: where counting starts; matters when interval is above 1. until: the last day on which it may occur.
    """

    frequency: Frequency
    interval: int = 1
    days: tuple[tuple[int, int], ...] = ()
    month_days: tuple[int, ...] = ()
    months: tuple[int, ...] = ()
    position: int = 0
    at: time | None = None
    since: datetime | None = None
    until: date | None = None

    def to_text(self) -> str:
        """One line that `from_text` reads back to an equal value."""
        parts = [f"FREQ={self.frequency}"]
        parts += [f"INTERVAL={self.interval}"] if self.interval != 1 else []
        parts += ["BYMONTH=" + ",".join(map(str, self.months))] if self.months else []
        parts += ["BYMONTHDAY=" + ",".join(map(str, self.month_days))] if self.month_days else []
        parts += ["BYDAY=" + ",".join(f"{n or ''}{DAYS[day]}" for n, day in self.days)] if self.days else []
        parts += [f"BYSETPOS={self.position}"] if self.position else []
        parts += [f"UNTIL={self.until:%Y%m%d}"] if self.until else []
        text = ";".join(parts) + (f" {self.at:%H:%M}" if self.at else "")
        return text + (f" since {self.since:%Y-%m-%dT%H:%M}" if self.since else "")

    @classmethod
    def from_text(cls, text: str) -> "Recurrence":
        """What `to_text` wrote. Raises BadInput for anything else."""
        found = _TEXT.fullmatch(text)
        if not found:
            raise BadInput(f"not a recurrence: {text[:80]!r}; one looks like 'FREQ=WEEKLY;BYDAY=MO 08:00'")
        try:
            fields = dict(part.split("=") for part in found["rule"].split(";"))
            return _from_fields(fields, found["at"], found["since"])
        except (ValueError, KeyError) as error:
            raise BadInput(f"not a recurrence: {text[:80]!r}: {error}") from error

    def next_after(self, wall: datetime) -> datetime | None:
        """The first occurrence strictly after `wall`, both naive wall time; none when there is none any more."""
        floor_at = max(wall, self.since - timedelta(minutes=1)) if self.since else wall
        try:
            found = next((o for o in self._from(floor_at) if o > floor_at), None)
        except OverflowError:
            return None
        return None if found is None or (self.until and found.date() > self.until) else found

    def _from(self, wall: datetime) -> Iterator[datetime]:
        """Occurrences in order, from at most one period before `wall` on."""
        grain = GRAIN_OF[self.frequency]
        if grain in ("minute", "hour"):
            yield from self._by_the_clock(wall, grain)
            return
        start = floor(self.since or EPOCH, grain)
        period = _period(start, wall, grain, self.interval)
        for _ in islice(range(PERIODS_AT_MOST), PERIODS_AT_MOST):
            yield from self._within(period, step(period, grain))
            period = step(period, grain, self.interval)

    def _by_the_clock(self, wall: datetime, grain: Grain) -> Iterator[datetime]:
        start = self.since or EPOCH
        length = timedelta(minutes=self.interval * (60 if grain == "hour" else 1))
        at = start + max(0, (wall - start) // length) * length
        for _ in range(3):
            yield at
            at += length

    def _within(self, start: datetime, end: datetime) -> list[datetime]:
        days = [start + timedelta(days=n) for n in range((end - start).days)]
        fitting = [day for day in days if self._fits(day, start, end)]
        if self.position and len(fitting) >= abs(self.position):
            fitting = [fitting[self.position - (self.position > 0)]]
        return [datetime.combine(day.date(), self.at or time()) for day in fitting]

    def _fits(self, day: datetime, start: datetime, end: datetime) -> bool:
        if self.months and day.month not in self.months:
            return False
        if self.month_days and not any(_is_month_day(day, n) for n in self.month_days):
            return False
        if self.days:
            return any(_is_nth(day, n, weekday, start, end, by_month=bool(self.months)) for n, weekday in self.days)
        return bool(self.month_days) or self.frequency == "DAILY" or day == self._own_day(start)

    def _own_day(self, start: datetime) -> datetime:
        """The day of a period when the rule names none: that of `since`, else the first."""
        if not self.since:
            return start
        offset = floor(self.since, "day") - floor(self.since, GRAIN_OF[self.frequency])
        return start + offset


def _is_month_day(day: datetime, number: int) -> bool:
    if number > 0:
        return day.day == number
    return (step(floor(day, "month"), "month") - day).days == -number


def _is_nth(day: datetime, number: int, weekday: int, start: datetime, end: datetime, *, by_month: bool) -> bool:
    if day.weekday() != weekday:
        return False
    if by_month:
        start, end = floor(day, "month"), step(floor(day, "month"), "month")
    if number > 0:
        return (day - start).days // 7 == number - 1
    return number == 0 or ((end - day).days <= 7 * -number and (end - day).days > 7 * (-number - 1))


def _period(start: datetime, wall: datetime, grain: Grain, interval: int) -> datetime:
    """The last period of the rule that starts before `wall`, or the first of all."""
    if wall <= start:
        return start if start != floor(EPOCH, grain) else floor(wall, grain)
    days = {"day": 1.0, "week": 7.0, "month": 31.0, "year": 366.0}[grain]
    count = max(0, int((wall - start).days / days / interval) - 1) * interval
    at = step(start, grain, count)
    while step(at, grain, interval) <= wall:
        at = step(at, grain, interval)
    return at


def _from_fields(fields: dict[str, str], at: str | None, since: str | None) -> Recurrence:
    known = {"FREQ", "INTERVAL", "BYMONTH", "BYMONTHDAY", "BYDAY", "BYSETPOS", "UNTIL"}
    if fields.keys() - known:
        raise ValueError(f"unknown part {sorted(fields.keys() - known)[0]}")
    frequency = next((f for f in GRAIN_OF if f == fields["FREQ"]), None)
    interval = int(fields.get("INTERVAL", "1"))
    if frequency is None or not 1 <= interval <= INTERVAL_AT_MOST:
        raise ValueError("no such frequency or interval")
    until = fields.get("UNTIL")
    return Recurrence(
        frequency=frequency,
        interval=interval,
        days=tuple(_day(part) for part in fields["BYDAY"].split(",")) if "BYDAY" in fields else (),
        month_days=_numbers(fields.get("BYMONTHDAY"), -31, 31),
        months=_numbers(fields.get("BYMONTH"), 1, 12),
        position=int(fields.get("BYSETPOS", "0")),
        at=time.fromisoformat(at) if at else None,
        since=datetime.fromisoformat(since) if since else None,
        until=date.fromisoformat(until) if until else None,
    )


def _numbers(text: str | None, least: int, most: int) -> tuple[int, ...]:
    numbers = tuple(int(part) for part in text.split(",")) if text else ()
    if any(not least <= number <= most or number == 0 for number in numbers):
        raise ValueError("a day or month out of range")
    return numbers


def _day(text: str) -> tuple[int, int]:
    found = _DAY.fullmatch(text)
    if not found:
        raise ValueError(f"no such day {text}")
    return int(found[1] or 0), DAYS.index(found[2])
