"""Where what happened is kept, and the work that it asks for.

Every datetime is aware UTC unless it is called `wall`. What else may be raised stands in memory/ledger.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Protocol

from memory.job import Finished, Job, Lane
from memory.signal import NewSignal, Signal


class Signals(Protocol):
    """What happened. Heads are append-only; payloads can be erased."""

    def publish(self, signal: NewSignal, *, now: datetime) -> int | None:
        """Record it (a trigger makes the job) and return its id; None when this source has told it already."""
        ...

    def get(self, signal_id: int) -> Signal:
        """One signal. Raises NotFound."""
        ...

    def empty(self, signal_id: int) -> None:
        """Erase its payload; that it happened stays."""
        ...

    def counts_since(self, owner_id: int, since: datetime) -> Mapping[tuple[str, str], int]:
        """How many signals of each (source, kind) came at or after `since`."""
        ...

    def exists(self, source: str, source_id: str) -> bool:
        """Whether this source has told this already."""
        ...


class Jobs(Protocol):
    """The queue."""

    def add(
        self, *, owner_id: int, kind: str, lane: Lane, thread: str, payload: Mapping[str, Any], now: datetime
    ) -> int:
        """A job that no signal asked for by itself (the thinker of a turn)."""
        ...

    def round(self, finished: Sequence[Finished], *, take: Mapping[Lane, int], now: datetime) -> list[Job]:
        """Settle what ended and take what may start now, at most `take` of each lane, in order."""
        ...

    def next_run_at(self, *, now: datetime) -> datetime | None:
        """When the earliest job that waits for a time later than `now` becomes due."""
        ...

    def clamp(self, *, now: datetime) -> int:
        """After the clock was set back: no pending job waits for longer than its wait from `now`; how many did."""
        ...

    def recover(self, *, now: datetime) -> tuple[int, list[Job]]:
        """At boot: rows left running are pending again (how many); those that were running at too many deaths are parked."""
        ...

    def behind(self, job_id: int, thread: str) -> list[Job]:
        """The inline jobs of the thread that wait behind this one, in order, at most 200."""
        ...

    def take_along(self, job_id: int, *, because: str, now: datetime) -> None:
        """A pending job is done: an earlier one of its thread did its work with its own."""
        ...

    def cancel_pending(self, *, thread: str, kind: str, because: str, now: datetime) -> int:
        """Cancel the pending jobs of this kind in this thread."""
        ...

    def busy(self, thread: str, kinds: Sequence[str] = ()) -> int:
        """How many jobs of this thread (of these kinds, or of any) are not finished."""
        ...

    def parked(self, owner_id: int) -> list[tuple[int, str, str]]:
        """(id, kind, last error) of every parked job, oldest first."""
        ...

    def counts(self) -> Mapping[str, int]:
        """How many jobs stand in each state."""
        ...
