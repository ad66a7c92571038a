"""The card that asks about the promises of a mail or message: each with its words and by when, to be confirmed or dropped."""

from datetime import datetime

from memory.canonical import digest
from memory.card import Card, Choice
from memory.foreign import foreign
from memory.owner import Language, Owner
from memory.promise import Promise
from memory.promised import Promised, to_text
from memory.promisewords import say
from memory.search.passage import CHATS
from memory.wording import say as source_in_words
from memory.wording import when

KIND = "promise"
"""The kind of these cards."""

KEEP, KEEP_ALL, DROP = "keep", "keep.all", "drop"

WHO_MAX, ABOUT_MAX, WHAT_MAX, QUOTE_MAX = 60, 80, 120, 200

REFERENCE_LETTERS = 12

ASKED_MAX = 6
"""So many promises of one mail or message stand on its card; whoever promises more has other worries."""


def card(promised: Promised, owner: Owner, now: datetime) -> Card:
    """The card of what is still asked about."""
    language = owner.language
    return Card(
        kind=KIND,
        subject=promised.subject,
        text="\n".join((head(promised, language), *_lines(promised, owner, now))),
        choices=_choices(promised, language),
        because=f"you seem to have promised it in {promised.ref}",
        state_of_subject=to_text(promised),
    )


def head(promised: Promised, language: Language) -> str:
    """To whom, and about what."""
    about = foreign(promised.about, ABOUT_MAX)
    if promised.corpus in CHATS:
        about = ", ".join(part for part in (source_in_words(language, f"source_{promised.corpus}"), about) if part)
    return say(language, "ask", who=who(promised, language), about=about or "–")


def reference(promised: Promised) -> str:
    """How a button of the day names it."""
    return digest(promised.ref)[:REFERENCE_LETTERS]


def who(promised: Promised, language: Language) -> str:
    """Whom it was promised to, as Markdown."""
    return foreign(promised.who, WHO_MAX) or say(language, "nobody")


def what(promise: Promise) -> str:
    """What was promised, as Markdown."""
    return foreign(promise.matter, WHAT_MAX)


def due(promise: Promise, owner: Owner, now: datetime) -> str:
    """By when: the time where a calendar knows it, else the owner's words."""
    zones = owner.zones
    told = (
        when(zones.wall_at(promise.due_at), zones.wall_at(now).date(), owner.language)
        if promise.due_at is not None
        else foreign(promise.due, WHAT_MAX)
    )
    is_past = promise.due_at is not None and promise.due_at <= now
    return say(owner.language, "due_past" if is_past else "due", when=told) if told else ""


def _lines(promised: Promised, owner: Owner, now: datetime) -> list[str]:
    key = "one" if len(promised.items) == 1 else "several"
    lines = []
    for place, promise in promised.items[:ASKED_MAX]:
        lines.append(say(owner.language, key, number=place + 1, what=what(promise), due=due(promise, owner, now)))
        if promise.asked:
            before, asked = foreign(promised.before, WHO_MAX), foreign(promise.asked, QUOTE_MAX)
            lines.append(say(owner.language, "asked", who=before, quote=asked))
        lines.append(say(owner.language, "quote", quote=foreign(promise.quote, QUOTE_MAX)))
    return lines


def _choices(promised: Promised, language: Language) -> tuple[Choice, ...]:
    if len(promised.items) == 1:
        place = promised.items[0][0]
        return (Choice(f"{KEEP}.{place}", say(language, "keep"), "good"), Choice(DROP, say(language, "drop")))
    each = (
        Choice(f"{KEEP}.{place}", say(language, "keep_one", number=place + 1), "good")
        for place, _ in promised.items[:ASKED_MAX]
    )
    return (*each, Choice(KEEP_ALL, say(language, "keep_all")), Choice(DROP, say(language, "drop_all")))
