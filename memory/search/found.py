"""What a query found, by corpus; how it was found, and what of the query came to nothing."""

from dataclasses import dataclass
from typing import Literal

from memory.search.filters import Typed
from memory.search.passage import Corpus, Hit

By = Literal["words", "words and meaning", "meaning"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """The best of one corpus, best first."""

    corpus: Corpus
    hits: tuple[Hit, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a query found: a group for each corpus that has an answer, the one with the best hit first.

    by: whether meaning was looked at besides words; "meaning" when no hit holds any of the words. share_embedded: how much of
    what is kept can be found by meaning, 0 to 1; less than 1 while the index is being made. is_of_any_time: whether the words
    for a time had to be let go to find anything. unmet: filters that nobody understands or nothing meets, and what only
    looks like one.
    """

    groups: tuple[Group, ...] = ()
    by: By = "words"
    share_embedded: float = 0.0
    is_of_any_time: bool = False
    unmet: tuple[Typed, ...] = ()

    @property
    def hits(self) -> tuple[Hit, ...]:
        """All of them, in the order of the groups."""
        return tuple(hit for group in self.groups for hit in group.hits)
