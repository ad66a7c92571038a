"""Google Calendar as a source of events: every calendar of the account, each followed by its sync token.

list of calendars ─► each: token? ─┬─ yes ─► what changed; of a touched series all that there is
                                   └─ no, or 410 ─► all of it, as `whole`
"""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta

from tools.calendar import CalendarBatch, CalendarItem
from tools.google.answers import Entry, Event
from tools.google.calendars import Calendars
from tools.google.failures import Declined, NotThere
from tools.google.ics import ics_of
from tools.google.series import Item, events_of, grouped, touched_series
from tools.google.session import Session
from tools.mail import Checked

POLL_FOR = timedelta(minutes=1)

UNREADABLE_ROLES = frozenset({"freeBusyReader", "none"})
"""Of such a calendar only the times in which its owner is busy may be seen, and those are no events."""


class GoogleCalendar:
    """The calendars of one account, read with the reading grant. `pause` sleeps so many seconds."""

    def __init__(self, session: Session, *, pause: Callable[[float], Awaitable[object]] = asyncio.sleep) -> None:
        if session.kind != "read":
            raise ValueError("calendars are read with the grant for reading")
        self._session = session
        self._pause = pause
        self._calendars = Calendars(session)

    async def batches(self, cursor: str | None, *, skips: Callable[[str], bool]) -> AsyncIterator[CalendarBatch]:
        """As the port says."""
        entries = await self._calendars.entries()
        seen = [entry for entry in entries if _is_readable(entry) and not skips(entry.name)]
        run = _Run(self._calendars, _tokens(cursor), {entry.id: entry.name for entry in seen})
        if (left := run.left_behind({entry.id for entry in entries})) is not None:
            yield left
        for entry in seen:
            if (batch := await run.batch(entry.id)) is not None:
                yield batch

    async def wait(self, at_most: timedelta) -> None:
        """Until the next look: a minute, or `at_most`."""
        await self._pause(min(at_most, POLL_FOR).total_seconds())

    async def check(self) -> Checked:
        """Whose calendars they are and what they are called."""
        entries = await self._calendars.entries()
        readable = [entry for entry in entries if _is_readable(entry)]
        closed = [f"{entry.name}: only busy times may be seen" for entry in entries if not _is_readable(entry)]
        own = next((entry.id for entry in entries if entry.primary), "")
        return Checked(identity=own.lower(), folders=tuple(entry.name for entry in readable), notes=tuple(closed))

    async def close(self) -> None:
        """As the port says."""
        await self._session.close()


@dataclass(slots=True)
class _Run:
    """One look at every calendar; `tokens` move along with what is handed out."""

    calendars: Calendars
    tokens: dict[str, str]
    names: dict[str, str] = field(default_factory=dict)

    def left_behind(self, existing: set[str]) -> CalendarBatch | None:
        """Forget calendars that are no longer looked into; those that are no longer there are now empty."""
        gone = [each for each in self.tokens if each not in existing]
        unseen = [each for each in self.tokens if each not in self.names]
        for each in unseen:
            del self.tokens[each]
        return CalendarBatch(whole=tuple(gone), names=self.names, cursor=self._cursor()) if unseen else None

    async def batch(self, calendar: str) -> CalendarBatch | None:
        """What is new in one calendar; None when nothing is."""
        try:
            return await self._changes(calendar) if calendar in self.tokens else await self._all(calendar)
        except NotThere:
            return await self._all_or_none(calendar)
        except Declined as error:
            # Shared calendars may be closed at any moment; the others go on.
            if error.status != 403:
                raise
            return None

    async def _all_or_none(self, calendar: str) -> CalendarBatch | None:
        try:
            return await self._all(calendar)
        except NotThere:
            return None

    async def _all(self, calendar: str) -> CalendarBatch:
        listed = await self.calendars.events(calendar)
        items = [item for item in grouped(events_of(listed.items)) if not item.is_gone]
        self._keep(calendar, listed.token)
        told = tuple(_told(calendar, item, listed.zone) for item in items)
        return CalendarBatch(items=told, whole=(calendar,), names=self.names, cursor=self._cursor())

    async def _changes(self, calendar: str) -> CalendarBatch | None:
        listed = await self.calendars.events(calendar, token=self.tokens[calendar])
        events = list(events_of(listed.items))
        self._keep(calendar, listed.token)
        if not listed.items:
            return None
        items = await self._objects(calendar, events)
        return CalendarBatch(
            items=tuple(_told(calendar, item, listed.zone) for item in items if not item.is_gone),
            gone=tuple((calendar, item.ref) for item in items if item.is_gone),
            names=self.names,
            cursor=self._cursor(),
        )

    async def _objects(self, calendar: str, events: Sequence[Event]) -> list[Item]:
        series = touched_series(events)
        single = [event for event in events if event.id not in series and event.recurring_event_id not in series]
        whole = [await self._series(calendar, ref, master, events) for ref, master in series.items()]
        return [*grouped(single), *whole]

    async def _series(self, calendar: str, ref: str, master: Event | None, events: Sequence[Event]) -> Item:
        """All that there is of one series: what changed is told alone, and the rest is asked for."""
        master = master or await self.calendars.event(calendar, ref)
        changed = tuple(event for event in events if event.recurring_event_id == ref)
        if master is not None and master.is_cancelled:
            return Item(ref=ref, master=master)
        uid = next((event.ical_uid for event in (master, *changed) if event is not None and event.ical_uid), "")
        if not uid:
            return Item(ref=ref, master=master, exceptions=changed)
        listed = await self.calendars.events(calendar, uid=uid)
        found = next((item for item in grouped(events_of(listed.items)) if item.ref == ref), None)
        return found or Item(ref=ref, master=master, exceptions=changed)

    def _keep(self, calendar: str, token: str) -> None:
        # Without a token the calendar is read whole again next time.
        if token:
            self.tokens[calendar] = token
        else:
            self.tokens.pop(calendar, None)

    def _cursor(self) -> str:
        return json.dumps(self.tokens)


def _is_readable(entry: Entry) -> bool:
    return not entry.deleted and entry.access_role not in UNREADABLE_ROLES


def _told(calendar: str, item: Item, zone: str) -> CalendarItem:
    return CalendarItem(calendar=calendar, ref=item.ref, ics=ics_of(item, zone), etag=item.etag)


def _tokens(cursor: str | None) -> dict[str, str]:
    """The token of every calendar that has been read; a cursor that can't be understood is as good as none."""
    try:
        held = json.loads(cursor or "{}")
        return {calendar: token for calendar, token in held.items() if isinstance(token, str) and token}
    except (ValueError, AttributeError, RecursionError):
        return {}
