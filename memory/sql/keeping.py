"""Keeping documents findable: what importers hand in, followed through edits and deletions."""

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime

from sqlalchemy import Connection, select

from memory.exclusion import Exclusions
from memory.search.document import Document, Put, person_of
from memory.sql.counters import SqlCounts
from memory.sql.covering import erase_promises, unask
from memory.sql.passages import (
    FEW,
    change_document,
    forget_passage,
    keep_new,
    known_refs,
    merge_some,
    people_in,
    refs_under,
    text_of,
)
from memory.sql.people_noting import Noting
from memory.sql.search_schema import passages
from memory.sql.unsaying import unsay
from memory.tables.counters import PASSED_OVER

_OF_MAIL = "mail"
"""Mails are erased with all that came of them, elsewhere."""


class Keeping:
    """The keeping half of memory.tables.search.Search, on one connection."""

    def __init__(self, connection: Connection, exclusions: Callable[[], Exclusions]) -> None:
        self._connection = connection
        self._exclusions = exclusions
        self._counts = SqlCounts(connection)
        self._noting = Noting(connection, exclusions)

    def put(self, owner_id: int, documents: Sequence[Document], *, now: datetime) -> Put:
        """See memory.tables.search.Search."""
        exclusions = self._exclusions()
        latest = {document.ref: document for document in documents}
        covered = [] if exclusions.is_empty else [one.ref for one in latest.values() if _covers(exclusions, one)]
        if covered:
            self._erase(owner_id, covered, now=now)
            self._counts.add(PASSED_OVER, owner_id=owner_id, now=now, by=len(covered))
        prints = {ref: one.fingerprint for ref, one in latest.items() if ref not in set(covered)}
        known = known_refs(self._connection, owner_id, prints)
        new = [(latest[ref], mark) for ref, mark in prints.items() if ref not in known]
        changed = [(latest[ref], mark) for ref, mark in prints.items() if ref in known and known[ref] != mark]
        keep_new(self._connection, owner_id, new)
        for document, mark in changed:
            change_document(self._connection, owner_id, document, mark)
        if 0 < len(changed) <= FEW:
            merge_some(self._connection)
        self._noting.documents(owner_id, [document for document, _ in (*new, *changed)])
        # A chat that was exported anew may have somebody else's words where the owner's stood.
        unask(self._connection, owner_id, [one.ref for one, _ in changed if not one.by_owner], now)
        same = len(prints) - len(new) - len(changed)
        return Put(new=len(new), changed=len(changed), same=same, excluded=len(covered))

    def drop(self, owner_id: int, refs: Collection[str], *, now: datetime) -> int:
        """See memory.tables.search.Search."""
        unask(self._connection, owner_id, refs, now)
        gone = sum(forget_passage(self._connection, owner_id, ref) > 0 for ref in refs)
        if 0 < gone <= FEW:
            merge_some(self._connection)
        return gone

    def _erase(self, owner_id: int, refs: Collection[str], *, now: datetime) -> int:
        """The same of what is covered: nothing of it may be left, not even what the owner confirmed or what was said here
        in its words."""
        unsay(self._connection, owner_id, refs, now=now)
        erase_promises(self._connection, owner_id, refs, now)
        return self.drop(owner_id, refs, now=now)

    def refs(self, owner_id: int, under: str) -> Mapping[str, str]:
        """See memory.tables.search.Search."""
        return refs_under(self._connection, owner_id, under)

    def replace(self, owner_id: int, under: str, documents: Sequence[Document], *, now: datetime) -> Put:
        """See memory.tables.search.Search."""
        there = {document.ref for document in documents}
        if strange := [ref for ref in there if not ref.startswith(under)]:
            raise ValueError(f"{strange[0]!r} is not under {under!r}")
        done = self.put(owner_id, documents, now=now)
        gone = [ref for ref in self.refs(owner_id, under) if ref not in there]
        return Put(**{**_counted(done), "dropped": self.drop(owner_id, gone, now=now)})

    def text(self, owner_id: int, ref: str) -> str:
        """See memory.tables.search.Search."""
        row = self._connection.execute(
            select(passages.c.who, passages.c.people, passages.c.place).where(
                passages.c.owner_id == owner_id, passages.c.ref == ref, passages.c.part == 0
            )
        ).first()
        exclusions = self._exclusions()
        if row is None or exclusions.covers([person_of(row.who), *people_in(row.people)], row.place):
            return ""
        return str(self._connection.execute(select(text_of(owner_id, ref))).scalar_one())

    def erase_covered(self, owner_id: int, *, now: datetime) -> int:
        """See memory.tables.search.Search."""
        exclusions = self._exclusions()
        if exclusions.is_empty:
            return 0
        rows = self._connection.execute(
            select(passages.c.ref, passages.c.who, passages.c.people, passages.c.place).where(
                passages.c.owner_id == owner_id, passages.c.part == 0, passages.c.corpus != _OF_MAIL
            )
        )
        covered = [
            row.ref for row in rows if exclusions.covers([person_of(row.who), *people_in(row.people)], row.place)
        ]
        return self._erase(owner_id, covered, now=now)


def _covers(exclusions: Exclusions, document: Document) -> bool:
    return exclusions.covers(document.everybody, document.place)


def _counted(done: Put) -> dict[str, int]:
    return {name: getattr(done, name) for name in Put.__dataclass_fields__}
