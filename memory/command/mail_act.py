"""Words that ask for a small act on the mail that is talked about: "archive it", "mark it read", "label it Taxes"."""

import re
from dataclasses import dataclass
from typing import Literal

Wanted = Literal["archive", "read", "label", "leave"]

NAME_MAX = 60

_POLITE = re.compile(r"^(?:(?:please|bitte|ok|okay|and|und)[,!. ]+)+|[ ,]*(?:please|bitte)?[.! ]*$", re.IGNORECASE)
_IT = r"(?:it|this|that|this one|this mail|that mail|the mail|es|das|die|sie|die mail|diese mail)"


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, re.IGNORECASE)


_PATTERNS: tuple[tuple[Wanted, tuple[re.Pattern[str], ...]], ...] = (
    ("archive", (_pattern(rf"archive(?: {_IT})?"), _pattern(rf"archivier(?:e)?(?: {_IT})?"))),
    (
        "read",
        (
            _pattern(rf"mark(?: {_IT})? (?:as )?read"),
            _pattern(rf"(?:markiere?|setze?)(?: {_IT})? (?:als|auf) gelesen"),
            _pattern("als gelesen(?: markieren)?"),
        ),
    ),
    (
        "leave",
        (
            _pattern(rf"unsubscribe(?: me)?(?: from (?:{_IT}|this list|that list|the list))?"),
            _pattern(rf"(?:bestell|bestelle)(?: {_IT}| die liste| den newsletter)? ab"),
            _pattern("abbestellen|(?:mich )?abmelden|meld(?:e)? mich ab"),
        ),
    ),
    (
        "label",
        (
            _pattern(rf"label {_IT} (?:as |with )?(?P<name>\S.{{0,{NAME_MAX}}})"),
            _pattern(rf"(?:file|put) {_IT} (?:under|in|into) (?P<name>\S.{{0,{NAME_MAX}}})"),
            _pattern(rf"(?:markiere?|etikettiere?) {_IT} mit (?P<name>\S.{{0,{NAME_MAX}}})"),
            _pattern(rf"(?:lege?|tue?) {_IT} (?:unter|in) (?P<name>\S.{{0,{NAME_MAX}}}?)(?: ab)?"),
        ),
    ),
)


@dataclass(frozen=True, slots=True)
class MailWish:
    """What is wished. name: of the label."""

    what: Wanted
    name: str = ""


def read_mail_wish(text: str) -> MailWish | None:
    """What the words ask for; None when they are about something else."""
    said = " ".join(_POLITE.sub("", text.strip()).split())
    for what, patterns in _PATTERNS:
        for pattern in patterns:
            if found := pattern.fullmatch(said):
                return MailWish(what, found["name"].strip(" \"'„“”") if what == "label" else "")
    return None
