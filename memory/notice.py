"""A notice: something that landed and may be worth a line, now or in the morning."""

from dataclasses import dataclass
from datetime import datetime

from memory.quiet import Urgency


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """`deliver_after_at` is when it may be said; `told_in` the key of the piece in which it was.

    `summary` is Markdown, made of escaped words when it was noticed (see memory.markdown.escaped), and told as it is.
    """

    id: int
    owner_id: int
    source: str
    summary: str
    urgency: Urgency
    because: str
    noticed_at: datetime
    deliver_after_at: datetime
    told_in: str | None = None
