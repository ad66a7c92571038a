"""From one time to another, and from one on for a while: 9:30-11, 13 to 15 July, vom 14. bis 16.10., Friday for two hours."""

from memory.when.chart import a
from memory.when.grain import rank
from memory.when.node import Number, Ordinal, Scene, Span, Time
from memory.when.rules.dialect import ENGLISH, GERMAN, is_clock, is_day, is_ordinal_day, is_weekday
from memory.when.series import Both, DayOfMonth, Lasting, Offset, Reach, Series
from memory.when.times import combine, days_from


def _is_open(time: Time) -> bool:
    return time.bound == "at" and not time.duration


@ENGLISH.rule(a(Time, _is_open), "- to till til until through thru ~", "the?", a(Time, _is_open))
@ENGLISH.rule(
    "from", "the?", a(Time, _is_open), "- to till til until through thru", "the?", a(Time, _is_open), cost=-0.1
)
@ENGLISH.rule("between", "the?", a(Time, _is_open), "- and to", "the?", a(Time, _is_open), cost=-0.1)
@ENGLISH.rule("later", "than", a(Time, _is_open), "but and", "before", a(Time, _is_open), cost=-0.1)
@GERMAN.rule(a(Time, _is_open), "- bis", "zum zur um?", "den dem?", a(Time, _is_open))
@GERMAN.rule(
    "von vom", "dem der?", a(Time, _is_open), "- bis auf", "zum zur um?", "den dem?", a(Time, _is_open), cost=-0.1
)
@GERMAN.rule("zwischen", "dem der den?", a(Time, _is_open), "und", "dem der den?", a(Time, _is_open), cost=-0.1)
def between(scene: Scene, first: Time, last: Time) -> Time | None:
    """Both ends said as times; one of them surely so."""
    if first.latent and last.latent:
        return None
    return _clocks(scene, first, last) if "clock" in first.facets or "clock" in last.facets else _dates(first, last)


@ENGLISH.rule(
    "from between",
    a(Time, lambda t: is_clock(t) and t.latent),
    "- to and till until",
    a(Time, lambda t: is_clock(t) and t.latent),
)
@GERMAN.rule(
    "von zwischen",
    a(Time, lambda t: is_clock(t) and t.latent),
    "- bis und",
    a(Time, lambda t: is_clock(t) and t.latent),
)
def between_numbers(scene: Scene, first: Time, last: Time) -> Time | None:
    """From 9 to 5 is of hours only beside a day."""
    found = _clocks(scene, first.but(latent=False), last.but(latent=False))
    return found.but(latent=True) if found else None


def _clocks(scene: Scene, first: Time, last: Time) -> Time | None:
    if not (is_clock(last) and "clock" in first.facets) or first.interval or last.interval:
        return _instants(scene, first, last)
    if (first.latent and not is_clock(first)) or isinstance(first.series, Offset) != isinstance(last.series, Offset):
        return None
    backward = first.half and not last.half
    if backward and not is_clock(first):
        return None
    choices: tuple[Series, ...] = tuple(
        Reach(f, t, closed=False, backward=backward) for f, t in zip(first.choices[:1], last.choices[:1], strict=True)
    )
    grain = min(first.grain, last.grain, key=rank)
    return first.but(choices=choices, grain=grain, interval=True, latent=False, half=first.half and last.half, value=-1)


def _instants(scene: Scene, first: Time, last: Time) -> Time | None:
    """From now until six, from Friday 9:00 to Monday 17:00."""
    if first.latent or last.latent or "clock" not in first.facets or first.interval or last.interval:
        return None
    if is_clock(first):
        first = combine(days_from(scene, 0), first) or first
    return first.but(
        choices=(Reach(first.series, last.series, closed="clock" not in last.facets),),
        interval=True,
        doubtful=False,
        facets=first.facets | last.facets,
        half=first.half,
        exact=None,
        exact_at=None,
    )


def _dates(first: Time, last: Time) -> Time | None:
    if first.facets & {"part"} or last.facets & {"part"} or first.latent or last.latent or last.interval:
        return _years(first, last)
    if first.facets == {"day"} and last.rest:
        return _shared_month(first.day, last)
    start = first.choices[0]
    year_said = bool(last.facets & {"year"}) and not first.facets & {"year", "date", "week"} and "month" in first.facets
    choices: tuple[Series, ...] = (Reach(start, last.series, closed=True, backward=year_said),)
    grain = min(first.grain, last.grain, key=rank)
    return Time(choices=choices, grain=grain, facets=frozenset({"date"}), interval=True, later=False)


def _years(first: Time, last: Time) -> Time | None:
    if first.facets != {"year"} or last.facets != {"year"}:
        return None
    return Time(
        choices=(Reach(first.series, last.series, closed=True),),
        grain="year",
        facets=frozenset({"date"}),
        interval=True,
    )


@ENGLISH.rule(
    "from between",
    a(Time, lambda t: t.facets == {"year"} and t.latent),
    "- to and till until through thru",
    a(Time, lambda t: t.facets == {"year"}),
)
@GERMAN.rule(
    "von zwischen",
    a(Time, lambda t: t.facets == {"year"} and t.latent),
    "- und bis",
    a(Time, lambda t: t.facets == {"year"}),
)
@ENGLISH.rule(
    a(Time, lambda t: t.facets == {"year"} and t.latent),
    "- to through",
    a(Time, lambda t: t.facets == {"year"}),
    cost=0.3,
)
@GERMAN.rule(
    a(Time, lambda t: t.facets == {"year"} and t.latent), "- bis", a(Time, lambda t: t.facets == {"year"}), cost=0.3
)
def between_years(_: Scene, first: Time, last: Time) -> Time | None:
    return _years(first, last)


def _has_day(time: Time) -> bool:
    return time.day > 0 and bool(time.rest) and time.bound == "at" and "clock" not in time.facets


@ENGLISH.rule(
    "from between?", "the?", a(Number, is_day), "- to and till until through", "the?", a(Time, _has_day), cost=-0.05
)
@ENGLISH.rule(
    "from between?",
    "the?",
    a(Ordinal, is_ordinal_day),
    "- to and till until through",
    "the?",
    a(Time, _has_day),
    cost=-0.05,
)
@GERMAN.rule(
    "von vom zwischen?", "dem?", a(Ordinal, is_ordinal_day), "- bis und", "zum den dem?", a(Time, _has_day), cost=-0.05
)
@GERMAN.rule("von vom zwischen?", "dem?", a(Number, is_day), "- bis und", "zum den dem?", a(Time, _has_day), cost=-0.05)
def day_to_date(_: Scene, first: Number | Ordinal, last: Time) -> Time:
    """13 to 15 July: the month serves both."""
    return _shared_month(first.value, last)


def _shared_month(day: int, last: Time) -> Time:
    """A day before the last in its month, or if it is a higher one, in the month before."""
    own = DayOfMonth(day)
    starts = [Both(rest, own) if day < last.day else own for rest in last.rest]
    choices = tuple(
        Reach(start, series, closed=True, backward=True) for start, series in zip(starts, last.choices, strict=False)
    )
    return last.but(choices=choices, interval=True, facets=frozenset({"date"}), day=0, rest=(), later=False)


@ENGLISH.rule("from between?", a(Time, _has_day), "- to and till until through", "the?", a(Number, is_day))
@ENGLISH.rule("from between?", a(Time, _has_day), "- to and till until through", "the?", a(Ordinal, is_ordinal_day))
@GERMAN.rule("von vom zwischen?", a(Time, _has_day), "- bis und", "zum den dem?", a(Ordinal, is_ordinal_day))
def date_to_day(_: Scene, first: Time, last: Number | Ordinal) -> Time | None:
    """July 13-15."""
    if last.value <= first.day:
        return None
    ends = tuple(Both(rest, DayOfMonth(last.value)) for rest in first.rest)
    choices = tuple(Reach(series, end, closed=True) for series, end in zip(first.choices, ends, strict=False))
    return first.but(choices=choices, interval=True, facets=frozenset({"date"}), day=0, rest=(), later=False)


@ENGLISH.rule(a(Time, is_weekday), "- to till through", a(Time, is_weekday))
@GERMAN.rule(a(Time, is_weekday), "- bis", a(Time, is_weekday))
def weekdays(scene: Scene, first: Time, last: Time) -> Time | None:
    return _dates(first, last)


@ENGLISH.rule(a(Time, lambda t: _is_open(t) and not t.latent), "for", a(Span))
@GERMAN.rule(a(Time, lambda t: _is_open(t) and not t.latent), "fuer", a(Span))
def lasting(_: Scene, start: Time, span: Span) -> Time | None:
    if span.length.seconds and rank(start.grain) >= rank("day"):
        return None
    choices = tuple(Lasting(series, span.length) for series in start.choices)
    return start.but(choices=choices, interval=True)


@ENGLISH.rule(a(Time, lambda t: t.bound == "at" and "clock" in t.facets), "until till til", a(Time, is_clock))
def clock_until(scene: Scene, first: Time, last: Time) -> Time | None:
    return _clocks(scene, first, last)


@ENGLISH.rule(
    a(Time, lambda t: bool(t.facets & {"weekday", "date", "day"}) and "clock" not in t.facets),
    "from between",
    a(Time, lambda t: t.interval and t.facets == {"clock"}),
)
@GERMAN.rule(
    a(Time, lambda t: bool(t.facets & {"weekday", "date", "day"}) and "clock" not in t.facets),
    "von zwischen",
    a(Time, lambda t: t.interval and t.facets == {"clock"}),
)
def day_and_range(_: Scene, day: Time, hours: Time) -> Time | None:
    return combine(day, hours)
