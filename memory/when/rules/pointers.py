"""This, next, last: next week, kommenden Freitag, the next three days, March after next."""

from datetime import datetime
from itertools import pairwise

from memory.when.chart import a
from memory.when.grain import floor, length_of, midnight, rank, step
from memory.when.node import Number, Pointer, Scene, Span, Time, Unit
from memory.when.rules.dialect import ENGLISH, GERMAN, is_calendar_unit, is_long, is_part, is_weekday
from memory.when.series import Both, Fixed, Series, Units, ahead_of, last_before
from memory.when.times import combine, cycle, days_from


@ENGLISH.rule(a(Pointer), a(Unit, is_long))
@GERMAN.rule(a(Pointer), a(Unit, is_long))
@ENGLISH.rule("the", a(Pointer), a(Unit, is_long))
@GERMAN.rule("der die das den dem des", a(Pointer), a(Unit, is_long))
def pointed_unit(scene: Scene, pointer: Pointer, unit: Unit) -> Time | None:
    doubtful = rank(unit.grain) < rank("hour") and pointer.offset == 0
    return None if doubtful else cycle(scene, unit.grain, pointer.offset, unit.count)


@ENGLISH.rule("the?", a(Unit, is_calendar_unit), "after", "next")
def unit_after_next(scene: Scene, unit: Unit) -> Time:
    return cycle(scene, unit.grain, 2)


@GERMAN.rule(a(Unit, is_calendar_unit), "nach", "der dem", a(Pointer, lambda p: p.offset == 1))
@GERMAN.rule(a(Time, is_weekday), "nach", "der dem", a(Pointer, lambda p: p.offset == 1))
@ENGLISH.rule(a(Time, lambda t: t.facets <= {"weekday", "month", "holiday", "weekend"}), "after", "next")
def after_next(scene: Scene, thing: Unit | Time, *_: Pointer) -> Time:
    if isinstance(thing, Unit):
        return cycle(scene, thing.grain, 2)
    return nth_ahead(scene, thing, 2)


@ENGLISH.rule("the", a(Unit, is_calendar_unit), cost=0.3)
@GERMAN.rule("der die das den dem des im", a(Unit, is_calendar_unit), cost=0.3)
def the_unit(scene: Scene, unit: Unit) -> Time:
    """The month: in company ("the end of the month") this one, or the next when that is over."""
    return _running(scene, unit)


@ENGLISH.rule(a(Unit, is_calendar_unit), cost=0.5)
def bare_unit(scene: Scene, unit: Unit) -> Time:
    return _running(scene, unit)


def _running(scene: Scene, unit: Unit) -> Time:
    return cycle(scene, unit.grain, 0).but(latent=True, choices=(Units(unit.grain),))


def nth_ahead(scene: Scene, time: Time, number: int) -> Time:
    """The n-th occurrence that starts after today (weekdays) or after now."""
    since = step(floor(scene.wall, "day"), "day") if time.later else scene.wall
    choices: list[Series] = []
    for series in time.choices:
        ahead = [
            s for s, _ in zip((s for s in ahead_of(series, since) if s.start >= since), range(number), strict=False)
        ]
        choices += [Fixed(ahead[-1].start, ahead[-1].end)] if len(ahead) == number else []
    return time.but(
        choices=tuple(choices) or time.choices, later=False, facets=placed(time), doubtful=False, latent=False
    )


def placed(time: Time) -> frozenset[str]:
    """A weekday that has become one date."""
    return time.facets - {"weekday"} | {"date"} if "weekday" in time.facets else time.facets | {"year"}


def previous(scene: Scene, time: Time, number: int) -> Time | None:
    found = last_before(time.series, floor(scene.wall, "day"), number)
    if found and found.end > scene.wall and not time.interval:
        found = last_before(time.series, found.start)
    if not found:
        return None
    return time.but(
        choices=(Fixed(found.start, found.end),),
        later=False,
        past=True,
        facets=placed(time),
        doubtful=False,
        latent=False,
    )


@ENGLISH.rule(a(Pointer), a(Time, is_weekday))
@GERMAN.rule(a(Pointer), a(Time, is_weekday))
def pointed_weekday(scene: Scene, pointer: Pointer, day: Time) -> Time | None:
    """The next Friday, said on a Monday, is this week's to some and next week's to others."""
    if pointer.offset < 0:
        return previous(scene, day, -pointer.offset)
    if pointer.offset == 2:
        second, third = nth_ahead(scene, day, 2), _in_week(scene, day, (2,))
        return second.but(choices=tuple(dict.fromkeys((*second.choices, *third.choices))))
    if pointer.offset == 1 and not pointer.sure and day.value > scene.wall.weekday():
        return _in_week(scene, day, (1, 0) if scene.language == "en" else (0, 1))
    return nth_ahead(scene, day, 1)


def _in_week(scene: Scene, day: Time, weeks: tuple[int, ...]) -> Time:
    monday = floor(scene.wall, "week")
    starts = [step(monday, "day", 7 * week + day.value) for week in weeks]
    choices = tuple(Fixed(start, step(start, "day")) for start in starts)
    return day.but(choices=choices, later=False, facets=placed(day), doubtful=False)


@ENGLISH.rule(
    a(Pointer), a(Time, lambda t: t.facets <= {"month", "holiday", "season", "quarter", "day"} and not t.latent)
)
@GERMAN.rule(
    a(Pointer), a(Time, lambda t: t.facets <= {"month", "holiday", "season", "quarter", "day"} and not t.latent)
)
def pointed_time(scene: Scene, pointer: Pointer, time: Time) -> Time | None:
    if time.doubtful and pointer.offset == 0 and time.facets & {"month"}:
        return None
    if pointer.offset < 0:
        return previous(scene, time, -pointer.offset)
    if pointer.offset == 0:
        return _first(scene, time)
    return nth_ahead(scene, time, pointer.offset)


def _first(scene: Scene, time: Time) -> Time | None:
    found = next(iter(ahead_of(time.series, scene.wall)), None)
    return (
        time.but(choices=(Fixed(found.start, found.end),), facets=time.facets | {"year"}, doubtful=False)
        if found
        else None
    )


@ENGLISH.rule("this", a(Time, lambda t: "season" in t.facets))
@ENGLISH.rule(a(Pointer), "season seasons")
@GERMAN.rule(a(Pointer), "jahreszeit")
def pointed_season(scene: Scene, pointer: Pointer | Time) -> Time | None:
    if isinstance(pointer, Time):
        return _first(scene, pointer)
    starts = sorted(_season_starts(scene.wall.year))
    here = max(i for i, (start, _) in enumerate(starts) if start <= scene.wall) + pointer.offset
    start, end = starts[here]
    return Time(
        choices=(Fixed(start, step(end, "day", 0)),), grain="day", facets=frozenset({"season", "year"}), interval=True
    )


def _season_starts(year: int) -> list[tuple[datetime, datetime]]:
    days = [midnight(y, m, d) for y in range(year - 2, year + 4) for m, d in ((3, 20), (6, 21), (9, 23), (12, 21))]
    return list(pairwise(days))


@ENGLISH.rule(a(Pointer), a(Time, lambda t: t.facets == {"weekend"} or (t.facets == {"week"} and t.interval)))
@GERMAN.rule(a(Pointer), a(Time, lambda t: t.facets == {"weekend"} or (t.facets == {"week"} and t.interval)))
def pointed_weekend(scene: Scene, pointer: Pointer, weekend: Time) -> Time | None:
    week = cycle(scene, "week", pointer.offset)
    asked = pointer.offset == 1 and not pointer.sure and weekend.facets == {"weekend"} and scene.wall.weekday() < 5
    weeks = [week, cycle(scene, "week", 0)] if asked else [week]
    if pointer.offset == 1 and pointer.sure and scene.wall.weekday() < 5 and weekend.facets == {"weekend"}:
        weeks = [cycle(scene, "week", 0)]
    choices = tuple(Both(w.series, weekend.series) for w in weeks)
    return weekend.but(
        choices=choices, facets=(weekend.facets | {"week"}) - {"weekend"}, past=pointer.offset < 0, grain="day"
    )


@ENGLISH.rule(a(Pointer), a(Time, is_part))
@GERMAN.rule(a(Pointer), a(Time, is_part))
def pointed_part(scene: Scene, pointer: Pointer, part: Time) -> Time | None:
    return (
        combine(days_from(scene, pointer.offset), part.but(latent=False, doubtful=False))
        if abs(pointer.offset) < 2
        else None
    )


@ENGLISH.rule("the?", a(Pointer, lambda p: p.offset), a(Span))
@GERMAN.rule("die den der?", a(Pointer, lambda p: p.offset), a(Span))
def pointed_span(scene: Scene, pointer: Pointer, span: Span) -> Time:
    """The next three days: whole ones, from the next on."""
    grain = span.length.grain
    start = floor(scene.wall, grain)
    if pointer.offset > 0:
        start = step(start, grain)
    end = span.length.times(1 if pointer.offset > 0 else -1).after(start)
    low, high = min(start, end), max(start, end)
    return Time(
        choices=(Fixed(low, high),), grain=grain, facets=frozenset({"date"}), interval=True, past=pointer.offset < 0
    )


@ENGLISH.rule(a(Number), a(Pointer, lambda p: p.offset), a(Unit, is_long))
def counted_pointed(scene: Scene, number: Number, pointer: Pointer, unit: Unit) -> Time:
    return pointed_span(scene, pointer, Span(length_of(number.value * unit.count, unit.grain)))


@ENGLISH.rule(
    "the?",
    a(Pointer, lambda p: p.offset > 0),
    a(Number, lambda n: n.value > 1),
    a(Unit, lambda u: is_long(u) and not u.plural),
    cost=-0.1,
)
def nth_upcoming(scene: Scene, pointer: Pointer, number: Number, unit: Unit) -> Time:
    """A singular unit is one, the n-th: "the upcoming two week"."""
    return cycle(scene, unit.grain, pointer.offset * number.value, unit.count)


@ENGLISH.rule(
    "the?",
    a(Number, lambda n: n.value > 1),
    a(Pointer, lambda p: p.offset > 0),
    a(Unit, lambda u: is_long(u) and not u.plural),
    cost=-0.1,
)
def upcoming_nth(scene: Scene, number: Number, pointer: Pointer, unit: Unit) -> Time:
    return cycle(scene, unit.grain, pointer.offset * number.value, unit.count)
