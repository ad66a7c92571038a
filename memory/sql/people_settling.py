"""Settling: whose identities are one person's by now, and the changes that make it so."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Select, Table, delete, exists, select, update
from sqlalchemy.dialects.sqlite import insert as upsert

from memory.exclusion import Exclusions
from memory.people.calling import full_name_of
from memory.people.joining import Cluster, clusters, name_of
from memory.people.known import Known
from memory.people.mailbox import folded_name
from memory.people.person import PersonKind
from memory.sql.columns import metadata
from memory.sql.facts_schema import fact_readings
from memory.sql.mail_schema import mail_people
from memory.sql.people_changes import Changing
from memory.sql.people_evidence import RECORD, make_due
from memory.sql.people_known import Gathering, among, closure, keys_in_rows
from memory.sql.people_noting import done, due
from memory.sql.people_schema import (
    identities,
    identity_marks,
    identity_names,
    people,
    people_due,
    person_evidence,
    person_rulings,
    sightings,
)

_NAMES = upsert(identity_names)
_NAMES = _NAMES.on_conflict_do_nothing()


class Settling:
    """On one connection."""

    def __init__(self, connection: Connection, changing: Changing) -> None:
        self._connection = connection
        self._changing = changing

    def settle(self, owner_id: int, *, limit: int, now: datetime) -> int:
        """Weigh some of the identities of which something is new; how many."""
        waiting = due(self._connection, owner_id, "identity", limit)
        if not waiting:
            return 0
        done(self._connection, owner_id, "identity", waiting)
        self._erase(owner_id, [number for number in waiting if self._is_unseen(number)])
        gathering = Gathering(self._connection, owner_id)
        # Names first: by them the others are found.
        self._name(owner_id, gathering.known(waiting))
        known = gathering.known(closure(self._connection, owner_id, waiting))
        rulings = self._changing.rulings(owner_id, known)
        ruled = {key for pair in rulings.together for key in pair}
        nobody: dict[int, PersonKind] = {
            number: why for number, one in known.items() if one.key not in ruled and (why := one.nobody)
        }
        found = clusters((one for number, one in known.items() if number not in nobody), rulings)
        alone = [(Cluster(members=(known[number],)), kind) for number, kind in nobody.items()]
        self._apply(owner_id, known, [*((one, "person") for one in found), *alone], now)
        return len(waiting)

    def erase_covered(self, owner_id: int, exclusions: Exclusions) -> int:
        """See memory.tables.people.Directory."""
        if exclusions.is_empty:
            return 0
        rows = self._connection.execute(
            select(identities.c.id, identities.c.kind, identities.c.value, identities.c.name).where(
                identities.c.owner_id == owner_id
            )
        )
        covered = [row.id for row in rows if covers(exclusions, row.kind, row.value, row.name)]
        beside = self._beside(covered)
        self._erase(owner_id, covered)
        make_due(self._connection, owner_id, "identity", beside)
        return len(covered)

    def _beside(self, ids: Collection[int]) -> set[int]:
        """Other identities of the same persons: what those are called may be others' name."""
        persons = select(identities.c.person_id).where(among(identities.c.id, ids))
        found = self._connection.execute(select(identities.c.id).where(identities.c.person_id.in_(persons))).scalars()
        return set(found) - set(ids)

    def _is_unseen(self, number: int) -> bool:
        """Whether nothing holds it any more: no mail, and no row that refers to it."""
        value = select(identities.c.value).where(identities.c.id == number, identities.c.kind == "address")
        owner = select(identities.c.owner_id).where(identities.c.id == number)
        in_mail = exists().where(
            mail_people.c.owner_id == owner.scalar_subquery(), mail_people.c.address == value.scalar_subquery()
        )
        if self._connection.execute(select(in_mail)).scalar():
            return False
        return not any(self._connection.execute(_holding(column, number)).first() for column in _HELD_BY)

    def _erase(self, owner_id: int, ids: Collection[int]) -> None:
        """Erase identities with everything that is only about them."""
        if not ids:
            return
        persons = set(
            self._connection.execute(select(identities.c.person_id).where(among(identities.c.id, ids))).scalars()
        )
        for column in (
            identity_names.c.identity_id,
            identity_marks.c.identity_id,
            sightings.c.identity_id,
            person_evidence.c.one_id,
            person_evidence.c.other_id,
            person_rulings.c.one_id,
            person_rulings.c.other_id,
            *_OTHERS,
        ):
            self._connection.execute(delete(column.table).where(among(column, ids)))
        self._connection.execute(
            delete(people_due).where(people_due.c.what.in_(("identity", "signed")), among(people_due.c.about, ids))
        )
        self._connection.execute(delete(identities).where(among(identities.c.id, ids)))
        make_due(self._connection, owner_id, "person", persons)
        self._connection.execute(
            update(people)
            .where(among(people.c.id, persons), ~exists().where(identities.c.person_id == people.c.id))
            .values(name="")
        )

    def _name(self, owner_id: int, known: Mapping[int, Known]) -> None:
        """Under which names they were seen."""
        rows = []
        for number, one in known.items():
            for name, times in one.names.items():
                if words := " ".join(folded_name(name)):
                    row = {"owner_id": owner_id, "identity_id": number, "name": name, "words": words, "times": times}
                    rows += [{**row, "key": key} for key in keys_in_rows(full_name_of(name)) or ("",)]
        self._connection.execute(delete(identity_names).where(among(identity_names.c.identity_id, known)))
        if rows:
            self._connection.execute(_NAMES, rows)

    def _apply(
        self,
        owner_id: int,
        known: Mapping[int, Known],
        found: Sequence[tuple[Cluster, PersonKind]],
        now: datetime,
    ) -> None:
        ids = {one.key: number for number, one in known.items()}
        rows = self._connection.execute(
            select(identities.c.id, identities.c.person_id).where(among(identities.c.id, known))
        )
        person_of = {row.id: row.person_id for row in rows}
        taken: set[int] = set()
        # Who has most of somebody's identities keeps the row; of equals the one with the oldest.
        wanted = sorted(
            ((cluster, kind, sorted(ids[one.key] for one in cluster.members)) for cluster, kind in found),
            key=lambda each: (-len(each[2]), each[2]),
        )
        for cluster, kind, members in wanted:
            free = [person_of[one] for one in members if person_of[one] not in taken]
            home = max(set(free), key=lambda one: (free.count(one), -one)) if free else None
            if home is None:
                left = person_of[members[0]]
                home = self._changing.former(owner_id, left, members, but=taken) or self._changing.new_person(owner_id)
            taken.add(home)
            elsewhere = {one: person_of[one] for one in members if person_of[one] != home}
            self._bring(owner_id, elsewhere, home, None if len(elsewhere) == len(members) else cluster, now)
            self._change(home, kind, name_of(cluster.members) or "")
        make_due(self._connection, owner_id, "person", {*person_of.values(), *taken})

    def _bring(
        self, owner_id: int, elsewhere: Mapping[int, int], home: int, cluster: Cluster | None, now: datetime
    ) -> None:
        """These identities, by whose they were, are now those of `home`; without a cluster nobody else's are."""
        for person in sorted(set(elsewhere.values())):
            self._changing.move(
                owner_id,
                [one for one, whose in elsewhere.items() if whose == person],
                person,
                home,
                what="split" if cluster is None else "joined",
                score=0.0 if cluster is None else cluster.score,
                because="nothing joins them any more" if cluster is None else ", ".join(cluster.because),
                now=now,
            )

    def _change(self, person_id: int, kind: PersonKind, name: str) -> None:
        self._connection.execute(
            update(people)
            .where(people.c.id == person_id, (people.c.kind != kind) | (people.c.name != name))
            .values(kind=kind, name=name)
        )


def covers(exclusions: Exclusions, kind: str, value: str, name: str) -> bool:
    """Whether an identity is on the list, by its name or, for an address, by that."""
    return exclusions.covers_name(name) or (kind == "address" and exclusions.covers_address(value))


def _holding(column: Any, number: int) -> Select[Any]:
    query = select(column).where(column == number).limit(1)
    return query.where(person_evidence.c.what == RECORD) if column.table is person_evidence else query


def _referring(*but: Table) -> list[Any]:
    return [
        column
        for table in metadata.sorted_tables
        if table not in (identities, *but)
        for column in table.columns
        if any(key.column is identities.c.id for key in column.foreign_keys)
    ]


_HELD_BY = _referring(identity_names, identity_marks, fact_readings)
"""Whatever refers to an identity keeps it, but how it is called, what it signs with, and that it was read about."""

_OTHERS = _referring(identity_names, identity_marks, sightings, person_evidence, person_rulings)
"""What later topics hang on identities goes with them when they are excluded."""
