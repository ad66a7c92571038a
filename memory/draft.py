"""A draft: an envelope as it was put together, with what it answers and why it was made. Content: it can be erased."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from memory.envelope import Envelope


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """One draft, never changed: an edit makes another.

    answers_id: the mail that it answers. event_id: the event that it is about. chosen: (address, card) of what the owner
    chose on a card. doubts: by an attachment's name, why it needs a second look. playbook: the introduction it belongs to.
    """

    id: int
    owner_id: int
    envelope: Envelope
    because: str
    created_at: datetime
    answers_id: int | None = None
    event_id: int | None = None
    chosen: Sequence[tuple[str, int]] = ()
    doubts: Mapping[str, str] = field(default_factory=dict)
    playbook: str = ""
