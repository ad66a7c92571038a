"""How well a passage answers a query, by its words.

A passage is weighed by what it holds of each term (the rarer, the more), with the writer and the title counting more and
quoted lines less. A turn of a talk is weighed together with what was said just before and after it, term by term: the
question is asked in one turn and answered in the next. Figures of its own effect stand in evals/README.md.
"""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from memory.search.chunking import Span
from memory.search.passage import TALK, Corpus
from memory.search.plan import Known
from memory.search.query import Asks
from memory.search.sought import Sought, sought
from memory.search.stems import folded
from memory.search.stretch import Stretch

SATURATES = 1.2
LENGTH_COUNTS = 0.5
"""Okapi's k1 and b: the tenth mention adds little; a long passage needs more of them."""

TITLE, WHO, OTHERS, PLACE, QUOTED = 2.0, 1.5, 0.5, 0.5, 0.4
"""How much a mention there counts, against one in the text."""

BEFORE = (0.8, 0.4, 0.2)
AFTER = (0.6, 0.3, 0.15)
"""What a turn takes of a term that stands in a turn so many before or after it."""

ALL_WORDS = 0.4
"""The share of a score that depends on how many of the terms are there."""

SPEAKER = 0.2
"""What is said by the one person who is asked about counts so much more."""

QUESTION = 0.15
"""A question answers less than anything else."""

FITTING_FORM = 0.1
"""When it is asked "when" or "how many", a passage with a time or a number counts so much more."""

IN_TIME = 0.6
"""What lies in the stretch of time that was spoken of counts so much more."""

_TIME = re.compile(
    r"\b(yesterday|today|tonight|tomorrow|ago|last|next|week(end)?s?|months?|years?|mon|tues|wednes|thurs|fri|satur|sun)(day)?\b"
    r"|\b(january|february|march|april|june|july|august|september|october|november|december|[12]\d{3}|\d{1,2}[.:/]\d{1,2})\b"
    r"|\b(gestern|heute|morgen|vor|letzte\w*|nachste\w*|woche\w*|monat\w*|jahr\w*|\w+tag|januar|februar|marz|mai|juni|juli|"
    r"oktober|dezember)\b"
)
_NUMBER = re.compile(
    r"\d|\b(one|two|three|four|five|six|seven|eight|nine|ten|dozen|once|twice|ein|zwei|drei|vier|funf|sechs|sieben|acht|"
    r"neun|zehn|einmal|zweimal)\b"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A passage that may answer. before, after: the turns around one of a talk, the nearest first."""

    id: int
    corpus: Corpus
    who: str
    title: str
    text: str
    people: str
    place: str
    at: datetime | None
    before: tuple[int, ...] = ()
    after: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Weighed:
    """How well it answers: the score; which share of what was asked it holds itself, by weight, 0 to 1; in how many terms."""

    score: float
    covers: float
    terms: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighing:
    """What is asked for: terms with what each weighs, and what else counts. Build it with `weighing`."""

    terms: tuple[Sought, ...]
    weights: tuple[float, ...]
    asks: Asks = ""
    prefers: Stretch | None = None

    @property
    def ideal(self) -> float:
        """The score of a passage that holds every term once."""
        return sum(self.weights)

    def spans(self, folded_text: str) -> list[Span]:
        """Where anything that is asked for stands."""
        return [(start, end) for term in self.terms for start, end, _ in term.places(folded_text)]


def weighing(known: Sequence[Known], passages: int, *, asks: Asks = "", prefers: Stretch | None = None) -> Weighing:
    """What is asked for, in an index of so many passages."""
    return Weighing(
        terms=tuple(sought(one) for one in known),
        weights=tuple(_rarity(one.documents, passages) * one.term.counts for one in known),
        asks=asks,
        prefers=prefers,
    )


def _rarity(documents: int, passages: int) -> float:
    held = min(documents, passages)
    return math.log(1 + (passages - held + 0.5) / (held + 0.5))


def weigh(asked: Weighing, candidates: Mapping[int, Candidate]) -> dict[int, Weighed]:
    """How well each candidate answers, by id."""
    if not asked.terms:
        return {each: Weighed(0.0, 0.0) for each in candidates}
    usual = _usual_lengths(candidates.values())
    held = {each: _held(asked, one, usual[one.corpus in TALK]) for each, one in candidates.items()}
    speakers = _speakers(asked, candidates)
    return {each: _weighed(asked, one, held, speakers) for each, one in candidates.items()}


def _usual_lengths(candidates: Iterable[Candidate]) -> dict[bool, float]:
    lengths: dict[bool, list[int]] = {True: [], False: []}
    for one in candidates:
        lengths[one.corpus in TALK].append(len(one.text))
    return {is_talk: max(40.0, sum(found) / len(found)) if found else 1.0 for is_talk, found in lengths.items()}


def _held(asked: Weighing, one: Candidate, usual: float) -> list[float]:
    """For each term, how strongly the passage holds it: 0 to k1 + 1."""
    counts = [0.0] * len(asked.weights)
    own, others = _apart(one.text)
    for text, weight in (
        (own, 1.0), (others, QUOTED), (one.title, TITLE), (one.who, WHO), (one.people, OTHERS), (one.place, PLACE)
    ):  # fmt: skip
        if text:
            _count(asked, folded(text), weight, counts)
    norm = SATURATES * (1 - LENGTH_COUNTS + LENGTH_COUNTS * len(one.text) / usual)
    return [count * (SATURATES + 1) / (count + norm) for count in counts]


def _count(asked: Weighing, text: str, weight: float, counts: list[float]) -> None:
    for n, term in enumerate(asked.terms):
        for _, _, fit in term.places(text):
            counts[n] += weight * fit


def _apart(text: str) -> tuple[str, str]:
    """A text's own lines and the quoted ones."""
    if "\n>" not in text and not text.startswith(">"):
        return text, ""
    lines = text.split("\n")
    return (
        "\n".join(line for line in lines if not line.startswith(">")),
        "\n".join(line for line in lines if line.startswith(">")),
    )


def _speakers(asked: Weighing, candidates: Mapping[int, Candidate]) -> frozenset[str]:
    """Who of a talk is named in the question; nobody when several are."""
    all_of = {one.who for one in candidates.values() if one.corpus in TALK}
    named = frozenset(who for who in all_of if asked.spans(folded(who)))
    return named if len(named) == 1 < len(all_of) else frozenset()


def _weighed(asked: Weighing, one: Candidate, held: Mapping[int, Sequence[float]], speakers: frozenset[str]) -> Weighed:
    around = [(each, share) for side, shares in ((one.before, BEFORE), (one.after, AFTER))
              for each, share in zip(side, shares, strict=False) if each in held]  # fmt: skip
    own = held[one.id]
    best = [max((strength, *(held[each][n] * share for each, share in around))) for n, strength in enumerate(own)]
    total = sum(asked.weights) or 1.0
    score = sum(weight * strength for weight, strength in zip(asked.weights, best, strict=True))
    there = sum(weight for weight, strength in zip(asked.weights, best, strict=True) if strength)
    covers = sum(weight for weight, strength in zip(asked.weights, own, strict=True) if strength) / total
    return Weighed(
        score * (1 - ALL_WORDS + ALL_WORDS * there / total) * _favour(asked, one, speakers), covers, sum(map(bool, own))
    )


def _favour(asked: Weighing, one: Candidate, speakers: frozenset[str]) -> float:
    factor = 1.0
    if one.who in speakers:
        factor += SPEAKER
    if one.corpus in TALK and one.text.rstrip().endswith("?"):
        factor -= QUESTION
    form = {"when": _TIME, "how many": _NUMBER, "": None}[asked.asks]
    if form is not None and form.search(folded(one.text)):
        factor += FITTING_FORM
    if asked.prefers is not None and one.at is not None and asked.prefers.from_at <= one.at < asked.prefers.to_at:
        factor += IN_TIME
    return factor
