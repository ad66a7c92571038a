"""What returns every so often, and its hour, start and end: every 20 minutes, jeden Morgen um 7, daily until Friday."""

from memory.when.chart import a
from memory.when.grain import Grain
from memory.when.node import Every, Number, Ordinal, Scene, Span, Time, Unit
from memory.when.recurrence import GRAIN_OF, INTERVAL_AT_MOST, Frequency
from memory.when.rules.dialect import (
    ENGLISH,
    GERMAN,
    is_clock,
    is_long,
    is_part,
)
from memory.when.series import Clock, OfDay
from memory.when.times import from_now

_FREQUENCY: dict[Grain, tuple[Frequency, int]] = {grain: (frequency, 1) for frequency, grain in GRAIN_OF.items()}
_FREQUENCY["quarter"] = ("MONTHLY", 3)


def _every(unit: Unit, count: int = 1) -> Every | None:
    found = _FREQUENCY.get(unit.grain)
    if found is None or not 1 <= count * unit.count * found[1] <= INTERVAL_AT_MOST:
        return None
    return Every(frequency=found[0], interval=count * unit.count * found[1])


@ENGLISH.rule("every each", "single?", a(Unit, is_long))
@ENGLISH.rule("per once", "a?", a(Unit, is_long), cost=0.5)
@GERMAN.rule("einmal", "pro je", a(Unit, is_long))
@GERMAN.rule("einmal", "im", a(Unit, is_long))
@GERMAN.rule("einmal", "in", "der", a(Unit, is_long))
@GERMAN.rule("einmal", "am", a(Unit, is_long))
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


def _takes_clock(every: Every) -> bool:
    return every.frequency not in ("MINUTELY", "HOURLY") and (every.clock is None or "part" in every.clock.facets)


@ENGLISH.rule("in on", "the", a(Every, lambda e: e.latent))
@GERMAN.rule("an in", "den", a(Every, lambda e: e.latent))
def in_the_mornings(_: Scene, habit: Every) -> Every:
    return habit.but(latent=False)


def _is_hour_of(time: Time) -> bool:
    return is_clock(time) or is_part(time)


@ENGLISH.rule(a(Every, _takes_clock), ", at @ in?", "the?", a(Time, _is_hour_of))
@GERMAN.rule(a(Every, _takes_clock), ", um gegen am in?", "der?", a(Time, _is_hour_of))
def every_at(_: Scene, every: Every, clock: Time) -> Every | None:
    if every.latent:
        return None
    return with_clock(every, clock)


@ENGLISH.rule(a(Time, _is_hour_of), ",?", a(Every, _takes_clock))
@GERMAN.rule(a(Time, _is_hour_of), ",?", a(Every, _takes_clock))
@ENGLISH.rule("at", a(Time, _is_hour_of), "on?", a(Every, _takes_clock))
def at_every(_: Scene, clock: Time, every: Every) -> Every | None:
    return None if clock.latent and not is_part(clock) else with_clock(every, clock)


def with_clock(every: Every, clock: Time) -> Every | None:
    if not isinstance(clock.series, Clock | OfDay):
        return None
    if every.clock is not None:
        return _within_part(every, clock)
    other = with_clock(every.or_else, clock) if every.or_else else None
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
