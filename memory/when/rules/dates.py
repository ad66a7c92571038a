"""Calendar dates in words and figures: March 3rd, 3. März 2027, 2026-03-04, 03/04/2026, Montag der 5."""

from datetime import timedelta

from memory.when.chart import a, words
from memory.when.habits import DAY_FIRST_IN_AMERICA, US_DATES
from memory.when.node import Number, Ordinal, Scene, Time
from memory.when.rules.dialect import ENGLISH, GERMAN, is_day, is_month, is_month_name, is_ordinal_day, is_year
from memory.when.series import Both, Nth, PartOfYear, Units, ahead_of
from memory.when.times import calendar_date, combine, date_in, day_of_month, month, year

NEAR_DAYS = 90
_OLDEST_SHORT_YEAR = 50
"""Two figures from here on are of the last century."""


def _full_year(number: Number) -> int | None:
    if is_year(number):
        return number.value
    if number.digits == 2:
        return number.value + (1900 if number.value >= _OLDEST_SHORT_YEAR else 2000)
    return None


def _written_year(number: Number) -> bool:
    return number.digits in (2, 4) and _full_year(number) is not None


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
def with_short_year(scene: Scene, date: Time, number: Number) -> Time | None:
    full = _full_year(number)
    return with_year(scene, date, Number(full, 4)) if full else None


@ENGLISH.rule(
    a(Number, is_year),
    words("- / ."),
    a(Number, is_month, glued=True),
    words("- / .", glued=True),
    a(Number, is_day, glued=True),
)
@GERMAN.rule(
    a(Number, is_year),
    words("- / ."),
    a(Number, is_month, glued=True),
    words("- / .", glued=True),
    a(Number, is_day, glued=True),
)
def year_first(_: Scene, number_year: Number, number_month: Number, day: Number) -> Time | None:
    return calendar_date(number_year.value, number_month.value, day.value)


@ENGLISH.rule(a(Number, is_year), words("- / .?"), a(Time, is_month_name), words("- / .?"), a(Number, is_day))
@GERMAN.rule(a(Number, is_year), words("- / .?"), a(Time, is_month_name), words("- / .?"), a(Number, is_day))
def year_and_name_first(_: Scene, number_year: Number, frame: Time, day: Number) -> Time | None:
    return calendar_date(number_year.value, frame.value, day.value)


@ENGLISH.rule(a(Number, is_year), words("- /", glued=True), a(Number, is_month, glued=True), cost=0.2)
@GERMAN.rule(a(Number, is_year), words("- /", glued=True), a(Number, is_month, glued=True), cost=0.2)
def year_and_month(_: Scene, number_year: Number, number_month: Number) -> Time | None:
    found = calendar_date(number_year.value, number_month.value, 1)
    return (
        found.but(grain="month", choices=found.rest, day=0, rest=(), facets=frozenset({"month", "year"}))
        if found
        else None
    )


@ENGLISH.rule(a(Number, is_month), words("/ . -", glued=True), a(Number, is_year, glued=True), cost=0.2)
@GERMAN.rule(a(Number, is_month), words("/ . -", glued=True), a(Number, is_year, glued=True), cost=0.2)
def month_and_year(scene: Scene, number_month: Number, number_year: Number) -> Time | None:
    return year_and_month(scene, number_year, number_month)


@ENGLISH.rule(
    a(Number, is_day),
    words("/ - .", glued=True),
    a(Number, is_day, glued=True),
    words("/ - .", glued=True),
    a(Number, _written_year, glued=True),
)
def slashed(scene: Scene, first: Number, second: Number, number_year: Number) -> Time | None:
    """Day and month in the order of the owner's country; where that isn't clear, both."""
    full = _full_year(number_year) or 0
    found = [calendar_date(full, m, d) for m, d in _orders(scene, first.value, second.value)]
    return _either([time for time in found if time])


@ENGLISH.rule(a(Number, is_day), words("/", glued=True), a(Number, is_day, glued=True))
def slashed_short(scene: Scene, first: Number, second: Number) -> Time | None:
    orders = [(m, d) for m, d in _orders(scene, first.value, second.value) if m <= 12]
    found = _either([date_in(month(m), d) for m, d in orders])
    return found.but(doubtful=True) if found else None


def _orders(scene: Scene, first: int, second: int) -> list[tuple[int, int]]:
    """Pairs of month and day, likeliest first."""
    month_first = [(first, second)] if first <= 12 else []
    day_first = [(second, first)] if second <= 12 and first != second else []
    if _is_american(scene):
        return month_first or day_first
    return [*month_first, *day_first] if scene.zone.key.startswith("Etc/") else [*day_first, *month_first]


def _is_american(scene: Scene) -> bool:
    key = scene.zone.key
    return key.startswith(US_DATES) and not key.startswith(DAY_FIRST_IN_AMERICA)


def _either(found: list[Time]) -> Time | None:
    if not found:
        return None
    choices = tuple(series for time in found for series in time.choices)
    rest = found[0].rest if len(found) == 1 else ()
    return found[0].but(choices=choices, rest=rest, day=found[0].day if rest else 0)


@GERMAN.rule(a(Ordinal, lambda o: o.dotted and is_ordinal_day(o)), a(Number, is_month), words(".", glued=True))
@GERMAN.rule(a(Ordinal, is_ordinal_day), a(Ordinal, lambda o: 1 <= o.value <= 12 and not o.dotted))
@GERMAN.rule(
    a(Ordinal, lambda o: not o.dotted and is_ordinal_day(o)), "/?", a(Number, is_month), words(".", glued=True)
)
def dotted(_: Scene, ordinal: Ordinal, number: Number | Ordinal) -> Time:
    return date_in(month(number.value), ordinal.value)


@GERMAN.rule(a(Number, is_day), words("/", glued=True), a(Number, is_month, glued=True), cost=0.1)
def german_slash(_: Scene, day: Number, number: Number) -> Time:
    return date_in(month(number.value), day.value).but(doubtful=True)


@GERMAN.rule(
    "am vom zum bis ab den dem der",
    a(Ordinal, lambda o: o.dotted and is_ordinal_day(o)),
    a(Number, is_month, glued=True),
)
def dotted_open(_: Scene, ordinal: Ordinal, number: Number) -> Time:
    return date_in(month(number.value), ordinal.value)


@GERMAN.rule(
    a(Ordinal, lambda o: o.dotted and is_ordinal_day(o)),
    a(Number, is_month),
    words(".", glued=True),
    a(Number, _written_year, glued=True),
)
@GERMAN.rule(a(Ordinal, lambda o: o.dotted and is_ordinal_day(o)), a(Number, is_month), words("."), a(Number, is_year))
@GERMAN.rule(
    a(Number, is_day),
    words("/ -", glued=True),
    a(Number, is_month),
    words("/ -", glued=True),
    a(Number, _written_year, glued=True),
)
def dotted_with_year(_: Scene, ordinal: Ordinal | Number, number: Number, number_year: Number) -> Time | None:
    full = _full_year(number_year)
    return calendar_date(full, number.value, ordinal.value) if full else None


@GERMAN.rule(a(Ordinal, is_ordinal_day), a(Ordinal, lambda o: 1 <= o.value <= 12), a(Number, is_year))
def ordinals_with_year(_: Scene, ordinal: Ordinal, number: Ordinal, number_year: Number) -> Time | None:
    return calendar_date(number_year.value, number.value, ordinal.value)


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
