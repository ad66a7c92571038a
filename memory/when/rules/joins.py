"""How times stand together: prepositions before them, two side by side, the edges of one, words that lean on one."""

from memory.when.chart import a, words
from memory.when.grain import floor, step
from memory.when.node import Edge, Scene, Time
from memory.when.rules.dialect import ENGLISH, GERMAN, is_clock, is_dated, is_part
from memory.when.series import Both, Fixed, Slice, ahead_of
from memory.when.times import DAYS, combine, cycle, days_from, fixed

_EDGES: dict[tuple[str, str], tuple[str, int | None, int | None]] = {
    ("beginning", "day"): ("hour", None, 12),
    ("middle", "day"): ("hour", 12, 17),
    ("end", "day"): ("hour", 17, None),
    ("beginning", "week"): ("day", None, 3),
    ("middle", "week"): ("day", 2, 4),
    ("end", "week"): ("day", 4, None),
    ("beginning", "month"): ("day", None, 10),
    ("middle", "month"): ("day", 10, 20),
    ("end", "month"): ("day", 20, None),
    ("beginning", "quarter"): ("month", None, 1),
    ("middle", "quarter"): ("month", 1, 2),
    ("end", "quarter"): ("month", 2, None),
    ("beginning", "year"): ("month", None, 3),
    ("middle", "year"): ("month", 4, 8),
    ("end", "year"): ("month", 8, None),
}
"""Where the beginning, middle and end of a unit lie in it: thirds, roughly, as people speak."""


def _is_plain(time: Time) -> bool:
    return not time.latent and time.bound == "at" and not time.duration


@ENGLISH.rule("on for", a(Time, lambda t: is_dated(t) and t.bound == "at"))
@ENGLISH.rule("at over during on", a(Time, lambda t: bool(t.facets & {"holiday", "weekend"})))
@ENGLISH.rule(
    "in during",
    "the?",
    a(
        Time,
        lambda t: bool(t.facets & {"month", "year", "season", "quarter", "week"}) and not t.facets & {"clock", "part"},
    ),
)
@ENGLISH.rule("in during", "the", a(Time, is_part))
@ENGLISH.rule("at during over", "the?", a(Time, is_part))
@ENGLISH.rule("at around about by", a(Time, lambda t: is_clock(t) and not t.latent), cost=0.05)
@GERMAN.rule("am an zu", "den dem?", a(Time, lambda t: is_dated(t) and t.bound == "at" and t.facets != {"date"}))
@GERMAN.rule("fuer", "den dem?", a(Time, lambda t: is_dated(t) and t.bound == "at"))
@GERMAN.rule("am zum ueber", "das dem?", a(Time, lambda t: "weekend" in t.facets))
@GERMAN.rule(
    "im in",
    "dem der den?",
    a(
        Time,
        lambda t: bool(t.facets & {"month", "year", "season", "quarter", "week"}) and not t.facets & {"clock", "part"},
    ),
)
@GERMAN.rule("am in gegen zu zum zur", "den der dem?", a(Time, is_part))
@GERMAN.rule("um gegen zirka ca circa ungefaehr etwa zu", a(Time, lambda t: is_clock(t) and not t.latent), cost=0.05)
def said_with_preposition(_: Scene, time: Time) -> Time:
    return time.but(doubtful=False, latent=False)


@GERMAN.rule("punkt schlag", a(Time, lambda t: is_clock(t) and t.grain == "hour"))
def on_the_dot(_: Scene, time: Time) -> Time:
    return time.but(latent=False)


@GERMAN.rule(
    a(Time, lambda t: is_dated(t) and t.bound == "at"),
    words("t", glued=True),
    a(Time, lambda t: is_clock(t) and not t.latent, glued=True),
)
@ENGLISH.rule(
    a(Time, lambda t: is_dated(t) and t.bound == "at"),
    words("t", glued=True),
    a(Time, lambda t: is_clock(t) and not t.latent, glued=True),
)
def iso_pair(_: Scene, day: Time, clock: Time) -> Time | None:
    return combine(day, clock)


@ENGLISH.rule(
    "exactly approximately about around roughly sharp circa sometime only like say just", a(Time, _is_plain), cost=0.02
)
@GERMAN.rule(
    "genau ungefaehr etwa circa ca zirka so gegen rund puenktlich exakt erst spaeter", a(Time, _is_plain), cost=0.02
)
@GERMAN.rule("ca", ".", a(Time, _is_plain), cost=0.02)
@ENGLISH.rule(a(Time, lambda t: is_clock(t) and not t.latent), "sharp exactly ish approximately")
@GERMAN.rule(a(Time, lambda t: is_clock(t) and not t.latent), "puenktlich genau ungefaehr")
def about(_: Scene, time: Time) -> Time:
    return time


@ENGLISH.rule(
    "the",
    a(
        Time,
        lambda t: _is_plain(t) and bool(t.facets & {"part", "weekend", "holiday", "week"}) and not t.facets & {"clock"},
    ),
    cost=0.02,
)
@GERMAN.rule("der die das den dem des", a(Time, lambda t: _is_plain(t) and not t.facets & {"clock"}), cost=0.02)
def with_article(_: Scene, time: Time) -> Time:
    return time


def _is_joinable(time: Time) -> bool:
    return not time.duration


@ENGLISH.rule(a(Time, _is_joinable), ", - at @ on of in the from for?", a(Time, _is_joinable))
@GERMAN.rule(a(Time, _is_joinable), ", - um am im in von des der den dem ab gegen?", a(Time, _is_joinable))
@ENGLISH.rule(a(Time, _is_joinable), "of in from , on", "the", a(Time, _is_joinable), cost=0.05)
@GERMAN.rule(a(Time, _is_joinable), ", am von in an auf", "der den dem", a(Time, _is_joinable), cost=0.05)
@ENGLISH.rule(a(Time, _is_joinable), ",", "at @ on in", a(Time, _is_joinable), cost=0.05)
@GERMAN.rule(a(Time, _is_joinable), ",", "um am im in gegen", a(Time, _is_joinable), cost=0.05)
def together(_: Scene, first: Time, second: Time) -> Time | None:
    """Friday at noon, the 3rd of next month, nine tomorrow morning. A bare number is an hour only where that is sure."""
    if first.latent and second.latent:
        return None
    latent = first if first.latent else second if second.latent else None
    other = second if latent is first else first
    if latent is not None and not _carries(latent, other, latent_first=latent is first):
        return None
    return combine(first.but(latent=False), second.but(latent=False))


def _carries(latent: Time, other: Time, *, latent_first: bool) -> bool:
    """Whether `other` makes a time of a bare number."""
    if "clock" in latent.facets:
        if latent_first and other.facets == {"part"} and other.doubtful:
            return False
        if latent.interval:
            return bool(other.facets & {"weekday", "date", "day", "part"}) and "clock" not in other.facets
        return "part" in other.facets or (
            not latent_first and bool(other.facets & {"weekday", "date"}) and not other.facets & {"clock"}
        )
    if "day" in latent.facets:
        return bool(other.facets & {"weekday", "month"}) and not other.facets & {"day", "date"}
    if "year" in latent.facets:
        return bool(other.facets & {"month", "day", "holiday", "season", "quarter"}) and "year" not in other.facets
    return "part" in latent.facets and bool(other.facets & DAYS) and not latent_first


@GERMAN.rule("heute", a(Time, is_part), cost=-0.1)
def heute_part(scene: Scene, part: Time) -> Time | None:
    """Heute Morgen: this morning, never tomorrow."""
    return combine(days_from(scene, 0), part.but(latent=False, doubtful=False))


@ENGLISH.rule(a(Edge), "the?", "around about?", a(Time, lambda t: _edge_grain(t) is not None))
@GERMAN.rule(a(Edge), "des der vom von im in?", a(Time, lambda t: _edge_grain(t) is not None))
def edge(_: Scene, which: Edge, whole: Time) -> Time | None:
    """The end of the month, Anfang nächster Woche."""
    grain = _edge_grain(whole)
    count_in, first, past = _EDGES[which.which, grain or "month"]
    choices = tuple(Slice(series, count_in, first, past) for series in whole.choices)  # type: ignore[arg-type]
    facets = whole.facets if grain != "day" else whole.facets | {"part"}
    return whole.but(
        choices=choices,
        interval=True,
        latent=False,
        grain="hour" if grain == "day" else "day",
        facets=facets,
        doubtful=False,
        at_end=which.which == "end" and grain in ("month", "quarter", "year"),
    )


@GERMAN.rule(a(Edge), a(Time, lambda t: _edge_grain(t) == "year"))
def edge_of_year(scene: Scene, which: Edge, whole: Time) -> Time | None:
    return edge(scene, which, whole)


def _edge_grain(time: Time) -> str | None:
    if time.interval or time.duration or time.facets & {"clock", "part"}:
        return None
    return "day" if time.grain == "day" else time.grain if time.grain in ("week", "month", "quarter", "year") else None


@ENGLISH.rule(a(Time, lambda t: t.facets == {"weekend"}), "of after before", "the?", a(Time, is_dated))
@GERMAN.rule(a(Time, lambda t: t.facets == {"weekend"}), "vom des um", "den dem?", a(Time, is_dated))
def weekend_of(scene: Scene, weekend: Time, day: Time) -> Time | None:
    """The weekend of the week in which the day lies."""
    found = next(iter(ahead_of(day.series, scene.wall)), None)
    start = floor(found.start, "week") if found else None
    if start is None:
        return None
    week = fixed(start, "week", {"week"})
    return weekend.but(
        choices=tuple(Both(week.series, series) for series in weekend.choices), facets=frozenset({"week"})
    )


@ENGLISH.rule("the?", "eom")
@GERMAN.rule("monatsende")
def end_of_month(scene: Scene) -> Time | None:
    return _edge_of_now(scene, "end", "month")


@ENGLISH.rule("the?", "bom")
@GERMAN.rule("monatsanfang")
def beginning_of_month(scene: Scene) -> Time | None:
    return _edge_of_now(scene, "beginning", "month")


@ENGLISH.rule("the?", "eoy")
@GERMAN.rule("jahresende")
def end_of_year(scene: Scene) -> Time | None:
    return _edge_of_now(scene, "end", "year")


@ENGLISH.rule("the?", "boy")
@GERMAN.rule("jahresanfang jahresbeginn")
def beginning_of_year(scene: Scene) -> Time | None:
    return _edge_of_now(scene, "beginning", "year")


@ENGLISH.rule("the?", "eow")
def end_of_week(scene: Scene) -> Time | None:
    return _edge_of_now(scene, "end", "week")


def _edge_of_now(scene: Scene, which: str, grain: str) -> Time | None:
    whole = cycle(scene, "month" if grain == "month" else "year" if grain == "year" else "week", 0)
    return edge(scene, Edge(which), whole)


@ENGLISH.rule("late", a(Time, lambda t: bool(t.facets & {"part"}) and t.interval))
@ENGLISH.rule("late", "in", "the?", a(Time, lambda t: bool(t.facets & {"part"}) and t.interval))
@GERMAN.rule("spaet", "am?", a(Time, lambda t: bool(t.facets & {"part"}) and t.interval))
def late_part(_: Scene, part: Time) -> Time:
    choices = tuple(Slice(series, "hour", -3, None) for series in part.choices)
    return part.but(
        choices=choices,
        doubtful=False,
        part="late evening" if part.part in ("evening", "night", "tonight") else part.part,
    )


@ENGLISH.rule("early", "in?", "the?", a(Time, lambda t: bool(t.facets & {"part"}) and t.interval))
@GERMAN.rule("frueh", "am", a(Time, lambda t: bool(t.facets & {"part"}) and t.interval))
def early_part(_: Scene, part: Time) -> Time:
    return part.but(part="early" if "morn" in part.part or part.part == "morgen" else part.part, doubtful=False)


@ENGLISH.rule("until till til", a(Time, _is_plain))
@ENGLISH.rule("not?", "up", "to until", a(Time, _is_plain))
@ENGLISH.rule("through thru", a(Time, lambda t: _is_plain(t) and not is_clock(t)))
@GERMAN.rule("bis", "zum zur um in am?", "den dem der?", a(Time, _is_plain))
def until(_: Scene, time: Time) -> Time:
    return time.but(bound="until", doubtful=False)


@ENGLISH.rule("until till til", a(Time, lambda t: is_clock(t) and t.latent and t.grain == "hour"))
@GERMAN.rule("bis", a(Time, lambda t: is_clock(t) and t.latent and t.grain == "hour"), cost=0.3)
def until_hour(_: Scene, time: Time) -> Time:
    return time.but(bound="until", latent=False)


@ENGLISH.rule("by", a(Time, _is_plain), cost=-0.1)
@ENGLISH.rule("no not", "later", "than", a(Time, _is_plain))
@ENGLISH.rule("by", "the", a(Time, _is_plain), cost=-0.1)
@GERMAN.rule("spaetestens", "am um bis?", a(Time, _is_plain))
@GERMAN.rule("bis", "spaetestens", "am um zum?", a(Time, _is_plain))
def by(_: Scene, time: Time) -> Time:
    return time.but(bound="by", doubtful=False)


@ENGLISH.rule("by", a(Time, lambda t: is_clock(t) and t.latent and t.grain == "hour"))
def by_hour(_: Scene, time: Time) -> Time:
    return time.but(bound="by", latent=False)


@ENGLISH.rule("before", "the?", a(Time, _is_plain))
@GERMAN.rule("vor", "dem der?", a(Time, _is_plain))
def before(_: Scene, time: Time) -> Time:
    return time.but(bound="before", doubtful=False)


@ENGLISH.rule(
    "later",
    "in on?",
    "the?",
    a(
        Time,
        lambda t: (
            _is_plain(t) and bool(t.facets & {"date", "week", "month", "year"}) and not t.facets & {"day", "clock"}
        ),
    ),
)
@GERMAN.rule(
    "spaeter noch",
    a(
        Time,
        lambda t: (
            _is_plain(t)
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


@ENGLISH.rule("after", "the?", a(Time, _is_plain))
@ENGLISH.rule("later", "than", a(Time, _is_plain))
@ENGLISH.rule("not", "before", a(Time, _is_plain))
@GERMAN.rule("nach", "dem der?", a(Time, _is_plain))
@GERMAN.rule("fruehestens", "ab um am?", a(Time, _is_plain))
@GERMAN.rule("nicht", "vor", a(Time, _is_plain))
def after(_: Scene, time: Time) -> Time:
    return time.but(bound="after", doubtful=False)


@ENGLISH.rule("after", a(Time, lambda t: is_clock(t) and t.latent and t.grain == "hour"))
def after_hour(_: Scene, time: Time) -> Time:
    return time.but(bound="after", latent=False)


@ENGLISH.rule("since", "the?", a(Time, _is_plain))
@GERMAN.rule("seit", "dem der?", a(Time, _is_plain))
def past_since(_: Scene, time: Time) -> Time:
    """Since Monday: the last one."""
    return time.but(bound="since", doubtful=False, past=time.past or not is_clock(time), later=False)


@ENGLISH.rule("from starting beginning", "on from?", a(Time, _is_plain), cost=0.2)
@ENGLISH.rule("from", a(Time, _is_plain), "on onward onwards")
@GERMAN.rule("ab", "dem der?", a(Time, _is_plain), cost=0.1)
@GERMAN.rule("von", a(Time, _is_plain), "an")
def since(_: Scene, time: Time) -> Time:
    return time.but(bound="since", doubtful=False)
