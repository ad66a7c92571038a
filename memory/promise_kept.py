"""Whether a later utterance of the owner's keeps a promise: what was to be sent is there, what was to be answered is answered.

A thread of mail is one matter, and an answer in it answers. A chat goes on about everything: there a file counts, words
only where they say so, and an answer where it speaks of what was promised.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal, TypeVar
from zoneinfo import ZoneInfo

from memory.promise import Promise
from memory.promises.extract import promises
from memory.promises.withdrawn import withdraws
from memory.utterance import Utterance
from memory.when.words import word_set

T = TypeVar("T")

Sign = Literal["kept", "ask", "withdrawn", "none"]
"""*kept*: it shows. *ask*: it may be, and only the owner knows. *withdrawn*: it was taken back. *none*: nothing is to be seen."""

ANSWER_WORDS = 4
"""An answer has at least so many words: "thanks, will do" is none."""

_HANDED = re.compile(
    r"\b(?:attached|enclosed|attachment|here (?:is|are|it is|you go|comes)|here'?s|there you go|as promised|https?://|anbei|im anhang|"
    r"beigefügt|angehängt|hier (?:ist|sind|kommt|kommen)|bitte ?(?:schön|sehr)|wie versprochen|wie zugesagt)",
    re.IGNORECASE,
)
_DONE = re.compile(
    r"\b(?:done|fixed|finished|as promised|I(?:'ve| have)? (?:just )?(?:called|spoke|spoken|talked|checked|asked|sent|made|booked|paid|"
    r"looked)|erledigt|fertig|wie versprochen|wie zugesagt|habe? (?:ich )?[^.!?\n]{0,60}(?:angerufen|gesprochen|gefragt|geprüft|"
    r"geschickt|gebucht|bezahlt|überwiesen|gemacht))",
    re.IGNORECASE,
)
_NO_PAPER = word_set(
    """
    attachment photo jpg jpeg png heic webp video mp4 mov voice opus m4a mp3 ogg gif sticker link contact vcf location poll media
    """
)
"""What comes along in a chat and is no document."""
_SHOWN = re.compile(
    r"\b(?:photos?|pics?|pictures?|images?|screenshots?|scans?|videos?|fotos?|bild(?:er)?|aufnahmen?)\b", re.IGNORECASE
)
_LINK = re.compile(r"\b(?:links?|url|adresse|address|standort|location)\b", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]{4,}")


@dataclass(frozen=True, slots=True)
class Kept:
    """The sign, and what it was seen by. is_named: it names what was promised, by a file's name or the
    very verb. made_at: when what was taken back was promised.
    """

    sign: Sign
    because: str = ""
    is_named: bool = False
    made_at: datetime | None = None


NOTHING = Kept("none")


def weigh(promise: Promise, source: Utterance, later: Utterance, *, zone: ZoneInfo) -> Kept:
    """What `later` says of a promise that was made in `source`. zone: the owner's."""
    if not later.comes_after(source) or source.readers.isdisjoint(later.readers):
        return NOTHING
    is_answer = later.place == source.place
    if any(again.deed == promise.deed for again in promises(later.text, now=later.at, zone=zone)):
        # Put off once more.
        return NOTHING
    if is_answer and (back := withdraws(later.text, promise)):
        return Kept("withdrawn", f"you took it back ({later.ref})", back == "it", source.at)
    if promise.deed == "hand over":
        return _handed_over(promise, later, is_answer=is_answer)
    return _answered(promise, later) if is_answer else NOTHING


def _answered(promise: Promise, later: Utterance) -> Kept:
    """By words alone, in the same thread or chat."""
    if promise.deed == "answer":
        spoke = len(later.text.split()) >= ANSWER_WORDS and (not later.is_message or _speaks_of(promise, later.text))
        return Kept("kept", f"you wrote to them ({later.ref})") if spoke else NOTHING
    return Kept("ask", f"you wrote that something is done ({later.ref})") if _DONE.search(later.text) else NOTHING


def told_apart(seen: Mapping[T, Kept]) -> dict[T, Kept]:
    """What one utterance says of several promises.

    A file keeps the one whose name it bears; if it may be one of several, the owner is asked. "Can't make it" takes back
    what was promised last, unless that were several things at once.
    """
    return {key: _among(one, list(seen.values())) for key, one in seen.items()}


def _among(one: Kept, every: Sequence[Kept]) -> Kept:
    alike = [other for other in every if other.sign == one.sign]
    if one.sign not in ("kept", "withdrawn") or one.is_named or len(alike) == 1:
        return one
    if any(other.is_named for other in alike):
        return NOTHING
    if one.sign == "kept":
        return replace(one, sign="ask")
    last = max(other.made_at for other in alike if other.made_at is not None)
    return one if one.made_at == last and [other.made_at for other in alike].count(last) == 1 else NOTHING


def _handed_over(promise: Promise, later: Utterance, *, is_answer: bool) -> Kept:
    because = f"you sent them something ({later.ref})"
    says_so = is_answer and _HANDED.search(later.text) is not None
    is_named = any(_speaks_of(promise, name) for name in later.files)
    if is_named or _is_it(promise, later, is_answer=is_answer, says_so=says_so):
        return Kept("kept", f"you sent them a file ({later.ref})" if later.files else because, is_named)
    unknown = "attachment" in later.tags and not later.is_message
    return Kept("ask", because) if unknown or "media" in later.tags or says_so else NOTHING


def _is_it(promise: Promise, later: Utterance, *, is_answer: bool, says_so: bool) -> bool:
    """Whether what came along is what was promised, as far as its kind tells."""
    if not later.is_message:
        return is_answer and "attachment" in later.tags
    matter, tags = promise.matter, set(later.tags)
    is_picture = _SHOWN.search(matter) is not None
    is_paper = bool(tags - _NO_PAPER) and not is_picture
    is_shown = bool(tags & {"photo", "video"}) and (says_so or is_picture)
    is_link = bool(tags & {"link", "location"}) and _LINK.search(matter) is not None
    return is_answer and (is_paper or is_shown or is_link)


def _speaks_of(promise: Promise, text: str) -> bool:
    """Whether it shares a word with what was promised."""
    told = {word.casefold() for word in _WORD.findall(promise.matter)} - _COMMON
    return not told.isdisjoint(word.casefold() for word in _WORD.findall(text))


_COMMON = word_set(
    """
    send your yours know tell back give will with from that this them have about over
    schicke schick schicken schickt dein deine deinen euch dich melde meld bescheid sage sagen gebe geben noch dann
    """
)
