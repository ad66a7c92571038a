"""Topics: how the owner lately treated mail in which the same words stand, and whether they write about them themselves.

Words that stand in every other mail are left out; what is left fades within weeks, as topics do. Words are kept in memory
alone, never in a file.
"""

import math
from collections.abc import Collection
from datetime import timedelta

from memory.decide.exchange import Exchange
from memory.decide.habit import Fading
from memory.decide.words import words_in

WRITTEN_FADES_FOR = timedelta(days=10)
TREATED_FADES_FOR = timedelta(days=45)
LOOK_CHARS = 1_500
LETTERS_MIN = 3
COMMON_SHARE, COMMON_FROM = 0.05, 40
"""A word in a larger share of the mails is common, from so many mails on."""
ENOUGH = 0.2
"""What faded to less than this of a mail tells nothing."""
STRENGTH = 2.0
WORDS_MOST = 60_000

Words = frozenset[str]


def topic_words(exchange: Exchange) -> Words:
    """The words of a mail's subject and of what it says itself."""
    words = words_in(f"{exchange.subject} {exchange.said[:LOOK_CHARS]}")
    return frozenset(word for word in words if len(word) >= LETTERS_MIN)


class _Word:
    """One word: in how many mails it stood, and, fading, in how many lately, acted on or written by the owner."""

    __slots__ = ("acted", "came", "mails", "written")

    def __init__(self) -> None:
        self.mails = 0
        self.came, self.acted = Fading(TREATED_FADES_FOR), Fading(TREATED_FADES_FOR)
        self.written = Fading(WRITTEN_FADES_FOR)


class Topics:
    """What became of mails by their words."""

    def __init__(self) -> None:
        self._words: dict[str, _Word] = {}
        self._mails = 0
        self._let_go_above = WORDS_MOST

    def came(self, words: Words, at_s: float) -> None:
        """A mail came."""
        self._mails += 1
        for word in words:
            found = self._word(word)
            found.mails += 1
            found.came.add(at_s)
        if len(self._words) > self._let_go_above:
            self._let_go(at_s)

    def acted(self, words: Words, at_s: float) -> None:
        """The owner acted on a mail that had come."""
        for word in words:
            self._word(word).acted.add(at_s)

    def written(self, words: Words, at_s: float) -> None:
        """The owner wrote a mail."""
        for word in words:
            self._word(word).written.add(at_s)

    def numbers(self, words: Words, usual: float, at_s: float) -> dict[str, float]:
        """What the past says of a mail's words. `usual`: the share of all mail that the owner acts on."""
        rare = sorted(word for word in words if not self._is_common(word))
        return {
            "topic_written": self._written(rare, at_s),
            "topic_acted": self._acted(rare, usual, at_s),
            "topic_new": sum(word not in self._words for word in rare) / (len(rare) + 3),
        }

    def _written(self, rare: Collection[str], at_s: float) -> float:
        """Which part of the words' weight the owner wrote about lately; a rare word weighs more."""
        weights = {word: self._weight(word) for word in rare}
        written = sum(
            weight * min(1.0, self._words[word].written.at(at_s))
            for word, weight in weights.items()
            if word in self._words
        )
        return written / (sum(weights.values()) + 3)

    def _acted(self, rare: Collection[str], usual: float, at_s: float) -> float:
        """By how much more than usual mails with these words were acted on, a mean over the words."""
        gains = []
        for word in rare:
            found = self._words.get(word)
            came = found.came.at(at_s) if found else 0.0
            if found is not None and came > ENOUGH:
                gains.append((found.acted.at(at_s) - usual * came) / (came + STRENGTH))
        return sum(gains) / (len(gains) + STRENGTH)

    def _weight(self, word: str) -> float:
        found = self._words.get(word)
        return math.log((self._mails + 1) / ((found.mails if found else 0) + 1)) + 0.3

    def _is_common(self, word: str) -> bool:
        found = self._words.get(word)
        return found is not None and self._mails >= COMMON_FROM and found.mails > COMMON_SHARE * self._mails

    def _word(self, word: str) -> _Word:
        return self._words.setdefault(word, _Word())

    def _let_go(self, at_s: float) -> None:
        """Forget words that nobody wrote lately."""
        self._words = {
            word: found
            for word, found in self._words.items()
            if found.came.at(at_s) > ENOUGH or found.written.at(at_s) > ENOUGH
        }
        self._let_go_above = max(WORDS_MOST, 2 * len(self._words))
