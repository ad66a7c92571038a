"""The day: what needs the owner, what waits on others, what is planned, and what landed in silence. From rows alone.

    thread of mail   newest judgement   its latest mail            done, less, or its loops closed since?   → stands in
                     notify, loop       somebody else's             no                                        needs you
                     hold               somebody else's             no, and judged within HELD_FOR            needs you
                     "waiting"          the owner's own             no                                        waiting on
                     log, ignore        whoever's                                                             landed

Every line has a key that stays the same as long as it is about the same, and says whether it is new since the last brief.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, time, timedelta
from typing import Literal, get_args

from memory.canonical import digest
from memory.conflict import Conflict, without_copies
from memory.event import Event
from memory.heads_up import is_told_of
from memory.judgement import Judgement
from memory.loop import Loop, is_listed
from memory.loop import subject as loop_subject
from memory.owner import Owner
from memory.reminder import Reminder
from memory.reminder import subject as reminder_subject

HELD_FOR = timedelta(days=3)
"""So long a mail that was only worth a line stands unanswered; after that nobody is waiting for the owner to see it."""

STANDS_FOR = timedelta(days=14)
"""So long any other does. What is kept track of has a loop by then, which stands as long as it is open."""

CLASHES_WITHIN_FOR = timedelta(days=14)
"""Conflicts this far ahead are raised; further plans change by themselves."""

KNOWN_FOR = timedelta(days=8)
"""Events this far ahead are remembered with a brief, so that the next one can mark what changed."""

Mark = Literal["new", "next", "over", "conflict"]
"""new: since the last brief. next: the next thing on the agenda. over: it has ended. conflict: it clashes with another."""

SilentKind = Literal["advertising", "lists", "automated", "courtesy", "copied", "calendar", "strangers", "other"]

SILENT_KINDS: tuple[SilentKind, ...] = get_args(SilentKind)
"""In the order in which they are told."""

_SILENT: Mapping[str, SilentKind] = {
    "marketing": "advertising",
    "list": "lists",
    "automated": "automated",
    "auto-reply": "automated",
    "code": "automated",
    "bounce_other": "automated",
    "courtesy": "courtesy",
    "copied": "copied",
    "invited_reply": "calendar",
    "invited_foreign": "calendar",
    "doubtful_stranger": "strangers",
    "cold_log": "strangers",
}
_NO_MAIL_OF_OTHERS = frozenset({"own", "hanging", "waiting", "not_waiting"})
"""What the owner wrote themselves, and second looks at mails that were judged before."""

_OWED = frozenset({"reply", "promise", "approval"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Thread:
    """A thread of mail as it stands. `who` and `about` are words of others: data; `line` is both as safe Markdown.

    mail_id: its latest mail, written by the owner if `by_owner`. settled_at: when the owner last was done with it.
    loops: those that were ever opened for it.
    """

    id: int
    mail_id: int
    by_owner: bool
    at: datetime
    who: str
    about: str
    line: str
    judgement: Judgement
    settled_at: datetime | None = None
    loops: tuple[Loop, ...] = ()

    @property
    def key(self) -> str:
        """How rows name it (see memory/mail_thread.subject_of)."""
        return f"mail-thread:{self.id}"


Matter = Thread | Loop | Conflict | Event | Reminder


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line of the day."""

    key: str
    of: Matter
    marks: frozenset[Mark] = frozenset()

    @property
    def is_new(self) -> bool:
        """Whether it was not there at the last brief, or not so."""
        return "new" in self.marks


@dataclass(frozen=True, slots=True)
class Landed:
    """Mails of one kind that nobody was told of, the newest first."""

    kind: SilentKind
    mail_ids: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Letter:
    """A letter that has not left: its card waits for the owner's tap, or it is approved and held back. to, subject: data."""

    to: str
    subject: str
    is_held: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """What came since a moment (aware UTC), and what judging it cost: calls of the model and USD."""

    since: datetime
    mails: int = 0
    calls: int = 0
    cost_usd: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """What a day is made from. `since` is the last brief, None before the first.

    events: from the start of today until CLASHES_WITHIN_FOR from now. conflicts: those among them. raised_at: by a
    conflict's key, when it was raised. dismissed: keys of those the owner has seen to. known: how events stood at the last
    brief (`mark_of`), None when nobody knows. judged: since `tally.since`, oldest first.
    """

    owner: Owner
    now: datetime
    since: datetime | None = None
    threads: Sequence[Thread] = ()
    loops: Sequence[Loop] = ()
    reminders: Sequence[Reminder] = ()
    events: Sequence[Event] = ()
    conflicts: Sequence[Conflict] = ()
    raised_at: Mapping[str, datetime] = field(default_factory=dict)
    dismissed: Collection[str] = ()
    known: Collection[str] | None = None
    judged: Sequence[Judgement] = ()
    letters: Sequence[Letter] = ()
    tally: Tally
    has_calendar: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Day:
    """The day. `agenda`: today's events, those of the whole day first, and today's reminders; `open`: what has no time.

    tomorrow: the first event of tomorrow that has a time.
    """

    owner: Owner
    now: datetime
    needs_you: tuple[Line, ...] = ()
    agenda: tuple[Line, ...] = ()
    waiting_on: tuple[Line, ...] = ()
    open: tuple[Line, ...] = ()
    letters: tuple[Letter, ...] = ()
    landed: tuple[Landed, ...] = ()
    tomorrow: Event | None = None
    tally: Tally
    has_calendar: bool = False

    @property
    def silent(self) -> int:
        """How many mails landed in silence."""
        return sum(len(one.mail_ids) for one in self.landed)

    @property
    def lines(self) -> tuple[Line, ...]:
        """What can be answered, in the order in which it is told."""
        return (*self.needs_you, *self.waiting_on, *self.open)


def compose(sources: Sources) -> Day:
    """The day as it stands at `sources.now`."""
    standing = [thread for thread in sources.threads if needs_owner(thread, sources.now)]
    waiting = [thread for thread in sources.threads if waits_on_others(thread)]
    loops = _loops(sources, [*standing, *waiting])
    return Day(
        owner=sources.owner,
        now=sources.now,
        needs_you=_needs(sources, standing, [loop for loop in loops if loop.kind in _OWED]),
        agenda=_agenda(sources),
        waiting_on=_waiting(sources, waiting, [loop for loop in loops if loop.kind == "waiting"]),
        open=tuple(_loop_line(loop, sources) for loop in loops if loop.kind == "task"),
        letters=tuple(sources.letters),
        landed=landed(sources.judged),
        tomorrow=_tomorrow(sources),
        tally=sources.tally,
        has_calendar=sources.has_calendar,
    )


# Mail


def needs_owner(thread: Thread, now: datetime) -> bool:
    """Whether a thread waits for the owner."""
    what = thread.judgement.verdict.what
    if thread.by_owner or thread.judgement.code == "waiting" or what in ("log", "ignore") or _is_settled(thread):
        return False
    return now - thread.judgement.at <= (HELD_FOR if what == "hold" else STANDS_FOR)


def waits_on_others(thread: Thread) -> bool:
    """Whether the owner asked in it and nobody answers."""
    return thread.by_owner and thread.judgement.code == "waiting" and not _is_settled(thread)


def _is_settled(thread: Thread) -> bool:
    """Done since it was judged, by a button or by closing its loop; or out of sight until its loop comes round."""
    if thread.settled_at is not None and thread.settled_at >= thread.judgement.at:
        return True
    opened = [loop for loop in thread.loops if loop.state == "open"]
    if opened:
        return all(loop.snoozed for loop in opened)
    return any(loop.closed_at is not None and loop.closed_at >= thread.judgement.at for loop in thread.loops)


def landed(judged: Iterable[Judgement]) -> tuple[Landed, ...]:
    """The mails that made no sound and no line, by kind; of a mail that was judged twice the last word counts."""
    latest = {one.mail_id: one for one in judged if _name(one) not in _NO_MAIL_OF_OTHERS}
    by_kind: dict[SilentKind, list[int]] = {}
    for one in sorted(latest.values(), key=lambda one: one.id, reverse=True):
        if one.verdict.what in ("log", "ignore"):
            by_kind.setdefault(_SILENT.get(_name(one), "other"), []).append(one.mail_id)
    return tuple(Landed(kind, tuple(by_kind[kind])) for kind in SILENT_KINDS if kind in by_kind)


def mails_judged(judged: Iterable[Judgement]) -> int:
    """How many mails of others these judgements are about."""
    return len({one.mail_id for one in judged if _name(one) not in _NO_MAIL_OF_OTHERS})


def _name(judgement: Judgement) -> str:
    """The reason's name, without what `settle` put behind it."""
    return judgement.code.partition("+")[0]


# What needs the owner, and what waits


def _needs(sources: Sources, threads: Iterable[Thread], loops: Iterable[Loop]) -> tuple[Line, ...]:
    clashes = [one for one in sources.conflicts if one.key not in sources.dismissed]
    lines = [_thread_line(thread, sources) for thread in threads]
    lines += [_clash_line(clash, sources) for clash in clashes]
    lines += [_loop_line(loop, sources) for loop in loops]
    return tuple(sorted(lines, key=lambda line: _rank(line, sources.now)))


_RANKS: Mapping[str, int] = {"notify": 0, "loop": 2, "hold": 4}


def _rank(line: Line, now: datetime) -> tuple[int, float, float]:
    """What can't wait, then the day's conflicts, then what is owed, then what was only worth a line; grave first."""
    match line.of:
        case Thread(judgement=judged, at=at):
            return _RANKS[judged.verdict.what], -judged.verdict.consequence, -at.timestamp()
        case Conflict(from_at=from_at):
            return (1 if from_at - now < timedelta(days=1) else 5), 0.0, from_at.timestamp()
        case Loop(opened_at=opened_at):
            return 3, 0.0, opened_at.timestamp()
        case _:
            raise AssertionError(f"{line.key} needs nobody")


def _waiting(sources: Sources, threads: Iterable[Thread], loops: Iterable[Loop]) -> tuple[Line, ...]:
    lines = [_loop_line(loop, sources) for loop in loops]
    return tuple(lines + [_thread_line(thread, sources) for thread in sorted(threads, key=lambda one: one.at)])


def _loops(sources: Sources, threads: Iterable[Thread]) -> list[Loop]:
    """What is open, in sight and without a time, unless a thread's line stands for it already."""
    told = {loop.id for thread in threads for loop in thread.loops}
    return [loop for loop in sources.loops if is_listed(loop) and loop.remind_at_wall is None and loop.id not in told]


def _thread_line(thread: Thread, sources: Sources) -> Line:
    return Line(key=thread.key, of=thread, marks=_since(thread.judgement.at, sources))


def _loop_line(loop: Loop, sources: Sources) -> Line:
    return Line(key=loop_subject(loop.id), of=loop, marks=_since(loop.opened_at, sources))


def _clash_line(clash: Conflict, sources: Sources) -> Line:
    return Line(key=clash_subject(clash), of=clash, marks=_since(sources.raised_at.get(clash.key), sources))


def clash_subject(clash: Conflict) -> str:
    """How rows name a conflict."""
    return f"conflict:{clash.key}"


def _since(at: datetime | None, sources: Sources) -> frozenset[Mark]:
    is_new = at is not None and sources.since is not None and at > sources.since
    return frozenset({"new"}) if is_new else frozenset()


# The agenda


def today_of(owner: Owner, now: datetime) -> tuple[datetime, datetime]:
    """From when to when (aware UTC) it is today on the owner's clock."""
    on = owner.zones.wall_at(now).date()
    start, end = (datetime.combine(on + timedelta(days=days), time()) for days in (0, 1))
    return owner.zones.wall_to_utc(start), owner.zones.wall_to_utc(end)


def mark_of(event: Event) -> str:
    """A short name of an event as it stands; another one once it was moved, called off or renamed."""
    return digest([event.key, event.start_at.isoformat(), event.end_at.isoformat(), event.status, event.title])[:12]


def _agenda(sources: Sources) -> tuple[Line, ...]:
    start, end = today_of(sources.owner, sources.now)
    events = [
        event
        for event in without_copies(sources.events)
        if event.start_at < end and event.end_at > start and event.my_answer != "declined"
    ]
    reminders = [reminder for reminder in sources.reminders if start <= _due_at(reminder, sources) < end]
    coming = [at for at in (*map(_starts_at, events), *(_due_at(r, sources) for r in reminders)) if at is not None]
    next_at = min((at for at in coming if at > sources.now), default=None)
    lines = [_event_line(event, sources, next_at) for event in events]
    lines += [_reminder_line(reminder, sources, next_at) for reminder in reminders]
    return tuple(sorted(lines, key=lambda line: _place(line, sources)))


def _starts_at(event: Event) -> datetime | None:
    """When it begins for the owner; None for what has no time, or won't be."""
    return event.start_at if is_told_of(event) else None


def _due_at(reminder: Reminder, sources: Sources) -> datetime:
    return reminder.due_at(sources.owner.zones)


def _event_line(event: Event, sources: Sources, next_at: datetime | None) -> Line:
    clashing = {(one.key, one.start_at) for clash in sources.conflicts for one in (clash.first, clash.second)}
    marks: dict[Mark, bool] = {
        "new": sources.known is not None and mark_of(event) not in sources.known,
        "next": next_at is not None and _starts_at(event) == next_at,
        "over": not event.is_all_day and event.end_at <= sources.now,
        "conflict": (event.key, event.start_at) in clashing,
    }
    name = f"event:{digest([event.key, event.start_at.isoformat()])[:12]}"
    return Line(key=name, of=event, marks=frozenset(mark for mark, holds in marks.items() if holds))


def _reminder_line(reminder: Reminder, sources: Sources, next_at: datetime | None) -> Line:
    at = _due_at(reminder, sources)
    marks: dict[Mark, bool] = {
        "new": bool(_since(reminder.created_at, sources)),
        "next": at == next_at,
        "over": at < sources.now,
    }
    return Line(
        key=reminder_subject(reminder.id),
        of=reminder,
        marks=frozenset(mark for mark, holds in marks.items() if holds),
    )


def _place(line: Line, sources: Sources) -> tuple[bool, datetime, str]:
    """What has no time comes first."""
    if isinstance(line.of, Event):
        return not line.of.is_all_day, line.of.start_at, line.of.title
    if isinstance(line.of, Reminder):
        return True, _due_at(line.of, sources), line.of.text
    raise AssertionError(f"{line.key} is on no agenda")


def _tomorrow(sources: Sources) -> Event | None:
    _, start = today_of(sources.owner, sources.now)
    _, end = today_of(sources.owner, start)
    events = without_copies(sources.events)
    return next((event for event in events if is_told_of(event) and start <= event.start_at < end), None)
