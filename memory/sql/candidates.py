"""Candidates: the few hundred passages that a question is weighed against, whatever the size of the index."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import Connection, RowMapping, bindparam, column, func, select, text

from memory.search.filters import Filters, Stretch
from memory.search.passage import TALK, Corpus
from memory.search.plan import NEWEST, RANKED_MAX, Known, date_keys, narrowing, newest_keys, stages
from memory.search.query import Query
from memory.search.ranking import AFTER, BEFORE
from memory.sql.lexicon import Lexicon
from memory.sql.meanings import Meanings
from memory.sql.search_schema import passages
from memory.sql.types import UtcDateTime

POOL = 200
"""So many candidates are weighed."""

OF_A_CORPUS = 40
"""And so many of each corpus that would be buried else."""

ENOUGH = 20
"""With so many candidates nothing looser is tried."""

BY_MEANING = 60
"""So many are candidates by nothing but their meaning."""

NARROW = 50_000
"""Of so few passages the nearest can be looked for by themselves."""

TALKED_WITHIN = timedelta(hours=12)
"""Turns further apart than this belong to two talks."""

_FITS = "1.5, 2.0, 1.0, 0.5, 0.5, 0.0"
"""What each indexed column counts while candidates are chosen; the last holds the filters' keys."""

_COUNT = text("SELECT count(*) FROM passages_fts WHERE passages_fts MATCH :match")
# Ranked first with nothing else in the way: a join or window inside doubles the time.
_RANKED = text(
    f"SELECT rowid FROM passages_fts WHERE passages_fts MATCH :match AND rank MATCH 'bm25({_FITS})' "
    "ORDER BY rank LIMIT :most"
)
# In the order of ids full text ends as soon as there is enough, which it doesn't in that of ranks.
_NEWEST = text(
    f"SELECT rowid FROM (SELECT rowid, bm25(passages_fts, {_FITS}) AS fit FROM passages_fts "
    "WHERE passages_fts MATCH :match ORDER BY rowid DESC LIMIT :newest) ORDER BY fit LIMIT :most"
)
_ALL_OF = text("SELECT rowid FROM passages_fts WHERE passages_fts MATCH :match ORDER BY rowid DESC LIMIT :most")
_THOSE_OF = text(
    "SELECT f.rowid FROM json_each(:ids) j JOIN passages_fts f ON f.rowid = j.value WHERE passages_fts MATCH :match"
)
_ROWS = select(passages).where(
    passages.c.owner_id == bindparam("owner"),
    passages.c.id.in_(select(func.json_each(bindparam("ids")).table_valued(column("value")).c.value)),
)
_TALKED = f"corpus IN ({', '.join(repr(each) for each in sorted(TALK))})"
_SIDE = (
    "SELECT p.id AS turn, {side} AS side, n.id AS id, n.at AS at FROM json_each(:ids) c JOIN passages p ON p.id = c.value "
    "JOIN passages n ON n.id IN (SELECT q.id FROM passages q WHERE q.owner_id = p.owner_id AND q.place = p.place "
    "AND q.{talked} AND q.corpus = p.corpus AND q.at {sign}= p.at AND (q.at, q.id) {sign} (p.at, p.id) "
    "ORDER BY q.at {way}, q.id {way} LIMIT {most})"
)
_AROUND = text(
    " UNION ALL ".join(
        (
            _SIDE.format(side=-1, sign="<", way="DESC", most=len(BEFORE), talked=_TALKED),
            _SIDE.format(side=1, sign=">", way="ASC", most=len(AFTER), talked=_TALKED),
        )
    )
)
_BY_DATE = (
    select(passages.c.id)
    .where(
        passages.c.owner_id == bindparam("owner"),
        passages.c.at >= bindparam("after", type_=UtcDateTime()),
        passages.c.at < bindparam("before", type_=UtcDateTime()),
    )
    .order_by(passages.c.at.desc())
    .limit(POOL)
)
_EVER, _NEVER = datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question on its way through. corpora: of which alone there may be hits; wanted: how many hits."""

    owner_id: int
    query: Query
    known: Sequence[Known]
    filters: Filters
    corpora: frozenset[Corpus]
    wanted: int
    narrow: str = ""


class Candidates:
    """Gathers them, on one connection."""

    def __init__(self, connection: Connection, lexicon: Lexicon, meanings: Meanings) -> None:
        self._connection = connection
        self._lexicon = lexicon
        self._meanings = meanings

    def narrowed(self, asked: Asked) -> Asked:
        """The same with its filters as an expression. A corpus that is most of everything is no filter to the index."""
        counts = self._lexicon.corpora()
        chosen = sum(counts.get(corpus, 0) for corpus in asked.corpora)
        is_rare = chosen <= sum(counts.values()) / 2
        filters = replace(asked.filters, corpora=asked.corpora if is_rare else frozenset())
        keys = date_keys(filters.after_at, filters.before_at, self._lexicon.months())
        return replace(asked, narrow=narrowing(filters, self._lexicon.spelled(filters), keys))

    def gather(self, asked: Asked, vector: Sequence[float] | None) -> tuple[dict[int, RowMapping], dict[int, float]]:
        """Rows by id, and how near the meaning of each is that has one."""
        if not asked.known:
            return self.rows(asked, self._by_filters(asked)), {}
        ids, match = self._by_words(asked)
        rows = self.rows(asked, ids)
        if len(ids) >= POOL and match:
            buried = [one for corpus in self._buried(asked, rows) for one in self._of_corpus(match, corpus)]
            rows |= self.rows(asked, buried)
        near = self._by_meaning(asked, vector) if vector is not None else {}
        rows |= self.rows(asked, [one for one in near if one not in rows])
        if vector is not None:
            near |= self._meanings.cosines(vector, [one for one in rows if one not in near])
        return rows, {one: cosine for one, cosine in near.items() if one in rows}

    def rows(self, asked: Asked, ids: Collection[int]) -> dict[int, RowMapping]:
        """The passages of these ids that may be hits."""
        if not ids:
            return {}
        found = self._connection.execute(_ROWS, {"owner": asked.owner_id, "ids": json.dumps(list(ids))}).mappings()
        return {
            row["id"]: row for row in found if row["corpus"] in asked.corpora and _is_then(row["at"], asked.filters)
        }

    def around(self, rows: Mapping[int, RowMapping]) -> dict[int, tuple[tuple[int, ...], tuple[int, ...]]]:
        """The turns before and after each turn of a talk, the nearest first."""
        turns = [one for one, row in rows.items() if row["corpus"] in TALK]
        found: dict[int, tuple[list[tuple[str, int]], list[tuple[str, int]]]] = {one: ([], []) for one in turns}
        if turns:
            for row in self._connection.execute(_AROUND, {"ids": json.dumps(turns)}):
                found[row.turn][row.side > 0].append((row.at, row.id))
        return {
            one: (_near_first(before, latest=True), _near_first(after, latest=False))
            for one, (before, after) in found.items()
        }

    def _by_filters(self, asked: Asked) -> list[int]:
        """The newest that hold what the filters ask."""
        filters = asked.filters
        if asked.narrow and filters.any_time() != Filters():
            return self._ids(_ALL_OF, match=asked.narrow, most=POOL)
        given = {"owner": asked.owner_id, "after": filters.after_at or _EVER, "before": filters.before_at or _NEVER}
        return list(self._connection.execute(_BY_DATE, given).scalars())

    def _by_words(self, asked: Asked) -> tuple[list[int], str]:
        """By the stages of the plan, until there is enough; and the last expression that was tried."""
        found: dict[int, None] = {}
        match = ""
        for stage in stages(asked.known, asked.narrow):
            match = stage.match
            found |= dict.fromkeys(self._matching(match, asked.query.prefers, POOL))
            if len(found) >= max(ENOUGH, asked.wanted):
                break
        return list(found)[:POOL], match

    def _matching(self, match: str, prefers: Stretch | None, most: int) -> list[int]:
        """The best that match, or the best of the newest when too many do."""
        count = self._connection.execute(_COUNT, {"match": match}).scalar_one()
        if count <= RANKED_MAX:
            return self._ids(_RANKED, match=match, most=most)
        months = self._lexicon.months()
        wanted = NEWEST * max(1, sum(months.values())) // count
        keys = newest_keys(months, wanted, prefers)
        narrow = f"({match}) AND ({_keyed(keys)})" if keys else match
        return self._ids(_NEWEST, match=narrow, newest=NEWEST, most=most)

    def _buried(self, asked: Asked, rows: Mapping[int, RowMapping]) -> list[Corpus]:
        """The corpora that have few candidates though they may have more to say."""
        counts = self._lexicon.corpora()
        there = [row["corpus"] for row in rows.values()]
        return [
            corpus
            for corpus, documents in counts.items()
            if corpus in asked.corpora and there.count(corpus) < min(OF_A_CORPUS, documents)
        ]

    def _of_corpus(self, match: str, corpus: Corpus) -> list[int]:
        return self._matching(f"({match}) AND ({_keyed([f'c{corpus}'])})", None, OF_A_CORPUS)

    def _by_meaning(self, asked: Asked, vector: Sequence[float]) -> dict[int, float]:
        """The nearest by meaning, within the filters."""
        counts = self._lexicon.corpora()
        small = [corpus for corpus in asked.corpora if 0 < counts.get(corpus, 0) <= NARROW]
        if asked.narrow:
            allowed = self._ids(_ALL_OF, match=asked.narrow, most=NARROW + 1)
            if len(allowed) <= NARROW:
                return _best(self._meanings.near(vector, only=allowed), BY_MEANING)
        sets = [self._ids(_ALL_OF, match=_keyed([f"c{corpus}"]), most=NARROW) for corpus in small]
        near = self._meanings.near(vector, among=sets if len(sets) > 1 or not small else ())
        if asked.narrow:
            those = set(
                self._connection.execute(_THOSE_OF, {"ids": json.dumps(list(near)), "match": asked.narrow}).scalars()
            )
            near = {one: cosine for one, cosine in near.items() if one in those}
        return near

    def _ids(self, statement: Any, **given: Any) -> list[int]:
        return list(self._connection.execute(statement, given).scalars())


def _keyed(keys: Sequence[str]) -> str:
    listed = " OR ".join(f'"{key}"' for key in keys)
    return f"{{keys}} : ({listed})"


def _is_then(at: datetime | None, filters: Filters) -> bool:
    if filters.after_at is None and filters.before_at is None:
        return True
    return at is not None and (filters.after_at or _EVER) <= at < (filters.before_at or _NEVER)


def _best(near: Mapping[int, float], most: int) -> dict[int, float]:
    return dict(sorted(near.items(), key=lambda one: -one[1])[:most])


def _near_first(turns: Sequence[tuple[str, int]], *, latest: bool) -> tuple[int, ...]:
    return tuple(one for _, one in sorted(turns, reverse=latest))
