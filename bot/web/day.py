"""The page of the day: sections of lines, each with its buttons, a place to answer in words, and the reason behind it."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta

from markupsafe import Markup

from bot.terminal.wire import TEXT_MAX, Button
from bot.web import pages
from bot.web.drawing import draw
from memory.brief import cost_words
from memory.card import callback
from memory.conflict import Conflict
from memory.day import Line, Thread
from memory.day_words import event_words, in_line, letters_words
from memory.event import Event
from memory.loop import Loop
from memory.owner import Language
from memory.reminder import Reminder
from memory.wording import day as day_in_words
from memory.wording import say, when
from tools.day_page import LINES_MAX, DayPage, choices

_SHOWN_MARKS = ("new", "next", "over", "conflict")

ABOUT_MAX = 80
"""So many characters of a line's name stand in an answer to it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """One line of the page. `name` is what it is called in an answer, as plain text; `why` is "" where nothing was judged."""

    key: str
    body: Markup
    name: str
    marks: tuple[str, ...]
    buttons: tuple[Button, ...]
    why: Markup


@dataclass(frozen=True, slots=True, kw_only=True)
class Silent:
    """One kind of what landed in silence, its newest mails, and how many more there are."""

    name: str
    count: int
    mails: tuple[Markup, ...]
    more: int


def day(page: DayPage) -> str:
    """The page as HTML."""
    found, language = page.day, page.day.owner.language
    wall = found.owner.zones.wall_at(found.now)
    since = when(found.owner.zones.wall_at(found.tally.since), wall.date(), language)
    date = day_in_words(wall.date(), wall.date() - timedelta(days=7), language)
    return pages.of(
        "day.html",
        language,
        date=date.removeprefix("on ").removeprefix("am "),
        at=wall,
        letters=_html(letters) if (letters := letters_words(found)) else "",
        needs=_lines(page, found.needs_you),
        agenda=_lines(page, found.agenda),
        waiting=_lines(page, found.waiting_on),
        opened=_lines(page, found.open),
        silent=_silent(page, language),
        count=found.silent,
        since=since,
        has_calendar=found.has_calendar,
        tomorrow=_html(event_words(found.tomorrow, found.owner, found.tomorrow.start_at)) if found.tomorrow else "",
        tally=_html(cost_words("tally_since", found, when=since)) if found.tally.mails else "",
        text_max=TEXT_MAX - 2 * ABOUT_MAX,
    )


def _lines(page: DayPage, lines: Iterable[Line]) -> list[Drawn]:
    return [_drawn(page, line) for line in list(lines)[:LINES_MAX]]


def _drawn(page: DayPage, line: Line) -> Drawn:
    """A line with those buttons that its card has."""
    owner, card = page.day.owner, page.stored
    known = {choice.key for choice in card.card.choices}
    buttons = [choice for choice in choices(line, owner.language) if choice.key in known]
    why = page.reasons.get(line.key, "")
    return Drawn(
        key=line.key.replace(":", "-"),
        body=_html(in_line(line, owner, page.day.now)),
        name=_name(line),
        marks=tuple(mark for mark in _SHOWN_MARKS if mark in line.marks),
        buttons=tuple(Button(label=choice.label, data=callback(card, choice)) for choice in buttons),
        why=_html(why) if why else Markup(""),
    )


def _name(line: Line) -> str:
    match line.of:
        case Thread(who=who, about=about):
            name = f"{who}: {about}"
        case Loop(title=title) | Event(title=title):
            name = title
        case Conflict(first=first, second=second):
            name = f"{first.title} / {second.title}"
        case Reminder(text=text):
            name = text
    flat = " ".join(name.split())
    return flat if len(flat) <= ABOUT_MAX else f"{flat[: ABOUT_MAX - 1]}…"


def _silent(page: DayPage, language: Language) -> list[Silent]:
    return [
        Silent(
            name=say(language, f"silent_{one.kind}"),
            count=len(one.mail_ids),
            mails=tuple(_html(mail) for mail in mails),
            more=len(one.mail_ids) - len(mails),
        )
        for one, mails in page.silent
    ]


def _html(markdown: str) -> Markup:
    return Markup(draw(markdown))  # noqa: S704  drawing escapes
