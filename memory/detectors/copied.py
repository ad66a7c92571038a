"""Copied: the owner only stands in Cc, or in no header at all, and nothing is asked of them by name."""

from memory.detectors.addressed import is_greeted, place
from memory.detectors.bulk import bulk
from memory.detectors.finding import Finding
from memory.detectors.request import sought
from memory.detectors.sentence import own_words
from memory.mail import KeptMail
from memory.people.oneself import Oneself


def copied(kept: KeptMail, me: Oneself, *, is_answer: bool = False) -> Finding | None:
    """Whether the owner is only copied in; detail is "cc" or "bcc". Bulk is not copied, it is bulk."""
    if bulk(kept, me, is_answer=is_answer) or sought(kept, me):
        return None
    return aside(kept, me)


def aside(kept: KeptMail, me: Oneself) -> Finding | None:
    """The same of a mail that is known to be no bulk and to ask nothing."""
    where = place(kept.mail, me)
    if kept.by_owner or where == "to" or is_greeted(own_words(kept), me):
        return None
    return Finding(kind="copied", detail=where)
