"""Where recollections are kept, with the words they rest on, and which of them stood in which prompt.

What the exclusions cover is neither kept nor shown. Every datetime is aware UTC. What else may be raised stands in
memory/ledger.
"""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Protocol

from memory.recollection import NewRecollection, Recollection, Source, Unremembered
from memory.spending import Label


class Recollections(Protocol):
    """What is remembered of the conversation."""

    def keep(
        self,
        new: NewRecollection,
        *,
        because: str,
        now: datetime,
        signal_id: int | None = None,
        instead_of: int | None = None,
    ) -> Recollection | None:
        """Remember it, in the place of an earlier one if that is given; the same key again changes nothing.

        None when the exclusions cover it: it is not kept.
        """
        ...

    def again(self, recollection_id: int, source: Source, *, because: str, now: datetime) -> None:
        """These words bear it out, too."""
        ...

    def replace(self, old_id: int, new_id: int, *, because: str, now: datetime, signal_id: int | None = None) -> bool:
        """From now on `new_id` stands in the place of `old_id`, which stays, marked; False when the old one was not live."""
        ...

    def withdraw(self, recollection_id: int, *, because: str, now: datetime, signal_id: int | None = None) -> bool:
        """Take the remembering back: it is emptied, and what it took the place of is live again; False when it was not live.

        What was said stays in the thread."""
        ...

    def forget(
        self, recollection_id: int, *, because: str, now: datetime, signal_id: int | None = None
    ) -> Unremembered | None:
        """Erase it with its earlier versions, and their words wherever they stand in the thread; None when it is not live.

        A thought that had one in its prompt is stopped, and a pending extraction of such words is cancelled.
        """
        ...

    def reworded(self, owner_id: int, ref: str, text: str, *, now: datetime) -> None:
        """The row `ref` reads so now: what rests on words of it that no longer stand there, and on nothing else, is emptied."""
        ...

    def get(self, owner_id: int, recollection_id: int) -> Recollection:
        """One of them, in whatever state. Raises NotFound."""
        ...

    def live(self, owner_id: int) -> Sequence[Recollection]:
        """Those that may be recalled, newest first."""
        ...

    def versions(self, owner_id: int, recollection_id: int) -> Sequence[Recollection]:
        """What it took the place of, newest first."""
        ...

    def unwanted(self, owner_id: int, refs: Collection[str]) -> frozenset[str]:
        """Of these rows, those from which something was taken that was forgotten since."""
        ...

    def note_recalled(
        self, owner_id: int, turn_id: int, label: Label, recollection_ids: Collection[int], *, now: datetime
    ) -> None:
        """They stand in the prompt of this turn. Twice is once."""
        ...

    def recalled_in(self, owner_id: int, turn_id: int) -> Sequence[int]:
        """Which stood in the prompts of this turn."""
        ...

    def last_recalled(self, owner_id: int, recollection_id: int) -> tuple[int, datetime] | None:
        """The latest turn in whose prompt it stood, and when that was."""
        ...

    def erase_covered(self, owner_id: int, *, now: datetime) -> int:
        """Empty what the exclusions cover by now; how many."""
        ...
