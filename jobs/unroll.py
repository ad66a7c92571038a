"""The duty *unroll*: occurrences follow time, and so does what search knows of them.

Every night each kept object of a calendar is read anew, without a word.
"""

import asyncio
from collections.abc import Sequence
from datetime import datetime

import structlog

from memory.clock import Clock
from memory.event import Event
from memory.job import Job
from memory.ledger import Ledger, Tables
from memory.piece import Piece
from memory.zones import Timeline
from tools import event_delivering
from tools.chat import Post
from tools.incoming import let_find, unrolled
from tools.oneself import own_addresses

log = structlog.get_logger()

AT_ONCE = 50
"""So many objects are read between two commits."""

Item = tuple[int, int, str, str, str]
"""(id, account, calendar, ref, ics), see memory.tables.calendar."""


class Unroll:
    """Handles the kind *unroll*."""

    def __init__(self, ledger: Ledger, post: Post, clock: Clock) -> None:
        self._ledger = ledger
        self._post = post
        self._clock = clock

    async def __call__(self, job: Job) -> None:
        """Read every object anew; then raise the conflicts that have come into reach."""
        now, owner_id, after_id, changed = self._clock.now(), job.owner_id, 0, 0
        zones, mine = await self._ledger.read(lambda t: (t.owners.get(owner_id).zones, own_addresses(t, owner_id)))
        while items := await self._page(owner_id, after_id):
            read = await asyncio.to_thread(_read, items, zones, mine, now)
            changed += await self._ledger.write(lambda t, read=read: _keep(t, owner_id, read, now))  # type: ignore[misc]
            after_id = items[-1][0]
        self._post.post(*await self._ledger.write(lambda t: self._raise(t, owner_id, now)))
        log.info("unrolled", action="calendar.unrolled", changed=changed)

    async def _page(self, owner_id: int, after_id: int) -> list[Item]:
        return await self._ledger.read(lambda t: t.calendars.items(owner_id, after_id=after_id, limit=AT_ONCE))

    def _raise(self, t: Tables, owner_id: int, now: datetime) -> list[Piece]:
        return event_delivering.raise_conflicts(t, t.owners.get(owner_id), channel=self._post.home(), now=now)


def _read(
    items: Sequence[Item], zones: Timeline, mine: frozenset[str], now: datetime
) -> list[tuple[Item, tuple[Event, ...]]]:
    return [(item, unrolled(item[4], calendar=item[2], ref=item[3], owner=zones, mine=mine, now=now)) for item in items]


def _keep(t: Tables, owner_id: int, read: Sequence[tuple[Item, tuple[Event, ...]]], now: datetime) -> int:
    """An object that its source has changed meanwhile is left as it is. How many have other occurrences now."""
    there = {item[0]: item for item in t.calendars.items(owner_id, after_id=read[0][0][0] - 1, limit=len(read))}
    same = [(item, events) for item, events in read if there.get(item[0]) == item]
    for (_, account_id, calendar, ref, ics), events in same:
        found = () if t.calendars.covers(owner_id, account_id, calendar, ics) else events
        let_find(t, owner_id, found, account_id=account_id, calendar=calendar, ref=ref, now=now)
    return sum(t.calendars.unroll(item[0], item[4], events) for item, events in same)
