"""Reading a text of the owner's for promises.

    promises("I'll send you the report by Friday.", now=written_at, zone=zone, recipients=("Anna",))

Each sentence is looked at by itself, in linear time; what is quoted is not the owner's and not looked at.
"""

import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

from memory.detectors.finding import TEXT_MAX
from memory.detectors.sentence import sentences
from memory.owner import Language
from memory.promise import PROMISED_QUOTE_MAX, Promise
from memory.promises.due import Due, Moment, dues
from memory.promises.english import english
from memory.promises.found import Found
from memory.promises.words import Word, has, words_of
from memory.when.words import TELLING

PROMISES_MAX = 20
"""So many promises of one text are kept; more than that nobody makes, or checks."""

SENTENCE_MAX = 1_000
"""So many characters of a sentence are looked at."""

_QUOTED_LINE = re.compile(r"^[ \t]{0,8}(?:[A-Za-z]{0,3}[>|]).*$", re.MULTILINE)


def promises(
    said: str,
    *,
    now: datetime,
    zone: ZoneInfo,
    language_hint: Language | None = None,
    recipients: Sequence[str] = (),
) -> tuple[Promise, ...]:
    """The promises in what the owner wrote, in order, PROMISES_MAX at most.

    said: the owner's own words. now: when they were written (aware). zone: the owner's at the time. recipients: whom it
    was written to, by name or address. language_hint: for sentences that could be either. Never raises on any text.
    """
    text = _QUOTED_LINE.sub(lambda line: " " * len(line[0]), said[:TEXT_MAX])
    found: list[Promise] = []
    for start, sentence in sentences(text):
        for promise in _of_sentence(sentence[:SENTENCE_MAX], start, now, zone, language_hint, recipients):
            found.append(promise)
            if len(found) == PROMISES_MAX:
                return tuple(found)
    return tuple(found)


def _of_sentence(
    sentence: str,
    start: int,
    now: datetime,
    zone: ZoneInfo,
    hint: Language | None,
    recipients: Sequence[str],
) -> Iterator[Promise]:
    words = words_of(sentence)
    for language in _languages(words, hint):
        moment = Moment(now=now, zone=zone, language=language)
        for found in _RULES[language](words):
            promise = _promise(found, sentence, start, moment, recipients)
            if promise.due or not found.needs_due:
                yield promise


from memory.promises.german import german
_RULES = {"en": english, "de": german}


def _languages(words: Sequence[Word], hint: Language | None) -> tuple[Language, ...]:
    """The languages that a sentence may be in: the one that tells more, both when neither does."""
    english_, german_ = (sum(word.low in TELLING[one] for word in words) for one in ("en", "de"))
    if english_ != german_:
        return ("en",) if english_ > german_ else ("de",)
    return (hint,) if hint else ("en", "de")


def _promise(found: Found, sentence: str, start: int, moment: Moment, recipients: Sequence[str]) -> Promise:
    some = dues(found, sentence, moment)
    first, last = _trimmed(found, some)
    words = found.words
    due = some[0] if some else None
    begin, end = words[first].start, words[last - 1].end
    return Promise(
        action=" ".join(sentence[begin:end].split()),
        deed=found.deed,
        to=recipients[0] if recipients else "",
        due=" ".join(sentence[words[due.first].start : words[due.last - 1].end].split()) if due else "",
        due_at=next((one.at for one in some if one.at is not None), None),
        quote=_quote(sentence, begin, end),
        start=start + begin,
        end=start + end,
        due_start=start + words[due.first].start if due else -1,
        due_end=start + words[due.last - 1].end if due else -1,
        is_hedged=found.is_hedged,
    )


def _trimmed(found: Found, some: Sequence[Due]) -> tuple[int, int]:
    """The action without the due phrases at its edges."""
    first, last = found.first, found.last
    for due in reversed(some):
        if first < due.first < last and (last <= due.last or (found.words[due.last].low in _REST and not has(found.words[due.last:last],("and",)))):
            last = due.first
    for due in some:
        if due.first <= first < due.last < last:
            first = due.last
    while last - 1 > first and (not found.words[last - 1].is_word or found.words[last - 1].low in ("and", "it's")) :
        last -= 1
    return first, last


_REST = frozenset("in about re on for from regarding with at to w".split())


def _quote(sentence: str, begin: int, end: int) -> str:
    """The sentence, or as much of it around the action as a quote may hold: verbatim, line breaks and all."""
    if len(sentence) <= PROMISED_QUOTE_MAX:
        return sentence
    start = max(0, min(begin - 40, len(sentence) - PROMISED_QUOTE_MAX))
    if start and (blank := sentence.find(" ", start, begin)) >= 0:
        start = blank + 1
    return sentence[start : start + PROMISED_QUOTE_MAX].strip()
