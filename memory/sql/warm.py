"""What search keeps warm between two questions: how common words are, the signs of the vectors, the embedder."""

import asyncio
import threading
from collections import Counter, OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from memory.search.embedder import Embedder

if TYPE_CHECKING:
    from memory.search.vectors import Signs

T = TypeVar("T")

SMALL = 20_000
"""With so few passages everything is looked up anew: it takes no time, and tests see what they have written."""

GROWN = 1.02
"""How common a word is, is looked up anew when there are so many times the passages."""

WORDS_KEPT = 4096
QUESTIONS_KEPT = 256


class NoVector(Exception):  # noqa: N818  nothing is wrong: the unit of work begins again
    """A question has no vector yet. Making one takes a model's time, which neither the writer nor a reader has."""

    def __init__(self, text: str) -> None:
        super().__init__("a question has no vector yet")
        self.text = text


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
        self._questions: OrderedDict[tuple[str, str], Sequence[float]] = OrderedDict()
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
        """The vector of a question; None without an embedder. Raises NoVector, which `with_vectors` answers."""
        if self.embedder is None or not text:
            return None
        with self.lock:
            known = self._questions.get((self.embedder.name, text))
        if known is None:
            raise NoVector(text)
        return known

    async def with_vectors(self, run: Callable[[], Awaitable[T]]) -> T:
        """Run a unit of work; again, once the vector of what it asks was made in a thread of its own."""
        while True:
            try:
                return await run()
            except NoVector as missing:
                text = missing.text
            await asyncio.to_thread(self._embed, text)

    def _embed(self, text: str) -> None:
        if (embedder := self.embedder) is None:
            return
        vector = embedder.embed_query(text)
        with self.lock:
            self._questions[embedder.name, text] = vector
            if len(self._questions) > QUESTIONS_KEPT:
                self._questions.popitem(last=False)
