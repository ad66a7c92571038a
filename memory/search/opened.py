"""An opened document: what a hit is part of, whole, and in a talk what was said around it."""

from dataclasses import dataclass
from datetime import datetime

from memory.search.passage import Corpus

TURNS = 4
"""So many turns before a turn of a talk, and so many after it, are shown with it."""


@dataclass(frozen=True, slots=True)
class Said:
    """One turn of a talk."""

    ref: str
    who: str
    text: str
    at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """A document. ref, corpus, who, title, at, place: as in memory.search.passage.Hit; text: in full.

    turns: of a talk, in their order, the document itself among them; nothing elsewhere. people: to whom it went, each
    as "Name <address>".
    """

    ref: str
    corpus: Corpus
    who: str
    title: str
    text: str
    at: datetime | None
    place: str = ""
    people: tuple[str, ...] = ()
    turns: tuple[Said, ...] = ()
