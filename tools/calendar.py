"""The calendar port: how events come in, whatever they come from. Reading only; nothing here can change a calendar.

An item is one object of a calendar as iCalendar text: an event, or a series with its exceptions. What it means (the
occurrences) is read by tools/ics; the source only says which items there are, which changed and which are gone.
"""

from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Protocol

from tools.mail import Checked


@dataclass(frozen=True, slots=True, kw_only=True)
class CalendarItem:
    """One object. `ref` is the source's name of it in `calendar`; `ics` a whole VCALENDAR with its time zones."""

    calendar: str
    ref: str
    ics: str
    etag: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CalendarBatch:
    """What was read in one go. `cursor` is opaque text for the next call, committed with the batch.

    gone: (calendar, ref) of what is no longer there. whole: calendars of which this batch holds every item there is, so
    that whatever else is known of them is gone. names: calendar id → what the owner calls it.
    """

    items: tuple[CalendarItem, ...] = ()
    gone: tuple[tuple[str, str], ...] = ()
    whole: tuple[str, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)
    cursor: str


class CalendarSource(Protocol):
    """One account. Used by one task at a time; every call may raise SourceDown, SlowDown, SignInRefused."""

    def batches(self, cursor: str | None, *, skips: Callable[[str], bool]) -> AsyncIterator[CalendarBatch]:
        """What changed since `cursor`; None reads everything. An expired cursor reads everything again, as `whole`.

        A calendar whose name `skips` names is not looked into.
        """
        ...

    async def wait(self, at_most: timedelta) -> None:
        """Return when there may be something new, after `at_most` in any case."""
        ...

    async def check(self) -> Checked:
        """Sign in and look around; `folders` are the calendars' names. Changes nothing."""
        ...

    async def close(self) -> None:
        """Let go of connections and threads. May be called twice."""
        ...
