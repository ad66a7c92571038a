"""The header of a mail that leaves: every field in ASCII, folded, in one spelling.

Written here rather than by the email package: folding a long list of recipients, its header writer has dropped one and
run others together ("Müller, Anna" behind a company's name), and it spaces long foreign names apart. A header that is
about to leave must not lose anybody. What is written here is read back by two other parsers before it goes (reading).
"""

import re
from collections.abc import Iterable
from datetime import datetime
from email.base64mime import header_encode
from email.utils import format_datetime

from memory.recipient import Recipient

LINE_MAX = 78
"""Where a line is folded. RFC 5322, 2.1.1: at most 998, should be at most 78."""

_WORD_MAX_BYTES = 45
"""As much text as one encoded word holds: 60 letters of base64, 75 with what stands around it (RFC 2047, 2)."""

_PLAIN = re.compile(r"[!-~]{1,200}(?: [!-~]{1,200})*")
_ATOMS = re.compile(r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?: [A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*")
_PRINTABLE = re.compile(r"[ -~]*")
_FOLD = "\r\n "


def field(name: str, value: str) -> bytes:
    """One field of the header with its line end. `value` is ASCII already and folded where it has to be."""
    return f"{name}: {value}\r\n".encode("ascii")


def date(at: datetime) -> str:
    """A moment (aware UTC). The owner's zone is not told: where they are is nobody's business."""
    return format_datetime(at)


def text(value: str, *, after: int) -> str:
    """An unstructured value such as a subject; `after` letters stand before it on its line."""
    if _PLAIN.fullmatch(value) is None or "=?" in value:
        return _FOLD.join(_encoded(value))
    lines, used = [""], after
    for word in value.split(" "):
        is_first = lines == [""]
        if not is_first and used + 1 + len(word) > LINE_MAX:
            lines.append("")
            used = 1
            is_first = True
        lines[-1] += word if is_first else f" {word}"
        used += len(word) + (not is_first)
    return _FOLD.join(lines)


def people(recipients: Iterable[Recipient]) -> str:
    """Names and addresses, one a line."""
    return f",{_FOLD}".join(_mailbox(each) for each in recipients)


def ids(message_ids: Iterable[str]) -> str:
    """Message-IDs, one a line, each in its angle brackets."""
    return _FOLD.join(f"<{each}>" for each in message_ids)


def _mailbox(each: Recipient) -> str:
    name = _phrase(each.name)
    return f"{name} <{each.address}>" if name else each.address


def _phrase(name: str) -> str:
    """A display name: as it is, in quotes, or as encoded words."""
    if "=?" in name or _PRINTABLE.fullmatch(name) is None:
        return _FOLD.join(_encoded(name))
    if not name or _ATOMS.fullmatch(name):
        return name
    escaped = re.sub(r'(["\\])', r"\\\1", name)
    return f'"{escaped}"'


def _encoded(value: str) -> list[str]:
    """Encoded words (RFC 2047), none of which cuts a character in two."""
    words, piece = [], b""
    for letter in value:
        spelled = letter.encode()
        if len(piece) + len(spelled) > _WORD_MAX_BYTES:
            words.append(header_encode(piece, "utf-8"))
            piece = b""
        piece += spelled
    return [*words, header_encode(piece, "utf-8")] if piece else words
