"""What the rules of a language find in a sentence."""

from dataclasses import dataclass

from memory.promise import Deed
from memory.promises.words import Words


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A promise by the places of its words: the action from `first` to before `last`.

    needs_due: it is none unless it says by when. within: from where to before where the due phrase is looked for. subject: where the clause begins that promises.
    """

    words: Words
    subject: int
    first: int
    last: int
    within: tuple[int, int]
    deed: Deed
    is_hedged: bool = False
    needs_due: bool = False
