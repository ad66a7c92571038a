"""Attaching: a file that is to go along with a mail, looked at once and kept, so that what is sent is what was shown.

    path ─► below a root? ─► opened without following a link ─► regular, one name, not empty, not too large
         ─► read once ─► kept under its sha-256 ─► its text layer ─► an identity document? ─► Kept
    sending: the kept copy, opened without following a link, its sha-256 taken again ─► the bytes

Nothing here unpacks anything: an archive is bytes like all others.
"""

import asyncio
import errno
import hashlib
import mimetypes
import os
import re
import stat
from collections.abc import AsyncIterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from memory.envelope import ATTACHED_MAX_BYTES, ATTACHMENTS_MAX
from memory.errors import BadInput, NotFound, Refused
from memory.file import safe_name
from memory.identity_document import AskTwice, Never, judge
from memory.mail import Attachment
from memory.visible import hides_something
from tools.filetext import text_of
from tools.filing import Filing, media_type_of

OTHER_TYPE = "application/octet-stream"

_CHUNK_BYTES = 1 << 20
_MEDIA_TYPE = re.compile(r"[a-z0-9][a-z0-9.+-]{0,60}/[a-z0-9][a-z0-9.+-]{0,100}")
_PART_OF_A_MAIL = ("message/", "multipart/")
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# O_NONBLOCK: opening a pipe that nobody writes to would wait for ever. O_NOCTTY: no terminal becomes ours.
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC

_TYPES = mimetypes.MimeTypes()
"""What the library itself knows, and the office's: the list of a machine would change what leaves from there."""
for _ending, _type in (
    (".docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
    (".xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
    (".pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation"),
    (".odt", "application/vnd.oasis.opendocument.text"),
    (".ods", "application/vnd.oasis.opendocument.spreadsheet"),
    (".ics", "text/calendar"),
    (".vcf", "text/vcard"),
    (".md", "text/markdown"),
):
    _TYPES.add_type(_type, _ending)


class NotAttachable(Refused):
    """A rule keeps this file from being attached."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """A file that may be attached.

    attachment: its name, type, size and fingerprint, as the envelope has them. real_name: the name it lies under, where
    that is another one (hidden letters, say); None where it is the same. caution: why its card needs a second tap. text:
    what can be read of it, None when nothing can.
    """

    attachment: Attachment
    real_name: str | None = None
    caution: AskTwice | None = None
    text: str | None = None


@dataclass(frozen=True, slots=True)
class _Read:
    """A file as it was read: where it really lies, and all of it."""

    path: str
    name: str
    content: bytes


class Attaching:
    """Proposes files below `roots` and hands out their kept copies. `filing` keeps them.

    A root may itself be reached over links; below it none is followed. Every method may raise OutOfReach when the disk
    will not take a copy.
    """

    def __init__(self, filing: Filing, roots: Sequence[Path]) -> None:
        self._filing = filing
        self._roots = tuple((root, root.resolve()) for root in (each.expanduser().absolute() for each in roots))

    async def propose(self, path: str) -> Kept:
        """The owner's file at `path` (absolute, or from "~"). Raises NotFound, BadInput, or NotAttachable."""
        read = await asyncio.to_thread(self._read, path)
        return await self._keep(read)

    async def propose_content(self, content: bytes, *, name: str, media_type: str = "") -> Kept:
        """What came with a mail or was sent in the chat, under the name that it had there. Raises as `propose`."""
        _check_size(len(content), name)
        return await self._keep(_Read("", name, content), media_type=media_type)

    async def open_kept(self, attachment: Attachment) -> bytes:
        """The bytes to send. Raises NotFound or NotAttachable when they are not those that were approved."""
        return await asyncio.to_thread(self._opened, attachment)

    async def _keep(self, read: _Read, *, media_type: str = "") -> Kept:
        name = safe_name("".join(letter for letter in read.name if not hides_something(letter)), kind="file")
        shown_type = media_type_of(read.content[:16]) or _type_of(name, media_type)
        filed = await self._filing.keep(_once(read.content), most_bytes=ATTACHED_MAX_BYTES)
        found = await text_of(filed.path, media_type=shown_type, name=name)
        text = found.text if found.state == "read" else None
        verdict = judge(path=read.path, name=name, media_type=shown_type, text=text)
        if isinstance(verdict, Never):
            raise NotAttachable(f"{name!r} is never sent: {verdict.because}")
        return Kept(
            attachment=Attachment(name, shown_type, filed.size_bytes, filed.sha256),
            real_name=None if name == read.name else read.name,
            caution=verdict,
            text=text,
        )

    def _read(self, path: str) -> _Read:
        root, parts = self._below_root(path)
        with ExitStack() as open_files:
            handle = _opened_below(root, parts, open_files)
            size_bytes = _checked(os.fstat(handle), parts[-1])
            content = _all_of(handle, size_bytes, parts[-1])
        return _Read(str(root.joinpath(*parts)), parts[-1], content)

    def _below_root(self, path: str) -> tuple[Path, tuple[str, ...]]:
        """The root and the way down from it, as it is written: no link is resolved, and no ".." taken."""
        if "\0" in path:
            raise BadInput("a path holds no NUL")
        written = Path(path).expanduser()
        if ".." in written.parts:
            raise NotAttachable("a path with .. in it leads who knows where: write it out")
        for root, real in self._roots:
            for start in (root, real):
                if written.is_relative_to(start) and written != start:
                    return real, written.relative_to(start).parts
        raise NotAttachable("only files in the folders that are open for attaching can be attached")

    def _opened(self, attachment: Attachment) -> bytes:
        name = attachment.name
        with ExitStack() as open_files:
            try:
                handle = _kept_open(os.open(self._filing.path(attachment.sha256), _FILE), open_files)
            except OSError as error:
                raise NotFound(f"the kept copy of {name!r} is gone: attach it anew") from error
            found = os.fstat(handle)
            is_it = stat.S_ISREG(found.st_mode) and found.st_size == attachment.size_bytes
            content = _all_of(handle, found.st_size, name) if is_it else b""
        if hashlib.sha256(content).hexdigest() != attachment.sha256:
            raise NotAttachable(f"the kept copy of {name!r} is not what it was: attach it anew")
        return content


def check_together(attachments: Sequence[Attachment]) -> None:
    """Raise BadInput when there are too many, or they are too large together for one mail."""
    if len(attachments) > ATTACHMENTS_MAX:
        raise BadInput(f"{len(attachments)} files, at most {ATTACHMENTS_MAX} go along with one mail")
    _check_size(sum(each.size_bytes for each in attachments), "all files together")


def _opened_below(root: Path, parts: Sequence[str], open_files: ExitStack) -> int:
    """The file, opened step by step: where a link stands on the way, or at its end, nothing is opened."""
    try:
        handle = _kept_open(os.open(root, _FOLDER), open_files)
        for part in parts[:-1]:
            handle = _kept_open(os.open(part, _FOLDER, dir_fd=handle), open_files)
        return _kept_open(os.open(parts[-1], _FILE, dir_fd=handle), open_files)
    except OSError as error:
        raise _not_opened(error, parts[-1]) from error


def _kept_open(handle: int, open_files: ExitStack) -> int:
    open_files.callback(os.close, handle)
    return handle


def _not_opened(error: OSError, name: str) -> BadInput | NotFound | NotAttachable:
    if error.errno == errno.ENOENT:
        return NotFound(f"there is no file {name!r}")
    if error.errno in {errno.ELOOP, errno.ENOTDIR}:
        return NotAttachable(f"a link stands on the way to {name!r}: attach the file itself")
    return BadInput(f"{name!r} can't be opened: {error.strerror}")


def _checked(found: os.stat_result, name: str) -> int:
    """The size of what was opened. Raises for whatever is no plain file with a single name."""
    if not stat.S_ISREG(found.st_mode):
        kind = "a folder" if stat.S_ISDIR(found.st_mode) else "no plain file"
        raise NotAttachable(f"{name!r} is {kind}: only files can be attached")
    if found.st_nlink != 1:
        raise NotAttachable(f"{name!r} also lies elsewhere under another name (a hard link): attach a copy of it")
    _check_size(found.st_size, name)
    return found.st_size


def _check_size(size_bytes: int, name: str) -> None:
    if size_bytes == 0:
        raise BadInput(f"{name!r} is empty: there is nothing to send")
    if size_bytes > ATTACHED_MAX_BYTES:
        most, has = ATTACHED_MAX_BYTES / 1e6, size_bytes / 1e6
        raise BadInput(f"{name!r} has {has:.1f} MB; at most {most:.1f} MB go along with one mail: send a link to it")


def _all_of(handle: int, size_bytes: int, name: str) -> bytes:
    """The whole file, read once. A file that grows or shrinks meanwhile is not taken: nobody has seen it whole."""
    chunks, total = [], 0
    while total <= size_bytes and (chunk := os.read(handle, _CHUNK_BYTES)):
        chunks.append(chunk)
        total += len(chunk)
    if total != size_bytes:
        raise BadInput(f"{name!r} is being written just now: attach it when that is done")
    return b"".join(chunks)


async def _once(content: bytes) -> AsyncIterator[bytes]:
    yield content


def _type_of(name: str, told: str) -> str:
    """The type that the name shows, else the one that was told; never one that a mail program would open as mail."""
    shown, packing = _TYPES.guess_type(name)
    found = (OTHER_TYPE if packing else shown or told).lower()
    return OTHER_TYPE if not _MEDIA_TYPE.fullmatch(found) or found.startswith(_PART_OF_A_MAIL) else found
