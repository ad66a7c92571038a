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
    length = len(text) - start
    if length < 2 * WORDS_MAX:
        return len(text)
    stop = start + min(length, LENGTH_MAX)
    earliest = _after_words(text, WORDS_MIN, start, stop)
    latest = _after_words(text, WORDS_MAX - WORDS_MIN, earliest, stop)
    if stop == len(text):
        if latest == stop:
            return stop
        if len(words := text[start:].split()) < WORDS_MIN + WORDS_MAX:
            # What is left is shared between two passages, rather than leaving a few words to the last.
            ends = [_after_words(text, len(words) * share // 3, start, stop) for share in (1, 2)]
            return _border(text, *ends)
    return _border(text, earliest if earliest < latest else start + LENGTH_MAX // 2, latest)


def _after_words(text: str, count: int, start: int, stop: int) -> int:
    """Where so many words and the space after them end; `stop` when there are no more than that."""
    # Half of the longest part of an import that is not SQLite's: a pattern takes longer.
    parts = text[start:stop].split(None, count)
    return stop - len(parts[count]) if len(parts) > count else stop


def _border(text: str, earliest: int, latest: int) -> int:
    """The best place to cut from `earliest` to `latest`: the last one of the best kind."""
    for kind in _BORDERS:
        ends = [found.end() for found in kind.finditer(text, earliest, latest)]
        if ends:
            return ends[-1]
    return latest
