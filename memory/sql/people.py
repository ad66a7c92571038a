"""People: every read passes the exclusions; what they cover is not there."""

from collections.abc import Callable, Collection, Sequence
from datetime import datetime

from sqlalchemy import Connection, select

from memory.exclusion import Exclusions
from memory.people.document import Unwritten
from memory.people.known import Rulings
from memory.people.mentioned import Mention, Unread
from memory.people.naming import Candidate
from memory.people.person import Change, Identity, IdentityKind, LastContacts, Person, Sighting
from memory.people.signed import Signed
from memory.search.passage import CORPORA, Corpus
from memory.sql.people_changes import Changing
from memory.sql.people_contacts import Contacting
from memory.sql.people_evidence import make_due
from memory.sql.people_known import among
from memory.sql.people_naming import Naming
from memory.sql.people_noting import Noting, done, due, keep_marks
from memory.sql.people_reading import Reading
from memory.sql.people_schema import identities, people_due
from memory.sql.people_settling import Settling

LATEST_SEEN = 60
"""So many sightings tell on which channels somebody is met."""

SETTLED_SHARE = 5
"""To weigh an identity with all who may be the same person takes so many times as long as to note a mail."""

TAKEN = ("mail", "contact", "document", "identity")
"""What `take` looks at."""


class SqlPeople:
    """See memory.tables.people.Directory."""

    def __init__(
        self,
        connection: Connection,
        exclusions: Callable[[], Exclusions],
        covered: Callable[[Collection[int]], Collection[int]],
    ) -> None:
        self._connection = connection
        self._exclusions = exclusions
        self._noting = Noting(connection, exclusions)
        self._changing = Changing(connection)
        self._settling = Settling(connection, self._changing)
        self._reading = Reading(connection, exclusions)
        self._naming = Naming(connection, exclusions, self._noting)
        self._contacting = Contacting(connection, exclusions, covered)

    def get(self, owner_id: int, person_id: int) -> Person:
        return self._reading.get(owner_id, person_id)

    def of(self, owner_id: int, value: str) -> Person | None:
        return self._reading.of(owner_id, value)

    def of_identity(self, owner_id: int, identity_id: int) -> Person | None:
        return self._reading.of_identity(owner_id, identity_id)

    def named(self, owner_id: int, name: str, *, among: Collection[int] = ()) -> tuple[Person, ...]:
        return self._reading.named(owner_id, name, of_these=among)

    def recurring(self, owner_id: int, *, since: datetime, limit: int) -> Sequence[Person]:
        return self._reading.recurring(owner_id, since=since, limit=limit)

    def sightings(
        self, owner_id: int, person_id: int, *, limit: int, corpora: Collection[Corpus] = CORPORA
    ) -> Sequence[Sighting]:
        identities = self._reading.get(owner_id, person_id).identities
        return self._contacting.sightings(owner_id, identities, limit=limit, corpora=corpora)

    def first_sighting(self, owner_id: int, person_id: int) -> Sighting | None:
        return self._contacting.first_sighting(owner_id, self._reading.get(owner_id, person_id).identities)

    def last_contacts(self, owner_id: int, person_id: int, *, now: datetime | None = None) -> LastContacts:
        identities = self._reading.get(owner_id, person_id).identities
        return self._contacting.last_contacts(owner_id, identities, now=now)

    def join(self, owner_id: int, one_id: int, other_id: int, *, because: str, now: datetime) -> Change:
        return self._changing.join(owner_id, one_id, other_id, because=because, now=now)

    def split(
        self, owner_id: int, person_id: int, identity_ids: Collection[int], *, because: str, now: datetime
    ) -> Change:
        return self._changing.split(owner_id, person_id, identity_ids, because=because, now=now)

    def undo(self, owner_id: int, change_id: int, *, because: str, now: datetime) -> Change:
        return self._changing.undo(owner_id, change_id, because=because, now=now)

    def change(self, owner_id: int, change_id: int) -> Change:
        return self._changing.one(owner_id, change_id)

    def changes(self, owner_id: int, *, person_id: int | None = None, limit: int = 50) -> Sequence[Change]:
        # That nobody was joined is an answer, too: not given by a list that can't be read.
        self._exclusions()
        return self._changing.changes(owner_id, person_id=person_id, limit=limit)

    def rulings(self, owner_id: int) -> Rulings:
        return self._changing.rulings(owner_id)

    def note(
        self, owner_id: int, kind: IdentityKind, value: str, *, name: str, at: datetime | None, now: datetime
    ) -> Identity | None:
        return self._noting.note(owner_id, kind, value, name=name, at=at or now)

    def unsigned(self, owner_id: int, *, limit: int) -> Sequence[Identity]:
        return self._reading.identities(owner_id, due(self._connection, owner_id, "signed", limit))

    def sign(self, owner_id: int, identity_id: int, signed: Signed) -> None:
        marks = [
            *(("number", tail, is_mobile) for tail, is_mobile in signed.numbers),
            *(("handle", handle, False) for handle in signed.handles),
            *(("name", name, False) for name in signed.names),
        ]
        if keep_marks(self._connection, owner_id, identity_id, marks):
            make_due(self._connection, owner_id, "identity", [identity_id])
        done(self._connection, owner_id, "signed", [identity_id])

    def unread(self, owner_id: int, *, limit: int) -> Sequence[Unread]:
        return self._naming.unread(owner_id, limit=limit)

    def met(self, owner_id: int) -> tuple[Sequence[int], Sequence[str]]:
        return sorted(self._reading.weights(owner_id, None)), self._naming.mine(owner_id)

    def candidates(self, person_ids: Sequence[int]) -> Sequence[Candidate]:
        return self._naming.called(person_ids)

    def tell(self, owner_id: int, passage_id: int, mentions: Sequence[Mention]) -> None:
        self._naming.tell(owner_id, passage_id, mentions)

    def unwritten(self, owner_id: int, *, limit: int) -> Sequence[Unwritten]:
        waiting = due(self._connection, owner_id, "person", limit)
        persons = {one.id: one for one in self._reading.persons(owner_id, waiting) if one.kind == "person"}
        names = {one.id: one.names for one in self._naming.called(list(persons))}
        return [
            Unwritten(
                id=number,
                person=persons[number],
                names=names.get(number, ()),
                contacts=self._contacting.last_contacts(
                    owner_id, persons[number].identities, now=None, limit=LATEST_SEEN
                ),
            )
            if number in persons
            else Unwritten(id=number)
            for number in waiting
        ]

    def written(self, owner_id: int, person_ids: Collection[int]) -> None:
        done(self._connection, owner_id, "person", list(person_ids))

    def touch(self, owner_id: int, identity_ids: Collection[int]) -> None:
        found = select(identities.c.person_id).where(among(identities.c.id, identity_ids))
        make_due(self._connection, owner_id, "person", set(self._connection.execute(found).scalars()))

    def is_due(self, owner_id: int) -> bool:
        query = select(people_due.c.about).where(people_due.c.owner_id == owner_id, people_due.c.what.in_(TAKEN))
        return self._connection.execute(query.limit(1)).first() is not None

    def take(self, owner_id: int, *, limit: int, now: datetime) -> int:
        seen = self._noting.take(owner_id, limit=limit)
        return seen or self._settling.settle(owner_id, limit=max(1, limit // SETTLED_SHARE), now=now)

    def erase_covered(self, owner_id: int) -> int:
        return self._settling.erase_covered(owner_id, self._exclusions())
