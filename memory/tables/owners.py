"""Where the persons served are kept.

Every datetime is aware UTC unless it is called `wall`. What else may be raised stands in memory/ledger.
"""

from datetime import datetime, time
from typing import Protocol

from memory.owner import Language, Owner


class Owners(Protocol):
    """The persons served."""

    def get(self, owner_id: int = 1) -> Owner:
        """The owner. Raises NotFound."""
        ...

    def pair(self, owner_id: int, *, telegram_id: int, language: Language, now: datetime) -> None:
        """From now on this numeric Telegram user, in a private chat, is the owner."""
        ...

    def set(
        self,
        owner_id: int,
        *,
        language: Language | None = None,
        quiet_from: time | None = None,
        quiet_to: time | None = None,
        cap_usd: float | None = None,
    ) -> None:
        """Change what is given and leave the rest."""
        ...

    def move(self, owner_id: int, *, zone: str, from_at: datetime, because: str) -> None:
        """From `from_at` on the owner's clock follows `zone`; earlier plans for later moves are kept."""
        ...

    def unmove(self, owner_id: int, *, after: datetime) -> None:
        """Forget every planned move later than `after`: a newer sentence of the owner replaces them."""
        ...
