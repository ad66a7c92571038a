"""The timetable at work: looks what is due and publishes it as signals.

APScheduler gives the tick; what is due comes from the ledger (memory/timetable), so nothing is lost with the process.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime, time, timedelta

import structlog
from apscheduler.schedulers.asyncio import AsyncIOScheduler

from memory.clock import Clock
from memory.event import StoredEvent
from memory.exclusion import UnreadableExclusions
from memory.heads_up import LEAD_FOR
from memory.ledger import Ledger, Tables
from memory.signal import NewSignal
from memory.timetable import Firing, due

log = structlog.get_logger()

LOOK_EVERY_FOR = timedelta(seconds=1)

SOURCE = "timetable"


class Timetable:
    """`look` once, or `start` to look every second. `daily` and `weekly`: see memory.timetable.due."""

    def __init__(
        self,
        ledger: Ledger,
        clock: Clock,
        owner_id: int = 1,
        *,
        daily: Mapping[str, time] | None = None,
        weekly: Mapping[str, tuple[int, time]] | None = None,
    ) -> None:
        self._ledger = ledger
        self._daily = daily
        self._weekly = weekly
        self._clock = clock
        self._owner_id = owner_id
        self._scheduler: AsyncIOScheduler | None = None

    def start(self) -> None:
        """Look every second from now on."""
        self._scheduler = AsyncIOScheduler(timezone="UTC")
        # A look that comes late still looks, once: what is due doesn't depend on when one looks.
        self._scheduler.add_job(
            self.look,
            "interval",
            seconds=LOOK_EVERY_FOR.total_seconds(),
            max_instances=1,
            coalesce=True,
            misfire_grace_time=None,
        )
        self._scheduler.start()

    def stop(self) -> None:
        """Look no more."""
        if self._scheduler is not None:
            self._scheduler.shutdown(wait=False)
            self._scheduler = None

    async def look(self) -> list[str]:
        """Publish what is due; returns the source ids of what was new. An idle look only reads."""
        now = self._clock.now()
        fresh = await self._ledger.read(self._fresh)
        if not fresh:
            return []
        published = await self._ledger.write(lambda t: [f.source_id for f in fresh if self._publish(t, f)])
        for source_id in published:
            log.info("due", action="timetable.due", what=source_id, at=now.isoformat())
        return published

    def _fresh(self, t: Tables) -> list[Firing]:
        now = self._clock.now()
        soon = self._soon(t, now)
        waiting = [n.deliver_after_at for n in t.notices.due(self._owner_id, now) if n.urgency == "soon"]
        firings = due(
            owner=t.owners.get(self._owner_id),
            reminders=t.reminders.active(self._owner_id),
            notice_due_at=min(waiting, default=None),
            now=now,
            daily=self._daily,
            weekly=self._weekly,
            events=[one.event for one in soon],
            approvals=t.approvals.waiting(self._owner_id),
            dispatches=t.dispatches.open(self._owner_id),
        )
        return [firing for firing in firings if not t.signals.exists(SOURCE, firing.source_id)]

    def _soon(self, t: Tables, now: datetime) -> Sequence[StoredEvent]:
        """The events that are about to begin; none while nobody knows which of them may be read. All else goes on."""
        try:
            return t.calendars.between(self._owner_id, now, now + LEAD_FOR + LOOK_EVERY_FOR, kept_up=True)
        except UnreadableExclusions:
            return ()

    def _publish(self, t: Tables, firing: Firing) -> bool:
        signal = NewSignal(
            source=SOURCE,
            kind=firing.kind,
            source_id=firing.source_id,
            owner_id=self._owner_id,
            payload={**firing.payload, "planned_at": firing.planned_at.isoformat()},
        )
        return t.signals.publish(signal, now=self._clock.now()) is not None
