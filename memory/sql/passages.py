"""Passages: what can be found, and finding it."""

import json
from collections.abc import Callable, Collection, Sequence
from typing import get_args

from sqlalchemy import Connection, delete, text
from sqlalchemy.dialects.sqlite import insert as upsert

from memory.search.passage import Corpus, Hit, Passage
from memory.search.query import Plan, best_line, plan, words_of
from memory.sql.schema import passages
from memory.sql.types import UtcDateTime

_DOCUMENTS = text("SELECT term, doc FROM passages_words WHERE term IN (SELECT value FROM json_each(:words))")
# Rank first with nothing else in the way, join afterwards: a window or join inside doubles the time.
_RANKED = text(
    "SELECT p.id, p.corpus, p.ref, p.who, p.title, p.text, p.at FROM "
    "(SELECT rowid, rank FROM passages_fts WHERE passages_fts MATCH :match AND rowid > :after ORDER BY rank LIMIT 200) f "
    "JOIN passages p ON p.id = f.rowid WHERE p.owner_id = :owner AND p.corpus IN (SELECT value FROM json_each(:corpora)) "
    "ORDER BY f.rank, p.id DESC LIMIT :most"
).columns(at=UtcDateTime)
# Of one corpus alone the best may rank far behind those of the other: then the join comes first, whatever it costs.
_RANKED_WITHIN = text(
    "SELECT p.id, p.corpus, p.ref, p.who, p.title, p.text, p.at FROM passages_fts f JOIN passages p ON p.id = f.rowid "
    "WHERE passages_fts MATCH :match AND f.rowid > :after AND p.owner_id = :owner "
    "AND p.corpus IN (SELECT value FROM json_each(:corpora)) ORDER BY f.rank, p.id DESC LIMIT :most"
).columns(at=UtcDateTime)
_EVERY_CORPUS = frozenset(get_args(Corpus))
_RECENT_ONLY = 50_000
"""When every word is common, only this many of the newest passages are ranked: FTS5 has no early end."""


_KEEP = upsert(passages)
_KEEP = _KEEP.on_conflict_do_update(
    index_elements=["owner_id", "ref"],
    set_={name: _KEEP.excluded[name] for name in ("who", "title", "text", "at")},
)
"""Built once: an import keeps tens of thousands."""


def keep_passage(connection: Connection, owner_id: int, passage: Passage) -> None:
    """Make it findable; the same `ref` again replaces the earlier text."""
    values = {
        "owner_id": owner_id,
        "corpus": passage.corpus,
        "ref": passage.ref,
        "who": passage.who,
        "title": passage.title,
        "text": passage.text,
        "at": passage.at,
    }
    connection.execute(_KEEP, values)


def forget_passage(connection: Connection, owner_id: int, ref: str) -> None:
    """It can no longer be found."""
    connection.execute(delete(passages).where(passages.c.owner_id == owner_id, passages.c.ref == ref))


class SqlSearch:
    """See memory.ledger.Search."""

    def __init__(self, connection: Connection, covered: Callable[[Collection[int]], Collection[int]]) -> None:
        self._connection = connection
        self._covered = covered

    def find(
        self,
        owner_id: int,
        query: str,
        *,
        limit: int = 10,
        corpora: Collection[Corpus] = ("mail", "chat", "file"),
        before_ref: str | None = None,
    ) -> list[Hit]:
        words = words_of(query)
        if not words:
            return []
        asked = plan(words, self._documents(words))
        hits: dict[int, Hit] = {}
        for match in asked.matches:
            for hit in self._ranked(match, asked, owner_id, limit + 1, corpora):
                if hit.ref != before_ref:
                    hits.setdefault(hit.id, hit)
            if len(hits) >= limit:
                break
        return list(hits.values())[:limit]

    def _documents(self, words: Collection[str]) -> dict[str, int]:
        rows = self._connection.execute(_DOCUMENTS, {"words": _json_list(words)})
        return dict(rows.all())

    def _ranked(self, match: str, asked: Plan, owner_id: int, limit: int, corpora: Collection[Corpus]) -> list[Hit]:
        rows = self._connection.execute(
            _RANKED if set(corpora) == _EVERY_CORPUS else _RANKED_WITHIN,
            {
                "match": match,
                "after": self._newest_from() if asked.recent_only else 0,
                "owner": owner_id,
                "corpora": _json_list(corpora),
                "most": limit,
            },
        ).mappings()
        hits = [
            Hit(
                id=row["id"],
                corpus=row["corpus"],
                ref=row["ref"],
                who=row["who"],
                title=row["title"],
                line=best_line(row["text"], asked.words),
                at=row["at"],
            )
            for row in rows
        ]
        covered = {f"mail:{mail_id}" for mail_id in self._covered(_mail_ids(hits))}
        return [hit for hit in hits if hit.ref not in covered]

    def _newest_from(self) -> int:
        newest = self._connection.execute(text("SELECT max(id) FROM passages")).scalar() or 0
        return max(0, int(newest) - _RECENT_ONLY)


def _mail_ids(hits: Sequence[Hit]) -> list[int]:
    return [int(hit.ref.removeprefix("mail:")) for hit in hits if hit.ref.startswith("mail:")]


def _json_list(values: Collection[str]) -> str:
    return json.dumps(sorted(values))
