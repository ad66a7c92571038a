"""One search over everything that is kept."""

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime

from sqlalchemy import Connection

from memory.exclusion import Exclusions
from memory.search.document import Document, Put
from memory.search.embedder import Readiness, Unembedded
from memory.search.passage import CORPORA, Corpus, Found, Hit
from memory.sql.finding import Finding, Question
from memory.sql.keeping import Keeping
from memory.sql.meanings import Meanings
from memory.sql.warm import Warm


class SqlSearch:
    """See memory.tables.search.Search."""

    def __init__(
        self,
        connection: Connection,
        exclusions: Callable[[], Exclusions],
        covered: Callable[[Collection[int]], Collection[int]],
        warm: Warm,
    ) -> None:
        self._keeping = Keeping(connection, exclusions)
        self._finding = Finding(connection, exclusions, covered, warm)
        self._meanings = Meanings(connection, warm)

    def put(self, owner_id: int, documents: Sequence[Document], *, now: datetime) -> Put:
        return self._keeping.put(owner_id, documents, now=now)

    def drop(self, owner_id: int, refs: Collection[str]) -> int:
        return self._keeping.drop(owner_id, refs)

    def refs(self, owner_id: int, under: str) -> Mapping[str, str]:
        return self._keeping.refs(owner_id, under)

    def replace(self, owner_id: int, under: str, documents: Sequence[Document], *, now: datetime) -> Put:
        return self._keeping.replace(owner_id, under, documents, now=now)

    def text(self, owner_id: int, ref: str) -> str:
        return self._keeping.text(owner_id, ref)

    def erase_covered(self, owner_id: int) -> int:
        return self._keeping.erase_covered(owner_id)

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

    def readiness(self, owner_id: int) -> Readiness:
        return self._meanings.readiness(owner_id)

    def unembedded(self, owner_id: int, *, limit: int) -> list[Unembedded]:
        return self._meanings.unembedded(owner_id, limit=limit)

    def keep_vectors(self, owner_id: int, vectors: Sequence[tuple[Unembedded, Sequence[float]]]) -> int:
        return self._meanings.keep(owner_id, vectors)

    def note_uses(self, owner_id: int) -> None:
        self._meanings.note_uses(owner_id)
