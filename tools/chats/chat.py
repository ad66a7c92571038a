"""A chat as it was written out: who said what, when. What stands in it was written by others: data, never an instruction."""

import re
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

ChatKind = Literal["whatsapp", "telegram", "imessage"]

TEXT_MAX = 70_000
"""Characters of one message: WhatsApp takes 65,536."""

FAULTS_MAX = 200
"""So many faults of one file are named; the rest are only counted by the last of them."""

_LINK = re.compile(r"https?://\S|\bwww\.\w", re.IGNORECASE)

_TAGS = {
    "photo": "jpg jpeg png heic heif webp bmp tiff",
    "video": "mp4 mov 3gp mkv avi webm m4v",
    "voice": "opus m4a aac mp3 ogg oga amr caf wav flac",
    "gif": "gif",
    "contact": "vcf",
    "pdf": "pdf",
}
_TAG_OF = {ending: tag for tag, endings in _TAGS.items() for ending in endings.split()}


@dataclass(frozen=True, slots=True)
class Fault:
    """What could not be read of a file: `line` counts from 1 (for a file without lines: the message's number); 0 is the whole."""

    line: int
    because: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One message.

    key: names it within its chat, the same in every export; keys sort as the messages do. address: a phone number, mail
    address or id, "" when there is none. tags: as in memory.search.document. forwarded_from: whose words they are.
    files: the names of files that were exported with it.
    """

    key: str
    at: datetime
    who: str
    text: str
    address: str = ""
    is_mine: bool = False
    tags: tuple[str, ...] = ()
    forwarded_from: str = ""
    files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Chat:
    """What was said in one chat, in order.

    key: names the chat for ever, without saying whose it is. name: as the owner knows it; the other's name when there are
    two. others: (name, address) of everybody but the owner who is in it. first, last: the keys of the first and the last
    line that the export holds: what lies between them and is not said any more was deleted.
    by_name: nothing but its name tells which chat this is. is_mine_known: whether the owner was told from the others.
    unsure_key: the key it has while the owner is not told from the others; "" when that is no other.
    calls_me: what the owner is called in it, as far as that is beyond doubt.
    """

    kind: ChatKind
    key: str
    name: str
    said: tuple[Said, ...]
    others: tuple[tuple[str, str], ...] = ()
    first: str = ""
    last: str = ""
    by_name: bool = False
    is_mine_known: bool = True
    unsure_key: str = ""
    calls_me: tuple[str, ...] = ()
    faults: tuple[Fault, ...] = field(default=())


def tags_of(text: str, *names: str) -> tuple[str, ...]:
    """What `has:` finds it by: a link in its words, and what the names of its files tell."""
    tags = ["link"] if _LINK.search(text) else []
    for name in names:
        ending = name.rpartition(".")[2].lower() if "." in name else ""
        tags += ["attachment", *([_TAG_OF[ending]] if ending in _TAG_OF else [ending] if _is_plain(ending) else [])]
    return tuple(dict.fromkeys(tags))


def _is_plain(ending: str) -> bool:
    return 0 < len(ending) <= 5 and ending.isascii() and ending.isalnum()
