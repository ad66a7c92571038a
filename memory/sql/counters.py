"""Things that are counted and not kept, and how far each source was read."""

from datetime import datetime

from sqlalchemy import Connection, bindparam, func, select, text
from sqlalchemy.dialects.sqlite import insert as upsert

from memory.sql.schema import counts, cursors, links

_ONE_MORE = upsert(counts)
_ONE_MORE = _ONE_MORE.on_conflict_do_update(
    index_elements=list(counts.primary_key), set_={"n": counts.c.n + _ONE_MORE.excluded.n}
)
_VALUE = select(cursors.c.value).where(cursors.c.owner_id == bindparam("owner"), cursors.c.name == bindparam("name"))
_MOVE = upsert(cursors)
_MOVE = _MOVE.on_conflict_do_update(
    index_elements=list(cursors.primary_key),
    set_={"value": _MOVE.excluded.value, "moved_at": _MOVE.excluded.moved_at},
)


class SqlCounts:
    """See memory.ledger.Counts."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add(self, name: str, *, owner_id: int, now: datetime, by: int = 1) -> None:
        values = {"owner_id": owner_id, "name": name, "day": now.date().isoformat(), "n": by}
        self._connection.execute(_ONE_MORE, values)

    def total(self, name: str, *, owner_id: int) -> int:
        query = select(func.sum(counts.c.n)).where(counts.c.owner_id == owner_id, counts.c.name == name)
        return self._connection.execute(query).scalar() or 0


class SqlLinks:
    """See memory.tables.counters.Links."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def tie(self, owner_id: int, subject: str, row: str) -> None:
        tied = upsert(links).values(owner_id=owner_id, subject=subject, row=row)
        self._connection.execute(tied.on_conflict_do_nothing())

    def rows(self, owner_id: int, subject: str) -> list[str]:
        query = select(links.c.row).where(links.c.owner_id == owner_id, links.c.subject == subject)
        return list(self._connection.execute(query.order_by(text("rowid"))).scalars())

    def subjects(self, owner_id: int, row: str) -> list[str]:
        query = select(links.c.subject).where(links.c.owner_id == owner_id, links.c.row == row)
        return list(self._connection.execute(query.order_by(text("rowid"))).scalars())


class SqlCursors:
    """See memory.ledger.Cursors."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def get(self, name: str, *, owner_id: int) -> str | None:
        found: str | None = self._connection.execute(_VALUE, {"owner": owner_id, "name": name}).scalar()
        return found

    def set(self, name: str, value: str, *, owner_id: int, now: datetime) -> None:
        values = {"owner_id": owner_id, "name": name, "value": value, "moved_at": now}
        self._connection.execute(_MOVE, values)
