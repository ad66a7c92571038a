"""What narrows a search, and how it is said: from:anna to:bob after:march before:2026-05-01 in:whatsapp has:pdf.

German says von:, an:, nach: or ab:, vor: or bis:, in:, mit:. A value of several words stands in quotes: from:"Anna M".
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from difflib import get_close_matches
from typing import Literal
from zoneinfo import ZoneInfo

from memory.search.passage import CORPORA, Corpus
from memory.search.stems import WORD, folded
from memory.search.stretch import Stretch, between, meant
from memory.when.reader import read as read_times

Kind = Literal["from", "to", "after", "before", "in", "has"]
Slip = Literal["mistyped", "without"]
"""What looks like a filter and is none: "fron:anna", and "-heron", which leaves nothing out."""

_KINDS: dict[str, Kind] = {
    **dict.fromkeys(("from", "by", "von"), "from"),
    **dict.fromkeys(("to", "an"), "to"),
    **dict.fromkeys(("after", "since", "nach", "seit", "ab"), "after"),
    **dict.fromkeys(("before", "until", "vor", "bis"), "before"),
    **dict.fromkeys(("in", "where", "wo"), "in"),
    **dict.fromkeys(("has", "with", "hat", "mit"), "has"),
}
_TIMES = ("after", "before")
_FILTER = re.compile(rf"(?<![\w:])({'|'.join(_KINDS)}):(\"[^\"]*\"|[^\s\"]*)", re.IGNORECASE)

_LIKE_ONE = re.compile(r"(?<![\w:/@.])([^\W\d_]{3,9}):(?=[^\s:/])")
_WITHOUT = re.compile(r"(?<!\S)-([^\W\d_]\w+)(?!\S)")
ALIKE = 0.7
"""Of two names whose letters are so much the same, as difflib counts it, one may be meant for the other."""

TIME_MAX = 40
"""The words of a time that stands in no quotes are looked for in so many characters."""

_CALLED: dict[Corpus, str] = {
    "note": "note notes notiz notizen",
    "mail": "mail mails email emails post",
    "whatsapp": "whatsapp wa",
    "imessage": "imessage imessages messages sms",
    "telegram": "telegram",
    "chat": "chat stillbell",
    "calendar": "calendar calendars kalender termine",
    "meeting": "meeting meetings besprechung besprechungen",
    "person": "person people personen kontakte contacts",
    "file": "file files datei dateien document documents dokument dokumente",
}
_CORPUS_OF = {word: corpus for corpus in CORPORA for word in _CALLED[corpus].split()}
_TAG_OF = {
    **dict.fromkeys(("foto", "bild", "image", "picture", "photos"), "photo"),
    **dict.fromkeys(("anhang", "attachments", "anlage"), "attachment"),
    **dict.fromkeys(("sprachnachricht", "audio"), "voice"),
    **dict.fromkeys(("url", "links"), "link"),
}
_ME = frozenset({"me", "mir", "ich", "you"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """What a passage must be. Of each kind all must hold, but for corpora and places, of which one must.

    writers, others: the words of each name. places: the words of each. after_at, before_at: aware, UTC; from `after_at`
    on, and earlier than `before_at`.
    """

    writers: tuple[tuple[str, ...], ...] = ()
    others: tuple[tuple[str, ...], ...] = ()
    places: tuple[tuple[str, ...], ...] = ()
    corpora: frozenset[Corpus] = frozenset()
    tags: tuple[str, ...] = ()
    by_owner: bool = False
    after_at: datetime | None = None
    before_at: datetime | None = None

    @property
    def is_empty(self) -> bool:
        """Whether anything will do."""
        return self == NO_FILTERS

    def narrowed(self, stretch: Stretch) -> "Filters":
        """The same within a stretch of time."""
        return replace(self, after_at=stretch.from_at, before_at=stretch.to_at)

    def any_time(self) -> "Filters":
        """The same, whenever."""
        return replace(self, after_at=None, before_at=None)


NO_FILTERS = Filters()


@dataclass(frozen=True, slots=True)
class Typed:
    """A filter as it was typed. name, value: as they stood there; only: what it narrows to, None when nobody understands it."""

    kind: Kind | Slip
    name: str
    value: str
    only: Filters | None


def read_filters(text: str, *, now: datetime | None, zone: ZoneInfo) -> tuple[tuple[Typed, ...], str]:
    """The filters in a text, and the text without them.

    now: aware; None when only whole dates are to be read.
    """
    typed: list[Typed] = []
    rest, end = [], 0
    for found in _FILTER.finditer(text):
        if found.start() < end:
            continue
        value = found[2]
        if _KINDS[found[1].lower()] in _TIMES and _stretch_of(value.strip('"'), now=now, zone=zone) is None:
            # "after:last week heron": a time of several words that nobody put in quotes.
            value = _time_at_the_start_of(text[found.start(2) :], now=now, zone=zone) or value
        typed.append(_typed(found[1], value, now=now, zone=zone))
        if not value:
            continue
        rest.append(text[end : found.start()])
        end = found.start(2) + len(value)
    return tuple(typed), " ".join((*rest, text[end:])) if end else text


def read_slips(text: str) -> tuple[Typed, ...]:
    """What somebody may have meant for a filter, in a text without any."""
    names = [found[1] for found in _LIKE_ONE.finditer(text) if _is_mistyped(found[1].lower())]
    return (
        *(Typed("mistyped", name, "", None) for name in names),
        *(Typed("without", "", found[1], None) for found in _WITHOUT.finditer(text)),
    )


def _is_mistyped(name: str) -> bool:
    return name not in _KINDS and bool(get_close_matches(name, _KINDS, 1, ALIKE))


def _typed(name: str, value: str, *, now: datetime | None, zone: ZoneInfo) -> Typed:
    kind, value = _KINDS[name.lower()], value.strip('"') if WORD.search(value) else ""
    stretch = _stretch_of(value, now=now, zone=zone) if kind in _TIMES else None
    is_read = stretch is not None or (kind not in _TIMES and value != "")
    return Typed(kind, name, value, _alone(kind, value, stretch) if is_read else None)


def _alone(kind: Kind, value: str, stretch: Stretch | None) -> Filters:
    """What it narrows to."""
    words = tuple(WORD.findall(folded(value)))
    corpus = _CORPUS_OF.get(" ".join(words))
    at = stretch.from_at if stretch is not None else None
    return {
        "from": Filters(by_owner=True) if _ME.issuperset(words) else Filters(writers=(words,)),
        "to": Filters(others=(words,)),
        "in": Filters(corpora=frozenset((corpus,))) if corpus is not None else Filters(places=(words,)),
        "has": Filters(tags=tuple(_TAG_OF.get(word, word) for word in words)),
        "after": Filters(after_at=at),
        "before": Filters(before_at=at),
    }[kind]


def together(several: Iterable[Filters]) -> Filters:
    """All of these at once."""
    each = tuple(several)
    return Filters(
        writers=tuple(words for one in each for words in one.writers),
        others=tuple(words for one in each for words in one.others),
        places=tuple(words for one in each for words in one.places),
        corpora=frozenset(corpus for one in each for corpus in one.corpora),
        tags=tuple(tag for one in each for tag in one.tags),
        by_owner=any(one.by_owner for one in each),
        after_at=max((one.after_at for one in each if one.after_at), default=None),
        before_at=min((one.before_at for one in each if one.before_at), default=None),
    )


def _stretch_of(value: str, *, now: datetime | None, zone: ZoneInfo) -> Stretch | None:
    """The stretch of time that a value means: "march" the last one, "2026-05-01" that day, "last week" all of it."""
    try:
        day = date.fromisoformat(value)
        return between(datetime.combine(day, time()), datetime.combine(day + timedelta(days=1), time()), zone)
    except (ValueError, OverflowError):
        pass
    if now is None:
        return None
    mentions = read_times(value, now=now, zone=zone)
    if len(mentions) != 1 or mentions[0].span[1] - mentions[0].span[0] < len(value.strip()):
        return None
    return meant(mentions[0].readings[0], mentions[0].text, now=now, zone=zone)


def _time_at_the_start_of(text: str, *, now: datetime | None, zone: ZoneInfo) -> str:
    """The words with which a text begins that are a time; "" when it begins with none."""
    if now is None:
        return ""
    mentions = read_times(text[:TIME_MAX], now=now, zone=zone)
    return mentions[0].text if mentions and mentions[0].span[0] == 0 else ""
