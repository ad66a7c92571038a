"""What a stage of the calendar contract is: one account with one calendar, and the hands of its user and its keeper.

To play another source, write a module with a `STAGES` of its own (name -> opens it for one test) and add it to the suite's
STAGES. What the user plans is a Plan; the stage writes it in whatever form its server takes. Events are known by `uid`,
which the stage makes the UID of the object.
"""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol

import pytest

from tests.doubles.clock import NOW
from tools.calendar import CalendarSource

NAME = "Work"
"""What the stage's calendar is called."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """An event as its user has it: a time in UTC on a whole minute, an hour long. `rule`: an RRULE, "" for none."""

    uid: str
    title: str
    start_at: datetime = NOW + timedelta(days=1)
    rule: str = ""

    @property
    def end_at(self) -> datetime:
        """An hour later."""
        return self.start_at + timedelta(hours=1)


class Stage(Protocol):
    """A calendar that is empty at first, and a source that reads it.

    secret: the password, token or secret address; the suite looks for it where it may not stand. "" when there is none.
    can_refuse: whether there is a sign-in that can be refused.
    """

    secret: str
    can_refuse: bool

    def source(self) -> CalendarSource:
        """The source as it is right after a start of Stillbell."""
        ...

    async def put(self, *plans: Plan) -> None:
        """The user plans events; one whose uid is there already is changed."""
        ...

    async def delete(self, uid: str) -> None:
        """The user deletes an event or a series."""
        ...

    async def lose_cursor(self) -> None:
        """What the source's cursors stand for is no longer known to the server. Called after something has changed."""
        ...

    async def refuse(self) -> None:
        """The sign-in is refused from now on. Only called where `can_refuse`."""
        ...

    async def break_off(self) -> None:
        """The server (or the file) is gone from now on."""
        ...

    async def mend(self) -> None:
        """It is back as it was."""
        ...


Opening = Callable[[pytest.FixtureRequest], AbstractAsyncContextManager[Stage]]


def ics_of(*plans: Plan) -> str:
    """Plans as one VCALENDAR, for stages whose server takes that."""
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Somebody//EN", f"X-WR-CALNAME:{NAME}"]
    for plan in plans:
        lines += ["BEGIN:VEVENT", f"UID:{plan.uid}", f"DTSTAMP:{NOW:%Y%m%dT%H%M%SZ}", f"SUMMARY:{plan.title}"]
        lines += [f"DTSTART:{plan.start_at:%Y%m%dT%H%M%SZ}", f"DTEND:{plan.end_at:%Y%m%dT%H%M%SZ}"]
        lines += ([f"RRULE:{plan.rule}"] if plan.rule else []) + ["END:VEVENT"]
    return "\r\n".join((*lines, "END:VCALENDAR", ""))
