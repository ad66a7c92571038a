"""Signals: heads that stay, payloads that can be erased."""

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, bindparam, func, insert, select, update
from sqlalchemy.engine import RowMapping

from memory.errors import NotFound
from memory.job import INLINE_KINDS
from memory.signal import NewSignal, Signal
from memory.sql.rows import put
from memory.sql.schema import signal_heads, signal_payloads

_KNOWN = select(signal_heads.c.id).where(
    signal_heads.c.source == bindparam("source"), signal_heads.c.source_id == bindparam("source_id")
)
_PAYLOAD = insert(signal_payloads)
WITH_PAYLOAD = select(signal_heads, signal_payloads.c.payload).join(
    signal_payloads, signal_payloads.c.signal_id == signal_heads.c.id, isouter=True
)


def signal_of(row: RowMapping) -> Signal:
    """A signal from a row of `WITH_PAYLOAD`."""
    return Signal(
        id=row["id"],
        owner_id=row["owner_id"],
        source=row["source"],
        kind=row["kind"],
        source_id=row["source_id"],
        payload=mapping_of(row["payload"]),
        received_at=row["received_at"],
    )


def mapping_of(text: str | None) -> Mapping[str, Any]:
    """A payload as a mapping: a hand may have written any JSON; what is no object stands under "value"."""
    try:
        value = json.loads(text) if text else {}
    # SQLite takes deeper nesting and longer numbers than Python reads: one such row must not hold up the queue.
    except (ValueError, RecursionError):
        value = text
    return value if isinstance(value, dict) else {"value": value}


class SqlSignals:
    """See memory.ledger.Signals."""

    def __init__(self, connection: Connection, touched: set[str]) -> None:
        self._connection = connection
        self._touched = touched

    def publish(self, signal: NewSignal, *, now: datetime) -> int | None:
        # Looked up first: the append-only trigger would refuse the row rather than skip it.
        if self.exists(signal.source, signal.source_id):
            return None
        head = {
            "owner_id": signal.owner_id,
            "source": signal.source,
            "kind": signal.kind,
            "source_id": signal.source_id,
            "received_at": now,
        }
        signal_id = put(self._connection, signal_heads, head)
        self._connection.execute(
            _PAYLOAD, {"signal_id": signal_id, "payload": json.dumps(signal.payload, ensure_ascii=True)}
        )
        self._touched.add("inline" if signal.kind in INLINE_KINDS else "background")
        return signal_id

    def get(self, signal_id: int) -> Signal:
        row = self._connection.execute(WITH_PAYLOAD.where(signal_heads.c.id == signal_id)).mappings().one_or_none()
        if row is None:
            raise NotFound(f"there is no signal {signal_id}")
        return signal_of(row)

    def empty(self, signal_id: int) -> None:
        self._connection.execute(
            update(signal_payloads).where(signal_payloads.c.signal_id == signal_id).values(payload=None)
        )

    def counts_since(self, owner_id: int, since: datetime) -> Mapping[tuple[str, str], int]:
        rows = self._connection.execute(
            select(signal_heads.c.source, signal_heads.c.kind, func.count())
            .where(signal_heads.c.owner_id == owner_id, signal_heads.c.received_at >= since)
            .group_by(signal_heads.c.source, signal_heads.c.kind)
        )
        return {(source, kind): count for source, kind, count in rows}

    def exists(self, source: str, source_id: str) -> bool:
        return self._connection.execute(_KNOWN, {"source": source, "source_id": source_id}).first() is not None
