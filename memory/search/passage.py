"""A passage: a piece of a document that can be found, with who, when, where from and the exact span; and what finds it."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, get_args

Corpus = Literal["note", "mail", "whatsapp", "imessage", "telegram", "chat", "calendar", "meeting", "person", "file"]
"""What a passage belongs to. `chat` is the conversation with Stillbell itself."""

CORPORA: tuple[Corpus, ...] = get_args(Corpus)
"""All of them. Their places in it are on disk: a new one comes last."""

CHATS: frozenset[Corpus] = frozenset({"whatsapp", "imessage", "telegram"})
"""Where the owner and others write to each other, besides mail."""

EXCHANGED: tuple[Corpus, ...] = ("mail", "whatsapp", "imessage", "telegram")
"""Where something goes to and fro, in the order in which it is told."""

TALK: frozenset[Corpus] = CHATS | {"chat"}
"""Corpora of short turns: what was said just before and after belongs to a turn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A passage that answers a query: `line` is the line that does, uncut up to 300 characters.

    ref names the document ("mail:7", "message:12", "file:3"), part which of its passages.
    span: where `line` stands in the document's text, in characters; a cut line is shown with "…", the span is of what
    is shown of it.
    """

    id: int
    corpus: Corpus
    ref: str
    who: str
    title: str
    line: str
    at: datetime | None
    place: str = ""
    part: int = 0
    span: tuple[int, int] = (0, 0)
    tags: tuple[str, ...] = ()
    score: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """The best of one corpus, best first."""

    corpus: Corpus
    hits: tuple[Hit, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a query found: a group for each corpus that has an answer, the one with the best hit first.

    by: whether meaning was looked at besides words. share_embedded: how much of what is kept can be found by meaning,
    0 to 1; less than 1 while the index is being made. dropped: filters that had to be let go to find anything.
    """

    groups: tuple[Group, ...] = ()
    by: Literal["words", "words and meaning"] = "words"
    share_embedded: float = 0.0
    dropped: tuple[str, ...] = ()

    @property
    def hits(self) -> tuple[Hit, ...]:
        """All of them, in the order of the groups."""
        return tuple(hit for group in self.groups for hit in group.hits)
