"""Append-only history: decisions, and the audit of tool calls."""

from collections.abc import Iterator
from datetime import datetime

from sqlalchemy import Connection, select

from memory.audit import AuditRow, Outcome, Permission
from memory.audit_chain import Verified
from memory.decision import Decision
from memory.sql.chain import append, verified
from memory.sql.rows import put, within
from memory.sql.schema import audit, decisions


class SqlDecisions:
    """See memory.ledger.Decisions."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def record(
        self, *, owner_id: int, subject: str, decided: str, because: str, now: datetime, signal_id: int | None = None
    ) -> int:
        values = {
            "owner_id": owner_id,
            "subject": subject,
            "decided": decided,
            "because": because,
            "at": now,
            "signal_id": signal_id,
        }
        return put(self._connection, decisions, values)

    def about(self, owner_id: int, subject: str) -> list[Decision]:
        query = select(decisions).where(decisions.c.owner_id == owner_id, decisions.c.subject == subject)
        return [Decision(**row) for row in self._connection.execute(query.order_by(decisions.c.id)).mappings()]

    def latest(self, owner_id: int, limit: int) -> list[Decision]:
        query = select(decisions).where(decisions.c.owner_id == owner_id)
        rows = self._connection.execute(query.order_by(decisions.c.id.desc()).limit(limit)).mappings()
        return [Decision(**row) for row in rows]


class SqlAudit:
    """See memory.ledger.Audit."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

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
        values = {
            "owner_id": owner_id,
            "agent": agent,
            "tool": tool,
            "permission": permission,
            "outcome": outcome,
            "because": because,
            "arguments_digest": arguments_digest,
            "at": now,
            "turn_id": turn_id,
            "subject": subject,
        }
        row_id = put(self._connection, audit, values)
        append(self._connection, "audit", owner_id, row_id)
        return row_id

    def deeds(self, turn_id: int, outcome: Outcome = "done") -> list[AuditRow]:
        query = select(audit).where(
            audit.c.turn_id == turn_id, audit.c.outcome == outcome, audit.c.subject.is_not(None)
        )
        return [AuditRow(**row) for row in self._connection.execute(query.order_by(audit.c.id)).mappings()]

    def latest(self, owner_id: int, limit: int) -> list[AuditRow]:
        query = select(audit).where(audit.c.owner_id == owner_id).order_by(audit.c.id.desc()).limit(limit)
        return [AuditRow(**row) for row in self._connection.execute(query).mappings()]

    def between(self, owner_id: int, since: datetime | None, until: datetime | None) -> Iterator[AuditRow]:
        query = select(audit).where(audit.c.owner_id == owner_id, *within(audit.c.at, since, until))
        rows = self._connection.execute(query.order_by(audit.c.at.desc(), audit.c.id.desc())).mappings()
        return (AuditRow(**row) for row in rows)

    def verified(self) -> Verified:
        return Verified(*verified(self._connection))
