"""Things that are counted and not kept, and how far each source was read."""

from datetime import datetime

from sqlalchemy import Connection, func, select
from sqlalchemy.dialects.sqlite import insert as upsert

from memory.sql.schema import counts, cursors


class SqlCounts:
    """See memory.ledger.Counts."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add(self, name: str, *, now: datetime, by: int = 1, owner_id: int = 1) -> None:
        statement = upsert(counts).values(owner_id=owner_id, name=name, day=now.date().isoformat(), n=by)
        self._connection.execute(
            statement.on_conflict_do_update(index_elements=list(counts.primary_key), set_={"n": counts.c.n + by})
        )

    def since(self, name: str, since: datetime, owner_id: int = 1) -> int:
        total: int | None = self._connection.execute(
            select(func.sum(counts.c.n)).where(
                counts.c.owner_id == owner_id, counts.c.name == name, counts.c.day >= since.date().isoformat()
            )
        ).scalar()
        return total or 0


class SqlCursors:
    """See memory.ledger.Cursors."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def get(self, name: str, owner_id: int = 1) -> str | None:
        found: str | None = self._connection.execute(
            select(cursors.c.value).where(cursors.c.owner_id == owner_id, cursors.c.name == name)
        ).scalar()
        return found

    def set(self, name: str, value: str, *, now: datetime, owner_id: int = 1) -> None:
        statement = upsert(cursors).values(owner_id=owner_id, name=name, value=value, moved_at=now)
        self._connection.execute(
            statement.on_conflict_do_update(
                index_elements=list(cursors.primary_key), set_={"value": value, "moved_at": now}
            )
        )
