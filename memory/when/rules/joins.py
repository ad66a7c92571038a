"""How times stand together: prepositions before them, and two side by side."""

from memory.when.chart import a, words
from memory.when.node import Scene, Time
from memory.when.rules.dialect import ENGLISH, GERMAN, is_clock, is_dated, is_part
from memory.when.times import DAYS, combine, days_from


def is_plain(time: Time) -> bool:
    return not time.latent and time.bound == "at" and not time.duration


@ENGLISH.rule("on for", a(Time, lambda t: is_dated(t) and t.bound == "at"))
@ENGLISH.rule("at over during on", a(Time, lambda t: bool(t.facets & {"holiday", "weekend"})))
@ENGLISH.rule(
    "in during",
    "the?",
    a(
        Time,
        lambda t: (
            bool(t.facets & {"month", "year", "season", "quarter", "week"}) and not t.facets & {"clock", "part", "day"}
        ),
    ),
)
@ENGLISH.rule("in during", "the", a(Time, is_part))
@ENGLISH.rule("at during over", "the?", a(Time, is_part))
@ENGLISH.rule("at around about by", a(Time, lambda t: is_clock(t) and not t.latent), cost=0.05)
@GERMAN.rule(
    "am an zu",
    "den dem?",
    a(Time, lambda t: is_dated(t) and t.bound == "at" and (t.facets != {"date"} or t.value >= 0)),
)
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
@GERMAN.rule(
    "am zum zu gegen", a(Time, lambda t: t.interval and bool(t.facets & {"week", "month", "year"}) and t.bound == "at")
)
@ENGLISH.rule(
    "at towards around",
    "the?",
    a(Time, lambda t: t.interval and bool(t.facets & {"week", "month", "year"}) and t.bound == "at"),
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
    "exactly approximately about around roughly sharp circa sometime only like say just", a(Time, is_plain), cost=0.02
)
@GERMAN.rule(
    "genau ungefaehr etwa circa ca zirka so gegen rund puenktlich exakt erst spaeter", a(Time, is_plain), cost=0.02
)
@GERMAN.rule("ca", ".", a(Time, is_plain), cost=0.02)
@ENGLISH.rule(a(Time, lambda t: is_clock(t) and not t.latent), "sharp exactly ish approximately")
@GERMAN.rule(a(Time, lambda t: is_clock(t) and not t.latent), "puenktlich genau ungefaehr")
def about(_: Scene, time: Time) -> Time:
    return time


@ENGLISH.rule(
    "the",
    a(
        Time,
        lambda t: is_plain(t) and bool(t.facets & {"part", "weekend", "holiday", "week"}) and not t.facets & {"clock"},
    ),
    cost=0.02,
)
@GERMAN.rule("der die das den dem des", a(Time, lambda t: is_plain(t) and not t.facets & {"clock"}), cost=0.02)
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
