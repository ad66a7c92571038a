"""Words: what a mail says, as marks: numbers into which words are hashed, so that no fitted file holds anybody's words."""

import math
import re
import zlib
from collections.abc import Iterable, Iterator
from itertools import pairwise

from memory.decide.exchange import Exchange

MARKS = 1 << 15
"""So many marks there are; two words on one mark blur each other a little."""
SUBJECT_CHARS, SAID_CHARS, BELOW_CHARS = 300, 1_200, 600
PERSON_WEIGHT = 0.5

_WORD = re.compile(r"[^\W\d_](?:[^\W\d_]|')*|\?|\d+")

Marks = tuple[tuple[int, float], ...]


def marks_of(exchange: Exchange) -> Marks:
    """The marks of a mail, each with its weight, in order: single words and pairs, of length one in all, and its sender."""
    grams = {_mark(gram) for gram in _grams(exchange)}
    weight = 1 / math.sqrt(len(grams)) if grams else 0.0
    marks = dict.fromkeys(grams, weight)
    for about in (exchange.sender, f"{exchange.sender}|{exchange.kind}|{exchange.answers_owner}"):
        marks[_mark(f"person:{about}")] = PERSON_WEIGHT
    return tuple(sorted(marks.items()))


def words_in(text: str) -> list[str]:
    """The words of a text in lower case, question marks among them; every number is "0"."""
    return ["0" if word[0].isdigit() else word for word in _WORD.findall(text.lower())]


def _grams(exchange: Exchange) -> Iterator[str]:
    yield from _singly_and_paired("subject", words_in(exchange.subject[:SUBJECT_CHARS]))
    yield from _singly_and_paired("said", words_in(exchange.said[:SAID_CHARS]))
    yield from (f"below:{word}" for word in words_in(exchange.below[:BELOW_CHARS]))


def _singly_and_paired(where: str, words: Iterable[str]) -> Iterator[str]:
    kept = list(words)
    yield from (f"{where}:{word}" for word in kept)
    yield from (f"{where}:{first} {second}" for first, second in pairwise(kept))


def _mark(gram: str) -> int:
    # Python's own hash differs from one process to the next.
    return zlib.crc32(gram.encode("utf-8", "surrogatepass")) % MARKS
