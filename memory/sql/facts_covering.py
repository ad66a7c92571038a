"""Whom and what the exclusions keep out of facts: asked before one is written, and again whenever one is read."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, select

from memory.exclusion import Exclusions
from memory.fact import Fact, FoundFact
from memory.search.document import person_of
from memory.sql.facts_schema import facts
from memory.sql.passages import people_in, text_of
from memory.sql.people_schema import identities
from memory.sql.people_settling import covers
from memory.sql.search_schema import passages

_BATCH = 500


class Covering:
    """The exclusions as facts ask them, on one connection. covered: those of some mails that they cover."""

    def __init__(
        self,
        connection: Connection,
        exclusions: Callable[[], Exclusions],
        covered: Callable[[Collection[int]], Collection[int]],
    ) -> None:
        self._connection = connection
        self._exclusions = exclusions
        self._mails = covered

    def source(self, owner_id: int, ref: str) -> str:
        """A document's title and whole text, in which a quote has to stand; "" when there is none or they cover it."""
        row = self._connection.execute(
            select(passages.c.title, text_of(owner_id, ref).label("text")).where(
                passages.c.owner_id == owner_id, passages.c.ref == ref, passages.c.part == 0
            )
        ).first()
        return "" if row is None or ref in self._refs(owner_id, [ref]) else f"{row.title}\n{row.text}"

    def covers_identities(self, rows: Iterable[Any]) -> bool:
        """Whether they cover anybody of these rows of identities."""
        exclusions = self._exclusions()
        return not exclusions.is_empty and any(covers(exclusions, row.kind, row.value, row.name) for row in rows)

    def names_somebody(self, fact: FoundFact | Fact) -> bool:
        """Whether the words of a fact name somebody on the list."""
        return self._exclusions().covers_text(fact.value, fact.quote)

    def shown(self, owner_id: int, known: Sequence[Fact]) -> list[Fact]:
        """Those of these facts that may be read."""
        exclusions = self._exclusions()
        if exclusions.is_empty or not known:
            return list(known)
        people = self._identities(exclusions, sorted({fact.identity_id for fact in known}))
        refs = self._refs(owner_id, sorted({fact.ref for fact in known}))
        return [
            fact
            for fact in known
            if fact.identity_id not in people and fact.ref not in refs and not self.names_somebody(fact)
        ]

    def covered(self, owner_id: int) -> list[int]:
        """The facts that they cover."""
        if self._exclusions().is_empty:
            return []
        rows = self._connection.execute(select(facts).where(facts.c.owner_id == owner_id)).mappings().all()
        known = [fact_of(row) for row in rows]
        may_stay = {fact.id for fact in self.shown(owner_id, known)}
        return [fact.id for fact in known if fact.id not in may_stay]

    def people(self, owner_id: int, since: datetime) -> int:
        """How many people seen since then they cover."""
        exclusions = self._exclusions()
        if exclusions.is_empty:
            return 0
        rows = self._connection.execute(
            select(identities).where(identities.c.owner_id == owner_id, identities.c.last_at >= since)
        )
        return len({row.person_id for row in rows if covers(exclusions, row.kind, row.value, row.name)})

    def _identities(self, exclusions: Exclusions, identity_ids: Sequence[int]) -> set[int]:
        """Those of these whose person they cover by any identity."""
        covered: set[int] = set()
        for some in _in_slices(identity_ids):
            people = select(identities.c.person_id).where(identities.c.id.in_(some))
            rows = self._connection.execute(select(identities).where(identities.c.person_id.in_(people))).all()
            hidden = {row.person_id for row in rows if covers(exclusions, row.kind, row.value, row.name)}
            covered |= {row.id for row in rows if row.person_id in hidden}
        return covered

    def _refs(self, owner_id: int, refs: Sequence[str]) -> set[str]:
        """Those of these documents that they cover."""
        exclusions = self._exclusions()
        if exclusions.is_empty:
            return set()
        mails = {int(ref.removeprefix("mail:")): ref for ref in refs if ref.startswith("mail:")}
        covered = {mails[mail_id] for some in _in_slices(sorted(mails)) for mail_id in self._mails(some)}
        for some in _in_slices(refs):
            rows = self._connection.execute(
                select(passages.c.ref, passages.c.who, passages.c.people, passages.c.place).where(
                    passages.c.owner_id == owner_id, passages.c.part == 0, passages.c.ref.in_(some)
                )
            )
            covered |= {
                row.ref for row in rows if exclusions.covers([person_of(row.who), *people_in(row.people)], row.place)
            }
        return covered


def fact_of(row: Mapping[Any, Any]) -> Fact:
    """A row as the fact that it is."""
    values = {name: row[name] for name in Fact.__dataclass_fields__ if name != "by"}
    return Fact(**values, by=row["found_by"])


def _in_slices(values: Sequence[Any]) -> list[Sequence[Any]]:
    return [values[start : start + _BATCH] for start in range(0, len(values), _BATCH)]
