"""The watch over the poller: how long to wait after a failure, and when its connections count as wedged."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Literal

WEDGED_AFTER_FOR = timedelta(seconds=150)
"""Five long polls: when nothing has come back for so long, the connections are made anew."""

REBUILDS_MAX = 3
"""Rebuilds that changed nothing; after them only a new process is left to try."""

FIRST_WAIT_FOR = timedelta(milliseconds=500)
LONGEST_WAIT_FOR = timedelta(seconds=30)

Verdict = Literal["fine", "rebuild", "give up"]


def next_wait(failures: int, retry_for: timedelta | None = None) -> timedelta:
    """How long to wait before the next round, after `failures` in a row (0: not at all).

    Doubles from FIRST_WAIT_FOR up to LONGEST_WAIT_FOR; what Telegram asks for (`retry_for`) goes first, however long.
    """
    if retry_for is not None:
        return retry_for
    if failures == 0:
        return timedelta()
    # 2 to the 16th is far past the longest wait already: without a bound the number itself would grow and grow.
    doublings: int = min(failures - 1, 16)
    return min(FIRST_WAIT_FOR * (1 << doublings), LONGEST_WAIT_FOR)


@dataclass(frozen=True, slots=True)
class Watch:
    """When something, were it only an error, last came back over the connections, and what was tried since.

    `refused` says that the last attempt found no connection at all: then the network is down, which no new process
    would mend.
    """

    answered_at: datetime
    rebuilt_at: datetime | None = None
    rebuilds: int = 0
    refused: bool = False

    def answered(self, now: datetime) -> "Watch":
        """Something came back."""
        return Watch(now)

    def failed(self, *, refused: bool) -> "Watch":
        """Nothing came back."""
        return replace(self, refused=refused)

    def rebuilt(self, now: datetime) -> "Watch":
        """The connections were made anew."""
        return replace(self, rebuilt_at=now, rebuilds=self.rebuilds + (not self.refused))

    def judge(self, now: datetime, wedged_after: timedelta = WEDGED_AFTER_FOR) -> Verdict:
        """What to do about a silence that lasts until `now`."""
        if now - (self.rebuilt_at or self.answered_at) < wedged_after:
            return "fine"
        return "rebuild" if self.refused or self.rebuilds < REBUILDS_MAX else "give up"
