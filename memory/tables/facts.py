"""Where facts are kept: what is known of people, with the words that say so.

A fact hangs on an identity; whoever reads asks for all identities of a person. Every read and every write passes the
exclusions: of whom they cover nothing is known, and they raise UnreadableExclusions when the list itself can't be read.
A fact goes with its source: dropped, forgotten, excluded or changed so that it no longer says it. Every datetime is aware
UTC. What else may be raised stands in memory/ledger.
"""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Protocol

from memory.fact import Fact, FoundFact, NotedFact


class Facts(Protocol):
    """What is known of people."""

    # What is known

    def get(self, owner_id: int, fact_id: int) -> Fact:
        """One fact, superseded or not. Raises NotFound, also for one that is excluded or forgotten."""
        ...

    def current(self, owner_id: int, identity_ids: Collection[int]) -> list[Fact]:
        """What holds now of the person whose identities these are, in the order of a card (memory/fact_kinds)."""
        ...

    def history(self, owner_id: int, identity_ids: Collection[int]) -> list[Fact]:
        """Everything that was ever known of them, the newest first, what is superseded with its dates."""
        ...

    def told(self, owner_id: int) -> list[Fact]:
        """What the owner said of people and still holds, the newest first."""
        ...

    # What becomes known

    def note(self, owner_id: int, found: FoundFact, *, now: datetime, signal_id: int | None = None) -> NotedFact:
        """Keep what was found, if it stands up: a quote that stands in its source, a kind of ours, nobody excluded.

        See memory.fact.settle for what becomes of it. A refusal is a row of history; so is every fact that is superseded.
        """
        ...

    def forget(self, owner_id: int, fact_id: int, *, because: str, now: datetime, signal_id: int | None = None) -> None:
        """The owner wants it forgotten: its words go, and it is not learned again."""
        ...

    def forgotten(self, owner_id: int, fact_id: int) -> Fact | None:
        """One that the owner asked to forget, without its words; None when it is none."""
        ...

    # Taken back

    def take_back(self, owner_id: int, fact_id: int, *, now: datetime, signal_id: int | None = None) -> None:
        """As if it had never been noted: what it superseded holds again. One that was forgotten may be learned again."""
        ...

    # What was read

    def unread(self, owner_id: int, identity_ids: Collection[int], refs: Sequence[str], *, reader: str) -> list[str]:
        """Those of these documents that were not read for these identities by this reader, in the same order."""
        ...

    def mark_read(self, owner_id: int, identity_id: int, refs: Collection[str], *, reader: str, now: datetime) -> None:
        """They were, and are not read again unless they change."""
        ...

    # Exclusions

    def passed_over(self, owner_id: int, *, since: datetime) -> int:
        """How many people with whom something was exchanged since then the exclusions keep out: a number, never who."""
        ...

    def is_covered(self, owner_id: int, identity_ids: Collection[int]) -> bool:
        """Whether the exclusions cover any identity of these people: nothing is then known of them."""
        ...

    def erase_covered(self, owner_id: int) -> int:
        """Erase what is known of whom the exclusions cover by now, and what names them; how many facts."""
        ...
