"""Words and meaning in one order.

Where the words are sure of themselves they decide, and meaning only orders what they leave equal; where hardly a word of
the question is to be found, meaning decides. One stray word in common must not count as much as the nearest meaning.
"""

from collections.abc import Mapping

from memory.search.ranking import Weighed

SURE = 0.75
"""With so much of what was asked in one passage, by weight, the words are sure."""

UNSURE = 0.25

WORDS_MOST, WORDS_LEAST = 0.8, 0.15
"""The share of words in the order when they are sure, and when they are not."""


def fused(weighed: Mapping[int, Weighed], near: Mapping[int, float]) -> dict[int, float]:
    """One score for each passage, 0 to about 1, from its words and from how near its meaning is (-1 to 1)."""
    best = max((one.score for one in weighed.values()), default=0.0)
    by_words = {each: one.score / best for each, one in weighed.items() if best and one.score}
    if not near:
        return by_words
    share = words_share(weighed)
    low, high = min(near.values()), max(near.values())
    by_meaning = {each: (cosine - low) / (high - low or 1.0) for each, cosine in near.items()}
    return {
        each: share * by_words.get(each, 0.0) + (1 - share) * by_meaning.get(each, 0.0)
        for each in {*by_words, *by_meaning}
    }


def words_share(weighed: Mapping[int, Weighed]) -> float:
    """How much the words have to say: by how much of what was asked the best passages hold."""
    covers = max((one.covers for one in weighed.values()), default=0.0)
    sure = min(1.0, max(0.0, (covers - UNSURE) / (SURE - UNSURE)))
    return WORDS_LEAST + (WORDS_MOST - WORDS_LEAST) * sure
