"""What the owner's records say of identities, as rows, and what becomes due by them."""

from collections.abc import Collection

from sqlalchemy import Connection, delete, select
from sqlalchemy.dialects.sqlite import insert as upsert

from memory.sql.people_schema import people_due, person_evidence

RECORD = "record"
"""A record of the owner's holds both."""

_DUE = upsert(people_due)
_DUE = _DUE.on_conflict_do_nothing()


def make_due(connection: Connection, owner_id: int, what: str, about: Collection[int]) -> None:
    """To be looked at again."""
    if about:
        connection.execute(_DUE, [{"owner_id": owner_id, "what": what, "about": one} for one in sorted(about)])


def testify(connection: Connection, owner_id: int, one_id: int, other_id: int, *, what: str, ref: str) -> None:
    """A document says that two identities may be one person's."""
    one, other = sorted((one_id, other_id))
    row = upsert(person_evidence).values(owner_id=owner_id, one_id=one, other_id=other, what=what, ref=ref)
    if connection.execute(row.on_conflict_do_nothing()).rowcount:
        make_due(connection, owner_id, "identity", (one, other))


def withdraw(connection: Connection, owner_id: int, ref: str) -> None:
    """A document says nothing of the kind any more."""
    said = (person_evidence.c.owner_id == owner_id) & (person_evidence.c.ref == ref)
    rows = connection.execute(select(person_evidence.c.one_id, person_evidence.c.other_id).where(said)).all()
    connection.execute(delete(person_evidence).where(said))
    make_due(connection, owner_id, "identity", {number for row in rows for number in row})
