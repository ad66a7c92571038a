"""What is known of identities, gathered from everything they stand in: what joining judges by."""

import json
from collections.abc import Collection, Iterable
from typing import Any

from sqlalchemy import Connection, Integer, Select, bindparam, cast, func, or_, select, tuple_, union

from memory.people.calling import keys_of
from memory.people.known import Known
from memory.people.mailbox import mailbox_of
from memory.people.signed import Signed
from memory.people.weighing import IDENTITIES_MAX
from memory.sql.exit_schema import contacts
from memory.sql.mail_schema import accounts, mail_people, mails
from memory.sql.people_evidence import RECORD
from memory.sql.people_schema import (
    identities,
    identity_marks,
    identity_names,
    person_evidence,
    person_rulings,
    sightings,
)

CLOSURE_MAX = 4000
"""So many identities are weighed against each other at most: beyond it hang only names that everybody bears."""

MAILS_MAX = 500
"""So many of the mails in which somebody stood last are compared."""


_CONTACT = cast(func.substr(person_evidence.c.ref, len("contact:") + 1), Integer)
"""The record that a row of evidence names: this way round the evidence is looked up, and then each record by its id."""


def among(column: Any, values: Collection[Any]) -> Any:
    """Whether it is one of many values, without a parameter for each."""
    return column.in_(select(func.json_each(json.dumps(list(values))).table_valued("value").c.value))


def closure(connection: Connection, owner_id: int, touched: Collection[int]) -> set[int]:
    """These identities and all that may be one person with them, or are taken for one now."""
    found, news = set(touched), set(touched)
    while news and len(found) < CLOSURE_MAX:
        near = {number for query in _near(owner_id, news) for number in connection.execute(query).scalars()}
        near |= _namesakes(connection, owner_id, news)
        news = near - found
        found |= news
    return found


def _near(owner_id: int, ids: Collection[int]) -> Iterable[Select[Any]]:
    persons = select(identities.c.person_id).where(among(identities.c.id, ids))
    yield select(identities.c.id).where(identities.c.person_id.in_(persons))
    records = union(
        *(
            select(person_evidence.c.ref).where(person_evidence.c.what == RECORD, among(column, ids))
            for column in (person_evidence.c.one_id, person_evidence.c.other_id)
        )
    )
    said = (person_evidence.c.owner_id == owner_id) & person_evidence.c.ref.in_(records)
    for one, other in (
        (person_evidence.c.one_id, person_evidence.c.other_id),
        (person_rulings.c.one_id, person_rulings.c.other_id),
    ):
        yield select(other).where(among(one, ids))
        yield select(one).where(among(other, ids))
    marked = select(identity_marks.c.kind, identity_marks.c.ending).where(
        among(identity_marks.c.identity_id, ids), identity_marks.c.ending != ""
    )
    yield select(identity_marks.c.identity_id).where(
        identity_marks.c.owner_id == owner_id, tuple_(identity_marks.c.kind, identity_marks.c.ending).in_(marked)
    )
    yield select(person_evidence.c.one_id).where(said)
    yield select(person_evidence.c.other_id).where(said)


def _namesakes(connection: Connection, owner_id: int, ids: Collection[int]) -> set[int]:
    """Those under one of their names, unless too many bear it."""
    bearing = select(identity_names.c.key).where(among(identity_names.c.identity_id, ids), identity_names.c.key != "")
    rows = connection.execute(
        select(identity_names.c.key, identity_names.c.identity_id)
        .distinct()
        .where(identity_names.c.owner_id == owner_id, identity_names.c.key.in_(bearing))
    )
    by_key: dict[str, set[int]] = {}
    for row in rows:
        by_key.setdefault(row.key, set()).add(row.identity_id)
    return {number for group in by_key.values() if len(group) <= IDENTITIES_MAX for number in group}


class Gathering:
    """Gathers it on one connection."""

    def __init__(self, connection: Connection, owner_id: int) -> None:
        self._connection = connection
        self._owner_id = owner_id
        self._own: frozenset[str] | None = None

    def known(self, ids: Collection[int]) -> dict[int, Known]:
        """What is known of these, by id."""
        rows = self._connection.execute(
            select(identities.c.id, identities.c.kind, identities.c.value).where(among(identities.c.id, ids))
        ).all()
        found = {row.id: Known(key=(row.kind, row.value)) for row in rows}
        addresses = {row.value: row.id for row in rows if row.kind == "address"}
        self._from_mail(found, addresses)
        self._from_documents(found)
        self._from_records(found)
        self._from_marks(found)
        return found

    def _from_mail(self, found: dict[int, Known], addresses: dict[str, int]) -> None:
        if not addresses:
            return
        rows = self._connection.execute(
            select(
                mail_people.c.address,
                mail_people.c.name,
                mail_people.c.role,
                mails.c.by_owner,
                mails.c.is_automated,
                func.count().label("times"),
            )
            .join_from(mail_people, mails, mails.c.id == mail_people.c.mail_id)
            .where(
                mail_people.c.owner_id == self._owner_id,
                among(mail_people.c.address, addresses),
                mail_people.c.role != "reply-to",
            )
            .group_by(
                mail_people.c.address, mail_people.c.name, mail_people.c.role, mails.c.by_owner, mails.c.is_automated
            )
        )
        own = self._own_boxes()
        for row in rows:
            one = found[addresses[row.address]]
            one.names[" ".join(row.name.split())] += row.times
            one.written_to = one.written_to or (row.by_owner and row.role != "from")
            one.is_owner = one.is_owner or (row.by_owner and row.role == "from")
            if row.role == "from":
                one.mails += row.times
                one.robot_mails += row.times if row.is_automated else 0
        for address, number in addresses.items():
            found[number].is_owner = found[number].is_owner or address in own
        if len(addresses) > 1:
            self._threads(found, addresses)

    def _threads(self, found: dict[int, Known], addresses: dict[str, int]) -> None:
        """In which mails they stood of late, in which threads they wrote, and where they asked for answers."""
        query = (
            select(mails.c.id, mails.c.thread_id, mails.c.reply_to, mails.c.by_owner, mail_people.c.role)
            .join_from(mail_people, mails, mails.c.id == mail_people.c.mail_id)
            .where(
                mail_people.c.owner_id == self._owner_id,
                mail_people.c.address == bindparam("box"),
                mail_people.c.role != "reply-to",
            )
            .order_by(mails.c.id.desc())
            .limit(MAILS_MAX)
        )
        for address, number in addresses.items():
            one = found[number]
            for row in self._connection.execute(query, {"box": address}):
                one.stood.add(row.id)
                if row.role != "from":
                    one.asked |= {str(row.thread_id)} if row.by_owner else set()
                    continue
                one.threads.add(str(row.thread_id))
                asked = (row.reply_to[0][1] or "") if row.reply_to else ""
                if asked and (box := mailbox_of(asked)) != address:
                    one.replies.add(box)

    def _from_documents(self, found: dict[int, Known]) -> None:
        rows = self._connection.execute(
            select(
                sightings.c.identity_id,
                sightings.c.name,
                sightings.c.role,
                sightings.c.by_owner,
                func.count().label("times"),
            )
            .where(among(sightings.c.identity_id, found))
            .group_by(sightings.c.identity_id, sightings.c.name, sightings.c.role, sightings.c.by_owner)
        )
        for row in rows:
            one = found[row.identity_id]
            one.names[row.name] += row.times
            one.written_to = one.written_to or (row.by_owner and row.role == "received")

    def _from_records(self, found: dict[int, Known]) -> None:
        rows = self._connection.execute(
            select(person_evidence.c.one_id, person_evidence.c.other_id, contacts.c.id, contacts.c.name)
            .join_from(person_evidence, contacts, contacts.c.id == _CONTACT)
            .where(
                person_evidence.c.what == RECORD,
                or_(among(person_evidence.c.one_id, found), among(person_evidence.c.other_id, found)),
            )
        )
        for row in rows:
            for number in {row.one_id, row.other_id} & found.keys():
                found[number].records[row.id] = row.name
                found[number].names[row.name] = max(found[number].names[row.name], 1)

    def _from_marks(self, found: dict[int, Known]) -> None:
        rows = self._connection.execute(
            select(identity_marks).where(among(identity_marks.c.identity_id, found)).order_by(identity_marks.c.value)
        ).all()
        of_each: dict[int, list[Any]] = {}
        for row in rows:
            of_each.setdefault(row.identity_id, []).append(row)
        for number, marks in of_each.items():
            if found[number].is_address:
                found[number].signed = Signed(
                    numbers=tuple((row.value, row.is_mobile) for row in marks if row.kind == "number"),
                    handles=tuple(row.value for row in marks if row.kind == "handle"),
                    names=tuple(row.value for row in marks if row.kind == "name"),
                )

    def _own_boxes(self) -> frozenset[str]:
        if self._own is None:
            rows = self._connection.execute(
                select(accounts.c.identity, accounts.c.aliases).where(
                    accounts.c.owner_id == self._owner_id, accounts.c.removed_at.is_(None)
                )
            )
            self._own = frozenset(mailbox_of(one) for row in rows for one in (row.identity, *row.aliases) if "@" in one)
        return self._own


def keys_in_rows(full: tuple[str, str] | None) -> tuple[str, ...]:
    """A full name as its key stands in the rows, with those that it may be looked up by."""
    return tuple(" ".join(key) for key in keys_of(full)) if full else ()
