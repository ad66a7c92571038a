"""A promise: something the owner said in writing that they would do."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from memory.loop import title_of

PROMISED_QUOTE_MAX = 200
"""So many characters the quote of a promise has at most: the rule of design for all quotes."""

Deed = Literal["hand over", "answer", "other"]
"""What would show that it was kept. *hand over*: something is sent. *answer*: a word is given. *other*: nothing here does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Promise:
    """One promise, as it stands in what the owner wrote.

    action: what will be done, in the owner's words, without "I will". deed: how it could be seen that it was done.
    to: whom it was promised to, by name or address as the recipients say, "" when nobody was named to the extractor.
    due: the words that say by when, "" for none. due_at: when to think of it (aware UTC), None without a date in `due`.
    quote: the sentence, at most PROMISED_QUOTE_MAX characters, verbatim. start, end: where `action` stands in the text. is_hedged: "I'll try to".
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


def title(promise: Promise) -> str:
    """The title of its loop: what, and to whom."""
    return title_of(f"{promise.action} ({promise.to})" if promise.to else promise.action)
