"""What may be remembered of a turn: a model proposes, this decides. Pure.

    proposal ─► quote in the owner's own words? ─ yes ─► every telling word borne out by them? ─► the sentence, else the quote
                     └─ no ─► in another's words of this turn? ─► an observation: their very words, with the source
                                     └─ no ─► nothing

So no word of another's, and none of a model's, ever stands in anything but an observation.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from memory.recollection import (
    ABOUT_MAX,
    NEGATIONS,
    OBSERVATION,
    QUOTE_MAX,
    TEXT_MAX,
    Kind,
    Recollection,
    Sense,
    Source,
    by_sense,
    sense,
    sentence_of,
)
from memory.search.query import words_of
from memory.search.stems import WORD, folded, stems
from memory.search.stopwords import ENGLISH, GERMAN
from memory.testimony import Quoted, Testimony, asks, find
from memory.when.words import word_set

KEPT_MAX, OBSERVED_MAX, SUPERSEDED_MAX = 5, 2, 3
"""So many of one turn: new ones, observations among them, and earlier ones taken the place of."""

CONFIDENCE_MAX, OBSERVED_CONFIDENCE = 0.9, 0.3
"""What a model made of the owner's words is a little less sure than the words; what others say is theirs to prove."""

QUOTE_LETTERS_MIN = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """What a model would have remembered. Nobody has checked any of it."""

    do: Literal["create", "supersede"]
    kind: Kind
    sentence: str
    quote: str
    about: str = ""
    supersedes: int | None = None
    confidence: float = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """It is remembered, in the place of `instead_of` if that is given."""

    kind: Kind
    text: str
    about: str
    confidence: float
    source: Source
    instead_of: int | None = None


@dataclass(frozen=True, slots=True)
class Again:
    """It is known already: these words bear it out, too. `instead_of` is the earlier one that it takes the place of."""

    recollection_id: int
    source: Source
    instead_of: int | None = None


@dataclass(frozen=True, slots=True)
class Refused:
    """It is not remembered, and this is why."""

    because: str


Outcome = Kept | Again | Refused


def weigh(
    proposals: Sequence[Proposal],
    testimony: Testimony,
    known: Sequence[Recollection],
    *,
    shown: Collection[int],
    unwanted: Collection[str] = (),
) -> list[Outcome]:
    """What becomes of each proposal. `known` is all that is live; `shown` are the numbers that the model was given;
    `unwanted`: the rows (message:12) from which something was taken that the owner has had forgotten."""
    told = Known(known, frozenset(shown), frozenset(unwanted))
    found: list[Outcome] = []
    for proposal in proposals:
        found.append(_capped(_weighed(proposal, testimony, told), found))
    return found


def _capped(outcome: Outcome, before: Sequence[Outcome]) -> Outcome:
    if isinstance(outcome, Refused):
        return outcome
    kept = [one for one in before if isinstance(one, Kept)]
    if isinstance(outcome, Kept):
        if len(kept) >= KEPT_MAX or any(sense(one.text) == sense(outcome.text) for one in kept):
            return Refused("enough was remembered of this turn, or just this")
        if outcome.kind == OBSERVATION and sum(one.kind == OBSERVATION for one in kept) >= OBSERVED_MAX:
            return Refused("enough was observed in this turn")
    replaced = [one.instead_of for one in before if not isinstance(one, Refused) and one.instead_of is not None]
    if outcome.instead_of is not None and (len(replaced) >= SUPERSEDED_MAX or outcome.instead_of in replaced):
        return Refused("enough was replaced in this turn, or just this one")
    return outcome


class Known:
    """What is remembered already, looked at once for all proposals."""

    def __init__(self, live: Sequence[Recollection], shown: frozenset[int], unwanted: frozenset[str]) -> None:
        self.shown = {one.id: one for one in live if one.id in shown and one.is_live}
        self.unwanted = unwanted
        self._live = live

    def same(self, text: str, *, by_owner: bool) -> Recollection | None:
        """The one that says just this."""
        return (self._owners if by_owner else self._others).get(sense(text))

    @cached_property
    def _owners(self) -> dict[Sense, Recollection]:
        return by_sense(self._live, by_owner=True)

    @cached_property
    def _others(self) -> dict[Sense, Recollection]:
        return by_sense(self._live, by_owner=False)


def _weighed(proposal: Proposal, testimony: Testimony, known: Known) -> Outcome:
    quote = proposal.quote.strip().strip('"“”„»«').strip()
    if len(quote) < QUOTE_LETTERS_MIN or len(quote) > QUOTE_MAX:
        return Refused("its quote is too short or too long to prove anything")
    old = known.shown.get(proposal.supersedes) if proposal.supersedes is not None else None
    if proposal.supersedes is not None and old is None:
        return Refused("it would replace something that the model was not shown")
    said = testimony.owners(quote)
    if said is not None and old is not None and not _same_matter(proposal, said, old):
        # The owner said it all the same: it is remembered beside the other.
        old = None
    outcome = _of_owner(proposal, said, testimony, old) if said else _of_others(quote, testimony, old)
    if isinstance(outcome, Refused):
        return outcome
    if outcome.source.ref in known.unwanted:
        return Refused("the owner has had forgotten what was taken from there")
    same = known.same(outcome.text, by_owner=outcome.kind != OBSERVATION)
    if same is not None:
        return Again(same.id, outcome.source, old.id if old and old.id != same.id else None)
    return outcome


def _of_others(quote: str, testimony: Testimony, old: Recollection | None) -> Kept | Refused:
    """An observation, whatever it was proposed as: their very words, and nothing that a model made of them."""
    found = testimony.others(quote)
    if found is None:
        return Refused("its quote stands nowhere in this turn")
    other, words = found
    if old is not None:
        return Refused("what others say replaces nothing")
    text = sentence_of(words)
    return Kept(
        kind=OBSERVATION,
        text=text,
        about=other.who[:ABOUT_MAX],
        confidence=OBSERVED_CONFIDENCE,
        source=Source(other.ref, text, other.at, other.who),
    )


def _of_owner(proposal: Proposal, said: Quoted, testimony: Testimony, old: Recollection | None) -> Kept | Refused:
    kind: Kind = "fact" if proposal.kind == OBSERVATION else proposal.kind
    if asks(said.sentence):
        return Refused("the owner asked that and stated nothing")
    if not words_of(said.words, is_alone=False):
        return Refused("its quote says nothing")
    if kind == "instruction" and _REPORTS.search(said.sentence):
        return Refused("the owner told what somebody else wants")
    about = _about(proposal.about, testimony)
    text = _worded(proposal.sentence, said, about, testimony, old)
    if not text or len(text) > TEXT_MAX:
        return Refused("it is too long for one sentence")
    confidence = min(CONFIDENCE_MAX, max(0.0, proposal.confidence))
    source = Source(said.saying.ref, said.words, said.saying.at)
    return Kept(
        kind=kind, text=text, about=about, confidence=confidence, source=source, instead_of=old.id if old else None
    )


_REPORTS = re.compile(
    r"\b(?:said|says|say|wrote|writes|told|asked|asks|wants|want(?:ed)?|according to|in (?:his|her|their|the) (?:mail|e-?mail|message|letter)|"
    r"sagte?|sagt|schrieb|schreibt|meinte?|bat|bittet|möchte, dass|will, dass|laut)\b(?! you\b| me to you)",
    re.IGNORECASE,
)
"""Somebody else's wish, told by the owner. "I want you to …" is the owner's own."""


_CHANGES = re.compile(
    r"\b(?:now|instead|actually|rather|any ?more|no longer|wrong|correct(?:ion)?|changed?|moved|from now on|again|not|never|jetzt|statt\w*|"
    r"stattdessen|eigentlich|doch|nicht|nie|kein\w*|falsch|geändert|umgezogen|ab sofort|ab jetzt|wieder|lieber|inzwischen|mehr)\b|n['’]t\b",
    re.IGNORECASE,
)
"""Says that something is otherwise than it was."""


def _same_matter(proposal: Proposal, said: Quoted, old: Recollection) -> bool:
    """Whether it can be about what the old one is about: the same person, most of its words, or one and a word of change."""
    if old.kind == OBSERVATION or (old.kind == "instruction") != (proposal.kind == "instruction"):
        return False
    now = sense(said.sentence)[0]
    if old.about and sense(old.about)[0] <= now | sense(proposal.about)[0]:
        return True
    before = sense(old.text)[0]
    shared = before & (now | sense(proposal.about)[0])
    return len(shared) * 2 > len(before) or (bool(shared) and _CHANGES.search(said.sentence) is not None)


def _about(about: str, testimony: Testimony) -> str:
    """Whom it concerns, if the owner has named them so."""
    name = sentence_of(about)[:ABOUT_MAX]
    return name if name and find(name, testimony.own_words) else ""


_PLAIN = word_set(
    "owner user prefers prefer preferred likes like liked dislikes dislike wants want wanted wishes asked instruction named called "
    "besitzer nutzer bevorzugt mag möchte wunscht wünscht heißt heisst genannt stillbell assistant"
)
"""What a sentence may add of its own: whom it is about, and how it is put."""

_STRICT = NEGATIONS | word_set(
    "always only every everyone everybody all any must anyone anybody everything immer nur jeder jede jedes jeden alle alles stets "
    "muss müssen jedem"
)
"""Words that change what is meant: they stand in the very sentence that is quoted, or not at all."""


def _worded(sentence: str, said: Quoted, about: str, testimony: Testimony, old: Recollection | None) -> str:
    """The model's sentence where the owner's words bear it out, else the owner's own."""
    text = sentence_of(sentence)
    names = " ".join(re.findall(r"\b[A-ZÄÖÜ][\w’'-]+", testimony.own_words))
    allowed = f"{said.stretch} {names} {about} {old.text if old else ''}"
    if 0 < len(text) <= TEXT_MAX and _is_borne_out(text, allowed, said.sentence):
        return text
    own = sentence_of(said.sentence)
    own = own if len(own) <= TEXT_MAX else sentence_of(said.words)
    return own if not about or find(about, own) else f"{about}: {own}"


def _is_borne_out(text: str, allowed: str, sentence: str) -> bool:
    known, there = _stems(allowed), {folded(word) for word in WORD.findall(sentence.lower())}
    for raw in WORD.findall(text.lower()):
        word = folded(raw)
        if word in _STRICT or raw in _STRICT:
            if word not in there:
                return False
        elif raw not in ENGLISH and raw not in GERMAN and word not in _PLAIN and known.isdisjoint(stems(word)):
            return False
    return sense(text)[2] == sense(sentence)[2]


def _stems(text: str) -> set[str]:
    return {stem for word in WORD.findall(text.lower()) for stem in (*stems(folded(word)), folded(word))}
