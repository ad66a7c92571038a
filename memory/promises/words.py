"""A sentence cut into words and signs, as the rules of promises see it."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from memory.when.tokens import plain

WORDS_MAX = 160
"""So many words and signs of a sentence are looked at: whoever promises says so before."""

_WORD = re.compile(
    r"['’](?:ll|m|d|ve|re|s|t)(?![^\W_])|[^\W\d_]+(?:-[^\W\d_]+)*|\d+|-{2,8}|\.{2,8}|[^\w\s]|_", re.IGNORECASE
)
_STOPS = frozenset({"..", "...", "....", "--", "---", "----", *"!?;()[]…–—|•"})
_GLUED = frozenset(".:")
"""Signs that stop only before a blank: not within 9:30 or data.table."""


@dataclass(frozen=True, slots=True)
class Word:
    """A word or a sign: `low` is its plain spelling (lower case, ä as ae); `start` and `end` count in the sentence.

    is_stop: a sign that ends what was said before it; a comma is none, nor is a hyphen.
    """

    low: str
    start: int
    end: int
    is_capital: bool
    is_stop: bool

    @property
    def is_word(self) -> bool:
        """Whether it is no sign."""
        return self.low[0].isalnum() or (self.low[0] == "'" and len(self.low) > 1)


Words = Sequence[Word]


def words_of(sentence: str) -> tuple[Word, ...]:
    """The first words and signs of a sentence."""
    return tuple(
        Word(
            plain(found[0]), found.start(), found.end(), found[0][0].isupper(), _stops(sentence, found[0], found.end())
        )
        for found in islice(_WORD.finditer(sentence), WORDS_MAX)
    )


def _stops(sentence: str, sign: str, end: int) -> bool:
    if sign == "-":
        around = sentence[max(0, end - 2) : end - 1] + sentence[end : end + 1]
        return around.isspace() and len(around) == 2
    if sign == ".":
        # A sentence was cut at its dots: the others belong to abbreviations.
        return not sentence[end:].strip()
    return sign in _STOPS or (sign in _GLUED and not sentence[end : end + 1].strip())


def has(words: Iterable[Word], wanted: Collection[str]) -> bool:
    """Whether any of these words is among them."""
    return any(word.low in wanted for word in words)


def says(words: Words, at: int, *phrase: str) -> bool:
    """Whether the phrase stands there."""
    return at >= 0 and tuple(word.low for word in words[at : at + len(phrase)]) == phrase


def followed(words: Words, at: int, *wanted: str) -> bool:
    """Whether one of these comes next after the word at `at`."""
    return at + 1 < len(words) and words[at + 1].low in wanted


_TAGS = frozenset({"ok", "okay", "alright", "deal", "ja", "gut", "passt"})


def is_question(words: Words) -> bool:
    """Whether a sentence ends as a question: not with ", ok?", which only asks for a nod."""
    if not words or words[-1].low != "?":
        return False
    return not (len(words) > 3 and words[-2].low in _TAGS and words[-3].low == ",")


Phrases = Mapping[str, tuple[tuple[str, ...], ...]]
"""Phrases by their first word, the longest first."""


def phrases(text: str) -> Phrases:
    """A list of phrases, one a line, as data."""
    found: dict[str, list[tuple[str, ...]]] = {}
    for line in text.strip().splitlines():
        phrase = tuple(line.split())
        found.setdefault(phrase[0], []).append(phrase)
    return {first: tuple(sorted(some, key=len, reverse=True)) for first, some in found.items()}


def phrase_at(words: Words, at: int, some: Phrases) -> tuple[str, ...]:
    """The longest of the phrases that stands there, empty for none."""
    return next((phrase for phrase in some.get(words[at].low, ()) if says(words, at, *phrase)), ())


def holds(words: Words, some: Phrases) -> bool:
    """Whether one of the phrases stands anywhere in it."""
    return any(phrase_at(words, at, some) for at in range(len(words)))


def clause_start(words: Words, at: int, more: Collection[str] = ()) -> int:
    """Where the clause around `at` begins: behind the last stop before it, or one of `more`."""
    return next((k + 1 for k in range(at - 1, -1, -1) if words[k].is_stop or words[k].low in more), 0)


def clause_end(words: Words, at: int, more: Collection[str] = ()) -> int:
    """Where it ends: before the next stop, or one of `more`."""
    return next((k for k in range(at, len(words)) if words[k].is_stop or words[k].low in more), len(words))
