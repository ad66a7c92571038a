"""What there is to bring in at a path: told by the owner, or recognised where that is clear."""

import os
import re
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Literal, get_args

from memory.errors import BadInput
from tools.chats.whatsapp_lines import is_export
from tools.contacts.importing import is_vcard
from tools.corpora.export import Export, is_telegram, is_whatsapp
from tools.corpora.folder import CALENDAR_ENDINGS, PAPER_ENDINGS, Folder
from tools.corpora.meeting import TRANSCRIPTS
from tools.corpora.messages import Messages
from tools.corpora.place import Place
from tools.files.mailbox import MailFilesError, find_mail_files

ImportKind = Literal["mail", "contacts", "whatsapp", "telegram", "imessage", "notes", "meetings", "calendar", "files"]

KINDS: tuple[ImportKind, ...] = get_args(ImportKind)

WATCHED_KINDS: tuple[ImportKind, ...] = ("notes", "meetings", "files", "calendar", "whatsapp", "telegram", "imessage")
"""What can be followed as it changes; mail comes by accounts."""

LOOKED_AT = 3000
"""So many files of a folder tell what is in it."""

MOSTLY = 0.8

_HEAD_BYTES = 4096
_NOTES = (".md", ".markdown", ".org")
_CHATS: frozenset[ImportKind] = frozenset({"whatsapp", "telegram", "imessage"})


def kind_of(path: Path, given: str = "") -> ImportKind:
    """The kind that is meant. Raises BadInput when that is not clear, or `given` is none."""
    if given:
        if given not in KINDS:
            raise BadInput(f"{given} is nothing that can be brought in; say one of: {', '.join(KINDS)}")
        return given
    if not path.exists():
        raise BadInput(f"{path} is not there: give a file or a folder ({', '.join(KINDS)})")
    if not path.is_dir():
        return _of_file(path) or "mail"
    found = Counter(kind for each in islice(_files(path), LOOKED_AT) if (kind := _of_file(each)))
    chats = _CHATS & set(found)
    if len(chats) == 1:
        # What lies around an exported chat are its media.
        return next(iter(chats))
    if not found:
        return "mail"  # whose own survey says what it looked for
    [(kind, count), *_] = found.most_common(1)
    if chats or count < MOSTLY * found.total():
        names = ", ".join(sorted(found))
        raise BadInput(f"{path} holds several things ({names}): say which, as in: stillbell import {kind} {path}")
    return kind


def place_of(kind: ImportKind, path: Path) -> Place:
    """The place at `path` (absolute). Raises BadInput for mail and contacts, which are brought in otherwise."""
    match kind:
        case "whatsapp" | "telegram":
            return Export(kind, path)
        case "imessage":
            return Messages(path)
        case "notes" | "meetings" | "files" | "calendar":
            return Folder(kind, path)
    raise BadInput(f"{kind} can't be followed as files are: connect an account (stillbell accounts add)")


def _files(folder: Path) -> Iterator[Path]:
    for here, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        yield from (Path(here) / name for name in names if not name.startswith("."))


def _of_file(path: Path) -> ImportKind | None:  # noqa: PLR0911  a list, read from above
    ending = path.suffix.lower()
    if is_vcard(path):
        return "contacts"
    if ending in CALENDAR_ENDINGS:
        return "calendar"
    if path.name.lower() == "chat.db" or (ending == ".db" and _head(path).startswith(b"SQLite format 3\0")):
        return "imessage"
    if is_telegram(path) or (ending == ".json" and b'"messages"' in _head(path)):
        return "telegram"
    if is_whatsapp(path) or (ending == ".txt" and is_export(_head(path))):
        return "whatsapp"
    if ending in TRANSCRIPTS:
        return "meetings"
    if ending in _NOTES:
        return "notes"
    if ending in PAPER_ENDINGS:
        return "files"
    if _is_mail(path):
        return "mail"
    return "notes" if ending in (".txt", ".text", ".rst") else None


def _head(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(_HEAD_BYTES)
    except OSError:
        return b""


def _is_mail(path: Path) -> bool:
    if re.search(rb"[\x00]", _head(path)[:512]):
        return False
    try:
        return bool(find_mail_files(path))
    except MailFilesError:
        return False
