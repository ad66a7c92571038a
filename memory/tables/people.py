"""Where people are kept: who there is, by what they are known, where they were seen, and what joined or split them.

Whom the exclusions cover is not shown: a person all of whose identities they cover is not there, nor are the covered
identities of another. Every read raises UnreadableExclusions when the list itself can't be read. Every datetime is aware
UTC. What else may be raised stands in memory/ledger.
"""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Protocol

from memory.people.document import Unwritten
from memory.people.known import Rulings
from memory.people.mentioned import Mention, Unread
from memory.people.naming import Candidate
from memory.people.person import Change, Identity, IdentityKind, LastContacts, Person, Sighting
from memory.people.signed import Signed
from memory.search.passage import CORPORA, Corpus


class Directory(Protocol):
    """Everybody the owner exchanged something with, or who is named in what they hold."""

    # Who there is

    def get(self, owner_id: int, person_id: int) -> Person:
        """One person, of any kind but the owner. Raises NotFound, also for one who was joined to another."""
        ...

    def of(self, owner_id: int, value: str) -> Person | None:
        """Who is behind an address, a number or a handle ("telegram:user12345"); of any kind but the owner."""
        ...

    def of_identity(self, owner_id: int, identity_id: int) -> Person | None:
        """Whose identity it is."""
        ...

    def named(self, owner_id: int, name: str, *, among: Collection[int] = ()) -> tuple[Person, ...]:
        """Whom a name may mean, the one the owner exchanges most with first; several: ask. A first or last name will do.

        among: ids of persons to choose from; everybody when there are none.
        """
        ...

    def recurring(self, owner_id: int, *, since: datetime, limit: int) -> Sequence[Person]:
        """Those with whom the owner exchanged something since then, most first."""
        ...

    # Where they were seen

    def sightings(
        self, owner_id: int, person_id: int, *, limit: int, corpora: Collection[Corpus] = CORPORA
    ) -> Sequence[Sighting]:
        """Where somebody stands in what the owner holds, newest first; what has no date comes last."""
        ...

    def first_sighting(self, owner_id: int, person_id: int) -> Sighting | None:
        """The earliest place with a date where somebody stands; None when there is none."""
        ...

    def last_contacts(self, owner_id: int, person_id: int, *, now: datetime | None = None) -> LastContacts:
        """What passed between the owner and somebody, channel by channel, as far back as some thousand sightings.

        now: nothing later is looked at (an appointment to come is no contact yet).
        """
        ...

    # Joins and splits

    def join(self, owner_id: int, one_id: int, other_id: int, *, because: str, now: datetime) -> Change:
        """The owner says that two persons are one. Evidence never goes against it. Raises NotFound; BadInput for one and the same."""
        ...

    def split(
        self, owner_id: int, person_id: int, identity_ids: Collection[int], *, because: str, now: datetime
    ) -> Change:
        """The owner says that these identities are somebody else's. Evidence never goes against it.

        Raises NotFound, and BadInput when none or all of the person's identities are named.
        """
        ...

    def undo(self, owner_id: int, change_id: int, *, because: str, now: datetime) -> Change:
        """The owner takes a change back, also one that evidence made. It is another change.

        Raises NotFound, and BadInput when it was taken back already.
        """
        ...

    def change(self, owner_id: int, change_id: int) -> Change:
        """One of them. Raises NotFound."""
        ...

    def changes(self, owner_id: int, *, person_id: int | None = None, limit: int = 50) -> Sequence[Change]:
        """Joins and splits, newest first."""
        ...

    def rulings(self, owner_id: int) -> Rulings:
        """What the owner said of pairs."""
        ...

    # Keeping in step

    def note(
        self, owner_id: int, kind: IdentityKind, value: str, *, name: str, at: datetime | None, now: datetime
    ) -> Identity | None:
        """An identity by which somebody is known, made if it is new; None for one whom the exclusions cover.

        value: as in memory.people.person. What hangs on it (a fact, a loop) keeps it.
        """
        ...

    def unsigned(self, owner_id: int, *, limit: int) -> Sequence[Identity]:
        """Addresses whose signatures are to be read."""
        ...

    def sign(self, owner_id: int, identity_id: int, signed: Signed) -> None:
        """What stands below the mails of an address now, in place of what stood there."""
        ...

    def unread(self, owner_id: int, *, limit: int) -> Sequence[Unread]:
        """Notes and meetings whose names are to be looked at."""
        ...

    def met(self, owner_id: int) -> tuple[Sequence[int], Sequence[str]]:
        """The persons with whom the owner exchanged something, by id; and what the owner is called."""
        ...

    def candidates(self, person_ids: Sequence[int]) -> Sequence[Candidate]:
        """What these are called: whom a name may mean."""
        ...

    def tell(self, owner_id: int, passage_id: int, mentions: Sequence[Mention]) -> None:
        """Who is named in a note."""
        ...

    def unwritten(self, owner_id: int, *, limit: int) -> Sequence[Unwritten]:
        """Persons whose documents in the search are to be made anew."""
        ...

    def written(self, owner_id: int, person_ids: Collection[int]) -> None:
        """Their documents are what they should be."""
        ...

    def touch(self, owner_id: int, identity_ids: Collection[int]) -> None:
        """Something else is known of whom these identities are: their documents are to be made anew."""
        ...

    def is_due(self, owner_id: int) -> bool:
        """Whether there is anything for `take`."""
        ...

    def take(self, owner_id: int, *, limit: int, now: datetime) -> int:
        """Look at some of what is new: mails, documents, contacts, then whose identities are now one person's.

        How much there was; 0: nothing is left to do.
        """
        ...

    def erase_covered(self, owner_id: int) -> int:
        """Erase the identities that the exclusions cover by now, with what is known by them alone; how many."""
        ...
