"""The chats of Apple's Messages: a `chat.db`, of which those chats are read to which something has come."""

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from memory.errors import BadInput
from tools.chats.chat_db import NoChatDb, opened
from tools.chats.imessage import read_imessage
from tools.corpora.export import as_reading
from tools.corpora.place import Item, Survey, key_of, mark_of
from tools.corpora.reading import Circumstance, Fault, Reading


class Messages:
    """The database at `root`, or in the folder `root`. See tools.corpora.place.Place."""

    under = ""

    def __init__(self, root: Path) -> None:
        self.root = (root / "chat.db" if root.is_dir() else root).resolve()

    def survey(self, _: Circumstance) -> Survey:
        """Raises BadInput when there is no such database."""
        try:
            mark, size = mark_of(self.root)
            with self.root.open("rb") as file:
                if not file.read(16).startswith(b"SQLite format 3"):
                    raise ValueError("no database")  # noqa: TRY301  told in one place, just below
            journal = Path(f"{self.root}-wal")
            written = mark_of(journal)[0] if journal.exists() else ""
        except (OSError, ValueError) as error:
            raise BadInput(
                f"{self.root} can't be read: give Messages' chat.db (on a Mac: ~/Library/Messages/chat.db)"
            ) from error
        key = key_of(str(self.root))
        return Survey((Item(key=key, shown=self.root.name, mark=f"{mark}.{written}", size_bytes=size, path=self.root),))

    async def read(self, item: Item, about: Circumstance, marks: Mapping[str, str]) -> AsyncIterator[Reading]:
        """What was said in the chats to which something has come since `marks`."""
        readings = _readings(item, about, marks)
        while (reading := await asyncio.to_thread(next, readings, None)) is not None:
            yield reading


def _readings(item: Item, about: Circumstance, marks: Mapping[str, str]) -> Iterator[Reading]:
    try:
        with opened(item.path) as database:
            known = {key.removeprefix(f"{item.key}/"): mark for key, mark in marks.items()}
            for mark, chat in read_imessage(database, names=about.names, known=known):
                reading = as_reading(chat, item, about, shown=f"{item.shown}, {chat.name}")
                yield replace(reading, mark=(f"{item.key}/{chat.key}", mark))
    except NoChatDb as error:
        yield Reading(under="", documents=(), faults=(Fault(item.shown, 0, str(error)),))
