"""Where what was said in chats is read, message by message.

Every read passes the exclusions: a message that they cover is not there. They raise UnreadableExclusions when the list
itself can't be read. Every datetime is aware UTC. What else may be raised stands in memory/ledger.
"""

from collections.abc import Collection
from typing import Protocol

from memory.search.document import Document


class Talk(Protocol):
    """Messages of imported and watched chats, as they were handed in."""

    def some(self, owner_id: int, refs: Collection[str]) -> list[Document]:
        """Those of these that there are, by time and ref."""
        ...

    def before(self, owner_id: int, ref: str, *, limit: int) -> list[Document]:
        """What was said just before it in its chat, the latest first."""
        ...

    def own_after(self, owner_id: int, ref: str, *, limit: int) -> list[Document]:
        """What the owner said after it in its chat, the earliest first."""
        ...

    def whom(self, owner_id: int, ref: str) -> frozenset[int]:
        """The persons (memory/tables/people) whom a message of the owner's reached, as far as it was told who they are."""
        ...
