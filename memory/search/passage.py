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
