"""How the owner is addressed: in which header they stand, and whether the words turn to them by name."""

import re
from typing import Literal

from memory.mail import Address, Mail
from memory.people.mailbox import folded_name
from memory.people.oneself import Oneself

Place = Literal["to", "cc", "bcc"]

_GREETING = re.compile(
    r"\s*(?:(?:hi|hello|hey|hiya|dear|good (?:morning|afternoon|evening|day)|morning|hallo|hej|hoi|moin|servus|lieber?|liebes|"
    r"guten (?:morgen|tag|abend)|grüß (?:dich|gott)|sehr geehrter?|geehrter?)\b[ ,]{0,3})+(?P<who>[^,!:;.\n]{0,80})",
    re.IGNORECASE,
)
_EVERYBODY = re.compile(
    r"\b(?:all|everyone|everybody|team|folks|guys|both|colleagues|alle|zusammen|beide|kolleg\w{0,6}|damen und herren)\b",
    re.IGNORECASE,
)
_LINES_LOOKED_AT = 4


def place(mail: Mail, me: Oneself) -> Place:
    """Where the owner stands: "to", only in "cc", or in no header that names people ("bcc": a blind copy or a list)."""
    if _has(mail.to, me):
        return "to"
    return "cc" if _has(mail.cc, me) else "bcc"


def others_in_to(mail: Mail, me: Oneself) -> tuple[Address, ...]:
    """Who else it is directly for."""
    return tuple(each for each in mail.to if not me.is_mine(each.address))


def greeted(text: str) -> str | None:
    """The names in the greeting, as written; "" for a greeting without a name, None when there is no greeting."""
    for line in text[:800].splitlines()[:_LINES_LOOKED_AT]:
        if found := _GREETING.match(line):
            return found["who"].strip()
        if line.strip():
            return _vocative_line(line)
    return None


def is_greeted(text: str, me: Oneself) -> bool:
    """Whether the greeting names the owner."""
    return _names(greeted(text) or "", me)


def is_for_somebody_else(mail: Mail, text: str, me: Oneself) -> bool:
    """Whether the greeting turns to another of the recipients and not to the owner: "Hi Sarah," with both in To."""
    who = greeted(text)
    if not who or _names(who, me) or _EVERYBODY.search(who):
        return False
    words = set(folded_name(who))
    return any(words & set(folded_name(each.name)) for each in (*others_in_to(mail, me), *mail.cc))


def turns_to(sentence: str, me: Oneself) -> bool:
    """Whether a sentence speaks to the owner by name: "Jo, could you …", "@Jo", "…, Jo?"."""
    return any(_vocative(call, sentence) for call in me.calls)


def _vocative(call: str, sentence: str) -> bool:
    name = re.escape(call)
    return re.search(rf"@{name}\b|^\W{{0,3}}{name}\s?[,:–-]|,\s?{name}\s?[?!.,]", sentence) is not None


def _vocative_line(line: str) -> str | None:
    """A first line that is nothing but a name: "Jo," or "Jo -"."""
    bare = line.strip()
    if len(bare) > 60 or not bare.endswith((",", "-", "–", ":", "!")):
        return None
    words = bare.rstrip(",-–:! ").split()
    return (
        " ".join(words) if 0 < len(words) <= 4 and all(word[0].isupper() or word == "and" for word in words) else None
    )


def _names(who: str, me: Oneself) -> bool:
    return bool(set(folded_name(who)) & {word for call in me.calls for word in folded_name(call)})


def _has(people: tuple[Address, ...], me: Oneself) -> bool:
    return any(me.is_mine(each.address) for each in people)
