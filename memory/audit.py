"""The audit: every tool call and every refusal, written by the gate."""

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from memory.errors import StillbellError

Permission = Literal["ALLOW", "ASK", "DENY"]
Outcome = Literal["done", "repeated", "failed", "asked", "refused"]
"""*repeated*: a turn that ran again made a call that was done before; it was told so, and nothing was done twice."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditRow:
    """One call. Append-only, so it holds no content: `arguments_digest` is a hash, `because` is one of our own phrases.

    `subject` names the row that a call made or changed ("loop:12"); None for one that only read, or did nothing.
    """

    id: int
    owner_id: int
    agent: str
    tool: str
    permission: Permission
    outcome: Outcome
    because: str
    arguments_digest: str
    at: datetime
    turn_id: int | None = None
    subject: str | None = None


def code(error: StillbellError) -> str:
    """What kind of error it is ("not found"). Its message may quote a model or a chat, and is not kept here."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", type(error).__name__.lstrip("_")).lower()
