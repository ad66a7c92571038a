"""Where things are counted, and how far a source was read.

Every datetime is aware UTC unless it is called `wall`. What else may be raised stands in memory/ledger.
"""

from datetime import datetime
from typing import Protocol

PASSED_OVER = "excluded"
"""The name under which what the exclusions kept out is counted, without who."""


class Counts(Protocol):
    """Things that are counted and not kept."""

    def add(self, name: str, *, owner_id: int, now: datetime, by: int = 1) -> None:
        """One more of these today (UTC)."""
        ...

    def total(self, name: str, *, owner_id: int) -> int:
        """How many there ever were."""
        ...


class Links(Protocol):
    """Which rows are about what: loops and notices about a thread of mail ("mail-thread:12"), and whatever comes later."""

    def tie(self, owner_id: int, subject: str, row: str) -> None:
        """`row` ("loop:7") is about `subject`. Once is enough."""
        ...

    def rows(self, owner_id: int, subject: str) -> list[str]:
        """What is about it, oldest first."""
        ...

    def subjects(self, owner_id: int, row: str) -> list[str]:
        """What it is about."""
        ...


class Cursors(Protocol):
    """How far a source was read."""

    def get(self, name: str, *, owner_id: int) -> str | None:
        """The value, or None at the very start."""
        ...

    def set(self, name: str, value: str, *, owner_id: int, now: datetime) -> None:
        """Move it."""
        ...
