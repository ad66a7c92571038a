"""The day as a page: what stands on it, and the card behind its buttons, so that a tap there is a tap like any other."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from memory.card import Card, Choice, StoredCard
from memory.conflict import Conflict
from memory.day import Day, Landed, Line, Thread
from memory.ledger import Tables
from memory.loop import Loop
from memory.owner import Language, Owner
from memory.wording import say
from tools import day as days
from tools import why
from tools.day_card import mails_in_lines, reference

KIND = SUBJECT = "day_page"
"""The kind of the card behind the page; no channel shows it."""

LINES_MAX = 60
"""So many lines stand on the page."""

SILENT_SHOWN_MAX = 30
"""And so many mails of each kind that landed in silence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DayPage:
    """The day for a page. `stored` is the card that its buttons belong to.

    reasons: by a line's key, why a thread was judged as it was, as Markdown. silent: each kind with its newest mails as
    lines of Markdown.
    """

    day: Day
    stored: StoredCard
    reasons: Mapping[str, str]
    silent: tuple[tuple[Landed, tuple[str, ...]], ...]


def page(t: Tables, owner: Owner, now: datetime) -> DayPage:
    """The page of this moment. Its card is kept anew only when what can be answered has changed."""
    day = days.of_now(t, owner, now)
    threads = [line.of for line in day.lines[:LINES_MAX] if isinstance(line.of, Thread)]
    return DayPage(
        day=day,
        stored=_kept(t, card(day), owner, now),
        reasons={thread.key: why.of_thread(t, owner, thread.id, now) for thread in threads},
        silent=tuple((one, tuple(mails_in_lines(t, owner, one.mail_ids[:SILENT_SHOWN_MAX]))) for one in day.landed),
    )


def _kept(t: Tables, made: Card, owner: Owner, now: datetime) -> StoredCard:
    known = t.cards.open_about(owner.id, SUBJECT)
    if known is not None and known.digest == made.digest:
        return known
    t.cards.outdate(SUBJECT, owner_id=owner.id, now=now)
    return t.cards.put(made, owner_id=owner.id, now=now)


def card(day: Day) -> Card:
    """The card behind the page: the buttons of every line."""
    lines = day.lines[:LINES_MAX]
    return Card(
        kind=KIND,
        subject=SUBJECT,
        text="\n".join(line.key for line in lines),
        choices=tuple(choice for line in lines for choice in choices(line, day.owner.language)),
        because="the owner looked at the page of the day",
    )


def choices(line: Line, language: Language) -> tuple[Choice, ...]:
    """The buttons that answer one line."""
    match line.of:
        case Thread(id=thread_id, by_owner=by_owner):
            done = Choice(f"mail-done.{thread_id}", say(language, "button_done"), "good")
            later = Choice(f"mail-later.{thread_id}", say(language, "button_later"))
            less = Choice(f"mail-less.{thread_id}", say(language, "button_less"))
            return (done,) if by_owner else (done, later, less)
        case Loop(id=loop_id):
            return (Choice(f"done.{loop_id}", say(language, "button_done"), "good"),)
        case Conflict() as clash:
            return (Choice(f"seen.{reference(clash)}", say(language, "button_seen"), "good"),)
        case _:
            return ()
