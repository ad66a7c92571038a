"""Cutting a text into passages: at paragraphs where possible, else at lines, sentences, words.

The passages of a text tile it: each character lies in exactly one, so that a span counts the characters of the whole and
the whole can be put together again.
"""

import re

WORDS_MIN = 150
WORDS_MAX = 250
"""A passage of a long text has so many words: enough to be understood by itself, few enough to be about one thing."""

LENGTH_MAX = 2400
"""And never more characters than this, whatever is taken for a word."""

_WORD = re.compile(r"\S+")
_BORDERS = (
    re.compile(r"\n[ \t\r]*\n\s*"),  # a paragraph's end
    re.compile(r"\n"),  # a line's
    re.compile(r"[.!?…][\"'»”)\]]*\s+"),  # a sentence's
    re.compile(r"\s+"),  # a word's
)

Span = tuple[int, int]
"""Where something stands in a text, in characters; the end is not included."""


def spans(text: str) -> list[Span]:
    """The spans of the passages of `text`, in order. An empty text is one empty passage."""
    found: list[Span] = []
    start = 0
    while (end := _end(text, start)) < len(text):
        found.append((start, end))
        start = end
    found.append((start, len(text)))
    return found


def _end(text: str, start: int) -> int:
    """Where the passage that begins at `start` ends."""
    if len(text) - start <= WORDS_MAX:
        return len(text)
    reach = min(len(text), start + LENGTH_MAX)
    ends = [word.end() for word in _WORD.finditer(text, start, reach)]
    is_last = reach == len(text)
    if is_last and len(ends) <= WORDS_MAX:
        return len(text)
    if is_last and len(ends) < WORDS_MIN + WORDS_MAX:
        # What is left is shared between two passages, rather than leaving a few words to the last.
        return _border(text, ends[len(ends) // 3], ends[len(ends) * 2 // 3])
    latest = ends[WORDS_MAX - 1] if len(ends) >= WORDS_MAX else reach
    earliest = ends[WORDS_MIN - 1] if len(ends) >= WORDS_MIN else start + LENGTH_MAX // 2
    return _border(text, min(earliest, latest), latest)


def _border(text: str, earliest: int, latest: int) -> int:
    """The best place to cut from `earliest` to `latest`: the last one of the best kind."""
    for kind in _BORDERS:
        ends = [found.end() for found in kind.finditer(text, earliest, latest)]
        if ends:
            return ends[-1]
    return latest
