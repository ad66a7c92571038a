"""The words in a file, as far as there are any: PDF, office documents, plain text. Nothing here raises for what it holds."""

import asyncio
import codecs
import json
import sys
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from memory.file import TextState, is_office, is_text
from tools.process import Unfinished, run

PAGES_MAX = 300
CHARACTERS_MAX = 200_000
"""About what 80 full pages hold: enough to be found by, and far more than a model is shown."""

PDF_FOR = timedelta(seconds=20)
TEXT_MAX_BYTES = 4 * CHARACTERS_MAX

_READER = Path(__file__).with_name("pdftext.py")
_OFFICE_READER = Path(__file__).with_name("officetext.py")


@dataclass(frozen=True, slots=True, kw_only=True)
class FileText:
    """`state` is *none* for a file of a kind without words, *unreadable* when there should be some, `because` says why."""

    state: TextState
    text: str = ""
    pages: int | None = None
    because: str | None = None


async def text_of(path: Path, *, media_type: str, name: str) -> FileText:
    """The words in the file at `path`."""
    if media_type == "application/pdf":
        return await _pdf(path)
    if is_office(media_type, name):
        return await _office(path)
    if is_text(media_type, name):
        return await asyncio.to_thread(_plain, path)
    return FileText(state="none")


async def _pdf(path: Path) -> FileText:
    return await _apart(_READER, path, PAGES_MAX, CHARACTERS_MAX)


async def _office(path: Path) -> FileText:
    return await _apart(_OFFICE_READER, path, CHARACTERS_MAX)


async def _apart(reader: Path, path: Path, *bounds: int) -> FileText:
    """What a program of its own reads in a file that strangers wrote."""
    seconds = int(PDF_FOR.total_seconds())
    # Neither our folder nor our environment: the program sees none of our settings.
    asked = (sys.executable, "-I", str(reader), str(path), *map(str, (*bounds, seconds)))
    try:
        said = await run(asked, within_for=PDF_FOR, most_bytes=8 * CHARACTERS_MAX, environment={})
        found = json.loads(said)
    except (Unfinished, ValueError):
        return FileText(state="unreadable", because="it can't be read within bounds")
    text = clean(str(found.get("text") or ""))
    if not text:
        return FileText(state="unreadable", pages=found.get("pages"), because=found.get("because") or "it has no words")
    return FileText(state="read", text=text, pages=found.get("pages"))


def _plain(path: Path) -> FileText:
    with path.open("rb") as file:
        head = file.read(TEXT_MAX_BYTES)
    text = clean(decoded(head))
    return FileText(state="read", text=text) if text else FileText(state="unreadable", because="it has no words")


def decoded(head: bytes) -> str:
    """Bytes as text: by their mark, else as UTF-8, else as Windows wrote them. What is no text at all is ""."""
    for mark, encoding in (
        (codecs.BOM_UTF8, "utf-8-sig"),
        (codecs.BOM_UTF16_LE, "utf-16"),
        (codecs.BOM_UTF16_BE, "utf-16"),
    ):
        if head.startswith(mark):
            return head.decode(encoding, "replace")
    if b"\0" in head:
        return ""
    try:
        # A character cut in two at the end is no reason to doubt the rest.
        return codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return head.decode("cp1252", "replace")


def clean(text: str) -> str:
    """Text as a database and a request can carry it: no NUL, no half characters, at most CHARACTERS_MAX."""
    whole = text.replace("\0", "").encode("utf-8", "replace").decode()
    return whole[:CHARACTERS_MAX].strip()
