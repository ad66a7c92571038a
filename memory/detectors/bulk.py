"""Bulk, lists and automatic mail: what no single person wrote to the owner. Headers tell first, then names, then words.

Money or law in it change nothing: bulk is bulk. What somebody writes through a discussion list to the owner is not: an
answer to a mail of theirs, or one that greets them or has them in To or Cc beside the list. Nor is what a help desk's
program marks as automatic, when it answers the owner and no robot's name or words stand in it. Marketing that calls the
owner by name stays what it is: nobody answers to it.
"""

import re

from memory.detectors.addressed import is_greeted, place
from memory.detectors.finding import Finding, quoted
from memory.detectors.sentence import own_words
from memory.mail import KeptMail, Mail
from memory.people.mailbox import is_robot, is_role
from memory.people.oneself import Oneself

LINE_MAX = 240
"""A line by which one leaves a mailing is no longer than this; in a longer one somebody writes about it."""

_LEAVING = re.compile(
    r"\b(?:unsubscribe (?:here|from|at|:)|to unsubscribe|click here to unsubscribe|manage (?:your )?(?:e-?mail )?preferences|"
    r"(?:view|read) (?:this|it) (?:e-?mail |message )?(?:in|online in) (?:your|a|the) browser|you(?:'re| are) receiving this|"
    r"you received this (?:e-?mail|message) because|to opt[- ]out|newsletter ab(?:bestellen|melden)|"
    r"vo[nm] (?:dem |diesem |unserem )?newsletter ab|hier ab(?:bestellen|melden)|im browser (?:ansehen|anzeigen|öffnen|lesen)|"
    r"(?:sie erhalten|du erhältst) diese[ns]? (?:e-?mail|nachricht|newsletter))",
    re.IGNORECASE,
)
_ROBOTIC = re.compile(
    r"\b(?:diese (?:e-?mail|nachricht) wurde automatisch|automatisch (?:erzeugt|erstellt|generiert|versandt|versendet)e?|"
    r"(?:automatically generated|auto-generated|automated) (?:e-?mail|message|notification)|do not reply to this (?:e-?mail|message)|"
    r"(?:bitte )?antworten sie (?:bitte )?nicht auf diese)",
    re.IGNORECASE,
)

_ABSENT = re.compile(
    r"(?:automatic reply|auto(?:matic)?[- ]?(?:reply|response)|automatische antwort|automatische r[eé]ponse|"
    r"out[- ]of[- ](?:the[- ])?office(?: reply| autoreply)?|abwesenheits(?:notiz|meldung|assistent|nachricht)|"
    r"ich bin (?:derzeit )?nicht im (?:büro|haus))\s*(?:[:(–-]|$)",
    re.IGNORECASE,
)

_I = re.compile(r"\bI\b|\bich\b|\bIch\b")
"""Who says "I" in that line writes about it."""


def bulk(kept: KeptMail, me: Oneself, *, is_answer: bool = False) -> Finding | None:
    """Whether it is bulk; detail is "marketing", "list", "automated" or "auto-reply".

    is_answer: it stands in a thread in which the owner has written.
    """
    if kept.by_owner:
        return None
    if is_auto_reply(kept.mail):
        return Finding(kind="bulk", detail="auto-reply")
    text = own_words(kept)
    address = (kept.mail.sender.address if kept.mail.sender else None) or ""
    headed = _by_headers(kept.mail) or ("automated" if is_robot(address) else "")
    if headed:
        return None if _is_excused(headed, kept, text, me, is_answer) else _found(headed, text)
    return None if is_answer else _by_words(text)


def is_auto_reply(mail: Mail) -> bool:
    """Whether a program answered in somebody's absence. Many mark that in the subject alone, which nobody types so."""
    return (
        mail.auto_submitted.startswith("auto-replied")
        or mail.precedence == "auto_reply"
        or _ABSENT.match(mail.subject.strip()) is not None
    )


def _by_headers(mail: Mail) -> str:
    names = {name for name, _ in mail.list_headers}
    if any(name == "list-post" and value.strip().lower() != "no" for name, value in mail.list_headers):
        return "list"
    if names & {"list-unsubscribe", "list-unsubscribe-post"} or mail.precedence in ("bulk", "junk"):
        return "marketing"
    if names or mail.list_id or mail.precedence == "list":
        return "list"
    is_automated = mail.auto_submitted not in ("", "no") or mail.is_automated or mail.is_bounce
    return "automated" if is_automated else ""


def _is_excused(headed: str, kept: KeptMail, text: str, me: Oneself, is_answer: bool) -> bool:
    """Whether somebody wrote to the owner all the same."""
    address = (kept.mail.sender.address if kept.mail.sender else None) or ""
    if not address or is_robot(address) or kept.mail.is_bounce:
        return False
    if headed == "list":
        return not is_role(address) and (is_answer or is_greeted(text, me) or place(kept.mail, me) != "bcc")
    return headed == "automated" and is_answer and _line(_ROBOTIC, text) is None


def _found(headed: str, text: str) -> Finding:
    """What the headers say, made marketing by a line by which one leaves it."""
    leaving = _line(_LEAVING, text) if headed == "automated" else None
    if leaving:
        return Finding(kind="bulk", detail="marketing", quote=quoted(text, *leaving))
    return Finding(kind="bulk", detail=headed)


def _by_words(text: str) -> Finding | None:
    for detail, pattern in (("marketing", _LEAVING), ("automated", _ROBOTIC)):
        if line := _line(pattern, text):
            return Finding(kind="bulk", detail=detail, quote=quoted(text, *line))
    return None


def _line(pattern: re.Pattern[str], text: str) -> tuple[int, int] | None:
    """Where the first short line stands in which the pattern is found."""
    start = 0
    for line in text.splitlines(keepends=True):
        if len(line) <= LINE_MAX and not _I.search(line) and pattern.search(line.replace("’", "'")):
            return start, start + len(line.rstrip())
        start += len(line)
    return None
