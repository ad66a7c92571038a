"""The words of one office document, as a program of its own: `python officetext.py FILE CHARACTERS SECONDS`.

Word, Excel, PowerPoint (docx, xlsx, pptx) and OpenDocument (odt, ods, odp): archives of XML, written by strangers. A small
archive can unpack to more than there is memory, so it is read in a process that is bounded in memory and time and holds
nothing of ours, and of each part only so much: this file imports nothing but the standard library. It writes one line of
JSON: `text`, or `because` when there is nothing to be had.
"""

import json
import os
import re
import resource
import sys
import zipfile
from collections.abc import Iterator
from typing import IO
from xml.etree import ElementTree

MEMORY_MAX_BYTES = 1 << 30
NICENESS = 10
PART_MAX_BYTES = 64 << 20
"""Of one part of the archive, unpacked."""
PARTS_MAX = 500
STRINGS_MAX = 500_000

_PARTS = (
    (re.compile(r"word/(?:document|footnotes|endnotes|comments|header\d*|footer\d*)\.xml"), "word"),
    (re.compile(r"ppt/(?:slides|notesSlides)/[A-Za-z]+(\d+)\.xml"), "slides"),
    (re.compile(r"xl/worksheets/[A-Za-z]+(\d+)\.xml"), "sheet"),
    (re.compile(r"content\.xml"), "open"),
)
_ORDER = ("word/document.xml", "content.xml")


class Part:
    """One part of the archive, of which no more is unpacked than is allowed."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._left = PART_MAX_BYTES

    def read(self, size: int = -1) -> bytes:
        """As files do. Raises ValueError beyond the bound."""
        found = self._file.read(min(size, 1 << 16) if size >= 0 else 1 << 16)
        self._left -= len(found)
        if self._left < 0:
            raise ValueError("it unpacks to more than is read")
        return found


def words_of(path: str, characters_max: int) -> dict[str, object]:
    """What can be read of the document at `path`."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = set(archive.namelist())
            strings = _strings(archive) if "xl/sharedStrings.xml" in names else []
            found, room = [], characters_max
            for name, kind in _parts(names):
                for line in _lines(archive, name, kind, strings):
                    found.append(line[:room])
                    room -= len(line) + 1
                    if room <= 0:
                        return {"text": "\n".join(found)}
            return {"text": "\n".join(found)}
    # Whatever a broken file makes the libraries raise: all of it means that there is nothing to read.
    except Exception as error:  # noqa: BLE001
        return {"because": f"it can't be read ({type(error).__name__})"}


def _parts(names: set[str]) -> list[tuple[str, str]]:
    """The parts that hold words, in the order in which they are read."""
    kept = []
    for name in names:
        for form, kind in _PARTS:
            if found := form.fullmatch(name):
                number = int(found[1]) if found.re.groups else 0
                kept.append((name not in _ORDER, "notes" in name.lower(), number, name, kind))
    return [(name, kind) for *_, name, kind in sorted(kept)][:PARTS_MAX]


def _lines(archive: zipfile.ZipFile, name: str, kind: str, strings: list[str]) -> Iterator[str]:
    with archive.open(name) as file:
        yield from _rows(Part(file), strings) if kind == "sheet" else _paragraphs(Part(file))


def _paragraphs(part: Part) -> Iterator[str]:
    """A line for each paragraph: w:p with w:t (Word), a:p with a:t (PowerPoint), text:p and text:h (OpenDocument)."""
    for _, element in ElementTree.iterparse(part, events=("end",)):  # noqa: S314  bounded, apart, and entities unused
        name = _local(element.tag)
        if name in ("p", "h"):
            line = "".join(_texts(element)).strip()
            if line:
                yield line
            element.clear()


def _texts(element: ElementTree.Element) -> Iterator[str]:
    """The words within; what stands between two pieces of text is no text in Word and PowerPoint, and is in OpenDocument."""
    is_open = element.tag.startswith("{urn:oasis")
    for one in element.iter():
        name = _local(one.tag)
        if name in ("tab", "br", "line-break", "s"):
            yield " "
        if one.text and (is_open or name == "t"):
            yield one.text
        if is_open and one.tail and one is not element:
            yield one.tail


def _rows(part: Part, strings: list[str]) -> Iterator[str]:
    """A line for each row of a sheet, its cells apart."""
    for _, element in ElementTree.iterparse(part, events=("end",)):  # noqa: S314  as above
        if _local(element.tag) == "row":
            cells = [_cell(cell, strings) for cell in element if _local(cell.tag) == "c"]
            if line := "\t".join(cell for cell in cells if cell):
                yield line
            element.clear()


def _cell(cell: ElementTree.Element, strings: list[str]) -> str:
    kind = cell.get("t")
    if kind == "inlineStr":
        return "".join(one.text or "" for one in cell.iter() if _local(one.tag) == "t").strip()
    value = next((one.text or "" for one in cell if _local(one.tag) == "v"), "")
    if kind != "s":
        return value.strip()
    return strings[int(value)].strip() if value.isdigit() and int(value) < len(strings) else ""


def _strings(archive: zipfile.ZipFile) -> list[str]:
    """The strings that the cells of a workbook share."""
    found: list[str] = []
    with archive.open("xl/sharedStrings.xml") as file:
        for _, element in ElementTree.iterparse(Part(file), events=("end",)):  # noqa: S314  as above
            if _local(element.tag) == "si":
                found.append("".join(one.text or "" for one in element.iter() if _local(one.tag) == "t"))
                element.clear()
                if len(found) >= STRINGS_MAX:
                    break
    return found


def _local(tag: str) -> str:
    return tag.rpartition("}")[2]


if __name__ == "__main__":
    _path, _characters, _seconds = sys.argv[1], *map(int, sys.argv[2:4])
    os.nice(NICENESS)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_MAX_BYTES, MEMORY_MAX_BYTES))
    resource.setrlimit(resource.RLIMIT_CPU, (_seconds, _seconds + 1))
    sys.stdout.buffer.write(json.dumps(words_of(_path, _characters)).encode())
