"""The morning brief: what is in it, judged and worded from rows alone.

One to three short pieces: a line on the night; what landed; the day, what is open and what is still held. Nothing held
and nothing due is one line. What was only worth a line is told once, in the transaction that writes the pieces; what is
open stands as long as it is open.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from memory.conflict import Conflict
from memory.day import Day, Line, Mark, Thread
from memory.day_words import letters_words, marked
from memory.markdown import escaped
from memory.notice import Notice
from memory.owner import Owner
from memory.reminder import LATE_AFTER_FOR
from memory.wording import say, usd, when

LANDED_MAX = 12
"""So many lines are told one by one; more are counted, and stay untold for the next brief."""

OPEN_MAX = NEEDS_MAX = 6
WAITING_MAX = 4
AGENDA_MAX = 10
"""Together no more than a phone shows on a screen or two; /today has the rest."""

_REMARKS: tuple[Mark, ...] = ("conflict",)
"""What is next stands first; that needs no word."""

CLASH_AHEAD_FOR = timedelta(days=2)
"""A conflict further ahead was told once, when it was found."""

OURS = {
    "message",
    "edit",
    "tap",
    "tick",
    "brief",
    "reminder",
    "paired",
    "membership",
    "reaction",
    "unreadable",
    "notices",
    "calendar_event",
    "heads_up",
    "review",
}
"""Kinds of signal that are the conversation or the clockwork: no news of the night."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """What a brief is made from. `signals` counts by (source, kind) since the last brief; `planned_at` is None on request.

    about: by a notice's id, the key of the line of the day that speaks of the same.
    """

    owner: Owner
    now: datetime
    landed: Sequence[Notice]
    held: int
    day: Day
    signals: Mapping[tuple[str, str], int]
    about: Mapping[int, str] = field(default_factory=dict)
    planned_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Brief:
    """The pieces, in order, and the ids of the notices that stand in them."""

    pieces: tuple[str, ...]
    told: tuple[int, ...]


def compose(sources: Sources) -> Brief:
    """The brief of this moment. There is always at least one piece."""
    needs = [line for line in sources.day.needs_you if _stands(line, sources)]
    standing = {line.key for line in needs[:NEEDS_MAX]}
    said_there = [notice for notice in sources.landed if sources.about.get(notice.id) in standing]
    landed = [notice for notice in sources.landed if notice not in said_there]
    shown = landed[:LANDED_MAX]
    day, tally = _day(sources, needs), _tally(sources)
    night = _night(sources, is_idle=not day)
    if day:
        day, tally = "\n\n".join(part for part in (day, tally) if part), ""
    pieces = (f"{night} {tally}".rstrip(), _landed(sources, shown, len(landed) - len(shown)), day)
    return Brief(tuple(piece for piece in pieces if piece), tuple(notice.id for notice in (*said_there, *shown)))


def _stands(line: Line, sources: Sources) -> bool:
    """What is told every morning until it is done: not what was only worth a line, nor a conflict weeks ahead."""
    match line.of:
        case Thread(judgement=judged):
            return judged.verdict.what != "hold"
        case Conflict(from_at=from_at):
            return line.is_new or from_at - sources.now < CLASH_AHEAD_FOR
        case _:
            return True


def _night(sources: Sources, *, is_idle: bool) -> str:
    language = sources.owner.language
    scheduled = "brief_night" if sources.planned_at else "brief_now"
    counts = _counts(sources)
    if counts or sources.landed:
        line = say(language, scheduled, counts=counts or str(len(sources.landed)))
    else:
        line = say(language, f"{scheduled}_quiet") + (f" {say(language, 'brief_not_held')}" if is_idle else "")
    if sources.planned_at and sources.now - sources.planned_at > LATE_AFTER_FOR:
        line += "\n" + say(language, "brief_late", when=_when(sources, sources.planned_at))
    return line


def _counts(sources: Sources) -> str:
    news: dict[str, int] = {}
    for (source, kind), count in sources.signals.items():
        if kind not in OURS and source != "timetable":
            news[kind] = news.get(kind, 0) + count
    silent = sources.day.silent
    quiet = say(sources.owner.language, "brief_silently", count=silent) if silent else ""
    return ", ".join(
        f"{count} × {escaped(kind)}{quiet if kind == 'mail' else ''}" for kind, count in sorted(news.items())
    )


def _landed(sources: Sources, shown: Sequence[Notice], more: int) -> str:
    if not shown:
        return ""
    language = sources.owner.language
    lines = [f"- {notice.summary}" for notice in shown]
    if more:
        lines.append(say(language, "brief_more", count=more))
    return "\n".join((say(language, "brief_landed"), *lines))


def _day(sources: Sources, needs: Sequence[Line]) -> str:
    language, day = sources.owner.language, sources.day
    agenda = [line for line in day.agenda if "over" not in line.marks]
    parts = [
        _part(sources, say(language, "day_needs"), needs, NEEDS_MAX),
        letters_words(day),
        _part(sources, say(language, "brief_today"), agenda, AGENDA_MAX),
        _part(sources, say(language, "day_waiting"), day.waiting_on, WAITING_MAX),
        _part(sources, say(language, "brief_open", count=len(day.open)), day.open, OPEN_MAX),
        say(language, "brief_held", count=sources.held) if sources.held else "",
    ]
    return "\n\n".join(part for part in parts if part)


def _part(sources: Sources, title: str, lines: Sequence[Line], most: int) -> str:
    if not lines:
        return ""
    owner, now = sources.owner, sources.now
    said = [f"- {marked(line, owner, now, in_words=_REMARKS)}" for line in lines[:most]]
    more = len(lines) - most
    return "\n".join((title, *said, *([say(owner.language, "brief_more", count=more)] if more > 0 else [])))


def _tally(sources: Sources) -> str:
    """What the morning cost; nothing when no mail came."""
    tally, key = sources.day.tally, "tally" if sources.planned_at else "tally_now"
    return cost_words(key, sources.day) if tally.mails else ""


def cost_words(key: str, day: Day, **values: object) -> str:
    """How many mails came, how many asked the model, and what that cost."""
    language, tally = day.owner.language, day.tally
    mails = say(language, "mails_one" if tally.mails == 1 else "mails_many", count=tally.mails)
    return say(language, key, mails=mails, calls=tally.calls, cost=usd(tally.cost_usd), **values)


def _when(sources: Sources, at: datetime) -> str:
    zones, language = sources.owner.zones, sources.owner.language
    return when(zones.wall_at(at), zones.wall_at(sources.now).date(), language)
