"""Where things are counted, and how far a source was read.

Every datetime is aware UTC unless it is called `wall`. What else may be raised stands in memory/ledger.
"""

from datetime import datetime
from typing import Protocol


class Counts(Protocol):
    """Things that are counted and not kept."""

    def add(self, name: str, *, owner_id: int, now: datetime, by: int = 1) -> None:
        """One more of these today (UTC)."""
        ...


class Cursors(Protocol):
    """How far a source was read."""

    def get(self, name: str, *, owner_id: int) -> str | None:
        """The value, or None at the very start."""
        ...

    def set(self, name: str, value: str, *, owner_id: int, now: datetime) -> None:
        """Move it."""
        ...
