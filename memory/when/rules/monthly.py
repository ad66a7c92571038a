"""What returns by month or year: am ersten jedes Monats, the last Friday of every month, every year on 3 March."""

from memory.when.chart import a
from memory.when.node import Edge, Every, Ordinal, Pointer, Scene, Time
from memory.when.recurrence import WORKDAYS
from memory.when.rules.dialect import (
    ENGLISH,
    GERMAN,
    is_month_name,
    is_ordinal_day,
    is_weekday,
)
from memory.when.series import Both, PartOfYear


@ENGLISH.rule("every each", "the?", a(Ordinal, is_ordinal_day))
@GERMAN.rule("jede jeden jedem", a(Ordinal, lambda o: is_ordinal_day(o) and o.dotted))
def every_month_day(_: Scene, ordinal: Ordinal) -> Every:
    return Every(frequency="MONTHLY", month_days=(ordinal.value,))


@ENGLISH.rule("on?", "the?", a(Ordinal, is_ordinal_day), "day?", "of", "every each", "month")
@ENGLISH.rule("on", "the", a(Ordinal, is_ordinal_day), "day?", "monthly")
@GERMAN.rule("am zum jeden an?", a(Ordinal, is_ordinal_day), "tag?", "jedes eines jeden", "monats")
@GERMAN.rule("jeden", a(Ordinal, is_ordinal_day), "tag?", "des", "monats")
@ENGLISH.rule("every each", a(Ordinal, is_ordinal_day), "day?", "of", "the", "month")
@GERMAN.rule("jeden", "monat", "am zum", a(Ordinal, is_ordinal_day))
@ENGLISH.rule("every each", "month", "on", "the?", a(Ordinal, is_ordinal_day))
@ENGLISH.rule("monthly", "on", "the?", a(Ordinal, is_ordinal_day))
@GERMAN.rule("monatlich", "am zum", a(Ordinal, is_ordinal_day))
def day_of_every_month(_: Scene, ordinal: Ordinal) -> Every:
    return Every(frequency="MONTHLY", month_days=(ordinal.value,))


@ENGLISH.rule("on at?", "the?", "last", "day", "of", "every each", "month")
@GERMAN.rule("am", "letzten", "tag?", "jedes jeden eines", "monats")
@GERMAN.rule("jeden", "letzten", "tag?", "des im", "monats monat")
@GERMAN.rule("jeden", "monatsletzten")
def last_day_of_month(_: Scene) -> Every:
    return Every(frequency="MONTHLY", month_days=(-1,))


@ENGLISH.rule("on at?", "the?", "last", "workday weekday", "of", "every each the", "month")
@ENGLISH.rule("on at?", "the?", "last", "business working", "day", "of", "every each the", "month")
@GERMAN.rule("am jeden?", "letzten", "werktag arbeitstag", "des jedes jeden im", "monats monat")
def last_workday(_: Scene) -> Every:
    return Every(frequency="MONTHLY", days=WORKDAYS, position=-1)


@ENGLISH.rule("on at?", "the?", "first", "workday weekday", "of", "every each the", "month")
@ENGLISH.rule("on at?", "the?", "first", "business working", "day", "of", "every each the", "month")
@GERMAN.rule("am jeden?", "ersten", "werktag arbeitstag", "des jedes jeden im", "monats monat")
def first_workday(_: Scene) -> Every:
    return Every(frequency="MONTHLY", days=WORKDAYS, position=1)


@ENGLISH.rule(
    "on?", "the every?", a(Ordinal, lambda o: o.value < 6), a(Time, is_weekday), "of in", "every each", "month"
)
@ENGLISH.rule("every", a(Ordinal, lambda o: o.value < 6), a(Time, is_weekday), "of in", "the a", "month")
@GERMAN.rule("am?", a(Ordinal, lambda o: o.value < 6), a(Time, is_weekday), "jedes jeden", "monats")
@GERMAN.rule("jeden", a(Ordinal, lambda o: o.value < 6), a(Time, is_weekday), "im des", "monat monats")
def nth_weekday_of_month(_: Scene, ordinal: Ordinal, day: Time) -> Every:
    return Every(frequency="MONTHLY", days=((ordinal.value, day.value),))


@ENGLISH.rule("on?", "the?", "last", a(Time, is_weekday), "of in", "every each", "month")
@ENGLISH.rule("every", "last", a(Time, is_weekday), "of in", "the a", "month")
@GERMAN.rule("jeden", a(Pointer, lambda p: p.offset == -1), a(Time, is_weekday), "im des", "monats monat")
@GERMAN.rule("am?", a(Pointer, lambda p: p.offset == -1), a(Time, is_weekday), "jedes jeden", "monats")
def last_weekday_of_month(_: Scene, *nodes: Pointer | Time) -> Every | None:
    day = nodes[-1]
    return Every(frequency="MONTHLY", days=((-1, day.value),)) if isinstance(day, Time) else None


def _is_bare(every: Every) -> bool:
    return not every.days and not every.month_days and every.clock is None


@ENGLISH.rule("at?", a(Edge), a(Every, _is_bare))
@GERMAN.rule("am zu?", a(Edge), a(Every, _is_bare))
def edge_of_every(_: Scene, edge: Edge, every: Every) -> Every | None:
    """At the end of every month: its last day; of every week: Friday."""
    if every.frequency == "MONTHLY":
        return every.but(month_days=({"beginning": 1, "middle": 15}.get(edge.which, -1),))
    if every.frequency == "WEEKLY":
        return every.but(days=((0, {"beginning": 0, "middle": 2}.get(edge.which, 4)),))
    return None


@ENGLISH.rule("every each", a(Time, lambda t: is_month_name(t) and "year" not in t.facets and not t.doubtful))
@GERMAN.rule("jeden", a(Time, lambda t: is_month_name(t) and "year" not in t.facets))
def every_named_month(_: Scene, month: Time) -> Every:
    return Every(frequency="YEARLY", months=(month.value,), month_days=(1,))


@ENGLISH.rule("every each", "year", "on?", a(Time, lambda t: t.facets == {"month", "day"}))
@ENGLISH.rule("yearly annually", "on", a(Time, lambda t: t.facets == {"month", "day"}))
@GERMAN.rule("jedes", "jahr", "am", a(Time, lambda t: t.facets == {"month", "day"}))
@GERMAN.rule("jaehrlich alljaehrlich", "am", a(Time, lambda t: t.facets == {"month", "day"}))
@ENGLISH.rule("every", a(Time, lambda t: t.facets == {"month", "day"}))
@ENGLISH.rule(a(Time, lambda t: t.facets == {"month", "day"}), "every each", "year")
@GERMAN.rule(a(Time, lambda t: t.facets == {"month", "day"}), "jedes jeden", "jahres jahr")
def every_year_on(_: Scene, date: Time) -> Every | None:
    inner = date.rest[0] if date.rest else None
    month = inner.month if isinstance(inner, PartOfYear) else 0
    return (
        Every(frequency="YEARLY", months=(month,), month_days=(date.day,))
        if month and isinstance(date.series, Both)
        else None
    )
