"""The exclusions as a file of the owner's, read anew whenever it has changed. No file excludes nothing."""

import os
import threading
from pathlib import Path

from memory.errors import OutOfReach
from memory.exclusion import NOTHING, Exclusions, UnreadableExclusions, read_exclusions

FILE_NAME = "exclusions.txt"

MOST_BYTES = 1 << 20


class ExclusionFile:
    """Call it for the list in force. May be called on any thread."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._known: tuple[tuple[int, int, int] | None, Exclusions] | None = None

    def __call__(self) -> Exclusions:
        """Raises UnreadableExclusions for a file that can't be read or understood."""
        with self._lock:
            mark = self._mark()
            if self._known is None or self._known[0] != mark:
                self._known = (mark, NOTHING if mark is None else self._read())
            return self._known[1]

    def lines(self) -> tuple[str, ...]:
        """The rules as they are written, without remarks alone on a line. Raises what calling it does."""
        self()
        lines = (line.strip().removeprefix("\ufeff") for line in self._text().splitlines()) if self._mark() else ()
        return tuple(line for line in lines if line and not line.startswith("#"))

    def add(self, line: str) -> bool:
        """Append a rule (see memory.exclusion.rule_line); False when it stands there. Raises what calling it does."""
        self()
        text = self._text() if self._mark() is not None else ""
        if line in text.splitlines():
            return False
        self._write(f"{text.rstrip()}\n{line}\n".lstrip("\n"))
        return True

    def _write(self, whole: str) -> None:
        """In one step: a list half written would stop every read."""
        path = self._path.resolve()
        coming = path.with_name(f".{path.name}.coming")
        try:
            coming.unlink(missing_ok=True)
            handle = os.open(coming, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(whole)
                file.flush()
                os.fsync(file.fileno())
            coming.replace(path)
        except OSError as error:
            raise OutOfReach(f"the rule can't be kept in {self._path}: {error.strerror}") from error

    def _mark(self) -> tuple[int, int, int] | None:
        try:
            found = os.stat(self._path)  # noqa: PTH116  asked at every read of the ledger
        except FileNotFoundError:
            return None
        except OSError as error:
            raise self._unreadable(error) from error
        return found.st_mtime_ns, found.st_size, found.st_ino

    def _read(self) -> Exclusions:
        return read_exclusions(self._text())

    def _text(self) -> str:
        try:
            with self._path.open("rb") as file:
                raw = file.read(MOST_BYTES + 1)
            if len(raw) > MOST_BYTES:
                raise UnreadableExclusions(f"{self._path} is larger than {MOST_BYTES} bytes: is it the right file?")
            return raw.decode("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise self._unreadable(error) from error

    def _unreadable(self, error: Exception) -> UnreadableExclusions:
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        return UnreadableExclusions(
            f"the exclusions in {self._path} can't be read ({why}), so nothing is read at all: mend the file, or remove it"
        )
