"""The chain over the audit and the steps of dispatches: a row that was removed, changed or put in shows."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Table, select

from memory.audit_chain import GENESIS, Broken, Link, link, verify
from memory.canonical import Plain
from memory.sql.exit_schema import chain, dispatch_steps
from memory.sql.rows import put
from memory.sql.schema import audit

CHAINED: Mapping[str, Table] = {"audit": audit, "dispatch": dispatch_steps}

PAGE = 500
"""So many links are looked at together; SQLite takes some thousand ids in a query."""

_LAST = select(chain.c.hash).order_by(chain.c.id.desc()).limit(1)


def append(connection: Connection, kind: str, owner_id: int, row_id: int) -> None:
    """Chain a row that was just written."""
    previous = connection.execute(_LAST).scalar() or GENESIS
    table = CHAINED[kind]
    row = connection.execute(select(table).where(table.c.id == row_id)).mappings().one()
    hashed = link(previous, _plain(kind, row)).hash
    put(connection, chain, {"owner_id": owner_id, "kind": kind, "row_id": row_id, "hash": hashed})


def verified(connection: Connection) -> tuple[Broken | None, int, str]:
    """(the first broken place, how many rows are chained, the hash at the end)."""
    count = 0
    head = GENESIS
    for row in connection.execute(select(chain.c.hash).order_by(chain.c.id)):
        count, head = count + 1, row.hash
    broken = verify(_links(connection)) or _unchained(connection)
    return broken, count, head


def _links(connection: Connection) -> Iterator[Link]:
    after = -(2**63)  # a hand may have put one before the first
    while page := connection.execute(select(chain).where(chain.c.id > after).order_by(chain.c.id).limit(PAGE)).all():
        rows = {kind: _rows(connection, kind, [one.row_id for one in page if one.kind == kind]) for kind in CHAINED}
        for one in page:
            yield Link(rows.get(one.kind, {}).get(one.row_id, {"missing": one.row_id}), one.hash)
        after = page[-1].id


def _rows(connection: Connection, kind: str, ids: Sequence[int]) -> Mapping[int, Mapping[str, Plain]]:
    """Those of these rows that are there."""
    table = CHAINED[kind]
    try:
        found = connection.execute(select(table).where(table.c.id.in_(ids))).mappings().all()
    except ValueError:  # a date that is none, in one of them
        return {row_id: _row(connection, kind, row_id) for row_id in ids}
    return {row["id"]: _plain(kind, row) for row in found}


def _row(connection: Connection, kind: str, row_id: int) -> dict[str, Plain]:
    """The row; one that is not there any more, or can't be read, can't give the hash that was written of it."""
    table = CHAINED[kind]
    try:
        row = connection.execute(select(table).where(table.c.id == row_id)).mappings().first()
        return _plain(kind, row) if row else {"missing": row_id}
    except ValueError:  # a date that is none
        return {"unreadable": row_id}


def _unchained(connection: Connection) -> Broken | None:
    """Rows that were put in behind the chain's back: later than the first that was chained, and not in it."""
    for kind, table in CHAINED.items():
        known = select(chain.c.row_id).where(chain.c.kind == kind)
        first = connection.execute(known.order_by(chain.c.row_id).limit(1)).scalar()
        if first is None:
            continue
        query = select(table.c.id).where(table.c.id >= first, table.c.id.not_in(known)).order_by(table.c.id).limit(1)
        stray = connection.execute(query).scalar()
        if stray is not None:
            return Broken(stray, f"row {stray} of the {kind} was not written by Stillbell")
    return None


def _plain(kind: str, row: Mapping[Any, Any]) -> dict[str, Plain]:
    return {"kind": kind, **{str(name): _value(value) for name, value in row.items()}}


def _value(value: Any) -> Plain:
    if isinstance(value, datetime):
        return value.isoformat()
    # What SQLite lets a hand put into a column of text: it has no spelling of ours, and is told by its own.
    return repr(value) if isinstance(value, float | bytes) else value
