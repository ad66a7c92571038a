"""A portrait: what is known of a person in the few lines that one needs two minutes before a call.

    rows ─► Known (tools/portraying) ─► portrait ─► lines, the most needed first ─► a card, a report, data for a model

Every line names the rows that it rests on; what no row bears out is no line. Words of others stand in it as `shown` makes
them: harmless Markdown for the owner, JSON strings for a model.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Literal

from memory.day_words import safe
from memory.event import Event
from memory.event_words import event_title
from memory.owner import Owner
from memory.people.person import subject_of_person
from memory.people.rhythm import Rhythm
from memory.portraitwords import ago, bare_day, duration, every, say, where
from memory.search.passage import Corpus
from memory.wording import day, when

LINES_MAX = 12
"""So many lines a card shows at first sight: what a thumb can take in without scrolling twice."""

EACH_MAX = 3
"""So many of what is owed, promised, asked or awaited are named; the others are counted."""

TRAITS_MAX = 3
"""So many facts stand in a line."""

EXCHANGES_MAX = 4

SITTINGS_MIN = 4
"""From so many occasions on a rhythm is one."""

LATE_FROM = 2.0
"""Silent for so many times the usual gap is worth a word."""

SILENT_FROM_FOR = timedelta(days=3)
"""A shorter silence never is."""

LineKind = Literal[
    "who", "exchange", "owed", "promised", "asked", "awaited", "meeting", "rhythm", "met", "date", "taste",
    "preference", "personal", "work", "view", "history",
]  # fmt: skip

Topic = Literal["role", "date", "taste", "preference", "personal", "work", "view", "history"]
"""What a trait is about; a role stands in the first line, each other topic in a line of its own."""

BESIDES: frozenset[LineKind] = frozenset({"who", "exchange", "meeting", "rhythm", "met"})
"""Lines that tell when and how often, and nothing that one would have to know."""

_TOPICS: tuple[Topic, ...] = ("date", "taste", "preference", "personal", "work", "view", "history")
_INTRODUCES = re.compile(
    r"\bintro(?:s|duc\w*|duktion)?\b|\bvorstell\w*|\bconnecting you\b|\bbekannt ?mach\w*", re.IGNORECASE
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A row that a line rests on. ref: "mail:7", "loop:3". who: who said it, "you" for the owner, "" where nobody did.

    where: the corpus it belongs to, "" for a row of ours. quote: its words, verbatim, where the line already knows them.
    """

    ref: str
    at: datetime | None = None
    who: str = ""
    where: Corpus | Literal[""] = ""
    quote: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """The last that went either way in one corpus."""

    where: Corpus
    from_them: Source | None = None
    from_you: Source | None = None

    @property
    def at(self) -> datetime:
        """When the later of the two was."""
        return max(one.at for one in (self.from_them, self.from_you) if one and one.at)


@dataclass(frozen=True, slots=True, kw_only=True)
class Obligation:
    """Something between the two: owed, promised, asked or awaited. words: others may have written them.

    is_sure: somebody said so; a promise that was only read in what the owner wrote is asked about.
    """

    words: str
    source: Source
    since_at: datetime
    due_at: datetime | None = None
    is_sure: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Trait:
    """Something known of them, as a fact says it."""

    topic: Topic
    words: str
    source: Source


@dataclass(frozen=True, slots=True, kw_only=True)
class Together:
    """A meeting in the calendar that both are asked to."""

    event: Event
    source: Source


@dataclass(frozen=True, slots=True, kw_only=True)
class First:
    """The earliest that is known of them. title: of what they were seen in; by: a third person who wrote it, "" if none."""

    source: Source
    title: str = ""
    by: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """Everything that a portrait is drawn from."""

    person_id: int
    name: str
    addresses: tuple[str, ...] = ()
    exchanges: tuple[Exchange, ...] = ()
    rhythm: tuple[Rhythm, Source] | None = None
    first: First | None = None
    last_meeting: Together | None = None
    next_meeting: Together | None = None
    owed: tuple[Obligation, ...] = ()
    promised: tuple[Obligation, ...] = ()
    asked: tuple[Obligation, ...] = ()
    awaited: tuple[Obligation, ...] = ()
    traits: tuple[Trait, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line, and what it rests on. label: the word before it, "" for the name itself."""

    kind: LineKind
    told: str
    sources: tuple[Source, ...]
    label: str = ""

    @property
    def text(self) -> str:
        """The line as Markdown."""
        mark = "" if self.label.endswith("?") else ":"
        return f"_{self.label}{mark}_ {self.told}" if self.label else self.told

    @property
    def newest_at(self) -> datetime | None:
        """When the newest of its rows is from."""
        return max((source.at for source in self.sources if source.at), default=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Portrait:
    """The lines, the most needed first. left_out: so many more there are."""

    person_id: int
    name: str
    lines: tuple[Line, ...]
    left_out: int = 0

    @property
    def says_something(self) -> bool:
        """Whether there is anything that one would have to know."""
        return any(line.kind not in BESIDES for line in self.lines)

    @property
    def tells(self) -> bool:
        """Whether there is anything at all beyond the name."""
        return len(self.lines) > 1


def portrait(
    known: Known,
    owner: Owner,
    now: datetime,
    *,
    shown: Callable[[str], str] = safe,
    since: datetime | None = None,
    most: int = LINES_MAX,
) -> Portrait:
    """The lines of a person, most needed first; with `since` only what has come about after it, below the name."""
    drawing = _Drawing(known if since is None else _since(known, since), owner, now, shown)
    every = [line for line in drawing.lines() if line.sources]
    return Portrait(
        person_id=known.person_id,
        name=known.name,
        lines=tuple(every[:most]),
        left_out=max(0, len(every) - most),
    )


def _since(known: Known, since: datetime) -> Known:
    """What of it is new: obligations and facts that came up after `since`."""

    def fresh(obligations: Iterable[Obligation]) -> tuple[Obligation, ...]:
        return tuple(one for one in obligations if one.since_at > since)

    return replace(
        known,
        rhythm=None,
        first=None,
        owed=fresh(known.owed),
        promised=fresh(known.promised),
        asked=fresh(known.asked),
        awaited=fresh(known.awaited),
        traits=tuple(
            one for one in known.traits if one.topic == "role" or (one.source.at is not None and one.source.at > since)
        ),
    )


@dataclass(frozen=True, slots=True)
class _Drawing:
    """The words of one portrait."""

    known: Known
    owner: Owner
    now: datetime
    shown: Callable[[str], str]

    def lines(self) -> Iterator[Line]:
        known = self.known
        yield self._who()
        yield self._exchanges()
        yield from self._obligations("owed", known.owed)
        yield from self._obligations("promised", known.promised)
        yield from self._obligations("asked", known.asked)
        yield from self._obligations("awaited", known.awaited)
        yield self._meetings()
        yield from (self._traits(topic) for topic in _TOPICS)
        yield from self._met()
        yield from self._rhythm()

    def _say(self, key: str, **values: object) -> str:
        return say(self.owner.language, key, **values)

    def _ago(self, at: datetime) -> str:
        zones = self.owner.zones
        return ago(zones.wall_at(at).date(), zones.wall_at(self.now).date(), self.owner.language)

    def _quoted(self, words: str) -> str:
        return self._say("quoted", words=self.shown(words))

    @property
    def _called(self) -> str:
        """How they are called within a line: by the first of their names."""
        return self.shown((self.known.name or self.known.addresses[0]).split()[0])

    def _line(self, kind: LineKind, told: str, sources: Iterable[Source], *, label: str = "") -> Line:
        named = self._say(f"{label or kind}_label", who=self._called)
        return Line(kind=kind, told=told, sources=tuple(sources), label=named)

    def _who(self) -> Line:
        known = self.known
        roles = [one for one in known.traits if one.topic == "role"][:2]
        told = f"**{self.shown(known.name or known.addresses[0])}**"
        if described := ", ".join(self.shown(one.words) for one in roles):
            told = self._say("who", name=told, role=described)
        if known.name and known.addresses:
            told = self._say("address", line=told, address=self.shown(known.addresses[0]))
        return Line(
            kind="who",
            told=told,
            sources=(Source(ref=subject_of_person(known.person_id)), *(one.source for one in roles)),
        )

    def _exchanges(self) -> Line:
        latest = sorted(self.known.exchanges, key=lambda one: one.at, reverse=True)[:EXCHANGES_MAX]
        sources = (source for one in latest for source in (one.from_them, one.from_you) if source)
        return self._line("exchange", "; ".join(self._exchange(one) for one in latest), sources)

    def _exchange(self, one: Exchange) -> str:
        sides = ((one.from_them, self._called), (one.from_you, self._say("you")))
        said = [f"{who} {self._ago(source.at)}" for source, who in sides if source and source.at]
        return self._say("on", told=", ".join(said), where=where(one.where, self.owner.language))

    def _obligations(
        self, kind: Literal["owed", "promised", "asked", "awaited"], obligations: Sequence[Obligation]
    ) -> Iterator[Line]:
        # What is soonest due comes first, then what has waited longest.
        ordered = sorted(obligations, key=lambda one: (one.due_at is None, one.due_at or one.since_at, one.since_at))
        for one in ordered[:EACH_MAX]:
            label = kind if one.is_sure else f"{kind}_unsure"
            yield self._line(kind, self._obligation(one, is_quote=kind == "asked"), (one.source,), label=label)
        if rest := ordered[EACH_MAX:]:
            yield self._line(kind, self._say("more", count=len(rest)), (one.source for one in rest))

    def _obligation(self, one: Obligation, *, is_quote: bool) -> str:
        told = self._on_clock(one.due_at) if one.due_at is not None else self._ago(one.since_at)
        return self._say("obligation", what=self._quoted(one.words) if is_quote else self.shown(one.words), when=told)

    def _on_clock(self, at: datetime) -> str:
        zones = self.owner.zones
        return when(zones.wall_at(at), zones.wall_at(self.now).date(), self.owner.language)

    def _meetings(self) -> Line:
        coming, past = self.known.next_meeting, self.known.last_meeting
        told = []
        if coming:
            told.append(self._say("next", when=self._begins(coming.event), title=self._title(coming.event)))
        if past:
            told.append(self._say("last", when=self._ago(past.event.start_at), title=self._title(past.event)))
        return self._line("meeting", "; ".join(told), (one.source for one in (coming, past) if one))

    def _begins(self, event: Event) -> str:
        today = self.owner.zones.wall_at(self.now).date()
        return day(event.starts_on, today, self.owner.language) if event.starts_on else self._on_clock(event.start_at)

    def _title(self, event: Event) -> str:
        return event_title(event, self.owner.language, self.shown)

    def _traits(self, topic: Topic) -> Line:
        found = [one for one in self.known.traits if one.topic == topic]
        told = "; ".join(self.shown(one.words) for one in found[:TRAITS_MAX])
        if len(found) > TRAITS_MAX:
            told = self._say("and_more", line=told, count=len(found) - TRAITS_MAX)
        return self._line("work" if topic == "role" else topic, told, (one.source for one in found))

    def _met(self) -> Iterator[Line]:
        first = self.known.first
        if first is None or first.source.at is None:
            return
        zones = self.owner.zones
        on = bare_day(zones.wall_at(first.source.at).date(), zones.wall_at(self.now).date(), self.owner.language)
        seen = where(first.source.where, self.owner.language) if first.source.where else ""
        seen = f"{seen} {self._quoted(first.title)}" if first.title else seen
        told = self._say("met", when=on, where=seen)
        if first.by:
            key = "introduced" if _INTRODUCES.search(f"{first.title} {first.source.quote}") else "named_by"
            told = self._say(key, line=told, who=self.shown(first.by))
        yield self._line("met", told, (first.source,))

    def _rhythm(self) -> Iterator[Line]:
        if self.known.rhythm is None or self.known.rhythm[0].sittings < SITTINGS_MIN:
            return
        rhythm, source = self.known.rhythm
        told = self._say("rhythm", who=self._called, usual=every(rhythm.median_gap_for, self.owner.language))
        if rhythm.silent_for > max(rhythm.median_gap_for * LATE_FROM, SILENT_FROM_FOR):
            told = self._say("silent", line=told, silent=duration(rhythm.silent_for, self.owner.language))
        yield self._line("rhythm", told, (source,))
