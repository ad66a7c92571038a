"""Reading a text of the owner's for promises.

    promises("I'll send you the report by Friday.", now=written_at, zone=zone, recipients=("Anna",))

Each sentence is looked at by itself, in time linear in the text; what is quoted is not the owner's and not looked at.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from memory.detectors.finding import TEXT_MAX
from memory.detectors.sentence import sentences
from memory.owner import Language
from memory.promise import PROMISED_QUOTE_MAX, Promise
from memory.promises.due import Due, Moment, dues
from memory.promises.english import english
from memory.promises.found import Found
from memory.promises.german import german
from memory.promises.words import Words, has, words_of
from memory.when.words import TELLING, word_set

PROMISES_MAX = 20
"""So many promises of one text are kept: more than that nobody makes, or checks."""

SENTENCE_MAX = 1_000
"""So many characters of a sentence are looked at."""

_QUOTED_LINE = re.compile(r"^[ \t]{0,8}[A-Za-z]{0,3}[>|].*$", re.MULTILINE)
_BY_LANGUAGE: Mapping[Language, Callable[[Words], Iterator[Found]]] = {"en": english, "de": german}


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
        written = _Sentence(sentence[:SENTENCE_MAX], start, now, zone)
        found += _of_sentence(written, language_hint, recipients)
        if len(found) >= PROMISES_MAX:
            break
    return tuple(found[:PROMISES_MAX])


@dataclass(frozen=True, slots=True)
class _Sentence:
    """A sentence, where it stands in the text, and when and where it was written."""

    text: str
    start: int
    now: datetime
    zone: ZoneInfo

    def piece(self, words: Words, first: int, last: int) -> str:
        """Those words as they stand, on one line."""
        return " ".join(self.text[words[first].start : words[last - 1].end].split())


def _of_sentence(sentence: _Sentence, hint: Language | None, recipients: Sequence[str]) -> Iterator[Promise]:
    words = words_of(sentence.text)
    for language in _languages(words, hint):
        moment = Moment(now=sentence.now, zone=sentence.zone, language=language)
        for found in _BY_LANGUAGE[language](words):
            promise = _promise(found, sentence, moment, recipients)
            if promise.due or not found.needs_due:
                yield promise


def _languages(words: Words, hint: Language | None) -> tuple[Language, ...]:
    """The languages that a sentence may be in: the one that tells more, both when neither does."""
    telling = {language: sum(word.low in TELLING[language] for word in words) for language in _BY_LANGUAGE}
    if telling["en"] != telling["de"]:
        return ("en",) if telling["en"] > telling["de"] else ("de",)
    return (hint,) if hint else ("en", "de")


def _promise(found: Found, sentence: _Sentence, moment: Moment, recipients: Sequence[str]) -> Promise:
    some = dues(found, sentence.text, moment)
    first, last = _trimmed(found, some, moment.language)
    words, due = found.words, some[0] if some else None
    begin, end = words[first].start, words[last - 1].end
    return Promise(
        action=sentence.piece(words, first, last),
        deed=found.deed,
        to=recipients[0] if recipients else "",
        due=sentence.piece(words, due.first, due.last) if due else "",
        due_at=next((one.at for one in some if one.at is not None), None),
        quote=_quote(sentence.text, begin),
        start=sentence.start + begin,
        end=sentence.start + end,
        is_hedged=found.is_hedged,
    )


_REST = word_set("in about re on for from regarding with at to w")
_AT_THE_END = word_set("and or so aber und oder ich wir noch")
_AT_THE_BEGINNING = word_set("werde werden ich wir dann")


def _trimmed(found: Found, some: Sequence[Due], language: Language) -> tuple[int, int]:
    """The action without the due phrases at its edges."""
    first, last, words = found.first, found.last, found.words
    for due in reversed(some):
        rest = words[due.last : last]
        only_about = language == "en" and has(rest[:1], _REST) and not has(rest, ("and",))
        if first < due.first < last and (last <= due.last or only_about):
            last = due.first
    for due in some:
        if due.first <= first < due.last < last:
            first = due.last
    while last - 1 > first and (not words[last - 1].is_word or words[last - 1].low in _AT_THE_END):
        last -= 1
    while first < last - 1 and words[first].low in _AT_THE_BEGINNING and language == "de":
        first += 1
    return first, last


def _quote(sentence: str, begin: int) -> str:
    """The sentence, or as much of it around the action as a quote may hold: verbatim, line breaks and all."""
    if len(sentence) <= PROMISED_QUOTE_MAX:
        return sentence
    start = max(0, min(begin - 40, len(sentence) - PROMISED_QUOTE_MAX))
    if start:
        start = max(start, sentence.find(" ", start, begin) + 1)
    return sentence[start : start + PROMISED_QUOTE_MAX].strip()
