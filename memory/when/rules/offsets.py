"""Times so long from now or from another time: in 20 minutes, two days before Friday, a week tomorrow."""

from memory.when.chart import a, words
from memory.when.grain import Grain, Length, floor, length_of, rank, step
from memory.when.node import Number, Scene, Span, Time
from memory.when.rules.dialect import ENGLISH, GERMAN, is_dated, is_weekday
from memory.when.rules.pointers import nth_ahead, placed, previous
from memory.when.series import Both, Fixed, Moved, Series, ahead_of, last_before
from memory.when.times import clock, combine, fixed, from_now


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
@GERMAN.rule("heute", "in", a(Span, lambda s: s.length.grain not in ("week", "month", "year")))
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
    return moved(pinned(scene, time), span.length)


@ENGLISH.rule(a(Span), "before to", a(Time, lambda t: not t.latent and not t.duration))
@GERMAN.rule(a(Span), "vor", a(Time, lambda t: not t.latent and not t.duration))
@GERMAN.rule(a(Span), "vor", "dem der", a(Time, lambda t: not t.latent and not t.duration))
def span_before(scene: Scene, span: Span, time: Time) -> Time:
    return moved(pinned(scene, time), span.length.times(-1))


def pinned(scene: Scene, time: Time) -> Time:
    """What comes every day, week or month is counted from its next time; holidays may lie on either side of now."""
    short = time.facets <= {"weekday", "day", "clock", "part", "weekend"}
    return nth_ahead(scene, time, 1) if short else time


@ENGLISH.rule(a(Time, is_weekday), "week")
@ENGLISH.rule("a", "week", "on?", a(Time, is_weekday))
@ENGLISH.rule(a(Time, lambda t: t.facets == {"date"} and t.grain == "day" and not t.interval), "week")
@ENGLISH.rule("a", "week", a(Time, lambda t: t.facets == {"date"} and t.grain == "day" and not t.interval))
def weekday_week(scene: Scene, day: Time) -> Time:
    """Friday week, a week tomorrow: in British use, a week after."""
    return moved(nth_ahead(scene, day, 1) if "weekday" in day.facets else day, Length(days=7, grain="day"))


def moved(time: Time, length: Length) -> Time:
    grain: Grain = min(time.grain, "minute" if length.seconds else "day", key=rank)
    if length.seconds == 0 and rank(time.grain) < rank("day"):
        grain = time.grain
    facets = frozenset({"date", "clock"}) if rank(grain) < rank("day") else frozenset({"date"})
    choices = tuple(Moved(series, length, grain) for series in time.choices)
    return Time(choices=choices, grain=grain, facets=facets, half=False, interval=False)


@ENGLISH.rule(a(Number), a(Time, is_weekday), "from", "now today")
@ENGLISH.rule("in", a(Number), a(Time, is_weekday))
def weekdays_from_now(scene: Scene, number: Number, day: Time) -> Time | None:
    return nth_ahead(scene, day, number.value) if 0 < number.value < 60 else None


@ENGLISH.rule(a(Number), a(Time, is_weekday), "ago back")
def weekdays_ago(scene: Scene, number: Number, day: Time) -> Time | None:
    return previous(scene, day, number.value) if 0 < number.value < 60 else None


def _is_one_day(time: Time) -> bool:
    return (
        time.facets == {"date"}
        and time.grain == "day"
        and not time.interval
        and time.exact is None
        and time.bound == "at"
    )


@ENGLISH.rule(a(Time, is_weekday), "in", a(Span, lambda s: s.length.grain in ("week", "month", "year")))
@GERMAN.rule(a(Time, is_weekday), "in", a(Span, lambda s: s.length.grain in ("week", "month", "year")))
def weekday_in_span(scene: Scene, day: Time, span: Span) -> Time:
    """Friday in two weeks: of the week after next; a day already gone this week may be counted from the coming one."""
    aim = floor(span.length.after(scene.wall), "week")
    choices: tuple[Series, ...] = tuple(Both(Fixed(aim, step(aim, "week")), series) for series in day.choices)
    if span.length.days > 0 and day.value <= scene.wall.weekday():
        choices = (*_moved_on(nth_ahead(scene, day, 1), span), *choices)
    return day.but(choices=choices, later=False, facets=placed(day))


def _moved_on(day: Time, span: Span) -> tuple[Series, ...]:
    return moved(day, span.length).choices


@GERMAN.rule(a(Time, is_weekday), "in", a(Span, lambda s: s.length.grain == "day" and s.length.days in (8, 14, 15)))
def weekday_in_days(scene: Scene, day: Time, span: Span) -> Time:
    """Montag in acht Tagen: Monday in a week, and in vierzehn: in two."""
    return weekday_in_span(scene, day, Span(Length(days=7 if span.length.days == 8 else 14, grain="week")))


@GERMAN.rule(a(Time, _is_one_day), "in", a(Span, lambda s: s.length.grain in ("week", "month", "year")))
@ENGLISH.rule(a(Time, _is_one_day), "in", a(Span, lambda s: s.length.grain in ("week", "month", "year")))
def day_in_span(_: Scene, day: Time, span: Span) -> Time:
    """Morgen in einer Woche."""
    return moved(day, span.length)


@GERMAN.rule(a(Time, _is_one_day), "vor", a(Span, lambda s: s.length.grain in ("week", "month", "year")))
@ENGLISH.rule(a(Span, lambda s: s.length.grain in ("week", "month", "year")), "ago", a(Time, _is_one_day))
def day_span_ago(_: Scene, *nodes: Time | Span) -> Time | None:
    day = next((node for node in nodes if isinstance(node, Time)), None)
    span = next((node for node in nodes if isinstance(node, Span)), None)
    return moved(day, span.length.times(-1)).but(past=True) if day and span else None


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


@ENGLISH.rule("this same", "time", a(Time, is_dated))
@ENGLISH.rule("the", "same", "time", a(Time, is_dated))
@GERMAN.rule(a(Time, is_dated), "um", "diese dieselbe", "zeit uhrzeit")
@GERMAN.rule(a(Time, is_dated), "zur", "gleichen selben", "zeit uhrzeit")
def this_time(scene: Scene, day: Time) -> Time | None:
    """This time tomorrow: at the hour and minute it is now."""
    return combine(day, clock(scene.wall.hour, scene.wall.minute, half=False))


@ENGLISH.rule("the", "day", "after", a(Time, is_dated))
@GERMAN.rule("der am einen ein", "tag", "nach", a(Time, is_dated))
def day_after(_: Scene, base: Time) -> Time:
    return moved(base, Length(days=1, grain="day"))


@ENGLISH.rule("the", "day night", "before", a(Time, is_dated))
@GERMAN.rule("der am einen ein", "tag abend", "vor", a(Time, is_dated))
def day_before(_: Scene, base: Time) -> Time:
    return moved(base, Length(days=-1, grain="day"))


@ENGLISH.rule("the?", "week", "of starting beginning", "the?", a(Time, is_dated))
@GERMAN.rule("die der?", "woche", "vom des ab mit", a(Time, is_dated))
def week_of(scene: Scene, base: Time) -> Time | None:
    found = next(iter(ahead_of(base.series, scene.wall)), None)
    return fixed(floor(found.start, "week"), "week", {"week"}) if found else None
