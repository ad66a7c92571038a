"""A recipient: a name from the owner's own records and one address, read by the one strict parser that all paths share.

    text ─► one address? ─► plain local part? ─► domain in IDNA form, lower case ─► "anna@xn--bcher-kva.example"

What can't be read beyond doubt is no address. Two addresses are the same when their ASCII forms are, upper or lower case;
one that merely looks like another never is.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

import idna

from memory.confusable import is_one_slip_away, scripts, skeleton
from memory.errors import BadInput
from memory.people.mailbox import FREEMAIL
from memory.visible import hides_something, is_one_line

LOCAL_MAX, DOMAIN_MAX, ADDRESS_MAX = 64, 253, 254
"""Characters, as RFC 5321 4.5.3.1 and its erratum 1690 have them."""

NAME_MAX = 200

# No quotes, no backtick, no comma: whatever lets an address say one thing to one program and another to the next.
_LOCAL = re.compile(r"[A-Za-z0-9!#$%&'*+/=?^_{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_{|}~-]+)*")
_LABEL = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?")
_AROUND = ".,;:!?()[]{}<>\"'„“”‚‘’«»"
_AUTOMATED = re.compile(
    r"""
      (?:.*[._+-])?(?:no|do-?not|don-?t|never)[._-]?(?:reply|respond|answer)(?:[._+-].*)?
    | (?:.*[._+-])?(?:nicht[._-]?antworten|keine?[._-]?antwort(?:en)?)(?:[._+-].*)?
    | (?:mailer-daemon|bounces?|postmaster|listserv|majordomo|listmaster|mailman)(?:[._+=-].*)?
    | .*[._+-](?:bounces?|request|subscribe|unsubscribe|owner)(?:[+=].*)?
    | (?:un)?subscribe(?:[._+-].*)?
    | owner-.*
    """,
    re.VERBOSE | re.IGNORECASE,
)
_SHORTEST_ALIKE = 5
"""Letters that a domain's name needs before one slip counts: gmx and gmail's neighbours are all one slip apart."""


class BadAddress(BadInput):
    """The text is not one plain mail address. The message says which character or form is in the way."""


@dataclass(frozen=True, slots=True)
class Recipient:
    """Somebody to whom something leaves. `name` comes from the owner's own records, or is empty.

    Raises BadInput for a name that can't stand in a header or hides something.
    """

    name: str
    address: str

    def __post_init__(self) -> None:
        if not is_one_line(self.name) or hides_something(self.name) or len(self.name) > NAME_MAX:
            raise BadInput("a recipient's name holds line ends, hidden characters or more than 200: write it plainly")
        if not self.address or not is_one_line(self.address) or hides_something(self.address):
            raise BadAddress("a recipient's address is empty or holds hidden characters: type it anew")


def parsed(text: str) -> str:
    """`text` as one address: local part as written, domain in IDNA form and lower case. Raises BadAddress."""
    if not is_one_line(text) or hides_something(text):
        raise BadAddress("the address holds control, direction-changing or invisible characters: type it anew")
    local, at, domain = text.strip(" ").partition("@")
    if not at or "@" in domain:
        raise BadAddress("an address has exactly one @, with no name and no brackets around it")
    if not _LOCAL.fullmatch(local) or len(local) > LOCAL_MAX:
        raise BadAddress(
            "before the @ only plain letters, digits and signs may stand: no quotes, spaces, commas, lists"
        )
    ascii_domain = _ascii_domain(domain)
    if len(local) + 1 + len(ascii_domain) > ADDRESS_MAX:
        raise BadAddress(f"an address has at most {ADDRESS_MAX} characters")
    return f"{local}@{ascii_domain}"


def readable(text: str | None) -> str | None:
    """The same, or None where there is no address to be had."""
    try:
        return parsed(text) if text else None
    except BadAddress:
        return None


def same_address(one: str | None, other: str | None) -> bool:
    """Whether both lead to one mailbox: equal in ASCII form, case aside. A tag or a dot more is another address."""
    left = readable(one)
    right = readable(other)
    return left is not None and right is not None and left.lower() == right.lower()


def among(address: str | None, addresses: Iterable[str | None]) -> bool:
    """Whether the address is one of these."""
    return any(same_address(address, other) for other in addresses)


def typed_addresses(text: str) -> tuple[str, ...]:
    """The addresses that a person typed in a message, in order. Quoted lines (from a forward) are not their typing."""
    lines = (line for line in text.splitlines() if not line.lstrip().startswith(">"))
    words = (word.strip(_AROUND) for line in lines for word in line.split() if "@" in word)
    found = (readable(word.removeprefix("mailto:")) for word in words)
    return tuple(dict.fromkeys(address for address in found if address))


def is_automated(address: str) -> bool:
    """Whether nobody reads what is sent there: no-reply, bounces, and the working addresses of lists."""
    return _AUTOMATED.fullmatch(address.rpartition("@")[0]) is not None


def lookalike(address: str, known: Iterable[str]) -> str | None:
    """The known address for which this one could be taken without being it; None when there is none.

    A known address is never a look-alike of another. Beside equal skeletons the domain counts: one slip away, the same
    name under another ending, or a known domain in front of a strange one. Of the large free providers none passes for
    another, but the same name at two of them does.
    """
    near = sorted(k for k in known if readable(k))
    if among(address, near) or "@" not in address:
        return None
    return next((other for other in near if _resembles(address, other)), None)


@dataclass(frozen=True, slots=True)
class Shown:
    """A recipient as a card names it. `foreign`: the scripts of a domain that is not ASCII, else empty."""

    name: str
    address: str
    foreign: tuple[str, ...] = ()


def shown(recipient: Recipient) -> Shown:
    """Name, address in ASCII, and the scripts that hide behind its punycode."""
    address = readable(recipient.address) or recipient.address
    foreign = scripts(in_letters(address.rpartition("@")[2])) if "xn--" in address else ()
    return Shown(recipient.name, address, foreign)


def in_letters(domain: str) -> str:
    """A domain as people would see it, for comparing only: xn--bcher-kva.example is bücher.example."""
    try:
        return str(idna.decode(domain))
    except (idna.IDNAError, UnicodeError):
        return domain


def _ascii_domain(domain: str) -> str:
    lowered = "".join(letter.lower() if letter.isascii() else letter for letter in domain)
    try:
        encoded = idna.encode(lowered, strict=True, std3_rules=True).decode("ascii")
    except (idna.IDNAError, UnicodeError) as error:
        raise BadAddress("the part after the @ is no domain as it stands: type it in plain letters") from error
    labels = encoded.split(".")
    if len(labels) < 2 or len(encoded) > DOMAIN_MAX or not all(_LABEL.fullmatch(label) for label in labels):
        raise BadAddress("the part after the @ must be a full domain such as example.org")
    if labels[-1].isdigit():
        raise BadAddress("the part after the @ is a number, not a domain")
    return encoded


def _resembles(address: str, known: str) -> bool:
    local, _, domain = address.lower().rpartition("@")
    known_local, _, known_domain = known.lower().rpartition("@")
    if domain == known_domain:
        return skeleton(local) == skeleton(known_local)
    if domain in FREEMAIL:
        # Where anybody may have any name the domain is genuine: what counts is the name before it.
        return known_domain in FREEMAIL and skeleton(local) == skeleton(known_local)
    if _domains_resemble(in_letters(domain), in_letters(known_domain)):
        return True
    same_name = _named(domain) == _named(known_domain)
    return same_name and skeleton(local) == skeleton(known_local)


def _domains_resemble(domain: str, known: str) -> bool:
    if skeleton(domain) == skeleton(known) or domain.startswith((f"{known}.", f"{known}-")):
        return True
    if min(len(_named(domain)), len(_named(known))) < _SHORTEST_ALIKE:
        return False
    return is_one_slip_away(domain, known) or domain.split(".", maxsplit=1)[0] == known.replace(".", "-")


def _named(domain: str) -> str:
    """The part of a domain that somebody chose: everything before its last dot."""
    return domain.rpartition(".")[0]
