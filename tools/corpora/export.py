"""Exported chats: WhatsApp's text files (alone or in an archive with media) and Telegram's `result.json`.

An export is a snapshot: what is no longer in a newer one, though that covers the time, was deleted; that the file itself
goes away means nothing.
"""

import asyncio
import zipfile
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Literal

from memory.errors import BadInput
from memory.exclusion import Exclusions
from tools.chats.chat import Chat
from tools.chats.chat import Fault as ChatFault
from tools.chats.documents import beginning, documents_of, unsure_beginning
from tools.chats.telegram import read_telegram
from tools.chats.whatsapp import exported_name, read_whatsapp
from tools.corpora.enclosed import papers_of
from tools.corpora.place import Item, PassedOver, Survey, covers, few, key_of, mark_of, shown_place, undecodable, walked
from tools.corpora.reading import Circumstance, Fault, Reading, Span

ExportKind = Literal["whatsapp", "telegram"]

TEXT_MAX_BYTES = 300 << 20
"""Of one export's text, also unpacked: some millions of messages."""

MEMBERS_MAX = 200_000


class Export:
    """The exports at `root`: a file, or a folder of them. See tools.corpora.place.Place."""

    under = ""

    def __init__(self, kind: ExportKind, root: Path) -> None:
        self._kind = kind
        self.root = root.resolve()

    def survey(self, about: Circumstance) -> Survey:
        """Raises BadInput when there is no such place."""
        if not self.root.exists():
            raise BadInput(f"{self.root} is not there (or its disk is not)")
        passed: list[PassedOver] = []
        items: list[Item] = []
        for path in walked(self.root, passed, lambda path: covers(about.exclusions, path, self.root)):
            if not undecodable(path) and _IS_EXPORT[self._kind](path):
                items += _item(path, self.root, passed)
            elif path == self.root:
                passed.append(PassedOver(path.name, f"no export of {self._kind}"))
        return Survey(tuple(items), few(passed))

    async def read(self, item: Item, about: Circumstance, _: Mapping[str, str]) -> AsyncIterator[Reading]:
        """The chats in an export."""
        readings = _READS[self._kind](item, about)
        while (reading := await asyncio.to_thread(next, readings, None)) is not None:
            yield reading


def as_reading(chat: Chat, item: Item, about: Circumstance, *, shown: str = "") -> Reading:
    """A chat as what is kept of it. Where a message says that a file lies was written by others: not where none is read."""
    under, documents = beginning(chat), documents_of(chat)
    return Reading(
        under=under,
        documents=documents,
        covers=Span(under + chat.first, under + chat.last) if chat.first else None,
        by_name=chat.by_name,
        unsure_under=unsure_beginning(chat),
        calls_me=chat.calls_me,
        is_mine_known=chat.is_mine_known,
        faults=_faults(chat.faults, shown or item.shown),
        papers=tuple(
            one for one in papers_of(chat, documents) if not _is_excluded(item.path.parent, one.name, about.exclusions)
        ),
    )


def _is_excluded(folder: Path, name: str, exclusions: Exclusions) -> bool:
    """Whether what a message names lies in a folder that is never read, or goes by a link there."""
    try:
        path, within = (folder / name).resolve(), folder.resolve()
    except (OSError, ValueError, RuntimeError):
        return True
    return not path.is_relative_to(within) or covers(exclusions, path, within)


def is_whatsapp(path: Path) -> bool:
    """Whether a file looks like an export of WhatsApp, by its name; an archive by what is in it."""
    if path.suffix.lower() == ".zip":
        return bool(exported_name(path.name)) or _text_member(path) is not None
    return path.suffix.lower() == ".txt" and (path.name.lower() == "_chat.txt" or bool(exported_name(path.name)))


def _is_text_or_archive(path: Path) -> bool:
    return path.suffix.lower() == ".txt" or is_whatsapp(path)


def is_telegram(path: Path) -> bool:
    """Whether a file looks like an export of Telegram, by its name."""
    return path.suffix.lower() == ".json" and path.stem.lower().startswith("result")


def _is_json(path: Path) -> bool:
    return path.suffix.lower() == ".json"


def _item(path: Path, root: Path, passed: list[PassedOver]) -> list[Item]:
    try:
        mark, size = mark_of(path)
    except (OSError, ValueError) as error:
        passed.append(PassedOver(shown_place(path, root), str(getattr(error, "strerror", None) or error)))
        return []
    return [Item(key=key_of(str(path)), shown=shown_place(path, root), mark=mark, size_bytes=size, path=path)]


def _whatsapp(item: Item, about: Circumstance) -> Iterator[Reading]:
    names = [item.path.name, item.path.parent.name]
    try:
        raw, member = _text_of(item.path)
    except (OSError, ValueError, RuntimeError, NotImplementedError, zipfile.BadZipFile) as error:
        yield _unread(item, _why(error))
        return
    if member and member.lower() != "_chat.txt":
        names.insert(0, member)
    chat = read_whatsapp(raw, names=names, zones=about.zones, me=about.me, now=about.now)
    yield as_reading(chat, item, about) if chat else _unread(item, "there is no message of WhatsApp in it")


def _telegram(item: Item, about: Circumstance) -> Iterator[Reading]:
    has_some = False
    try:
        with item.path.open("rb") as file:
            for chat in read_telegram(file, zones=about.zones, me=about.me):
                if chat.said or chat.faults:
                    has_some = True
                    yield as_reading(chat, item, about)
    except OSError as error:
        yield _unread(item, _why(error))
        return
    if not has_some:
        yield _unread(item, "there is no message of Telegram in it")


def _text_of(path: Path) -> tuple[bytes, str]:
    """The text of an export, and what it is called in its archive. Raises ValueError for what is too large or not there."""
    if path.suffix.lower() != ".zip":
        with path.open("rb") as file:
            return _bounded(file.read(TEXT_MAX_BYTES + 1)), ""
    with zipfile.ZipFile(path) as archive:
        member = _chosen(archive)
        if member is None:
            raise ValueError("there is no chat in the archive")
        with archive.open(member) as file:
            return _bounded(file.read(TEXT_MAX_BYTES + 1)), PurePosixPath(member.filename).name


def _bounded(raw: bytes) -> bytes:
    if len(raw) > TEXT_MAX_BYTES:
        raise ValueError(f"its text is larger than {TEXT_MAX_BYTES >> 20} MB")
    return raw


def _text_member(path: Path) -> zipfile.ZipInfo | None:
    try:
        with zipfile.ZipFile(path) as archive:
            return _chosen(archive)
    except (OSError, ValueError, RuntimeError, NotImplementedError, zipfile.BadZipFile):
        return None


def _chosen(archive: zipfile.ZipFile) -> zipfile.ZipInfo | None:
    """The text among the media: `_chat.txt` on iOS, a file named for the chat on Android."""
    members = archive.infolist()[:MEMBERS_MAX]
    texts = [one for one in members if one.filename.lower().endswith(".txt") and not one.is_dir()]
    named = [one for one in texts if is_whatsapp(Path(PurePosixPath(one.filename).name))]
    return named[0] if named else None


def _unread(item: Item, because: str) -> Reading:
    return Reading(under="", documents=(), faults=(Fault(item.shown, 0, because),))


def _why(error: Exception) -> str:
    if isinstance(error, zipfile.BadZipFile):
        return "a broken archive"
    if isinstance(error, RuntimeError | NotImplementedError):
        return "an archive with a password, or packed in a way that is not read"
    return str(getattr(error, "strerror", None) or error)


def _faults(faults: Sequence[ChatFault], shown: str) -> tuple[Fault, ...]:
    return tuple(Fault(shown, one.line, one.because) for one in faults)


_IS_EXPORT: Mapping[ExportKind, Callable[[Path], bool]] = {"whatsapp": _is_text_or_archive, "telegram": _is_json}
_READS: Mapping[ExportKind, Callable[[Item, Circumstance], Iterator[Reading]]] = {
    "whatsapp": _whatsapp,
    "telegram": _telegram,
}
