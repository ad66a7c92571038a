"""A job: one piece of work that a signal asked for, and what becomes of it when it fails."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Literal

from memory.signal import Signal

Lane = Literal["inline", "background"]
"""`inline`: in order within its thread. `background`: beside everything else."""

State = Literal["pending", "running", "done", "parked", "cancelled"]

INLINE_KINDS = ("message", "edit", "tap", "paired", "membership", "reaction")
"""Kinds of signal that belong to the conversation and keep its order; every other kind goes beside it."""

BACKOFF_FOR: Mapping[Lane, tuple[timedelta, ...]] = {
    # The thread waits behind an inline job, so its retries are over within two seconds.
    "inline": (timedelta(milliseconds=200), timedelta(seconds=1)),
    "background": (timedelta(seconds=2), timedelta(seconds=20), timedelta(minutes=2), timedelta(minutes=15)),
}

INTERRUPTIONS_MAX = 3
"""A job that was running at this many deaths of the process is taken for the cause of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One job in the hands of the worker. `attempt` counts from 1; `payload` is the job's own, beside its signal's."""

    id: int
    owner_id: int
    kind: str
    lane: Lane
    thread: str
    attempt: int
    created_at: datetime
    signal: Signal | None = None
    payload: Mapping[str, Any] = field(default_factory=dict)

    def asked_by(self) -> Signal:
        """The signal that asked for it. Raises LookupError for a job that was added without one."""
        if self.signal is None:
            raise LookupError(f"job {self.id} ({self.kind}) has no signal")
        return self.signal


@dataclass(frozen=True, slots=True)
class Retry:
    """Try again at `at`."""

    at: datetime


@dataclass(frozen=True, slots=True)
class Park:
    """Give it up, keep the row, raise an alarm, and let the next job run."""

    because: str


OUTAGE_WAIT_MAX_S = 30


def after_outage(*, attempt: int, now: datetime) -> Retry:
    """What to do with a job that something out of reach has stopped (a full disk): it is not to blame, and waits."""
    return Retry(now + timedelta(seconds=min(OUTAGE_WAIT_MAX_S, 0.2 * 2 ** min(attempt, 10))))


def after_failure(*, lane: Lane, attempt: int, error: str, now: datetime) -> Retry | Park:
    """What to do with a job whose attempt number `attempt` (from 1) has failed with `error`."""
    waits = BACKOFF_FOR[lane]
    if attempt <= len(waits):
        return Retry(now + waits[attempt - 1])
    return Park(f"failed {attempt} times, last with: {error}")


class Later(Exception):  # noqa: N818  it is no error
    """Raised by a handler: not now, but at `at`. That is no failure and counts as no attempt.

    An inline job is taken up earlier when another one arrives behind it in its thread.
    """

    def __init__(self, at: datetime) -> None:
        super().__init__(f"not before {at.isoformat()}")
        self.at = at


@dataclass(frozen=True, slots=True)
class Finished:
    """How a job ended, for the ledger. With neither `retry_at`, `later_at` nor `parked_because` it is done."""

    job_id: int
    retry_at: datetime | None = None
    parked_because: str | None = None
    error: str | None = None
    later_at: datetime | None = None

    @property
    def is_done(self) -> bool:
        """Whether nothing is left to do."""
        return self.retry_at is None and self.later_at is None and not self.parked_because
