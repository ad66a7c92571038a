"""Recall: which recollections stand in a prompt. Pure: rows and the question in, at most eight out, best first.

An instruction of the owner stands there whatever is asked; of the rest, those that share words with the question or are
about somebody it names. The newer comes first where nothing else decides. Nothing superseded or forgotten is ever taken.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import log

from memory.recollection import OBSERVATION, Recollection
from memory.search.query import words_of
from memory.search.stems import WORD, folded, spellings, stems

RECALLED_MAX = 8
"""So many stand in a prompt at most, instructions among them."""

INSTRUCTIONS_MAX = 5
"""So many of them are instructions: those that have to do with the question first, then the newest."""

OBSERVATIONS_MAX = 2

NAMED = 3.0
"""What it counts that the question names whom it is about: more than a shared word that is not rare."""

FRESH, HALF_FOR = 0.5, timedelta(days=30)
"""What being new counts at most, and when it counts half of that."""

CONSIDERED_MAX = 2_000
"""The newest so many are looked at; nobody says more to remember in some years."""


@dataclass(frozen=True, slots=True)
class Recalled:
    """What stands in a prompt: the owner's instructions, and what has to do with the question."""

    instructions: tuple[Recollection, ...] = ()
    others: tuple[Recollection, ...] = ()

    @property
    def ids(self) -> tuple[int, ...]:
        """Their numbers."""
        return tuple(one.id for one in (*self.instructions, *self.others))


NOTHING = Recalled()


def recall(question: str, known: Sequence[Recollection], *, now: datetime, limit: int = RECALLED_MAX) -> Recalled:
    """What to recall for this question (and what was said just before it)."""
    live = [one for one in known if one.is_live]
    scores = _scores(question, live)
    rules = sorted((one for one in live if one.kind == "instruction"), key=lambda one: _order(one, scores, now))
    instructions = rules[: min(INSTRUCTIONS_MAX, limit)]
    rest = [one for one in live if one.kind != "instruction" and scores[one.id] > 0]
    others: list[Recollection] = []
    for one in sorted(rest, key=lambda one: _order(one, scores, now)):
        seen = sum(each.kind == OBSERVATION for each in others)
        if one.kind != OBSERVATION or seen < OBSERVATIONS_MAX:
            others.append(one)
    return Recalled(tuple(instructions), tuple(others[: limit - len(instructions)]))


def found(words: str, known: Sequence[Recollection], *, now: datetime) -> list[Recollection]:
    """Those that have to do with these words, best first: for the owner, who looks for one."""
    live = [one for one in known if one.is_live]
    scores = _scores(words, live)
    return sorted((one for one in live if scores[one.id] > 0), key=lambda one: _order(one, scores, now))


def _order(one: Recollection, scores: dict[int, float], now: datetime) -> tuple[float, int]:
    age = max(timedelta(), now - one.made_at)
    fresh = FRESH * 0.5 ** (age / HALF_FOR)
    # What others said is only taken where nothing of the owner's fits as well.
    weight = 0.5 if one.kind == OBSERVATION else 1.0
    return -(scores[one.id] * weight + fresh), -one.id


def _scores(question: str, live: Sequence[Recollection]) -> dict[int, float]:
    asked = {form: word for word in words_of(question) for form in _forms(word)}
    meant: dict[str, frozenset[str]] = {}
    shared = {one.id: _shared(f"{one.text} {' '.join(_names(one))}", asked, meant) for one in live}
    often = Counter(word for words in shared.values() for word in words)
    weights = {word: log(1 + len(live) / count) for word, count in often.items()}
    return {
        one.id: sum(weights[word] for word in shared[one.id])
        + (NAMED if shared[one.id] and _shared(" ".join(_names(one)), asked, meant) else 0.0)
        for one in live
    }


def _names(one: Recollection) -> tuple[str, ...]:
    return (one.about, *one.names)


def _shared(text: str, asked: Mapping[str, str], meant: dict[str, frozenset[str]]) -> frozenset[str]:
    """The words of the question that a text holds. `meant` keeps what each word of the texts stands for: most come often."""
    found: set[str] = set()
    for word in WORD.findall(folded(text)):
        if word not in meant:
            meant[word] = frozenset(asked[form] for form in (word, *stems(word)) if form in asked)
        found |= meant[word]
    return frozenset(found)


def _forms(word: str) -> frozenset[str]:
    """What a word may stand for: its spellings with and without umlauts, and the stem of each."""
    return frozenset(form for spelled in spellings(word) for form in (spelled, *stems(spelled)))
