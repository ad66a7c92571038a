"""A passage: a piece of text that can be found, with who, when and where from."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

Corpus = Literal["mail", "chat", "file"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """One searchable text. `ref` names the row it belongs to ("mail:7", "message:12", "file:3")."""

    corpus: Corpus
    ref: str
    who: str
    title: str
    text: str
    at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A passage that answers a query: `line` is the line that does, uncut up to 300 characters."""

    id: int
    corpus: Corpus
    ref: str
    who: str
    title: str
    line: str
    at: datetime | None
