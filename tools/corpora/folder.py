"""A folder whose files are documents: notes, meetings, papers, calendars. It is followed: what goes there, goes here."""

import asyncio
import mimetypes
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Literal

from memory.errors import BadInput
from memory.file import OFFICE_ENDINGS, is_text
from memory.search.document import TITLE_MAX, Document
from tools.corpora import calendar_file, meeting
from tools.corpora.note import read_note
from tools.corpora.place import (
    Item,
    PassedOver,
    Survey,
    changed_at,
    covers,
    few,
    key_of,
    mark_of,
    shown_place,
    undecodable,
    walked,
)
from tools.corpora.reading import Circumstance, Fault, FileCalendar, Reading, Span
from tools.filetext import CHARACTERS_MAX, clean, decoded, text_of

FolderKind = Literal["notes", "meetings", "files", "calendar"]

NOTE_ENDINGS = (".md", ".markdown", ".txt", ".text", ".org", ".rst")
MEETING_ENDINGS = (".md", ".markdown", ".txt", ".vtt", ".srt")
CALENDAR_ENDINGS = (".ics", ".ical", ".ifb")
PAPER_ENDINGS = (".pdf", *OFFICE_ENDINGS)

TEXT_MAX_BYTES = 4 * CHARACTERS_MAX
FILE_MAX_BYTES = 200 << 20
"""Of a larger file only the name is kept."""

SETTLES_FOR = timedelta(seconds=2)
"""A file that was changed so recently is looked at again: some file systems know no finer time."""

REF_KINDS: Mapping[FolderKind, str] = {"notes": "note", "meetings": "meeting", "files": "file", "calendar": "calendar"}


@dataclass(frozen=True, slots=True)
class _Sort:
    """Which files of a folder are read, and how."""

    endings: tuple[str, ...] | None
    read: "Callable[[Folder, Item, Circumstance], AsyncIterator[Reading]]"


class Folder:
    """The files at `root` (absolute, a folder or a single file) of one kind. See tools.corpora.place.Place."""

    def __init__(self, kind: FolderKind, root: Path) -> None:
        self._kind = kind
        self.root = root.resolve()

    @property
    def under(self) -> str:
        return f"{REF_KINDS[self._kind]}:{key_of(str(self.root))}/"

    def survey(self, about: Circumstance) -> Survey:
        """Raises BadInput when there is no such folder."""
        if not self.root.exists():
            raise BadInput(f"{self.root} is not there (or its disk is not)")
        passed: list[PassedOver] = []
        items: list[Item] = []
        excluded = 0
        for path in walked(self.root, passed, lambda path: covers(about.exclusions, path, self.root)):
            if covers(about.exclusions, path, self.root):
                excluded += 1
            elif (because := self._unwanted(path)) is None:
                items += self._item(path, about.now, passed)
            elif because:
                passed.append(PassedOver(shown_place(path, self.root), because))
        return Survey(tuple(items), few(passed), excluded)

    def read(self, item: Item, about: Circumstance, _: Mapping[str, str]) -> AsyncIterator[Reading]:
        """What a file holds."""
        return _SORTS[self._kind].read(self, item, about)

    def reading(self, item: Item, documents: Sequence[Document], faults: Sequence[Fault] = ()) -> Reading:
        """The reading of a whole file, which takes the place of all that was kept of it."""
        covered = Span(item.under, item.under + "\uffff")
        return Reading(under=item.under, documents=documents, covers=covered, faults=tuple(faults))

    def unread(self, item: Item, because: str) -> Reading:
        """Nothing could be read: what was kept of it stays."""
        return Reading(under=item.under, documents=(), faults=(Fault(item.shown, 0, because),))

    def _unwanted(self, path: Path) -> str | None:
        """Why a file is not read; "" where that goes without saying, None for one that is."""
        if undecodable(path):
            return "its name is no text"
        endings = _SORTS[self._kind].endings
        if endings is None or path.suffix.lower() in endings:
            return None
        return "" if self.root.is_dir() and self._kind == "notes" else f"no file of the kind {self._kind}"

    def _item(self, path: Path, now: datetime, passed: list[PassedOver]) -> list[Item]:
        try:
            mark, size = mark_of(path)
        except (OSError, ValueError) as error:
            because = error.strerror if isinstance(error, OSError) else str(error)
            passed.append(PassedOver(shown_place(path, self.root), because or "can't be read"))
            return []
        if abs(now - changed_at(path)) < SETTLES_FOR:
            mark = ""
        below = path.relative_to(self.root).as_posix() if path != self.root else ""
        key = key_of(below)
        ends = "/" if self._kind == "calendar" else ""
        return [
            Item(
                key=key,
                shown=shown_place(path, self.root),
                mark=mark,
                size_bytes=size,
                path=path,
                under=f"{self.under}{key}{ends}",
            )
        ]


def text_in(path: Path) -> str:
    """A text file's words; "" for what is no text. Raises OSError."""
    with path.open("rb") as file:
        return clean(decoded(file.read(TEXT_MAX_BYTES)))


async def _note(folder: Folder, item: Item, about: Circumstance) -> AsyncIterator[Reading]:
    try:
        text, changed = await asyncio.to_thread(lambda: (text_in(item.path), changed_at(item.path)))
    except OSError as error:
        yield folder.unread(item, error.strerror or "can't be read")
        return
    if not text and item.size_bytes:
        yield folder.unread(item, "it is no text")
        return
    note = read_note(text, name=item.path.stem, changed_at=changed, zones=about.zones)
    document = Document(
        corpus="note",
        ref=item.under,
        who="you",
        title=note.title[:TITLE_MAX],
        text=note.text,
        at=note.at,
        place=item.shown,
        people=note.people,
        by_owner=True,
    )
    yield folder.reading(item, [document])


async def _meeting(folder: Folder, item: Item, about: Circumstance) -> AsyncIterator[Reading]:
    try:
        text, changed = await asyncio.to_thread(lambda: (text_in(item.path), changed_at(item.path)))
    except OSError as error:
        yield folder.unread(item, error.strerror or "can't be read")
        return
    found = meeting.read_meeting(text, name=item.path.name, changed_at=changed, zones=about.zones)
    if found is None:
        yield folder.unread(item, "there is no text, and nobody speaks in it")
        return
    faults = [Fault(item.shown, line, "a time that can't be read") for line in found.bad_lines]
    yield folder.reading(item, [meeting.document_of(found, ref=item.under, place=item.shown)], faults)


async def _paper(folder: Folder, item: Item, _: Circumstance) -> AsyncIterator[Reading]:
    """Any file: its words where there are some, its name in any case."""
    name, faults, text = item.path.name, [], ""
    media_type = "application/pdf" if item.path.suffix.lower() == ".pdf" else (mimetypes.guess_type(name)[0] or "")
    if item.size_bytes > FILE_MAX_BYTES:
        faults.append(Fault(item.shown, 0, f"larger than {FILE_MAX_BYTES >> 20} MB: only its name is kept"))
    else:
        try:
            found = await text_of(item.path, media_type=media_type, name=name)
        except OSError as error:
            yield folder.unread(item, error.strerror or "can't be read")
            return
        text = found.text
        if found.state == "unreadable":
            faults.append(Fault(item.shown, 0, f"{found.because}: only its name is kept"))
    ending = item.path.suffix.lower().removeprefix(".")
    document = Document(
        corpus="file",
        ref=item.under,
        who="",
        title=name[:TITLE_MAX],
        text=text,
        at=await asyncio.to_thread(changed_at, item.path),
        place=item.shown,
        tags=(ending,) if ending.isalnum() and ending.isascii() and len(ending) <= 8 else (),
    )
    yield folder.reading(item, [document], faults)


async def _calendar(folder: Folder, item: Item, about: Circumstance) -> AsyncIterator[Reading]:
    try:
        yield await asyncio.to_thread(_calendar_read, folder, item, about)
    except OSError as error:
        yield folder.unread(item, error.strerror or "can't be read")


def _calendar_read(folder: Folder, item: Item, about: Circumstance) -> Reading:
    with item.path.open("rb") as file:
        raw = file.read(calendar_file.MOST_BYTES + 1)
    found = calendar_file.read_calendar(raw, under=item.under, name=item.path.stem, about=about)
    if found.documents or not found.faults:
        reading = folder.reading(item, found.documents, [Fault(item.shown, 0, why) for why in found.faults])
        return replace(reading, calendar=FileCalendar(found.name, found.objects))
    return folder.unread(item, found.faults[0])


_SORTS: Mapping[FolderKind, _Sort] = {
    "notes": _Sort(NOTE_ENDINGS, _note),
    "meetings": _Sort(MEETING_ENDINGS, _meeting),
    "files": _Sort(None, _paper),
    "calendar": _Sort(CALENDAR_ENDINGS, _calendar),
}


def is_paper(path: Path) -> bool:
    """Whether a file is a document with words in it, by its name."""
    return path.suffix.lower() in PAPER_ENDINGS or is_text(mimetypes.guess_type(path.name)[0] or "", path.name)
