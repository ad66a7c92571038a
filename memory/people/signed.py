"""Signed: what somebody says of themselves below a mail: their numbers, their handle, the name they sign with.

A number is kept as its last digits: whoever writes from another country leaves theirs out, and nobody says which.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memory.people.mailbox import folded_name

TAIL_MIN = 8
"""So many digits a number must have without its country and the 0 before it."""

LINES_MAX, LINE_MAX = 15, 200

_NUMBER = re.compile(r"(?:\+|00|\(?0|\(|\b[1-9])[\d\s()./\u00a0\u2011\u2013-]{6,}\d")
_MOBILE_LABEL = re.compile(r"\b(?:m|mob|mobile?|mobil|handy|cell|cellphone)\b", re.IGNORECASE)
_DESK_LABEL = re.compile(r"(?:^|[^\w])t\W*$", re.IGNORECASE)
_NOT_THEIRS = re.compile(
    r"\b(?:fax|telefax|f|zentrale|switchboard|main|reception|empfang|hotline|hrb|ust|vat|iban|konto|steuernummer|plz)\b",
    re.IGNORECASE,
)
_MOBILE = re.compile(r"(?:49)?1[5-7]\d{8,9}|(?:44)?7\d{9}|(?:43)?6[5-9]\d{7,10}|(?:41)?7[5-9]\d{7}|(?:33)?[67]\d{8}")
_HANDLE = re.compile(r"\b(?:telegram|signal|threema)\b\W{1,3}@?(\w{4,32})", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Signed:
    """numbers: the last digits, and whether it is a mobile's. handles: as within their program. names: as signed."""

    numbers: tuple[tuple[str, bool], ...] = ()
    handles: tuple[str, ...] = ()
    names: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.numbers or self.handles or self.names)


def signed(signature: str, *, name: str) -> Signed:
    """What the last lines of a mail say of whoever is called `name` in its header."""
    lines = [line.strip()[:LINE_MAX] for line in signature.splitlines() if line.strip()][:LINES_MAX]
    return Signed(
        numbers=tuple(dict.fromkeys(number for line in lines for number in _numbers(line))),
        handles=tuple(dict.fromkeys(found[1].casefold() for line in lines for found in _HANDLE.finditer(line))),
        names=tuple(dict.fromkeys(_names(lines, name))),
    )


def tail_of(digits: str) -> str:
    """A number without what may be left out before it; "" for what is too short to be anybody's own."""
    tail = digits.lstrip("0")
    return tail if len(tail) >= TAIL_MIN else ""


def are_one_number(one: str, other: str) -> bool:
    """Whether two numbers, in E.164 or as tails, are the same but for a country before one of them."""
    short, long = sorted((one.removeprefix("+"), other.removeprefix("+")), key=len)
    return len(short) >= TAIL_MIN and long.endswith(short) and len(long) - len(short) <= 3


def end_of(number: str) -> str:
    """The digits by which a number is looked up, however it is written."""
    return number[-TAIL_MIN:]


def _numbers(line: str) -> Iterator[tuple[str, bool]]:
    if _NOT_THEIRS.search(line.partition("@")[0]):
        return
    for found in _NUMBER.finditer(line):
        plain = re.sub(r"\(\s*0\s*\)", "", found[0])
        digits = "".join(sign for sign in plain if sign.isdigit())
        tail = tail_of(digits)
        if tail and len(tail) <= 15:
            label = line[: found.start()]
            is_mobile = bool(_MOBILE_LABEL.search(label) or (_MOBILE.fullmatch(tail) and not _DESK_LABEL.search(label)))
            yield tail, is_mobile


def _names(lines: list[str], name: str) -> Iterator[str]:
    """Lines that are a form of the name: Bill for William, with "sen." or "geb.", or a first name alone."""
    words = set(folded_name(name))
    for line in lines[:3]:
        own = folded_name(line)
        if own and len(own) <= 4 and len(line) <= 60 and words & set(own):
            yield line


def now_signed(signatures: Sequence[Signed]) -> Signed:
    """What holds of signatures, oldest first: the numbers of the last that has any, all names and handles."""
    return Signed(
        numbers=next((one.numbers for one in reversed(signatures) if one.numbers), ()),
        handles=tuple(dict.fromkeys(handle for one in signatures for handle in one.handles)),
        names=tuple(dict.fromkeys(name for one in signatures for name in one.names)),
    )
