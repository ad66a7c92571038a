"""Passages: what can be found, cut from documents and kept in step with them."""

import json
from collections.abc import Collection, Mapping, Sequence
from itertools import chain, repeat
from typing import Any

from sqlalchemy import Connection, ScalarSelect, bindparam, delete, func, literal_column, select, update
from sqlalchemy.dialects import sqlite
from sqlalchemy.dialects.sqlite import insert as upsert

from memory.search.chunking import spans
from memory.search.document import PEOPLE_MAX, TITLE_MAX, Document, person_of
from memory.sql.search_schema import passages
from memory.sql.types import UtcDateTime

_BEFORE_TEXT = ("who", "title")
_AFTER_TEXT = ("at", "people", "place", "tags", "by_owner")
_TOLD = ("corpus", "start", *_BEFORE_TEXT, "text", *_AFTER_TEXT, "fingerprint")
_KEEP = upsert(passages)
_KEEP = _KEEP.on_conflict_do_update(
    index_elements=["owner_id", "ref", "part"], set_={name: _KEEP.excluded[name] for name in _TOLD}
)
"""Built once: an import keeps hundreds of thousands."""

_WRITTEN = ("owner_id", "ref", "part", *_TOLD)
_ROW = f"({', '.join('?' for _ in _WRITTEN)})"
_NO_ROW = (None,) * len(_WRITTEN)

AT_ONCE = (1, 8, 64, 512, 2048)
"""Rows of one statement; the smallest that holds what there is to write is filled up with rows that are left out again.
SQLite makes a savepoint for every statement that has a trigger, and full text writes all it holds at every savepoint, as a
segment of its own that has to be merged with the others: row by row an import takes more than twice as long. The largest
has fewer variables than any build of SQLite allows (32,766)."""

_INSERTS = {
    count: f"INSERT INTO passages ({', '.join(_WRITTEN)}) SELECT * FROM (VALUES {', '.join([_ROW] * count)}) "
    "WHERE column1 IS NOT NULL"
    for count in AT_ONCE
}
FEW = 64
"""Whoever writes no more rows than this is no import, and merges some of what imports have left."""

# A few milliseconds, where there is something to merge. Left to itself full text merges the whole of it at once when
# segments pile up: for up to a second nothing else would be written.
_MERGE_SOME = "INSERT INTO passages_fts (passages_fts, rank) VALUES ('merge', 64)"

_AT = UtcDateTime()
_DIALECT = sqlite.dialect()

_BEYOND = delete(passages).where(
    passages.c.owner_id == bindparam("owner"), passages.c.ref == bindparam("of"), passages.c.part >= bindparam("parts")
)
_BY_REF = delete(passages).where(passages.c.owner_id == bindparam("owner"), passages.c.ref == bindparam("of"))
_KNOWN = select(passages.c.ref, passages.c.fingerprint).where(
    passages.c.owner_id == bindparam("owner"),
    passages.c.part == 0,
    passages.c.ref.in_(select(func.json_each(bindparam("refs")).table_valued("value").c.value)),
)
_PARTS = select(passages).where(passages.c.owner_id == bindparam("owner"), passages.c.ref == bindparam("of"))
_UNDER = select(passages.c.ref, passages.c.fingerprint).where(
    passages.c.owner_id == bindparam("owner"),
    passages.c.part == 0,
    passages.c.ref >= bindparam("from"),
    passages.c.ref < bindparam("to"),
)


def text_of(owner_id: Any, ref: Any) -> ScalarSelect[str]:
    """A document's whole text as a column, for a query whose rows tell the owner and the ref; they may be passages."""
    # By a name of its own: compared with itself, a query over passages would be given the text of every document there is.
    parts = passages.alias("parts")
    inner = select(parts.c.text).where(parts.c.owner_id == owner_id, parts.c.ref == ref).order_by(parts.c.part)
    return select(func.coalesce(func.group_concat(literal_column("text"), ""), "")).select_from(
        inner.correlate_except(parts).subquery()
    ).scalar_subquery()  # fmt: skip


def merge_some(connection: Connection) -> None:
    """A part of what imports have left to merge, with a write of few documents."""
    connection.exec_driver_sql(_MERGE_SOME)


def keep_document(connection: Connection, owner_id: int, document: Document, fingerprint: str = "") -> None:
    """Make it findable; the same `ref` again replaces the earlier content."""
    rows = rows_of(owner_id, document, fingerprint)
    connection.execute(_KEEP, rows)
    connection.execute(_BEYOND, {"owner": owner_id, "of": document.ref, "parts": len(rows)})
    merge_some(connection)


def keep_new(connection: Connection, owner_id: int, documents: Sequence[tuple[Document, str]]) -> None:
    """The same for documents of which nothing is kept, each with its fingerprint: quicker.

    Past SQLAlchemy's look at every value, which would take as long as the writing itself.
    """
    rows = [row for document, fingerprint in documents for row in _written(owner_id, document, fingerprint)]
    for start in range(0, len(rows), AT_ONCE[-1]):
        some = rows[start : start + AT_ONCE[-1]]
        count = next(each for each in AT_ONCE if each >= len(some))
        filled = chain(some, repeat(_NO_ROW, count - len(some)))
        connection.exec_driver_sql(_INSERTS[count], tuple(chain.from_iterable(filled)))
    if len(rows) <= FEW:
        merge_some(connection)


def _written(owner_id: int, document: Document, fingerprint: str) -> list[tuple[Any, ...]]:
    """A document's passages as the driver takes them, in the order of `_WRITTEN`."""
    content = _content(document)
    told = _told(document) | {"at": _AT.process_bind_param(document.at, _DIALECT)}
    head, tail = tuple(told[name] for name in _BEFORE_TEXT), tuple(told[name] for name in _AFTER_TEXT)
    return [
        (
            owner_id,
            document.ref,
            part,
            document.corpus,
            start,
            *head,
            content[start:end],
            *tail,
            "" if part else fingerprint,
        )
        for part, (start, end) in enumerate(spans(content))
    ]


def change_document(connection: Connection, owner_id: int, document: Document, fingerprint: str) -> None:
    """Replace what is kept of a document, touching only the passages that are not as they were."""
    kept = {row["part"]: row for row in connection.execute(_PARTS, {"owner": owner_id, "of": document.ref}).mappings()}
    rows = rows_of(owner_id, document, fingerprint)
    changed = [row for row in rows if (old := kept.get(row["part"])) is None or any(old[n] != row[n] for n in _TOLD)]
    if changed:
        connection.execute(_KEEP, changed)
    connection.execute(_BEYOND, {"owner": owner_id, "of": document.ref, "parts": len(rows)})


def forget_passage(connection: Connection, owner_id: int, ref: str) -> int:
    """The document can no longer be found; how many passages it had."""
    return connection.execute(_BY_REF, {"owner": owner_id, "of": ref}).rowcount


def move_document(connection: Connection, owner_id: int, ref: str, place: str) -> None:
    """It lies elsewhere now."""
    connection.execute(
        update(passages)
        .where(passages.c.owner_id == owner_id, passages.c.ref == ref, passages.c.place != place)
        .values(place=place)
    )


def own_document(connection: Connection, owner_id: int, ref: str) -> None:
    """It turned out to be the owner's own."""
    connection.execute(
        update(passages)
        .where(passages.c.owner_id == owner_id, passages.c.ref == ref, ~passages.c.by_owner)
        .values(by_owner=True)
    )


def known_refs(connection: Connection, owner_id: int, refs: Collection[str]) -> dict[str, str]:
    """Those of these refs of which something is kept, with their fingerprints."""
    rows = connection.execute(_KNOWN, {"owner": owner_id, "refs": json.dumps(sorted(refs))})
    return {row.ref: row.fingerprint for row in rows}


def refs_under(connection: Connection, owner_id: int, under: str) -> Mapping[str, str]:
    """Every ref that begins so, with its fingerprint."""
    rows = connection.execute(_UNDER, {"owner": owner_id, "from": under, "to": f"{under}\U0010ffff"})
    return {row.ref: row.fingerprint for row in rows}


def rows_of(owner_id: int, document: Document, fingerprint: str) -> list[dict[str, Any]]:
    """A document as the rows of its passages."""
    told, content = _told(document), _content(document)
    return [
        {
            "owner_id": owner_id,
            "ref": document.ref,
            "part": part,
            "corpus": document.corpus,
            "start": start,
            "text": content[start:end],
            "fingerprint": "" if part else fingerprint,
            **told,
        }
        for part, (start, end) in enumerate(spans(content))
    ]


def _told(document: Document) -> dict[str, Any]:
    """What is the same of all its passages."""
    return {
        "who": _line(document.who),
        "title": _line(document.title)[:TITLE_MAX],
        "at": document.at,
        "people": spelled_people(document.people),
        "place": _line(document.place),
        "tags": " ".join(dict.fromkeys(tag for each in document.tags if (tag := _tag(each)))),
        "by_owner": document.by_owner,
    }


def _content(document: Document) -> str:
    # Lone surrogates can't be written; one character stands for one, so that spans stay what they are.
    return document.text.encode("utf-8", "replace").decode() if not document.text.isascii() else document.text


def spelled_people(people: Sequence[tuple[str, str]]) -> str:
    """People as they stand in the column, one a line: "Name <address>"."""
    lines = []
    for name, address in people[:PEOPLE_MAX]:
        called, at = _line(name).replace("<", "(").replace(">", ")"), _line(address).replace("<", "").replace(">", "")
        lines.append(f"{called} <{at}>" if at else called)
    return "\n".join(line for line in lines if line)


def people_in(column: str) -> list[tuple[str, str]]:
    """(name, address) of everybody in the column."""
    return [person_of(line) for line in column.splitlines()]


def _line(value: str) -> str:
    plain = value if value.isascii() else value.encode("utf-8", "replace").decode()
    return " ".join(plain.split())


def _tag(value: str) -> str:
    return "".join(ch for ch in value.lower() if ch.isalnum() and ch.isascii())
