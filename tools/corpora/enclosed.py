"""What came with an exported chat: the words of papers that lie in its folder or archive, and nowhere else."""

import asyncio
import mimetypes
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath

from memory.search.document import TITLE_MAX, Document
from tools.chats.chat import Chat, Said
from tools.corpora.folder import PAPER_ENDINGS, is_paper
from tools.corpora.reading import Paper, paper_ref
from tools.filetext import FileText, text_of

SIZE_MAX_BYTES = 50 << 20

NOT_THERE = FileText(state="none")


def papers_of(chat: Chat, documents: Sequence[Document]) -> Iterator[Paper]:
    """The papers among what came with the messages of a chat. documents: those of the messages, in their order."""
    for said, document in zip(chat.said, documents, strict=True):
        for number, name in enumerate(said.files):
            if is_paper(Path(name)):
                yield Paper(document.ref, name, _document(said, document, name, number))


def _document(said: Said, message: Document, name: str, number: int) -> Document:
    ending = PurePosixPath(name).suffix.lower().removeprefix(".")
    return Document(
        corpus="file",
        ref=paper_ref(message.ref, number),
        who=message.who,
        title=PurePosixPath(name).name[:TITLE_MAX],
        text="",
        at=said.at,
        place=message.place,
        people=message.people,
        tags=(ending,) if f".{ending}" in PAPER_ENDINGS else (),
    )


async def words_in(export: Path, name: str) -> FileText:
    """The words of the file `name` of an export (its text file, its result.json, or its archive); *none* for what is not in it."""
    with tempfile.TemporaryDirectory(prefix="stillbell-") as folder:
        path = await asyncio.to_thread(_found, export, name, Path(folder))
        if path is None:
            return NOT_THERE
        suffix = PurePosixPath(name).suffix.lower()
        media_type = "application/pdf" if suffix == ".pdf" else (mimetypes.guess_type(name)[0] or "")
        return await text_of(path, media_type=media_type, name=PurePosixPath(name).name)


def _found(export: Path, name: str, folder: Path) -> Path | None:
    """The file, unpacked into `folder` where need be; None when it is not there, or too large. Never raises."""
    try:
        if export.suffix.lower() == ".zip":
            return _unpacked(export, name, folder)
        path = (export.parent / name).resolve()
        # The name was written by others: it may lead nowhere but into the export.
        is_within = path.is_relative_to(export.parent.resolve()) and path.is_file()
        return path if is_within and path.stat().st_size <= SIZE_MAX_BYTES else None
    except (OSError, ValueError, RuntimeError, NotImplementedError, zipfile.BadZipFile):
        return None


def _unpacked(export: Path, name: str, folder: Path) -> Path | None:
    with zipfile.ZipFile(export) as archive:
        wanted = PurePosixPath(name).name
        member = next((one for one in archive.infolist() if PurePosixPath(one.filename).name == wanted), None)
        if member is None or member.file_size > SIZE_MAX_BYTES:
            return None
        with archive.open(member) as packed:
            raw = packed.read(SIZE_MAX_BYTES + 1)
    if len(raw) > SIZE_MAX_BYTES:
        return None
    path = folder / "paper"
    path.write_bytes(raw)
    return path
