"""Echo: whether a text bears words of something that its writer had before them.

It decides what is erased when a source is excluded later, so it is quick to say yes: a name, an address, a telling word
of the title, or four words in a row. What shares only everyday words with its source is no echo of it.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from memory.people.mailbox import folded_name
from memory.search.stems import WORD, folded
from memory.search.stopwords import ENGLISH, GERMAN

NAME_MIN, TITLE_MIN = 3, 5
"""Shorter words of a name (initials), and of a title, tell nothing."""

IN_A_ROW, TELLING_ROW = 4, 2
"""So many words in a row are nobody's by chance; a text or a line of fewer has to be repeated whole, and one word tells
nothing."""

_EVERYDAY = ENGLISH | GERMAN | {"reply", "antwort", "betreff", "subject", "hello", "hallo"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """What somebody wrote. people: (name, address) of those whom it speaks for, without the owner."""

    people: tuple[tuple[str, str], ...] = ()
    title: str = ""
    text: str = ""


class Said:
    """A text that may bear the words of others. One look at it serves for many sources."""

    def __init__(self, text: str) -> None:
        self._folded = folded(text)
        self._in_order = list(_words(self._folded))
        # Names are written with and without their umlauts written out.
        self._words = {*self._in_order, *_named(text)}
        self._rows: dict[int, set[tuple[str, ...]]] = {}

    def echoes(self, source: Source) -> bool:
        """Whether it bears words of `source`."""
        return bool(
            any(address and folded(address) in self._folded for _, address in source.people)
            or not self._words.isdisjoint(_telling(name for name, _ in source.people))
            or not self._words.isdisjoint(_titled(source.title))
            or self._repeats(list(_words(folded(source.text))))
            # A line that is too short for a row of words is shown whole where it is found.
            or any(self._repeats(words) for words in _short_lines(source.text))
        )

    def _repeats(self, words: list[str]) -> bool:
        """Whether some of these stand in it in a row: all of them, when there are few."""
        length = min(IN_A_ROW, len(words))
        if length < TELLING_ROW:
            return False
        if length not in self._rows:
            self._rows[length] = set(_rows(self._in_order, length))
        return not self._rows[length].isdisjoint(_rows(words, length))


def echoes(text: str, source: Source) -> bool:
    """Whether `text` bears words of `source`."""
    return Said(text).echoes(source)


def _short_lines(text: str) -> Iterator[list[str]]:
    """The lines of a text that hold fewer words than a row."""
    for line in text.splitlines():
        words = list(_words(folded(line)))
        if len(words) < IN_A_ROW:
            yield words


def _named(text: str) -> Iterator[str]:
    """The words of a text in the other spelling in which names are compared."""
    for word in WORD.findall(text):
        if not word.isascii():
            yield from folded_name(word)


def _telling(names: Iterable[str]) -> set[str]:
    """The words by which somebody is called, in both spellings."""
    words = {word for name in names for word in (*folded_name(name), *_words(folded(name)))}
    return {word for word in words if len(word) >= NAME_MIN and word not in _EVERYDAY}


def _titled(title: str) -> set[str]:
    words = {word for word in _words(folded(title)) if word not in _EVERYDAY}
    return {word for word in words if len(word) >= TITLE_MIN} or {word for word in words if len(word) >= NAME_MIN}


def _words(text: str) -> Iterator[str]:
    return (found[0] for found in WORD.finditer(text))


def _rows(words: list[str], length: int) -> Iterator[tuple[str, ...]]:
    """What stands in a row, where half of it is more than everyday words."""
    for row in zip(*(words[start:] for start in range(length)), strict=False):
        if 2 * sum(word not in _EVERYDAY for word in row) >= length:
            yield row
