"""The card of a person: the lines of a portrait, each with a number, and behind one button the rows that they rest on."""

import json
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime

from memory.card import Card, Choice
from memory.day_words import safe
from memory.errors import NotFound
from memory.event_words import event_title
from memory.foreign import foreign
from memory.ledger import Tables
from memory.mail import KeptMail
from memory.owner import Owner
from memory.people.calling import full_name_of
from memory.people.person import Person, subject_of_person
from memory.portrait import Line, Portrait, Source, portrait
from memory.portraitwords import bare_day, say, where
from tools import portraying

KIND = "portrait"
"""The kind of the card of one person."""

WHICH = "which_person"
"""The kind of the card that asks who of several is meant."""

SOURCES, FEWER = "sources", "fewer"

QUOTE_MAX, NAME_MAX, LABEL_MAX = 160, 60, 40

EACH_LINE_MAX = 4
"""So many rows of a line are told; a line of many facts names the newest."""

OPTIONS_MAX = 6

SAME = "same"
"""The choice that says: these two are one person."""

_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def drawn(t: Tables, owner: Owner, person: Person, now: datetime) -> Portrait:
    """The portrait of a person as things stand."""
    around = portraying.meetings_around(t, owner, now)
    return portrait(portraying.known(t, owner, person, now, around=around), owner, now)


def card(drawn: Portrait, owner: Owner, *, because: str) -> Card:
    """The lines, with a number each and one button for their sources."""
    return Card(
        kind=KIND,
        subject=subject_of_person(drawn.person_id),
        text=in_lines(drawn, owner),
        choices=(Choice(SOURCES, say(owner.language, "sources")),),
        because=because,
    )


def in_lines(drawn: Portrait, owner: Owner) -> str:
    """The lines as Markdown."""
    lines = [f"{line.text}{raised(number)}" for number, line in enumerate(drawn.lines, 1)]
    return "\n".join((*lines, *filter(None, (remark(drawn, owner),))))


def remark(drawn: Portrait, owner: Owner, *, shown: Callable[[str], str] = safe) -> str:
    """What stands below the lines: that there are more, or what would fill a card on which there is only a name."""
    if drawn.left_out:
        return say(owner.language, "more_lines", count=drawn.left_out)
    return "" if drawn.tells else say(owner.language, "only_name", name=shown(drawn.name))


def with_sources(t: Tables, drawn: Portrait, owner: Owner, now: datetime, *, because: str) -> Card:
    """The same with the rows of each line below: where it stands, who said it, when, and its words."""
    told: dict[str, list[str]] = {}
    for number, line in enumerate(drawn.lines, 1):
        for row in rows_of(t, line, owner, now):
            told.setdefault(row, []).append(raised(number))
    rows = (f"{' '.join(numbers)} {row}" for row, numbers in told.items())
    return Card(
        kind=KIND,
        subject=subject_of_person(drawn.person_id),
        text="\n".join((in_lines(drawn, owner), "", say(owner.language, "sources_title"), *rows)),
        choices=(Choice(FEWER, say(owner.language, "fewer")),),
        because=because,
    )


def raised(number: int) -> str:
    """A small number behind a line, as of a footnote."""
    return str(number).translate(_RAISED)


def rows_of(
    t: Tables, line: Line, owner: Owner, now: datetime, *, shown: Callable[[str], str] | None = None
) -> Iterator[str]:
    """The rows that a line rests on: what each is, who said it, when, and its words."""
    for source in line.sources[:EACH_LINE_MAX]:
        who = say(owner.language, "you") if source.who == "you" else _safe(source.who, NAME_MAX, shown)
        what = ", ".join(part for part in (_what(source, owner), who, _on(source, owner, now)) if part)
        quote = _safe(quote_of(t, owner, source), QUOTE_MAX, shown)
        # By what somebody is known are no words of anybody.
        quoted = quote if source.ref.startswith("person:") else say(owner.language, "quoted", words=quote)
        yield say(owner.language, "source", what=what, quote=quoted) if quote else what


def _safe(words: str, most: int, shown: Callable[[str], str] | None) -> str:
    return foreign(words, most) if shown is None else shown(words)[:most]


def _what(source: Source, owner: Owner) -> str:
    kind, _, number = source.ref.partition(":")
    place = where(source.where, owner.language) if source.where else ""
    if kind in ("loop", "fact", "person"):
        return ", ".join(part for part in (say(owner.language, f"source_{kind}", number=number), place) if part)
    return place or kind


def _on(source: Source, owner: Owner, now: datetime) -> str:
    if source.at is None:
        return ""
    return bare_day(owner.zones.wall_at(source.at).date(), owner.zones.wall_at(now).date(), owner.language)


def quote_of(t: Tables, owner: Owner, source: Source) -> str:
    """The words that a row says, verbatim; "" when it has none, or is no longer there."""
    if source.quote:
        return source.quote
    kind, _, number = source.ref.partition(":")
    match kind:
        case "mail":
            return next((_said(kept) for kept in t.mails.some([int(number)])), "")
        case "event":
            return _title(t, owner, int(number))
        case "person":
            return _known_by(t, owner, int(number))
        case _:
            return _begin(t.search.text(owner.id, source.ref))


def _said(kept: KeptMail) -> str:
    said = _begin(kept.mail.text if kept.said is None else kept.said)
    return f"{kept.mail.subject}: {said}" if kept.mail.subject and said else kept.mail.subject or said


def _begin(text: str) -> str:
    return next((line.strip() for line in text.splitlines() if len(line.split()) > 2), text.strip())


def _title(t: Tables, owner: Owner, event_id: int) -> str:
    try:
        return event_title(t.calendars.get(event_id).event, owner.language, str)
    except NotFound:
        return ""


def _known_by(t: Tables, owner: Owner, person_id: int) -> str:
    try:
        person = t.people.get(owner.id, person_id)
    except NotFound:
        return ""
    return ", ".join(dict.fromkeys(one.shown for one in person.identities if one.shown))


# Who is meant


def which(people: Sequence[Person], labels: Sequence[str], name: str, owner: Owner, *, turn_id: int) -> Card:
    """The question, with a button for each; of two by one full name also one that says that they are the same."""
    some = list(zip(people, labels, strict=True))[:OPTIONS_MAX]
    choices = [Choice(f"pick.{person.id}", label) for person, label in some]
    names = [full_name_of(person.name) for person in people]
    if len(names) == 2 and names[0] is not None and names[0] == names[1]:
        choices.append(Choice(SAME, say(owner.language, "same")))
    return Card(
        kind=WHICH,
        subject=f"turn:{turn_id}",
        text=say(owner.language, "which", name=safe(name)),
        choices=tuple(choices),
        because="several people go by that name",
        state_of_subject=json.dumps([[person.id, label] for person, label in some], ensure_ascii=False),
    )
