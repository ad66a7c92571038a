"""Time, handed in: the one seam at which the present is read."""

from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    """Says what time it is."""

    def now(self) -> datetime:
        """The present as an aware datetime in UTC."""
        ...


class SystemClock:
    """The machine's own clock."""

    def now(self) -> datetime:
        return datetime.now(UTC)


def aware(moment: datetime) -> datetime:
    """`moment` in UTC; a naive datetime is a bug and raises ValueError."""
    if moment.tzinfo is None:
        raise ValueError(f"a naive datetime where an aware one is needed: {moment!r}")
    return moment.astimezone(UTC)
