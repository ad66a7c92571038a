"""Cutting a text into the pieces that a model knows, so that they are together the likeliest (unigram, as XLM-R does)."""

from functools import lru_cache

from tools.embedding.weights import Vocabulary

SPACE = "\u2581"
"""How a space is written within a piece."""

LENGTH_MAX = 4000
"""No more of a text is looked at, whatever its characters turn into."""

EXPANDED_MAX = 8000

WORD_MAX = 200
"""A word longer than this is cut by force: the work on it grows with its length."""

UNKNOWN_COSTS = 10.0


class Pieces:
    """The pieces of one vocabulary."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._scores = vocabulary.scores.tolist()
        self._longest = max((len(piece) for piece in vocabulary.pieces), default=1)
        self._unknown_score = min(self._scores) - UNKNOWN_COSTS
        self._of_word = lru_cache(maxsize=50_000)(self._cut)

    def ids(self, text: str, most: int) -> list[int]:
        """The numbers of the pieces between a beginning and an end, `most` together. Any text is taken."""
        known = self._vocabulary
        written = text[:LENGTH_MAX].translate(known.replaced)[:EXPANDED_MAX]
        found = [known.begin]
        for word in written.split():
            for start in range(0, len(word), WORD_MAX):
                part = word[start : start + WORD_MAX]
                found += self._of_word(part if start else SPACE + part)
            if len(found) >= most - 1:
                break
        return [*found[: most - 1], known.end]

    def _cut(self, word: str) -> tuple[int, ...]:
        """The likeliest pieces of a word: for each end, the best way to get there."""
        pieces, unknown = self._vocabulary.pieces, self._vocabulary.unknown
        best = [0.0, *[float("-inf")] * len(word)]
        came: list[tuple[int, int]] = [(0, unknown)] * (len(word) + 1)
        for start in range(len(word)):
            for end in range(start + 1, min(len(word), start + self._longest) + 1):
                piece = pieces.get(word[start:end])
                if piece is None or piece == unknown:
                    score = best[start] + self._unknown_score if end == start + 1 else float("-inf")
                    piece = unknown
                else:
                    score = best[start] + self._scores[piece]
                if score > best[end]:
                    best[end], came[end] = score, (start, piece)
        found: list[int] = []
        at = len(word)
        while at:
            at, piece = came[at]
            found.append(piece)
        return tuple(reversed(found))
