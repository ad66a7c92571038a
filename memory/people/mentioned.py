"""Mentioned: who is named in a note's words: full names, and first names alone where it is beyond doubt whom they mean.

A word with a capital is a name when it is that of somebody who was there, or, in full, of somebody the owner exchanges
something with. German writes every noun so, and Rose, Mark and Will are words: a first name that is one needs its owner
at the table.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from memory.people.calling import full_name_of, used_for, wholes_of, words_of
from memory.people.naming import Candidate, Circle, in_order, named
from memory.people.person import Role
from memory.search.passage import Corpus
from memory.search.stopwords import ENGLISH, GERMAN
from memory.when.words import word_set

STOPWORDS = ENGLISH | GERMAN

TEXT_MAX = 60_000
MENTIONS_MAX = 60
"""So many people are told of one text: more is a list."""

_PART = r"(?:[A-ZÄÖÜÀ-Þ][\w'’-]+|[A-ZÄÖÜ]\.)"
_NAME = re.compile(
    r"(?:(?:Frau|Herrn?|Mrs?|Ms|Dr|Prof)\b\.? )?(?:Dr\. |Prof\. )*"
    rf"{_PART}(?: (?:(?:von|van|de|der|di|du|la|le|zu) )*{_PART}){{0,3}}"
)
_ADDRESSED = re.compile(r"^(?:Frau|Herrn?|Mrs?|Ms)\b")
_ALSO_WORDS = word_set(
    "art april august bill buck chance chip christian cliff dale daisy dawn dean ernst faith felix frank gene glen grace grant "
    "harry heath heather holly hope ivy jack jasper joy june mark may max miles norm olive pat patience penny pierce ray "
    "reed rich rob robin rose ruby rusty sandy sky stern sue sunny trip victor will wolf"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Unread:
    """A note or meeting whose names nobody has looked at.

    there: those of its people who are known by more than a name. names: the others, as written. at: aware UTC.
    """

    passage_id: int
    corpus: Corpus
    text: str
    at: datetime | None
    there: tuple[Candidate, ...] = ()
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Mention:
    """A name in a text or at its head, whom it means, and in which role. person: the id; None for one known by it alone."""

    name: str
    person: int | None
    role: Role


def told_in(unread: Unread, *, known: Circle, mine: Sequence[str], now: datetime) -> tuple[Mention, ...]:
    """Everybody whom a note names. mine: what the owner is called."""
    moment = min(unread.at or now, now)
    role: Role = "attended" if unread.corpus == "meeting" else "named"
    own = [set(words_of(name)) for name in mine]
    there, heads = list(unread.there), list[Mention]()
    # Full names first: what is short may be one of them.
    for number, name in enumerate(sorted(unread.names, key=lambda each: -len(words_of(each)))):
        words = set(words_of(name))
        if not words or any(words <= each for each in own):
            continue
        person = named(name, there=unread.there, known=known, now=moment).person
        if person is not None or full_name_of(name) is not None:
            heads.append(Mention(name, person, role))
            there.append(Candidate(id=-number - 1 if person is None else person, names=(name,)))
    spoken = mentioned(unread.text, there=_whole(there, known), known=known, now=moment)
    heard = {one.person for one in heads} | {one.id for one in unread.there}
    return (*heads, *(one for one in spoken if one.person is not None and one.person > 0 and one.person not in heard))


def _whole(there: Sequence[Candidate], known: Circle) -> list[Candidate]:
    """Those who were there, each once, by all that they are called."""
    called: dict[int, tuple[str, ...]] = {}
    for one in there:
        called[one.id] = (*called.get(one.id, known.names.get(one.id, ())), *one.names)
    return [Candidate(id=number, names=tuple(dict.fromkeys(names))) for number, names in called.items()]


def mentioned(text: str, *, there: Sequence[Candidate], known: Circle, now: datetime) -> tuple[Mention, ...]:
    """Who is named in a text, each person once. there, known: as in memory.people.naming."""
    within = _words(there)
    found: dict[int, Mention] = {}
    for name in dict.fromkeys(_names(text[:TEXT_MAX])):
        words = words_of(name)
        is_asked = (
            bool(set(words) & within)
            or (len(words) > 1 and in_order(words) in known.full_names)
            or (len(words) == 1 and _is_first_name(words[0], known) and not _ADDRESSED.match(name))
        )
        person = named(name, there=there, known=known, now=now).person if is_asked else None
        if person is not None:
            found.setdefault(person, Mention(name, person, "named"))
        if len(found) >= MENTIONS_MAX:
            break
    return tuple(found.values())


def _names(text: str) -> Iterator[str]:
    """What may be a name: runs of capitalised words, without those that only begin a sentence.

    A first name with another last name behind it is somebody else: of a run no single word is looked at.
    """
    for run in _NAME.finditer(text):
        words = run[0].split()
        while words and words[0].lower() in STOPWORDS:
            words.pop(0)
        if words:
            yield " ".join(words)
        for start in range(len(words) - 1 if len(words) > 2 else 0):
            yield " ".join(words[start : start + 2])


def _words(candidates: Sequence[Candidate]) -> frozenset[str]:
    """Every word that may stand for one of them, and what its first name is used for."""
    own = {word for one in candidates for name in one.names for word in words_of(name) if len(word) > 1}
    return frozenset(own | {short for word in own for short in _shorts(word)})


def _shorts(word: str) -> frozenset[str]:
    return used_for(word) | wholes_of(word)


def _is_first_name(word: str, known: Circle) -> bool:
    return word in known.first_names and word not in _ALSO_WORDS
