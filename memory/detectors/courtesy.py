"""Courtesy: a mail that says no more than thanks, fine, or see you."""

import re

from memory.detectors.finding import Finding, quoted
from memory.detectors.sentence import own_words
from memory.mail import KeptMail

LENGTH_MAX = 160
"""Whoever writes more than this says more than thanks."""

_COURTESY = re.compile(
    r"\W*(?:(?:ok(?:ay|i)?|great|perfect|super|cool|alright|sure|yes|ja|noted|got it|understood|will do|received|sounds good|"
    r"thank you|thanks a lot|many thanks|thanks?|thx|ty|cheers|much appreciated|congrats|congratulations|see you|you too|"
    r"you(?:'re| are) welcome|no problem|no worries|my pleasure|same to you|happy birthday|enjoy|"
    r"alles klar|passt|gut|prima|perfekt|verstanden|notiert|ist notiert|danke(?:schön| schön| sehr| dir| ihnen| euch)?|"
    r"vielen dank|besten dank|herzlichen dank|tausend dank|gern(?:e| geschehen)?|kein problem|bis (?:dann|morgen|bald|gleich|später)|"
    r"ebenso|gleichfalls|schönes wochenende|schönen tag|have a (?:nice|good|great) (?:day|weekend|evening|one)|"
    r"so much|very much|again|all|everyone|then|tomorrow|soon|later)\b\W*){1,8}",
    re.IGNORECASE,
)


def courtesy(kept: KeptMail) -> Finding | None:
    """Whether it is nothing but a courtesy, a name before or after it allowed."""
    text = own_words(kept).strip().replace("’", "'")
    if not text or len(text) > LENGTH_MAX or "?" in text or kept.mail.attachments:
        return None
    found = _COURTESY.match(text) or _COURTESY.match(text.partition(",")[2].strip())
    if found is None:
        return None
    start = text.find(found[0].strip() or text)
    rest = text[start + len(found[0].strip()) :].split()
    if len(rest) > 3 or any(word[:1].islower() for word in rest):
        return None
    return Finding(kind="courtesy", quote=quoted(own_words(kept).strip(), 0, len(text)))
