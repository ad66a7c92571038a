"""Where what may be found is kept and found.

Every read and every write passes the exclusions: what they cover is neither kept nor found; they raise
UnreadableExclusions when the list itself can't be read. Every datetime is aware UTC unless it is called `wall`. What else
may be raised stands in memory/ledger.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Protocol

from memory.search.document import Document, Put
from memory.search.embedder import Readiness, Unembedded
from memory.search.found import Found
from memory.search.opened import Opened
from memory.search.passage import CORPORA, Corpus, Hit


class Search(Protocol):
    """One search over everything that may be found."""

    # What is kept

    def put(self, owner_id: int, documents: Sequence[Document], *, now: datetime) -> Put:
        """Make them findable. The same again changes nothing; the same ref with another content replaces it.

        One that the exclusions cover is not kept, and what was kept under its ref is dropped.
        """
        ...

    def drop(self, owner_id: int, refs: Collection[str], *, now: datetime) -> int:
        """They can no longer be found, nor is asked what they promise; how many there were."""
        ...

    def refs(self, owner_id: int, under: str) -> Mapping[str, str]:
        """Ref and fingerprint of every document whose ref begins with `under`."""
        ...

    def replace(self, owner_id: int, under: str, documents: Sequence[Document], *, now: datetime) -> Put:
        """Put these, and drop every other document whose ref begins with `under`."""
        ...

    def text(self, owner_id: int, ref: str) -> str:
        """A document's whole text; "" when there is none or the exclusions cover it."""
        ...

    def erase_covered(self, owner_id: int, *, now: datetime) -> int:
        """Drop what the exclusions cover by now, of every corpus but mail (which Mails erases), and the loops that came of
        it and what was said here in its words; how many documents."""
        ...

    # What is found

    def find(
        self,
        owner_id: int,
        query: str,
        *,
        limit: int = 10,
        corpora: Collection[Corpus] = CORPORA,
        before_ref: str | None = None,
        now: datetime | None = None,
    ) -> list[Hit]:
        """The best passages, best first, whatever their corpus. Any text is a valid query; one that asks for nothing finds
        nothing.

        `before_ref` is left out: a question must not be its own answer. `now` lets words of time be read ("last week",
        after:march); without it only whole dates are.
        """
        ...

    def grouped(
        self,
        owner_id: int,
        query: str,
        *,
        each: int = 5,
        corpora: Collection[Corpus] = CORPORA,
        before_ref: str | None = None,
        now: datetime | None = None,
    ) -> Found:
        """The same, corpus by corpus, `each` of every one."""
        ...

    def open(self, owner_id: int, ref: str) -> Opened | None:
        """The document of a hit, whole, with the turns around it where it is one of a talk; None when there is none, or the
        exclusions cover it. What they cover of the turns around it is left out."""
        ...

    # What is found by meaning (see memory/search/embedder)

    def readiness(self, owner_id: int) -> Readiness:
        """How far the index of meanings has come."""
        ...

    def unembedded(self, owner_id: int, *, limit: int) -> list[Unembedded]:
        """Passages without a vector of the model in use: what is found often first, then the newest."""
        ...

    def keep_vectors(self, owner_id: int, vectors: Sequence[tuple[Unembedded, Sequence[float]]]) -> int:
        """A vector for each; how many were kept. What was changed or dropped meanwhile is left out."""
        ...

    def nearest(self, owner_id: int, vector: Sequence[float]) -> Mapping[int, float]:
        """The passages nearest by meaning alone, by id, with how near they are, -1 to 1. Not a way to show anything: the
        exclusions stand in `find` and `grouped`."""
        ...

    def block(self) -> int:
        """Write some of the blocks that make opening quick; how many. 0 when there is nothing to write."""
        ...

    def note_uses(self, owner_id: int) -> None:
        """Put on record which passages were found of late."""
        ...
