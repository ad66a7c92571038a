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
    window = text[start : start + LENGTH_MAX]
    is_last = start + len(window) == len(text)
    latest = start + _end_of_word(window, WORDS_MAX)
    if is_last and latest == len(text):
        return len(text)
    if is_last and len(words := window.split()) < WORDS_MIN + WORDS_MAX:
        # What is left is shared between two passages, rather than leaving a few words to the last.
        ends = [start + _end_of_word(window, len(words) * share // 3) for share in (1, 2)]
        return _border(text, *ends)
    earliest = start + _end_of_word(window, WORDS_MIN)
    return _border(text, earliest if earliest < latest else start + LENGTH_MAX // 2, latest)


def _end_of_word(text: str, number: int) -> int:
    """Where word `number` and the space after it end; the text's end when it has no more words."""
    parts = text.split(None, number)
    return len(text) - len(parts[number]) if len(parts) > number else len(text)


def _border(text: str, earliest: int, latest: int) -> int:
    """The best place to cut from `earliest` to `latest`: the last one of the best kind."""
    for kind in _BORDERS:
        ends = [found.end() for found in kind.finditer(text, earliest, latest)]
        if ends:
            return ends[-1]
    return latest
