"""The pages of the search: what was found, by corpus, and what a hit is part of. They need no script."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlencode

from markupsafe import Markup

from bot.web import pages
from bot.web.drawing import plain
from memory.ledger import Tables
from memory.owner import Owner
from memory.search.attached import mail_of
from memory.search.opened import Opened
from memory.search.passage import Hit
from memory.wording import day, say, when
from tools import found, why

SHOWN = 20
"""So many hits on a page."""

WORDS_MAX = 300

PASSAGE_MAX = 20_000
"""So much of a document on its page, around what was found."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """One hit. link: to the page of what it is part of."""

    ref: str
    who: str
    on: str
    title: str
    line: str
    place: str
    link: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Several:
    """The hits of one corpus."""

    name: str
    hits: Sequence[Drawn]


def search(t: Tables, owner: Owner, words: str, start: int, now: datetime) -> str:
    """The page of what `words` find, from the hit `start` on; the empty page for no words."""
    language = owner.language
    asked = words.strip()[:WORDS_MAX]
    what = found.ask(t, owner.id, asked, now=now)
    hits = found.in_order(what)
    groups = [
        Several(
            name=say(language, f"corpus_{group.corpus}"), hits=[_drawn(hit, asked, owner, now) for hit in group.hits]
        )
        for group in found.page(hits, start, SHOWN)
    ]
    left = len(hits) - start - SHOWN
    return pages.of(
        "search.html",
        language,
        asked=asked,
        groups=groups,
        count=len(hits),
        how="; ".join(found.how(what, asked, language)) if hits else " ".join(found.sentences(what, language)),
        more=f"/search?{urlencode({'q': asked, 'start': start + SHOWN})}" if left > 0 else "",
        left=max(0, left),
    )


def opened(t: Tables, owner: Owner, ref: str, now: datetime, *, start: int, words: str) -> str | None:
    """The page of what a hit is part of; None when it is not there. `start`: the place in its text that was found."""
    document = t.search.open(owner.id, ref)
    if document is None:
        return None
    return pages.of(
        "found.html",
        owner.language,
        document=document,
        who=_who(document.who, owner),
        corpus=say(owner.language, f"corpus_{document.corpus}"),
        when=_when(document.at, owner, now),
        people=", ".join(document.people[:20]),
        body=Markup(plain(found.passage(document, start, PASSAGE_MAX))),  # noqa: S704  drawing escapes
        turns=list(_turns(document, owner, now)),
        why=pages.drawn(_why(t, owner, ref, now)),
        back=f"/search?{urlencode({'q': words})}",
    )


def _drawn(hit: Hit, words: str, owner: Owner, now: datetime) -> Drawn:
    today = owner.zones.wall_at(now).date()
    return Drawn(
        ref=hit.ref,
        who=_who(hit.who, owner),
        on=day(owner.zones.wall_at(hit.at).date(), today, owner.language) if hit.at else "",
        title=hit.title if hit.line else "",
        line=hit.line or hit.title,
        place="" if hit.place in (hit.who, hit.title) else hit.place,
        link=f"/found?{urlencode({'ref': hit.ref, 'at': hit.span[0], 'q': words})}",
    )


def _who(who: str, owner: Owner) -> str:
    return say(owner.language, "source_you") if who == "you" else who


def _when(at: datetime | None, owner: Owner, now: datetime) -> str:
    return when(owner.zones.wall_at(at), owner.zones.wall_at(now).date(), owner.language) if at else ""


def _turns(document: Opened, owner: Owner, now: datetime) -> Iterator[tuple[str, str, Markup, bool]]:
    """Who, when, what, and whether it is what was found."""
    if len(document.turns) < 2:
        return
    for turn in document.turns:
        body = Markup(plain(turn.text))  # noqa: S704  drawing escapes
        yield _who(turn.who, owner), _when(turn.at, owner, now), body, turn.ref == document.ref


def _why(t: Tables, owner: Owner, ref: str, now: datetime) -> str:
    """What became of the mail, as Markdown; "" for anything else."""
    mail_id = mail_of(ref)
    kept = t.mails.some([mail_id]) if mail_id is not None else []
    return why.of_mail(t, owner, kept[0], now) if kept else ""
