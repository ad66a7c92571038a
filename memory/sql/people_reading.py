"""Reading who there is. Whom the exclusions cover is left out."""

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, and_, case, func, or_, select, union_all

from memory.errors import NotFound
from memory.exclusion import Exclusions
from memory.people.calling import as_said, wholes_of
from memory.people.mailbox import folded_name, mailbox_of
from memory.people.person import Identity, Person
from memory.people.phone import number_of
from memory.sql.mail_schema import mail_people, mails
from memory.sql.people_known import among
from memory.sql.people_schema import identities, identity_names, people, person_changes, sightings
from memory.sql.people_settling import covers
from memory.sql.schema import zone_moves

NAMED_MAX = 50
"""So many who bear a name are weighed against each other."""

SAID = "you said so"
"""The reason of a join that the owner made."""

OWNER_WROTE = 2
"""What the owner wrote to somebody counts so much against what came from them."""


class Reading:
    """On one connection."""

    def __init__(self, connection: Connection, exclusions: Callable[[], Exclusions]) -> None:
        self._connection = connection
        self._exclusions = exclusions

    def get(self, owner_id: int, person_id: int) -> Person:
        """See memory.tables.people.Directory."""
        found = self.persons(owner_id, [person_id])
        if not found:
            raise NotFound(f"there is no person {person_id}")
        return found[0]

    def of(self, owner_id: int, value: str) -> Person | None:
        """See memory.tables.people.Directory."""
        # That there is nobody is an answer, too: it is given by a list that can be read, or not at all.
        self._exclusions()
        kind, plain = "handle", value.strip()
        if "@" in plain:
            kind, plain = "address", mailbox_of(plain)
        elif number := number_of(plain, zone=self._home(owner_id)):
            kind, plain = "phone", number
        found = self._connection.execute(
            select(identities.c.id).where(
                identities.c.owner_id == owner_id, identities.c.kind == kind, identities.c.value == plain
            )
        ).scalar()
        return self.of_identity(owner_id, found) if found else None

    def of_identity(self, owner_id: int, identity_id: int) -> Person | None:
        """See memory.tables.people.Directory."""
        row = self._connection.execute(
            select(identities).where(identities.c.owner_id == owner_id, identities.c.id == identity_id)
        ).first()
        if row is None or covers(self._exclusions(), row.kind, row.value, row.name):
            return None
        return next(iter(self.persons(owner_id, [row.person_id])), None)

    def identities(self, owner_id: int, ids: Collection[int]) -> list[Identity]:
        """These identities, whether the exclusions cover them or not."""
        rows = self._connection.execute(select(identities).where(among(identities.c.id, ids)).order_by(identities.c.id))
        return [_identity(row) for row in rows if row.owner_id == owner_id]

    def named(self, owner_id: int, name: str, *, of_these: Collection[int] = ()) -> tuple[Person, ...]:
        """See memory.tables.people.Directory."""
        self._exclusions()
        if "@" in name or number_of(name, zone=self._home(owner_id)):
            found = self.of(owner_id, name)
            return (found,) if found is not None and (not of_these or found.id in of_these) else ()
        words = folded_name(name)
        if not words:
            return ()
        numbers = self._bearing(owner_id, [_bears(words)], of_these)
        if not numbers:
            others = [(whole, *words[1:]) for whole in sorted(wholes_of(words[0])) if whole != words[0]]
            numbers = self._bearing(owner_id, [_bears(each) for each in others], of_these) if others else []
        return tuple(self.persons(owner_id, numbers))

    def recurring(self, owner_id: int, *, since: datetime, limit: int) -> Sequence[Person]:
        """See memory.tables.people.Directory."""
        weights = self.weights(owner_id, None, since)
        first = sorted(weights, key=lambda number: (-weights[number], number))
        found: list[Person] = []
        for start in range(0, len(first), limit):
            found += self.persons(owner_id, first[start : start + limit])
            if len(found) >= limit:
                break
        return found[:limit]

    def persons(self, owner_id: int, numbers: Sequence[int]) -> list[Person]:
        """These persons, in their order, without what the exclusions cover."""
        if not numbers:
            return []
        exclusions = self._exclusions()
        rows = self._connection.execute(
            select(people).where(people.c.owner_id == owner_id, among(people.c.id, numbers), people.c.kind != "owner")
        )
        told = {row.id: row for row in rows}
        of_each: dict[int, list[Identity]] = {}
        for row in self._connection.execute(
            select(identities).where(among(identities.c.person_id, told)).order_by(identities.c.id)
        ):
            if not covers(exclusions, row.kind, row.value, row.name):
                of_each.setdefault(row.person_id, []).append(_identity(row))
        because = self._because(owner_id, of_each)
        return [
            _person(told[number], of_each[number], because.get(number, ""))
            for number in numbers
            if number in of_each and not exclusions.covers_name(told[number].name)
        ]

    def weights(self, owner_id: int, numbers: Sequence[int] | None, since: datetime | None = None) -> Mapping[int, int]:
        """How much passed between the owner and these persons, or everybody."""
        if numbers is not None and not numbers:
            return {}
        either = union_all(_mailed(owner_id, numbers, since), _met(owner_id, numbers, since)).subquery()
        rows = self._connection.execute(
            select(either.c.person_id, func.sum(either.c.times).label("times")).group_by(either.c.person_id)
        )
        return {row.person_id: row.times for row in rows}

    def _bearing(
        self, owner_id: int, conditions: Sequence[ColumnElement[bool]], of_these: Collection[int]
    ) -> list[int]:
        query = (
            select(identities.c.person_id)
            .distinct()
            .join_from(identity_names, identities, identities.c.id == identity_names.c.identity_id)
            .join(people, people.c.id == identities.c.person_id)
            .where(identity_names.c.owner_id == owner_id, people.c.kind == "person", or_(*conditions))
        )
        if of_these:
            query = query.where(among(people.c.id, of_these))
        numbers = list(self._connection.execute(query).scalars())
        weights = self.weights(owner_id, numbers)
        return sorted(numbers, key=lambda number: (-weights.get(number, 0), number))[:NAMED_MAX]

    def _because(self, owner_id: int, of_each: Mapping[int, Sequence[Identity]]) -> Mapping[int, str]:
        several = [number for number, every in of_each.items() if len(every) > 1]
        if not several:
            return {}
        rows = self._connection.execute(
            select(person_changes.c.to_person, person_changes.c.because, person_changes.c.decided_by)
            .where(
                person_changes.c.owner_id == owner_id,
                among(person_changes.c.to_person, several),
                person_changes.c.what == "joined",
            )
            .order_by(person_changes.c.id)
        )
        return {row.to_person: SAID if row.decided_by == "owner" else row.because for row in rows}

    def _home(self, owner_id: int) -> str:
        query = select(zone_moves.c.zone).where(zone_moves.c.owner_id == owner_id)
        return self._connection.execute(query.order_by(zone_moves.c.from_at).limit(1)).scalar() or ""


def _mailed(owner_id: int, numbers: Sequence[int] | None, since: datetime | None) -> Select[Any]:
    query = (
        select(
            identities.c.person_id,
            func.sum(case((mails.c.by_owner, OWNER_WROTE), else_=1)).label("times"),
        )
        .join_from(mails, mail_people, mail_people.c.mail_id == mails.c.id)
        .join(
            identities,
            and_(
                identities.c.owner_id == mail_people.c.owner_id,
                identities.c.kind == "address",
                identities.c.value == mail_people.c.address,
            ),
        )
        .join(people, people.c.id == identities.c.person_id)
        .where(
            mails.c.owner_id == owner_id,
            people.c.kind == "person",
            mails.c.is_automated.is_(False),
            or_(
                and_(mail_people.c.role == "from", mails.c.by_owner.is_(False)),
                and_(mail_people.c.role.in_(("to", "cc", "bcc")), mails.c.by_owner.is_(True)),
            ),
        )
        .group_by(identities.c.person_id)
    )
    if numbers is not None:
        # By their addresses, not mail by mail.
        boxes = select(identities.c.value).where(among(identities.c.person_id, numbers))
        query = query.where(
            among(people.c.id, numbers), mail_people.c.owner_id == owner_id, mail_people.c.address.in_(boxes)
        )
    return query if since is None else query.where(mails.c.date_at >= since)


def _met(owner_id: int, numbers: Sequence[int] | None, since: datetime | None) -> Select[Any]:
    query = (
        select(identities.c.person_id, func.count().label("times"))
        .join_from(sightings, identities, identities.c.id == sightings.c.identity_id)
        .join(people, people.c.id == identities.c.person_id)
        .where(people.c.kind == "person", sightings.c.role != "named")
        .group_by(identities.c.person_id)
    )
    # By the owner's index everything would be read, also for one person.
    query = query.where(sightings.c.owner_id == owner_id if numbers is None else among(people.c.id, numbers))
    return query if since is None else query.where(sightings.c.at >= since)


def _bears(words: Sequence[str]) -> ColumnElement[bool]:
    """That a name has these words, in this order; letters alone stand in them, so that no pattern is among them."""
    spaced = " " + identity_names.c.words + " "
    return spaced.like("% " + " % ".join(words) + " %") | spaced.like("% " + " ".join(words) + " %")


def _identity(row: Any) -> Identity:
    return Identity(
        id=row.id, kind=row.kind, value=row.value, name=row.name, first_at=row.first_at, last_at=row.last_at
    )


def _person(row: Any, every: Sequence[Identity], because: str) -> Person:
    return Person(id=row.id, name=as_said(row.name), kind=row.kind, identities=tuple(every), because=because)
