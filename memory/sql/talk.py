"""What was said in chats, read message by message from the passages of search. A chat's refs sort as its messages do."""

from collections.abc import Callable, Collection
from itertools import groupby
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, select

from memory.exclusion import Exclusions
from memory.search.document import Document
from memory.search.passage import CHATS
from memory.sql.passages import people_in
from memory.sql.people_schema import identities, sightings
from memory.sql.search_schema import passages
from memory.utterance import chat_of

_LAST = "\U0010ffff"


class SqlTalk:
    """See memory.tables.talk.Talk."""

    def __init__(self, connection: Connection, exclusions: Callable[[], Exclusions]) -> None:
        self._connection = connection
        self._exclusions = exclusions

    def some(self, owner_id: int, refs: Collection[str]) -> list[Document]:
        found = self._documents(owner_id, passages.c.ref.in_(refs))
        return sorted(found, key=lambda one: (one.at.isoformat() if one.at else "", one.ref))

    def before(self, owner_id: int, ref: str, *, limit: int) -> list[Document]:
        within = passages.c.ref.between(f"{chat_of(ref)}/", ref) & (passages.c.ref != ref)
        refs = select(passages.c.ref).where(passages.c.owner_id == owner_id, passages.c.part == 0, within)
        some = self._connection.execute(refs.order_by(passages.c.ref.desc()).limit(limit)).scalars().all()
        return sorted(self._documents(owner_id, passages.c.ref.in_(some)), key=lambda one: one.ref, reverse=True)

    def own_after(self, owner_id: int, ref: str, *, limit: int) -> list[Document]:
        within = (passages.c.ref > ref) & (passages.c.ref < f"{chat_of(ref)}/{_LAST}") & passages.c.by_owner
        refs = select(passages.c.ref).where(passages.c.owner_id == owner_id, passages.c.part == 0, within)
        some = self._connection.execute(refs.order_by(passages.c.ref).limit(limit)).scalars().all()
        return sorted(self._documents(owner_id, passages.c.ref.in_(some)), key=lambda one: one.ref)

    def whom(self, owner_id: int, ref: str) -> frozenset[int]:
        query = (
            select(identities.c.person_id)
            .join(sightings, sightings.c.identity_id == identities.c.id)
            .join(passages, passages.c.id == sightings.c.passage_id)
            .where(passages.c.owner_id == owner_id, passages.c.ref == ref, sightings.c.role == "received")
        )
        return frozenset(self._connection.execute(query).scalars())

    def _documents(self, owner_id: int, which: ColumnElement[bool]) -> list[Document]:
        query = select(passages).where(passages.c.owner_id == owner_id, passages.c.corpus.in_(CHATS), which)
        rows = self._connection.execute(query.order_by(passages.c.ref, passages.c.part)).all()
        exclusions = self._exclusions()
        found = (_document(list(parts)) for _, parts in groupby(rows, key=lambda row: row.ref))
        return [one for one in found if not exclusions.covers(one.everybody, one.place)]


def _document(parts: list[Row[Any]]) -> Document:
    first = parts[0]
    return Document(
        corpus=first.corpus,
        ref=first.ref,
        who=first.who,
        title=first.title,
        text="".join(part.text for part in parts),
        at=first.at,
        place=first.place,
        people=tuple(people_in(first.people)),
        tags=tuple(first.tags.split()),
        by_owner=first.by_owner,
    )
