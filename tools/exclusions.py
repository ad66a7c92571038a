"""The exclusions as a file of the owner's, read anew whenever it has changed. No file excludes nothing."""

import os
import threading
from pathlib import Path

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

    def add(self, line: str) -> bool:
        """Append a rule (see memory.exclusion.rule_line); False when it stands there. Raises what calling it does."""
        self()
        text = self._text() if self._mark() is not None else ""
        if line in text.splitlines():
            return False
        whole = f"{text.rstrip()}\n{line}\n".lstrip("\n")
        coming = self._path.with_name(f".{self._path.name}.coming")
        try:
            coming.write_text(whole, encoding="utf-8")
            coming.chmod(0o600)
            coming.replace(self._path)
        except OSError as error:
            raise self._unreadable(error) from error
        return True

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
