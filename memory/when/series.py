"""Times as series: each knows the stretches of wall time that it names, and series combine into narrower ones."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice
from typing import Protocol

from memory.when.grain import Grain, Length, floor, midnight, step

MISSES_AT_MOST = 400
"""A combination that fits none of so many candidates in a row fits none: "the 30th of February"."""
REACH_YEARS = 60
"""How far ahead a next occurrence is looked for; leap days on one weekday come every 28 years."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """From start up to, not including, end."""

    start: datetime
    end: datetime


class Series(Protocol):
    """The stretches a time names, in order, of those that overlap [lo, hi). Raises OverflowError off the calendar."""

    def spans(self, lo: datetime, hi: datetime) -> Iterator[Stretch]:
        """Ascending stretches with end > lo and start < hi."""
        ...


@dataclass(frozen=True, slots=True)
class Fixed:
    """One stretch, whatever the clock says."""

    start: datetime
    end: datetime

    def spans(self, lo: datetime, hi: datetime) -> Iterator[Stretch]:
        if self.end > lo and self.start < hi:
            yield Stretch(self.start, self.end)


@dataclass(frozen=True, slots=True)
class Units:
    """Every day, week, month …"""

    grain: Grain

    def spans(self, lo: datetime, hi: datetime) -> Iterator[Stretch]:
        at = floor(lo, self.grain)
        while at < hi:
            then = step(at, self.grain)
            yield Stretch(at, then)
            at = then


@dataclass(frozen=True, slots=True)
class Weekday:
    """Every day of that name; Monday is 0."""

    weekday: int

    def spans(self, lo: datetime, hi: datetime) -> Iterator[Stretch]:
        day = floor(lo, "day")
        day = step(day, "day", (self.weekday - day.weekday()) % 7)
        while day < hi:
            yield Stretch(day, step(day, "day"))
            day = step(day, "week")


@dataclass(frozen=True, slots=True)
class DayOfMonth:
    """Every n-th day of a month; months without one are passed over."""

    day: int

    def spans(self, lo: datetime, hi: datetime) -> Iterator[Stretch]:
        month = floor(lo, "month")
        while month < hi:
            then = step(month, "month")
            start = step(month, "day", self.day - 1)
            if start < then and start < hi and step(start, "day") > lo:
                yield Stretch(start, step(start, "day"))
            month = then


@dataclass(frozen=True, slots=True)
class PartOfYear:
    """Every year from one month on, for some months: a month, a quarter, a half."""

    month: int
    months: int = 1

    def spans(self, lo: datetime, hi: datetime) -> Iterator[Stretch]:
        carry, past = divmod(self.month - 1 + self.months, 12)
        for year in range(max(2, lo.year - 1), hi.year + 1):
            start, end = midnight(year, self.month), midnight(year + carry, past + 1)
            if end > lo and start < hi:
                yield Stretch(start, end)


@dataclass(frozen=True, slots=True)
class DatesOfYear:
    """Every year from one date to before another, as (month, day): the seasons."""

    first: tuple[int, int]
    past: tuple[int, int]

    def spans(self, lo: datetime, hi: datetime) -> Iterator[Stretch]:
        for year in range(max(2, lo.year - 1), hi.year + 1):
            start = midnight(year, *self.first)
            end = midnight(year + (self.past <= self.first), *self.past)
            if end > lo and start < hi:
                yield Stretch(start, end)


@dataclass(frozen=True, slots=True)
class OfDay:
    """Every day between two seconds of the day; the end may lie in the next day."""

    first: int
    past: int

    def spans(self, lo: datetime, hi: datetime) -> Iterator[Stretch]:
        day = step(floor(lo, "day"), "day", -1)
        while day < hi:
            start, end = day + timedelta(seconds=self.first), day + timedelta(seconds=self.past)
            if end > lo and start < hi:
                yield Stretch(start, end)
            day = step(day, "day")


@dataclass(frozen=True, slots=True)
class OfWeek:
    """Every week between two hours counted from Monday midnight: the weekend, the working week."""

    first: int
    past: int

    def spans(self, lo: datetime, hi: datetime) -> Iterator[Stretch]:
        week = step(floor(lo, "week"), "week", -1)
        while week < hi:
            start, end = week + timedelta(hours=self.first), week + timedelta(hours=self.past)
            if end > lo and start < hi:
                yield Stretch(start, end)
            week = step(week, "week")


@dataclass(frozen=True, slots=True)
class Clock:
    """A time on the clock, every day; on a twelve-hour face it comes twice."""

    second: int
    width: int
    twice: bool = False

    def spans(self, lo: datetime, hi: datetime) -> Iterator[Stretch]:
        day = step(floor(lo, "day"), "day", -1)
        period = timedelta(hours=12 if self.twice else 24)
        start = day + timedelta(seconds=self.second % 43200 if self.twice else self.second)
        while start < hi:
            end = start + timedelta(seconds=self.width)
            if end > lo:
                yield Stretch(start, end)
            start += period


@dataclass(frozen=True, slots=True)
class Both:
    """What of the inner series starts inside the outer: Friday in this week, noon on the third."""

    outer: Series
    inner: Series

    def spans(self, lo: datetime, hi: datetime) -> Iterator[Stretch]:
        misses = 0
        for around in self.outer.spans(lo, hi):
            misses += 1
            for within in self.inner.spans(around.start, around.end):
                if around.start <= within.start < around.end and within.end > lo and within.start < hi:
                    misses = 0
                    yield within
            if misses > MISSES_AT_MOST:
                return


@dataclass(frozen=True, slots=True)
class Nth:
    """The n-th of the inner in each outer; negative counts from the end."""

    number: int
    inner: Series
    outer: Series

    def spans(self, lo: datetime, hi: datetime) -> Iterator[Stretch]:
        for around in islice(self.outer.spans(step(lo, "week", -1), hi), MISSES_AT_MOST):
            found = [s for s in self.inner.spans(around.start, around.end) if self._belongs(s, around)]
            at = self.number - 1 if self.number > 0 else self.number
            if -len(found) <= at < len(found) and found[at].end > lo and found[at].start < hi:
                yield found[at]

    def _belongs(self, within: Stretch, around: Stretch) -> bool:
        """A week belongs where its Thursday lies, as in ISO 8601; anything else where it starts."""
        middle = within.start + (
            timedelta(days=3) if isinstance(self.inner, Units) and self.inner.grain == "week" else timedelta()
        )
        return around.start <= middle < around.end


@dataclass(frozen=True, slots=True)
class NthFrom:
    """The n-th of a series that starts after each stretch of the base; negative: that ends before it."""

    number: int
    inner: Series
    base: Series

    def spans(self, lo: datetime, hi: datetime) -> Iterator[Stretch]:
        for around in islice(self.base.spans(step(lo, "year", -2), step(hi, "year", 2)), MISSES_AT_MOST):
            found = self._after(around) if self.number > 0 else last_before(self.inner, around.start, -self.number)
            if found and found.end > lo and found.start < hi:
                yield found

    def _after(self, around: Stretch) -> Stretch | None:
        ahead = self.inner.spans(around.end, step(around.end, "year", REACH_YEARS))
        return next(islice((s for s in ahead if s.start >= around.end), self.number - 1, None), None)


@dataclass(frozen=True, slots=True)
class Closest:
    """The n-th closest of a series to each stretch of the base, on either side."""

    number: int
    inner: Series
    base: Series

    def spans(self, lo: datetime, hi: datetime) -> Iterator[Stretch]:
        for around in islice(self.base.spans(lo, hi), MISSES_AT_MOST):
            ahead = islice(ahead_of(self.inner, around.start), self.number)
            behind = (last_before(self.inner, around.start, n) for n in range(1, self.number + 1))
            near = [*ahead, *(s for s in behind if s)]
            ordered = sorted(near, key=lambda s: abs(s.start - around.start))
            if len(ordered) >= self.number:
                yield ordered[self.number - 1]


@dataclass(frozen=True, slots=True)
class Moved:
    """Each stretch of a series moved by a length; the grain says how wide the result is."""

    base: Series
    length: Length
    grain: Grain

    def spans(self, lo: datetime, hi: datetime) -> Iterator[Stretch]:
        back = self.length.times(-1)
        for found in self.base.spans(step(back.after(lo), "month", -1), step(back.after(hi), "month")):
            start = self.length.after(found.start)
            end = step(start, self.grain)
            if end > lo and start < hi:
                yield Stretch(start, end)


@dataclass(frozen=True, slots=True)
class Reach:
    """From each stretch of one series to the next of another; `closed` takes the last stretch in whole.

    `backward` finds the start from the end instead: in "3 to 4 pm" the end is the surer half.
    """

    first: Series
    last: Series
    closed: bool
    backward: bool = False

    def spans(self, lo: datetime, hi: datetime) -> Iterator[Stretch]:
        for found in islice(self._leading(lo, hi), MISSES_AT_MOST):
            joined = self._from_end(found) if self.backward else self._from_start(found)
            if joined and joined.end > lo and joined.start < hi and not self._is_overtaken(joined, lo):
                yield joined

    def _leading(self, lo: datetime, hi: datetime) -> Iterator[Stretch]:
        """The stretches that decide: of the surer half, from the last one begun before lo on."""
        if self.backward:
            return self.last.spans(step(lo, "day", -1), hi)
        begun = last_before(self.first, lo)
        return self.first.spans(begun.start if begun else lo, hi)

    def _is_overtaken(self, joined: Stretch, lo: datetime) -> bool:
        """Whether a later start leads to the same end: "Monday to the 20th" begins on the coming Monday."""
        if self.backward or joined.start >= lo:
            return False
        return any(lo <= s.start < joined.end and s.start > joined.start for s in self.first.spans(lo, joined.end))

    def _from_start(self, start: Stretch) -> Stretch | None:
        ahead = self.last.spans(start.start, step(start.start, "year", REACH_YEARS))
        end = next((s for s in ahead if s.start > start.start), None)
        return Stretch(start.start, end.end if self.closed else end.start) if end else None

    def _from_end(self, end: Stretch) -> Stretch | None:
        start = last_before(self.first, end.start)
        return Stretch(start.start, end.end if self.closed else end.start) if start else None


@dataclass(frozen=True, slots=True)
class Lasting:
    """From each start of a series on for a length."""

    base: Series
    length: Length

    def spans(self, lo: datetime, hi: datetime) -> Iterator[Stretch]:
        for found in self.base.spans(self.length.times(-1).after(lo), hi):
            end = self.length.after(found.start)
            if end > lo and found.start < hi:
                yield Stretch(found.start, end)


@dataclass(frozen=True, slots=True)
class Slice:
    """A stretch within each stretch, counted in a grain from its start or (negative) from its end."""

    base: Series
    grain: Grain
    first: int | None
    past: int | None

    def spans(self, lo: datetime, hi: datetime) -> Iterator[Stretch]:
        for found in self.base.spans(lo, hi):
            start, end = self._edge(found, self.first, found.start), self._edge(found, self.past, found.end)
            if end > start and end > lo and start < hi:
                yield Stretch(start, end)

    def _edge(self, found: Stretch, count: int | None, otherwise: datetime) -> datetime:
        if count is None:
            return otherwise
        return step(found.start if count >= 0 else found.end, self.grain, count)


@dataclass(frozen=True, slots=True)
class Offset:
    """The same stretches, moved by hours that lie between another zone's clock and the owner's."""

    base: Series
    seconds: int

    def spans(self, lo: datetime, hi: datetime) -> Iterator[Stretch]:
        moved = timedelta(seconds=self.seconds)
        for found in self.base.spans(lo - moved, hi - moved):
            yield Stretch(found.start + moved, found.end + moved)


def ahead_of(series: Series, moment: datetime) -> Iterator[Stretch]:
    """The stretches not over at `moment`, in order."""
    return series.spans(moment, step(moment, "year", REACH_YEARS))


def last_before(series: Series, moment: datetime, number: int = 1) -> Stretch | None:
    """The last stretch that starts before `moment` (or the n-th last), looked for ever further back."""
    for days in (8, 400, 4500, 36500):
        reach = max(midnight(2, 1, 8), moment - timedelta(days=min(days, (moment - midnight(2, 1, 8)).days)))
        found = [s for s in series.spans(reach, moment) if s.start < moment]
        if len(found) >= number:
            return found[-number]
    return None
