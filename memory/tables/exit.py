"""Where what leaves is kept: contacts, drafts, approvals, dispatches.

Every datetime is aware UTC. What else may be raised stands in memory/ledger.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from memory.contact import Contact, StoredContact


class Contacts(Protocol):
    """The owner's own records of people. Nothing here comes from received mail."""

    def keep(self, owner_id: int, contact: Contact, *, key: str, now: datetime) -> int:
        """A record, in place of the one that its source knows by the same `key`; its id."""
        ...

    def all(self, owner_id: int) -> Sequence[StoredContact]:
        """Every record, oldest first."""
        ...
