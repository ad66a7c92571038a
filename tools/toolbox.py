"""The tools: loops, reminders, search, and what reads mail, calendars and people.

Each is typed, each is declared ALLOW, and none reaches anybody else.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from memory.clock import Clock
from memory.defang import defang, links_in
from memory.errors import BadInput, NotFound
from memory.ledger import Ledger, Tables
from memory.loop import Loop
from memory.loop import subject as loop_subject
from memory.owner import Owner
from memory.reminder import Reminder
from memory.reminder import subject as reminder_subject
from memory.when.recurrence import Recurrence
from tools.arguments import Arguments, Id
from tools.calendar_tools import calendar_tools
from tools.gate import Acting, Caller, Reading, Tool
from tools.mail_tools import mail_tools
from tools.portrait_tools import portrait_tools
from tools.search_tools import search_tools

YEARS_AHEAD = 100
"""So far from now a reminder may lie; a year that a model made up may lie anywhere, and outside of every calendar."""

YEAR_MIN = 1970

TOO_OFTEN = frozenset({"MINUTELY", "HOURLY"})
"""What comes back more often than daily is the owner's to set, by a sentence that plain code reads."""


def _line(text: str) -> str:
    """One line: what a model writes over several could pass for entries of their own in a list."""
    line = " ".join(text.split())
    if not line:
        raise ValueError("there are no words in it")
    return line


def wall_time(text: str) -> str:
    """A time on the owner's own clock, as it is kept. Raises ValueError with a hint for a model."""
    try:
        wall = datetime.fromisoformat(text)
    except ValueError as error:
        raise ValueError(f"{text!r} is no time; one looks like 2026-12-03T12:00") from error
    if wall.tzinfo is not None:
        raise ValueError("give the time on the owner's own clock, without a zone: 2026-12-03T12:00")
    return wall.isoformat(timespec="minutes")


def _rule(text: str | None) -> str | None:
    if not text:
        return None
    try:
        rule = Recurrence.from_text(text)
    except BadInput as error:
        raise ValueError(str(error)) from error
    if rule.frequency in TOO_OFTEN:
        raise ValueError("a rule comes back daily at most")
    if any(on is not None and on.year < YEAR_MIN for on in (rule.since, rule.until)):
        raise ValueError(f"the year must lie between {YEAR_MIN} and a hundred years from now")
    return rule.to_text()


Line = Annotated[str, Field(min_length=1, max_length=300), AfterValidator(_line)]


class ListLoops(Arguments):
    """No arguments."""


class OpenLoop(Arguments):
    """A new loop."""

    title: Line = Field(description="what is open, in a few words")
    kind: Literal["reply", "task", "waiting", "promise"] = "task"


class CloseLoop(Arguments):
    """An existing loop."""

    loop_id: Id = Field(description="the number after # in the list of open loops")
    state: Literal["done", "dropped"] = "done"


class SetReminder(Arguments):
    """Something to be said at a time."""

    text: Line
    wall: Annotated[str, AfterValidator(wall_time)] = Field(
        max_length=40, description="the owner's own clock, as 2026-12-03T12:00"
    )
    rule: Annotated[str | None, AfterValidator(_rule)] = Field(
        default=None,
        max_length=200,
        description="for what comes back, daily at most, such as FREQ=WEEKLY;BYDAY=MO,TU 08:00",
    )


class CancelReminder(Arguments):
    """An existing reminder."""

    reminder_id: Id


class Toolbox:
    """Makes the tools."""

    def __init__(self, _: Ledger, clock: Clock) -> None:
        self._clock = clock

    def tools(self) -> tuple[Tool[Any], ...]:
        """Every tool, with its permission."""
        reading = (*mail_tools(), *calendar_tools(self._clock), *portrait_tools(self._clock))
        return (*self._loop_tools(), *self._reminder_tools(), *search_tools(self._clock), *reading)

    def _loop_tools(self) -> tuple[Tool[Any], ...]:
        return (
            Reading(
                name="loops_list",
                description="The open loops you hold for the owner, with their ids.",
                permission="ALLOW",
                arguments=ListLoops,
                read=_list,
            ),
            Acting(
                name="loop_open",
                description="Keep something open for the owner until it is closed.",
                permission="ALLOW",
                arguments=OpenLoop,
                act=self._open,
                tell=lambda t, subject: {"opened": _plain(_loop(t, _id(subject)))},
            ),
            Acting(
                name="loop_close",
                description="Close an open loop that the owner says is done or dropped.",
                permission="ALLOW",
                arguments=CloseLoop,
                act=self._close,
                tell=_closed,
            ),
        )

    def _reminder_tools(self) -> tuple[Tool[Any], ...]:
        return (
            Acting(
                name="reminder_set",
                description="Remind the owner of something at a time on their own clock.",
                permission="ALLOW",
                arguments=SetReminder,
                act=self._remind,
                tell=_set,
            ),
            Acting(
                name="reminder_cancel",
                description="Cancel a reminder that is set.",
                permission="ALLOW",
                arguments=CancelReminder,
                act=self._cancel,
                tell=lambda t, subject: {"cancelled": _reminder(t, _id(subject)).state == "cancelled"},
            ),
        )

    def _open(self, t: Tables, arguments: OpenLoop, caller: Caller) -> str:
        loop = t.loops.open(
            owner_id=caller.owner_id,
            kind=arguments.kind,
            title=_harmless(t, arguments.title, caller),
            because=_because(caller),
            now=self._clock.now(),
            signal_id=caller.signal_id,
        )
        return loop_subject(loop.id)

    def _close(self, t: Tables, arguments: CloseLoop, caller: Caller) -> str:
        known = _loop(t, arguments.loop_id, caller)
        closed = t.loops.close(
            known.id,
            state=arguments.state,
            because=_because(caller),
            now=self._clock.now(),
            signal_id=caller.signal_id,
        )
        if closed is None:
            raise BadInput(f"loop #{known.id} is {known.state} already")
        return loop_subject(closed.id)

    def _remind(self, t: Tables, arguments: SetReminder, caller: Caller) -> str:
        owner, now, because = t.owners.get(caller.owner_id), self._clock.now(), _because(caller)
        wall, text = datetime.fromisoformat(arguments.wall), _harmless(t, arguments.text, caller)
        _within_reach(wall, arguments.rule, owner, now)
        loop = None
        if arguments.rule is None:
            loop = t.loops.open(
                owner_id=owner.id, kind="task", title=text, because=because, now=now, signal_id=caller.signal_id
            )
        reminder = t.reminders.set(
            owner_id=owner.id,
            text=text,
            wall=wall,
            rule=arguments.rule,
            loop_id=loop.id if loop else None,
            because=because,
            now=now,
            signal_id=caller.signal_id,
        )
        return reminder_subject(reminder.id)

    def _cancel(self, t: Tables, arguments: CancelReminder, caller: Caller) -> str:
        known = _reminder(t, arguments.reminder_id, caller)
        if not t.reminders.cancel(
            known.id, because=_because(caller), now=self._clock.now(), signal_id=caller.signal_id
        ):
            raise BadInput(f"reminder {known.id} is {known.state} already")
        return reminder_subject(known.id)


def _list(t: Tables, _: ListLoops, caller: Caller) -> Mapping[str, Any]:
    return {"loops": [_plain(loop) for loop in t.loops.list_open(caller.owner_id, with_snoozed=True)]}


def _loop(t: Tables, loop_id: int, caller: Caller | None = None) -> Loop:
    loop = t.loops.get(loop_id)
    if loop is None or (caller is not None and loop.owner_id != caller.owner_id):
        raise NotFound(f"there is no loop #{loop_id}")
    return loop


def _reminder(t: Tables, reminder_id: int, caller: Caller | None = None) -> Reminder:
    reminder = t.reminders.get(reminder_id)
    if reminder is None or (caller is not None and reminder.owner_id != caller.owner_id):
        raise NotFound(f"there is no reminder {reminder_id}")
    return reminder


def _closed(t: Tables, subject: str) -> Mapping[str, Any]:
    loop = _loop(t, _id(subject))
    return {loop.state: _plain(loop)}


def _set(t: Tables, subject: str) -> Mapping[str, Any]:
    reminder = _reminder(t, _id(subject))
    return {
        reminder.state: {
            "reminder_id": reminder.id,
            "loop_id": reminder.loop_id,
            "wall": reminder.wall.isoformat(),
            "rule": reminder.rule,
        }
    }


def _within_reach(wall: datetime, rule: str | None, owner: Owner, now: datetime) -> None:
    """Raises BadInput for a time that has gone by or that nobody lives to see."""
    near, far = now.year - 1, now.year + YEARS_AHEAD
    recurrence = Recurrence.from_text(rule) if rule else None
    years = [on.year for on in (recurrence and recurrence.since, recurrence and recurrence.until) if on]
    if wall.year < near or max([wall.year, *years]) > far:
        raise BadInput(f"the year must lie between {near} and {far}")
    if owner.zones.wall_to_utc(wall) <= now:
        raise BadInput(f"{wall:%Y-%m-%d %H:%M} has gone by; it is now {owner.zones.wall_at(now):%Y-%m-%d %H:%M}")


def _harmless(t: Tables, text: str, caller: Caller) -> str:
    """The text with live links only to what stands in the owner's question: it will be shown in lists, by plain code."""
    parts = t.thread.parts(caller.turn_id) if caller.turn_id is not None else []
    return defang(text, links_in("\n".join(message.text for message, _ in parts)))


def _id(subject: str) -> int:
    return int(subject.partition(":")[2])


def _because(caller: Caller) -> str:
    return f"{caller.agent} in turn {caller.turn_id}"


def _plain(loop: Loop) -> Mapping[str, Any]:
    due = loop.remind_at_wall.isoformat() if loop.remind_at_wall else None
    return {"id": loop.id, "kind": loop.kind, "title": loop.title, "state": loop.state, "comes_round": due}
