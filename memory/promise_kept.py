"""Whether a later mail of the owner's keeps a promise: what was to be sent is there, what was to be answered is answered."""

import re
from dataclasses import dataclass
from typing import Literal
from zoneinfo import ZoneInfo

from memory.detectors.sentence import own_words
from memory.mail import KeptMail
from memory.people.identity import mailbox_of
from memory.promise import Promise
from memory.promises.extract import promises

Sign = Literal["kept", "ask", "none"]
"""*kept*: it shows. *ask*: it may be, and only the owner knows. *none*: nothing is to be seen of it."""

ANSWER_WORDS = 4
"""An answer has at least so many words: "thanks, will do" is none."""

_HANDED = re.compile(
    r"\b(?:attached|enclosed|attachment|here (?:is|are|it is|you go|comes)|as promised|https?://|anbei|im anhang|beigefügt|"
    r"angehängt|hier (?:ist|sind|kommt|kommen)|wie versprochen|wie zugesagt)",
    re.IGNORECASE,
)
_DONE = re.compile(
    r"\b(?:done|fixed|finished|as promised|I(?:'ve| have)? (?:just )?(?:called|spoke|spoken|talked|checked|asked|sent|made|booked|paid|"
    r"looked)|erledigt|fertig|wie versprochen|wie zugesagt|habe? (?:ich )?[^.!?\n]{0,60}(?:angerufen|gesprochen|gefragt|geprüft|"
    r"geschickt|gebucht|bezahlt|überwiesen|gemacht))",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Kept:
    """The sign, and what it was seen by."""

    sign: Sign
    because: str = ""


NOTHING = Kept("none")


def weigh(promise: Promise, source: KeptMail, later: KeptMail, *, zone: ZoneInfo) -> Kept:
    """What `later`, a mail of the owner's, says of a promise that they made in `source`. zone: the owner's."""
    if later.id == source.id or later.at <= source.at or not _reaches(source, later):
        return NOTHING
    if any(again.deed == promise.deed for again in promises(own_words(later), now=later.at, zone=zone)):
        # Put off once more.
        return NOTHING
    is_answer = later.thread_id == source.thread_id
    if promise.deed == "hand over":
        return _handed_over(later, is_answer=is_answer)
    if not is_answer:
        return NOTHING
    if promise.deed == "answer":
        spoke = len(own_words(later).split()) >= ANSWER_WORDS
        return Kept("kept", f"you wrote to them (mail {later.id})") if spoke else NOTHING
    return (
        Kept("ask", f"you wrote that something is done (mail {later.id})")
        if _DONE.search(own_words(later))
        else NOTHING
    )


def _handed_over(later: KeptMail, *, is_answer: bool) -> Kept:
    if later.mail.attachments and is_answer:
        return Kept("kept", f"you sent them a file (mail {later.id})")
    if later.mail.attachments or (is_answer and _HANDED.search(own_words(later))):
        return Kept("ask", f"you sent them something (mail {later.id})")
    return NOTHING


def _reaches(source: KeptMail, later: KeptMail) -> bool:
    return not _readers(source).isdisjoint(_readers(later))


def _readers(kept: KeptMail) -> set[str]:
    mail = kept.mail
    return {mailbox_of(one.address) for one in (*mail.to, *mail.cc, *mail.bcc) if one.address}
