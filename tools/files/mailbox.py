"""Files of mail on disk: which of them there are, and the mails in them one after the other."""

import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Literal

from memory.errors import BadInput

MAIL_LIMIT_BYTES = 50 * 1024 * 1024
"""The largest mail that is read whole; providers take 25 to 35 MB."""
KEPT_BYTES = 1024 * 1024
"""What is kept of a larger one: its header and the beginning of its text."""

_LINE_LIMIT_BYTES = 64 * 1024
_LOOK_BYTES = 8192
_BOM = b"\xef\xbb\xbf"
_GZIP = b"\x1f\x8b"
_ZIP = b"PK\x03\x04"

# "From ", a sender in whatever form, and a moment: "Mon Jan  3 09:00:00 2022" with a zone in any of the usual places,
# or "Mon, 3 Jan 2022 09:00:00 +0100". Sentences that begin with "From" have no such end.
_POSTMARK = re.compile(
    rb"From \S.*?[ \t](?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,?[ \t]+"
    rb"(?:(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*[ \t]+\d{1,2}|"
    rb"\d{1,2}[ \t]+(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*[ \t]+\d{2,4})[ \t]+"
    rb"\d{1,2}:\d{2}(?::\d{2})?(?:[ \t]+[a-z0-9+:-]+){0,3}[ \t]*(?:remote from \S+)?\s*",
    re.IGNORECASE,
)
_QUOTED = re.compile(rb">+From ")
_FIELD = re.compile(rb"[!-9;-~]+[ \t]*:")
_TELLING = re.compile(
    rb"^(?:from|to|subject|date|message-id|received|return-path|mime-version|content-type|delivered-to|x-[a-z-]+)[ \t]*:",
    re.IGNORECASE | re.MULTILINE,
)

Kind = Literal["mbox", "eml"]


class MailFilesError(BadInput):
    """No mail can be read there. The message names the path and says what to give instead."""


@dataclass(frozen=True, slots=True)
class MailFile:
    """A file that holds mail: many one after the other (mbox) or exactly one (eml)."""

    path: Path
    kind: Kind
    size_bytes: int


@dataclass(frozen=True, slots=True)
class SkippedFile:
    """A file or folder that was passed over, and why."""

    path: Path
    because: str


@dataclass(frozen=True, slots=True)
class MailFiles:
    """What a place holds: the files to read, in the order of their paths, and what was passed over."""

    files: tuple[MailFile, ...]
    skipped: tuple[SkippedFile, ...]


@dataclass(frozen=True, slots=True)
class RawMail:
    """One mail as it lies in its file, from `start_byte` to before `end_byte`, where reading can go on later.

    `raw` is the mail itself: the "From " line that parts it from the one before is taken off and the quoting of such
    lines in its text is undone. `fault` says when it was too large to be kept whole.
    """

    raw: bytes
    start_byte: int
    end_byte: int
    fault: str | None = None


def find_mail_files(path: Path) -> list[MailFile]:
    """The mail files at `path`; see `survey`. Raises MailFilesError when there are none."""
    return list(survey(path).files)


def survey(path: Path) -> MailFiles:
    """Look for mail at `path`: an mbox or a single mail under any name, or a folder of them, Maildir included.

    What a file is, is told from its first lines. Hidden files, links and what is no mail are passed over and listed.
    Raises MailFilesError when nothing is left to read, or `path` itself can't be read.
    """
    try:
        path.stat()
    except OSError as error:
        raise MailFilesError(
            f"{path} can't be read ({error.strerror}): give an mbox file, .eml files or a folder of them"
        ) from error
    files: list[MailFile] = []
    skipped: list[SkippedFile] = []
    for each in _walked(path, skipped) if path.is_dir() else [path]:
        judged = _judged(each)
        if isinstance(judged, MailFile):
            files.append(judged)
        else:
            skipped.append(judged)
    if not files:
        raise MailFilesError(_nothing_found(path, skipped))
    return MailFiles(tuple(files), tuple(skipped))


def read_from(file: MailFile, *, start_byte: int = 0) -> Iterator[RawMail]:
    """The mails of `file` from `start_byte` on, which is 0 or the `end_byte` of a mail taken before.

    Holds one mail in memory at a time, and of one larger than 50 MB only its beginning, with a fault that names its
    place. An mbox's "From " line counts when it ends in a moment and either an empty line comes before it or a header
    after it. Raises MailFilesError when the file can't be read.
    """
    try:
        with file.path.open("rb") as opened:
            opened.seek(start_byte)
            yield from _mails(opened, start_byte) if file.kind == "mbox" else _single(opened, start_byte)
    except OSError as error:
        raise MailFilesError(
            f"{file.path} can't be read ({error.strerror}): check that it is there and yours"
        ) from error


def _single(opened: BinaryIO, start_byte: int) -> Iterator[RawMail]:
    raw = opened.read(MAIL_LIMIT_BYTES + 1)
    if start_byte or not raw:
        return
    end_byte = opened.seek(0, os.SEEK_END)
    if len(raw) > MAIL_LIMIT_BYTES:
        yield RawMail(raw[:KEPT_BYTES], 0, end_byte, _too_large(0, end_byte))
    else:
        yield RawMail(raw, 0, end_byte)


class _Gathering:
    """The lines of the mail that is being read."""

    def __init__(self, start_byte: int) -> None:
        self.start_byte = start_byte
        self._lines: list[bytes] = []
        self._size_bytes = 0
        self._is_too_large = False

    def add(self, line: bytes) -> None:
        self._size_bytes += len(line)
        if self._is_too_large:
            return
        self._lines.append(line)
        if self._size_bytes > MAIL_LIMIT_BYTES:
            self._is_too_large = True
            self._lines = [b"".join(self._lines)[:KEPT_BYTES]]

    def mail(self, end_byte: int) -> RawMail:
        fault = _too_large(self.start_byte, self._size_bytes) if self._is_too_large else None
        return RawMail(b"".join(self._lines), self.start_byte, end_byte, fault)


def _mails(opened: BinaryIO, start_byte: int) -> Iterator[RawMail]:
    gathering: _Gathering | None = None
    at, may_begin, after_blank = start_byte, True, True
    for line, following in _lines(opened, start_byte):
        if may_begin and line.startswith(b"From ") and _separates(line, following, after_blank=after_blank):
            if gathering is not None:
                yield gathering.mail(at)
            gathering = _Gathering(at)
        elif gathering is not None:
            gathering.add(line[1:] if may_begin and line.startswith(b">") and _QUOTED.match(line) else line)
        at += len(line)
        after_blank = may_begin and line in (b"\n", b"\r\n", _BOM)
        may_begin = line.endswith(b"\n") or line == _BOM
    if gathering is not None:
        yield gathering.mail(at)


def _separates(line: bytes, following: bytes, *, after_blank: bool) -> bool:
    """Whether a "From " line parts two mails. Some archives lost the empty line before it; a header still follows."""
    return _POSTMARK.fullmatch(line) is not None and (after_blank or _FIELD.match(following) is not None)


def _lines(opened: BinaryIO, start_byte: int) -> Iterator[tuple[bytes, bytes]]:
    """Each line and the one that follows it. A very long line comes in pieces; a byte order mark is a line of its own."""
    line = opened.readline(_LINE_LIMIT_BYTES)
    if start_byte == 0 and line.startswith(_BOM):
        yield _BOM, b""
        line = line.removeprefix(_BOM)
    while line:
        following = opened.readline(_LINE_LIMIT_BYTES)
        yield line, following
        line = following


def _walked(folder: Path, skipped: list[SkippedFile]) -> Iterator[Path]:
    """The plain files in `folder` and below in the order of their paths; what is not entered goes to `skipped`."""

    def refused(error: OSError) -> None:
        skipped.append(SkippedFile(Path(error.filename or folder), f"can't be opened: {error.strerror}"))

    for here, folders, names in os.walk(folder, onerror=refused):
        place = Path(here)
        folders[:] = sorted(name for name in folders if _may_enter(place / name, skipped))
        for name in sorted(names):
            path = place / name
            if because := _unwanted(path):
                skipped.append(SkippedFile(path, because))
            else:
                yield path


def _may_enter(folder: Path, skipped: list[SkippedFile]) -> bool:
    if folder.is_symlink():
        because = "a link; links are not followed"
    elif folder.name.startswith(".") and not (folder / "cur").is_dir():
        because = "a hidden folder"
    elif folder.name == "tmp" and (folder.parent / "cur").is_dir():
        because = "mail still being delivered"
    else:
        return True
    skipped.append(SkippedFile(folder, because))
    return False


def _unwanted(path: Path) -> str | None:
    if path.is_symlink():
        return "a link; links are not followed"
    if path.name.startswith("."):
        return "a hidden file"
    return None


def _judged(path: Path) -> MailFile | SkippedFile:
    """What kind of mail file `path` is, by its first lines."""
    try:
        about = path.stat()
        if not stat.S_ISREG(about.st_mode):
            return SkippedFile(path, "not a plain file")
        with path.open("rb") as opened:
            start = opened.read(_LOOK_BYTES)
    except OSError as error:
        return SkippedFile(path, f"can't be opened: {error.strerror}")
    kind = _kind(start)
    return MailFile(path, kind, about.st_size) if kind else SkippedFile(path, _no_mail(start))


def _kind(start: bytes) -> Kind | None:
    start = start.removeprefix(_BOM).lstrip(b"\r\n")
    first, _, rest = start.partition(b"\n")
    if _POSTMARK.fullmatch(first):
        return "mbox"
    header = rest if first.startswith((b"From ", b">From ")) else start
    header = re.split(rb"\r?\n[ \t]*\r?\n", header, maxsplit=1)[0]
    return "eml" if _FIELD.match(header) and _TELLING.search(header) else None


def _no_mail(start: bytes) -> str:
    if start.startswith((_GZIP, _ZIP)):
        return "packed; unpack it first"
    return "not mail" if start.strip() else "empty"


def _nothing_found(path: Path, skipped: list[SkippedFile]) -> str:
    if not path.is_dir() and skipped and "unpack" in skipped[0].because:
        return f"{path} is packed: unpack it (gunzip, unzip) and give the file inside"
    reasons = ", ".join(sorted({f"{each.path.name}: {each.because}" for each in skipped})[:3])
    found = f" ({reasons})" if reasons else ""
    return f"no mail found in {path}{found}: give an mbox file, .eml files or a folder of them"


def _too_large(start_byte: int, size_bytes: int) -> str:
    return f"the mail at byte {start_byte} has {size_bytes:,} bytes, only its beginning was kept"
