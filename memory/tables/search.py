"""Where what may be found is found.

Every datetime is aware UTC unless it is called `wall`. What else may be raised stands in memory/ledger.
"""

from collections.abc import Collection
from typing import Protocol

from memory.search.passage import Corpus, Hit


class Search(Protocol):
    """Full text over everything that may be found."""

    def find(
        self,
        owner_id: int,
        query: str,
        *,
        limit: int = 10,
        corpora: Collection[Corpus] = ("mail", "chat", "file"),
        before_ref: str | None = None,
    ) -> list[Hit]:
        """The best passages, best first. Any text is a valid query; one without words finds nothing.

        `before_ref` is left out: a question must not be its own answer.
        """
        ...
