"""The lines of a day in words: as Markdown that shows what others wrote as it is, and as data for a model."""

import json
from collections.abc import Collection
from datetime import datetime

from memory.conflict import Conflict
from memory.day import Day, Line, Mark, Thread
from memory.event import Event
from memory.event_words import event_line, event_time, event_title
from memory.foreign import foreign
from memory.loop import Loop, title_of
from memory.markdown import escaped
from memory.owner import Owner
from memory.reminder import Reminder
from memory.wording import say, when

WORDS_MAX = 120
"""So many characters of a title are shown."""


LETTERS_MAX = 3
"""So many letters that have not left are told of one by one."""


def safe(words: str) -> str:
    """What others wrote as one line of Markdown that shows it as it is, with no address that a thumb could follow."""
    return foreign(words, WORDS_MAX)


def in_line(line: Line, owner: Owner, now: datetime) -> str:
    """A line as Markdown, without its marks."""
    today = owner.zones.wall_at(now).date()
    match line.of:
        case Thread(line=words):
            return words
        case Loop(title=title, kind=kind, remind_at_wall=wall):
            # An answer that is owed is called by the mail's subject, which a stranger wrote; the rest by the owner's words.
            named = safe(title) if kind == "reply" else escaped(title)
            return f"{named}{f' – {when(wall, today, owner.language)}' if wall else ''}"
        case Conflict() as clash:
            return clash_words(clash, owner, now)
        case Event() as event:
            return event_words(event, owner, now)
        case Reminder(text=text) as reminder:
            return f"{owner.zones.wall_at(reminder.due_at(owner.zones)):%H:%M} {escaped(text)}"


def event_words(event: Event, owner: Owner, now: datetime) -> str:
    """An event as Markdown."""
    return event_line(event, owner.zones, now, owner.language, safe)


def clash_words(clash: Conflict, owner: Owner, now: datetime) -> str:
    """A conflict as Markdown."""
    return say(
        owner.language, "event_conflict", first=_named(clash.first, owner, now), second=_named(clash.second, owner, now)
    )


def _named(event: Event, owner: Owner, now: datetime) -> str:
    return f"{event_time(event, owner.zones, now, owner.language)} {event_title(event, owner.language, safe)}"


def marked(line: Line, owner: Owner, now: datetime, *, in_words: Collection[Mark] = ("next", "conflict")) -> str:
    """The same with its marks: a dot for what is new, and those `in_words` behind it."""
    said = in_line(line, owner, now)
    remarks = [say(owner.language, f"day_{mark}") for mark in in_words if mark in line.marks]
    tail = f" _({', '.join(remarks)})_" if remarks else ""
    return f"{say(owner.language, 'day_new') if line.is_new else ''}{said}{tail}"


def letters_words(day: Day) -> str:
    """What waits for a tap or is held back, in a few lines; "" when nothing does."""
    language = day.owner.language
    parts = []
    for key, some in (
        ("day_letters", [one for one in day.letters if not one.is_held]),
        ("day_letters_held", [one for one in day.letters if one.is_held]),
    ):
        lines = [f"- {safe(one.to)}: {safe(one.subject or say(language, 'mail_no_subject'))}" for one in some]
        more = [say(language, "day_more", count=len(lines) - LETTERS_MAX)] if len(lines) > LETTERS_MAX else []
        parts += ["\n".join((say(language, key), *lines[:LETTERS_MAX], *more))] if lines else []
    return "\n\n".join(parts)


# For a model: what others wrote stands in JSON strings, which nothing in it can close.


def quoted(words: str) -> str:
    """Words of others as a JSON string of one line."""
    return json.dumps(title_of(words), ensure_ascii=False)


def event_data(event: Event, owner: Owner, now: datetime) -> str:
    """An event in a line for a model."""
    return event_line(event, owner.zones, now, "en", quoted)


def thread_data(thread: Thread) -> str:
    """A thread of mail in a line for a model."""
    return f"mail {thread.mail_id} [{thread.judgement.verdict.what}] {quoted(thread.who)}: {quoted(thread.about)}"


def clash_data(clash: Conflict, owner: Owner, now: datetime) -> str:
    """A conflict in a line for a model."""
    first, second = (
        f"{event_time(one, owner.zones, now, 'en')} {event_title(one, 'en', quoted)}"
        for one in (clash.first, clash.second)
    )
    return f"{first} overlaps with {second}"
