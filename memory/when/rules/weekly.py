"""What returns on weekdays: every Monday, werktags, Mondays to Fridays, every weekday except Friday."""

from memory.when.chart import a
from memory.when.node import Every, Ordinal, Scene, Time
from memory.when.recurrence import WORKDAYS
from memory.when.rules.dialect import (
    ENGLISH,
    GERMAN,
    is_clock,
    is_weekday,
)
from memory.when.rules.returns import with_clock

_WEEKEND = ((0, 5), (0, 6))


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


@ENGLISH.rule("on always", a(Every, lambda e: bool(e.days)))
@GERMAN.rule("immer", a(Every))
def always(_: Scene, every: Every) -> Every:
    return every


def is_weekly(every: Every) -> bool:
    return every.frequency == "WEEKLY" and bool(every.days) and every.clock is None


def _is_one_day(every: Every) -> bool:
    return is_weekly(every) and len(every.days) == 1 and every.interval == 1


@ENGLISH.rule(a(Every, is_weekly), "and , &", "on?", a(Time, is_weekday))
@GERMAN.rule(a(Every, is_weekly), "und ,", a(Time, is_weekday))
def and_weekday(_: Scene, every: Every, day: Time) -> Every:
    return every.but(days=tuple(sorted({*every.days, (0, day.value)})))


@ENGLISH.rule(a(Every, is_weekly), "and , &", "on?", a(Every, is_weekly))
@GERMAN.rule(a(Every, is_weekly), "und ,", a(Every, is_weekly))
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


@ENGLISH.rule(a(Time, is_weekday), "to through -", a(Time, is_weekday), "at ,?", a(Time, is_clock))
@GERMAN.rule(a(Time, is_weekday), "bis -", a(Time, is_weekday), "um ,?", a(Time, is_clock))
@ENGLISH.rule("every", a(Time, is_weekday), "to through -", a(Time, is_weekday), "at ,?", a(Time, is_clock))
@GERMAN.rule("von immer", a(Time, is_weekday), "bis -", a(Time, is_weekday), "um ,?", a(Time, is_clock))
def at_an_hour_on_days_between(scene: Scene, first: Time, last: Time, clock: Time) -> Every | None:
    """Monday to Friday at 8: an hour can't last for days, so it returns."""
    if clock.interval or (clock.latent and clock.grain != "hour"):
        return None
    days = every_day_between(scene, Every(frequency="WEEKLY", days=((0, first.value),)), last)
    return with_clock(days, clock)


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


@ENGLISH.rule(a(Every, lambda e: e.clock is None), "except excluding", "on for?", a(Time, is_weekday))
@ENGLISH.rule(a(Every, lambda e: e.clock is None), "but", "not", "on?", a(Time, is_weekday))
@GERMAN.rule(a(Every, lambda e: e.clock is None), "ausser", "am?", a(Time, is_weekday))
@ENGLISH.rule(a(Every, lambda e: e.clock is None), "except excluding", "on?", a(Every, is_weekly))
@GERMAN.rule(a(Every, lambda e: e.clock is None), "ausser", a(Every, is_weekly))
def except_weekday(_: Scene, every: Every, out: Time | Every) -> Every | None:
    own = every.days or tuple((0, day) for day in range(7))
    unwanted = {day for _, day in out.days} if isinstance(out, Every) else {out.value}
    kept = tuple(pair for pair in own if pair[1] not in unwanted)
    fitting = (
        every.frequency in ("DAILY", "WEEKLY") and every.interval == 1 and (every.days or every.frequency == "DAILY")
    )
    return Every(frequency="WEEKLY", days=kept) if fitting and kept else None


@ENGLISH.rule(a(Time, is_weekday), a(Every, lambda e: e.latent))
def weekday_mornings(_: Scene, day: Time, habit: Every) -> Every:
    return Every(frequency="WEEKLY", days=((0, day.value),), clock=habit.clock)


@ENGLISH.rule(a(Every, lambda e: e.frequency == "WEEKLY" and e.clock is None), a(Every, lambda e: e.latent))
def every_mornings(_: Scene, every: Every, habit: Every) -> Every:
    return every.but(clock=habit.clock)


@ENGLISH.rule(a(Every, lambda e: e.frequency == "WEEKLY" and not e.days), "on", a(Time, is_weekday))
@GERMAN.rule(a(Every, lambda e: e.frequency == "WEEKLY" and not e.days), "am immer?", a(Time, is_weekday))
def weekly_on(_: Scene, every: Every, day: Time) -> Every:
    return every.but(days=((0, day.value),))


@ENGLISH.rule(a(Every, lambda e: e.frequency == "WEEKLY" and not e.days), "on?", a(Every, is_weekly))
@GERMAN.rule(a(Every, lambda e: e.frequency == "WEEKLY" and not e.days), "am immer?", a(Every, is_weekly))
def weekly_ons(_: Scene, every: Every, days: Every) -> Every:
    return every.but(days=days.days)
