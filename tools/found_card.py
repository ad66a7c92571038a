"""The card of what was found: a few lines, each opened by its button, and more on tap. Drawn for a thumb."""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from datetime import datetime

from memory.card import Card, Choice
from memory.foreign import foreign
from memory.ledger import Tables
from memory.markdown import escaped
from memory.owner import Owner
from memory.search.attached import mail_of
from memory.search.document import person_of
from memory.search.opened import Opened
from memory.search.passage import Hit
from memory.wording import day, say, when
from tools import found

KIND = "found"
"""The kind of these cards."""

SHOWN = 5
"""So many lines at a time."""

LINE_MAX, NAME_MAX, TITLE_MAX, PLACE_MAX, WORDS_MAX = 160, 40, 60, 80, 200

PASSAGE_MAX = 1200
"""So much of a document is shown around what was found."""

TURN_MAX = 300
"""So much of each turn of a talk."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sought:
    """What a card relies on. hits: (ref, where the found line begins) of each line shown; opened: which of them, if any.

    asked_at: when it was asked, as ISO: "yesterday" stays the same day. without: the ref of the question itself.
    """

    words: str
    asked_at: str
    without: str | None
    start: int = 0
    hits: tuple[tuple[str, int], ...] = ()
    opened: int | None = None


def sought_of(card: Card) -> Sought:
    """What a card relies on, read back."""
    kept = json.loads(card.state_of_subject)
    return Sought(**{**kept, "hits": tuple((ref, start) for ref, start in kept["hits"])})


def lines(t: Tables, owner: Owner, sought: Sought, *, subject: str, because: str, now: datetime) -> Card | None:
    """The lines from `sought.start` on; None when nothing is found."""
    asked_at = datetime.fromisoformat(sought.asked_at)
    what = found.ask(t, owner.id, sought.words, now=asked_at, without=sought.without)
    hits = found.in_order(what)
    if not hits:
        return None
    start = sought.start if sought.start < len(hits) else 0
    groups = found.page(hits, start, SHOWN)
    shown = [hit for group in groups for hit in group.hits]
    text, number = [], 0
    for group in groups:
        text.append(f"**{say(owner.language, f'corpus_{group.corpus}')}**")
        for hit in group.hits:
            number += 1
            text.append(_line(hit, number, sought.words, owner, now))
    text.append(f"\n_{escaped('; '.join(found.how(what, sought.words, owner.language)))}_")
    return Card(
        kind=KIND,
        subject=subject,
        text="\n".join(text),
        choices=(*_numbers(len(shown)), *_turning(start, len(hits), owner)),
        because=because,
        state_of_subject=_kept(
            replace(sought, start=start, hits=tuple((hit.ref, hit.span[0]) for hit in shown), opened=None)
        ),
    )


def nothing(t: Tables, owner: Owner, sought: Sought) -> str:
    """What is said where there are no lines: what of the question came to nothing."""
    asked_at = datetime.fromisoformat(sought.asked_at)
    what = found.ask(t, owner.id, sought.words, now=asked_at, without=sought.without)
    key = "find_nothing_filtered" if found.is_filtered(sought.words, asked_at) else "find_nothing"
    query = escaped(sought.words[:WORDS_MAX])
    return "\n".join((say(owner.language, key, query=query), *map(escaped, found.sentences(what, owner.language))))


def opened(t: Tables, owner: Owner, card: Card, place: int, now: datetime) -> Card | None:
    """The same card with one of its lines opened; None when that is no longer there."""
    sought = sought_of(card)
    ref, start = sought.hits[place]
    document = t.search.open(owner.id, ref)
    if document is None:
        return None
    language = owner.language
    why = (Choice("why", say(language, "button_why")),) if mail_of(ref) is not None else ()
    return replace(
        card,
        text="\n".join((*_head(document, owner, now), *_passage(document, start, owner))),
        choices=(Choice("back", say(language, "button_found_back")), *why),
        state_of_subject=_kept(replace(sought, opened=place)),
    )


def _kept(sought: Sought) -> str:
    return json.dumps(asdict(sought), ensure_ascii=False)


def _line(hit: Hit, number: int, words: str, owner: Owner, now: datetime) -> str:
    shown = escaped(found.around(hit.line or hit.title, words, LINE_MAX))
    title = f" – {foreign(hit.title, TITLE_MAX)}" if hit.title and hit.line else ""
    about = ", ".join(part for part in (_who(hit, owner), _day(hit, owner, now)) if part)
    return f"**{number}** {shown}\n_{about}{title}_"


def _who(hit: Hit, owner: Owner) -> str:
    """The name alone; behind the button stands the address."""
    if hit.who == "you":
        return say(owner.language, "source_you")
    name, address = person_of(hit.who)
    return foreign(name or address, NAME_MAX)


def _day(hit: Hit, owner: Owner, now: datetime) -> str:
    if hit.at is None:
        return ""
    return day(owner.zones.wall_at(hit.at).date(), owner.zones.wall_at(now).date(), owner.language)


def _numbers(count: int) -> tuple[Choice, ...]:
    return tuple(Choice(f"open.{place}", str(place + 1)) for place in range(count))


def _turning(start: int, count: int, owner: Owner) -> tuple[Choice, ...]:
    left = count - start - SHOWN
    more = (Choice("more", say(owner.language, "button_found_more", count=left)),) if left > 0 else ()
    first = (Choice("first", say(owner.language, "button_found_first")),) if start else ()
    return (*more, *first)


def _head(document: Opened, owner: Owner, now: datetime) -> Iterable[str]:
    language = owner.language
    if document.title:
        yield f"**{foreign(document.title, 2 * TITLE_MAX)}**"
    at = document.at and when(owner.zones.wall_at(document.at), owner.zones.wall_at(now).date(), language)
    who = say(language, "source_you") if document.who == "you" else foreign(document.who, 4 * NAME_MAX)
    source = say(language, f"source_{document.corpus}")
    where = f"{source}, {foreign(document.place, PLACE_MAX)}" if document.place else source
    people = foreign(", ".join(document.people[:3]), 4 * NAME_MAX) if document.corpus == "mail" else ""
    to = say(language, "found_to", who=people) if people else ""
    yield f"{' '.join(part for part in (who, to) if part)}{', ' if who else ''}{at or '?'} \\({where}\\)"


def _passage(document: Opened, start: int, owner: Owner) -> Iterable[str]:
    if len(document.turns) > 1:
        yield from _talk(document, start, owner)
        return
    for line in found.passage(document, start, PASSAGE_MAX).splitlines() or [""]:
        yield f"> {escaped(line)}"


def _talk(document: Opened, start: int, owner: Owner) -> Iterable[str]:
    for turn in document.turns:
        who = say(owner.language, "source_you") if turn.who == "you" else person_of(turn.who)[0] or turn.who
        text = found.passage(replace(document, text=turn.text), start if turn.ref == document.ref else 0, TURN_MAX)
        mark = "→ " if turn.ref == document.ref else ""
        yield f"> {mark}**{foreign(who, NAME_MAX)}:** {escaped(text)}"
