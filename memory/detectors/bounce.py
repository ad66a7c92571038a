"""A bounce: a server says that something could not be delivered, for good or so far."""

import re
from collections.abc import Sequence

from memory.detectors.finding import QUOTE_MAX, TEXT_MAX, Finding, quoted
from memory.mail import Bounce, KeptMail, Mail

_TEMPORARY = re.compile(
    r"\b(?:delayed|delay notification|will (?:retry|keep trying|be retried)|still trying|has not yet been|4\.\d{1,3}\.\d{1,3}|"
    r"warning: (?:could not|message)|verzöger\w{0,8}|wird weiter(?:hin)? versucht|noch nicht zugestellt)\b",
    re.IGNORECASE,
)
_PERMANENT = re.compile(
    r"\b(?:5\.\d{1,3}\.\d{1,3}|55[0-9]|user unknown|no such user|does ?n[o']t exist|address (?:not found|rejected)|mailbox (?:full|unavailable)|"
    r"recipient (?:unknown|rejected)|undeliverable|permanent(?:ly)?|unzustellbar|nicht gefunden|existiert nicht|unbekannt)\b",
    re.IGNORECASE,
)
_ABOUT = re.compile(r"[^\s<>@\"':;,]{1,64}@[\w.-]{1,120}[\w]")


def bounce(kept: KeptMail) -> Finding | None:
    """What the server says; detail is "failed" or "delayed", the quote the line that says so or names the address.

    The report itself tells where there is one, else the words.
    """
    if not kept.mail.is_bounce or kept.by_owner:
        return None
    if kept.mail.bounces:
        return _reported(kept.mail, kept.mail.bounces)
    text = kept.mail.text[:TEXT_MAX]
    permanent, temporary = _PERMANENT.search(text), _TEMPORARY.search(f"{kept.mail.subject}\n{text}")
    failed = permanent is not None or temporary is None
    told = permanent or _TEMPORARY.search(text) or _ABOUT.search(text)
    quote = quoted(text, *told.span()) if told else ""
    return Finding(kind="bounce", detail="failed" if failed else "delayed", quote=quote)


def _reported(mail: Mail, bounces: Sequence[Bounce]) -> Finding:
    gravest = next((each for each in bounces if each.why != "delayed"), bounces[0])
    text = mail.text[:TEXT_MAX]
    start = text.find(gravest.recipient) if gravest.recipient else -1
    quote = quoted(text, start, start + len(gravest.recipient)) if start >= 0 else gravest.diagnostic[:QUOTE_MAX]
    return Finding(kind="bounce", detail="delayed" if gravest.why == "delayed" else "failed", quote=quote)
