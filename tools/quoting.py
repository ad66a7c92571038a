"""Quoting: hits of a search as the owner reads them, each with its source."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from memory.markdown import escaped
from memory.owner import Owner
from memory.search.passage import Hit
from memory.search.stems import WORD, folded
from memory.wording import day, say

SAME_FROM = 60
"""Lines that begin alike for so many letters say the same: one quotes the other. Two short ones were just said twice."""


def answers(hits: Iterable[Hit]) -> list[Hit]:
    """The hits that may answer: none in which the owner asks, and of several that say the same the first."""
    told: dict[str, Hit] = {}
    for hit in hits:
        if not (hit.who == "you" and hit.line.rstrip().endswith("?")):
            told.setdefault(_beginning(hit), hit)
    return list(told.values())


def _beginning(hit: Hit) -> str:
    letters = "".join(WORD.findall(folded(hit.line or hit.title)))
    return letters[:SAME_FROM] if len(letters) >= SAME_FROM else hit.ref


def quoted(hits: Sequence[Hit], owner: Owner, now: datetime) -> str:
    """The hits as markdown: the line that answers, then who, when and where from. Empty for none."""
    return "\n\n".join(_one(hit, owner, now) for hit in hits)


def _one(hit: Hit, owner: Owner, now: datetime) -> str:
    today = owner.zones.wall_at(now).date()
    on = day(owner.zones.wall_at(hit.at).date(), today, owner.language) if hit.at else "?"
    line = hit.line or hit.title
    title = f" – {escaped(hit.title)}" if hit.title and hit.line else ""
    who = f"{_who(hit, owner)}, " if hit.who else ""
    return f"> {escaped(line)}\n{who}{on} ({say(owner.language, f'source_{hit.corpus}')}){title}"


def _who(hit: Hit, owner: Owner) -> str:
    return say(owner.language, "source_you") if hit.who == "you" else escaped(hit.who)
