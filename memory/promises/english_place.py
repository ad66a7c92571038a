"""A verb after "I will", with what stands around it: what the rules of single verbs look at."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from memory.promises.words import Words, followed, says

Who = Literal["I", "we", "I and another"]


@dataclass(frozen=True, slots=True)
class Do:
    """A deed: `first` is where the action begins, `verb` where the verb stands that tells what sort it is."""

    first: int
    verb: int
    is_hedged: bool = False


@dataclass(frozen=True, slots=True)
class Place:
    """A verb in its sentence: its place, its bare form, who does it; `deed_at` finds the deed that it only leads to."""

    words: Words
    at: int
    base: str
    who: Who
    deed_at: Callable[[int], Do | None]

    @property
    def here(self) -> Do:
        """The deed that it is by itself."""
        return Do(self.at, self.at)

    def near(self, upto: int) -> Words:
        """The words behind it, fewer than `upto`."""
        return self.words[self.at + 1 : self.at + upto]

    def next(self, *wanted: str) -> bool:
        """Whether one of these comes next."""
        return followed(self.words, self.at, *wanted)

    def reads(self, *phrase: str) -> bool:
        """Whether just this phrase comes next."""
        return says(self.words, self.at + 1, *phrase)

    def ends(self) -> bool:
        """Whether nothing belongs to it any more."""
        following = self.near(2)
        return not following or following[0].is_stop or following[0].low in (",", "and", "but")

    def leads_to(self, at: int, *, is_hedged: bool = False, first: int | None = None) -> Do | None:
        """The deed that is said behind, at `at`; None when that is none."""
        inner = self.deed_at(at)
        return inner and Do(inner.first if first is None else first, inner.verb, is_hedged or inner.is_hedged)


Rule = Callable[[Place], Do | None]


def hands_reader(words: Words, at: int) -> bool:
    """ "Have it for you", "get the dues to you"."""
    return any(
        words[k].low in ("to", "for") and followed(words, k, "you") for k in range(at + 1, min(at + 16, len(words)))
    )
