"""Surroundings: a document that was found, opened whole, with what was said around it."""

from collections.abc import Callable
from datetime import timedelta

from sqlalchemy import Connection, RowMapping, bindparam, select, text

from memory.search.opened import TURNS, Opened, Said
from memory.search.passage import TALK
from memory.sql.passages import text_of
from memory.sql.search_schema import passages
from memory.sql.types import UtcDateTime

Allowed = Callable[[dict[int, RowMapping], str | None], dict[int, RowMapping]]
"""Those of these rows that the exclusions don't cover (memory/sql/finding)."""

TALKED_WITHIN = timedelta(hours=12)
"""Turns further apart than this belong to two talks."""

# Spelled as the index on talks is, so that it is used.
_TALKED = f"corpus IN ({', '.join(repr(each) for each in sorted(TALK))})"
_SIDE = (
    "SELECT id FROM passages WHERE owner_id = :owner AND place = :place AND {talked} AND corpus = :corpus "
    "AND at {sign}= :at AND (at, id) {sign} (:at, :id) ORDER BY at {way}, id {way} LIMIT {most}"
)
_AT = bindparam("at", type_=UtcDateTime())
_BEFORE = text(_SIDE.format(talked=_TALKED, sign="<", way="DESC", most=TURNS)).bindparams(_AT)
_AFTER = text(_SIDE.format(talked=_TALKED, sign=">", way="ASC", most=TURNS)).bindparams(_AT)


class Surroundings:
    """Opens documents, on one connection."""

    def __init__(self, connection: Connection, allowed: Allowed) -> None:
        self._connection = connection
        self._allowed = allowed

    def open(self, owner_id: int, ref: str) -> Opened | None:
        """See memory.tables.search.Search."""
        row = next(iter(self._rows(passages.c.owner_id == owner_id, passages.c.ref == ref).values()), None)
        if row is None:
            return None
        whole = self._connection.execute(select(text_of(owner_id, ref))).scalar_one()
        return Opened(
            ref=ref,
            corpus=row["corpus"],
            who=row["who"],
            title=row["title"],
            text=whole,
            at=row["at"],
            place=row["place"],
            people=tuple(line.strip() for line in row["people"].splitlines()),
            turns=self._turns(row) if row["corpus"] in TALK and row["at"] is not None else (),
        )

    def _turns(self, row: RowMapping) -> tuple[Said, ...]:
        given = {name: row[name] for name in ("place", "corpus", "id", "at")} | {"owner": row["owner_id"]}
        ids = [one for side in (_BEFORE, _AFTER) for one in self._connection.execute(side, given).scalars()]
        beside = self._rows(passages.c.id.in_(ids))
        near = [one for one in beside.values() if one["at"] and abs(one["at"] - row["at"]) <= TALKED_WITHIN]
        turns = sorted((*near, row), key=lambda one: (one["at"], one["id"]))
        return tuple(Said(one["ref"], one["who"], one["text"], one["at"]) for one in turns)

    def _rows(self, *conditions: object) -> dict[int, RowMapping]:
        """The first passages of those documents that may be seen."""
        query = select(passages).where(*conditions, passages.c.part == 0)  # type: ignore[arg-type]
        return self._allowed({row["id"]: row for row in self._connection.execute(query).mappings()}, None)
