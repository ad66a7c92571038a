"""A relation: what has gone to and fro between the owner and somebody, counted from the mails that are kept."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation:
    """Counts over a person's addresses. `received` came from them, `sent` went from the owner to them."""

    received: int = 0
    sent: int = 0
    first_at: datetime | None = None
    last_received_at: datetime | None = None
    last_sent_at: datetime | None = None

    @property
    def is_known(self) -> bool:
        """Whether the owner ever wrote to them."""
        return self.sent > 0
