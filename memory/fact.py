"""A fact: something known of a person, with the words that say so. Superseded when it no longer holds, never overwritten.

    found ─► refused                     the owner asked to forget it
          ├► known                       it is there: seen once more
          ├► current, superseding        the owner said it; or it is newer, or of what never changes the more certain
          └► superseded at once          the owner says otherwise, ended it, or something newer is known

Whatever the owner said is superseded by the owner alone.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from memory.fact_kinds import KINDS, falling_with
from memory.facts.value import adds_a_year, has_another_year, is_meant, key_of, only_one_holds
from memory.search.passage import Corpus

By = Literal["owner", "contact", "signature", "calendar", "chat", "model"]
"""Who found it: the owner said it, a record of theirs holds it, plain code read it, or a model proposed it."""

CONFIDENCE: Mapping[By, float] = {
    "owner": 1.0,
    "contact": 0.95,
    "signature": 0.9,
    "calendar": 0.9,
    "model": 0.7,
    "chat": 0.6,
}

EndedBy = Literal["owner", "evidence"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundFact:
    """A fact as it was found. Whether it is kept is judged by `settle`, and by the ledger, which looks the quote up.

    identity_id: on what of the person it hangs. value: see memory/facts/value. quote: at most 200 characters of the
    source's text. corpus, ref: the source, as search names it. said_at: its date, aware UTC. who: who said it.
    is_over: the owner says that it no longer holds.
    """

    identity_id: int
    kind: str
    value: str
    quote: str
    corpus: Corpus
    ref: str
    said_at: datetime
    who: str
    by: By
    is_over: bool = False

    @property
    def confidence(self) -> float:
        """How certain it is, 0 to 1."""
        return CONFIDENCE[self.by]

    @property
    def key(self) -> str:
        """By what the same value is known again."""
        return key_of(self.kind, self.value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """A fact in the ledger.

    seen_at: the date of the newest source that says the same. until_at: until when it held, None while it does.
    ended_by: who said that it no longer does; superseded_by: the fact that took its place, if one did.
    A forgotten one has neither value nor quote left, only its key.
    """

    id: int
    owner_id: int
    identity_id: int
    kind: str
    value: str
    key: str
    quote: str
    corpus: Corpus
    ref: str
    who: str
    by: By
    confidence: float
    said_at: datetime
    seen_at: datetime
    noted_at: datetime
    until_at: datetime | None = None
    superseded_at: datetime | None = None
    superseded_by: int | None = None
    ended_by: EndedBy | None = None
    because: str = ""

    @property
    def is_current(self) -> bool:
        """Whether it still holds, as far as anybody knows."""
        return self.superseded_at is None

    @property
    def is_forgotten(self) -> bool:
        """Whether the owner asked to forget it."""
        return not self.value

    @property
    def subject(self) -> str:
        """How rows name it."""
        return subject_of(self.id)


def subject_of(fact_id: int) -> str:
    """How rows name a fact."""
    return f"fact:{fact_id}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """What becomes of a found fact: see the head of this file.

    supersedes: the facts that no longer hold. yields_to: the one that it repeats, or that took its place before it came.
    ended_by: who ended it before it came, for *passed*.
    """

    what: Literal["current", "known", "passed", "refused"]
    because: str
    supersedes: tuple[int, ...] = ()
    yields_to: Fact | None = None
    ended_by: EndedBy | None = None


def settle(found: FoundFact, kept: Sequence[Fact]) -> Settled:
    """What becomes of it. kept: everything that is known of the same person, superseded or not."""
    same_kind = [fact for fact in kept if fact.kind == found.kind]
    of_value = [fact for fact in same_kind if fact.key == found.key]
    again = next((fact for fact in of_value if fact.is_current), None) or next(
        (fact for fact in of_value if fact.ref == found.ref and not fact.is_forgotten), None
    )
    if found.by == "owner":
        return _told(found, again, kept)
    if any(fact.is_forgotten for fact in of_value):
        return Settled(what="refused", because="the owner asked to forget it")
    if (
        again is not None
        and again.is_current
        and again.by != "owner"
        and adds_a_year(found.kind, found.value, again.value)
    ):
        return Settled(what="current", because=f"read in {found.ref}, with the year", supersedes=(again.id,))
    if again is not None:
        return Settled(what="known", because="it was known", yields_to=again)
    ended = next((fact for fact in of_value if fact.ended_by == "owner"), None)
    if ended is not None:
        return Settled(what="passed", because="the owner said it is over", yields_to=ended, ended_by="owner")
    return _inferred(found, [fact for fact in same_kind if fact.is_current and _excludes(found, fact)], kept)


def _excludes(found: FoundFact, fact: Fact) -> bool:
    """Whether of these two of one kind only one can hold."""
    return KINDS[found.kind].holds != "several" or only_one_holds(found.kind, found.value, fact.value)


def _told(found: FoundFact, again: Fact | None, kept: Sequence[Fact]) -> Settled:
    """The owner's word is kept beside what was inferred, and takes the place of all that it contradicts."""
    if again is not None and again.ref == found.ref and again.by == "owner":
        return Settled(what="known", because="it was noted", yields_to=again)
    if found.is_over:
        ended = [
            fact for fact in kept if fact.kind == found.kind and fact.is_current and is_meant(found.value, fact.value)
        ]
        over = _with_fallen(found, ended, kept, is_left=True)
        return Settled(what="passed", because="the owner said it is over", supersedes=over, ended_by="owner")
    is_said_anew = again is not None and not has_another_year(found.kind, found.value, again.value)
    if again is not None and again.is_current and again.by == "owner" and is_said_anew:
        return Settled(what="known", because="the owner said so before", yields_to=again)
    current = [fact for fact in kept if fact.kind == found.kind and fact.is_current]
    gone = [fact for fact in current if fact is again or _excludes(found, fact)]
    return Settled(what="current", because="the owner said so", supersedes=_with_fallen(found, gone, kept))


def _inferred(found: FoundFact, current: Sequence[Fact], kept: Sequence[Fact]) -> Settled:
    holds = KINDS[found.kind].holds
    if not current:
        return Settled(what="current", because=f"read in {found.ref}")
    told = next((fact for fact in current if fact.by == "owner"), None)
    if told is not None:
        return Settled(what="passed", because="the owner says otherwise", yields_to=told, ended_by="owner")
    best = max(current, key=_weight if holds == "fixed" else _age)
    wins = found.confidence > best.confidence if holds == "fixed" else found.said_at >= best.seen_at
    before = next((fact for fact in kept if fact.kind == found.kind and fact.key == found.key), None)
    if not wins and before is not None:
        return Settled(what="known", because="it was known and has passed", yields_to=before)
    if not wins:
        because = "something more certain is known" if holds == "fixed" else "something newer is known"
        return Settled(what="passed", because=because, yields_to=best, ended_by="evidence")
    return Settled(what="current", because=f"read in {found.ref}", supersedes=_with_fallen(found, current, kept))


def _with_fallen(
    found: FoundFact, gone: Sequence[Fact], kept: Iterable[Fact], *, is_left: bool = False
) -> tuple[int, ...]:
    """Those that are superseded, and what hung on them: a role at the employer that was left."""
    if not is_left and not any(fact.key != found.key for fact in gone):
        return tuple(fact.id for fact in gone)
    kinds = {kind.name for kind in falling_with(found.kind)}
    fallen = [
        fact
        for fact in kept
        if fact.kind in kinds
        and fact.is_current
        and fact.ref != found.ref
        and (found.by == "owner" or (fact.by != "owner" and fact.seen_at < found.said_at))
    ]
    return tuple(fact.id for fact in (*gone, *fallen))


def standing(facts: Iterable[Fact]) -> list[Fact]:
    """What holds now, of everything that is known of one person, in the order of a card, the newest of a kind first.

    Two people who were joined may each have had a role that held: the better of the two is shown.
    """
    current: dict[str, list[Fact]] = {name: [] for name in KINDS}
    for fact in facts:
        if fact.is_current and fact.kind in current:
            current[fact.kind].append(fact)
    return [fact for name, some in current.items() for fact in _shown(name, some)]


def _shown(name: str, facts: Sequence[Fact]) -> list[Fact]:
    holds = KINDS[name].holds
    told = [fact for fact in facts if fact.by == "owner"]
    if holds != "several":
        among = told or facts
        return [max(among, key=_weight if holds == "fixed" else _age)] if among else []
    unlike = {fact.key: fact for fact in sorted(facts, key=lambda one: (one.by == "owner", _age(one)))}
    return sorted(unlike.values(), key=_age, reverse=True)


def _age(fact: Fact) -> tuple[datetime, float, int]:
    return fact.seen_at, fact.confidence, fact.id


def _weight(fact: Fact) -> tuple[float, datetime, int]:
    return fact.confidence, fact.seen_at, fact.id


@dataclass(frozen=True, slots=True, kw_only=True)
class NotedFact:
    """What came of noting a found fact.

    fact: the row that was written, for *noted* (it holds) and *passed* (superseded at once); for *known* the row that says
    so already. superseded: the ids of what no longer holds because of it.
    """

    what: Literal["noted", "known", "passed", "refused"]
    because: str
    fact: Fact | None = None
    superseded: tuple[int, ...] = ()
