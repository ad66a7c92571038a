"""By when: the words of a promise that say so, and the time they mean."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from memory.owner import Language
from memory.promises.due_words import BEFORE_MATTER, CLAUSE_ENDS, LEADS, NEEDS_CLAUSE, PRONOUNS, SOON, TRAILS, TRIGGERS
from memory.promises.found import Found
from memory.promises.words import Words, says
from memory.when.reader import read
from memory.when.reading import Mention, Reading
from memory.zones import to_utc


@dataclass(frozen=True, slots=True)
class Due:
    """The words from `first` to before `last`, and the time; None when they name none that a calendar knows."""

    first: int
    last: int
    at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """When and where it was written: `now` aware, `zone` the writer's."""

    now: datetime
    zone: ZoneInfo
    language: Language


def dues(found: Found, sentence: str, moment: Moment) -> list[Due]:
    """Every due phrase among the words of a promise, in order, none over another."""
    taken: list[Due] = []
    candidates = [*_triggers(found, moment.language), *_times(found, sentence, moment), *_soon(found, moment.language)]
    for due in sorted(candidates, key=lambda due: due.first - due.last):
        if not any(due.first < other.last and other.first < due.last for other in taken):
            taken.append(due)
    return _joined(sorted(taken, key=lambda due: due.first), found.words)


def _joined(some: Sequence[Due], words: Words) -> list[Due]:
    """ "Today and tomorrow", "soon, by Friday at the latest": one phrase."""
    joined: list[Due] = []
    for due in some:
        gap = words[joined[-1].last : due.first] if joined else ()
        if joined and [word.low for word in gap] in (["or"], ["and"], ["oder"], ["und"]):
            joined[-1] = Due(joined[-1].first, due.last, due.at or joined[-1].at)
        else:
            joined.append(due)
    return joined


def _times(found: Found, sentence: str, moment: Moment) -> Iterator[Due]:
    words = found.words
    first, last = found.within
    if first >= last:
        return
    start, end = words[first].start, words[last - 1].end
    for mention in read(sentence[start:end], now=moment.now, zone=moment.zone, language=moment.language):
        inside = [
            at
            for at in range(first, last)
            if words[at].start >= start + mention.span[0] and words[at].end <= start + mention.span[1]
        ]
        if inside and not _is_matter(words, inside[0], moment.language):
            yield _widened(words, Due(inside[0], inside[-1] + 1, _instant(mention, moment)), found, moment.language)


def _is_matter(words: Words, at: int, language: Language) -> bool:
    """Whether the time belongs to what is spoken of: "let you know about tomorrow", "a table for Saturday"."""
    return words[at].low == "about" or (at > 0 and words[at - 1].low in BEFORE_MATTER[language])


def _widened(words: Words, due: Due, found: Found, language: Language) -> Due:
    first, last = due.first, due.last
    while first > found.within[0] and words[first - 1].low in LEADS[language] and first - 1 not in (found.first,):
        first -= 1
    while last < found.within[1] and words[last].low in TRAILS[language]:
        last += 1
    return Due(first, last, due.at)


def _soon(found: Found, language: Language) -> Iterator[Due]:
    for at in range(*found.within):
        for phrase in SOON[language]:
            if says(found.words, at, *phrase) and at + len(phrase) <= found.within[1]:
                yield Due(at, at + len(phrase))


def _triggers(found: Found, language: Language) -> Iterator[Due]:
    words = found.words
    for at in range(*found.within):
        phrase = next((phrase for phrase in TRIGGERS[language] if says(words, at, *phrase)), None)
        if phrase is None or found.first == at or (phrase in NEEDS_CLAUSE and not _is_clause(words, at + 1)):
            continue
        end = next((k for k in range(at + 1, found.within[1]) if _ends(words, k, found, language)), found.within[1])
        if end - at > len(phrase):
            yield Due(at, end)


def _is_clause(words: Words, at: int) -> bool:
    """Whether somebody does something there: "before I go", not "before the end of the week"."""
    return at < len(words) and (words[at].low in PRONOUNS or words[at].low.endswith("ing"))


def _ends(words: Words, at: int, found: Found, language: Language) -> bool:
    """Whether a clause that says "when" ends before this word."""
    low = words[at].low
    if low == ",":
        return True
    is_main = at < found.first and low in ("i", "we") and at + 1 < len(words) and words[at + 1].low in ("will", "'ll", "shall")
    return is_main or (at > found.first and low in CLAUSE_ENDS[language])


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
