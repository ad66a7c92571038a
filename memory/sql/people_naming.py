"""Whom the names in notes and meetings mean: what is to be looked at, who may be meant, and what came of it."""

from collections.abc import Callable, Sequence
from datetime import datetime

from sqlalchemy import Connection, select
from sqlalchemy.dialects.sqlite import insert as upsert

from memory.exclusion import Exclusions
from memory.people.calling import words_of
from memory.people.mentioned import Mention, Unread
from memory.people.naming import Candidate
from memory.search.document import person_of
from memory.sql.passages import people_in, text_of
from memory.sql.people_known import among
from memory.sql.people_noting import Noting, done, due
from memory.sql.people_schema import identities, identity_marks, identity_names, people, sightings
from memory.sql.search_schema import passages

SCOPE = "notes"
"""The owner's own notes: a full name in them means one person, whom nothing else knows."""


class Naming:
    """On one connection."""

    def __init__(self, connection: Connection, exclusions: Callable[[], Exclusions], noting: Noting) -> None:
        self._connection = connection
        self._exclusions = exclusions
        self._noting = noting

    def unread(self, owner_id: int, *, limit: int) -> list[Unread]:
        """See memory.tables.people.Directory."""
        waiting = due(self._connection, owner_id, "text", limit)
        if not waiting:
            return []
        rows = self._connection.execute(
            select(passages, text_of(passages.c.owner_id, passages.c.ref).label("whole")).where(
                among(passages.c.id, waiting)
            )
        ).all()
        there = self._there(waiting)
        exclusions = self._exclusions()
        found = {
            row.id: Unread(
                passage_id=row.id,
                corpus=row.corpus,
                text=f"{row.title}\n{row.whole}",
                at=row.at,
                there=tuple(there.get(row.id, ())),
                names=tuple(name for name, address in people_in(row.people) if name and not address),
            )
            for row in rows
            if not exclusions.covers([person_of(row.who), *people_in(row.people)], row.place)
        }
        # What is gone, or excluded, has nothing to tell; it is taken off the list as well.
        return [found.get(one, Unread(passage_id=one, corpus="note", text="", at=None)) for one in waiting]

    def called(self, person_ids: Sequence[int]) -> list[Candidate]:
        """What these persons are called."""
        names: dict[int, set[str]] = {}
        last_at: dict[int, datetime] = {}
        of_them = among(identities.c.person_id, person_ids)
        for table, name, condition in (
            (identity_names, identity_names.c.name, of_them),
            (identity_marks, identity_marks.c.value, of_them & (identity_marks.c.kind == "name")),
        ):
            rows = self._connection.execute(
                select(identities.c.person_id, identities.c.last_at, name.label("name"))
                .join_from(identities, table, table.c.identity_id == identities.c.id)
                .join(people, people.c.id == identities.c.person_id)
                .where(condition, people.c.kind == "person")
            )
            for row in rows:
                names.setdefault(row.person_id, set()).add(row.name)
                if row.last_at is not None:
                    last_at[row.person_id] = max(row.last_at, last_at.get(row.person_id, row.last_at))
        return [Candidate(id=one, names=tuple(sorted(names[one])), last_at=last_at.get(one)) for one in sorted(names)]

    def mine(self, owner_id: int) -> list[str]:
        """What the owner is called."""
        query = (
            select(identity_names.c.name)
            .join(identities, identities.c.id == identity_names.c.identity_id)
            .join(people, people.c.id == identities.c.person_id)
            .where(identity_names.c.owner_id == owner_id, people.c.kind == "owner")
        )
        return list(self._connection.execute(query.distinct()).scalars())

    def tell(self, owner_id: int, passage_id: int, mentions: Sequence[Mention]) -> None:
        """See memory.tables.people.Directory."""
        row = self._connection.execute(select(passages).where(passages.c.id == passage_id)).first()
        done(self._connection, owner_id, "text", [passage_id])
        if row is None:
            return
        exclusions = self._exclusions()
        rows = []
        for one in mentions:
            if exclusions.covers_name(one.name):
                continue
            number = self._identity_of(one.person) if one.person is not None else None
            if number is None and one.person is None:
                key = f"{SCOPE}:{' '.join(words_of(one.name))}"
                number = self._noting.ensure(owner_id, ("name", key), one.name, row.at)
            if number is not None:
                rows.append(
                    {
                        "owner_id": owner_id,
                        "passage_id": passage_id,
                        "identity_id": number,
                        "role": one.role,
                        # A name alone tells whom it means here, not what they are called.
                        "name": one.name if one.person is None else "",
                        "corpus": row.corpus,
                        "at": row.at,
                        "by_owner": row.by_owner,
                    }
                )
        if rows:
            self._connection.execute(upsert(sightings).on_conflict_do_nothing(), rows)

    def _there(self, passage_ids: Sequence[int]) -> dict[int, list[Candidate]]:
        rows = self._connection.execute(
            select(sightings.c.passage_id, identities.c.person_id)
            .distinct()
            .join(identities, identities.c.id == sightings.c.identity_id)
            .where(among(sightings.c.passage_id, passage_ids))
        ).all()
        called = {one.id: one for one in self.called([row.person_id for row in rows])}
        found: dict[int, list[Candidate]] = {}
        for row in rows:
            if row.person_id in called:
                found.setdefault(row.passage_id, []).append(called[row.person_id])
        return found

    def _identity_of(self, person_id: int) -> int | None:
        """By which identity of somebody a mention of them hangs: the address that was in use last."""
        query = (
            select(identities.c.id)
            .where(identities.c.person_id == person_id)
            .order_by(identities.c.kind != "address", identities.c.last_at.desc(), identities.c.id)
        )
        found: int | None = self._connection.execute(query.limit(1)).scalar()
        return found
