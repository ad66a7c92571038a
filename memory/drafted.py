"""Drafted: words that a model wrote and that might leave, and what is wrong with them, found before they are shown.

A fault does not throw the words away: the owner may mend them. But no card for sending is made of a draft with a fault.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from memory.defang import links_in
from memory.legible import legible
from memory.recipient import typed_addresses
from memory.visible import hides_something

BODY_MAX = 6_000
"""Characters of a draft: two pages. Whoever wants more writes it themselves."""

QUOTED_MIN = 120
"""So many characters in a row that stand in the mail itself are a quotation."""

Fault = Literal[
    "unreadable", "refused", "cut", "empty", "too long", "placeholder", "quote", "header", "link", "address"
]
"""unreadable: no answer of the agreed form. refused: the model would not. cut: it stopped in the middle. placeholder:
something is left to fill in ("[Name]"). quote: it repeats the mail that it answers. header: it writes a subject or
recipients, which are not its to say. link, address: one that stood nowhere before."""

_PLACEHOLDER = re.compile(
    r"\[(?!https?:)[^\W\d_][^\]\n]{0,60}\](?!\()|\{\{?[^\W\d_][^}\n]{0,60}\}\}?|<(?!https?:)[^\W\d_][^>@\n]{0,40}>"
    r"|\b(?:TBD|TODO|XX+|YYYY|DD\.MM)\b|_{3,}|\.{6,}"
)
_QUOTING = re.compile(
    r"^[ \t]*>|^[ \t]*-{2,}[ \t]*(?:Original Message|Forwarded message|Ursprüngliche Nachricht|Weitergeleitete Nachricht)"
    r"|^(?:On|Am)\b[^\n]{5,120}\b(?:wrote|schrieb)\b[^\n]{0,80}:[ \t]*$",
    re.MULTILINE | re.IGNORECASE,
)
_HEADER = re.compile(
    r"^[ \t*]*(?:Subject|Betreff|To|An|Cc|Bcc|From|Von)[ \t*]*:[ \t*]*\S", re.MULTILINE | re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Drafted:
    """The words, and the faults in them; none when they may be put on a card."""

    body: str
    faults: tuple[Fault, ...] = ()


def checked(text: str, *, sources: Iterable[str], answered: str = "") -> Drafted:
    """What a model wrote, as it may be shown, with what is wrong with it.

    sources: texts in which links and addresses may have stood: the thread, the owner's instruction and examples.
    answered: the text of the mail that is answered. What an eye would not see is taken out.
    """
    body = plain(text)
    known = "\n".join(sources)
    found: tuple[tuple[Fault, bool], ...] = (
        ("empty", not body),
        ("too long", len(body) > BODY_MAX),
        ("placeholder", _PLACEHOLDER.search(body) is not None),
        ("quote", _QUOTING.search(body) is not None or _repeats(body, answered)),
        ("header", _HEADER.search(body.partition("\n\n")[0]) is not None),
        ("link", bool(links_in(body) - links_in(known))),
        ("address", not {*_addresses(body)} <= {*_addresses(known)}),
    )
    return Drafted(body[:BODY_MAX], tuple(fault for fault, is_there in found if is_there))


def plain(text: str) -> str:
    """Words as a mail carries them: nothing hidden, no blanks at the ends of lines, at most one empty line in a row."""
    seen = "".join(sign for sign in legible(text) if sign in "\n\t" or not hides_something(sign))
    lines = "\n".join(line.rstrip() for line in seen.split("\n"))
    return re.sub(r"\n{3,}", "\n\n", lines).strip()


def _addresses(text: str) -> Iterable[str]:
    return (address.lower() for address in typed_addresses(text))


def _repeats(body: str, answered: str) -> bool:
    """Whether a long piece of the mail stands in the body, line breaks aside."""
    words, said = " ".join(body.split()), " ".join(answered.split())
    pieces = (said[at : at + QUOTED_MIN] for at in range(0, len(said) - QUOTED_MIN + 1, QUOTED_MIN // 2))
    return any(piece in words for piece in pieces)
