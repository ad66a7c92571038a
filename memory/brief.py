"""The morning brief: what is in it, judged and worded from rows alone.

One to three short pieces: a line on the night; what landed; today, what is open and what is still held. Nothing held
and nothing due is one line. Which lines were told is written in the transaction that writes the pieces.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from memory.loop import Loop
from memory.markdown import escaped
from memory.notice import Notice
from memory.owner import Owner
from memory.reminder import LATE_AFTER_FOR, Reminder
from memory.wording import say, when

LANDED_MAX = 12
"""So many lines are told one by one; more are counted, and stay untold for the next brief."""

OPEN_MAX = 6

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
}
"""Kinds of signal that are the conversation or the clockwork: no news of the night."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """What a brief is made from. `signals` counts by (source, kind) since the last brief; `planned_at` is None on request."""

    owner: Owner
    now: datetime
    landed: Sequence[Notice]
    held: int
    loops: Sequence[Loop]
    reminders: Sequence[Reminder]
    signals: Mapping[tuple[str, str], int]
    planned_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Brief:
    """The pieces, in order, and the ids of the notices that stand in them."""

    pieces: tuple[str, ...]
    told: tuple[int, ...]


def compose(sources: Sources) -> Brief:
    """The brief of this moment. There is always at least one piece."""
    shown = sources.landed[:LANDED_MAX]
    pieces = [_night(sources), _landed(sources, shown), _today(sources)]
    return Brief(tuple(piece for piece in pieces if piece), tuple(notice.id for notice in shown))


def _night(sources: Sources) -> str:
    language = sources.owner.language
    scheduled = "brief_night" if sources.planned_at else "brief_now"
    counts = _counts(sources.signals)
    if counts or sources.landed:
        line = say(language, scheduled, counts=counts or str(len(sources.landed)))
    else:
        line = say(language, f"{scheduled}_quiet")
        if not _today(sources):
            line += f" {say(language, 'brief_not_held')}" if not sources.held else ""
    if sources.planned_at and sources.now - sources.planned_at > LATE_AFTER_FOR:
        line += "\n" + say(language, "brief_late", when=_when(sources, sources.planned_at))
    return line


def _counts(signals: Mapping[tuple[str, str], int]) -> str:
    news: dict[str, int] = {}
    for (source, kind), count in signals.items():
        if kind not in OURS and source != "timetable":
            news[kind] = news.get(kind, 0) + count
    return ", ".join(f"{count} × {escaped(kind)}" for kind, count in sorted(news.items()))


def _landed(sources: Sources, shown: Sequence[Notice]) -> str:
    if not shown:
        return ""
    language = sources.owner.language
    lines = [f"- {notice.summary}" for notice in shown]
    if len(sources.landed) > len(shown):
        lines.append(say(language, "brief_more", count=len(sources.landed) - len(shown)))
    return "\n".join((say(language, "brief_landed"), *lines))


def _today(sources: Sources) -> str:
    language = sources.owner.language
    parts = []
    due = _due_today(sources)
    if due:
        parts.append("\n".join((say(language, "brief_today"), *due)))
    undated = [loop for loop in sources.loops if not loop.snoozed and loop.remind_at_wall is None]
    if undated:
        lines = [f"- {escaped(loop.title)}" for loop in undated[:OPEN_MAX]]
        more = len(undated) - OPEN_MAX
        lines += [say(language, "brief_more", count=more)] if more > 0 else []
        parts.append("\n".join((say(language, "brief_open", count=len(undated)), *lines)))
    if sources.held:
        parts.append(say(language, "brief_held", count=sources.held))
    return "\n\n".join(parts)


def _due_today(sources: Sources) -> list[str]:
    zones = sources.owner.zones
    today = zones.wall_at(sources.now).date()
    end = zones.wall_to_utc(datetime.combine(today + timedelta(days=1), datetime.min.time()))
    due = sorted((reminder.due_at(zones), reminder.text) for reminder in sources.reminders)
    return [f"- {zones.wall_at(at):%H:%M} {escaped(text)}" for at, text in due if sources.now <= at < end]


def _when(sources: Sources, at: datetime) -> str:
    zones, language = sources.owner.zones, sources.owner.language
    return when(zones.wall_at(at), zones.wall_at(sources.now).date(), language)
