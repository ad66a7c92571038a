"""Calendar dates in words: March 3rd, 3. März 2027, the 15th, Monday the 5th."""

from datetime import timedelta

from memory.when.chart import a, words
from memory.when.node import Number, Ordinal, Scene, Time
from memory.when.rules.dialect import ENGLISH, GERMAN, is_day, is_month_name, is_ordinal_day, is_year
from memory.when.series import Both, ahead_of
from memory.when.times import combine, date_in, day_of_month, year

NEAR_DAYS = 90
_OLDEST_SHORT_YEAR = 50
"""Two figures from here on are of the last century."""


def full_year(number: Number) -> int | None:
    if is_year(number):
        return number.value
    if number.digits == 2:
        return number.value + (1900 if number.value >= _OLDEST_SHORT_YEAR else 2000)
    return None


def is_written_year(number: Number) -> bool:
    return number.digits in (2, 4) and full_year(number) is not None


@ENGLISH.rule(a(Number, is_year), cost=0.1)
@GERMAN.rule(a(Number, is_year), cost=0.1)
def bare_year(_: Scene, number: Number) -> Time:
    return year(number.value)


@ENGLISH.rule("in since during year by until till through for", a(Time, lambda t: t.facets == {"year"} and t.latent))
@ENGLISH.rule("in of?", "the?", "year", "of?", a(Time, lambda t: t.facets == {"year"} and t.latent))
@GERMAN.rule("in im seit bis ab jahr jahre jahres", a(Time, lambda t: t.facets == {"year"} and t.latent))
@GERMAN.rule("im in", "jahr jahre", a(Time, lambda t: t.facets == {"year"} and t.latent))
def said_year(_: Scene, time: Time) -> Time:
    return time.but(latent=False)


@ENGLISH.rule(a(Ordinal, is_ordinal_day), cost=0.2)
@GERMAN.rule(a(Ordinal, is_ordinal_day), cost=0.2)
def bare_ordinal(_: Scene, ordinal: Ordinal) -> Time:
    return day_of_month(ordinal.value).but(latent=True)


@ENGLISH.rule("the", a(Ordinal, lambda o: is_ordinal_day(o) and o.value > 3), cost=0.1)
@GERMAN.rule("zum vom dem den der", a(Ordinal, is_ordinal_day), cost=0.1)
def the_ordinal(_: Scene, ordinal: Ordinal) -> Time:
    return day_of_month(ordinal.value).but(doubtful=True)


@ENGLISH.rule("on", "the?", a(Ordinal, is_ordinal_day))
@GERMAN.rule("am", a(Ordinal, is_ordinal_day))
def on_the_ordinal(_: Scene, ordinal: Ordinal) -> Time:
    return day_of_month(ordinal.value)


@ENGLISH.rule("until till", "the?", a(Ordinal, is_ordinal_day))
@GERMAN.rule("bis", "zum?", a(Ordinal, is_ordinal_day))
def until_the_ordinal(_: Scene, ordinal: Ordinal) -> Time:
    return day_of_month(ordinal.value).but(bound="until")


@ENGLISH.rule("by", "the?", a(Ordinal, is_ordinal_day))
@GERMAN.rule("spaetestens", "am zum", a(Ordinal, is_ordinal_day))
@GERMAN.rule("bis", "spaetestens", "zum", a(Ordinal, is_ordinal_day))
def by_the_ordinal(_: Scene, ordinal: Ordinal) -> Time:
    return day_of_month(ordinal.value).but(bound="by")


@ENGLISH.rule("after", "the", a(Ordinal, is_ordinal_day))
@GERMAN.rule("nach", "dem", a(Ordinal, is_ordinal_day))
def after_the_ordinal(_: Scene, ordinal: Ordinal) -> Time:
    return day_of_month(ordinal.value).but(bound="after")


@ENGLISH.rule("from", "the", a(Ordinal, is_ordinal_day), "on onwards")
@GERMAN.rule("ab", "dem?", a(Ordinal, is_ordinal_day))
def from_the_ordinal(_: Scene, ordinal: Ordinal) -> Time:
    return day_of_month(ordinal.value).but(bound="since")


@ENGLISH.rule("on?", "the?", a(Ordinal, is_ordinal_day), "day?", "of", "the", "month", cost=-0.2)
@GERMAN.rule("am zum?", a(Ordinal, is_ordinal_day), "tag?", "des im", "monats monat", cost=-0.2)
def ordinal_of_any_month(_: Scene, ordinal: Ordinal) -> Time:
    """The 1st of the month: the next one that comes."""
    return day_of_month(ordinal.value)


@ENGLISH.rule("the", a(Number, lambda n: is_day(n) and n.digits), cost=0.2)
def the_number(_: Scene, number: Number) -> Time:
    return day_of_month(number.value).but(doubtful=True)


@ENGLISH.rule("on", "the", a(Number, lambda n: is_day(n) and n.digits), cost=0.1)
def on_the_number(_: Scene, number: Number) -> Time:
    return day_of_month(number.value)


@ENGLISH.rule(
    a(Time, lambda t: t.facets == {"weekday"} and not t.latent),
    "the , der den?",
    a(Number, lambda n: is_day(n) and n.value > 12 and n.digits),
    cost=0.1,
)
@GERMAN.rule(
    a(Time, lambda t: t.facets == {"weekday"} and not t.latent),
    "the , der den?",
    a(Number, lambda n: is_day(n) and n.value > 12 and n.digits),
    cost=0.1,
)
def weekday_and_number(scene: Scene, day: Time, number: Number) -> Time | None:
    """Friday 23 is a date when the next such day is near; else it isn't."""
    found = combine(day_of_month(number.value), day)
    ahead = next(iter(ahead_of(found.series, scene.wall)), None) if found else None
    return found if ahead and ahead.start - scene.wall < timedelta(days=NEAR_DAYS) else None


@ENGLISH.rule("the?", a(Ordinal, is_ordinal_day), "day?", "of in?", a(Time, is_month_name))
@GERMAN.rule("der den dem des?", a(Ordinal, is_ordinal_day), "im in?", a(Time, is_month_name))
@GERMAN.rule("der den dem?", a(Ordinal, is_ordinal_day), "tag", "im in des", a(Time, is_month_name))
def ordinal_of_month(_: Scene, ordinal: Ordinal, frame: Time) -> Time:
    return date_in(frame, ordinal.value)


@ENGLISH.rule("the?", a(Number, is_day), "of - /?", a(Time, is_month_name))
@GERMAN.rule(a(Number, is_day), "- /?", a(Time, is_month_name))
def number_of_month(_: Scene, number: Number, frame: Time) -> Time:
    return date_in(frame, number.value)


@ENGLISH.rule(a(Time, is_month_name), "the - / .?", a(Ordinal, is_ordinal_day))
@GERMAN.rule(a(Time, is_month_name), "der den . -?", a(Ordinal, is_ordinal_day))
def month_and_ordinal(_: Scene, frame: Time, ordinal: Ordinal) -> Time:
    return date_in(frame, ordinal.value)


@ENGLISH.rule(a(Time, is_month_name), "the - / .?", a(Number, is_day), cost=0.05)
@GERMAN.rule(a(Time, is_month_name), "der den . -?", a(Number, is_day), cost=0.05)
def month_and_number(_: Scene, frame: Time, number: Number) -> Time:
    return date_in(frame, number.value)


@ENGLISH.rule(a(Time, is_month_name), words(".", glued=True), cost=0.01)
@GERMAN.rule(a(Time, is_month_name), words(".", glued=True), cost=0.01)
@ENGLISH.rule(a(Time, lambda t: t.facets == {"weekday"}), words(".", glued=True), cost=0.01)
@GERMAN.rule(a(Time, lambda t: t.facets == {"weekday"}), words(".", glued=True), cost=0.01)
def abbreviated(_: Scene, time: Time) -> Time:
    return time.but(padded=True)


@ENGLISH.rule(
    a(Time, lambda t: "month" in t.facets and not t.facets & {"year", "clock"}), ", - /?", "of?", a(Number, is_year)
)
@GERMAN.rule(a(Time, lambda t: "month" in t.facets and not t.facets & {"year", "clock"}), ", - /?", a(Number, is_year))
@GERMAN.rule(
    a(Time, lambda t: "month" in t.facets and not t.facets & {"year", "clock"}), "im", "jahr jahre", a(Number, is_year)
)
def with_year(_: Scene, date: Time, number: Number) -> Time:
    frame = year(number.value)
    rest = tuple(Both(frame.series, series) for series in date.rest)
    choices = tuple(Both(frame.series, series) for series in date.choices)
    loose = tuple(Both(frame.series, series) for series in date.loose)
    return date.but(choices=choices, rest=rest, loose=loose, facets=date.facets | {"year"}, later=False, doubtful=False)


def _is_day_and_month(time: Time) -> bool:
    """5 March, before its year: beyond 24 a number of two figures can't be the hour."""
    return time.facets >= {"day", "month"} and not time.facets & {"year", "clock", "part"}


@ENGLISH.rule(
    a(Time, lambda t: t.day > 0 and "month" in t.facets and "year" not in t.facets),
    words("'"),
    a(Number, lambda n: n.digits == 2),
)
@GERMAN.rule(
    a(Time, lambda t: t.day > 0 and "month" in t.facets and "year" not in t.facets),
    words("'"),
    a(Number, lambda n: n.digits == 2),
)
@ENGLISH.rule(a(Time, lambda t: t.facets in ({"holiday"}, {"season"})), words("'"), a(Number, lambda n: n.digits == 2))
@ENGLISH.rule(a(Time, is_month_name), words("'"), a(Number, lambda n: n.digits == 2))
@ENGLISH.rule(a(Time, _is_day_and_month), a(Number, lambda n: n.digits == 2 and n.value > 24), cost=0.1)
@GERMAN.rule(a(Time, _is_day_and_month), a(Number, lambda n: n.digits == 2 and n.value > 24), cost=0.1)
def with_short_year(scene: Scene, date: Time, number: Number) -> Time | None:
    full = full_year(number)
    return with_year(scene, date, Number(full, 4)) if full else None
