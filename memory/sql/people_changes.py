"""Joins and splits: each is an event, and taking one back is another. What the owner said is kept for every pair."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from itertools import product
from typing import Any

from sqlalchemy import Connection, RowMapping, select, update
from sqlalchemy.dialects.sqlite import insert as upsert

from memory.errors import BadInput, NotFound
from memory.people.known import Rulings
from memory.people.person import By, Change, What
from memory.sql.people_evidence import make_due
from memory.sql.people_known import among
from memory.sql.people_schema import identities, people, person_changes, person_rulings
from memory.sql.rows import put

_RULE = upsert(person_rulings)
_RULE = _RULE.on_conflict_do_update(
    index_elements=list(person_rulings.primary_key),
    set_={"ruling": _RULE.excluded.ruling, "change_id": _RULE.excluded.change_id},
)


class Changing:
    """On one connection."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def join(self, owner_id: int, one_id: int, other_id: int, *, because: str, now: datetime) -> Change:
        """See memory.tables.people.Directory."""
        one, other = self._identities(owner_id, one_id), self._identities(owner_id, other_id)
        if one_id == other_id:
            raise BadInput("they are one person already")
        change = self.move(owner_id, other, other_id, one_id, what="joined", by="owner", because=because, now=now)
        self._rule(owner_id, one, other, "together", change.id)
        return change

    def split(
        self, owner_id: int, person_id: int, identity_ids: Collection[int], *, because: str, now: datetime
    ) -> Change:
        """See memory.tables.people.Directory."""
        every = self._identities(owner_id, person_id)
        leave = [one for one in every if one in set(identity_ids)]
        stay = [one for one in every if one not in set(identity_ids)]
        if not leave or not stay or len(leave) != len(set(identity_ids)):
            raise BadInput("name some of this person's addresses, and not all of them")
        home = self.former(owner_id, person_id, leave) or self.new_person(owner_id)
        change = self.move(owner_id, leave, person_id, home, what="split", by="owner", because=because, now=now)
        self._rule(owner_id, stay, leave, "apart", change.id)
        return change

    def undo(self, owner_id: int, change_id: int, *, because: str, now: datetime) -> Change:
        """See memory.tables.people.Directory."""
        change = self.one(owner_id, change_id)
        undone = select(person_changes.c.id).where(
            person_changes.c.owner_id == owner_id, person_changes.c.undoes == change_id
        )
        if self._connection.execute(undone).first() is not None:
            raise BadInput("that was taken back already")
        here = self._of(owner_id, change.identities, change.to_person)
        others = [one for one in self._identities(owner_id, change.to_person) if one not in here]
        there = self._of_person(owner_id, change.from_person)
        if not here:
            raise BadInput("they are somebody else's by now")
        back = self.move(
            owner_id,
            here,
            change.to_person,
            change.from_person,
            what="split" if change.what == "joined" else "joined",
            by="owner",
            because=because,
            undoes=change_id,
            now=now,
        )
        if change.what == "joined":
            self._rule(owner_id, others, here, "apart", back.id)
        else:
            self._rule(owner_id, there, here, "together", back.id)
        return back

    def move(
        self,
        owner_id: int,
        moved: Sequence[int],
        from_person: int,
        to_person: int,
        *,
        what: What,
        because: str,
        now: datetime,
        by: By = "evidence",
        score: float | None = None,
        undoes: int | None = None,
    ) -> Change:
        """These identities are another person's from now on. The person they leave stays, if only as a row."""
        self._connection.execute(update(identities).where(among(identities.c.id, moved)).values(person_id=to_person))
        values: dict[str, Any] = {
            "owner_id": owner_id,
            "what": what,
            "identities": list(moved),
            "from_person": from_person,
            "to_person": to_person,
            "score": score,
            "because": because,
            "decided_by": by,
            "at": now,
            "undoes": undoes,
        }
        number = put(self._connection, person_changes, values)
        return _change({**values, "id": number})

    def new_person(self, owner_id: int) -> int:
        """The id of a row for somebody."""
        return put(self._connection, people, {"owner_id": owner_id, "kind": "person", "name": ""})

    def changes(self, owner_id: int, *, person_id: int | None = None, limit: int = 50) -> Sequence[Change]:
        """See memory.tables.people.Directory."""
        query = select(person_changes).where(person_changes.c.owner_id == owner_id)
        if person_id is not None:
            query = query.where((person_changes.c.from_person == person_id) | (person_changes.c.to_person == person_id))
        rows = self._connection.execute(query.order_by(person_changes.c.id.desc()).limit(limit)).mappings()
        return [_change(row) for row in rows]

    def rulings(self, owner_id: int, ids: Collection[int] | None = None) -> Rulings:
        """What the owner said; of these identities, or of all."""
        query = select(person_rulings).where(person_rulings.c.owner_id == owner_id)
        if ids is not None:
            query = query.where(among(person_rulings.c.one_id, list(ids)))
        rows = self._connection.execute(query).all()
        numbers = {number for row in rows for number in (row.one_id, row.other_id)}
        of_them = select(identities.c.id, identities.c.kind, identities.c.value).where(among(identities.c.id, numbers))
        keys = {row.id: (row.kind, row.value) for row in self._connection.execute(of_them)}
        pairs = [(tuple(sorted((keys[row.one_id], keys[row.other_id]))), row.ruling) for row in rows]
        return Rulings(
            together=frozenset(pair for pair, ruling in pairs if ruling == "together"),  # type: ignore[misc]
            apart=frozenset(pair for pair, ruling in pairs if ruling == "apart"),  # type: ignore[misc]
        )

    def _rule(self, owner_id: int, some: Sequence[int], others: Sequence[int], ruling: str, change_id: int) -> None:
        """Said of every pair, in place of what was said before."""
        pairs = [tuple(sorted(pair)) for pair in product(some, others)]
        if pairs:
            self._connection.execute(
                _RULE,
                [
                    {"owner_id": owner_id, "one_id": one, "other_id": other, "ruling": ruling, "change_id": change_id}
                    for one, other in pairs
                ],
            )
        make_due(self._connection, owner_id, "identity", {*some, *others})

    def former(self, owner_id: int, person_id: int, leave: Collection[int], but: Collection[int] = ()) -> int | None:
        """The emptied row of whom these were before they came here."""
        for change in self.changes(owner_id, person_id=person_id):
            if change.what == "joined" and change.to_person == person_id and set(leave) & set(change.identities):
                is_free = change.from_person not in but and not self._of_person(owner_id, change.from_person)
                return change.from_person if is_free else None
        return None

    def one(self, owner_id: int, change_id: int) -> Change:
        """See memory.tables.people.Directory."""
        row = self._connection.execute(
            select(person_changes).where(person_changes.c.owner_id == owner_id, person_changes.c.id == change_id)
        ).mappings().first()  # fmt: skip
        if row is None:
            raise NotFound(f"there is no change {change_id} of persons")
        return _change(row)

    def _identities(self, owner_id: int, person_id: int) -> list[int]:
        found = self._of_person(owner_id, person_id)
        if not found:
            raise NotFound(f"there is no person {person_id}")
        return found

    def _of_person(self, owner_id: int, person_id: int) -> list[int]:
        query = select(identities.c.id).where(identities.c.owner_id == owner_id, identities.c.person_id == person_id)
        return list(self._connection.execute(query.order_by(identities.c.id)).scalars())

    def _of(self, owner_id: int, ids: Collection[int], person_id: int) -> list[int]:
        return [one for one in self._of_person(owner_id, person_id) if one in set(ids)]


def _change(row: Mapping[str, Any] | RowMapping) -> Change:
    return Change(
        id=row["id"],
        what=row["what"],
        identities=tuple(row["identities"]),
        from_person=row["from_person"],
        to_person=row["to_person"],
        score=row["score"],
        because=row["because"],
        by=row["decided_by"],
        at=row["at"],
        undoes=row["undoes"],
    )
