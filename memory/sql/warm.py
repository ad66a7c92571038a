"""What search keeps warm between two questions: how common words are, the signs of the vectors, the embedder."""

import threading
from collections import Counter, OrderedDict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from memory.search.embedder import Embedder

if TYPE_CHECKING:
    from memory.search.vectors import Signs

SMALL = 20_000
"""With so few passages everything is looked up anew: it takes no time, and tests see what they have written."""

GROWN = 1.02
"""How common a word is, is looked up anew when there are so many times the passages."""

WORDS_KEPT = 4096
QUESTIONS_KEPT = 256


class Warm:
    """One for each database that is open; used from several threads. Losing it costs time and nothing else."""

    def __init__(self, embedder: Embedder | None = None) -> None:
        self.embedder = embedder
        self.signs: Signs | None = None
        self.signs_model: str | None = None
        self.signs_last: tuple[int, int] | None = None
        self.uses: Counter[int] = Counter()
        self.lock = threading.RLock()
        self._words: OrderedDict[Any, Any] = OrderedDict()
        self._questions: OrderedDict[str, Sequence[float]] = OrderedDict()
        self._passages = 0

    def looked_up(self, passages: int) -> None:
        """There are about so many passages now: what was remembered of another size is let go."""
        with self.lock:
            if passages < SMALL or not self._passages <= passages <= self._passages * GROWN:
                self._words.clear()
                self._passages = passages

    def word(self, key: Any) -> Any:
        """What was remembered of a word, or None."""
        with self.lock:
            return self._words.get(key)

    def remember(self, key: Any, value: Any) -> None:
        """Remember it for a while."""
        with self.lock:
            self._words[key] = value
            if len(self._words) > WORDS_KEPT:
                self._words.popitem(last=False)

    def question(self, text: str) -> Sequence[float] | None:
        """The vector of a question; None without an embedder."""
        if self.embedder is None or not text:
            return None
        with self.lock:
            known = self._questions.get(text)
        if known is None:
            known = self.embedder.embed_query(text)
            with self.lock:
                self._questions[text] = known
                if len(self._questions) > QUESTIONS_KEPT:
                    self._questions.popitem(last=False)
        return known
