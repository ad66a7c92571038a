"""A promise: something the owner said in writing that they would do."""

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

PROMISED_QUOTE_MAX = 200
"""So many characters the quote of a promise has at most: the rule of design for all quotes."""

WORD_MIN = 3
"""So short a word says nothing of what is promised."""

Deed = Literal["hand over", "answer", "other"]
"""What would show that it was kept. *hand over*: something is sent. *answer*: a word is given. *other*: nothing here does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Promise:
    """One promise, as it stands in what the owner wrote.

    action: what will be done, in the owner's words, without "I will". deed: how it could be seen that it was done.
    to: whom it was promised to, by name or address as the recipients say, "" when nobody was named to the extractor.
    due: the words that say by when, "" for none. due_at: when to think of it (aware UTC), None without a date in `due`.
    quote: the sentence, at most PROMISED_QUOTE_MAX characters, verbatim. start, end: where it is said in the text. is_hedged:
    "I'll try to". asked: in a chat, what somebody else had asked where the promise only says yes to it: then `action` is in
    their words, as far as those could be turned.
    """

    action: str
    deed: Deed
    to: str
    due: str
    due_at: datetime | None
    quote: str
    start: int
    end: int
    is_hedged: bool = False
    asked: str = ""

    @property
    def matter(self) -> str:
        """What will be done, without the day, which is told beside it; with what was asked where the action does not say it."""
        action = self.action
        if self.due_at is not None and f" {self.due} " in action:
            action = action.replace(f" {self.due} ", " ")
        says_enough = not self.asked or self.action not in " ".join(self.quote.split())
        return action if says_enough else f"{action}: {self.asked}"


def is_same(one: Promise, other: Promise) -> bool:
    """Whether two promises to the same person are about the same thing, said twice: all that one names the other names."""
    first, second = _content(one), _content(other)
    return one.deed == other.deed and bool(first and second) and (first <= second or second <= first)


def _content(promise: Promise) -> frozenset[str]:
    words = re.findall(r"[^\W_]+", f"{promise.action} {promise.asked}".casefold())
    return frozenset(word for word in words if len(word) > WORD_MIN and word not in _ANYTHING)


_ANYTHING = frozenset(
    {"send", "will", "give", "bring", "call", "tell", "make", "forward", "your", "yours", "this", "that", "them", "with", "could",
     "please", "schick", "schicke", "schicken", "sende", "senden", "bringe", "bringen", "rufe", "dein", "deine", "deinen", "euch",
     "dich", "dann", "noch", "kannst", "bitte", "mach", "mache"}
)  # fmt: skip
