"""A place that documents are brought in from: a folder of files, or a few files that hold whole chats."""

import os
import stat
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Protocol

from memory.exclusion import Exclusions
from tools.corpora.reading import Circumstance, Reading

FILES_MAX = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One thing in a place that is read in one go: a file, or a chat of a database.

    key: names it for ever within the place, without saying what it is called. shown: what it is called. mark: another one
    whenever it may hold something else. under: what the refs of its documents begin with, "" where only reading it tells.
    """

    key: str
    shown: str
    mark: str
    size_bytes: int
    path: Path
    under: str = ""


@dataclass(frozen=True, slots=True)
class PassedOver:
    """What is not read, and why."""

    shown: str
    because: str


@dataclass(frozen=True, slots=True)
class Survey:
    """What a place holds. excluded: how many of its files the exclusions cover."""

    items: tuple[Item, ...]
    passed: tuple[PassedOver, ...] = ()
    excluded: int = 0


class Place(Protocol):
    """A place. Whatever goes wrong with one item is a fault of its reading; OSError and BadInput are of the place."""

    @property
    def under(self) -> str:
        """What all refs of the place begin with, where what is no longer there is to be dropped; "" where it stays."""
        ...

    def survey(self, about: Circumstance) -> Survey:
        """What is there. Works on any thread. Raises BadInput when the place itself can't be looked into."""
        ...

    def read(self, item: Item, about: Circumstance, marks: Mapping[str, str]) -> AsyncIterator[Reading]:
        """What an item holds. marks: those of the parts of it that need not be read again while they are the same."""
        ...


def key_of(*parts: str) -> str:
    """A short name for something whose own name is nobody's business."""
    return sha256("\0".join(parts).encode("utf-8", "surrogateescape")).hexdigest()[:16]


def mark_of(path: Path) -> tuple[str, int]:
    """The mark and the size of a plain file. Raises OSError, and ValueError for what is no file."""
    found = path.stat()
    if not stat.S_ISREG(found.st_mode):
        raise ValueError("not a plain file")
    return f"{found.st_mtime_ns}.{found.st_size}.{found.st_ino}", found.st_size


def walked(root: Path, passed: list[PassedOver], is_excluded: Callable[[Path], bool]) -> Iterator[Path]:
    """The plain files at `root` and below, in order. Hidden ones and links are passed over without a word of each."""

    def refused(error: OSError) -> None:
        passed.append(PassedOver(str(error.filename or root), f"can't be opened: {error.strerror}"))

    if root.is_file():
        yield root
        return
    count = 0
    for here, folders, names in os.walk(root, onerror=refused):
        place = Path(here)
        folders[:] = sorted(
            name for name in folders if not _is_unwanted(place / name) and not is_excluded(place / name)
        )
        for name in sorted(names):
            if not _is_unwanted(place / name):
                count += 1
                if count > FILES_MAX:
                    passed.append(PassedOver(str(root), f"more than {FILES_MAX:,} files: the rest is left out"))
                    return
                yield place / name


def _is_unwanted(path: Path) -> bool:
    return path.name.startswith((".", "~$")) or path.is_symlink()


def spelled(path: Path, root: Path) -> list[str]:
    """The ways in which a rule may name a file below `root`: with and without the folder's own name, and from the top."""
    below = path.relative_to(root).as_posix() if path != root else path.name
    named = [below, f"{root.name}/{below}" if path != root else f"{root.parent.name}/{below}", path.as_posix()]
    home = Path.home()
    return [*named, f"~/{path.relative_to(home).as_posix()}"] if path.is_relative_to(home) else named


def covers(exclusions: Exclusions, path: Path, root: Path) -> bool:
    """Whether a rule names the file, or a folder that it lies in."""
    return not exclusions.is_empty and any(exclusions.covers_folder(name) for name in spelled(path, root))


def changed_at(path: Path) -> datetime:
    """When a file was changed; what lies beyond all calendars is taken for their beginning."""
    try:
        return datetime.fromtimestamp(path.stat().st_mtime, UTC)
    except (OverflowError, ValueError, OSError):
        return datetime.fromtimestamp(0, UTC)


def shown_place(path: Path, root: Path) -> str:
    """Where a file lies, as a person would say it: with the name of the folder that was given."""
    return path.relative_to(root.parent).as_posix() if path.is_relative_to(root.parent) else path.name


def undecodable(path: Path) -> bool:
    """Whether the file's name is no text."""
    try:
        str(path).encode()
    except UnicodeEncodeError:
        return True
    return False


def few(passed: Sequence[PassedOver], most: int = 100) -> tuple[PassedOver, ...]:
    """No more of them than anybody reads."""
    return tuple(passed[:most])
