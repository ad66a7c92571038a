"""The words in an `attributedBody`: the text of an NSAttributedString, as Apple's old archiver writes one.

    04 0b "streamtyped" 81 e8 03          the header
    84 01 "@"                             what comes is an object …
    84 84 84 19 "NSMutableAttributed…"    … of a new class, with its version and, each in turn, what it inherits from
    …  84 01 "+" 0a "Noter test"          … that begins with an object, which begins with bytes: the words

Only as much is read as leads to the words; every step goes forward, so that no stream takes longer than its length.
"""

HEADER = b"\x04\x0bstreamtyped"

TEXT_MAX_BYTES = 1 << 20
STEPS_MAX = 200

_INT16, _INT32 = 0x81, 0x82
_NEW, _NONE, _END = 0x84, 0x85, 0x86
_FIRST_REFERENCE = 0x92
_AFTER_TEXT = b"\x86\x84"

_BYTES, _OBJECT = ord("+"), ord("@")
_ONE_BYTE = frozenset(b"cC")
_NUMBERS = frozenset(b"iIsSqQlL")


class _UnreadableError(Exception):
    """It is no such stream, or it goes on in a way that leads to no words."""


def words_in(raw: bytes) -> str | None:
    """The text, "" for an empty one, None when there is none to be found. Never raises."""
    try:
        return _Stream(raw).words()
    except (_UnreadableError, IndexError):
        return None


class _Stream:
    """The bytes from a place on."""

    def __init__(self, raw: bytes) -> None:
        if not raw.startswith(HEADER):
            raise _UnreadableError
        self._raw = raw
        self._at = len(HEADER)
        self._strings: list[bytes] = []
        self._steps = 0

    def words(self) -> str:
        self._number()  # the version of the system that wrote it
        while True:
            for kind in self._shared():
                if kind == _BYTES:
                    return self._text(self._number()).decode("utf-8", "replace")
                self._enter(kind)

    def _enter(self, kind: int) -> None:
        """Pass over a value, or into an object: past its class, to what it begins with."""
        self._step()
        if kind == _OBJECT:
            if self._byte() != _NEW:
                return
            self._pass_class()
        elif kind in _ONE_BYTE:
            self._byte()
        elif kind in _NUMBERS:
            self._number()
        else:
            raise _UnreadableError

    def _pass_class(self) -> None:
        while (mark := self._byte()) == _NEW:
            self._step()
            self._shared()
            self._number()
        if mark != _NONE and mark < _FIRST_REFERENCE:
            raise _UnreadableError

    def _shared(self) -> bytes:
        """A string that stands here, or was met before."""
        mark = self._byte()
        while mark == _END:
            self._step()
            mark = self._byte()
        if mark == _NEW:
            found = self._bytes(self._number())
            self._strings.append(found)
            return found
        if mark < _FIRST_REFERENCE:
            raise _UnreadableError
        return self._strings[mark - _FIRST_REFERENCE]

    def _number(self) -> int:
        first = self._byte()
        if first == _INT16:
            return int.from_bytes(self._bytes(2), "little")
        if first == _INT32:
            return int.from_bytes(self._bytes(4), "little")
        return first

    def _byte(self) -> int:
        self._at += 1
        return self._raw[self._at - 1]

    def _text(self, count: int) -> bytes:
        """So many bytes. Where that is more than there are, up to the mark that ends an object."""
        end = self._raw.find(_AFTER_TEXT, self._at)
        return self._bytes(end - self._at if self._at + count > len(self._raw) and end >= 0 else count)

    def _bytes(self, count: int) -> bytes:
        if not 0 <= count <= min(TEXT_MAX_BYTES, len(self._raw) - self._at):
            raise _UnreadableError
        self._at += count
        return self._raw[self._at - count : self._at]

    def _step(self) -> None:
        self._steps += 1
        if self._steps > STEPS_MAX:
            raise _UnreadableError
