"""What is remembered, as cards: the list with a button for each number, and one with the words it rests on."""

from collections.abc import Sequence
from datetime import datetime
from itertools import groupby

from memory.card import Card, Choice
from memory.foreign import foreign
from memory.ledger import Tables
from memory.markdown import escaped
from memory.memorywords import say
from memory.owner import Owner
from memory.recollection import KINDS, LISTED, OBSERVATION, QUOTE_MAX, TEXT_MAX, Recollection, Source, subject
from memory.wording import day
from tools.testifying import QUOTED

LIST_KIND, ONE_KIND = "recollections", "recollection"
"""The kinds of these cards."""

PAGE = 10
"""So many stand on one page: more numbers than that nobody taps on a phone."""

TOLD_MAX = 5
"""So many lines of people stand below: they have cards of their own."""

SHOW, MORE, FORGET, ALL = "show", "page", "forget", "all"


def listed(
    known: Sequence[Recollection], owner: Owner, *, page: int = 0, words: str = "", told: Sequence[str] = ()
) -> Card | str:
    """A page of them by kind, newest first, or what is said when there is none. `words`: those they were looked for by.

    told: lines of what the owner said of people, which stand on their cards.
    """
    of_people = _of_people(told, owner)
    if not known and of_people:
        # A card without a button: what it tells of people can be found and taken back later.
        return Card(
            kind=LIST_KIND,
            subject=LISTED,
            text="\n".join(of_people),
            choices=(),
            because="the owner asked what is remembered",
            state_of_subject=words,
        )
    if not known:
        key = "nothing_found" if words else "none"
        return say(owner.language, key, words=escaped(words))
    ordered = known if words else sorted(known, key=lambda one: (KINDS.index(one.kind), -one.id))
    some = ordered[page * PAGE : (page + 1) * PAGE] or ordered[:PAGE]
    head = say(owner.language, "found" if words else "head", words=escaped(words), count=len(known))
    shown = [line(one, owner) for one in some] if words else _by_kind(some, owner)
    lines = [head, *shown, *of_people, say(owner.language, "help")]
    more = len(ordered) > (page + 1) * PAGE
    return Card(
        kind=LIST_KIND,
        subject=LISTED,
        text="\n".join(lines),
        choices=(
            *(Choice(f"{SHOW}.{one.id}", f"→ {one.id}") for one in some),
            *((Choice(f"{MORE}.{page + 1}", say(owner.language, "button_more")),) if more else ()),
        ),
        because="the owner asked what is remembered",
        state_of_subject=words,
    )


def _of_people(told: Sequence[str], owner: Owner) -> list[str]:
    if not told:
        return []
    lines = [say(owner.language, "of_people_line", text=foreign(one, TEXT_MAX)) for one in told[:TOLD_MAX]]
    more = len(told) - TOLD_MAX
    rest = [say(owner.language, "of_people_more", count=more)] if more > 0 else []
    return [say(owner.language, "of_people"), *lines, *rest]


def _by_kind(some: Sequence[Recollection], owner: Owner) -> list[str]:
    lines: list[str] = []
    for kind, group in groupby(some, key=lambda one: one.kind):
        lines.append(say(owner.language, f"kind_{kind}"))
        lines += [line(one, owner) for one in group]
    return lines


def line(one: Recollection, owner: Owner) -> str:
    """One in a line."""
    if one.kind == OBSERVATION:
        return say(owner.language, "line_others", id=one.id, who=_who(one.who, owner), text=foreign(one.text, TEXT_MAX))
    return say(owner.language, "line", id=one.id, text=escaped(one.text))


def one_of(t: Tables, one: Recollection, owner: Owner, now: datetime) -> Card:
    """One with its words, what it took the place of, and when it was last in a prompt."""
    lines = [line(one, owner), *(_source(source, owner, now) for source in one.sources if source.quote)]
    lines += [
        say(owner.language, "before", text=escaped(old.text)) for old in t.recollections.versions(owner.id, one.id)
    ]
    last = t.recollections.last_recalled(owner.id, one.id)
    lines.append(
        say(owner.language, "last_recalled", when=_day(last[1], owner, now))
        if last
        else say(owner.language, "never_recalled")
    )
    if one.superseded_by is not None:
        lines.append(say(owner.language, "superseded", new=one.superseded_by))
    forget = (Choice(FORGET, say(owner.language, "button_forget"), "danger"),) if one.is_live else ()
    return Card(
        kind=ONE_KIND,
        subject=subject(one.id),
        text="\n".join(lines),
        choices=(*forget, Choice(ALL, say(owner.language, "button_list"))),
        because="the owner asked about this one",
    )


def _source(source: Source, owner: Owner, now: datetime) -> str:
    on = _day(source.at, owner, now)
    if source.who:
        return say(
            owner.language, "said_by", who=_who(source.who, owner), when=on, quote=foreign(source.quote, QUOTE_MAX)
        )
    return say(owner.language, "said", when=on, quote=escaped(source.quote))


def _who(who: str, owner: Owner) -> str:
    return say(owner.language, "somebody") if who == QUOTED else foreign(who, 60)


def _day(at: datetime, owner: Owner, now: datetime) -> str:
    return day(owner.zones.wall_at(at).date(), owner.zones.wall_at(now).date(), owner.language)
