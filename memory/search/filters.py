"""What narrows a search, and how it is said: from:anna to:bob after:march before:2026-05-01 in:whatsapp has:pdf.

German says von:, an:, nach: or ab:, vor: or bis:, in:, mit:. A value of several words stands in quotes: from:"Anna M".
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from typing import Literal
from zoneinfo import ZoneInfo

from memory.search.passage import CORPORA, Corpus
from memory.search.stems import WORD, folded
from memory.when.grain import Grain, floor, step
from memory.when.reader import read as read_times
from memory.when.reading import Reading

Kind = Literal["from", "to", "after", "before", "in", "has"]

_KINDS: dict[str, Kind] = {
    **dict.fromkeys(("from", "by", "von"), "from"),
    **dict.fromkeys(("to", "an"), "to"),
    **dict.fromkeys(("after", "since", "nach", "seit", "ab"), "after"),
    **dict.fromkeys(("before", "until", "vor", "bis"), "before"),
    **dict.fromkeys(("in", "where", "wo"), "in"),
    **dict.fromkeys(("has", "with", "hat", "mit"), "has"),
}
_FILTER = re.compile(rf"(?<![\w:])({'|'.join(_KINDS)}):(\"[^\"]*\"|[^\s\"]+)", re.IGNORECASE)

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


@dataclass(frozen=True, slots=True)
class Stretch:
    """A stretch of time in UTC, its end not included."""

    from_at: datetime
    to_at: datetime


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


def read_filters(text: str, *, now: datetime | None, zone: ZoneInfo) -> tuple[Filters, str]:
    """The filters in a text, and the text without them. What is no filter, or has a value that nobody understands, stays.

    now: aware; None when only whole dates are to be read.
    """
    told: list[tuple[Kind, str]] = []
    rest, end = [], 0
    for found in _FILTER.finditer(text):
        kind, value = _KINDS[found[1].lower()], found[2].strip('"')
        if kind in ("after", "before") and stretch_of(value, now=now, zone=zone) is None:
            continue
        if not WORD.search(value):
            continue
        told.append((kind, value))
        rest.append(text[end : found.start()])
        end = found.end()
    return _filters(told, now, zone), " ".join((*rest, text[end:])) if told else text


def unread_filters(text: str, *, now: datetime | None, zone: ZoneInfo) -> tuple[str, ...]:
    """The filters whose time nobody understands ("after:easterish"): whoever asked should know that they don't count."""
    if now is None:
        return ()
    return tuple(
        found[0]
        for found in _FILTER.finditer(text)
        if _KINDS[found[1].lower()] in ("after", "before")
        and stretch_of(found[2].strip('"'), now=now, zone=zone) is None
    )


def _filters(told: list[tuple[Kind, str]], now: datetime | None, zone: ZoneInfo) -> Filters:
    places = [_words(value) for kind, value in told if kind == "in"]
    corpora = [_CORPUS_OF[" ".join(words)] for words in places if " ".join(words) in _CORPUS_OF]
    writers = [_words(value) for kind, value in told if kind == "from"]
    after = [_moment(value, now, zone) for kind, value in told if kind == "after"]
    before = [_moment(value, now, zone) for kind, value in told if kind == "before"]
    return Filters(
        writers=tuple(words for words in writers if not _ME.issuperset(words)),
        by_owner=any(_ME.issuperset(words) for words in writers),
        others=tuple(_words(value) for kind, value in told if kind == "to"),
        places=tuple(words for words in places if " ".join(words) not in _CORPUS_OF),
        corpora=frozenset(corpora),
        tags=tuple(tag for kind, value in told if kind == "has" for tag in map(_tag, _words(value))),
        after_at=max(after, default=None),
        before_at=min(before, default=None),
    )


def _words(value: str) -> tuple[str, ...]:
    return tuple(WORD.findall(folded(value)))


def _tag(word: str) -> str:
    return _TAG_OF.get(word, word)


def _moment(value: str, now: datetime | None, zone: ZoneInfo) -> datetime:
    stretch = stretch_of(value, now=now, zone=zone)
    assert stretch is not None  # noqa: S101  looked at before it was told
    return stretch.from_at


def stretch_of(value: str, *, now: datetime | None, zone: ZoneInfo) -> Stretch | None:
    """The stretch of time that a value means: "march" the last one, "2026-05-01" that day, "last week" all of it."""
    try:
        day = date.fromisoformat(value)
        return _between(datetime.combine(day, time()), datetime.combine(day + timedelta(days=1), time()), zone)
    except (ValueError, OverflowError):
        pass
    if now is None:
        return None
    mentions = read_times(value, now=now, zone=zone)
    if len(mentions) != 1 or mentions[0].span[1] - mentions[0].span[0] < len(value.strip()):
        return None
    return past_stretch(mentions[0].readings[0], mentions[0].text, now=now, zone=zone)


def past_stretch(reading: Reading, text: str, *, now: datetime, zone: ZoneInfo) -> Stretch | None:
    """What a mention of a time means to somebody who looks back; None for what only lies ahead, or has no length."""
    if reading.kind == "duration" or reading.recurrence is not None:
        return None
    wall_now = now.astimezone(zone).replace(tzinfo=None)
    try:
        start = reading.wall
        end = reading.end or step(floor(start, reading.grain), reading.grain)
        if start > wall_now:
            unit = _came_round(reading.grain, text, start - wall_now)
            start, end = (step(each, unit, -1) for each in (start, end))
    except OverflowError:
        return None
    return _between(start, end, zone) if start <= wall_now else None


def _came_round(grain: Grain, text: str, ahead: timedelta) -> Grain:
    """What lies ahead came round before: the weekday last week, the date last year."""
    is_weekday = grain == "day" and ahead <= timedelta(days=8) and not re.search(r"\d", text)
    return "week" if is_weekday else "year"


def _between(start: datetime, end: datetime, zone: ZoneInfo) -> Stretch | None:
    try:
        from_at, to_at = (wall.replace(tzinfo=zone).astimezone(UTC) for wall in (start, end))
    except OverflowError:
        return None
    return Stretch(from_at, to_at) if from_at < to_at else None


def common(stretches: Iterable[Stretch]) -> Stretch | None:
    """What all of these stretches have in common."""
    several = list(stretches)
    if not several:
        return None
    from_at, to_at = max(one.from_at for one in several), min(one.to_at for one in several)
    return Stretch(from_at, to_at) if from_at < to_at else None
