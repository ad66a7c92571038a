"""Words and meaning in one order.

A passage that holds all that was asked is hardly ever wrong, one that shares a stray word with the question hardly ever
right: so its words count by the square of how much it holds, and the nearest meanings decide where no passage holds much.
Ranks alone, added up, made every good model worse: there a stray word counts as much as the nearest meaning.
"""

from collections.abc import Mapping

from memory.search.ranking import Weighed

WORDS = 0.6
"""The share of words in the order, when a passage holds everything that was asked."""


def fused(weighed: Mapping[int, Weighed], near: Mapping[int, float], ideal: float) -> dict[int, float]:
    """One score for each passage, 0 to about 1, from its words and from how near its meaning is (-1 to 1).

    ideal: the score of a passage that holds everything once. Without `near`, by words alone.
    """
    by_words = {each: one.score / (ideal or 1.0) for each, one in weighed.items() if one.score}
    if not near:
        return by_words
    low, high = min(near.values()), max(near.values())
    by_meaning = {each: (cosine - low) / (high - low or 1.0) for each, cosine in near.items()}
    return {
        each: WORDS * _sure(by_words.get(each, 0.0)) + (1 - WORDS) * by_meaning.get(each, 0.0)
        for each in {*by_words, *by_meaning}
    }


def _sure(share: float) -> float:
    return min(1.0, share) ** 2
