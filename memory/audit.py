"""The audit: every tool call and every refusal, written by the gate."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

Permission = Literal["ALLOW", "ASK", "DENY"]
Outcome = Literal["done", "failed", "asked", "refused"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditRow:
    """One call. `arguments_digest` is a hash: the arguments themselves are content and are not kept here."""

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
