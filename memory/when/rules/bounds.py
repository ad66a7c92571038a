"""Words that lean on a time: until Friday, by noon, ab Montag, later this week."""

from memory.when.chart import a
from memory.when.grain import floor, step
from memory.when.node import Scene, Time
from memory.when.rules.dialect import ENGLISH, GERMAN, is_clock
from memory.when.rules.joins import is_plain
from memory.when.series import Fixed, ahead_of


@ENGLISH.rule("until till til", a(Time, is_plain))
@ENGLISH.rule("not?", "up", "to until", a(Time, is_plain))
@ENGLISH.rule("through thru", a(Time, lambda t: is_plain(t) and not is_clock(t)))
@GERMAN.rule("bis", "einschliesslich inklusive inkl?", "zum zur um in am?", "den dem der?", a(Time, is_plain))
def until(_: Scene, time: Time) -> Time:
    return time.but(bound="until", doubtful=False)


@ENGLISH.rule("until till til", a(Time, lambda t: is_clock(t) and t.latent and t.grain == "hour"))
@GERMAN.rule("bis", a(Time, lambda t: is_clock(t) and t.latent and t.grain == "hour"), cost=0.3)
def until_hour(_: Scene, time: Time) -> Time:
    return time.but(bound="until", latent=False)


@ENGLISH.rule("by", a(Time, is_plain), cost=-0.1)
@ENGLISH.rule("no not", "later", "than", a(Time, is_plain))
@ENGLISH.rule("by", "the", a(Time, is_plain), cost=-0.1)
@GERMAN.rule("spaetestens", "am um bis?", a(Time, is_plain))
@GERMAN.rule("bis", "spaetestens", "am um zum?", a(Time, is_plain))
def by(_: Scene, time: Time) -> Time:
    return time.but(bound="by", doubtful=False)


@ENGLISH.rule("by", a(Time, lambda t: is_clock(t) and t.latent and t.grain == "hour"))
def by_hour(_: Scene, time: Time) -> Time:
    return time.but(bound="by", latent=False)


@ENGLISH.rule("before", "the?", a(Time, is_plain))
@GERMAN.rule("vor", "dem der?", a(Time, is_plain))
def before(_: Scene, time: Time) -> Time:
    return time.but(bound="before", doubtful=False)


@ENGLISH.rule(
    "later",
    "in on?",
    "the?",
    a(
        Time,
        lambda t: (
            is_plain(t) and bool(t.facets & {"date", "week", "month", "year"}) and not t.facets & {"day", "clock"}
        ),
    ),
)
@GERMAN.rule(
    "spaeter noch",
    a(
        Time,
        lambda t: (
            is_plain(t)
            and bool(t.facets & {"date", "week", "month", "year"})
            and not t.facets & {"day", "clock", "part"}
        ),
    ),
    cost=0.1,
)
@GERMAN.rule(a(Time, lambda t: t.facets == {"date"} and t.grain == "day" and not t.interval), "spaeter", cost=0.1)
def later(scene: Scene, time: Time) -> Time | None:
    """Later this week: what is left of it after today; later today: after now."""
    found = next(iter(ahead_of(time.series, scene.wall)), None)
    if time.interval or found is None:
        return None
    start = floor(scene.wall, "minute") if time.grain == "day" else step(floor(scene.wall, "day"), "day")
    if not found.start <= start < found.end:
        return None
    return time.but(choices=(Fixed(start, found.end),), interval=True, grain="hour" if time.grain == "day" else "day")


@ENGLISH.rule("after", "the?", a(Time, is_plain))
@ENGLISH.rule("later", "than", a(Time, is_plain))
@GERMAN.rule("nach", "dem der?", a(Time, is_plain))
def after(_: Scene, time: Time) -> Time:
    return time.but(bound="after", doubtful=False)


@ENGLISH.rule("after", a(Time, lambda t: is_clock(t) and t.latent and t.grain == "hour"))
def after_hour(_: Scene, time: Time) -> Time:
    return time.but(bound="after", latent=False)


@ENGLISH.rule("since", "the?", a(Time, is_plain))
@GERMAN.rule("seit", "dem der?", a(Time, is_plain))
def past_since(_: Scene, time: Time) -> Time:
    """Since Monday: the last one."""
    return time.but(bound="since", doubtful=False, past=time.past or not is_clock(time), later=False)


@ENGLISH.rule("from starting beginning", "on from?", a(Time, is_plain), cost=0.2)
@ENGLISH.rule("from", a(Time, is_plain), "on onward onwards")
@GERMAN.rule("ab", "dem der?", a(Time, is_plain), cost=0.1)
@GERMAN.rule("von", a(Time, is_plain), "an")
@GERMAN.rule("fruehestens", "ab um am?", a(Time, is_plain))
@GERMAN.rule("nicht", "vor", a(Time, is_plain))
@ENGLISH.rule("not", "before", a(Time, is_plain))
def since(_: Scene, time: Time) -> Time:
    return time.but(bound="since", doubtful=False)
