"""What the rules of a language find in a sentence."""

from collections.abc import Sequence
from dataclasses import dataclass

from memory.promise import Deed
from memory.promises.words import Word


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A promise by the places of its words: the action from `first` to before `last`.

    within: the words among which the due phrase is to be looked for, from here to before there.
    """

    words: Sequence[Word]
    first: int
    last: int
    within: tuple[int, int]
    deed: Deed
    is_hedged: bool = False
