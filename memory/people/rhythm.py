"""Rhythm: how often a person writes, and how long they have now been silent."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise

BURST_FOR = timedelta(hours=12)
"""Mails closer together than this are one sitting: ten short ones in an afternoon are no rhythm of minutes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rhythm:
    """How one person has written.

    messages: how many mails, sittings: on how many occasions. median_gap_for: between occasions; the silence that still
    lasts counts as one gap that is at least as long as it is by now (it is right-censored: nobody knows how it ends).
    silent_for: since the last mail. first_at, last_at: aware UTC.
    """

    messages: int
    sittings: int
    median_gap_for: timedelta
    silent_for: timedelta
    first_at: datetime
    last_at: datetime


def gaps(at: Iterable[datetime]) -> tuple[timedelta, ...]:
    """The times between occasions, oldest first: from the last mail of a sitting to the first of the next."""
    ordered = sorted(at)
    between = (later - earlier for earlier, later in pairwise(ordered))
    return tuple(gap for gap in between if gap >= BURST_FOR)


def median_gap(closed: Sequence[timedelta], open_for: timedelta) -> timedelta | None:
    """The gap by which half of all have ended; None when there is none to go by.

    It is the Kaplan-Meier median, with the silence that still lasts as the one censored gap.
    """
    lasting = 1.0
    for ended, gap in enumerate(sorted(closed)):
        at_risk = len(closed) - ended + (open_for >= gap)
        lasting *= 1 - 1 / at_risk
        if lasting <= 0.5 + 1e-9:
            return gap
    return None


def rhythm(at: Iterable[datetime], *, now: datetime) -> Rhythm | None:
    """The rhythm of somebody who wrote at these times (aware UTC); None for fewer than two occasions, or none past."""
    times = sorted(each for each in at if each <= now)
    if not times:
        return None
    closed, silent_for = gaps(times), now - times[-1]
    median = median_gap(closed, silent_for)
    if median is None:
        return None
    return Rhythm(
        messages=len(times),
        sittings=len(closed) + 1,
        median_gap_for=median,
        silent_for=silent_for,
        first_at=times[0],
        last_at=times[-1],
    )
