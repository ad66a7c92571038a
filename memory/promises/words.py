"""A sentence cut into words and signs, as the rules of promises see it."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from memory.when.tokens import plain

WORDS_MAX = 160
"""So many words and signs of a sentence are looked at: who promises says so before."""

_WORD = re.compile(r"['’](?:ll|m|d|ve|re|s|t)(?![^\W_])|[^\W\d_]+(?:[-'][^\W\d_]+)*(?<!['’-])|\d+|-{2,8}|\.{2,8}|[^\w\s]|_", re.IGNORECASE)
_ENDING = re.compile(r"(?i)'(?:ll|m|d|ve|re|s|t)$")
_STOPS = frozenset(". ! ? ; : ( ) [ ] … – — -- --- ---- .. ... .... | •".split())


@dataclass(frozen=True, slots=True)
class Word:
    """A word or a sign: `low` is its plain spelling (lower case, ä as ae); `start` and `end` count in the sentence."""

    low: str
    start: int
    end: int
    is_capital: bool
    is_stop: bool

    @property
    def is_word(self) -> bool:
        """Whether it is no sign."""
        return self.low[:1].isalnum() or self.low[:1] == "'"


def words_of(sentence: str) -> tuple[Word, ...]:
    """The first words and signs of a sentence."""
    found: list[Word] = []
    for match in _WORD.finditer(sentence):
        for start, end in _split(sentence, match.start(), match.end()):
            text = sentence[start:end]
            found.append(Word(plain(text), start, end, text[:1].isupper(), _stops(sentence, start, end)))
        if len(found) >= WORDS_MAX:
            break
    return tuple(found)


def _split(sentence: str, start: int, end: int) -> Sequence[tuple[int, int]]:
    """Two words where an apostrophe joins them: I|'ll."""
    ending = _ENDING.search(sentence, start, end)
    return ((start, ending.start()), (ending.start(), end)) if ending and ending.start() > start else ((start, end),)


def _stops(sentence: str, start: int, end: int) -> bool:
    """Whether a sign ends what was said before it. A dot within a name or a number doesn't, nor does a hyphen."""
    text = sentence[start:end]
    if text == "-":
        return sentence[start - 1 : start].isspace() and sentence[end : end + 1].isspace()
    if text == ".":
        return not sentence[end : end + 1].strip()
    return text in _STOPS


def has(words: Sequence[Word], wanted: Collection[str]) -> bool:
    """Whether any of these words is among them."""
    return any(word.low in wanted for word in words)


def says(words: Sequence[Word], at: int, phrase: Sequence[str]) -> bool:
    """Whether the phrase stands there."""
    return 0 <= at and [word.low for word in words[at : at + len(phrase)]] == list(phrase)


def holds(words: Sequence[Word], phrases: Collection[tuple[str, ...]]) -> bool:
    """Whether one of the phrases stands anywhere in it."""
    return any(says(words, at, phrase) for at in range(len(words)) for phrase in phrases)


def phrases(text: str) -> frozenset[tuple[str, ...]]:
    """A list of phrases, one a line, as data."""
    return frozenset(tuple(line.split()) for line in text.strip().splitlines())
