"""A large JSON file, read a value at a time: an export of a whole account may be larger than memory.

{"about": …, "chats": {"list": [{"name": …, "messages": [{…}, {…}, …]}, …]}}
  the objects on the way are entered, the arrays named in `follows` are walked, and everything else is one value
"""

import codecs
import json
from collections.abc import Iterator
from typing import Any, BinaryIO

from memory.errors import BadInput

CHUNK_BYTES = 1 << 20
VALUE_MAX = 16 << 20
"""Characters of one value that is not walked."""

DEPTH_MAX = 20

_SPACE = " \t\r\n"


class BadJson(BadInput):
    """The text is no JSON from here on, or one value of it is beyond all bounds. Names the place in characters."""


class JsonStream:
    """The text of a file from a place on. Reading goes forward only."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._text = ""
        self._at = 0
        self._before = 0
        self._is_over = False
        self._decode = codecs.getincrementaldecoder("utf-8")(errors="replace")
        self._scan = json.JSONDecoder()

    @property
    def place(self) -> int:
        """How many characters were read."""
        return self._before + self._at

    def peek(self) -> str:
        """The next sign that is no space; "" at the end."""
        while True:
            while self._at < len(self._text):
                if self._text[self._at] not in _SPACE and self._text[self._at] != "\ufeff":
                    return self._text[self._at]
                self._at += 1
            if not self._more():
                return ""

    def take(self, sign: str) -> None:
        """Pass over the next sign, which must be this one. Raises BadJson."""
        if self.peek() != sign:
            raise self.bad()
        self._at += 1

    def value(self) -> Any:
        """The next value, whole. Raises BadJson."""
        self.peek()
        while True:
            try:
                found, end = self._scan.raw_decode(self._text, self._at)
            except RecursionError:
                raise self.bad() from None
            except ValueError:
                if len(self._text) - self._at > VALUE_MAX or not self._more():
                    raise self.bad() from None
                continue
            # A number at the very end of what was read may go on.
            if end == len(self._text) and self._more():
                continue
            self._at = end
            return found

    def members(self) -> Iterator[str]:
        """The names in an object; whoever asks must read each value before the next name. Raises BadJson."""
        self.take("{")
        while self.peek() == '"':
            name = self.value()
            self.take(":")
            yield str(name)
            if self.peek() != ",":
                break
            self.take(",")
        self.take("}")

    def elements(self) -> Iterator[None]:
        """The elements of an array; whoever asks must read each before the next. Raises BadJson."""
        self.take("[")
        while self.peek() not in ("]", ""):
            yield None
            if self.peek() != ",":
                break
            self.take(",")
        self.take("]")

    def bad(self) -> BadJson:
        """The error for this place."""
        return BadJson(f"the file is damaged or cut off at character {self.place:,}")

    def _more(self) -> bool:
        """Read on; twice as much each time while one value grows, so that none is tried too often."""
        if self._is_over:
            return False
        wanted = max(CHUNK_BYTES, len(self._text) - self._at)
        chunk = self._file.read(wanted)
        self._is_over = not chunk
        self._before += self._at
        self._text = self._text[self._at :] + self._decode.decode(chunk, final=self._is_over)
        self._at = 0
        return bool(chunk)
