"""A file: something sent that is more than text. It is kept by the hash of its bytes, and its words can be found.

wanted ─► kept       fetched; its bytes lie under their hash
   └────► failed     it could not be had, and why
refused              too large for the channel to hand over: nothing was tried
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

State = Literal["wanted", "kept", "failed", "refused"]
TextState = Literal["none", "read", "unreadable"]
Then = Literal["think", "keep", "hear"]
"""What is done once every file of the turn is settled: thought about, said to be kept, or taken as the owner's words."""

KINDS = frozenset({"photo", "live_photo", "document", "voice", "audio", "video", "video_note", "animation"})
"""The kinds of media that are files."""

FETCH_MAX_BYTES = 20 * 1024 * 1024
"""The most that the Bot API hands over (core.telegram.org/bots/api#getfile)."""

NAME_MAX = 120

FORGOTTEN = "forgotten"
"""Why a file can no longer be had whose message the owner has erased."""

IMAGE_TYPES = frozenset({"image/jpeg", "image/png", "image/gif", "image/webp"})
SOUND_KINDS = frozenset({"voice", "audio", "video_note"})
TEXT_TYPES = frozenset({"application/json", "application/xml", "application/x-yaml", "application/toml"})
OFFICE_ENDINGS = (".docx", ".docm", ".xlsx", ".xlsm", ".pptx", ".pptm", ".odt", ".ods", ".odp")
OFFICE_TYPES = ("application/vnd.openxmlformats-officedocument.", "application/vnd.oasis.opendocument.")
TEXT_ENDINGS = (".txt", ".md", ".markdown", ".csv", ".tsv", ".log", ".json", ".xml", ".yaml", ".yml", ".ics", ".vcf")


@dataclass(frozen=True, slots=True, kw_only=True)
class NewFile:
    """A file about to be wanted. `name` as the sender wrote it; `who` is whom the search names as its source."""

    owner_id: int
    message_id: int
    signal_id: int | None
    channel: str
    channel_file_id: str
    kind: str
    name: str
    media_type: str
    size_bytes: int | None
    is_forwarded: bool
    who: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredFile:
    """A file as the ledger keeps it. `sha256` is None until it was fetched; `pages` where it has any."""

    id: int
    owner_id: int
    message_id: int
    channel: str
    channel_file_id: str
    kind: str
    name: str
    media_type: str
    size_bytes: int | None
    is_forwarded: bool
    state: State
    text_state: TextState
    received_at: datetime
    sha256: str | None = None
    pages: int | None = None
    because: str | None = None
    then_do: Then | None = None

    @property
    def is_own_voice(self) -> bool:
        """Whether it is the owner who speaks: then the words count as theirs."""
        return self.kind == "voice" and not self.is_forwarded


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetched:
    """What a file turned out to be. `text` is what could be read of it, "" for nothing."""

    sha256: str
    size_bytes: int
    media_type: str
    text_state: TextState = "none"
    text: str = ""
    pages: int | None = None
    because: str | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """The first word about the files of a turn (a key of the wording), and what follows once they are settled."""

    word: str
    then: Then | None


def safe_name(name: str, *, kind: str) -> str:
    """A name that is only a name: no path, no control or direction-changing characters, at most NAME_MAX characters."""
    last = re.split(r"[\\/]", name)[-1]
    shown = "".join(sign for sign in last if unicodedata.category(sign)[0] != "C")
    shown = " ".join(shown.split()).strip(". ")
    if len(shown) > NAME_MAX:
        stem, dot, ending = shown.rpartition(".")
        keeps_ending = bool(dot) and len(ending) <= 10
        shown = f"{stem[: NAME_MAX - len(ending) - 1]}.{ending}" if keeps_ending else shown[:NAME_MAX]
    return shown or kind


def is_text(media_type: str, name: str) -> bool:
    """Whether its bytes are words as they stand."""
    return media_type.startswith("text/") or media_type in TEXT_TYPES or name.lower().endswith(TEXT_ENDINGS)


def is_office(media_type: str, name: str) -> bool:
    """Whether it is a document of an office program, of a kind that can be read."""
    return media_type.startswith(OFFICE_TYPES) or name.lower().endswith(OFFICE_ENDINGS)


def can_be_read(file: StoredFile, *, hears: bool) -> bool:
    """Whether a model, or a transcriber where one `hears`, can make anything of it."""
    if file.kind in SOUND_KINDS:
        return hears
    if file.kind == "photo" or file.media_type in IMAGE_TYPES:
        return True
    is_pdf = file.media_type == "application/pdf" or file.name.lower().endswith(".pdf")
    return is_pdf or is_office(file.media_type, file.name) or is_text(file.media_type, file.name)


def plan(files: Sequence[StoredFile], *, has_words: bool, thinks: bool, hears: bool) -> Plan:
    """What to say at once and to do later about the files of one turn.

    `has_words`: the owner wrote something beside them; `thinks`: a model is connected; `hears`: a transcriber is.
    """
    to_come = [file for file in files if file.state != "refused"]
    worth_it = thinks and bool(to_come) and (has_words or any(can_be_read(file, hears=hears) for file in to_come))
    if len(to_come) < len(files):
        return Plan("file_too_big", "think" if worth_it else None)
    if not has_words and all(file.is_own_voice for file in files):
        return Plan("voice_listening", "hear") if hears else Plan("voice_not_heard", None)
    return Plan("file_looking", "think") if worth_it else Plan("file_keeping", "keep")
