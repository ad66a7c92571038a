"""A finding: what a detector saw in a mail or a thread, with the words that it saw it in."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

Kind = Literal[
    "request",
    "deadline",
    "money",
    "law",
    "security",
    "travel",
    "hanging",
    "waiting",
    "quiet",
    "invitation",
    "conflict",
    "bounce",
    "bulk",
    "copied",
    "courtesy",
    "fyi",
    "emergency",
    "change",
]

QUOTE_MAX = 200
"""So many characters a quote has at most."""

TEXT_MAX = 20_000
"""So many characters of a mail the detectors look at: what matters stands above, and time stays bounded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What was seen. `quote` stands in the mail word for word; "" where a count or a header was seen.

    detail: which sort of it, one of the words that the detector's docstring names. due_at: aware UTC, for what has a
    time: a deadline, the start of what was invited to. is_past: that time had passed when it was looked at.
    """

    kind: Kind
    detail: str = ""
    quote: str = ""
    due_at: datetime | None = None
    is_past: bool = False

    def as_plain(self) -> dict[str, Any]:
        """It as JSON holds it: `due_at` as ISO text, or None."""
        due_at = self.due_at.isoformat() if self.due_at else None
        return {
            "kind": self.kind,
            "detail": self.detail,
            "quote": self.quote,
            "due_at": due_at,
            "is_past": self.is_past,
        }


def quoted(text: str, start: int, end: int) -> str:
    """What stands from `start` to `end`, with as much of its line around it as a quote may hold."""
    if end - start >= QUOTE_MAX:
        return text[start : start + QUOTE_MAX].strip()
    room = QUOTE_MAX - (end - start)
    line_start = text.rfind("\n", 0, start) + 1
    if line_start < start - room // 2:
        # A line too long for a quote is begun at a word.
        line_start = start - room // 2
        line_start = max(line_start, text.find(" ", line_start, start) + 1)
    line_end = text.find("\n", end, line_start + QUOTE_MAX)
    return text[line_start : line_end if line_end >= 0 else line_start + QUOTE_MAX].strip()
