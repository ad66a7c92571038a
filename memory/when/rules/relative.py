"""Times counted from now or from another time: tomorrow, next week, in 20 minutes, two days before Friday."""

from datetime import datetime
from itertools import pairwise

from memory.when.chart import a, words
from memory.when.grain import Grain, Length, floor, length_of, midnight, rank, step
from memory.when.node import Number, Ordinal, Pointer, Scene, Span, Time, Unit
from memory.when.rules.dialect import ENGLISH, GERMAN, is_calendar_unit, is_dated, is_long, is_part, is_weekday
from memory.when.series import Both, Closest, Fixed, Moved, Nth, NthFrom, Series, Units, ahead_of, last_before
from memory.when.times import combine, cycle, days_from, fixed, from_now, part_of_day


@ENGLISH.rule("now immediately")
@GERMAN.rule("jetzt sofort")
@GERMAN.rule("im", "moment")
@ENGLISH.rule("at", "the", "moment")
def now(scene: Scene) -> Time:
    """A filler more often than a time."""
    return right_now(scene).but(doubtful=True)


@ENGLISH.rule("rightnow asap atm")
@ENGLISH.rule("right", "now")
@GERMAN.rule("genau", "jetzt")
def right_now(scene: Scene) -> Time:
    return fixed(floor(scene.wall, "second"), "second", {"date", "clock"}).but(exact=scene.wall, exact_at=scene.now_at)


@ENGLISH.rule("today todays heute")
@ENGLISH.rule("at", "this", "time")
@GERMAN.rule("heute heut today")
@GERMAN.rule("zu", "dieser", "zeit")
def today(scene: Scene) -> Time:
    return days_from(scene, 0)


@ENGLISH.rule("tomorrow tomorow tommorow tommorrow tmrw tmr tmw tomorrows")
@GERMAN.rule("morgen tomorrow")
def tomorrow(scene: Scene) -> Time:
    return days_from(scene, 1)


@ENGLISH.rule("yesterday yesterdays")
@GERMAN.rule("gestern")
def yesterday(scene: Scene) -> Time:
    return days_from(scene, -1)


@ENGLISH.rule("the?", "day", "after", "tomorrow")
@GERMAN.rule("uebermorgen")
@ENGLISH.rule("uebermorgen")
def in_two_days(scene: Scene) -> Time:
    return days_from(scene, 2)


@ENGLISH.rule("the?", "day", "before", "yesterday")
@GERMAN.rule("vorgestern")
def two_days_ago(scene: Scene) -> Time:
    return days_from(scene, -2)


@GERMAN.rule("ueberuebermorgen")
def in_three_days(scene: Scene) -> Time:
    return days_from(scene, 3)


@GERMAN.rule("vorvorgestern")
def three_days_ago(scene: Scene) -> Time:
    return days_from(scene, -3)


@ENGLISH.rule("tonight tonite tonights")
def tonight(scene: Scene) -> Time | None:
    return combine(days_from(scene, 0), part_of_day("tonight"))


@ENGLISH.rule("last", "night")
def last_night(scene: Scene) -> Time | None:
    return combine(days_from(scene, -1), part_of_day("night"))


@GERMAN.rule("morgen", cost=0.2)
def morgen(_: Scene) -> Time:
    """ "Morgen" is the morning only beside a day or an article."""
    return part_of_day("morgen").but(latent=True)


@GERMAN.rule("am der dem diesem den des", a(Time, lambda t: is_part(t) and t.part == "morgen" and t.latent))
def am_morgen(_: Scene, part: Time) -> Time:
    return part.but(latent=False)


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
    return _nth_ahead(scene, thing, 2)


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


def _nth_ahead(scene: Scene, time: Time, number: int) -> Time:
    """The n-th occurrence that starts after today (weekdays) or after now."""
    since = step(floor(scene.wall, "day"), "day") if time.later else scene.wall
    choices: list[Series] = []
    for series in time.choices:
        ahead = [
            s for s, _ in zip((s for s in ahead_of(series, since) if s.start >= since), range(number), strict=False)
        ]
        choices += [Fixed(ahead[-1].start, ahead[-1].end)] if len(ahead) == number else []
    return time.but(
        choices=tuple(choices) or time.choices, later=False, facets=_placed(time), doubtful=False, latent=False
    )


def _placed(time: Time) -> frozenset[str]:
    """A weekday that has become one date."""
    return time.facets - {"weekday"} | {"date"} if "weekday" in time.facets else time.facets | {"year"}


def _previous(scene: Scene, time: Time, number: int) -> Time | None:
    found = last_before(time.series, floor(scene.wall, "day"), number)
    if found and found.end > scene.wall and not time.interval:
        found = last_before(time.series, found.start)
    if not found:
        return None
    return time.but(
        choices=(Fixed(found.start, found.end),),
        later=False,
        past=True,
        facets=_placed(time),
        doubtful=False,
        latent=False,
    )


@ENGLISH.rule(a(Pointer), a(Time, is_weekday))
@GERMAN.rule(a(Pointer), a(Time, is_weekday))
def pointed_weekday(scene: Scene, pointer: Pointer, day: Time) -> Time | None:
    """The next Friday, said on a Monday, is this week's to some and next week's to others."""
    if pointer.offset < 0:
        return _previous(scene, day, -pointer.offset)
    if pointer.offset == 2:
        second, third = _nth_ahead(scene, day, 2), _in_week(scene, day, (2,))
        return second.but(choices=tuple(dict.fromkeys((*second.choices, *third.choices))))
    if pointer.offset == 1 and not pointer.sure and day.value > scene.wall.weekday():
        return _in_week(scene, day, (1, 0) if scene.language == "en" else (0, 1))
    return _nth_ahead(scene, day, 1)


def _in_week(scene: Scene, day: Time, weeks: tuple[int, ...]) -> Time:
    monday = floor(scene.wall, "week")
    starts = [step(monday, "day", 7 * week + day.value) for week in weeks]
    choices = tuple(Fixed(start, step(start, "day")) for start in starts)
    return day.but(choices=choices, later=False, facets=_placed(day), doubtful=False)


@ENGLISH.rule(
    a(Pointer), a(Time, lambda t: t.facets <= {"month", "holiday", "season", "quarter", "day"} and not t.latent)
)
@GERMAN.rule(
    a(Pointer), a(Time, lambda t: t.facets <= {"month", "holiday", "season", "quarter", "day"} and not t.latent)
)
def pointed_time(scene: Scene, pointer: Pointer, time: Time) -> Time | None:
    if time.doubtful and pointer.offset == 0 and time.facets == {"month"}:
        return None
    if pointer.offset < 0:
        return _previous(scene, time, -pointer.offset)
    if pointer.offset == 0:
        return _first(scene, time)
    return _nth_ahead(scene, time, pointer.offset)


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


@ENGLISH.rule(a(Span), cost=0.2)
@ENGLISH.rule("for", a(Span), cost=0.1)
@GERMAN.rule(a(Span), cost=0.2)
@GERMAN.rule("fuer", a(Span), cost=0.1)
def bare_span(scene: Scene, span: Span) -> Time:
    return from_now(scene, span.length).but(duration=True, interval=False)


@ENGLISH.rule("in", "about around just another exactly approximately?", a(Span))
@ENGLISH.rule(a(Span), "from", "now")
@ENGLISH.rule(a(Span), "hence later")
@ENGLISH.rule(a(Span), "from", "today")
@GERMAN.rule("in", "etwa ca circa ungefaehr genau rund zirka?", a(Span))
@GERMAN.rule("heute", "in", a(Span))
@GERMAN.rule(a(Span), "spaeter")
def in_span(scene: Scene, span: Span) -> Time:
    return from_now(scene, span.length)


@ENGLISH.rule("after", a(Span), cost=0.05)
@GERMAN.rule("nach", a(Span), cost=0.05)
def after_span(scene: Scene, span: Span) -> Time:
    return from_now(scene, span.length)


@ENGLISH.rule(
    "in", a(Number, lambda n: 0 < n.digits < 3), words("h", glued=True), a(Number, lambda n: n.digits == 2, glued=True)
)
@GERMAN.rule(
    "in", a(Number, lambda n: 0 < n.digits < 3), words("h", glued=True), a(Number, lambda n: n.digits == 2, glued=True)
)
def in_hours_and_minutes(scene: Scene, hour: Number, minute: Number) -> Time:
    """In 2h30: a length here, a time of day elsewhere."""
    return from_now(scene, length_of(hour.value * 60 + minute.value, "minute"))


@ENGLISH.rule("in", "a", "half", "an?", "hour")
def in_half_an_hour(scene: Scene) -> Time:
    return from_now(scene, Length(seconds=1800, grain="minute"))


@ENGLISH.rule(a(Span), "ago back")
@ENGLISH.rule(a(Span), "before", "now")
@GERMAN.rule("vor", "etwa ca circa ungefaehr genau rund?", a(Span))
def span_ago(scene: Scene, span: Span) -> Time:
    return from_now(scene, span.length.times(-1))


@ENGLISH.rule("within", "the?", "next?", a(Span))
@ENGLISH.rule("in", "the", "next", a(Span), cost=0.5)
@GERMAN.rule("binnen innerhalb", "von der?", "naechsten?", a(Span))
def within_span(scene: Scene, span: Span) -> Time:
    return from_now(scene, span.length).but(bound="by")


@ENGLISH.rule(a(Span), "after from", a(Time, lambda t: not t.latent and not t.duration))
@GERMAN.rule(a(Span), "nach ab", a(Time, lambda t: not t.latent and not t.duration))
@GERMAN.rule(a(Span), "nach", "dem der", a(Time, lambda t: not t.latent and not t.duration))
def span_after(scene: Scene, span: Span, time: Time) -> Time:
    return _moved(_pinned(scene, time), span.length)


@ENGLISH.rule(a(Span), "before to", a(Time, lambda t: not t.latent and not t.duration))
@GERMAN.rule(a(Span), "vor", a(Time, lambda t: not t.latent and not t.duration))
@GERMAN.rule(a(Span), "vor", "dem der", a(Time, lambda t: not t.latent and not t.duration))
def span_before(scene: Scene, span: Span, time: Time) -> Time:
    return _moved(_pinned(scene, time), span.length.times(-1))


def _pinned(scene: Scene, time: Time) -> Time:
    """What comes every day, week or month is counted from its next time; holidays may lie on either side of now."""
    short = time.facets <= {"weekday", "day", "clock", "part", "weekend"}
    return _nth_ahead(scene, time, 1) if short else time


@ENGLISH.rule(a(Time, is_weekday), "week")
@ENGLISH.rule("a", "week", "on", a(Time, is_weekday))
def weekday_week(scene: Scene, day: Time) -> Time:
    """Friday week, in British use: a week after Friday."""
    return _moved(_nth_ahead(scene, day, 1), Length(days=7, grain="day"))


def _moved(time: Time, length: Length) -> Time:
    grain: Grain = min(time.grain, "minute" if length.seconds else "day", key=rank)
    if length.seconds == 0 and rank(time.grain) < rank("day"):
        grain = time.grain
    facets = frozenset({"date", "clock"}) if rank(grain) < rank("day") else frozenset({"date"})
    choices = tuple(Moved(series, length, grain) for series in time.choices)
    return Time(choices=choices, grain=grain, facets=facets, half=False, interval=False)


@ENGLISH.rule(a(Number), a(Time, is_weekday), "from", "now today")
@ENGLISH.rule("in", a(Number), a(Time, is_weekday))
def weekdays_from_now(scene: Scene, number: Number, day: Time) -> Time | None:
    return _nth_ahead(scene, day, number.value) if 0 < number.value < 60 else None


@ENGLISH.rule(a(Number), a(Time, is_weekday), "ago back")
def weekdays_ago(scene: Scene, number: Number, day: Time) -> Time | None:
    return _previous(scene, day, number.value) if 0 < number.value < 60 else None


@ENGLISH.rule(a(Time, is_weekday), "in", a(Span, lambda s: s.length.grain in ("week", "month", "year")))
@GERMAN.rule(a(Time, is_weekday), "in", a(Span, lambda s: s.length.grain in ("week", "month", "year")))
def weekday_in_span(scene: Scene, day: Time, span: Span) -> Time:
    week = (
        cycle(scene, "week", span.length.days // 7)
        if not span.length.months
        else fixed(floor(span.length.after(scene.wall), "week"), "week", {"week"})
    )
    return day.but(choices=tuple(Both(week.series, s) for s in day.choices), later=False, facets=_placed(day))


@ENGLISH.rule(a(Time, is_weekday), a(Span, lambda s: s.length.grain == "week"), "ago")
@GERMAN.rule(a(Time, is_weekday), "vor", a(Span, lambda s: s.length.grain == "week"))
def weekday_span_ago(scene: Scene, day: Time, span: Span) -> Time:
    return weekday_in_span(scene, day, Span(span.length.times(-1)))


@ENGLISH.rule(a(Time, lambda t: t.facets == {"holiday"}), "in?", a(Span), "ago?")
@GERMAN.rule(a(Time, lambda t: t.facets == {"holiday"}), "in", a(Span))
def holiday_in_span(scene: Scene, day: Time, span: Span) -> Time | None:
    aim = span.length.after(scene.wall)
    found = last_before(day.series, step(aim, "day", 200))
    return day.but(choices=(Fixed(found.start, found.end),), facets=frozenset({"date"})) if found else None


@ENGLISH.rule(
    "the?",
    a(Ordinal),
    a(Time, lambda t: t.facets <= {"weekday", "weekend"}),
    "of in this from on",
    "the?",
    a(Time, lambda t: not t.half),
)
@ENGLISH.rule(
    "the?",
    a(Ordinal),
    a(Time, lambda t: t.facets <= {"weekday", "weekend"}),
    a(Time, lambda t: t.facets <= {"month", "year"}),
)
@GERMAN.rule(
    "der den dem am?",
    a(Ordinal),
    a(Time, lambda t: t.facets <= {"weekday", "weekend"}),
    "im in des der von?",
    a(Time, lambda t: not t.half),
)
def nth_weekday(_: Scene, ordinal: Ordinal, day: Time, frame: Time) -> Time | None:
    return _nth(ordinal.value, day, frame)


@ENGLISH.rule(
    "the?",
    "last",
    a(Time, lambda t: t.facets <= {"weekday", "weekend"}),
    "of in",
    "the?",
    a(Time, lambda t: not t.half),
)
@GERMAN.rule(
    a(Pointer, lambda p: p.offset == -1),
    a(Time, lambda t: t.facets <= {"weekday", "weekend"}),
    "im in des der von?",
    a(Time, lambda t: not t.half),
)
def last_weekday(_: Scene, *nodes: Pointer | Time) -> Time | None:
    day, frame = nodes[-2:]
    return _nth(-1, day, frame) if isinstance(day, Time) and isinstance(frame, Time) else None


def _is_frame(time: Time) -> bool:
    return bool(time.facets & {"month", "year", "quarter", "season", "week"}) and not time.facets & {
        "day",
        "weekday",
        "clock",
        "part",
    }


@ENGLISH.rule("the?", a(Ordinal), a(Unit, is_calendar_unit), "of in", "the?", a(Time, _is_frame))
@GERMAN.rule("der die das den dem?", a(Ordinal), a(Unit, is_calendar_unit), "im in des der von", a(Time, _is_frame))
def nth_unit(_: Scene, ordinal: Ordinal, unit: Unit, frame: Time) -> Time | None:
    return _nth(ordinal.value, _every(unit), frame)


@ENGLISH.rule("the?", "last", a(Unit, is_calendar_unit), "of in", "the?", a(Time, _is_frame))
@GERMAN.rule(a(Pointer, lambda p: p.offset == -1), a(Unit, is_calendar_unit), "im in des der von?", a(Time, _is_frame))
def last_unit(_: Scene, *nodes: Pointer | Unit | Time) -> Time | None:
    unit, frame = nodes[-2:]
    return _nth(-1, _every(unit), frame) if isinstance(unit, Unit) and isinstance(frame, Time) else None


@ENGLISH.rule("the?", a(Ordinal), "last", a(Unit, is_calendar_unit), "of in", "the?", a(Time, _is_frame))
@ENGLISH.rule("the?", a(Ordinal), "last", a(Time, is_weekday), "of in", "the?", a(Time, _is_frame))
@GERMAN.rule(
    a(Ordinal), "letzte letzter letzten letztes", a(Unit, is_calendar_unit), "im in des der", a(Time, _is_frame)
)
def nth_last(_: Scene, ordinal: Ordinal, thing: Unit | Time, frame: Time) -> Time | None:
    return _nth(-ordinal.value, _every(thing) if isinstance(thing, Unit) else thing, frame)


@GERMAN.rule(
    "vorletzte vorletzter vorletzten vorletztes", a(Unit, is_calendar_unit), "im in des der", a(Time, _is_frame)
)
@GERMAN.rule("vorletzte vorletzter vorletzten vorletztes", a(Time, is_weekday), "im in des der", a(Time, _is_frame))
def last_but_one(_: Scene, thing: Unit | Time, frame: Time) -> Time | None:
    return _nth(-2, _every(thing) if isinstance(thing, Unit) else thing, frame)


@ENGLISH.rule(a(Ordinal), a(Time, is_weekday), "after", a(Time, is_dated))
@ENGLISH.rule(a(Ordinal), a(Unit, is_calendar_unit), "after", a(Time, is_dated))
@GERMAN.rule(a(Ordinal), a(Time, is_weekday), "nach", a(Time, is_dated))
def nth_after(_: Scene, ordinal: Ordinal, thing: Time | Unit, base: Time) -> Time | None:
    inner = _every(thing) if isinstance(thing, Unit) else thing
    return _from(ordinal.value, inner, base)


@ENGLISH.rule(a(Time, is_weekday), "after following", a(Time, lambda t: is_dated(t) and not t.facets & {"weekday"}))
@GERMAN.rule(a(Time, is_weekday), "nach", a(Time, lambda t: is_dated(t) and not t.facets & {"weekday"}))
def first_after(_: Scene, thing: Time, base: Time) -> Time | None:
    return _from(1, thing, base)


@ENGLISH.rule("the?", a(Time, is_weekday), "before", a(Time, lambda t: is_dated(t) and not t.facets & {"weekday"}))
@GERMAN.rule(a(Time, is_weekday), "vor", a(Time, lambda t: is_dated(t) and not t.facets & {"weekday"}))
def last_ahead_of(_: Scene, thing: Time, base: Time) -> Time | None:
    return _from(-1, thing, base)


@ENGLISH.rule("the", "day", "after", a(Time, is_dated))
@GERMAN.rule("der am einen ein", "tag", "nach", a(Time, is_dated))
def day_after(_: Scene, base: Time) -> Time:
    return _moved(base, Length(days=1, grain="day"))


@ENGLISH.rule("the", "day night", "before", a(Time, is_dated))
@GERMAN.rule("der am einen ein", "tag abend", "vor", a(Time, is_dated))
def day_before(_: Scene, base: Time) -> Time:
    return _moved(base, Length(days=-1, grain="day"))


@ENGLISH.rule("the?", "week", "of starting beginning", "the?", a(Time, is_dated))
@GERMAN.rule("die der?", "woche", "vom des ab mit", a(Time, is_dated))
def week_of(scene: Scene, base: Time) -> Time | None:
    found = next(iter(ahead_of(base.series, scene.wall)), None)
    return fixed(floor(found.start, "week"), "week", {"week"}) if found else None


@ENGLISH.rule("the?", "closest nearest", a(Time, lambda t: t.facets <= {"weekday", "holiday"}), "to", a(Time, is_dated))
@GERMAN.rule(
    "der die das?",
    "naechstgelegene naechstgelegener naechstgelegenen",
    a(Time, lambda t: t.facets <= {"weekday", "holiday"}),
    "zum zu",
    a(Time, is_dated),
)
def closest(_: Scene, thing: Time, base: Time) -> Time:
    return _closest(1, thing, base)


@ENGLISH.rule(
    "the?",
    a(Ordinal),
    "closest nearest",
    a(Time, lambda t: t.facets <= {"weekday", "holiday"}),
    "to",
    a(Time, is_dated),
)
def nth_closest(_: Scene, ordinal: Ordinal, thing: Time, base: Time) -> Time | None:
    return _closest(ordinal.value, thing, base) if 0 < ordinal.value < 10 else None


def _closest(number: int, thing: Time, base: Time) -> Time:
    choices = tuple(Closest(number, thing.series, series) for series in base.choices)
    return thing.but(choices=choices, later=False, facets=frozenset({"date"}))


def _from(number: int, inner: Time, base: Time) -> Time | None:
    choices = tuple(NthFrom(number, inner.series, series) for series in base.choices)
    return inner.but(choices=choices, later=False, facets=frozenset({"date"}))


def _nth(number: int, inner: Time, frame: Time) -> Time | None:
    if not _is_frame(frame) or not 0 < abs(number) < 60:
        return None
    choices = tuple(Nth(number, inner.series, series) for series in frame.choices)
    return inner.but(
        choices=choices,
        later=False,
        facets=(frame.facets | {"day"}) - {"week"} if inner.grain == "day" else frozenset({"week"}),
        latent=False,
    )


def _every(unit: Unit) -> Time:
    return Time(
        choices=(Units(unit.grain),), grain=unit.grain, facets=frozenset({"day" if unit.grain == "day" else unit.grain})
    )
