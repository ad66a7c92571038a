"""Quarters and numbered weeks: Q3 2026, the third quarter, KW 12."""

from memory.when.chart import a
from memory.when.node import Number, Ordinal, Scene, Time
from memory.when.rules.dates import full_year
from memory.when.rules.dialect import ENGLISH, GERMAN, is_year
from memory.when.series import Both, Nth, PartOfYear, Units
from memory.when.times import year


@ENGLISH.rule(a(Ordinal, lambda o: 1 <= o.value <= 4), "quarter qtr")
@GERMAN.rule(a(Ordinal, lambda o: 1 <= o.value <= 4), "quartal")
def nth_quarter(_: Scene, ordinal: Ordinal) -> Time:
    return _quarter(ordinal.value)


@ENGLISH.rule("q", a(Number, lambda n: 1 <= n.value <= 4 and n.digits == 1, glued=True))
@GERMAN.rule("q", a(Number, lambda n: 1 <= n.value <= 4 and n.digits == 1, glued=True))
def q_quarter(_: Scene, number: Number) -> Time:
    return _quarter(number.value)


def _quarter(number: int) -> Time:
    return Time(choices=(PartOfYear(number * 3 - 2, 3),), grain="quarter", facets=frozenset({"quarter"}))


@ENGLISH.rule(a(Time, lambda t: t.facets == {"quarter"}), "of , - /?", a(Number, is_year))
@GERMAN.rule(a(Time, lambda t: t.facets == {"quarter"}), "von , - /?", a(Number, is_year))
def quarter_of_year(_: Scene, quarter: Time, number: Number) -> Time:
    frame = fixed_year(number)
    return quarter.but(choices=(Both(frame.series, quarter.series),), facets=frozenset({"quarter", "year"}))


@ENGLISH.rule(a(Number, is_year), "- /?", a(Time, lambda t: t.facets == {"quarter"}))
@GERMAN.rule(a(Number, is_year), "- /?", a(Time, lambda t: t.facets == {"quarter"}))
def year_and_quarter(scene: Scene, number: Number, quarter: Time) -> Time:
    return quarter_of_year(scene, quarter, number)


@ENGLISH.rule(a(Number, lambda n: n.digits == 2), a(Time, lambda t: t.facets == {"quarter"}, glued=True))
@GERMAN.rule(a(Number, lambda n: n.digits == 2), a(Time, lambda t: t.facets == {"quarter"}, glued=True))
def short_year_and_quarter(scene: Scene, number: Number, quarter: Time) -> Time | None:
    """18Q4."""
    full = full_year(number)
    return quarter_of_year(scene, quarter, Number(full, 4)) if full else None


@ENGLISH.rule("week wk", "#?", a(Number, lambda n: 0 < n.value < 54 and n.digits), cost=0.1)
@GERMAN.rule("kw kalenderwoche woche", a(Number, lambda n: 0 < n.value < 54 and n.digits), cost=0.1)
def numbered_week(_: Scene, number: Number) -> Time:
    """Weeks as ISO 8601 counts them."""
    return Time(choices=(Nth(number.value, Units("week"), Units("year")),), grain="week", facets=frozenset({"week"}))


@ENGLISH.rule("week wk", "#?", a(Number, lambda n: 0 < n.value < 54 and n.digits), "of in , /?", a(Number, is_year))
@GERMAN.rule(
    "kw kalenderwoche woche", a(Number, lambda n: 0 < n.value < 54 and n.digits), "in im von , /?", a(Number, is_year)
)
def week_of_year(_: Scene, number: Number, number_year: Number) -> Time:
    series = Nth(number.value, Units("week"), fixed_year(number_year).series)
    return Time(choices=(series,), grain="week", facets=frozenset({"week"}))


def fixed_year(number: Number) -> Time:
    """A year that may stand by itself."""
    return year(number.value).but(latent=False)
