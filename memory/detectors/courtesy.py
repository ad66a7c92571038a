"""Courtesy: a mail that says no more than thanks, fine, or see you; and one that says itself that it wants no answer."""

import re

from memory.detectors.finding import Finding, quoted
from memory.detectors.sentence import own_words
from memory.mail import KeptMail

LENGTH_MAX = 160
"""Whoever writes more than this says more than thanks."""

_MEETS_AT = (
    r"(?:see you|(?:wir )?sehen uns|bis (?=heute|morgen|nachher|gleich|\w{2,6}tag))(?: ?(?:then|there|at|by|around|on|in|the|um|am|gegen|today|"
    r"tonight|tomorrow|morning|afternoon|evening|\w{3,6}day|heute|morgen|nachher|gleich|früh|abend|mittag|\w{2,6}tag|"
    r"\d{1,2}(?:[:.]\d\d)?(?: ?(?:am|pm|uhr|h))?)\b){1,6}"
)
_COURTESY = re.compile(
    rf"\W*(?:(?:{_MEETS_AT}|"
    r"ok(?:ay|i)?|great|perfect|super|cool|alright|sure|yes|ja|noted|got it|understood|will do|received|sounds good|"
    r"thank you|thanks a lot|many thanks|thanks?|thx|ty|cheers|much appreciated|congrats|congratulations|see you|you too|"
    r"you(?:'re| are) welcome|no problem|no worries|my pleasure|same to you|happy birthday|enjoy|"
    r"alles klar|passt|gut|prima|perfekt|verstanden|notiert|ist notiert|danke(?:schön| schön| sehr| dir| ihnen| euch)?|"
    r"vielen dank|besten dank|herzlichen dank|tausend dank|gern(?:e| geschehen)?|kein problem|bis (?:dann|morgen|bald|gleich|später)|"
    r"ebenso|gleichfalls|schönes wochenende|schönen tag|have a (?:nice|good|great) (?:day|weekend|evening|one)|"
    r"so much|very much|again|all|everyone|then|tomorrow|soon|later)\b\W*){1,8}",
    re.IGNORECASE,
)
_GREETING = re.compile(r"(?:hi|hey|hello|dear|hallo|liebe[rs]?|moin)\b ?", re.IGNORECASE)
_NO_ANSWER = re.compile(
    r"\b(?:no need (?:to|for an?) (?:answer|reply|respond)|no (?:answer|reply|response) (?:is )?(?:needed|necessary|required|expected)|"
    r"(?:don't|do not) (?:need|have) to (?:answer|reply|respond)|keine (?:antwort|rückmeldung) (?:nötig|notwendig|erforderlich)|"
    r"(?:brauchst|musst|müssen|brauchen) (?:du |sie )?(?:darauf |mir )?nicht (?:zu )?antworten)\b",
    re.IGNORECASE,
)
_INFORMS = re.compile(
    r"\b(?:FYI|for your information|just (?:for info|to let you know)|(?:nur |rein )?zur (?:info|information|kenntnis(?:nahme)?))\b",
    re.IGNORECASE,
)


def courtesy(kept: KeptMail) -> Finding | None:
    """Whether it is nothing but a courtesy, a name before or after it allowed."""
    text = own_words(kept).strip().replace("’", "'")
    if not text or len(text) > LENGTH_MAX or "?" in text or kept.mail.attachments:
        return None
    head, _, tail = text.partition(",")
    found = _COURTESY.match(text) or (_COURTESY.match(tail.strip()) if _is_name(head) else None)
    if found is None:
        return None
    start = text.find(found[0].strip() or text)
    rest = text[start + len(found[0].strip()) :].split()
    if len(rest) > 3 or any(word[:1].islower() for word in rest):
        return None
    return Finding(kind="courtesy", quote=quoted(own_words(kept).strip(), 0, len(text)))


def _is_name(head: str) -> bool:
    """Whether what stands before the first comma is a name, with or without a greeting."""
    words = _GREETING.sub("", head.strip()).split()
    return len(words) <= 3 and not any(word[:1].islower() for word in words)


def fyi(kept: KeptMail) -> Finding | None:
    """Whether it says itself that it only tells; detail is "no answer" or "info"."""
    if kept.by_owner:
        return None
    text = f"{kept.mail.subject[:300]}\n{own_words(kept)}".replace("’", "'")
    for detail, pattern in (("no answer", _NO_ANSWER), ("info", _INFORMS)):
        if found := pattern.search(text):
            return Finding(kind="fyi", detail=detail, quote=quoted(text, *found.span()))
    return None
