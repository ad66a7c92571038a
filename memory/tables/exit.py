"""Where what leaves is kept: contacts, drafts, approvals, dispatches, introductions.

Every datetime is aware UTC. What else may be raised stands in memory/ledger.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Protocol

from memory.approval import Approval, NewApproval
from memory.contact import Contact, Source, StoredContact
from memory.dispatch import Dispatch, DispatchStep, Transport
from memory.draft import Draft
from memory.envelope import Envelope
from memory.introduction import Introduction, Party


class Contacts(Protocol):
    """The owner's own records of people. Nothing here comes from received mail."""

    def keep(self, owner_id: int, contact: Contact, *, key: str, now: datetime) -> int:
        """A record, in place of the one that its source knows by the same `key`; its id."""
        ...

    def keyed(self, owner_id: int, source: Source, key: str) -> StoredContact | None:
        """The record that its source knows by this key."""
        ...

    def all(self, owner_id: int) -> Sequence[StoredContact]:
        """Every record, oldest first."""
        ...

    def drop(self, owner_id: int, contact_id: int) -> None:
        """It is a record no more."""
        ...


class Drafts(Protocol):
    """Envelopes as they were put together. They can be erased; approvals and dispatches keep their digests."""

    def keep(
        self,
        owner_id: int,
        envelope: Envelope,
        *,
        because: str,
        now: datetime,
        answers_id: int | None = None,
        event_id: int | None = None,
        chosen: tuple[tuple[str, int], ...] = (),
        doubts: Mapping[str, str] | None = None,
        playbook: str = "",
    ) -> Draft:
        """A new draft."""
        ...

    def get(self, draft_id: int) -> Draft:
        """One draft. Raises NotFound, BadInput when it is spelled in a form of old."""
        ...

    def erase(self, draft_id: int) -> None:
        """Its words are gone."""
        ...


class Approvals(Protocol):
    """Questions put to the owner, and their answers."""

    def ask(self, new: NewApproval, *, now: datetime, expires_for: timedelta) -> Approval:
        """A new question, *asked*."""
        ...

    def get(self, approval_id: int) -> Approval | None:
        """One approval, or None."""
        ...

    def store(self, approval: Approval, *, before: Approval) -> bool:
        """*before* → *approval*; False when it was no longer as before, so that of two changes one counts."""
        ...

    def akin(self, owner_id: int, *, digest: str, matter: str, since: datetime) -> list[Approval]:
        """Those of this digest or matter, ever, and all that were asked at or after `since`."""
        ...

    def waiting(self, owner_id: int) -> list[Approval]:
        """Those that are not final: asked, confirming, approved."""
        ...

    def of_card(self, card_id: int) -> Approval | None:
        """The one that this card asks for now."""
        ...

    def of_playbook(self, owner_id: int, playbook: str) -> list[Approval]:
        """Those whose draft belongs to this playbook, or to a step of it ("introduction:3"), oldest first."""
        ...


class Dispatches(Protocol):
    """Envelopes leaving. Every change of state leaves a step, append-only and chained."""

    def take(self, approval: Approval, transport: Transport, *, now: datetime) -> Dispatch:
        """*taken*, in the transaction that spends the approval. There is one for each approval, ever."""
        ...

    def get(self, dispatch_id: int) -> Dispatch | None:
        """One dispatch, or None."""
        ...

    def of_approval(self, approval_id: int) -> Dispatch | None:
        """The one of this approval."""
        ...

    def store(self, dispatch: Dispatch, *, before: Dispatch) -> bool:
        """*before* → *dispatch*; False when it was no longer in that state."""
        ...

    def open(self, owner_id: int) -> list[Dispatch]:
        """Those that are not settled."""
        ...

    def latest(self, owner_id: int, limit: int) -> list[Dispatch]:
        """The newest, newest first."""
        ...

    def steps(self, owner_id: int, since: datetime | None, until: datetime | None) -> Iterator[DispatchStep]:
        """What became of dispatches from `since` to before `until`, newest first; None is without end."""
        ...


class Introductions(Protocol):
    """Introductions on their way. Who they bring together is content: it can be erased."""

    def begin(self, owner_id: int, asker: Party, target: Party, *, because: str, now: datetime) -> Introduction:
        """A new one, before its first message."""
        ...

    def get(self, introduction_id: int) -> Introduction | None:
        """One introduction, or None."""
        ...

    def store(self, introduction: Introduction, *, before: Introduction) -> bool:
        """*before* → *introduction*; False when it was no longer in that stage."""
        ...

    def open(self, owner_id: int) -> list[Introduction]:
        """Those that are neither done nor ended, oldest first."""
        ...
