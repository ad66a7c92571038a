"""Rules of return: every weekday at 8, jeden Montag, alle zwei Wochen, the last Friday of the month, montags um 9."""

from memory.when.chart import a
from memory.when.grain import Grain
from memory.when.node import Edge, Every, Number, Ordinal, Pointer, Scene, Span, Time, Unit
from memory.when.recurrence import GRAIN_OF, INTERVAL_AT_MOST, WORKDAYS, Frequency
from memory.when.rules.dialect import (
    ENGLISH,
    GERMAN,
    is_clock,
    is_long,
    is_month_name,
    is_ordinal_day,
    is_part,
    is_weekday,
)
from memory.when.series import Both, Clock, OfDay, PartOfYear
from memory.when.times import from_now

_FREQUENCY: dict[Grain, tuple[Frequency, int]] = {grain: (frequency, 1) for frequency, grain in GRAIN_OF.items()}
_FREQUENCY["quarter"] = ("MONTHLY", 3)
_WEEKEND = ((0, 5), (0, 6))


def _every(unit: Unit, count: int = 1) -> Every | None:
    found = _FREQUENCY.get(unit.grain)
    if found is None or not 1 <= count * unit.count * found[1] <= INTERVAL_AT_MOST:
        return None
    return Every(frequency=found[0], interval=count * unit.count * found[1])


@ENGLISH.rule("every each", "single?", a(Unit, is_long))
@ENGLISH.rule("per once", "a?", a(Unit, is_long), cost=0.5)
@GERMAN.rule("jede jeden jedes jeder jedem", a(Unit, is_long))
def every_unit(_: Scene, unit: Unit) -> Every | None:
    return _every(unit)


@ENGLISH.rule("every each", a(Number), a(Unit, is_long))
@GERMAN.rule("alle aller", a(Number), a(Unit, is_long))
def every_few(_: Scene, number: Number, unit: Unit) -> Every | None:
    return _every(unit, number.value)


@ENGLISH.rule("every", "other second", a(Unit, is_long))
@GERMAN.rule("jede jeden jedes jeder", "zweite zweiten zweites zweiter", a(Unit, is_long))
def every_other(_: Scene, unit: Unit) -> Every | None:
    return _every(unit, 2)


@ENGLISH.rule("every", a(Ordinal, lambda o: o.value > 1), a(Unit, is_long))
@GERMAN.rule("jede jeden jedes jeder", a(Ordinal, lambda o: o.value > 1), a(Unit, is_long))
def every_nth(_: Scene, ordinal: Ordinal, unit: Unit) -> Every | None:
    return _every(unit, ordinal.value)


@ENGLISH.rule("every", "half?", a(Span), cost=0.3)
@GERMAN.rule("alle jede", a(Span), cost=0.3)
def every_span(_: Scene, span: Span) -> Every | None:
    minutes = span.length.seconds // 60
    whole = minutes and not span.length.days and not span.length.months and minutes <= INTERVAL_AT_MOST
    return Every(frequency="MINUTELY", interval=minutes) if whole else None


@ENGLISH.rule("every each", a(Time, is_weekday))
@GERMAN.rule("jede jeden jeder jedem", a(Time, is_weekday))
def every_weekday_name(_: Scene, day: Time) -> Every:
    return Every(frequency="WEEKLY", days=((0, day.value),))


@ENGLISH.rule("every", "other second", a(Time, is_weekday))
@GERMAN.rule("jeden", "zweiten", a(Time, is_weekday))
def every_other_weekday(_: Scene, day: Time) -> Every:
    return Every(frequency="WEEKLY", interval=2, days=((0, day.value),))


@ENGLISH.rule("every", a(Ordinal, lambda o: o.value in (3, 4, 5)), a(Time, is_weekday))
@GERMAN.rule("jeden", a(Ordinal, lambda o: o.value in (3, 4, 5)), a(Time, is_weekday))
def every_nth_weekday(_: Scene, ordinal: Ordinal, day: Time) -> Every:
    """Every third Friday: of the month to most, every three weeks to some."""
    often = Every(frequency="WEEKLY", interval=ordinal.value, days=((0, day.value),))
    return Every(frequency="MONTHLY", days=((ordinal.value, day.value),), or_else=often)


@ENGLISH.rule("mondays", "-?")
@GERMAN.rule("montags", "-?")
def mondays(_: Scene) -> Every:
    return Every(frequency="WEEKLY", days=((0, 0),))


@ENGLISH.rule("tuesdays", "-?")
@GERMAN.rule("dienstags", "-?")
def tuesdays(_: Scene) -> Every:
    return Every(frequency="WEEKLY", days=((0, 1),))


@ENGLISH.rule("wednesdays", "-?")
@GERMAN.rule("mittwochs", "-?")
def wednesdays(_: Scene) -> Every:
    return Every(frequency="WEEKLY", days=((0, 2),))


@ENGLISH.rule("thursdays", "-?")
@GERMAN.rule("donnerstags", "-?")
def thursdays(_: Scene) -> Every:
    return Every(frequency="WEEKLY", days=((0, 3),))


@ENGLISH.rule("fridays", "-?")
@GERMAN.rule("freitags", "-?")
def fridays(_: Scene) -> Every:
    return Every(frequency="WEEKLY", days=((0, 4),))


@ENGLISH.rule("saturdays", "-?")
@GERMAN.rule("samstags sonnabends", "-?")
def saturdays(_: Scene) -> Every:
    return Every(frequency="WEEKLY", days=((0, 5),))


@ENGLISH.rule("sundays", "-?")
@GERMAN.rule("sonntags", "-?")
def sundays(_: Scene) -> Every:
    return Every(frequency="WEEKLY", days=((0, 6),))


@ENGLISH.rule("on always", a(Every, lambda e: bool(e.days)))
@GERMAN.rule("immer", a(Every))
def always(_: Scene, every: Every) -> Every:
    return every


def _is_weekly(every: Every) -> bool:
    return every.frequency == "WEEKLY" and bool(every.days) and every.clock is None


def _is_one_day(every: Every) -> bool:
    return _is_weekly(every) and len(every.days) == 1 and every.interval == 1


@ENGLISH.rule(a(Every, _is_weekly), "and , &", "on?", a(Time, is_weekday))
@GERMAN.rule(a(Every, _is_weekly), "und ,", a(Time, is_weekday))
def and_weekday(_: Scene, every: Every, day: Time) -> Every:
    return every.but(days=tuple(sorted({*every.days, (0, day.value)})))


@ENGLISH.rule(a(Every, _is_weekly), "and , &", "on?", a(Every, _is_weekly))
@GERMAN.rule(a(Every, _is_weekly), "und ,", a(Every, _is_weekly))
def and_weekdays(_: Scene, every: Every, more: Every) -> Every:
    return every.but(days=tuple(sorted({*every.days, *more.days})))


@ENGLISH.rule(a(Every, _is_one_day), "to through - till", a(Every, _is_one_day))
@GERMAN.rule(a(Every, _is_one_day), "bis -", a(Every, _is_one_day))
@ENGLISH.rule(a(Every, _is_one_day), "to through -", a(Time, is_weekday))
@GERMAN.rule(a(Every, _is_one_day), "bis -", a(Time, is_weekday))
def every_day_between(_: Scene, first: Every, last: Every | Time) -> Every:
    """Mondays to Fridays."""
    start = first.days[0][1]
    end = last.days[0][1] if isinstance(last, Every) else last.value
    return first.but(days=tuple(sorted((0, (start + n) % 7) for n in range((end - start) % 7 + 1))))


@ENGLISH.rule("every each", "weekday workday")
@ENGLISH.rule("every each", "working business work week", "day")
@ENGLISH.rule("on", "weekdays workdays")
@ENGLISH.rule("weekdays workdays")
@GERMAN.rule("jeden", "werktag wochentag arbeitstag")
@GERMAN.rule("werktags wochentags werktaeglich")
@GERMAN.rule("an", "werktagen wochentagen arbeitstagen")
@GERMAN.rule("unter", "der", "woche")
def workdays(_: Scene) -> Every:
    return Every(frequency="WEEKLY", days=WORKDAYS)


@ENGLISH.rule("every each", "weekend")
@ENGLISH.rule("on at?", "weekends")
@GERMAN.rule("jedes", "wochenende")
@GERMAN.rule("am?", "wochenends")
@GERMAN.rule("an", "wochenenden")
def weekends(_: Scene) -> Every:
    return Every(frequency="WEEKLY", days=_WEEKEND)


@ENGLISH.rule("daily everyday nightly")
@GERMAN.rule("taeglich alltaeglich")
@GERMAN.rule("tagtaeglich")
def daily(_: Scene) -> Every:
    return Every(frequency="DAILY")


@ENGLISH.rule("hourly")
@GERMAN.rule("stuendlich")
def hourly(_: Scene) -> Every:
    return Every(frequency="HOURLY")


@ENGLISH.rule("weekly")
@GERMAN.rule("woechentlich")
def weekly(_: Scene) -> Every:
    return Every(frequency="WEEKLY")


@ENGLISH.rule("biweekly fortnightly")
@ENGLISH.rule("bi", "-", "weekly")
@GERMAN.rule("zweiwoechentlich vierzehntaegig zweiwoechig")
@GERMAN.rule("14", "-?", "taegig taegiglich")
def fortnightly(_: Scene) -> Every:
    return Every(frequency="WEEKLY", interval=2)


@ENGLISH.rule("monthly")
@GERMAN.rule("monatlich")
def monthly(_: Scene) -> Every:
    return Every(frequency="MONTHLY")


@ENGLISH.rule("quarterly")
@GERMAN.rule("vierteljaehrlich quartalsweise")
def quarterly(_: Scene) -> Every:
    return Every(frequency="MONTHLY", interval=3)


@ENGLISH.rule("semiannually semiannual")
@ENGLISH.rule("semi bi", "-", "annually annual")
@GERMAN.rule("halbjaehrlich")
def half_yearly(_: Scene) -> Every:
    return Every(frequency="MONTHLY", interval=6)


@ENGLISH.rule("yearly annually annual")
@GERMAN.rule("jaehrlich alljaehrlich")
def yearly(_: Scene) -> Every:
    return Every(frequency="YEARLY")


@ENGLISH.rule("every each", a(Time, lambda t: is_part(t) or (is_clock(t) and not t.half)))
@GERMAN.rule("jede jeden jeder jedem jedes", a(Time, lambda t: is_part(t) or (is_clock(t) and not t.half)))
def every_part(_: Scene, part: Time) -> Every:
    return Every(frequency="DAILY", clock=part.but(latent=False, doubtful=False))


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


@ENGLISH.rule(a(Every, lambda e: e.clock is None), "except excluding", "on for?", a(Time, is_weekday))
@ENGLISH.rule(a(Every, lambda e: e.clock is None), "but", "not", "on?", a(Time, is_weekday))
@GERMAN.rule(a(Every, lambda e: e.clock is None), "ausser", "am?", a(Time, is_weekday))
@ENGLISH.rule(a(Every, lambda e: e.clock is None), "except excluding", "on?", a(Every, _is_weekly))
@GERMAN.rule(a(Every, lambda e: e.clock is None), "ausser", a(Every, _is_weekly))
def except_weekday(_: Scene, every: Every, out: Time | Every) -> Every | None:
    own = every.days or tuple((0, day) for day in range(7))
    unwanted = {day for _, day in out.days} if isinstance(out, Every) else {out.value}
    kept = tuple(pair for pair in own if pair[1] not in unwanted)
    fitting = (
        every.frequency in ("DAILY", "WEEKLY") and every.interval == 1 and (every.days or every.frequency == "DAILY")
    )
    return Every(frequency="WEEKLY", days=kept) if fitting and kept else None


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


def _takes_clock(every: Every) -> bool:
    return every.frequency not in ("MINUTELY", "HOURLY") and (every.clock is None or "part" in every.clock.facets)


@ENGLISH.rule("in on", "the", a(Every, lambda e: e.latent))
@GERMAN.rule("an in", "den", a(Every, lambda e: e.latent))
def in_the_mornings(_: Scene, habit: Every) -> Every:
    return habit.but(latent=False)


@ENGLISH.rule(a(Time, is_weekday), a(Every, lambda e: e.latent))
def weekday_mornings(_: Scene, day: Time, habit: Every) -> Every:
    return Every(frequency="WEEKLY", days=((0, day.value),), clock=habit.clock)


@ENGLISH.rule(a(Every, lambda e: e.frequency == "WEEKLY" and e.clock is None), a(Every, lambda e: e.latent))
def every_mornings(_: Scene, every: Every, habit: Every) -> Every:
    return every.but(clock=habit.clock)


def _is_hour_of(time: Time) -> bool:
    return is_clock(time) or is_part(time)


@ENGLISH.rule(a(Every, _takes_clock), ", at @ in?", "the?", a(Time, _is_hour_of))
@GERMAN.rule(a(Every, _takes_clock), ", um gegen am in?", "der?", a(Time, _is_hour_of))
def every_at(_: Scene, every: Every, clock: Time) -> Every | None:
    if every.latent:
        return None
    return _with_clock(every, clock)


@ENGLISH.rule(a(Time, _is_hour_of), ",?", a(Every, _takes_clock))
@GERMAN.rule(a(Time, _is_hour_of), ",?", a(Every, _takes_clock))
@ENGLISH.rule("at", a(Time, _is_hour_of), "on?", a(Every, _takes_clock))
def at_every(_: Scene, clock: Time, every: Every) -> Every | None:
    return None if clock.latent and not is_part(clock) else _with_clock(every, clock)


def _with_clock(every: Every, clock: Time) -> Every | None:
    if not isinstance(clock.series, Clock | OfDay):
        return None
    if every.clock is not None:
        return _within_part(every, clock)
    other = _with_clock(every.or_else, clock) if every.or_else else None
    return every.but(clock=clock.but(latent=False, doubtful=False), or_else=other)


def _within_part(every: Every, clock: Time) -> Every | None:
    """Every morning at 7: the part says which half of the day."""
    part = every.clock
    if part is None or not isinstance(clock.series, Clock) or not isinstance(part.series, OfDay):
        return None
    hours = part.series
    second = next(
        (s for s in (clock.series.second + n * 43200 for n in range(3)) if hours.first <= s < hours.past), None
    )
    if second is None or (not clock.half and second != clock.series.second):
        return None
    return every.but(clock=clock.but(choices=(Clock(second % 86400, clock.series.width),), half=False, latent=False))


@ENGLISH.rule(a(Every), ",?", a(Time, lambda t: t.bound == "until"))
@GERMAN.rule(a(Every), ",?", a(Time, lambda t: t.bound == "until"))
def every_until(_: Scene, every: Every, end: Time) -> Every:
    return every.but(until=end)


@ENGLISH.rule(a(Every), ",?", a(Time, lambda t: t.bound == "since"))
@GERMAN.rule(a(Every), ",?", a(Time, lambda t: t.bound == "since"))
def every_since(_: Scene, every: Every, start: Time) -> Every:
    return every.but(start=start)


@ENGLISH.rule(a(Time, lambda t: t.bound in ("since", "until")), ",?", a(Every))
@GERMAN.rule(a(Time, lambda t: t.bound in ("since", "until")), ",?", a(Every))
def bounded_every(_: Scene, bound: Time, every: Every) -> Every:
    return every.but(start=bound) if bound.bound == "since" else every.but(until=bound)


@ENGLISH.rule(a(Every), "for", "the?", "next?", a(Span))
@GERMAN.rule(a(Every), "fuer", "die?", "naechsten?", a(Span))
def every_for(scene: Scene, every: Every, span: Span) -> Every:
    return every.but(until=from_now(scene, span.length))


@ENGLISH.rule(a(Every, lambda e: e.frequency == "WEEKLY" and not e.days), "on", a(Time, is_weekday))
@GERMAN.rule(a(Every, lambda e: e.frequency == "WEEKLY" and not e.days), "am immer?", a(Time, is_weekday))
def weekly_on(_: Scene, every: Every, day: Time) -> Every:
    return every.but(days=((0, day.value),))


@ENGLISH.rule(a(Every, lambda e: e.frequency == "WEEKLY" and not e.days), "on?", a(Every, _is_weekly))
@GERMAN.rule(a(Every, lambda e: e.frequency == "WEEKLY" and not e.days), "am immer?", a(Every, _is_weekly))
def weekly_ons(_: Scene, every: Every, days: Every) -> Every:
    return every.but(days=days.days)
