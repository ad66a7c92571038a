"""What the product writes and no part of it reads back: looked up in the caller's own unit of work."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import func, select

from memory.sql.schema import counts, usage


def counted(tables: Any, name: str, since: datetime) -> int:
    """How many of these were counted since the day of `since`."""
    query = select(func.sum(counts.c.n)).where(counts.c.name == name, counts.c.day >= since.date().isoformat())
    return tables.counts._connection.execute(query).scalar() or 0


def calls(tables: Any) -> Sequence[Any]:
    """Every model call on record, newest first."""
    return tables.spendings._connection.execute(select(usage).order_by(usage.c.id.desc())).all()  # type: ignore[no-any-return]
