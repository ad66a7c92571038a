"""By when: the words of a promise that say so, and the time they mean."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from memory.owner import Language
from memory.promises import due_words as lists
from memory.promises.found import Found
from memory.promises.words import Words, has, phrase_at
from memory.when.reader import read
from memory.when.reading import Mention, Reading
from memory.zones import to_utc


@dataclass(frozen=True, slots=True)
class Due:
    """The words from `first` to before `last`, and the time (aware UTC); None when no calendar knows it."""

    first: int
    last: int
    at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """When and where it was written: `now` aware, `zone` the writer's, and the language of the sentence."""

    now: datetime
    zone: ZoneInfo
    language: Language


def dues(found: Found, sentence: str, moment: Moment) -> list[Due]:
    """Every due phrase among the words of a promise, in order, none over another."""
    taken: list[Due] = []
    times = list(_times(found, sentence, moment))
    candidates = [
        *_triggers(found, moment.language),
        *times,
        *_events(found, moment.language),
        *_soon(found, moment.language),
    ]
    for due in sorted(candidates, key=lambda due: due.first - due.last):
        if not any(due.first < other.last and other.first < due.last for other in taken):
            at = due.at or next((one.at for one in times if due.first <= one.first and one.last <= due.last), None)
            taken.append(Due(due.first, due.last, at))
    return _joined(sorted(taken, key=lambda due: due.first), found.words)


def _joined(some: Sequence[Due], words: Words) -> list[Due]:
    """ "Today and tomorrow" is one phrase."""
    joined: list[Due] = []
    for due in some:
        gap = [word.low for word in words[joined[-1].last : due.first]] if joined else []
        if joined and gap in (["or"], ["and"], ["oder"], ["und"]):
            joined[-1] = Due(joined[-1].first, due.last, due.at or joined[-1].at)
        else:
            joined.append(due)
    return joined


def _times(found: Found, sentence: str, moment: Moment) -> Iterator[Due]:
    """Dates and times."""
    words = found.words
    first, last = found.within
    if first >= last:
        return
    start, end = words[first].start, words[last - 1].end
    for mention in read(sentence[start:end], now=moment.now, zone=moment.zone, language=moment.language):
        since, until = start + mention.span[0], start + mention.span[1]
        inside = [at for at in range(first, last) if words[at].start >= since and words[at].end <= until]
        if len(inside) > 1 and words[inside[0]].low in ("das", "es") and not words[inside[1]].is_capital:
            # "Ich schick dir das morgen": the thing, and then the day.
            del inside[0]
        if inside and not _is_matter(words, inside[0]):
            yield _widened(found, Due(inside[0], inside[-1] + 1, _instant(mention, moment)), moment.language)


def _is_matter(words: Words, at: int) -> bool:
    """Whether the time belongs to what is spoken of: "let you know about tomorrow", "a table for Saturday"."""
    return has(words[max(0, at - 1) : at], lists.BEFORE_MATTER) or words[at].low in ("about", "for", "fuer")


def _widened(found: Found, due: Due, language: Language) -> Due:
    first, words = due.first, found.words
    while first - 1 > found.first and words[first - 1].low in lists.LEADS[language]:
        first -= 1
    while first - 1 >= found.within[0] and due.first < found.first and words[first - 1].low in lists.LEADS[language]:
        first -= 1
    return Due(first, due.last, due.at)


def _soon(found: Found, language: Language) -> Iterator[Due]:
    """ "Soon", "as soon as possible", "umgehend"."""
    for at in range(*found.within):
        phrase = phrase_at(found.words, at, lists.SOON[language])
        if phrase and at + len(phrase) <= found.within[1]:
            yield Due(at, at + len(phrase))


def _events(found: Found, language: Language) -> Iterator[Due]:
    """ "After the meeting", "vor meinem Urlaub"."""
    words, until = found.words, found.within[1]
    for at in range(found.within[0], until):
        phrase = phrase_at(words, at, lists.EVENTS)
        if not phrase:
            continue
        behind = range(at + len(phrase), min(at + len(phrase) + 3, until))
        named = (k for k in behind if words[k].is_word and (language == "en" or words[k].is_capital))
        noun = next(named, None)
        if noun is not None:
            yield Due(at, noun + 1)


def _triggers(found: Found, language: Language) -> Iterator[Due]:
    """ "As soon as he gets back to me", "sobald ich mehr weiß"."""
    words = found.words
    for at in range(*found.within):
        phrase = phrase_at(words, at, lists.TRIGGERS[language])
        needs_clause = len(phrase) == 1 and words[at].low in lists.NEED_CLAUSE
        if not phrase or found.first == at or (needs_clause and not _is_clause(words, at + 1)):
            continue
        end = next((k for k in range(at + 1, found.within[1]) if _ends(found, k, language)), found.within[1])
        if end - at > len(phrase):
            yield Due(at, end)


def _is_clause(words: Words, at: int) -> bool:
    """Whether somebody does something there: "before I go", not "before the end of the week"."""
    return at < len(words) and (words[at].low in lists.PRONOUNS or words[at].low.endswith("ing"))


def _ends(found: Found, at: int, language: Language) -> bool:
    """Whether a clause that says "when" ends before this word."""
    if found.words[at].low == "," or found.words[at].is_stop or at == found.subject:
        return True
    return at > found.first and found.words[at].low in lists.CLAUSE_ENDS[language]


def _instant(mention: Mention, moment: Moment) -> datetime | None:
    """When to think of it; None for a bare length, for what returns, and for what no calendar holds."""
    reading = next((each for each in mention.readings if _counts(each)), None)
    if reading is None:
        return None
    try:
        return reading.at or to_utc(reading.anchor, moment.zone)
    except (OverflowError, ValueError):
        return None


def _counts(reading: Reading) -> bool:
    return reading.kind != "duration" and reading.recurrence is None and reading.grain != "year"
