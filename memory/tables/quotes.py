"""Where it is kept whose words stand in what was said here, so that a later exclusion reaches them.

What a unit of work reads of others is noted by the tables that read it (mails, events, whatever is found). A piece that is
written in the same unit is tied by itself to those of them that it echoes; where reading and writing lie apart, because a
model stands between, the reader hands on what it had looked at. What else may be raised stands in memory/ledger.
"""

from collections.abc import Collection
from typing import Protocol


class Quotes(Protocol):
    """Refs of sources ("mail:7", "event:UID", any document's) and the rows ("message:12", "turn:3") that quote them."""

    def looked_at(self) -> frozenset[str]:
        """What this unit of work has read so far, and what the messages of the thread that it has read quote."""
        ...

    def tie(self, owner_id: int, row: str, text: str, read: Collection[str]) -> None:
        """`row` quotes those of `read` that `text` echoes (memory/echo). A turn stands for all that was answered in it."""
        ...
