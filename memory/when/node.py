"""What stretches of a sentence can be: numbers, lengths, partial times, rules of return. The grammar builds these."""

from dataclasses import dataclass, field, replace
from datetime import datetime
from zoneinfo import ZoneInfo

from memory.when.grain import Grain, Length
from memory.when.reading import Bound
from memory.when.recurrence import Frequency
from memory.when.series import Series


@dataclass(frozen=True, slots=True)
class Number:
    """A number: `digits` is how many figures it was written with, 0 when in words."""

    value: int
    digits: int = 0


@dataclass(frozen=True, slots=True)
class Amount:
    """How many, possibly with a fraction, before a unit: "a couple of", "two and a half"."""

    value: float


@dataclass(frozen=True, slots=True)
class Ordinal:
    """Third, 3rd, dritter; "3." in German is one too, `dotted`."""

    value: int
    dotted: bool = False


@dataclass(frozen=True, slots=True)
class Unit:
    """The word for a grain: hours, Wochen; a fortnight is two weeks. `short` units ("h", "m") need a number glued on."""

    grain: Grain
    count: int = 1
    short: bool = False
    plural: bool = False


@dataclass(frozen=True, slots=True)
class Span:
    """A length of time, said as one."""

    length: Length


@dataclass(frozen=True, slots=True)
class Pointer:
    """This, next, last, the one after next. `sure` ones ("coming Friday") mean the nearest without question."""

    offset: int
    sure: bool = False


@dataclass(frozen=True, slots=True)
class Edge:
    """The beginning, middle or end of something."""

    which: str


@dataclass(frozen=True, slots=True)
class Zone:
    """A clock other than the owner's, by its offset from UTC in seconds."""

    seconds: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Time:
    """A partial time.

    choices: the series it may mean, likeliest first; more than one is a question to the owner.
    facets: which fields of a date it fills: two times combine when they fill different ones.
    latent: no time by itself ("3", "2014"), only in company. doubtful: a word with another meaning ("may", "sun").
    half: on a twelve-hour face, morning or afternoon not said.
    part: the part of day that was named, for the hour at which to remind. later: "Friday" said on a Friday is the next.
    day, rest: "3rd of May" taken apart, so that "1st to 3rd of May" can share the rest.
    loose: "Tuesday 9 May" without the Tuesday, for when the two don't agree.
    at_end: remind at the end of the stretch: "end of the month".
    exact, exact_at: for offsets from now: the wall time and, for clock units, the instant.
    """

    choices: tuple[Series, ...]
    grain: Grain
    facets: frozenset[str]
    latent: bool = False
    doubtful: bool = False
    half: bool = False
    padded: bool = False
    interval: bool = False
    later: bool = False
    past: bool = False
    duration: bool = False
    part: str = ""
    bound: Bound = "at"
    day: int = 0
    rest: tuple[Series, ...] = ()
    exact: datetime | None = None
    exact_at: datetime | None = None
    loose: tuple[Series, ...] = ()
    at_end: bool = False
    value: int = field(default=-1)

    @property
    def series(self) -> Series:
        """The likeliest."""
        return self.choices[0]

    def but(self, **changes: object) -> "Time":
        """The same with some fields changed."""
        return replace(self, **changes)  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True, kw_only=True)
class Every:
    """A rule of return before its time of day is known."""

    frequency: Frequency
    interval: int = 1
    days: tuple[tuple[int, int], ...] = ()
    month_days: tuple[int, ...] = ()
    months: tuple[int, ...] = ()
    position: int = 0
    latent: bool = False
    or_else: "Every | None" = None
    clock: Time | None = None
    start: Time | None = None
    until: Time | None = None

    def but(self, **changes: object) -> "Every":
        """The same with some fields changed."""
        return replace(self, **changes)  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class Scene:
    """Where and when a text is read: wall is naive, now_at the same instant in UTC."""

    wall: datetime
    now_at: datetime
    zone: ZoneInfo
    language: str


Node = Number | Amount | Ordinal | Unit | Span | Pointer | Edge | Zone | Time | Every
