"""The beginning, middle and end of something: end of the month, Anfang nächster Woche, late tonight."""

from memory.when.chart import a
from memory.when.grain import floor
from memory.when.node import Edge, Scene, Time
from memory.when.rules.dialect import ENGLISH, GERMAN, is_dated
from memory.when.series import Both, Slice, ahead_of
from memory.when.times import END, cycle, fixed

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
        value=END if which.which == "end" else -1,
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
