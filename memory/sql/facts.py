"""Facts: what is known of people. Every read and every write passes the exclusions."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from sqlalchemy import Connection, and_, delete, select, update
from sqlalchemy.dialects.sqlite import insert as upsert

from memory.errors import NotFound
from memory.exclusion import Exclusions
from memory.fact import Fact, FoundFact, NotedFact, Settled, settle, standing, subject_of
from memory.facts.quote import standing_in
from memory.facts.value import fault_in
from memory.sql.counters import SqlCounts
from memory.sql.decisions import SqlDecisions
from memory.sql.facts_covering import Covering, fact_of
from memory.sql.facts_schema import fact_readings, facts
from memory.sql.people_schema import identities
from memory.sql.rows import put
from memory.tables.counters import PASSED_OVER

_NO_QUOTE = "the quote does not stand in its source"
_READ = upsert(fact_readings).on_conflict_do_nothing()


@dataclass(frozen=True, slots=True)
class _Moment:
    """Whose facts, when, and by which signal of theirs, None when nobody asked."""

    owner_id: int
    now: datetime
    signal_id: int | None = None


class SqlFacts:
    """See memory.tables.facts.Facts."""

    def __init__(
        self,
        connection: Connection,
        exclusions: Callable[[], Exclusions],
        covered: Callable[[Collection[int]], Collection[int]],
        looked: set[str],
    ) -> None:
        self._connection = connection
        self._looked = looked
        self._covering = Covering(connection, exclusions, covered)
        self._decisions = SqlDecisions(connection)
        self._counts = SqlCounts(connection)

    # What is known

    def get(self, owner_id: int, fact_id: int) -> Fact:
        found = self._rows(owner_id, facts.c.id == fact_id)
        if not found:
            raise NotFound("nothing is known of that any more")
        return found[0]

    def current(self, owner_id: int, identity_ids: Collection[int]) -> list[Fact]:
        return standing(self._rows(owner_id, facts.c.identity_id.in_(identity_ids)))

    def history(self, owner_id: int, identity_ids: Collection[int]) -> list[Fact]:
        known = self._rows(owner_id, facts.c.identity_id.in_(identity_ids))
        return sorted(known, key=lambda fact: (fact.said_at, fact.id), reverse=True)

    def told(self, owner_id: int) -> list[Fact]:
        known = self._rows(owner_id, and_(facts.c.found_by == "owner", facts.c.superseded_at.is_(None)))
        return sorted(known, key=lambda fact: fact.id, reverse=True)

    def _rows(self, owner_id: int, condition: Any) -> list[Fact]:
        query = select(facts).where(facts.c.owner_id == owner_id, facts.c.value != "", condition).order_by(facts.c.id)
        known = [fact_of(row) for row in self._connection.execute(query).mappings()]
        shown = self._covering.shown(owner_id, known)
        # What is said of a fact may be a later exclusion's to take back, as what quotes its source.
        self._looked.update(fact.ref for fact in shown)
        return shown

    # What becomes known

    def note(self, owner_id: int, found: FoundFact, *, now: datetime, signal_id: int | None = None) -> NotedFact:
        moment = _Moment(owner_id, now, signal_id)
        whose = self._whose(owner_id, found.identity_id)
        if not whose or self._covering.covers_identities(whose) or self._covering.names_somebody(found):
            # Who it is that is excluded stands nowhere.
            self._counts.add(PASSED_OVER, owner_id=owner_id, now=now)
            return NotedFact(what="refused", because="excluded")
        quote = standing_in(self._covering.source(owner_id, found.ref), found.quote)
        fault = fault_in(found.kind, found.value) or (_NO_QUOTE if quote is None else None)
        if fault or quote is None:
            return self._refused(found, fault or _NO_QUOTE, moment)
        settled = settle(found, self._of_person(owner_id, [row.id for row in whose]))
        if settled.what == "refused":
            return self._refused(found, settled.because, moment)
        if settled.what == "known" and settled.yields_to is not None:
            return self._seen_again(settled.yields_to, found)
        return self._written(found, quote, settled, moment)

    def _whose(self, owner_id: int, identity_id: int) -> Sequence[Any]:
        """Every identity of the person of this one."""
        person = select(identities.c.person_id).where(identities.c.id == identity_id).scalar_subquery()
        query = select(identities).where(identities.c.owner_id == owner_id, identities.c.person_id == person)
        return self._connection.execute(query).all()

    def _of_person(self, owner_id: int, identity_ids: Collection[int]) -> list[Fact]:
        query = select(facts).where(facts.c.owner_id == owner_id, facts.c.identity_id.in_(identity_ids))
        return [fact_of(row) for row in self._connection.execute(query.order_by(facts.c.id)).mappings()]

    def _refused(self, found: FoundFact, because: str, moment: _Moment) -> NotedFact:
        self._record(moment, f"identity:{found.identity_id}", "fact refused", f"{because} ({found.ref})")
        return NotedFact(what="refused", because=because)

    def _seen_again(self, known: Fact, found: FoundFact) -> NotedFact:
        if known.is_current and found.said_at > known.seen_at:
            self._change(known.id, seen_at=found.said_at)
        return NotedFact(what="known", because="it was known", fact=known)

    def _written(self, found: FoundFact, quote: str, settled: Settled, moment: _Moment) -> NotedFact:
        fact_id = put(self._connection, facts, _row_of(found, quote, settled, moment))
        what: Literal["noted", "passed"] = "noted" if settled.what == "current" else "passed"
        self._record(moment, subject_of(fact_id), what, settled.because)
        for gone in settled.supersedes:
            self._supersede(gone, fact_id, found, moment)
        row = self._connection.execute(select(facts).where(facts.c.id == fact_id)).mappings().one()
        return NotedFact(what=what, because=settled.because, fact=fact_of(row), superseded=settled.supersedes)

    def _supersede(self, gone: int, by: int, found: FoundFact, moment: _Moment) -> None:
        because = f"superseded by {subject_of(by)}"
        self._change(
            gone,
            until_at=found.said_at,
            superseded_at=moment.now,
            superseded_by=by,
            ended_by="owner" if found.by == "owner" else "evidence",
            because=because,
        )
        # Without the signal: it comes back with what superseded it, and not by itself.
        self._record(_Moment(moment.owner_id, moment.now), subject_of(gone), "superseded", because)

    def forget(self, owner_id: int, fact_id: int, *, because: str, now: datetime, signal_id: int | None = None) -> None:
        before = self.get(owner_id, fact_id)
        over = {"until_at": before.until_at or now, "superseded_at": before.superseded_at or now, "ended_by": "owner"}
        self._change(fact_id, value="", quote="", who="", because="forgotten", **over)
        self._record(_Moment(owner_id, now, signal_id), before.subject, "forgotten", because)

    def forgotten(self, owner_id: int, fact_id: int) -> Fact | None:
        query = select(facts).where(facts.c.owner_id == owner_id, facts.c.id == fact_id, facts.c.value == "")
        row = self._connection.execute(query).mappings().first()
        return fact_of(row) if row else None

    # Taken back

    def take_back(self, owner_id: int, fact_id: int, *, now: datetime, signal_id: int | None = None) -> None:
        gone = self._connection.execute(
            delete(facts)
            .where(facts.c.owner_id == owner_id, facts.c.id == fact_id)
            .returning(facts.c.identity_id, facts.c.value)
        ).first()
        if gone is not None and not gone.value:
            whose = fact_readings.c.identity_id == gone.identity_id
            self._connection.execute(delete(fact_readings).where(fact_readings.c.owner_id == owner_id, whose))
        self._record(_Moment(owner_id, now, signal_id), subject_of(fact_id), "undone", "the owner undid it")

    # What was read

    def unread(self, owner_id: int, identity_ids: Collection[int], refs: Sequence[str], *, reader: str) -> list[str]:
        query = select(fact_readings.c.owner_id, fact_readings.c.ref).where(
            fact_readings.c.identity_id.in_(identity_ids), fact_readings.c.reader == reader
        )
        # Asked for the owner as well, everything that was ever read would be looked through.
        read = {row.ref for row in self._connection.execute(query) if row.owner_id == owner_id}
        return [ref for ref in dict.fromkeys(refs) if ref not in read]

    def mark_read(self, owner_id: int, identity_id: int, refs: Collection[str], *, reader: str, now: datetime) -> None:
        rows = [
            {"owner_id": owner_id, "identity_id": identity_id, "ref": ref, "reader": reader, "read_at": now}
            for ref in refs
        ]
        if rows:
            self._connection.execute(_READ, rows)

    # Exclusions

    def passed_over(self, owner_id: int, *, since: datetime) -> int:
        return self._covering.people(owner_id, since)

    def is_covered(self, owner_id: int, identity_ids: Collection[int]) -> bool:
        query = select(identities).where(identities.c.owner_id == owner_id, identities.c.id.in_(identity_ids))
        return any(
            self._covering.covers_identities(self._whose(owner_id, row.id)) for row in self._connection.execute(query)
        )

    def erase_covered(self, owner_id: int) -> int:
        gone = self._covering.covered(owner_id)
        for fact_id in gone:
            self._connection.execute(delete(facts).where(facts.c.id == fact_id))
        return len(gone)

    def _change(self, fact_id: int, **values: Any) -> None:
        self._connection.execute(update(facts).where(facts.c.id == fact_id).values(**values))

    def _record(self, moment: _Moment, subject: str, decided: str, because: str) -> None:
        self._decisions.record(
            owner_id=moment.owner_id,
            subject=subject,
            decided=decided,
            because=because,
            now=moment.now,
            signal_id=moment.signal_id,
        )


def _row_of(found: FoundFact, quote: str, settled: Settled, moment: _Moment) -> dict[str, Any]:
    over = _over(found, settled, moment.now) if settled.what == "passed" else {}
    return {
        "owner_id": moment.owner_id,
        "identity_id": found.identity_id,
        "kind": found.kind,
        "value": found.value,
        "key": found.key,
        "quote": quote,
        "corpus": found.corpus,
        "ref": found.ref,
        "who": found.who,
        "found_by": found.by,
        "confidence": found.confidence,
        "said_at": found.said_at,
        "seen_at": found.said_at,
        "noted_at": moment.now,
        "because": settled.because,
        **over,
    }


def _over(found: FoundFact, settled: Settled, now: datetime) -> dict[str, Any]:
    """Of a fact that is superseded as it is written."""
    later = settled.yields_to
    return {
        "until_at": max(found.said_at, later.said_at) if later else found.said_at,
        "superseded_at": now,
        "superseded_by": later.id if later and later.is_current else None,
        "ended_by": settled.ended_by,
    }
