"""A thread left hanging: somebody asked the owner something and has no answer; or the owner asked, and nobody answered.

Only the last word in a thread counts, and automatic replies are no word. A thread is the owner's when they have written in
it, or when they are the only one it was sent to.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from memory.detectors.addressed import others_in_to
from memory.detectors.bulk import bulk, is_auto_reply
from memory.detectors.finding import QUOTE_MAX, Finding
from memory.detectors.request import asks, sought
from memory.detectors.sentence import own_words, sentences
from memory.mail import KeptMail
from memory.people.oneself import Oneself

HANGING_AFTER_FOR = timedelta(days=3)
"""An answer that takes longer than this is late to most people; over a weekend it is not yet."""
WAITING_AFTER_FOR = timedelta(days=4)
FORGOTTEN_AFTER_FOR = timedelta(days=45)
"""What has hung this long was let go; nobody wants to be told of it each morning."""

REPLIES_MAX = 5
"""So many mails at a thread's end are looked through for the last that is no automatic reply."""


def hanging(
    thread: Iterable[KeptMail], me: Oneself, *, now: datetime, after: timedelta = HANGING_AFTER_FOR
) -> Finding | None:
    """What the owner was asked last in the thread and has not answered; detail is "question" or "request"."""
    mails = sorted(thread, key=lambda each: (each.at, each.id))
    last = _last_word(mails, me)
    if last is None or last.by_owner or not after <= now - last.at <= FORGOTTEN_AFTER_FOR:
        return None
    if not (_took_part(mails) or _is_only_for(last, me)):
        return None
    asked = sought(last, me)
    return asked and Finding(kind="hanging", detail=asked.detail, quote=asked.quote, due_at=last.at, is_past=True)


def waiting(
    thread: Iterable[KeptMail], me: Oneself, *, now: datetime, after: timedelta = WAITING_AFTER_FOR
) -> Finding | None:
    """What the owner asked last in the thread and nobody answered; detail is "question" or "request"."""
    last = _last_word(sorted(thread, key=lambda each: (each.at, each.id)), me)
    if last is None or not last.by_owner or not after <= now - last.at <= FORGOTTEN_AFTER_FOR:
        return None
    if not any(each.address and not me.is_mine(each.address) for each in last.mail.to):
        return None
    for _, sentence in sentences(own_words(last)):
        if asks(sentence):
            detail = "question" if "?" in sentence else "request"
            return Finding(kind="waiting", detail=detail, quote=sentence[:QUOTE_MAX], due_at=last.at, is_past=True)
    return None


def spoken(mails: Sequence[KeptMail]) -> Sequence[KeptMail]:
    """A thread, oldest first, up to the last mail that is no automatic reply; nothing else in it: as it is."""
    for end in range(len(mails), 0, -1):
        if mails[end - 1].by_owner or not is_auto_reply(mails[end - 1].mail):
            return mails[:end]
    return mails


def _last_word(mails: Sequence[KeptMail], me: Oneself) -> KeptMail | None:
    """The last mail that a person wrote."""
    for number in range(len(mails) - 1, -1, -1):
        each = mails[number]
        if each.by_owner or bulk(each, me, is_answer=_took_part(mails[:number])) is None:
            return each
    return None


def _took_part(mails: Sequence[KeptMail]) -> bool:
    return any(each.by_owner for each in mails)


def _is_only_for(kept: KeptMail, me: Oneself) -> bool:
    mine = any(me.is_mine(each.address) for each in kept.mail.to)
    return mine and not others_in_to(kept.mail, me)
