"""A disk that remembers what was asked of it, so that a power cut can be played at any moment afterwards.

SQLite reaches the disk through a table of functions (its VFS, sqlite.org/vfs.html). Here xWrite, xTruncate and xSync of the very
library that Python uses are replaced for a while by ones that note the call and pass it on. What a power cut leaves is
worked out from the notes: everything up to a file's last sync, and of what came later each write whole, in part or not at all.
"""

import _sqlite3
import ctypes as c
import os
import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

SECTOR_BYTES = 512

# In the order of struct sqlite3_io_methods.
_METHODS = (
    *("xClose", "xRead", "xWrite", "xTruncate", "xSync", "xFileSize", "xLock", "xUnlock", "xCheckReservedLock"),
    *("xFileControl", "xSectorSize", "xDeviceCharacteristics", "xShmMap", "xShmLock", "xShmBarrier", "xShmUnmap"),
    *("xFetch", "xUnfetch"),
)


class _Methods(c.Structure):
    _fields_ = (("iVersion", c.c_int), *((name, c.c_void_p) for name in _METHODS))


class _File(c.Structure):
    _fields_ = (("pMethods", c.POINTER(_Methods)),)


class _Vfs(c.Structure):
    _fields_ = (
        ("iVersion", c.c_int),
        ("szOsFile", c.c_int),
        ("mxPathname", c.c_int),
        ("pNext", c.c_void_p),
        ("zName", c.c_char_p),
        ("pAppData", c.c_void_p),
        ("xOpen", c.c_void_p),
    )


# The name stays a bare address: SQLite keeps it, and a string made of it would not last as long.
_OPEN = c.CFUNCTYPE(c.c_int, c.c_void_p, c.c_void_p, c.POINTER(_File), c.c_int, c.c_void_p)
_WRITE = c.CFUNCTYPE(c.c_int, c.c_void_p, c.c_void_p, c.c_int, c.c_int64)
_TRUNCATE = c.CFUNCTYPE(c.c_int, c.c_void_p, c.c_int64)
_SYNC = c.CFUNCTYPE(c.c_int, c.c_void_p, c.c_int)


@dataclass(frozen=True, slots=True)
class Write:
    """Bytes written to a file at an offset."""

    file: str
    offset: int
    data: bytes


@dataclass(frozen=True, slots=True)
class Truncate:
    """A file cut to a size."""

    file: str
    size_bytes: int


@dataclass(frozen=True, slots=True)
class Sync:
    """A file flushed to the disk."""

    file: str


@dataclass(slots=True)
class Record:
    """What was asked of the files of one folder, in order. `before` is what the files held at first."""

    before: dict[str, bytes]
    calls: list[Write | Truncate | Sync] = field(default_factory=list)


@contextmanager
def recording(folder: Path) -> Iterator[Record]:
    """Note what SQLite asks of the files in `folder` that are opened within. Raises OSError where it can't be reached."""
    record = Record({path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()})
    library = c.CDLL(_sqlite3.__file__)
    try:
        library.sqlite3_vfs_find.restype = c.POINTER(_Vfs)
    except AttributeError as error:
        raise OSError("this Python's SQLite shows none of its functions") from error
    vfs = library.sqlite3_vfs_find(None).contents
    usual = vfs.xOpen
    hooks: list[Any] = []
    replacement = _OPEN(_opening(_OPEN(usual), folder, record, hooks))
    vfs.xOpen = c.cast(replacement, c.c_void_p).value
    try:
        yield record
    finally:
        vfs.xOpen = usual


def _opening(usual: Any, folder: Path, record: Record, hooks: list[Any]) -> Any:
    def open_(vfs: int, name: int | None, file: Any, flags: int, out: int) -> int:
        code: int = usual(vfs, name, file, flags, out)
        path = Path(os.fsdecode(c.string_at(name))) if name else None
        if code == 0 and path is not None and path.parent == folder and file.contents.pMethods:
            methods = _noting(file.contents.pMethods.contents, path.name, record, hooks)
            file.contents.pMethods = c.pointer(methods)
        return code

    return open_


def _noting(usual: _Methods, name: str, record: Record, hooks: list[Any]) -> _Methods:
    """The same methods, of which three take notes. `hooks` keeps them alive."""
    noting = _Methods.from_buffer_copy(usual)
    really = _WRITE(usual.xWrite), _TRUNCATE(usual.xTruncate), _SYNC(usual.xSync)

    def write(file: int, data: int, size: int, offset: int) -> int:
        record.calls.append(Write(name, offset, c.string_at(data, size)))
        return int(really[0](file, data, size, offset))

    def truncate(file: int, size: int) -> int:
        record.calls.append(Truncate(name, size))
        return int(really[1](file, size))

    def sync(file: int, flags: int) -> int:
        code = int(really[2](file, flags))
        record.calls.append(Sync(name))
        return code

    made = {"xWrite": _WRITE(write), "xTruncate": _TRUNCATE(truncate), "xSync": _SYNC(sync)}
    for method, hook in made.items():
        setattr(noting, method, c.cast(hook, c.c_void_p).value)
    hooks += [noting, *made.values(), *really]
    return noting


def after_power_cuts(
    record: Record, moments: Sequence[int], chance: random.Random
) -> Iterator[tuple[int, dict[str, bytes]]]:
    """For each moment (a number of calls, ascending): what the files hold after a power cut just then."""
    files = {name: bytearray(data) for name, data in record.before.items()}
    unsynced: dict[str, list[Write | Truncate]] = {}
    done = 0
    for moment in moments:
        for call in record.calls[done:moment]:
            if isinstance(call, Sync):
                for earlier in unsynced.pop(call.file, []):
                    _apply(files.setdefault(call.file, bytearray()), earlier)
            else:
                unsynced.setdefault(call.file, []).append(call)
        done = moment
        yield moment, {name: bytes(data) for name, data in _left(files, unsynced, chance).items()}


def _left(
    files: dict[str, bytearray], unsynced: dict[str, list[Write | Truncate]], chance: random.Random
) -> dict[str, bytearray]:
    left = {name: bytearray(data) for name, data in files.items()}
    for name, calls in unsynced.items():
        for call in calls:
            fate = chance.choice(("lost", "whole", "torn"))
            if fate == "lost":
                continue
            if fate == "torn" and isinstance(call, Write):
                sectors = chance.randrange(len(call.data) // SECTOR_BYTES + 1)
                call = Write(call.file, call.offset, call.data[: sectors * SECTOR_BYTES])  # noqa: PLW2901
            _apply(left.setdefault(name, bytearray()), call)
    return left


def _apply(file: bytearray, call: Write | Truncate) -> None:
    if isinstance(call, Truncate):
        del file[call.size_bytes :]
        return
    end = call.offset + len(call.data)
    if len(file) < end:
        file.extend(bytes(end - len(file)))
    file[call.offset : end] = call.data
