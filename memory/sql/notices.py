"""What landed and may be worth a line."""

from collections.abc import Collection
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, func, select, update

from memory.notice import Notice
from memory.quiet import Urgency
from memory.sql.rows import put
from memory.sql.schema import notices


class SqlNotices:
    """See memory.ledger.Notices."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def hold(
        self,
        *,
        owner_id: int,
        source: str,
        summary: str,
        urgency: Urgency,
        because: str,
        deliver_after_at: datetime,
        now: datetime,
        signal_id: int | None = None,
    ) -> Notice | None:
        if signal_id is not None and self._where(notices.c.signal_id == signal_id):
            return None
        values = {
            "owner_id": owner_id,
            "signal_id": signal_id,
            "source": source,
            "summary": summary,
            "urgency": urgency,
            "because": because,
            "noticed_at": now,
            "deliver_after": deliver_after_at,
        }
        new_id = put(self._connection, notices, values)
        return self._where(notices.c.id == new_id)[0]

    def due(self, owner_id: int, now: datetime) -> list[Notice]:
        return self._untold(owner_id, notices.c.deliver_after <= now)

    def held(self, owner_id: int, now: datetime) -> list[Notice]:
        return self._untold(owner_id, notices.c.deliver_after > now)

    def _untold(self, owner_id: int, condition: Any) -> list[Notice]:
        return self._where((notices.c.owner_id == owner_id) & notices.c.told_in.is_(None) & condition)

    def told(self, notice_ids: Collection[int], *, key: str, now: datetime) -> None:
        self._connection.execute(
            update(notices)
            .where(notices.c.id.in_(notice_ids), notices.c.told_in.is_(None))
            .values(told_in=key, delivered_at=now)
        )

    def get(self, notice_id: int) -> Notice | None:
        found = self._where(notices.c.id == notice_id)
        return found[0] if found else None

    def told_since(self, owner_id: int, prefix: str, since: datetime) -> int:
        query = select(func.count()).where(
            notices.c.owner_id == owner_id,
            notices.c.delivered_at >= since,
            notices.c.told_in.startswith(prefix, autoescape=True),
        )
        return self._connection.execute(query).scalar_one()

    def _where(self, condition: Any) -> list[Notice]:
        columns = [column for column in notices.c if column.name not in {"signal_id", "deliver_after", "delivered_at"}]
        rows = self._connection.execute(
            select(*columns, notices.c.deliver_after.label("deliver_after_at")).where(condition).order_by(notices.c.id)
        )
        return [Notice(**row) for row in rows.mappings()]
