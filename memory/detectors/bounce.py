"""A bounce: a server says that something could not be delivered, for good or so far."""

import re

from memory.detectors.finding import TEXT_MAX, Finding, quoted
from memory.mail import KeptMail

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
    """What the server says; detail is "failed" or "delayed", the quote the line that says so or names the address."""
    if not kept.mail.is_bounce or kept.by_owner:
        return None
    text = kept.mail.text[:TEXT_MAX]
    permanent, temporary = _PERMANENT.search(text), _TEMPORARY.search(f"{kept.mail.subject}\n{text}")
    failed = permanent is not None or temporary is None
    told = permanent or _TEMPORARY.search(text) or _ABOUT.search(text)
    quote = quoted(text, *told.span()) if told else ""
    return Finding(kind="bounce", detail="failed" if failed else "delayed", quote=quote)
