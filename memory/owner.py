"""An owner: a person served, with the little that is set for them."""

from dataclasses import dataclass
from datetime import datetime, time
from typing import Literal

from memory.zones import Timeline

Language = Literal["en", "de"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    """A person served. The times are wall times in whatever zone is in force when they come round."""

    id: int
    created_at: datetime
    language: Language
    zones: Timeline
    quiet_from: time
    quiet_to: time
    brief_at: time
    cap_usd: float
    telegram_id: int | None = None
    """The numeric user id that is heard in Telegram; in a private chat it is the chat's id too."""
