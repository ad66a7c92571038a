"""Recollections and testimonies, made up and put into the ledger."""

from typing import Any

from memory.canonical import digest
from memory.ledger import Tables
from memory.recollection import NewRecollection, Recollection, Source
from memory.remembering import Proposal
from memory.testimony import Other, Saying, Testimony
from tests.doubles.clock import NOW


def a_source(quote: str = "Jonas prefers calls", ref: str = "message:1", who: str = "") -> Source:
    return Source(ref, quote, NOW, who)


def a_new(text: str = "Jonas prefers calls", **given: Any) -> NewRecollection:
    """Something about to be remembered, of the owner's own words unless told otherwise."""
    usual: dict[str, Any] = {"owner_id": 1, "key": digest(text), "kind": "preference", "sources": (a_source(text),)}
    return NewRecollection(text=text, **(usual | given))


def remember(
    t: Tables, text: str = "Jonas prefers calls", *, instead_of: int | None = None, **given: Any
) -> Recollection:
    kept = t.recollections.keep(a_new(text, **given), because="made for a test", now=NOW, instead_of=instead_of)
    assert kept is not None, "the exclusions cover it"
    return kept


def a_recollection(number: int = 1, text: str = "Jonas prefers calls", **given: Any) -> Recollection:
    """One on record, without any ledger."""
    usual: dict[str, Any] = {"owner_id": 1, "kind": "preference", "about": "", "confidence": 1.0, "made_at": NOW}
    return Recollection(id=number, text=text, **(usual | {"sources": (a_source(text),)} | given))


def a_testimony(*own: str, others: tuple[str, ...] = (), who: str = "Mallory", before: str = "") -> Testimony:
    """A turn in which the owner said `own`, and `who` is quoted with `others`; `before` was the owner's earlier."""
    said = Saying(12, NOW, own, tuple(Other("message:12", who, text, NOW) for text in others), is_fresh=True)
    return Testimony((Saying(11, NOW, (before,)), said) if before else (said,))


def a_proposal(sentence: str, quote: str = "", kind: Any = "preference", **given: Any) -> Proposal:
    return Proposal(**{"do": "create", "kind": kind, "sentence": sentence, "quote": quote or sentence, **given})
