"""The addresses of a header, read strictly: what cannot be read beyond doubt has no address."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from email.utils import getaddresses

from memory.mail import Address
from tools.files.header import Report, decode_words

ADDRESSES_LIMIT = 2000
"""Addresses taken from one field; RFC 5321 asks servers for 100 recipients, lists write more."""

# Two dots in a row are not allowed and are written all the same.
_LOCAL = r"[^\s\x00-\x1f\x7f\"()<>,:;@\[\]\\]{1,200}"
_DOMAIN = r"(?:[^\W_](?:[\w-]{0,61}[^\W_])?\.)*[^\W_](?:[\w-]{0,61}[^\W_])?\.?"
_ADDRESS = re.compile(rf'({_LOCAL}|"(?:[^"\\\x00-\x1f]|\\[ -~]){{0,100}}")@({_DOMAIN}|\[[0-9A-Fa-f:.IPv]{{2,60}}\])')
# Archives of mailing lists write "user at host.org" to keep harvesters away.
_OBFUSCATED = re.compile(rf"({_LOCAL}) +at +((?:[\w-]+\.)+[A-Za-z]{{2,}})")
_PLAIN = re.compile(r"(?:(?P<name>[^\"()<>,:;@\[\]\\=?\x00-\x1f]*)<(?P<angle>[^<>\"()]+)>|(?P<bare>[^<>\"(),:;\s]+))")
_SHOWN_ADDRESS = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)*")
_TOKEN = re.compile(
    r"(?P<word>=\?[^?\s]{1,64}\?[bBqQ]\?[^?\s]*\?=)"
    r'|(?P<quoted>"(?:[^"\\]|\\.)*(?:"|\Z))'
    r"|(?P<angle><[^<>]*>)"
    r"|(?P<mark>[(),:;])"
    r"|(?P<text>(?:[^\"<>(),:;=]|=(?!\?))+)"
    r"|(?P<odd>.)",
    re.DOTALL,
)
_COMMENT_MARK = re.compile(r"\\.|[()]", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Addresses:
    """What a field held, in order. `is_odd`: something in it was not as it should be. `has_group`: "team: a@b, c@d;"."""

    found: tuple[Address, ...]
    is_odd: bool
    has_group: bool


@dataclass(slots=True)
class _Mailbox:
    """The pieces of one mailbox between two commas."""

    words: list[str] = field(default_factory=list)
    angles: list[str] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)
    after_angle: bool = False

    def add(self, kind: str, value: str) -> None:
        if kind == "comment":
            self.comments.append(value)
        elif kind == "angle":
            self.angles.append(value[1:-1].strip())
        elif value.strip():
            self.words.append(value)
            self.after_angle = self.after_angle or bool(self.angles)

    def shown(self) -> str:
        return "".join([*self.words, *(f"<{angle}>" for angle in self.angles)])


def read_addresses(value: str, report: Report) -> Addresses:
    """The addresses of an unfolded To, Cc or From field. Never raises; linear in the length of `value`."""
    plain = _PLAIN.fullmatch(value.strip())
    address = checked(plain["angle"] or plain["bare"]) if plain else None
    if plain and address:
        return Addresses((Address(decode_words(plain["name"] or "", report), address),), is_odd=False, has_group=False)
    return _read_list(value, report)


def checked(text: str) -> str | None:
    """`text` as an address with its domain in lower case, or None when it is not exactly one."""
    match = _ADDRESS.fullmatch(text.strip()) or _OBFUSCATED.fullmatch(text.strip())
    if match is None or len(match[0]) > 320:
        return None
    return f"{match[1]}@{match[2].lower().rstrip('.')}"


def readings_differ(value: str, addresses: Addresses) -> bool:
    """Whether the email package reads other addresses in `value` than we did."""
    ours = [address.address.lower() for address in addresses.found if address.address]
    forms = (value, _OBFUSCATED.sub(r"\1@\2", value))  # only we read "user at host.org"
    return all(ours != [address.lower() for _, address in getaddresses([form]) if address] for form in forms)


def shows_another(address: Address) -> bool:
    """Whether the name holds an address that is not the one behind it."""
    name = unicodedata.normalize("NFKC", address.name)
    return any(shown.lower() != (address.address or "").lower() for shown in _SHOWN_ADDRESS.findall(name))


def _read_list(value: str, report: Report) -> Addresses:
    found: list[Address] = []
    mailbox = _Mailbox()
    is_odd = has_group = in_group = False
    for kind, piece in _tokens(value):
        if kind == "odd":
            is_odd = True
        if kind != "mark":
            mailbox.add(kind, piece)
            continue
        if piece == ":" and not in_group and not mailbox.angles:
            has_group = in_group = True
        else:
            was_odd = _flush(mailbox, found, report)
            is_odd = is_odd or was_odd or piece == ":" or (piece == ";" and not in_group)
            in_group = in_group and piece != ";"
        mailbox = _Mailbox()
        if len(found) >= ADDRESSES_LIMIT:
            report(f"more than {ADDRESSES_LIMIT} addresses in one header")
            return Addresses(tuple(found), is_odd=True, has_group=has_group)
    is_odd = _flush(mailbox, found, report) or is_odd or in_group
    return Addresses(tuple(found), is_odd, has_group)


def _flush(mailbox: _Mailbox, found: list[Address], report: Report) -> bool:
    """Close a mailbox; returns whether it was odd."""
    comment = decode_words(" ".join(mailbox.comments), report)
    joined = "".join(mailbox.words).strip()
    if not mailbox.angles:
        if not joined:
            return False
        address = checked(joined)
        found.append(Address(comment if address else _name(mailbox.words, report), address))
        return address is None
    address = checked(mailbox.angles[0]) if len(mailbox.angles) == 1 and not mailbox.after_angle else None
    if address is None:
        found.append(Address(decode_words(mailbox.shown(), report), None))
        return True
    found.append(Address(_name(mailbox.words, report) or comment, address))
    return False


def _name(words: list[str], report: Report) -> str:
    """The display name; quotes are taken off, and encoded words are decoded within them too, as all programs do."""
    bare = (re.sub(r"\\(.)", r"\1", word[1:-1]) if word.startswith('"') else word for word in words)
    return decode_words("".join(bare), report)


def _tokens(value: str) -> Iterator[tuple[str, str]]:
    at = 0
    while token := _TOKEN.match(value, at):
        at = token.end()
        kind = token.lastgroup or "odd"
        if token[0] == "(":
            at, is_closed = _comment_end(value, at)
            yield "comment", value[token.end() : at - is_closed]
            if not is_closed:
                yield "odd", ""
        elif token[0] == ")" or (kind == "quoted" and not (len(token[0]) > 1 and token[0].endswith('"'))):
            yield "odd", token[0]
        else:
            yield ("text" if kind == "word" else kind), token[0]


def _comment_end(value: str, at: int) -> tuple[int, bool]:
    """Where the comment that opened just before `at` ends, after its closing bracket, and whether it has one."""
    depth = 1
    for mark in _COMMENT_MARK.finditer(value, at):
        depth += {"(": 1, ")": -1}.get(mark[0], 0)
        if depth == 0:
            return mark.end(), True
    return len(value), False
