"""From what somebody typed to what is looked for: words, "phrases", beginnings (word*), filters and times."""

import re
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal
from unicodedata import normalize
from zoneinfo import ZoneInfo

from memory.search.filters import NO_FILTERS, Filters, Typed, read_filters, read_slips, together
from memory.search.stems import WORD, folded
from memory.search.stopwords import ENGLISH, GERMAN
from memory.search.stretch import Stretch, common, covering, meant, unit_ago
from memory.when.reader import read as read_times
from memory.when.reading import Mention

LENGTH_MAX = 1000
"""What somebody typed beyond this is not looked at."""

SPOKEN = 0.5
"""What the words of a preferred time count."""

Shape = Literal["word", "phrase", "beginning"]
Asks = Literal["when", "how many", ""]

_UTC = ZoneInfo("UTC")
_PHRASE = re.compile(r"[\"“„]([^\"“”„]+)[\"”“]")
_BEGINNING = re.compile(r"(\w{2,})\*")
_LOOKS_BACK = re.compile(
    r"\b(last|past|previous|yesterday|today|tonight|this|since|letzte\w*|vergangene\w*|vorige\w*|gestern|vorgestern|heute|"
    r"diese\w*|seit)\b",
    re.IGNORECASE,
)
_ASKS: tuple[tuple[re.Pattern[str], Asks], ...] = (
    (
        re.compile(r"\W*(when|since when|wann|seit wann|what (date|day|month|year|time)|welche[rsnm]? tag)\b", re.I),
        "when",
    ),
    (re.compile(r"\W*(how (many|much|often|long|old)|wie ?viele?|wie (oft|lange|alt)|was kostet)\b", re.I), "how many"),
)


@dataclass(frozen=True, slots=True)
class Term:
    """Something that is looked for, folded. is_optional: it may be missing, such as the words of a time; counts: how much."""

    words: tuple[str, ...]
    shape: Shape = "word"
    is_optional: bool = False
    counts: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """What is looked for.

    meaning: the question as it was put, without its filters. prefers: a stretch of time whose passages come first; one
    that must hold stands in the filters. spoken: the words of a preferred time. time_words: those of one that must hold.
    typed: the filters as they were typed, and what looks like one.
    """

    terms: tuple[Term, ...] = ()
    filters: Filters = NO_FILTERS
    meaning: str = ""
    prefers: Stretch | None = None
    spoken: tuple[Term, ...] = ()
    asks: Asks = ""
    time_words: tuple[str, ...] = ()
    typed: tuple[Typed, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether nothing is looked for."""
        return not self.terms and self.filters.is_empty

    @property
    def is_one_word(self) -> bool:
        """Whether one word alone was typed: it is looked up, nothing is asked."""
        return " " not in self.meaning

    @property
    def is_looked_up(self) -> bool:
        """Whether one word, or phrases alone, are looked up: nothing is asked, and what doesn't hold them is no hit."""
        return self.is_one_word or self.is_phrase

    @property
    def is_phrase(self) -> bool:
        """Whether phrases stand there and nothing else: they are meant to the letter."""
        return bool(self.terms) and all(term.shape == "phrase" for term in self.terms)

    @property
    def is_timed_by_words(self) -> bool:
        """Whether a stretch of time must hold because of words in the text, which may have meant something else."""
        return bool(self.time_words)

    def untimed(self) -> "Query":
        """The same without that time: its words are looked for like any others, and beside others they may be missing."""
        words = tuple(Term((word,), is_optional=bool(self.terms)) for word in self.time_words)
        return replace(self, terms=(*self.terms, *words), filters=self.filters.any_time(), time_words=())


def read_query(text: str, *, now: datetime | None = None, zone: ZoneInfo = _UTC) -> Query:
    """Read a query. Any text is one; one without words or filters looks for nothing.

    now: aware; None leaves words of time unread. zone: the owner's.
    """
    # Composed first: an "ü" typed as two characters would fall apart into two words.
    text = normalize("NFC", text[:LENGTH_MAX].encode("utf-8", "replace").decode())
    typed, rest = read_filters(text, now=now, zone=zone)
    filters = together(one.only for one in typed if one.only is not None)
    phrases = [
        Term(words, "phrase") for found in _PHRASE.findall(rest) if (words := tuple(WORD.findall(folded(found))))
    ]
    unquoted = _PHRASE.sub(" ", rest)
    beginnings = [Term((folded(word),), "beginning") for word in _BEGINNING.findall(unquoted)]
    bare = _BEGINNING.sub(" ", unquoted)
    must, spelled, may, left = _times(bare, now, zone)
    is_alone = not (phrases or beginnings or filters != NO_FILTERS)
    # Filters that nobody understands, and nothing else: they were meant as words.
    words = words_of(left, is_alone=is_alone) or (words_of(text) if is_alone and not must and not may else ())
    spoken = [Term((word,), is_optional=True, counts=SPOKEN) for one in may for word in words_of(one, is_alone=False)]
    terms = dict.fromkeys([*phrases, *beginnings, *(Term((word,)) for word in words)])
    has_words = bool(terms)
    return Query(
        terms=tuple(terms) if has_words else tuple(Term(each.words) for each in spoken),
        filters=_within(filters, must),
        time_words=words_of(spelled) if must and _within(filters, must) != filters else (),
        meaning=" ".join(rest.split()),
        prefers=common(stretch for stretch in may.values()) if has_words else None,
        spoken=tuple(spoken) if has_words else (),
        typed=(*typed, *read_slips(unquoted)),
        asks=next((asks for pattern, asks in _ASKS if pattern.match(bare)), ""),
    )


def words_of(text: str, *, is_alone: bool = True) -> tuple[str, ...]:
    """The words worth looking for: folded, each once; function words only when there is nothing else."""
    raw = list(dict.fromkeys(WORD.findall(normalize("NFC", text.lower()[:LENGTH_MAX]))))
    telling = [word for word in raw if word not in ENGLISH and word not in GERMAN]
    return tuple(dict.fromkeys(word for each in (telling or (raw if is_alone else [])) if (word := folded(each))))


def _within(filters: Filters, stretch: Stretch | None) -> Filters:
    if stretch is None or filters.after_at is not None or filters.before_at is not None:
        return filters
    return filters.narrowed(stretch)


def _times(text: str, now: datetime | None, zone: ZoneInfo) -> tuple[Stretch | None, str, dict[str, Stretch], str]:
    """The stretch that must hold and its words, those that are preferred by theirs, and the text without any of them."""
    if now is None:
        return None, "", {}, text
    must: list[Stretch] = []
    said: list[str] = []
    may: dict[str, Stretch] = {}
    left, end = [], 0
    for mention in read_times(text, now=now, zone=zone):
        stretch = _stretch(mention, now, zone)
        if stretch is None:
            continue
        if _LOOKS_BACK.search(mention.text) and stretch.from_at <= now:
            must.append(stretch)
            said.append(mention.text)
        else:
            may[mention.text] = stretch
        left.append(text[end : mention.span[0]])
        end = mention.span[1]
    # "Today or yesterday" have nothing in common, and are meant both.
    return common(must) or covering(must), " ".join(said), may, " ".join((*left, text[end:]))


def _stretch(mention: Mention, now: datetime, zone: ZoneInfo) -> Stretch | None:
    """A lone word is rarely meant as a time ("march", "may"), unless it looks back; an hour is too narrow to search in."""
    reading, words = mention.readings[0], len(mention.text.split())
    looks_back = _LOOKS_BACK.search(mention.text) is not None
    if not looks_back and words < 2:
        return None
    is_narrow = reading.grain in ("second", "minute", "hour") and reading.end is None
    if is_narrow and unit_ago(mention.text) is None:
        return None
    return meant(reading, mention.text, now=now, zone=zone)
