"""Candidates: the few hundred passages that a question is weighed against, whatever the size of the index."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, RowMapping, bindparam, column, func, select, text

from memory.search.filters import Filters
from memory.search.passage import TALK, Corpus
from memory.search.plan import NEWEST, RANKED_MAX, Known, Reached, date_keys, narrowing, newest_keys, stages
from memory.search.query import Query
from memory.search.ranking import AFTER, BEFORE
from memory.search.stems import WORD, folded
from memory.search.stretch import Stretch
from memory.sql.lexicon import Lexicon
from memory.sql.search_schema import passages
from memory.sql.types import UtcDateTime

if TYPE_CHECKING:
    from memory.sql.meanings import Meanings

POOL = 200
"""So many candidates are weighed."""

OF_A_CORPUS = 20
"""And so many of each corpus that would be buried else."""

ENOUGH = 20
"""With so many candidates nothing looser is tried."""

NARROW = 5_000
"""Of so few passages the nearest can be looked for by themselves."""

TALKED_WITHIN = timedelta(hours=12)
"""Turns further apart than this belong to two talks."""

_FITS = "1.5, 2.0, 1.0, 0.5, 0.5, 0.0"
"""What each indexed column counts while candidates are chosen; the last holds the filters' keys."""

# Stops as soon as there are too many: it looks at each match once, and tells the ids for the case that they are few.
_MATCHES = text(
    "SELECT count(*) AS matches, max(rowid) AS last, json_group_array(rowid) AS ids FROM "
    "(SELECT rowid FROM passages_fts WHERE passages_fts MATCH :match LIMIT :most)"
)
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
# The plus keeps SQLite from going through all of the owner's passages for a few of them.
_ROWS = select(passages).where(
    text("+passages.owner_id = :owner"),
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
).columns(at=UtcDateTime)
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

_Moment = tuple[datetime, int]
"""When a turn was said, and its passage."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question on its way through. corpora: of which alone there may be hits; wanted: how many hits.

    reached: at what else those are reached whom a filter names.
    """

    owner_id: int
    query: Query
    known: Sequence[Known]
    filters: Filters
    corpora: frozenset[Corpus]
    wanted: int
    narrow: str = ""
    spelled: Mapping[str, Sequence[str]] = field(default_factory=dict)
    reached: Reached = field(default_factory=dict)

    @property
    def pool(self) -> int:
        """So many candidates are weighed."""
        return min(POOL, max(POOL // 2, 4 * self.wanted))


class Candidates:
    """Gathers them, on one connection."""

    def __init__(self, connection: Connection, lexicon: Lexicon, meanings: "Meanings | None") -> None:
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
        spelled = self._lexicon.spelled(filters)
        return replace(asked, narrow=narrowing(filters, spelled, keys, asked.reached), spelled=spelled)

    def gather(self, asked: Asked, vector: Sequence[float] | None) -> tuple[dict[int, RowMapping], dict[int, float]]:
        """Rows by id, and how near the meaning of each is that has one."""
        if not asked.known:
            return self.rows(asked, self._by_filters(asked)), {}
        ids, match = self._by_words(asked)
        rows = self.rows(asked, ids)
        if len(ids) >= asked.pool and match:
            buried = [one for corpus in self._buried(asked, rows) for one in self._of_corpus(match, corpus)]
            rows |= self.rows(asked, buried)
        if vector is None or self._meanings is None:
            return rows, {}
        near = self._by_meaning(self._meanings, asked, vector)
        by_meaning = self.rows(asked, [one for one in near if one not in rows])
        rows |= {one: row for one, row in by_meaning.items() if _admits(asked, row)}
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
        found: dict[int, tuple[list[_Moment], list[_Moment]]] = {one: ([], []) for one in turns}
        if turns:
            for row in self._connection.execute(_AROUND, {"ids": json.dumps(turns)}):
                if abs(row.at - rows[row.turn]["at"]) <= TALKED_WITHIN:
                    found[row.turn][row.side > 0].append((row.at, row.id))
        return {one: (_in_order(before)[::-1], _in_order(after)) for one, (before, after) in found.items()}

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
            if found and stage.is_last_resort:
                continue
            match = stage.match
            if stage.is_common:
                found |= dict.fromkeys(self._ids(_ALL_OF, match=match, most=asked.pool))
            else:
                found |= dict.fromkeys(self._matching(match, asked.query.prefers, asked.pool))
            if len(found) >= max(ENOUGH, asked.wanted):
                break
        return list(found)[: asked.pool], match

    def _matching(self, match: str, prefers: Stretch | None, most: int) -> list[int]:
        """All that match, the best of them, or the best of the newest: by how many they are."""
        found = self._connection.execute(_MATCHES, {"match": match, "most": RANKED_MAX + 1}).one()
        if found.matches <= most:
            return list(json.loads(found.ids))
        if found.matches <= RANKED_MAX:
            return self._ids(_RANKED, match=match, most=most)
        months = self._lexicon.months()
        # As many matches to a passage as among the oldest, where the counting ended.
        wanted = NEWEST * found.last // found.matches
        keys = newest_keys(months, wanted, prefers)
        newest = self._ids(_NEWEST, match=f"({match}) AND ({_keyed(keys)})", newest=NEWEST, most=most) if keys else []
        if len(newest) >= ENOUGH:
            return newest
        # What was spoken of long ago is hardly in the newest months: then of what came in last.
        return list(dict.fromkeys([*newest, *self._ids(_NEWEST, match=match, newest=NEWEST, most=most)]))[:most]

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

    def _by_meaning(self, meanings: "Meanings", asked: Asked, vector: Sequence[float]) -> dict[int, float]:
        """The nearest by meaning, within the filters."""
        if asked.narrow:
            allowed = self._ids(_ALL_OF, match=asked.narrow, most=NARROW + 1)
            if len(allowed) <= NARROW:
                return meanings.near(vector, only=allowed)
        corpora = [corpus for corpus in self._lexicon.corpora() if corpus in asked.corpora]
        return meanings.near(vector, corpora=corpora if len(corpora) > 1 else ())

    def _ids(self, statement: Any, **given: Any) -> list[int]:
        return list(self._connection.execute(statement, given).scalars())


def _keyed(keys: Sequence[str]) -> str:
    listed = " OR ".join(f'"{key}"' for key in keys)
    return f"{{keys}} : ({listed})"


def _is_then(at: datetime | None, filters: Filters) -> bool:
    if filters.after_at is None and filters.before_at is None:
        return True
    return at is not None and (filters.after_at or _EVER) <= at < (filters.before_at or _NEVER)


def _admits(asked: Asked, row: RowMapping) -> bool:
    """Whether the filters allow what was not found by them."""
    filters, tags = asked.filters, row["tags"].split()
    held = {name: set(WORD.findall(folded(row[name]))) for name in ("who", "people", "place")}

    def holds(column: str, words: Sequence[str]) -> bool:
        return all(held[column] & set(asked.spelled.get(word, (word,))) for word in words)

    def is_of(column: str, name: tuple[str, ...]) -> bool:
        return holds(column, name) or any(held[column].issuperset(one) for one in asked.reached.get(name, ()))

    return (
        all(is_of("who", words) for words in filters.writers)
        and all(is_of("people", words) for words in filters.others)
        and (not filters.places or any(holds("place", words) for words in filters.places))
        and all(tag in tags for tag in filters.tags)
        and (row["by_owner"] or not filters.by_owner)
    )


def _in_order(turns: Sequence[_Moment]) -> tuple[int, ...]:
    return tuple(one for _, one in sorted(turns))
