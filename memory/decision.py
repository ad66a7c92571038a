"""A decision: append-only history of what was decided, and because of what."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """One decision. It holds ids and reasons and no content; `subject` names the row it is about ("loop:12")."""

    id: int
    owner_id: int
    subject: str
    decided: str
    because: str
    at: datetime
    signal_id: int | None = None
