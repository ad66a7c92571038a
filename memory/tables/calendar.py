"""Where calendars are kept: their objects as the source gave them, and the occurrences read in them.

Every read passes the exclusions. Every datetime is aware UTC. What else may be raised stands in memory/ledger.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Protocol

from memory.event import Event, StoredEvent


class Calendars(Protocol):
    """Calendars, their objects and their events."""

    def name(self, owner_id: int, account_id: int, names: Mapping[str, str]) -> None:
        """What the calendars of an account are called, by id."""
        ...

    def names(self, owner_id: int) -> Mapping[tuple[int, str], str]:
        """(account, calendar) → its name."""
        ...

    def keep(
        self,
        owner_id: int,
        account_id: int,
        *,
        calendar: str,
        ref: str,
        etag: str,
        ics: str,
        events: Sequence[Event],
    ) -> tuple[list[StoredEvent], list[StoredEvent]]:
        """Keep an object with its occurrences, in place of what was kept of it: (those before, those now).

        The exclusions are asked here, at the one door that events come in by; what they cover is not kept, nor what was.
        """
        ...

    def unroll(self, item_id: int, ics: str, events: Sequence[Event]) -> bool:
        """The occurrences of an object, read anew; False when it reads otherwise by now, or they are the same."""
        ...

    def covers(self, owner_id: int, account_id: int, calendar: str, ics: str) -> bool:
        """Whether the exclusions cover an object: somebody named anywhere in it, or the calendar that it lies in."""
        ...

    def erase_covered(self, owner_id: int, *, now: datetime) -> int:
        """Erase the objects that the exclusions cover, and what was said here in their words; how many there were."""
        ...

    def drop(self, account_id: int, calendar: str, refs: Collection[str]) -> list[StoredEvent]:
        """Objects are gone; the occurrences that went with them."""
        ...

    def refs(self, account_id: int, calendar: str) -> set[str]:
        """The objects that are kept of a calendar."""
        ...

    def etags(self, account_id: int, calendar: str) -> Mapping[str, str]:
        """The same, with the state in which each was kept."""
        ...

    def leave(self, account_id: int, calendar: str) -> None:
        """A calendar is there no more, nor is anything in it."""
        ...

    def items(self, owner_id: int, *, after_id: int, limit: int) -> list[tuple[int, int, str, str, str]]:
        """(id, account, calendar, ref, ics) by id: for reading their occurrences anew as time goes on."""
        ...

    def between(
        self, owner_id: int, from_at: datetime, to_at: datetime, *, limit: int = 500, kept_up: bool = False
    ) -> list[StoredEvent]:
        """Occurrences that touch the time from `from_at` to before `to_at`, by start; cancelled ones among them.

        Of an event that an account keeps up, what an imported file says of it is left out. kept_up: leave out all that
        comes from files, for what speaks unasked, and for what leaves.
        """
        ...

    def get(self, event_id: int) -> StoredEvent:
        """One occurrence. Raises NotFound, also for one that is excluded."""
        ...

    def of_uid(self, owner_id: int, uid: str, *, limit: int = 50) -> list[StoredEvent]:
        """The occurrences of an event or series, by start; what imported files say of it is left out."""
        ...

    def count(self, owner_id: int, *, account_id: int | None = None) -> int:
        """How many objects are kept, of one account or of all."""
        ...
