"""Dates in figures: 2026-03-04, 3.4.2026, 03/04/2026 in the order of the owner's country."""

from memory.when.chart import a, words
from memory.when.habits import DAY_FIRST_IN_AMERICA, US_DATES
from memory.when.node import Number, Ordinal, Scene, Time
from memory.when.rules.dates import full_year, is_written_year
from memory.when.rules.dialect import ENGLISH, GERMAN, is_day, is_month, is_month_name, is_ordinal_day, is_year
from memory.when.times import calendar_date, date_in, month


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
    words("/ -", glued=True),
    a(Number, is_day, glued=True),
    words("/ -", glued=True),
    a(Number, is_written_year, glued=True),
)
def slashed(scene: Scene, first: Number, second: Number, number_year: Number) -> Time | None:
    """Day and month in the order of the owner's country; where that isn't clear, both."""
    full = full_year(number_year) or 0
    found = [calendar_date(full, m, d) for m, d in _orders(scene, first.value, second.value)]
    return _either([time for time in found if time])


@ENGLISH.rule(
    a(Number, is_day),
    words(".", glued=True),
    a(Number, is_day, glued=True),
    words(".", glued=True),
    a(Number, is_written_year, glued=True),
)
def dotted_in_english(scene: Scene, first: Number, second: Number, number_year: Number) -> Time | None:
    """Who writes dots puts the day first, except in America."""
    full = full_year(number_year) or 0
    orders = [(second.value, first.value), (first.value, second.value)]
    found = [calendar_date(full, m, d) for m, d in (orders[::-1] if _is_american(scene) else orders)]
    return next((time for time in found if time), None)


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
    a(Number, is_written_year, glued=True),
)
@GERMAN.rule(a(Ordinal, lambda o: o.dotted and is_ordinal_day(o)), a(Number, is_month), words("."), a(Number, is_year))
@GERMAN.rule(
    a(Number, is_day),
    words("/ -", glued=True),
    a(Number, is_month),
    words("/ -", glued=True),
    a(Number, is_written_year, glued=True),
)
def dotted_with_year(_: Scene, ordinal: Ordinal | Number, number: Number, number_year: Number) -> Time | None:
    full = full_year(number_year)
    return calendar_date(full, number.value, ordinal.value) if full else None


@GERMAN.rule(a(Ordinal, is_ordinal_day), a(Ordinal, lambda o: 1 <= o.value <= 12), a(Number, is_year))
def ordinals_with_year(_: Scene, ordinal: Ordinal, number: Ordinal, number_year: Number) -> Time | None:
    return calendar_date(number_year.value, number.value, ordinal.value)
