"""Where what was decided, called and spent is kept.

Every datetime is aware UTC unless it is called `wall`. What else may be raised stands in memory/ledger.
"""

from collections.abc import Iterator
from datetime import datetime
from typing import Protocol

from memory.audit import AuditRow, Outcome, Permission
from memory.audit_chain import Verified
from memory.decision import Decision
from memory.spending import Call, Label


class Decisions(Protocol):
    """Append-only history."""

    def record(
        self, *, owner_id: int, subject: str, decided: str, because: str, now: datetime, signal_id: int | None = None
    ) -> int:
        """One more row."""
        ...

    def about(self, owner_id: int, subject: str) -> list[Decision]:
        """Everything decided about one subject, oldest first."""
        ...

    def latest(self, owner_id: int, limit: int) -> list[Decision]:
        """The newest decisions, newest first."""
        ...


class Audit(Protocol):
    """Append-only record of tool calls."""

    def record(
        self,
        *,
        owner_id: int,
        agent: str,
        tool: str,
        permission: Permission,
        outcome: Outcome,
        because: str,
        arguments_digest: str,
        now: datetime,
        turn_id: int | None = None,
        subject: str | None = None,
    ) -> int:
        """One more row."""
        ...

    def deeds(self, turn_id: int, outcome: Outcome = "done") -> list[AuditRow]:
        """What was done (or *asked*) in this turn: its rows of this outcome that name a subject, oldest first."""
        ...

    def latest(self, owner_id: int, limit: int) -> list[AuditRow]:
        """The newest rows, newest first."""
        ...

    def between(self, owner_id: int, since: datetime | None, until: datetime | None) -> Iterator[AuditRow]:
        """The rows from `since` to before `until`, newest first; None is without end."""
        ...

    def verified(self) -> Verified:
        """Whether the chain over the audit and the steps of dispatches is whole."""
        ...


class Spendings(Protocol):
    """Model calls and what they cost."""

    def reserve(self, *, owner_id: int, label: Label, model: str, cost_usd: float, now: datetime) -> int:
        """A reservation row."""
        ...

    def settle(self, usage_id: int, *, cost_usd: float, input_tokens: int, output_tokens: int) -> None:
        """The real figures."""
        ...

    def abandon(self) -> int:
        """At boot: calls still *reserved* were under way when the process ended; they become *unknown*."""
        ...

    def unsettle(self, usage_id: int, *, cost_usd: float, error: str) -> None:
        """The call ended without figures: `cost_usd` is what is put on record (0 when it certainly cost nothing)."""
        ...

    def spent_usd(self, owner_id: int, since: datetime) -> float:
        """Spent and reserved since then."""
        ...

    def between(self, owner_id: int, since: datetime | None, until: datetime | None) -> Iterator[Call]:
        """The calls from `since` to before `until`, newest first; None is without end."""
        ...

    def by_label(self, owner_id: int, since: datetime) -> list[tuple[Label, str, int, int, int, float]]:
        """(label, model, calls, input tokens, output tokens, USD) since then, dearest first."""
        ...
