"""Model calls and what they cost."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, func, select, update

from memory.spending import Call, Label
from memory.sql.rows import put, within
from memory.sql.schema import usage


class SqlSpendings:
    """See memory.ledger.Spendings."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def reserve(self, *, owner_id: int, label: Label, model: str, cost_usd: float, now: datetime) -> int:
        values = {
            "owner_id": owner_id,
            "label": label,
            "model": model,
            "state": "reserved",
            "cost_usd": cost_usd,
            "input_tokens": 0,
            "output_tokens": 0,
            "at": now,
        }
        return put(self._connection, usage, values)

    def settle(self, usage_id: int, *, cost_usd: float, input_tokens: int, output_tokens: int) -> None:
        self._change(
            usage_id, state="settled", cost_usd=cost_usd, input_tokens=input_tokens, output_tokens=output_tokens
        )

    def unsettle(self, usage_id: int, *, cost_usd: float, error: str) -> None:
        self._change(usage_id, state="unknown", cost_usd=cost_usd, error=error)

    def _change(self, usage_id: int, **values: Any) -> None:
        self._connection.execute(update(usage).where(usage.c.id == usage_id).values(**values))

    def abandon(self) -> int:
        return self._connection.execute(
            update(usage)
            .where(usage.c.state == "reserved")
            .values(state="unknown", error="Stillbell ended while this call was under way")
        ).rowcount

    def spent_usd(self, owner_id: int, since: datetime) -> float:
        total: float | None = self._connection.execute(
            select(func.sum(usage.c.cost_usd)).where(usage.c.owner_id == owner_id, usage.c.at >= since)
        ).scalar()
        return total or 0.0

    def between(self, owner_id: int, since: datetime | None, until: datetime | None) -> Iterator[Call]:
        columns = [usage.c[name] for name in Call.__dataclass_fields__]
        query = select(*columns).where(usage.c.owner_id == owner_id, *within(usage.c.at, since, until))
        rows = self._connection.execute(query.order_by(usage.c.at.desc(), usage.c.id.desc())).mappings()
        return (Call(**row) for row in rows)

    def by_label(self, owner_id: int, since: datetime) -> list[tuple[Label, str, int, int, int, float]]:
        cost = func.sum(usage.c.cost_usd)
        rows = self._connection.execute(
            select(
                usage.c.label,
                usage.c.model,
                func.count(),
                func.sum(usage.c.input_tokens),
                func.sum(usage.c.output_tokens),
                cost,
            )
            .where(usage.c.owner_id == owner_id, usage.c.at >= since)
            .group_by(usage.c.label, usage.c.model)
            .order_by(cost.desc(), usage.c.label)
        )
        return [(row[0], row[1], row[2], row[3], row[4], row[5]) for row in rows]
