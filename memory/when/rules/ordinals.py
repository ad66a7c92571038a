"""The n-th of something in, after or closest to another: the last Friday of May, the Monday after Easter."""

from memory.when.chart import a
from memory.when.node import Ordinal, Pointer, Scene, Time, Unit
from memory.when.rules.dialect import ENGLISH, GERMAN, is_calendar_unit, is_dated, is_weekday
from memory.when.rules.offsets import pinned
from memory.when.series import Closest, Nth, NthFrom, Units


@ENGLISH.rule(
    "the?",
    a(Ordinal),
    a(Time, lambda t: t.facets <= {"weekday", "weekend"}),
    "of in this from on",
    "the?",
    a(Time, lambda t: not t.half),
)
@ENGLISH.rule(
    "the?",
    a(Ordinal),
    a(Time, lambda t: t.facets <= {"weekday", "weekend"}),
    a(Time, lambda t: t.facets <= {"month", "year"}),
)
@GERMAN.rule(
    "der den dem am?",
    a(Ordinal),
    a(Time, lambda t: t.facets <= {"weekday", "weekend"}),
    "im in des der von?",
    a(Time, lambda t: not t.half),
)
def nth_weekday(_: Scene, ordinal: Ordinal, day: Time, frame: Time) -> Time | None:
    return _nth(ordinal.value, day, frame)


@ENGLISH.rule(
    "the?",
    "last",
    a(Time, lambda t: t.facets <= {"weekday", "weekend"}),
    "of in",
    "the?",
    a(Time, lambda t: not t.half),
)
@GERMAN.rule(
    a(Pointer, lambda p: p.offset == -1),
    a(Time, lambda t: t.facets <= {"weekday", "weekend"}),
    "im in des der von?",
    a(Time, lambda t: not t.half),
)
def last_weekday(_: Scene, *nodes: Pointer | Time) -> Time | None:
    day, frame = nodes[-2:]
    return _nth(-1, day, frame) if isinstance(day, Time) and isinstance(frame, Time) else None


def _is_frame(time: Time) -> bool:
    return bool(time.facets & {"month", "year", "quarter", "season", "week"}) and not time.facets & {
        "day",
        "weekday",
        "clock",
        "part",
    }


@ENGLISH.rule("the?", a(Ordinal), a(Unit, is_calendar_unit), "of in", "the?", a(Time, _is_frame))
@GERMAN.rule("der die das den dem?", a(Ordinal), a(Unit, is_calendar_unit), "im in des der von", a(Time, _is_frame))
def nth_unit(_: Scene, ordinal: Ordinal, unit: Unit, frame: Time) -> Time | None:
    return _nth(ordinal.value, _every(unit), frame)


@ENGLISH.rule("the?", "last", a(Unit, is_calendar_unit), "of in", "the?", a(Time, _is_frame))
@GERMAN.rule(a(Pointer, lambda p: p.offset == -1), a(Unit, is_calendar_unit), "im in des der von?", a(Time, _is_frame))
def last_unit(_: Scene, *nodes: Pointer | Unit | Time) -> Time | None:
    unit, frame = nodes[-2:]
    return _nth(-1, _every(unit), frame) if isinstance(unit, Unit) and isinstance(frame, Time) else None


@ENGLISH.rule("the?", a(Ordinal), "last", a(Unit, is_calendar_unit), "of in", "the?", a(Time, _is_frame))
@ENGLISH.rule("the?", a(Ordinal), "last", a(Time, is_weekday), "of in", "the?", a(Time, _is_frame))
@GERMAN.rule(
    a(Ordinal), "letzte letzter letzten letztes", a(Unit, is_calendar_unit), "im in des der", a(Time, _is_frame)
)
@ENGLISH.rule("the?", a(Ordinal), "to", "last", a(Unit, is_calendar_unit), "of in", "the?", a(Time, _is_frame))
@ENGLISH.rule("the?", a(Ordinal), "to", "last", a(Time, is_weekday), "of in", "the?", a(Time, _is_frame))
def nth_last(_: Scene, ordinal: Ordinal, thing: Unit | Time, frame: Time) -> Time | None:
    return _nth(-ordinal.value, _every(thing) if isinstance(thing, Unit) else thing, frame)


@GERMAN.rule(
    "vorletzte vorletzter vorletzten vorletztes", a(Unit, is_calendar_unit), "im in des der", a(Time, _is_frame)
)
@GERMAN.rule("vorletzte vorletzter vorletzten vorletztes", a(Time, is_weekday), "im in des der", a(Time, _is_frame))
@ENGLISH.rule("the?", "penultimate", a(Unit, is_calendar_unit), "of in", "the?", a(Time, _is_frame))
@ENGLISH.rule("the?", "penultimate", a(Time, is_weekday), "of in", "the?", a(Time, _is_frame))
@ENGLISH.rule("the?", "next", "to", "last", a(Unit, is_calendar_unit), "of in", "the?", a(Time, _is_frame))
@ENGLISH.rule("the?", "next", "to", "last", a(Time, is_weekday), "of in", "the?", a(Time, _is_frame))
def last_but_one(_: Scene, thing: Unit | Time, frame: Time) -> Time | None:
    return _nth(-2, _every(thing) if isinstance(thing, Unit) else thing, frame)


@ENGLISH.rule(a(Ordinal), a(Time, is_weekday), "after", a(Time, is_dated))
@ENGLISH.rule(a(Ordinal), a(Unit, is_calendar_unit), "after", a(Time, is_dated))
@GERMAN.rule(a(Ordinal), a(Time, is_weekday), "nach", a(Time, is_dated))
def nth_after(_: Scene, ordinal: Ordinal, thing: Time | Unit, base: Time) -> Time | None:
    inner = _every(thing) if isinstance(thing, Unit) else thing
    return _from(ordinal.value, inner, base)


@ENGLISH.rule(a(Time, is_weekday), "after following", a(Time, lambda t: is_dated(t) and not t.facets & {"weekday"}))
@GERMAN.rule(a(Time, is_weekday), "nach", a(Time, lambda t: is_dated(t) and not t.facets & {"weekday"}))
def first_after(_: Scene, thing: Time, base: Time) -> Time | None:
    return _from(1, thing, base)


@ENGLISH.rule("the?", a(Time, is_weekday), "before", a(Time, lambda t: is_dated(t) and not t.facets & {"weekday"}))
@GERMAN.rule(a(Time, is_weekday), "vor", a(Time, lambda t: is_dated(t) and not t.facets & {"weekday"}))
def last_ahead_of(_: Scene, thing: Time, base: Time) -> Time | None:
    return _from(-1, thing, base)


def _is_long_frame(time: Time) -> bool:
    return (
        bool(time.facets & {"week", "month", "weekend"})
        and not time.facets & {"day", "weekday", "clock", "part"}
        and time.bound == "at"
    )


@ENGLISH.rule("the?", a(Time, is_weekday), "after", a(Time, lambda t: _is_long_frame(t) and not t.latent))
@GERMAN.rule("der am?", a(Time, is_weekday), "nach", "dem der?", a(Time, lambda t: _is_long_frame(t) and not t.latent))
def first_after_frame(scene: Scene, thing: Time, base: Time) -> Time | None:
    """The Monday after next week."""
    return _from(1, thing, pinned(scene, base) if base.facets == {"weekend"} else base)


@ENGLISH.rule("the?", "closest nearest", a(Time, lambda t: t.facets <= {"weekday", "holiday"}), "to", a(Time, is_dated))
@GERMAN.rule(
    "der die das?",
    "naechstgelegene naechstgelegener naechstgelegenen",
    a(Time, lambda t: t.facets <= {"weekday", "holiday"}),
    "zum zu",
    a(Time, is_dated),
)
def closest(_: Scene, thing: Time, base: Time) -> Time:
    return _closest(1, thing, base)


@ENGLISH.rule(
    "the?",
    a(Ordinal),
    "closest nearest",
    a(Time, lambda t: t.facets <= {"weekday", "holiday"}),
    "to",
    a(Time, is_dated),
)
def nth_closest(_: Scene, ordinal: Ordinal, thing: Time, base: Time) -> Time | None:
    return _closest(ordinal.value, thing, base) if 0 < ordinal.value < 10 else None


def _closest(number: int, thing: Time, base: Time) -> Time:
    choices = tuple(Closest(number, thing.series, series) for series in base.choices)
    return thing.but(choices=choices, later=False, facets=frozenset({"date"}))


def _from(number: int, inner: Time, base: Time) -> Time | None:
    choices = tuple(NthFrom(number, inner.series, series) for series in base.choices)
    return inner.but(choices=choices, later=False, facets=frozenset({"date"}))


def _nth(number: int, inner: Time, frame: Time) -> Time | None:
    if not _is_frame(frame) or not 0 < abs(number) < 60:
        return None
    choices = tuple(Nth(number, inner.series, series) for series in frame.choices)
    return inner.but(
        choices=choices,
        later=False,
        facets=(frame.facets | {"day"}) - {"week"} if inner.grain == "day" else frozenset({"week"}),
        latent=False,
    )


def _every(unit: Unit) -> Time:
    return Time(
        choices=(Units(unit.grain),), grain=unit.grain, facets=frozenset({"day" if unit.grain == "day" else unit.grain})
    )
