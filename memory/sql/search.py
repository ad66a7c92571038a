"""One search over everything that is kept."""

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from sqlalchemy import Connection, func, select

from memory.exclusion import Exclusions
from memory.search.document import Document, Put
from memory.search.embedder import Readiness, Unembedded
from memory.search.found import Found
from memory.search.opened import Opened
from memory.search.passage import CORPORA, Corpus, Hit
from memory.sql.finding import Finding, Question
from memory.sql.keeping import Keeping
from memory.sql.search_schema import passages
from memory.sql.surroundings import Surroundings
from memory.sql.uses import note_uses
from memory.sql.warm import Warm

if TYPE_CHECKING:
    from memory.sql.meanings import Meanings


class SqlSearch:
    """See memory.tables.search.Search."""

    def __init__(
        self,
        connection: Connection,
        exclusions: Callable[[], Exclusions],
        covered: Callable[[Collection[int]], Collection[int]],
        warm: Warm,
        looked: set[str],
    ) -> None:
        self._connection = connection
        self._warm = warm
        self._keeping = Keeping(connection, exclusions)
        self._exclusions = exclusions
        self._covered = covered
        self._looked = looked

    @property
    def _meanings(self) -> "Meanings | None":
        # Looked at every time: the writer's tables are there before the model is.
        return _meanings(self._connection, self._warm)

    @property
    def _finding(self) -> Finding:
        return Finding(
            self._connection, self._exclusions, self._covered, self._warm, self._meanings, looked=self._looked
        )

    def put(self, owner_id: int, documents: Sequence[Document], *, now: datetime) -> Put:
        return self._keeping.put(owner_id, documents, now=now)

    def drop(self, owner_id: int, refs: Collection[str], *, now: datetime) -> int:
        return self._keeping.drop(owner_id, refs, now=now)

    def refs(self, owner_id: int, under: str) -> Mapping[str, str]:
        return self._keeping.refs(owner_id, under)

    def replace(self, owner_id: int, under: str, documents: Sequence[Document], *, now: datetime) -> Put:
        return self._keeping.replace(owner_id, under, documents, now=now)

    def text(self, owner_id: int, ref: str) -> str:
        self._looked.add(ref)
        return self._keeping.text(owner_id, ref)

    def erase_covered(self, owner_id: int, *, now: datetime) -> int:
        return self._keeping.erase_covered(owner_id, now=now)

    def find(
        self,
        owner_id: int,
        query: str,
        *,
        limit: int = 10,
        corpora: Collection[Corpus] = CORPORA,
        before_ref: str | None = None,
        now: datetime | None = None,
    ) -> list[Hit]:
        return self._finding.find(
            Question(
                owner_id=owner_id, text=query, wanted=limit, corpora=frozenset(corpora), without=before_ref, now=now
            )
        )

    def grouped(
        self,
        owner_id: int,
        query: str,
        *,
        each: int = 5,
        corpora: Collection[Corpus] = CORPORA,
        before_ref: str | None = None,
        now: datetime | None = None,
    ) -> Found:
        return self._finding.grouped(
            Question(
                owner_id=owner_id, text=query, wanted=each, corpora=frozenset(corpora), without=before_ref, now=now
            )
        )

    def open(self, owner_id: int, ref: str) -> Opened | None:
        opened = Surroundings(self._connection, self._finding.allowed).open(owner_id, ref)
        if opened is not None:
            self._looked.update((ref, *(one.ref for one in opened.turns)))
        return opened

    def readiness(self, owner_id: int) -> Readiness:
        kept = self._connection.execute(
            select(func.count()).select_from(passages).where(passages.c.owner_id == owner_id)
        ).scalar_one()
        meanings = self._meanings
        embedded = meanings.embedded(owner_id) if meanings else 0
        model = self._warm.embedder.name if self._warm.embedder else None
        return Readiness(model=model, passages=kept, embedded=embedded)

    def unembedded(self, owner_id: int, *, limit: int) -> list[Unembedded]:
        return meanings.unembedded(owner_id, limit=limit) if (meanings := self._meanings) else []

    def keep_vectors(self, owner_id: int, vectors: Sequence[tuple[Unembedded, Sequence[float]]]) -> int:
        return meanings.keep(owner_id, vectors) if (meanings := self._meanings) else 0

    def nearest(self, owner_id: int, vector: Sequence[float]) -> Mapping[int, float]:
        return meanings.near(vector) if (meanings := self._meanings) else {}

    def block(self) -> int:
        return meanings.block() if (meanings := self._meanings) else 0

    def note_uses(self, owner_id: int) -> None:
        note_uses(self._connection, owner_id, self._warm)


def _meanings(connection: Connection, warm: Warm) -> "Meanings | None":
    if warm.embedder is None:
        return None
    # numpy takes a moment and some memory: only where there is something to be found by meaning.
    from memory.sql.meanings import Meanings  # noqa: PLC0415

    return Meanings(connection, warm, warm.embedder.name)
