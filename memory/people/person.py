"""A person: somebody the owner exchanged something with, or who is named in what they hold; and by what they are known.

    identity ──► person          an address, a number, a handle, a name; joined by evidence or by the owner's word
       └──► sightings            where and when, in which role

Whatever else is known (a fact, a loop) hangs on an identity: so a join or a split moves it by itself.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from memory.search.passage import Corpus

IdentityKind = Literal["address", "phone", "handle", "name"]
"""By what somebody is reached or seen. A *handle* is good within one program, a *name* within one source."""

SUREST_FIRST: tuple[IdentityKind, ...] = ("address", "phone", "handle", "name")

PersonKind = Literal["person", "role", "shared", "automated", "owner"]
"""What stands behind identities: somebody; an office; several people at one address; a robot; the owner."""

Role = Literal["wrote", "received", "attended", "named"]

What = Literal["joined", "split"]

By = Literal["evidence", "owner"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """By what somebody is known.

    value: the one spelling of it: a mailbox (memory/people/mailbox), a number in E.164 where that can be told,
    "telegram:user12345" or "whatsapp:CHAT/name", "notes:name". name: as written last. first_at, last_at: aware UTC, when
    it was seen; None where nobody knows.
    """

    id: int
    kind: IdentityKind
    value: str
    name: str = ""
    first_at: datetime | None = None
    last_at: datetime | None = None

    @property
    def shown(self) -> str:
        """How it is shown to the owner; a handle or a name by the name alone."""
        return self.value if self.kind in ("address", "phone") else self.name


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """Somebody. name: the one seen most often, as written. because: what joined the identities, "" for a single one."""

    id: int
    name: str
    kind: PersonKind
    identities: tuple[Identity, ...]
    because: str = ""

    @property
    def addresses(self) -> tuple[str, ...]:
        """The mailboxes."""
        return tuple(one.value for one in self.identities if one.kind == "address")

    @property
    def surest(self) -> Identity:
        """On which of them hangs what is told of the person: an address before a name, and of those the oldest."""
        return min(self.identities, key=lambda one: (SUREST_FIRST.index(one.kind), one.id))

    @property
    def identity_ids(self) -> list[int]:
        """On which whatever is known of them hangs."""
        return [one.id for one in self.identities]

    @property
    def shown(self) -> str:
        """The name, else the first identity that can be shown."""
        return self.name or next((one.shown for one in self.identities if one.shown), "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sighting:
    """Where an identity stands: `ref` names the document. by_owner: the owner wrote it, or called the meeting."""

    identity_id: int
    corpus: Corpus
    ref: str
    role: Role
    at: datetime | None
    by_owner: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Contacted:
    """What passed between the owner and somebody on one channel.

    by_them_at, by_owner_at: when each wrote to the other last; None for never. last_at, ref: the latest of all, also one
    where both were (a meeting). from_them, from_owner: how often, as far as was looked back.
    """

    last_at: datetime
    ref: str
    by_them_at: datetime | None = None
    by_owner_at: datetime | None = None
    from_them: int = 0
    from_owner: int = 0


LastContacts = Mapping[Corpus, Contacted]


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A join or a split, as history keeps it.

    identities: those that moved, from one person to the other. score: of the evidence, None when the owner said so.
    undoes: the change that this one takes back.
    """

    id: int
    what: What
    identities: tuple[int, ...]
    from_person: int
    to_person: int
    score: float | None
    because: str
    by: By
    at: datetime
    undoes: int | None = None


def subject_of_person(person_id: int) -> str:
    """What history and search call a person."""
    return f"person:{person_id}"
