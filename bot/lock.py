"""The lock of the one writer."""

import fcntl
import json
import os
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Self

from memory.errors import AnotherWriter


class WriterLock:
    """Held by the process that writes the database of a data folder; the system lets go of it when the process dies.

    The file also says who holds it, for the message that the second process gives before it exits.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: int | None = None

    def __enter__(self) -> Self:
        file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            os.close(file)
            raise AnotherWriter(
                f"Stillbell is already running here ({holder(self._path)}). Talk to it with: stillbell chat"
            ) from error
        started = datetime.now(UTC).isoformat(timespec="seconds")
        os.ftruncate(file, 0)
        os.pwrite(file, json.dumps({"pid": os.getpid(), "host": os.uname().nodename, "since": started}).encode(), 0)
        self._file = file
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None


def holder(path: Path) -> str:
    """Who wrote the lock file last, in words."""
    try:
        told = json.loads(path.read_text())
        return f"process {told['pid']} on {told['host']}, since {told['since']}"
    except (OSError, ValueError, KeyError, TypeError):
        return "holder unknown"


def is_held(path: Path) -> bool:
    """Whether a living process holds the lock."""
    try:
        with WriterLock(path):
            return False
    except AnotherWriter:
        return True
