"""Noting: who stands in mails, documents and the owner's own records, as identities and sightings.

What is kept in the same commit as its document needs nobody to come by; mails and records wait in `people_due`.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, bindparam, delete, func, select, update
from sqlalchemy.dialects.sqlite import insert as upsert

from memory.exclusion import Exclusions
from memory.people.known import Key
from memory.people.mailbox import is_robot, is_role, mailbox_of
from memory.people.person import Identity, IdentityKind, PersonKind
from memory.people.phone import number_of
from memory.people.sighted import Sighted, has_names, sighted
from memory.people.signed import end_of
from memory.search.document import Document
from memory.sql.contacts import PHONE
from memory.sql.exit_schema import contacts
from memory.sql.mail_schema import mail_people, mails
from memory.sql.passages import people_in
from memory.sql.people_evidence import RECORD, make_due, testify, withdraw
from memory.sql.people_schema import contact_details, identities, identity_marks, people, people_due, sightings
from memory.sql.rows import put
from memory.sql.schema import zone_moves
from memory.sql.search_schema import passages

_KNOWN = select(identities).where(
    identities.c.owner_id == bindparam("owner"),
    identities.c.kind == bindparam("kind"),
    identities.c.value.in_(select(func.json_each(bindparam("values")).table_valued("value").c.value)),
)
_SEEN_AGAIN = (
    update(identities)
    .where(identities.c.id == bindparam("number"))
    .values(
        name=bindparam("called"),
        first_at=bindparam("first", type_=identities.c.first_at.type),
        last_at=bindparam("last", type_=identities.c.last_at.type),
    )
)
_SIGHTED = upsert(sightings)
_SIGHTED = _SIGHTED.on_conflict_do_nothing()
_OF_REFS = select(passages.c.id, passages.c.ref).where(
    passages.c.owner_id == bindparam("owner"),
    passages.c.part == 0,
    passages.c.ref.in_(select(func.json_each(bindparam("refs")).table_valued("value").c.value)),
)
_HOME = (
    select(zone_moves.c.zone).where(zone_moves.c.owner_id == bindparam("owner")).order_by(zone_moves.c.from_at).limit(1)
)
_DUE = (
    select(people_due.c.about)
    .where(people_due.c.owner_id == bindparam("owner"), people_due.c.what == bindparam("what"))
    .order_by(people_due.c.about)
    .limit(bindparam("most"))
)
_DONE = delete(people_due).where(
    people_due.c.owner_id == bindparam("owner"),
    people_due.c.what == bindparam("what"),
    people_due.c.about == bindparam("done"),
)


@dataclass(frozen=True, slots=True)
class _Met:
    """An identity as it stands somewhere, at a moment."""

    key: Key
    name: str
    at: datetime | None


def due(connection: Connection, owner_id: int, what: str, limit: int) -> list[int]:
    """Some of what is to be looked at, of one kind."""
    return list(connection.execute(_DUE, {"owner": owner_id, "what": what, "most": limit}).scalars())


def done(connection: Connection, owner_id: int, what: str, about: Sequence[int]) -> None:
    """These were looked at."""
    if about:
        connection.execute(_DONE, [{"owner": owner_id, "what": what, "done": one} for one in about])


class Noting:
    """On one connection."""

    def __init__(self, connection: Connection, exclusions: Callable[[], Exclusions]) -> None:
        self._connection = connection
        self._exclusions = exclusions

    def note(self, owner_id: int, kind: IdentityKind, value: str, *, name: str, at: datetime | None) -> Identity | None:
        """See memory.tables.people.Directory."""
        exclusions = self._exclusions()
        if exclusions.covers_name(name) or (kind == "address" and exclusions.covers_address(value)):
            return None
        found = self._ensure(owner_id, [_Met((kind, value), name, at)])
        return Identity(id=found[kind, value], kind=kind, value=value, name=name, first_at=at, last_at=at)

    def ensure(self, owner_id: int, key: Key, name: str, at: datetime | None) -> int:
        """The id of an identity, made if it is new."""
        return self._ensure(owner_id, [_Met(key, name, at)])[key]

    def take(self, owner_id: int, *, limit: int) -> int:
        """Note who stands in some of what waits; how much there was."""
        for what, note in (("mail", self._mails), ("contact", self._contacts), ("document", self._kept_documents)):
            if waiting := due(self._connection, owner_id, what, limit):
                note(owner_id, waiting)
                done(self._connection, owner_id, what, waiting)
                return len(waiting)
        return 0

    def documents(self, owner_id: int, documents: Sequence[Document]) -> None:
        """Who stands in documents that are kept now; what was noted of them before is replaced."""
        zone = self._home(owner_id)
        found = [(one, who) for one in documents if (who := sighted(one, zone=zone)) or has_names(one)]
        if not found:
            return
        refs = json.dumps([one.ref for one, _ in found])
        rows = self._connection.execute(_OF_REFS, {"owner": owner_id, "refs": refs})
        numbers = {row.ref: row.id for row in rows}
        self._replace(owner_id, [(numbers[one.ref], one, who) for one, who in found])
        make_due(self._connection, owner_id, "text", [numbers[one.ref] for one, _ in found if has_names(one)])

    def _replace(self, owner_id: int, found: Sequence[tuple[int, Document, Sequence[Sighted]]]) -> None:
        met = [_Met((who.kind, who.value), who.name, one.at) for _, one, all_of in found for who in all_of]
        ids = self._ensure(owner_id, met)
        rows = [
            {
                "owner_id": owner_id,
                "passage_id": number,
                "identity_id": ids[who.kind, who.value],
                "role": who.role,
                "name": who.name,
                "corpus": one.corpus,
                "at": one.at,
                "by_owner": one.by_owner,
            }
            for number, one, all_of in found
            for who in all_of
        ]
        self._lose(owner_id, [number for number, _, _ in found])
        if rows:
            self._connection.execute(_SIGHTED, rows)

    def _lose(self, owner_id: int, passage_ids: Sequence[int]) -> None:
        """Those who stood in these documents may stand in nothing any more."""
        of_them = sightings.c.passage_id.in_(
            select(func.json_each(json.dumps(passage_ids)).table_valued("value").c.value)
        )
        lost = self._connection.execute(select(sightings.c.identity_id).distinct().where(of_them)).scalars()
        make_due(self._connection, owner_id, "identity", set(lost))
        self._connection.execute(delete(sightings).where(of_them))

    def _mails(self, owner_id: int, mail_ids: Sequence[int]) -> None:
        rows = self._connection.execute(
            select(
                mail_people.c.address,
                mail_people.c.name,
                mail_people.c.role,
                mails.c.date_at,
                mails.c.by_owner,
                mails.c.is_automated,
            )
            .join_from(mail_people, mails, mails.c.id == mail_people.c.mail_id)
            .where(
                # Not the owner as well: by that index everybody in every mail would be read.
                mail_people.c.mail_id.in_(mail_ids),
                mail_people.c.role != "reply-to",
                mail_people.c.address.contains("@"),
            )
        ).all()
        met = [_Met(("address", row.address), row.name, row.date_at) for row in rows]
        ids = self._ensure(owner_id, met)
        make_due(self._connection, owner_id, "identity", set(ids.values()))
        sign = {row.address for row in rows if row.role == "from" and not (row.by_owner or row.is_automated)}
        make_due(self._connection, owner_id, "signed", {ids["address", address] for address in sign})

    def _kept_documents(self, owner_id: int, passage_ids: Sequence[int]) -> None:
        """Documents that were kept before anybody was noted: from their rows."""
        rows = self._connection.execute(select(passages).where(passages.c.id.in_(passage_ids))).mappings()
        self.documents(
            owner_id,
            [
                Document(
                    **{name: row[name] for name in ("corpus", "ref", "who", "title", "at", "place", "by_owner")},
                    text="",
                    people=people_in(row["people"]),
                )
                for row in rows
            ],
        )

    def _contacts(self, owner_id: int, contact_ids: Sequence[int]) -> None:
        zone = self._home(owner_id)
        for number in contact_ids:
            ref = f"contact:{number}"
            withdraw(self._connection, owner_id, ref)
            row = self._connection.execute(select(contacts).where(contacts.c.id == number)).first()
            if row is None or self._exclusions().covers(
                [(row.name, address) for address in row.addresses] or [(row.name, "")]
            ):
                continue
            details = self._connection.execute(
                select(contact_details.c.value).where(
                    contact_details.c.contact_id == number, contact_details.c.kind == PHONE
                )
            ).scalars()
            keys: list[Key] = [("address", mailbox_of(address)) for address in row.addresses]
            keys += [("phone", phone) for written in details if (phone := number_of(written, zone=zone))]
            ids = list(self._ensure(owner_id, [_Met(key, row.name, None) for key in keys]).values())
            for one in ids:
                testify(self._connection, owner_id, ids[0], one, what=RECORD, ref=ref)

    def _home(self, owner_id: int) -> str:
        return self._connection.execute(_HOME, {"owner": owner_id}).scalar() or ""

    def _ensure(self, owner_id: int, met: Iterable[_Met]) -> dict[Key, int]:
        """The ids of identities, each made if it is new, and when it was seen."""
        by_key: dict[Key, list[_Met]] = {}
        for one in met:
            by_key.setdefault(one.key, []).append(one)
        known = self._known(owner_id, by_key)
        found: dict[Key, int] = {}
        again: list[dict[str, Any]] = []
        for key, several in by_key.items():
            row = known.get(key)
            if row is None:
                found[key] = self._new(owner_id, key, several)
                continue
            found[key] = row.id
            told = _told(several, row.name, row.first_at, row.last_at)
            if told != (row.name, row.first_at, row.last_at):
                again.append({"number": row.id, "called": told[0], "first": told[1], "last": told[2]})
        if again:
            self._connection.execute(_SEEN_AGAIN, again)
        return found

    def _known(self, owner_id: int, keys: Iterable[Key]) -> Mapping[Key, Any]:
        by_kind: dict[IdentityKind, list[str]] = {}
        for kind, value in keys:
            by_kind.setdefault(kind, []).append(value)
        return {
            (row.kind, row.value): row
            for kind, values in by_kind.items()
            for row in self._connection.execute(_KNOWN, {"owner": owner_id, "kind": kind, "values": json.dumps(values)})
        }

    def _new(self, owner_id: int, key: Key, several: Sequence[_Met]) -> int:
        kind, value = key
        name, first_at, last_at = _told(several, "", None, None)
        person_id = put(self._connection, people, {"owner_id": owner_id, "kind": _kind(key), "name": name})
        row = {
            "owner_id": owner_id,
            "kind": kind,
            "value": value,
            "name": name,
            "person_id": person_id,
            "first_at": first_at,
            "last_at": last_at,
        }
        number = put(self._connection, identities, row)
        if kind in ("phone", "handle"):
            plain = value.removeprefix("+") if kind == "phone" else value.partition(":")[2].casefold()
            mark = "number" if kind == "phone" else "handle"
            keep_marks(self._connection, owner_id, number, [(mark, plain, False)])
        make_due(self._connection, owner_id, "identity", [number])
        return number


def keep_marks(connection: Connection, owner_id: int, identity_id: int, marks: Sequence[tuple[str, str, bool]]) -> bool:
    """What an identity is looked up by besides its value, in place of what was; whether it is another now."""
    of_it = identity_marks.c.identity_id == identity_id
    columns = (identity_marks.c.kind, identity_marks.c.value, identity_marks.c.is_mobile)
    if {tuple(row) for row in connection.execute(select(*columns).where(of_it))} == set(marks):
        return False
    connection.execute(delete(identity_marks).where(of_it))
    rows = [
        {
            "owner_id": owner_id,
            "identity_id": identity_id,
            "kind": kind,
            "value": value,
            "ending": "" if kind == "name" else end_of(value) if kind == "number" else value.removeprefix("@"),
            "is_mobile": is_mobile,
        }
        for kind, value, is_mobile in marks
    ]
    if rows:
        connection.execute(upsert(identity_marks).on_conflict_do_nothing(), rows)
    return True


def _told(
    several: Sequence[_Met], name: str, first_at: datetime | None, last_at: datetime | None
) -> tuple[str, datetime | None, datetime | None]:
    """The name as written last, and when it was seen first and last."""
    for one in several:
        if one.name and (not name or one.at is None or last_at is None or one.at >= last_at):
            name = " ".join(one.name.split())
        if one.at is not None:
            first_at = min(first_at or one.at, one.at)
            last_at = max(last_at or one.at, one.at)
    return name, first_at, last_at


def _kind(key: Key) -> PersonKind:
    """What can be told at first sight."""
    kind, value = key
    if kind != "address":
        return "person"
    return "automated" if is_robot(value) else "role" if is_role(value) else "person"
