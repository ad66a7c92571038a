"""Words that tell a fact of somebody: "Jonas is vegetarian", "no, she left Acme", "Annas Geburtstag ist am 9. Juli".

A sentence tells one only when it is one from end to end. "The meeting is vegetarian" and "Jonas is late" tell none.
Who is meant is looked up by others: a name that nobody bears tells no fact either.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from memory.command.fact_words import TELLINGS, Telling
from memory.command.intent import Remember
from memory.command.remember import remembering
from memory.facts.day import is_no_day, read_day
from memory.facts.role import is_sure
from memory.facts.value import fault_in, plain
from memory.zones import find_zone

LENGTH_MAX = 200
"""A fact's quote is the whole message: what is longer is a story."""

_TURN = re.compile(
    r"^(?:(?:no|nope|yes|actually|well|btw|by the way|fyi|ok(?:ay)?|hey|please|just so you know|nein|doch|ja|ach|übrigens"
    r"|bitte|hm+)[,!.: ]+)+",
    re.IGNORECASE,
)
_LEAD = re.compile(
    r"^(?:(?:know|for the record)(?:[,:]? that|[:,]) |(?:merke? dir|notiere?|du musst wissen)[:,]? )+",
    re.IGNORECASE,
)
_FORGET = re.compile(r"^(?:forget|drop|delete|vergiss|lösche?)(?:[,]? (?:that|dass)|:) ", re.IGNORECASE)
_THAT = re.compile(r"^(?:[,]? ?dass) ", re.IGNORECASE)
_END = re.compile(r"[\s.!]+$")
_NOBODY = re.compile(
    r"(?:the|a|an|my|your|our|this|that|these|those|it|i|we|you|who|what|which|there|here|everybody|everyone|nobody|someone|somebody"
    r"|lunch|dinner|der|die|das|den|dem|ein|eine|einen|mein\w*|dein\w*|unser\w*|eur\w*|dies\w*|es|ich|wir|ihr|man|wer|was|jemand|niemand"
    r"|alle|jeder|jede|hier|da|if|when|whether|ob|wenn|and|but|or|und|aber|oder)\b",
    re.IGNORECASE,
)
_IN_NO_NAME = frozenset(
    [
        "no",
        "not",
        "longer",
        "never",
        "that",
        "tell",
        "ask",
        "says",
        "said",
        "and",
        "or",
        "still",
        "also",
        "always",
        "will",
        "would",
        "is",
        "are",
        "was",
        "has",
        "had",
        "does",
        "works",
        "nicht",
        "nie",
        "mehr",
        "und",
        "oder",
        "dass",
        "sagt",
        "sagte",
        "frag",
        "frage",
        "auch",
        "noch",
        "immer",
        "wird",
        "ist",
        "hat",
    ]
)
_PRONOUN = re.compile(r"(?:she|he|they|her|his|their|sie|er|ihr|ihre|sein|seine)", re.IGNORECASE)
_NO_NAME = re.compile(
    r"(?:the|a|an|this|that|my|your|our|his|her|their|it|us|me|him|them|you|early|late|already|today|tomorrow|yesterday|now|here|there"
    r"|home|free|fun|lunch|dinner|work|bed|school|town|time|once|der|die|das|dem|den|des|ein\w*|mein\w*|dein\w*|unser\w*|ihm|ihr|ihnen|uns|mir|dir|zu|heute"
    r"|morgen|gestern|jetzt|hier|dort|haus|hause|montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|monday|tuesday|wednesday"
    r"|thursday|friday|saturday|sunday|next|last|\d.*)\b",
    re.IGNORECASE,
)
_LATER = re.compile(
    r",? (?:now|these days|again|too|as well|jetzt|inzwischen|mittlerweile|auch|since .*|seit .*)$", re.IGNORECASE
)
_VERBS = [
    "ist",
    "isst",
    "trinkt",
    "spielt",
    "macht",
    "läuft",
    "hat",
    "bevorzugt",
    "wohnt",
    "lebt",
    "kommt",
    "stammt",
    "spricht",
    "arbeitet",
    "sitzt",
    "investiert",
    "heißt",
    "telefoniert",
    "mag",
    "will",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToldFact:
    """What the words tell.

    names: by what the person may be called, the likeliest first; () for "she": the one that is talked about.
    kind, value: the fact. how: *is*: it holds; *ended*: it no longer does; *forget*: it shall not be known; *no day*: it
    can't be, for the day that is told, as it was written, does not exist.
    also: a second fact in the same words, a role beside its employer. words: the sentence that is to be forgotten.
    """

    names: tuple[str, ...]
    kind: str
    value: str
    how: Literal["is", "ended", "forget", "no day"] = "is"
    also: tuple[tuple[str, str], ...] = ()
    words: str = ""


def read_fact(text: str) -> ToldFact | None:
    """What the words tell; None when they are about something else."""
    said = _stated(_END.sub("", " ".join(text.split())))
    if not said or len(said) > LENGTH_MAX or "?" in said:
        return None
    forget = _FORGET.match(said)
    if forget:
        said = said[forget.end() :]
    elif that := _THAT.match(said):
        said = said[that.end() :]
    told = next((told for words in _readings(said) if (told := _told(words))), None)
    if told is None or not forget:
        return told
    return (
        ToldFact(names=told.names, kind=told.kind, value=told.value, how="forget", words=said)
        if told.how == "is"
        else None
    )


def _stated(said: str) -> str:
    """The sentence without what leads up to it: "no, …", "remember that …", "can you remember that …?"."""
    said = _TURN.sub("", said)
    wish = remembering(said)
    return wish.text if isinstance(wish, Remember) else _LEAD.sub("", said)


def _readings(said: str) -> Iterator[str]:
    """The sentence, and, where German puts the verb last ("dass Jonas Vegetarier ist"), with the verb behind the name."""
    yield said
    words = said.split()
    if words[-1].lower() in _VERBS:
        for names in (1, 2, 3):
            if names < len(words) - 1:
                yield " ".join((*words[:names], words[-1], *words[names:-1]))


def _told(said: str) -> ToldFact | None:
    for telling in TELLINGS:
        found = telling.pattern.fullmatch(said)
        told = _made(telling, found.groupdict(), said) if found else None
        if told is not None:
            return told
    return None


def _made(telling: Telling, found: dict[str, str | None], said: str) -> ToldFact | None:
    names = _names(found)
    value = _value(telling, {name: words or "" for name, words in found.items()}, said)
    if names is not None and telling.kind == "birthday" and is_no_day(found["day"] or ""):
        return ToldFact(names=names, kind=telling.kind, value=(found["day"] or "").strip(" .!"), how="no day")
    if names is None or value is None or fault_in(telling.kind, value):
        return None
    employer = _named(found.get("named") or "", said) if telling.kind == "role" and found.get("at") else None
    also = (("employer", employer),) if employer else ()
    return ToldFact(names=names, kind=telling.kind, value=value, how=telling.mode, also=also)


def _names(found: dict[str, str | None]) -> tuple[str, ...] | None:
    """Who is meant; None when it is nobody by name."""
    if found.get("pronoun") or _PRONOUN.fullmatch(found.get("who") or found.get("whose") or ""):
        return ()
    name = found.get("who") or found.get("whose") or ""
    if not name or _NOBODY.match(name) or not _IN_NO_NAME.isdisjoint(name.lower().split()):
        return None
    # "Annas" is Anna's in German, and a name in itself.
    return (name[:-1], name) if found.get("whose") and name.endswith("s") and len(name) > 3 else (name,)


def _value(telling: Telling, found: dict[str, str], said: str) -> str | None:
    if telling.kind == "birthday":
        return read_day(found["day"])
    if telling.kind == "role":
        return _role(found)
    named = _named(found["named"], said) if found.get("named") else ""
    place = _place(found["place"]) if found.get("place") else ""
    if named is None or place is None:
        return None
    return plain(telling.value.format_map({**found, "named": named, "place": place}))


def _role(found: dict[str, str]) -> str | None:
    is_told = found.get("sure") or found.get("later") or found.get("at")
    return plain(found["role"]) if is_told or is_sure(found["role"]) else None


def _named(words: str, said: str) -> str | None:
    """A firm, a place, a person: it has a capital, unless the owner writes none at all."""
    name = _LATER.sub("", words).strip(" ,\"'“”„")
    if not name or _NO_NAME.match(name):
        return None
    return name if name[:1].isupper() or name[:1].isdigit() or said == said.lower() else None


def _place(words: str) -> str | None:
    """A town: "moved to Friday" and "moved to another team" are none."""
    place = _LATER.sub("", words).strip(" ,")
    return place if not _NO_NAME.match(place) and find_zone(place) is not None else None
