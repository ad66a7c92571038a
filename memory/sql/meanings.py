"""Vectors of passages: their rows, the blocks of signs, and what of them is in memory."""

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
from sqlalchemy import Connection, Row, bindparam, delete, func, select, text
from sqlalchemy.dialects.sqlite import insert as upsert

from memory.search.document import person_of
from memory.search.embedder import Unembedded
from memory.search.passage import CORPORA, TALK, Corpus
from memory.search.vectors import Signs, cosines, in_eight_bits, query_signs, signs_of
from memory.sql.search_schema import BLOCK_ROWS, passage_vectors, passages, vector_blocks
from memory.sql.warm import Warm

_WAITING = "NOT EXISTS (SELECT 1 FROM passage_vectors v WHERE v.passage_id = p.id AND v.model = :model)"
_USED_FIRST = text(
    "SELECT p.id, p.corpus, p.who, p.title, p.text FROM passage_uses u JOIN passages p ON p.id = u.passage_id "
    f"WHERE p.owner_id = :owner AND {_WAITING} ORDER BY u.uses DESC LIMIT :most"
)
_NEWEST_FIRST = text(
    "SELECT p.id, p.corpus, p.who, p.title, p.text FROM passages p "
    f"WHERE p.owner_id = :owner AND {_WAITING} ORDER BY p.at DESC LIMIT :most"
)
_LAST = text("SELECT id, passage_id FROM passage_vectors ORDER BY id DESC LIMIT 1")
_STILL = text("SELECT passage_id FROM passage_vectors WHERE id = :id")
_OF = select(passages.c.id, passages.c.corpus, passages.c.who, passages.c.title, passages.c.text).where(
    passages.c.owner_id == bindparam("owner"), passages.c.id.in_(bindparam("wanted", expanding=True))
)
_KEEP = upsert(passage_vectors)
_KEEP = _KEEP.on_conflict_do_nothing()
_WEIGHTS = text(
    "SELECT passage_id, weights FROM passage_vectors "
    "WHERE model = :model AND passage_id IN (SELECT value FROM json_each(:ids))"
)
_ROWS = (
    select(passage_vectors.c.passage_id, passages.c.corpus, passage_vectors.c.weights)
    .join_from(passage_vectors, passages, passages.c.id == passage_vectors.c.passage_id)
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

OF_A_CORPUS = 40
"""And so many of each corpus."""

KEPT, KEPT_OF_A_CORPUS = 60, 10
"""So many of them are candidates by nothing but their meaning."""


RECIPE = "2"
"""Of which make the texts are that become vectors: those of another are made anew, as those of another model."""


def stored_name(model: str) -> str:
    """How the vectors of a model are marked."""
    return f"{model} {RECIPE}"


def embedded_text(corpus: Corpus, who: str, title: str, content: str) -> str:
    """What of a passage its vector is made of.

    A turn of a talk says who said it: else a question about somebody finds what was said to them, by name, and nothing of
    what they said themselves.
    """
    if corpus in TALK:
        return f"{person_of(who)[0] or who}: {content}".strip()
    return f"{title}\n{content}".strip()


class Meanings:
    """What is known of meanings, on one connection. Importing this loads numpy, so it is done only with an embedder."""

    def __init__(self, connection: Connection, warm: Warm, model: str) -> None:
        self._connection = connection
        self._warm = warm
        self._model = stored_name(model)

    def embedded(self, owner_id: int) -> int:
        """How many passages have a vector, counted."""
        return self._connection.execute(
            select(func.count())
            .select_from(passage_vectors)
            .where(passage_vectors.c.owner_id == owner_id, passage_vectors.c.model == self._model)
        ).scalar_one()

    def unembedded(self, owner_id: int, *, limit: int) -> list[Unembedded]:
        """See memory.tables.search.Search."""
        given = {"owner": owner_id, "model": self._model, "most": limit}
        rows = (
            self._connection.execute(_USED_FIRST, given).all() or self._connection.execute(_NEWEST_FIRST, given).all()
        )
        return [Unembedded(row.id, _text_of(row)) for row in rows]

    def keep(self, owner_id: int, vectors: Sequence[tuple[Unembedded, Sequence[float]]]) -> int:
        """See memory.tables.search.Search.keep_vectors."""
        ids = [one.passage_id for one, _ in vectors]
        rows = self._connection.execute(_OF, {"owner": owner_id, "wanted": ids})
        # What was changed while it was embedded waits for another vector.
        now = {row.id: _text_of(row) for row in rows}
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
            rows = self._rows(number * BLOCK_ROWS, (number + 1) * BLOCK_ROWS)
            block = {
                "number": number,
                "model": self._model,
                "ids": np.array([row.passage_id for row in rows], dtype="<i8").tobytes(),
                "kinds": _kinds(rows),
                "signs": signs_of([row.weights for row in rows]).tobytes(),
            }
            self._connection.execute(_BLOCK, block)
        return len(missing)

    @property
    def count(self) -> int:
        """About how many passages can be found by meaning."""
        return len(self._in_memory())

    def near(
        self, vector: Sequence[float], *, corpora: Collection[Corpus] = (), only: Collection[int] | None = None
    ) -> dict[int, float]:
        """The passages nearest to a question with how near they are, -1 to 1, the nearest of each of `corpora` among them.

        `only`: of these alone.
        """
        signs = self._in_memory()
        if not len(signs):
            return {}
        distances = signs.distances(query_signs(vector))
        if only is not None:
            return _best(self.cosines(vector, signs.nearest_of(distances, NEAREST, only)), KEPT)
        of_each = [signs.nearest(distances, OF_A_CORPUS, kind=CORPORA.index(corpus)) for corpus in corpora]
        near = self.cosines(vector, {*signs.nearest(distances, NEAREST), *(one for some in of_each for one in some)})
        kept = _best(near, KEPT)
        for some in of_each:
            kept |= _best({one: near[one] for one in some if one in near}, KEPT_OF_A_CORPUS)
        return kept

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
            is_current = warm.signs_last is None or self._is_still(*warm.signs_last)
            if warm.signs is None or warm.signs_model != self._model or not is_current:
                warm.signs, warm.signs_model, warm.signs_last = Signs(), self._model, None
            last = self._connection.execute(_LAST).first()
            if last is not None and (warm.signs_last is None or last.id > warm.signs_last[0]):
                self._load(warm.signs, warm.signs_last, last.id)
                warm.signs_last = (last.id, last.passage_id)
            return warm.signs

    def _is_still(self, number: int, passage_id: int) -> bool:
        return bool(self._connection.execute(_STILL, {"id": number}).scalar() == passage_id)

    def _load(self, signs: Signs, known: tuple[int, int] | None, last: int) -> None:
        start = known[0] + 1 if known else self._load_blocks(signs)
        for first in range(start, last + 1, BLOCK_ROWS):
            self._load_rows(signs, first, min(first + BLOCK_ROWS, last + 1))

    def _load_blocks(self, signs: Signs) -> int:
        """Every block, and the rows of those that are missing in between; the first number that is in none."""
        given = select(vector_blocks).where(vector_blocks.c.model == self._model)
        blocks = {row.number: row for row in self._connection.execute(given)}
        end = max(blocks, default=-1) + 1
        for number in range(end):
            block = blocks.get(number)
            if block is None:
                self._load_rows(signs, number * BLOCK_ROWS, (number + 1) * BLOCK_ROWS)
                continue
            ids = np.frombuffer(block.ids, dtype="<i8").astype(np.int64)
            words = np.frombuffer(block.signs, dtype=np.uint64)
            signs.add(ids, block.kinds, words.reshape(max(1, len(ids)), -1))
        return end * BLOCK_ROWS

    def _load_rows(self, signs: Signs, first: int, end: int) -> None:
        rows = self._rows(first, end)
        ids = np.array([row.passage_id for row in rows], dtype=np.int64)
        signs.add(ids, _kinds(rows), signs_of([row.weights for row in rows]))

    def _rows(self, first: int, end: int) -> Sequence[Row[Any, Any, Any]]:
        return self._connection.execute(_ROWS, {"model": self._model, "first": first, "end": end}).all()


def _text_of(row: Any) -> str:
    return embedded_text(row.corpus, row.who, row.title, row.text)


def _best(near: Mapping[int, float], most: int) -> dict[int, float]:
    return dict(sorted(near.items(), key=lambda one: -one[1])[:most])


def _kinds(rows: Sequence[Row[Any, Any, Any]]) -> bytes:
    return bytes(CORPORA.index(row.corpus) for row in rows)
