"""What a short answer takes on: "mach ich" and "will do" promise what somebody asked just before.

    "Can you send me the deck?" – "Will do tonight"   ─►   send you the deck, tonight

The quote stays the owner's own; what was asked stands beside it, as its asker wrote it.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from memory.detectors.request import asked_in
from memory.detectors.sentence import sentences
from memory.promise import PROMISED_QUOTE_MAX, Promise
from memory.promises.banter import is_banter
from memory.promises.words import words_of
from memory.when.words import word_set

EMPTY = word_set(
    """
    do it that this so one them those these will shall on to i we you u for is all consider done take care of sort handle leave with me
    ill 'll look into deal can
    mach mache machen ich wir es das dies die den ihn sie dir dich ihr euch ihnen dirs wird werd werde erledigt erledige erledigen bin dran kuemmer
    kuemmere mich uns drum darum regel regele uebernehm uebernehme da dann mal ja klar gern auch gleich schon s
    ab an auf mit vor zu zurueck weiter rueber vorbei raus rein rauf runter
    """
)
"""Words that say nothing of what is promised."""

_SEEING_TO = word_set(
    "on care handle sort look deal dran kuemmer kuemmere drum darum uebernehm uebernehme regel regele"
)
"""Whoever says "on it" to what is only told has taken it on; to "have fun", "will do" is no promise."""

_WISH = re.compile(
    r"\W*(?:have (?:a |an |some )?(?:\w+ )?(?:great|good|nice|safe|lovely|amazing|fun|blast|trip|time|day|weekend|evening|one)\b|enjoy\b|take care|"
    r"get well|get home|sleep well|stay safe|safe (?:trip|travels|flight)|good luck|drive safe|say hi|"
    r"(?:viel|schönen?|schoenen?|gute[nrs]?|hab(?:t)? (?:einen?|viel)|pass auf dich|komm gut|kommt gut|schlaf|erhol|grüß|gruess)\b)",
    re.IGNORECASE,
)
"""What is wished on parting: "will do" says thanks for it."""

TOLD_WORDS = 3

_ASKING = re.compile(
    r"(?:\b(?:can|could|would|will)\s+(?:you|u|ya)|\b(?:kannst|könntest|koenntest|magst|würdest|wuerdest)\s+du|\b(?:könnt|könntet|würdet)\s+ihr"
    r"|\b(?:können|könnten|würden)\s+Sie|\b(?:please|pls|plz|bitte))\b(?P<what>[^?!.]*)",
    re.IGNORECASE,
)
_COURTESY = re.compile(
    r"^(?:[\s,]*(?:please|pls|plz|bitte|also|just|maybe|perhaps|quickly|auch|noch|mal|kurz|vielleicht|eben|schnell)\b)+|"
    r"(?:[\s,]*\b(?:please|pls|plz|bitte|thx|thanks|danke|for me))+\W*$",
    re.IGNORECASE,
)
_TURNED: Mapping[str, str] = {
    "me": "you", "my": "your", "us": "you", "our": "your", "you": "me", "your": "my", "i": "you",
    "mir": "dir", "mich": "dich", "mein": "dein", "meine": "deine", "meinen": "deinen", "meinem": "deinem", "meiner": "deiner",
    "uns": "euch", "unser": "euer", "unsere": "eure", "unseren": "euren",
    "dir": "mir", "dich": "mich", "dein": "mein", "deine": "meine", "deinen": "meinen", "deinem": "meinem", "deiner": "meiner",
}  # fmt: skip
"""Said by the one who does it."""

_WORD = re.compile(r"[^\W\d_]+")


Read = Callable[[str], Sequence[Promise]]


def taken_on(found: Sequence[Promise], before: str, read: Read) -> tuple[Promise, ...]:
    """Promises of a message, with what they answer where they say too little themselves.

    before: what was said before it. read: reads a sentence of the owner's. One that says nothing and answers nothing is none.
    """
    asked = next(reversed(asked_in(before)), "") or _told(before)
    return tuple(one for promise in found if (one := _one(promise, asked, read)) is not None)


def _one(promise: Promise, asked: str, read: Read) -> Promise | None:
    if is_banter(promise):
        return None
    content = [word.low for word in words_of(promise.action) if word.is_word and word.low not in EMPTY]
    if len(content) > 1:
        return promise
    is_request = bool(asked_in(asked)) and _WISH.match(asked) is None
    sees_to_it = any(word.low in _SEEING_TO for word in words_of(promise.action))
    if asked and (is_request or sees_to_it):
        return _answering(replace(promise, asked=asked[:PROMISED_QUOTE_MAX].strip()), content, read)
    return promise if content and len(promise.action.split()) > 1 else None


def _answering(promise: Promise, content: Sequence[str], read: Read) -> Promise:
    """The promise with what was asked, in its words where they can be turned. content: what it says of it itself."""
    turned = _turned(promise.asked)
    # "Will send it" takes on the sending that was asked for, and no other deed.
    if not turned or (content and not any(_same_verb(content[0], word.low) for word in words_of(turned))):
        return promise
    said = next((one for will in _WILL for one in read(f"{will} {turned}")), None)
    if said is None:
        return replace(promise, action=turned)
    if not said.due.lower().startswith(_BY_WHEN):
        # "Cancel the Tuesday slot": the day is what is spoken of.
        return replace(promise, action=turned, deed=said.deed)
    action = " ".join(said.action.replace(said.due, " ").split())
    due = promise if promise.due else said
    return replace(promise, action=action, deed=said.deed, due=due.due, due_at=due.due_at)


_BY_WHEN = (
    "by ", "before ", "until ", "today", "tonight", "tomorrow", "eod", "asap", "now", "this ", "bis ", "vor ", "spätestens ", "heute",
    "morgen", "noch ", "gleich", "sofort",
)  # fmt: skip

_WILL = ("I'll", "Ich werde")


def _told(before: str) -> str:
    """The last sentence of what was told, where something can be seen to in it."""
    last = next(reversed([sentence for _, sentence in sentences(before)]), "")
    return last if len(last.split()) >= TOLD_WORDS else ""


def _same_verb(one: str, other: str) -> bool:
    return len(other) > 2 and (one == other or (len(one) > 3 and other.removesuffix("en") == one.removesuffix("e")))


def _turned(asked: str) -> str:
    """What was asked, as whoever does it would say it; "" where its words don't allow that."""
    found = _ASKING.search(asked)
    what = " ".join(_COURTESY.sub("", found["what"]).split()).strip(" ,;:-–") if found else ""
    if len(what.split()) < 2:
        return ""
    return _WORD.sub(lambda word: _TURNED.get(word[0].lower(), word[0]), what)
