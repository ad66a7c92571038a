"""Contacts: the owner's own records."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import ColumnElement, Connection, select
from sqlalchemy.dialects.sqlite import insert as upsert

from memory.contact import Contact, Source, StoredContact
from memory.sql.bearing import Bearing
from memory.sql.exit_schema import contacts
from memory.sql.people_schema import contact_details

PHONE = "phone"


class SqlContacts:
    """See memory.tables.exit.Contacts."""

    def __init__(self, connection: Connection, bearing: Bearing) -> None:
        self._connection = connection
        self._bearing = bearing

    def keep(self, owner_id: int, contact: Contact, *, key: str, now: datetime) -> int:
        self._bearing.of_contact(owner_id, contact.name, contact.addresses)
        row = upsert(contacts).values(
            owner_id=owner_id,
            name=contact.name,
            addresses=list(contact.addresses),
            source=contact.source,
            key=key,
            added_at=now,
        )
        kept: int = self._connection.execute(
            row.on_conflict_do_update(
                index_elements=["owner_id", "source", "key"],
                set_={"name": contact.name, "addresses": list(contact.addresses)},
            ).returning(contacts.c.id)
        ).scalar_one()
        self._keep_phones(owner_id, kept, contact.phones)
        return kept

    def _keep_phones(self, owner_id: int, contact_id: int, phones: Sequence[str]) -> None:
        is_phone = (contact_details.c.contact_id == contact_id) & (contact_details.c.kind == PHONE)
        self._connection.execute(contact_details.delete().where(is_phone))
        rows = [{"owner_id": owner_id, "contact_id": contact_id, "kind": PHONE, "value": phone} for phone in phones]
        if rows:
            self._connection.execute(contact_details.insert(), rows)

    def keyed(self, owner_id: int, source: Source, key: str) -> StoredContact | None:
        found = self._where((contacts.c.owner_id == owner_id) & (contacts.c.source == source) & (contacts.c.key == key))
        return found[0] if found else None

    def all(self, owner_id: int) -> Sequence[StoredContact]:
        return self._where(contacts.c.owner_id == owner_id)

    def _where(self, condition: ColumnElement[bool]) -> list[StoredContact]:
        rows = self._connection.execute(select(contacts).where(condition).order_by(contacts.c.id)).all()
        of_them = select(contact_details).join(contacts, contacts.c.id == contact_details.c.contact_id)
        phones: dict[int, list[str]] = {}
        for row in self._connection.execute(
            of_them.where(condition, contact_details.c.kind == PHONE).order_by(contact_details.c.value)
        ):
            phones.setdefault(row.contact_id, []).append(row.value)
        return [
            StoredContact(
                row.id,
                row.owner_id,
                Contact(row.name, tuple(row.addresses), row.source, tuple(phones.get(row.id, ()))),
            )
            for row in rows
        ]

    def drop(self, owner_id: int, contact_id: int) -> None:
        self._connection.execute(contacts.delete().where(contacts.c.owner_id == owner_id, contacts.c.id == contact_id))
