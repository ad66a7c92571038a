"""The splitter: a long drawn text becomes chunks that Telegram takes, each a message of its own.

Offsets and lengths are in UTF-16 units, as Telegram counts them. Inside this file places are indices into the Python
string and are called `start`, `end` and `at`.
"""

from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import NamedTuple

import regex

CHUNK_UNITS = 4096
"""UTF-16 units in one message. The server counts code points, so this holds either way."""

CHUNK_ENTITIES = 100
"""Entities in one message; the server silently drops those beyond."""

# From where a reader would most like a message to end, to where least.
_SEPARATORS = ("\n\n", "\n", " ")
_GRAPHEME = regex.compile(r"\X")
_BLANK = regex.compile(r"\s")
# What Telegram counts as nothing: a message of these alone is refused as empty.
_UNSEEN = regex.compile(r"[\s\u180e\u200b-\u200f\u2800\ufeff\ufffc\U000e0000-\U000e007f]*")
# These cannot hold one another; of two that overlap, the outer stays.
_EXCLUSIVE = frozenset({"code", "pre", "text_link"})


@dataclass(frozen=True, slots=True)
class Entity:
    """A piece of markup: Telegram's type name, its place in UTF-16 units, and what a link or a code block carries."""

    type: str
    offset: int
    length: int
    url: str | None = None
    language: str | None = None


@dataclass(frozen=True, slots=True)
class Chunk:
    """One message's worth: at most 4096 UTF-16 units, at most 100 entities, no white space at either end."""

    text: str
    entities: tuple[Entity, ...] = ()


class _Span(NamedTuple):
    """An entity in string indices, before it is cut to a chunk."""

    start: int
    end: int
    entity: Entity

    def holds(self, at: int) -> bool:
        """Would a cut here go through the entity?"""
        return self.start < at < self.end


def split(text: str, entities: Iterable[Entity] = ()) -> tuple[Chunk, ...]:
    """Split `text` into chunks; together they lose nothing but white space and invisible characters at the cuts.

    A cut prefers a blank line to a line end to a space, and stays out of entities that fit whole into the next chunk.
    An entity that has to be cut goes on in the next chunk, with its language and target. Graphemes stay whole unless one
    alone is longer than a message. Text must be clean: no carriage returns, no lone surrogates.
    """
    page = _Page(text)
    ahead = deque(page.spans(entities))
    cut_through: list[_Span] = []
    chunks = []
    start = page.ink_from(0)
    while start < len(text):
        limit, spans = page.room(start, cut_through, ahead)
        end = page.cut(start, limit, spans) if limit < len(text) else limit
        taken = [span for span in spans if span.start < end]
        while ahead and ahead[0].start < end:
            ahead.popleft()
        chunks.append(page.chunk(start, end, taken))
        cut_through = [span for span in taken if span.end > end]
        start = page.ink_from(end)
    return tuple(chunk for chunk in chunks if not _UNSEEN.fullmatch(chunk.text))


class _Page:
    """The whole text with its measure: where it may be cut, and what a cut leaves."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._units = [0, *accumulate(2 if letter > "\uffff" else 1 for letter in text)]

    def spans(self, entities: Iterable[Entity]) -> list[_Span]:
        """Return the entities in string indices, trimmed, outermost first, none overlapping its own kind."""
        found = [self._span(entity) for entity in entities]
        # An outer entity is reported after what it holds; of two with the same place the later one is the outer.
        inked = sorted((span for span in reversed(found) if span), key=lambda span: (span.start, -span.end))
        return _tidied(inked)

    def _span(self, entity: Entity) -> _Span | None:
        start = bisect_left(self._units, entity.offset)
        end = min(bisect_left(self._units, entity.offset + entity.length), len(self._text))
        start, end = self.ink_from(start), self._ink_until(end)
        return _Span(start, end, entity) if start < end else None

    def ink_from(self, at: int) -> int:
        """Return the first place from `at` on that is not white space."""
        while at < len(self._text) and self._text[at].isspace():
            at += 1
        return at

    def _ink_until(self, at: int) -> int:
        while at > 0 and self._text[at - 1].isspace():
            at -= 1
        return at

    def room(self, start: int, cut_through: Iterable[_Span], ahead: Iterable[_Span]) -> tuple[int, list[_Span]]:
        """Return how far a chunk from `start` may reach, and the entities that begin before that."""
        limit = bisect_right(self._units, self._units[start] + CHUNK_UNITS) - 1
        spans = list(cut_through)
        for span in ahead:
            if span.start >= limit:
                break
            if len(spans) == CHUNK_ENTITIES:
                limit = span.start
                break
            spans.append(span)
        return limit, spans

    def cut(self, start: int, limit: int, spans: Sequence[_Span]) -> int:
        """Return where a chunk from `start` best ends, at `limit` or before."""
        borders = self._borders(start, limit)
        half = (start + limit) // 2
        return (
            self._between(half, limit, spans, borders)
            or self._before_obstacle(start, limit, spans, borders)
            or self._between(half, limit, (), borders)
            or borders[-1]
        )

    def _borders(self, start: int, limit: int) -> Sequence[int]:
        """Return the grapheme borders after `start`; if there is none, the limit has to do."""
        if self._text[start : limit + 1].isascii():
            return range(start + 1, limit + 1)
        ends = []
        for grapheme in _GRAPHEME.finditer(self._text, start):
            if grapheme.end() > limit:
                break
            ends.append(grapheme.end())
        return ends or (limit,)

    def _between(self, low: int, limit: int, spans: Sequence[_Span], borders: Sequence[int]) -> int | None:
        """Return the last, best white space from `low` to `limit` that lies in none of `spans`."""
        for separator in _SEPARATORS:
            at = self._text.rfind(separator, low, limit + len(separator))
            while at >= borders[0]:
                outside = min((span.start for span in spans if span.holds(at)), default=at)
                if outside == at and self._is_clean(at, borders):
                    return at
                before = outside + len(separator) if outside < at else self._ink_until(at)
                at = self._text.rfind(separator, low, before)
        return None

    def _is_clean(self, at: int, borders: Sequence[int]) -> bool:
        """Does the white space from here belong to no grapheme with the letters around it?"""
        place = bisect_left(borders, at)
        if place == len(borders) or borders[place] != at:
            return False
        after = self.ink_from(at)
        last = _GRAPHEME.match(self._text, after - 1)
        return last is not None and last.end() == after

    def _before_obstacle(self, start: int, limit: int, spans: Sequence[_Span], borders: Sequence[int]) -> int | None:
        """Return an early cut that keeps whole what stands across the limit, if it fits into the next chunk."""
        across = [span for span in spans if span.holds(limit)]
        at = self._between(start + 1, limit, spans, borders) or self._entrance(across, borders)
        end = max((span.end for span in across), default=self._word_end(limit))
        if at is None or self._units[end] - self._units[self.ink_from(at)] > CHUNK_UNITS:
            return None
        return at

    @staticmethod
    def _entrance(across: Sequence[_Span], borders: Sequence[int]) -> int | None:
        """Return the start of the outermost entity across the limit, if it can be cut off there."""
        first = min((span.start for span in across), default=-1)
        place = bisect_left(borders, first)
        return first if place < len(borders) and borders[place] == first else None

    def _word_end(self, limit: int) -> int:
        reach = limit + CHUNK_UNITS + 1
        found = _BLANK.search(self._text, limit, reach)
        return found.start() if found else min(reach, len(self._text))

    def chunk(self, start: int, end: int, spans: Iterable[_Span]) -> Chunk:
        """Return the text from `start` to `end` without trailing white space, and the entities cut to it."""
        end = self._ink_until(end)
        parts = (self._part(span, start, end) for span in spans)
        return Chunk(self._text[start:end], tuple(part for part in parts if part))

    def _part(self, span: _Span, start: int, end: int) -> Entity | None:
        first, last = max(span.start, start), min(span.end, end)
        if first >= last:
            return None
        offset = self._units[first] - self._units[start]
        return replace(span.entity, offset=offset, length=self._units[last] - self._units[first])


def _tidied(spans: Iterable[_Span]) -> list[_Span]:
    """Drop what lies inside its own kind or where it cannot be shown; only few entities can then cover one place."""
    reached: dict[str, int] = {}
    kept = []
    for span in spans:
        kind = "exclusive" if span.entity.type in _EXCLUSIVE else span.entity.type
        if span.start >= reached.get(kind, 0):
            kept.append(span)
            reached[kind] = span.end
    return kept
