"""Append-only history: decisions, and the audit of tool calls."""

from datetime import datetime
from typing import Any

from sqlalchemy import Connection, insert, select

from memory.audit import AuditRow, Outcome, Permission
from memory.decision import Decision
from memory.sql.schema import audit, decisions


def _inserted(connection: Connection, table: Any, **values: Any) -> int:
    key = connection.execute(insert(table), values).inserted_primary_key
    assert key is not None
    return int(key[0])


class SqlDecisions:
    """See memory.ledger.Decisions."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def record(
        self, *, owner_id: int, subject: str, decided: str, because: str, now: datetime, signal_id: int | None = None
    ) -> int:
        return _inserted(
            self._connection,
            decisions,
            owner_id=owner_id,
            subject=subject,
            decided=decided,
            because=because,
            at=now,
            signal_id=signal_id,
        )

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
    ) -> int:
        return _inserted(
            self._connection,
            audit,
            owner_id=owner_id,
            agent=agent,
            tool=tool,
            permission=permission,
            outcome=outcome,
            because=because,
            arguments_digest=arguments_digest,
            at=now,
            turn_id=turn_id,
        )

    def latest(self, owner_id: int, limit: int) -> list[AuditRow]:
        query = select(audit).where(audit.c.owner_id == owner_id).order_by(audit.c.id.desc()).limit(limit)
        return [AuditRow(**row) for row in self._connection.execute(query).mappings()]
