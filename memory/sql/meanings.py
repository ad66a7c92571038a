"""Vectors of passages: their rows, the blocks of signs, and what of them is in memory."""

import json
from collections.abc import Collection, Sequence

import numpy as np
from sqlalchemy import Connection, bindparam, delete, func, select, text
from sqlalchemy.dialects.sqlite import insert as upsert

from memory.search.embedder import Readiness, Unembedded
from memory.search.vectors import Signs, cosines, in_eight_bits, query_signs, signs_of
from memory.sql.search_schema import BLOCK_ROWS, passage_uses, passage_vectors, passages, vector_blocks
from memory.sql.warm import Warm

_WAITING = "NOT EXISTS (SELECT 1 FROM passage_vectors v WHERE v.passage_id = p.id AND v.model = :model)"
_USED_FIRST = text(
    "SELECT p.id, p.title, p.text FROM passage_uses u JOIN passages p ON p.id = u.passage_id "
    f"WHERE p.owner_id = :owner AND {_WAITING} ORDER BY u.uses DESC LIMIT :most"
)
_NEWEST_FIRST = text(
    "SELECT p.id, p.title, p.text FROM passages p "
    f"WHERE p.owner_id = :owner AND {_WAITING} ORDER BY p.at DESC LIMIT :most"
)
_LAST = text("SELECT id, passage_id FROM passage_vectors ORDER BY id DESC LIMIT 1")
_STILL = text("SELECT passage_id FROM passage_vectors WHERE id = :id")
_OF = select(passages.c.id, passages.c.title, passages.c.text).where(
    passages.c.owner_id == bindparam("owner"), passages.c.id.in_(bindparam("wanted", expanding=True))
)
_KEEP = upsert(passage_vectors)
_KEEP = _KEEP.on_conflict_do_nothing()
_WEIGHTS = text(
    "SELECT passage_id, weights FROM passage_vectors "
    "WHERE model = :model AND passage_id IN (SELECT value FROM json_each(:ids))"
)
_ROWS = (
    select(passage_vectors.c.id, passage_vectors.c.passage_id, passage_vectors.c.weights)
    .where(
        passage_vectors.c.model == bindparam("model"),
        passage_vectors.c.id >= bindparam("first"),
        passage_vectors.c.id < bindparam("end"),
    )
    .order_by(passage_vectors.c.id)
)
_BLOCK = upsert(vector_blocks)
_BLOCK = _BLOCK.on_conflict_do_nothing()

NEAREST = 400
"""So many of the nearest by their signs are weighed by their eight bits."""


def embedded_text(title: str, content: str) -> str:
    """What of a passage its vector is made of."""
    return f"{title}\n{content}".strip()


class Meanings:
    """What is known of meanings, on one connection."""

    def __init__(self, connection: Connection, warm: Warm) -> None:
        self._connection = connection
        self._warm = warm

    @property
    def _model(self) -> str | None:
        return self._warm.embedder.name if self._warm.embedder is not None else None

    def readiness(self, owner_id: int) -> Readiness:
        """See memory.tables.search.Search."""
        kept = self._connection.execute(
            select(func.count()).select_from(passages).where(passages.c.owner_id == owner_id)
        ).scalar_one()
        embedded = self._connection.execute(
            select(func.count())
            .select_from(passage_vectors)
            .where(passage_vectors.c.owner_id == owner_id, passage_vectors.c.model == self._model)
        ).scalar_one()
        return Readiness(model=self._model, passages=kept, embedded=embedded)

    def unembedded(self, owner_id: int, *, limit: int) -> list[Unembedded]:
        """See memory.tables.search.Search."""
        given = {"owner": owner_id, "model": self._model, "most": limit}
        rows = (
            self._connection.execute(_USED_FIRST, given).all() or self._connection.execute(_NEWEST_FIRST, given).all()
        )
        return [Unembedded(row.id, embedded_text(row.title, row.text)) for row in rows]

    def keep(self, owner_id: int, vectors: Sequence[tuple[Unembedded, Sequence[float]]]) -> int:
        """See memory.tables.search.Search.keep_vectors."""
        ids = [one.passage_id for one, _ in vectors]
        rows = self._connection.execute(_OF, {"owner": owner_id, "wanted": ids})
        # What was changed while it was embedded waits for another vector.
        now = {row.id: embedded_text(row.title, row.text) for row in rows}
        kept = [
            {"owner_id": owner_id, "passage_id": one.passage_id, "model": self._model, "weights": in_eight_bits(vector)}
            for one, vector in vectors
            if now.get(one.passage_id) == one.text
        ]
        if kept:
            # A vector of an earlier model goes: two are never compared.
            gone = passage_vectors.c.passage_id.in_([row["passage_id"] for row in kept])
            self._connection.execute(delete(passage_vectors).where(gone, passage_vectors.c.model != self._model))
            self._connection.execute(_KEEP, kept)
            self.block()
        return len(kept)

    def block(self, *, most: int = 64) -> int:
        """Write the blocks that are whole and missing; how many."""
        last = self._connection.execute(select(func.max(passage_vectors.c.id))).scalar() or 0
        there = set(self._connection.execute(select(vector_blocks.c.number)).scalars())
        missing = [number for number in range((last + 1) // BLOCK_ROWS) if number not in there][:most]
        for number in missing:
            rows = self._connection.execute(
                select(passage_vectors).where(
                    passage_vectors.c.id >= number * BLOCK_ROWS, passage_vectors.c.id < (number + 1) * BLOCK_ROWS
                )
            ).all()
            mine = [row for row in rows if row.model == self._model]
            block = {
                "owner_id": mine[0].owner_id if mine else 1,
                "number": number,
                "model": self._model or "",
                "ids": np.array([row.passage_id for row in mine], dtype="<i8").tobytes(),
                "signs": signs_of([row.weights for row in mine]).tobytes(),
            }
            self._connection.execute(_BLOCK, block)
        return len(missing)

    @property
    def count(self) -> int:
        """About how many passages can be found by meaning."""
        return len(self._in_memory()) if self._model is not None else 0

    def near(
        self, vector: Sequence[float], *, among: Sequence[Collection[int]] = (), only: Collection[int] | None = None
    ) -> dict[int, float]:
        """The passages nearest to a question with how near they are, -1 to 1; and the nearest of each set in `among`.

        `only`: of these alone.
        """
        signs = self._in_memory()
        if not len(signs):
            return {}
        distances = signs.distances(query_signs(vector))
        wanted = set(signs.nearest(distances, NEAREST, only))
        for ids in among:
            wanted.update(signs.nearest(distances, NEAREST // 8, ids))
        return self.cosines(vector, wanted)

    def cosines(self, vector: Sequence[float], ids: Collection[int]) -> dict[int, float]:
        """How near each of these is, of those that have a vector."""
        given = {"model": self._model, "ids": json.dumps(sorted(ids))}
        rows = self._connection.execute(_WEIGHTS, given).all()
        near = cosines(vector, [row.weights for row in rows])
        return {row.passage_id: each for row, each in zip(rows, near, strict=True)}

    def _in_memory(self) -> Signs:
        """The signs, with whatever came since they were last looked at."""
        warm = self._warm
        with warm.lock:
            # A number that means another row now was given in a transaction that came to nothing.
            if warm.signs_model != self._model or (warm.signs_last and not self._is_still(*warm.signs_last)):
                warm.signs, warm.signs_model, warm.signs_last = Signs(), self._model, None
            last = self._connection.execute(_LAST).first()
            if last is not None and (warm.signs_last is None or last.id > warm.signs_last[0]):
                self._load(warm, last.id)
                warm.signs_last = (last.id, last.passage_id)
            return warm.signs

    def _is_still(self, number: int, passage_id: int) -> bool:
        return bool(self._connection.execute(_STILL, {"id": number}).scalar() == passage_id)

    def _load(self, warm: Warm, last: int) -> None:
        start = warm.signs_last[0] + 1 if warm.signs_last else self._load_blocks(warm)
        for first in range(start, last + 1, BLOCK_ROWS):
            self._load_rows(warm, first, min(first + BLOCK_ROWS, last + 1))

    def _load_rows(self, warm: Warm, first: int, end: int) -> None:
        rows = self._connection.execute(_ROWS, {"model": self._model, "first": first, "end": end}).all()
        ids = np.array([row.passage_id for row in rows], dtype=np.int64)
        warm.signs.add(ids, signs_of([row.weights for row in rows]))

    def _load_blocks(self, warm: Warm) -> int:
        """Every block, and the rows of those that are missing in between; the first number that is in none."""
        given = select(vector_blocks).where(vector_blocks.c.model == self._model).order_by(vector_blocks.c.number)
        blocks = {row.number: row for row in self._connection.execute(given)}
        for number in range(max(blocks, default=-1) + 1):
            if number in blocks:
                ids = np.frombuffer(blocks[number].ids, dtype="<i8")
                signs = np.frombuffer(blocks[number].signs, dtype=np.uint64)
                warm.signs.add(ids.astype(np.int64), signs.reshape(len(ids), -1) if len(ids) else signs.reshape(0, 0))
            else:
                self._load_rows(warm, number * BLOCK_ROWS, (number + 1) * BLOCK_ROWS)
        return (max(blocks, default=-1) + 1) * BLOCK_ROWS

    def note_uses(self, owner_id: int) -> None:
        """Put on record how often each passage was found since this was last asked."""
        with self._warm.lock:
            uses, self._warm.uses = self._warm.uses, type(self._warm.uses)()
        there = set(self._connection.execute(select(passages.c.id).where(passages.c.id.in_(list(uses)))).scalars())
        rows = [{"owner_id": owner_id, "passage_id": one, "uses": n} for one, n in uses.items() if one in there]
        if rows:
            query = upsert(passage_uses)
            query = query.on_conflict_do_update(
                index_elements=["passage_id"], set_={"uses": passage_uses.c.uses + query.excluded.uses}
            )
            self._connection.execute(query, rows)
