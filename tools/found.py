"""Found: the one way in which everybody asks what is kept, so that chat, terminal, web page and thinker find the same.

ask ─► groups, the best corpus first ─► in order: the best of each corpus, then the rest ─► a page at a time
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from memory.ledger import Tables
from memory.owner import Language
from memory.people.calling import as_said
from memory.search.document import person_of
from memory.search.found import Found, Group
from memory.search.line import whole_words
from memory.search.opened import Opened
from memory.search.passage import CORPORA, Corpus, Hit
from memory.search.query import read_query, words_of
from memory.search.sharing import WORTH
from memory.search.stems import folded
from memory.wording import say

EACH = 20
"""So many of each corpus are looked for, whoever asks and however many they show at a time."""

NAMED_MAX = 40
"""So many numbers and addresses of an answer are looked up among the people."""

VALUE_MAX = 40
"""So much of a filter's value is told again."""

_NUMBER = re.compile(r"\+?[\d ()/-]{6,}")

WHOLE = 0.995
"""From this share on the index of meanings counts as complete: what came a moment ago is on its way."""


def ask(
    t: Tables,
    owner_id: int,
    words: str,
    *,
    now: datetime,
    corpora: Collection[Corpus] = CORPORA,
    without: str | None = None,
    each: int = EACH,
) -> Found:
    """What is found, in the order in which it is shown. without: the ref of the question itself."""
    what = t.search.grouped(owner_id, words, each=max(each, EACH), corpora=corpora, before_ref=without, now=now)
    every = {hit.who for hit in what.hits}
    people = {who: t.people.of(owner_id, who) for who in sorted(who for who in every if is_bare(who))[:NAMED_MAX]}
    names = {who: f"{person.name} <{who}>" for who, person in people.items() if person is not None and person.name}
    return replace(what, groups=tuple(_by_name(group, names) for group in what.groups))


def who_said(who: str) -> str:
    """Somebody as they are shown: with the name as one says it."""
    name, address = person_of(who)
    return f"{as_said(name)} <{address}>" if name and address else as_said(who)


def is_bare(who: str) -> bool:
    """Whether it is a number or an address without a name."""
    name, address = person_of(who)
    return _NUMBER.fullmatch(name) is not None if name else bool(address)


def _by_name(group: Group, names: Mapping[str, str]) -> Group:
    return replace(group, hits=tuple(replace(hit, who=names.get(hit.who) or who_said(hit.who)) for hit in group.hits))


def in_order(found: Found) -> list[Hit]:
    """The hits as they come: the best of each corpus that is worth it, then the others, best first."""
    heads = [group.hits[0] for group in found.groups if group.hits]
    best = max((hit.score for hit in heads), default=0.0)
    first = [hit for hit in heads if hit.score >= WORTH * best]
    taken = {hit.id for hit in first}
    return [*first, *sorted((hit for hit in found.hits if hit.id not in taken), key=lambda hit: -hit.score)]


def how(what: Found, words: str, language: Language) -> Iterator[str]:
    """By what it was found, and what of the question came to nothing, as plain words."""
    if what.by == "meaning":
        yield say(language, "found_near_one" if read_query(words).is_one_word else "found_near")
    elif what.by == "words":
        yield say(language, "found_by_words")
    elif what.share_embedded < WHOLE:
        yield say(language, "found_by_some_meaning", share=what.share_embedded)
    else:
        yield say(language, "found_by_meaning")
    yield from hints(what, language)


def hints(what: Found, language: Language) -> Iterator[str]:
    """What of a question came to nothing, and what each filter takes."""
    if what.is_of_any_time:
        yield say(language, "found_any_time")
    for one in what.unmet:
        value = one.value[:VALUE_MAX]
        is_empty = not value and one.kind != "mistyped"
        first = say(language, "unmet_empty" if is_empty else f"unmet_{one.kind}", name=one.name, value=value)
        is_slip = one.kind in ("mistyped", "without")
        yield first if is_slip else f"{first}; {say(language, f'takes_{one.kind}', name=one.name)}"


def sentences(what: Found, language: Language) -> Iterator[str]:
    """The same where they stand by themselves: nothing was found."""
    return (f"{hint[0].upper()}{hint[1:]}." for hint in hints(what, language))


def is_filtered(words: str, now: datetime) -> bool:
    """Whether filters narrow it, or time words: what is found without them may be what is meant."""
    return not read_query(words, now=now).filters.is_empty


def page(hits: Sequence[Hit], start: int, size: int) -> tuple[Group, ...]:
    """`size` of the hits from `start` on, corpus by corpus, in the order of each one's first."""
    some = hits[start : start + size]
    order = dict.fromkeys(hit.corpus for hit in some)
    return tuple(Group(corpus=one, hits=tuple(hit for hit in some if hit.corpus == one)) for one in order)


def around(line: str, words: str, most: int) -> str:
    """As much of a line as is shown where room is short: around the first of the words that stands in it."""
    if len(line) <= most:
        return line
    low = folded(line)
    # Folding may lengthen a text ("ß"): where it does, the place is a little off, and no harm is done.
    places = [at for word in words_of(words) if (at := low.find(word)) >= 0]
    start, end = whole_words(line, max(0, min(min(places, default=0) - most // 3, len(line) - most)), most)
    return f"{'…' if start else ''}{line[start:end].strip()}{'…' if end < len(line) else ''}"


def passage(opened: Opened, start: int, most: int) -> str:
    """The text around a place in it, `most` characters or a quarter more, from the beginning of a line on where one is near."""
    text = opened.text
    if len(text) <= most:
        return text.strip()
    begins = max(0, min(start - most // 3, len(text) - most))
    ends = begins + most
    begins = text.rfind("\n", max(0, begins - most // 4), begins) + 1 or begins
    return f"{'… ' if begins else ''}{text[begins:ends].strip()}{' …' if ends < len(text) else ''}"
