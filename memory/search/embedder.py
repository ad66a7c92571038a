"""The port to what turns a text into a vector, so that it can be found by its meaning.

An embedder is local, optional and replaceable: without one everything is found by its words alone. The index remembers
which one made it; with another, it is made anew in the background.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


class Embedder(Protocol):
    """Turns texts into vectors of length 1. Called from any thread, several at a time."""

    @property
    def name(self) -> str:
        """Model and version: vectors of different names are never compared."""
        ...

    @property
    def dimension(self) -> int:
        """Numbers of a vector; a multiple of 8."""
        ...

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """A vector for each text that is kept. Any text is taken; a long one is cut."""
        ...

    def embed_query(self, text: str) -> Sequence[float]:
        """The vector of a question."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Readiness:
    """How much of what is kept can be found by meaning. model: None without an embedder."""

    model: str | None
    passages: int
    embedded: int

    @property
    def share(self) -> float:
        """0 to 1."""
        return min(1.0, self.embedded / self.passages) if self.passages else 1.0


@dataclass(frozen=True, slots=True)
class Unembedded:
    """A passage that waits for its vector, as the text to be embedded."""

    passage_id: int
    text: str
