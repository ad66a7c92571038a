"""Times on the clock: 8:30, 3pm, half past three, halb vier, 15h20, Viertel vor acht."""

from memory.when.chart import a, words
from memory.when.node import Number, Scene, Time, Unit, Zone
from memory.when.rules.dialect import ENGLISH, GERMAN, is_clock, is_hour, is_hourly, is_minute
from memory.when.series import Clock, Offset, Series
from memory.when.times import clock

_ROUND = (5, 10, 15, 20, 25)


def _moved(hour: Time, minutes: int) -> Time | None:
    """A full hour moved by minutes, as in "ten to three"."""
    series = hour.series
    if not isinstance(series, Clock):
        return None
    day = 43200 if series.twice else 86400
    moved = Clock((series.second + minutes * 60) % day, 60, series.twice)
    return hour.but(choices=(moved,), grain="minute", latent=False, padded=hour.padded)


@ENGLISH.rule(a(Number, is_hour), cost=0.5)
@GERMAN.rule(a(Number, is_hour), cost=0.5)
def bare_hour(_: Scene, hour: Number) -> Time:
    """ "3" may be an hour, in company."""
    return clock(hour.value, padded=hour.digits == 2 and hour.value < 10).but(latent=True)


@ENGLISH.rule("at @ around about approximately", a(Time, lambda t: is_hourly(t) and t.latent))
@GERMAN.rule("um gegen zirka ca circa ungefaehr etwa", a(Time, lambda t: is_hourly(t) and t.latent))
def at_hour(_: Scene, hour: Time) -> Time:
    return hour.but(latent=False)


@ENGLISH.rule(a(Number, is_hour), words(":", glued=True), a(Number, is_minute, glued=True))
@GERMAN.rule(a(Number, is_hour), words(":", glued=True), a(Number, is_minute, glued=True))
def in_figures(_: Scene, hour: Number, minute: Number) -> Time:
    """8:30 and 15h20; a leading nought is the sign of a 24-hour face."""
    return clock(hour.value, minute.value, padded=hour.digits == 2 and hour.value < 10)


@ENGLISH.rule(a(Number, is_hour), words("h", glued=True), a(Number, is_minute, glued=True))
@GERMAN.rule(a(Number, is_hour), words("h", glued=True), a(Number, is_minute, glued=True))
def with_letter(_: Scene, hour: Number, minute: Number) -> Time:
    """15h20: written so, it is of 24 hours."""
    return clock(hour.value, minute.value, half=False)


@ENGLISH.rule(
    a(Number, is_hour),
    words(":", glued=True),
    a(Number, is_minute, glued=True),
    words(":", glued=True),
    a(Number, is_minute, glued=True),
)
@GERMAN.rule(
    a(Number, is_hour),
    words(":", glued=True),
    a(Number, is_minute, glued=True),
    words(":", glued=True),
    a(Number, is_minute, glued=True),
)
def with_seconds(_: Scene, hour: Number, minute: Number, second: Number) -> Time:
    return clock(hour.value, minute.value, second.value, half=False)


@ENGLISH.rule(a(Number, is_hour), words(".", glued=True), a(Number, is_minute, glued=True), cost=0.3)
@GERMAN.rule(a(Number, is_hour), words(".", glued=True), a(Number, is_minute, glued=True), cost=0.3)
def with_dot(_: Scene, hour: Number, minute: Number) -> Time:
    """8.30 is a time only in company: am, Uhr, "um"."""
    return clock(hour.value, minute.value, padded=hour.digits == 2 and hour.value < 10).but(latent=True, past=False)


@GERMAN.rule("um gegen ab", a(Time, lambda t: is_clock(t) and t.latent))
@ENGLISH.rule("at @", a(Time, lambda t: is_clock(t) and t.latent and t.grain == "minute"))
def at_minute(_: Scene, time: Time) -> Time | None:
    return time.but(latent=False) if time.grain == "minute" else None


@GERMAN.rule(a(Time, lambda t: is_clock(t) and (t.latent or t.grain == "minute")), "uhr")
def uhr(_: Scene, time: Time) -> Time:
    return time.but(latent=False)


@GERMAN.rule(a(Number, is_hour), "uhr", a(Number, lambda n: n.value < 60 and n.digits in (0, 2)))
@GERMAN.rule(a(Number, is_hour), "uhr", "und", a(Number, lambda n: n.value < 60), "minuten")
def uhr_and_minutes(_: Scene, hour: Number, minute: Number) -> Time:
    return clock(hour.value, minute.value, padded=hour.digits == 2 and hour.value < 10)


@GERMAN.rule("ein", "uhr", a(Number, lambda n: n.value < 60 and n.digits in (0, 2)))
def one_uhr_and_minutes(_: Scene, minute: Number) -> Time:
    return clock(1, minute.value)


@GERMAN.rule("ein", "uhr")
def one_uhr(_: Scene) -> Time:
    return clock(1)


@ENGLISH.rule(a(Number, is_hour), words("h", glued=True))
@GERMAN.rule(a(Number, is_hour), "h")
def hour_letter(_: Scene, hour: Number) -> Time:
    return clock(hour.value, half=False).but(latent=hour.value < 13)


@ENGLISH.rule(a(Number, lambda n: n.digits in (3, 4) and n.value % 100 < 60 and n.value < 2400), cost=0.6)
@GERMAN.rule(a(Number, lambda n: n.digits == 4 and n.value % 100 < 60 and n.value < 2400), cost=0.6)
def run_together(_: Scene, number: Number) -> Time:
    """1030, 0730: in company."""
    return clock(number.value // 100, number.value % 100, padded=number.digits == 4 and number.value < 1000).but(
        latent=True
    )


def _half(time: Time, *, afternoon: bool) -> Time | None:
    series = time.series
    if not isinstance(series, Clock):
        return None
    second = series.second % 43200 + (43200 if afternoon else 0)
    return time.but(choices=(Clock(second, series.width),), half=False, latent=False)


@ENGLISH.rule(a(Number, lambda n: is_hour(n) and 1 <= n.value <= 12 and n.digits), words("a", glued=True))
def morning_letter(_: Scene, hour: Number) -> Time:
    """9a, in company."""
    return clock(hour.value % 12, half=False).but(latent=True)


def _is_half(time: Time) -> bool:
    return is_clock(time) and (time.half or time.padded)


@ENGLISH.rule(a(Time, _is_half), words("am"))
@ENGLISH.rule(a(Time, lambda t: _is_half(t) and (t.grain == "minute" or not t.latent)), words("a", glued=True))
@ENGLISH.rule(a(Time, _is_half), words("a"), words(".?", glued=True), words("m"), words(".?", glued=True))
def before_noon(_: Scene, time: Time) -> Time | None:
    return _half(time, afternoon=False)


@ENGLISH.rule(a(Time, _is_half), words("pm"))
@ENGLISH.rule(a(Time, _is_half), words("p", glued=True))
@ENGLISH.rule(a(Time, _is_half), words("p"), words(".?", glued=True), words("m"), words(".?", glued=True))
def after_noon(_: Scene, time: Time) -> Time | None:
    return _half(time, afternoon=True)


@ENGLISH.rule(a(Time, is_hourly), words("oclock"))
@ENGLISH.rule(a(Time, is_hourly), words("o"), words("'?"), words("clock"))
def o_clock(_: Scene, time: Time) -> Time:
    return time.but(latent=False)


@ENGLISH.rule(a(Time, is_hourly), a(Number, lambda n: 10 <= n.value < 60 and n.digits in (0, 2)), cost=0.4)
@ENGLISH.rule(a(Time, is_hourly), "-", a(Number, lambda n: 10 <= n.value < 60 and not n.digits), cost=0.4)
def two_numbers(_: Scene, hour: Time, minute: Number) -> Time | None:
    """Seven thirty; in figures only in company ("at 3 15")."""
    moved = _moved(hour, minute.value) if hour.latent or not minute.digits else None
    return moved.but(latent=bool(minute.digits) or hour.value > 12) if moved else None


@ENGLISH.rule("at @", a(Number, is_hour), a(Number, is_minute))
def at_two_numbers(_: Scene, hour: Number, minute: Number) -> Time:
    return clock(hour.value, minute.value)


@ENGLISH.rule(a(Number, lambda n: is_hour(n) and not n.digits), "oh o ou zero", a(Number, lambda n: 0 < n.value < 10))
def oh_five(_: Scene, hour: Number, minute: Number) -> Time:
    return clock(hour.value, minute.value)


@ENGLISH.rule("half", "past after?", a(Time, is_hourly))
def half_past(_: Scene, hour: Time) -> Time | None:
    return _moved(hour, 30)


@ENGLISH.rule("a?", "quarter", "past after", a(Time, is_hourly))
@GERMAN.rule("viertel", "nach", a(Time, is_hourly))
def quarter_past(_: Scene, hour: Time) -> Time | None:
    return _moved(hour, 15)


@ENGLISH.rule("a?", "quarter", "to till til before of", a(Time, is_hourly))
@GERMAN.rule("viertel", "vor", a(Time, is_hourly))
@GERMAN.rule("dreiviertel", a(Time, is_hourly))
@GERMAN.rule("drei", "viertel", a(Time, is_hourly))
def quarter_to(_: Scene, hour: Time) -> Time | None:
    return _moved(hour, -15)


@GERMAN.rule("viertel", a(Time, lambda t: is_hourly(t) and t.value <= 12))
def quarter_of_hour(_: Scene, hour: Time) -> Time | None:
    """Viertel acht is 7:15, as in the east and south."""
    return _moved(hour, -45)


@GERMAN.rule("halb", a(Time, lambda t: is_hourly(t) and t.value <= 12))
def halfway_to(_: Scene, hour: Time) -> Time | None:
    return _moved(hour, -30)


def _is_round(number: Number) -> bool:
    return (number.value in _ROUND and number.digits != 1) or number.value == 5


@ENGLISH.rule(a(Number, lambda n: 0 < n.value < 60), "past", a(Time, is_hourly))
@ENGLISH.rule(a(Number, _is_round), "after", a(Time, is_hourly))
@GERMAN.rule(a(Number, lambda n: 0 < n.value < 30), "nach", a(Time, is_hourly))
@ENGLISH.rule(a(Number), a(Unit, lambda u: u.grain == "minute"), "past after", a(Time, is_hourly))
@GERMAN.rule(a(Number), a(Unit, lambda u: u.grain == "minute"), "nach", a(Time, is_hourly))
def minutes_past(_: Scene, minutes: Number, *rest: Unit | Time) -> Time | None:
    hour = rest[-1]
    return _moved(hour, minutes.value) if isinstance(hour, Time) else None


@ENGLISH.rule(a(Number, lambda n: _is_round(n) and n.digits > 0), "to till of", a(Time, is_hourly))
def figures_to(_: Scene, minutes: Number, hour: Time) -> Time | None:
    """5 to 6 is a range unless "at" says otherwise."""
    moved = _moved(hour, -minutes.value)
    return moved.but(latent=True) if moved else None


@ENGLISH.rule(a(Number, lambda n: _is_round(n) and not n.digits), "to till of", a(Time, is_hourly))
@ENGLISH.rule(a(Number, _is_round), "before", a(Time, is_hourly))
@GERMAN.rule(a(Number, lambda n: 0 < n.value < 30), "vor", a(Time, is_hourly))
@ENGLISH.rule(a(Number), a(Unit, lambda u: u.grain == "minute"), "to till before", a(Time, is_hourly))
@GERMAN.rule(a(Number), a(Unit, lambda u: u.grain == "minute"), "vor", a(Time, is_hourly))
def minutes_to(_: Scene, minutes: Number, *rest: Unit | Time) -> Time | None:
    hour = rest[-1]
    return _moved(hour, -minutes.value) if isinstance(hour, Time) else None


@GERMAN.rule(a(Number, _is_round), "nach", "halb", a(Time, lambda t: is_hourly(t) and t.value <= 12))
def past_half(_: Scene, minutes: Number, hour: Time) -> Time | None:
    return _moved(hour, -30 + minutes.value)


@GERMAN.rule(a(Number, _is_round), "vor", "halb", a(Time, lambda t: is_hourly(t) and t.value <= 12))
def before_half(_: Scene, minutes: Number, hour: Time) -> Time | None:
    return _moved(hour, -30 - minutes.value)


@ENGLISH.rule(a(Time, lambda t: is_clock(t) and not t.latent), a(Zone))
@GERMAN.rule(a(Time, lambda t: is_clock(t) and not t.latent), a(Zone))
@ENGLISH.rule(a(Time, lambda t: is_clock(t) and not t.latent), "(", a(Zone), ")")
@ENGLISH.rule(a(Time, lambda t: "clock" in t.facets and not is_clock(t)), a(Zone), cost=0.2)
@GERMAN.rule(a(Time, lambda t: "clock" in t.facets and not is_clock(t)), a(Zone), cost=0.2)
def in_zone(scene: Scene, time: Time, zone: Zone) -> Time | None:
    """Said in another zone: moved onto the owner's wall, as that stands now."""
    if any(isinstance(part, Offset) for series in time.choices for part in (series, getattr(series, "first", None))):
        return None
    own = scene.now_at.astimezone(scene.zone).utcoffset()
    moved = round(own.total_seconds()) - zone.seconds if own is not None else 0
    half = time.half and not is_clock(time)
    choices = time.choices if half or not time.half else tuple(_of_24_hours(series) for series in time.choices)
    return time.but(choices=tuple(Offset(series, moved) for series in choices), half=half)


def _of_24_hours(series: Series) -> Series:
    """Who names a zone writes out the hour."""
    return Clock(series.second, series.width) if isinstance(series, Clock) else series
