"""Words and meaning in one order.

How much the words decide depends on how much the best of them tell. One word that question and passage share, however rare,
may be chance, so that it decides next to nothing; two are hardly ever. To pick one passage out of N takes log N of what a
rare word tells: half as much again, or a passage that holds nearly all that was asked, and the words decide nearly
everything. The nearest meanings come in where words tell little.
Ranks alone, added up, made every good model worse; so did a weight that only saw which share of a long question was held.
"""

import math
from collections.abc import Mapping

from memory.search.ranking import Weighed

WORDS = 0.8
"""The share of words in the order when they are certain."""

SEVERAL = 0.5
"""How sure it is at least when a passage holds several of the terms. What was chosen here hardly matters: from 0.5 to 1
nothing was worse by either alone, in known_item or LoCoMo (evals/README.md)."""

CHANCE, CERTAIN = 1.15, 1.5
"""Times log N: up to here what a passage holds may be chance, from there on it is none."""


def fused(weighed: Mapping[int, Weighed], near: Mapping[int, float], ideal: float, passages: int) -> dict[int, float]:
    """One score for each passage, 0 to about 1, from its words and from how near its meaning is (-1 to 1).

    ideal: the score of a passage that holds everything once. passages: of how many these are the candidates. Without
    `near`, by words alone.
    """
    by_words = {each: one.score / (ideal or 1.0) for each, one in weighed.items() if one.score}
    if not near:
        return by_words
    low, high = min(near.values()), max(near.values())
    by_meaning = {each: (cosine - low) / (high - low or 1.0) for each, cosine in near.items()}
    most = max(by_words.values(), default=1.0)
    best = max(weighed.values(), key=lambda one: (one.covers, one.terms), default=Weighed(0.0, 0.0))
    trust = WORDS * certainty(best, ideal, passages)
    return {
        each: trust * by_words.get(each, 0.0) / most + (1 - trust) * by_meaning.get(each, 0.0)
        for each in {*by_words, *by_meaning}
    }


def certainty(best: Weighed, ideal: float, passages: int) -> float:
    """How sure it is that words find what is meant, 0 to 1. best: the passage that holds most of the question."""
    told = best.covers * ideal / math.log(max(2, passages))
    least = SEVERAL if best.terms > 1 else 0.0
    return max(best.covers**2, min(1.0, max(least, (told - CHANCE) / (CERTAIN - CHANCE))))
