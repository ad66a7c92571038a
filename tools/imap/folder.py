"""Folders: what a server lists, read into names a person knows, what each is for, and which of them are read."""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Literal

from imap_tools.imap_utf7 import utf7_decode, utf7_encode

Use = Literal["inbox", "sent", "archive", "junk", "trash", "drafts", "all", "flagged", "other"]

FOLDERS_LIMIT = 1000
NAME_LIMIT_CHARS = 500

_LISTED = re.compile(
    rb'\((?P<flags>[^)]*)\) (?:"(?P<delimiter>(?:\\.|[^"\\])?)"|NIL) ?(?P<name>.*)', re.IGNORECASE | re.DOTALL
)

_BY_FLAG: dict[str, Use] = {
    "\\sent": "sent",
    "\\archive": "archive",
    "\\junk": "junk",
    "\\trash": "trash",
    "\\drafts": "drafts",
    "\\all": "all",
    "\\flagged": "flagged",
    "\\spam": "junk",
    "\\starred": "flagged",
    "\\allmail": "all",
}
"""RFC 6154, and the older words of XLIST."""

_NAMES: dict[Use, str] = {
    "sent": "sent|sent items|sent messages|sent mail|sent-mail|gesendet|gesendete|gesendete objekte|gesendete elemente"
    "|gesendete nachrichten|envoyés|éléments envoyés|enviados|elementos enviados|posta inviata|verzonden items",
    "archive": "archive|archives|archiv|archived",
    "junk": "junk|junk mail|junk e-mail|junk-e-mail|spam|bulk mail|spamverdacht|unerwünscht|unerwünschte werbung",
    "trash": "trash|deleted|deleted items|deleted messages|bin|papierkorb|gelöscht|gelöschte objekte|gelöschte elemente",
    "drafts": "drafts|draft|entwürfe|entwurf|outbox|postausgang|templates|vorlagen",
}
"""Where a server marks nothing. Only at the top, or below INBOX or [Gmail]: a "Sent" within a project is the owner's own."""

UNREAD_USES: frozenset[Use] = frozenset({"junk", "trash", "drafts", "all", "flagged"})
"""Not read: what was thrown away or is not written yet, and what only shows again what lies elsewhere."""

_BY_NAME: dict[str, Use] = {name: use for use, names in _NAMES.items() for name in names.split("|")}

_ROOTS = frozenset({"inbox", "[gmail]", "[google mail]"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Folder:
    """One folder. name: as the owner reads it; "INBOX" whatever its spelling. wire: its name as the server spells it, quoted."""

    name: str
    wire: bytes
    delimiter: str
    flags: frozenset[str]
    use: Use

    @property
    def is_sent(self) -> bool:
        return self.use == "sent"


def listed(answer: Iterable[object]) -> tuple[Folder, ...]:
    """The folders of an answer to LIST that can be opened, each name once; lines that can't be read are left out."""
    found: dict[str, Folder] = {}
    for item in answer:
        if (folder := _listed_one(item)) is not None and len(found) < FOLDERS_LIMIT:
            found.setdefault(folder.name, folder)
    return tuple(found.values())


def readable(folders: Iterable[Folder], *, only: Collection[str] = ()) -> tuple[Folder, ...]:
    """Those that are read, Sent first: what the owner wrote is known before what it answers. `only` names them outright."""
    wanted = {name.casefold() for name in only}
    left_out = [folder for folder in folders if folder.use in UNREAD_USES]
    chosen = [
        folder
        for folder in folders
        if (folder.name.casefold() in wanted if wanted else not any(_is_within(folder, other) for other in left_out))
    ]
    return tuple(sorted(chosen, key=lambda folder: (not folder.is_sent, folder.name != "INBOX", folder.name)))


def of_use(folders: Iterable[Folder], use: Use) -> tuple[Folder, ...]:
    """Those for a purpose, the marked ones before those that only bear its name."""
    marked = {flag for flag, meant in _BY_FLAG.items() if meant == use}
    return tuple(
        sorted((f for f in folders if f.use == use), key=lambda folder: (not folder.flags & marked, folder.name))
    )


def wire_name(name: str) -> bytes:
    """A name as it is sent: modified UTF-7, quoted."""
    return _quoted(utf7_encode(name))


def _is_within(folder: Folder, other: Folder) -> bool:
    return folder == other or bool(other.delimiter and folder.name.startswith(other.name + other.delimiter))


def _listed_one(item: object) -> Folder | None:
    # A name that came as a literal makes a pair: the head that announced it, and the name.
    head, literal = item if isinstance(item, tuple) else (item, None)
    if not isinstance(head, bytes) or (match := _LISTED.match(head)) is None:
        return None
    flags = frozenset(match["flags"].decode("ascii", "replace").lower().split())
    raw = literal if literal is not None else _unquoted(match["name"].strip())
    if not raw or b"\r" in raw or b"\n" in raw or b"\0" in raw or flags & {"\\noselect", "\\nonexistent"}:
        return None
    delimiter = (match["delimiter"] or b"").decode("ascii", "replace").removeprefix("\\")
    name = _name(raw)
    return Folder(name=name, wire=_quoted(raw), delimiter=delimiter, flags=flags, use=_use(name, delimiter, flags))


def _name(raw: bytes) -> str:
    if raw.upper() == b"INBOX":
        return "INBOX"
    try:
        name = utf7_decode(raw) if raw.isascii() else raw.decode()
        name.encode()
    except ValueError:  # it isn't what it should be; the name is shown as it is spelled
        name = raw.decode("utf-8", "replace")
    return name[:NAME_LIMIT_CHARS]


def _use(name: str, delimiter: str, flags: frozenset[str]) -> Use:
    if name == "INBOX":
        return "inbox"
    for flag in sorted(flags & _BY_FLAG.keys()):
        return _BY_FLAG[flag]
    *above, last = name.casefold().split(delimiter) if delimiter else [name.casefold()]
    if not above or (len(above) == 1 and above[0] in _ROOTS):
        return _BY_NAME.get(last, "other")
    return "other"


def _quoted(raw: bytes) -> bytes:
    return b'"' + raw.replace(b"\\", b"\\\\").replace(b'"', b'\\"') + b'"'


def _unquoted(raw: bytes) -> bytes:
    if len(raw) >= 2 and raw[:1] == raw[-1:] == b'"':
        return re.sub(rb"\\(.)", rb"\1", raw[1:-1])
    return raw
