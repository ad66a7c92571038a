"""The lines of a WhatsApp export: which of them begin a message, and when that was.

    Android   31.12.23, 14:05 - Anna: …        12/31/23, 2:05 PM - Anna: …
    iOS       [31.12.23, 14:05:09] Anna: …     [12/31/23, 2:05:09 PM] Anna: …

Everything else goes on with the message before it. A message may hold a line that looks like the beginning of another;
nothing in an export tells them apart, so that only a line in the form of the file counts.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time

from tools.chats.chat import FAULTS_MAX, TEXT_MAX, Fault
from tools.chats.whatsapp_dates import Numbers, Told, order_of, read_date

MARKS = dict.fromkeys(map(ord, "\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff\0"))
"""Marks of direction and the like, which only get in the way of reading."""

_MARKED = "".join(map(chr, MARKS))

_SPACE = "[ \u00a0\u202f\u2009]"
_HEAD = re.compile(
    r"(?P<open>\[?)(?P<a>\d{1,4})(?P<sep>[./-])_?(?P<b>\d{1,2})(?P=sep)_?(?P<c>\d{1,4})\.?(?:,|_um|_at)?_"
    r"(?P<hour>\d{1,2})[:.](?P<minute>\d{2})(?:[:.](?P<second>\d{2}))?(?P<half>_?(?:[AaPp]\.?_?[Mm]\.?|vorm\.|nachm\.))?"
    r"(?:_Uhr)?(?:(?P<close>\])_?|_-_)".replace("_", _SPACE)
)
_RARE = 0.1
"""A form in which fewer of the beginnings are written is that of something quoted."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line that begins a message, with all that goes on with it. number counts from 1; is_marked: see whatsapp_words."""

    number: int
    wall: datetime
    rest: str
    is_marked: bool


@dataclass(frozen=True, slots=True)
class Lines:
    """The messages of a file. told: how its dates were read."""

    lines: tuple[Line, ...]
    told: Told | None
    faults: tuple[Fault, ...]


@dataclass(frozen=True, slots=True)
class _Head:
    number: int
    form: tuple[bool, str, bool, bool]
    day: Numbers
    clock: time
    rest: str
    is_marked: bool


def read_lines(raw: bytes, *, today: date) -> Lines:
    """The messages of an export. Never raises; what can't be read is named. Without a single message `told` is None."""
    texts, faults = _decoded(raw)
    heads = [_head(number, text) for number, text in enumerate(texts, 1)]
    forms = Counter(head.form for head in heads if head)
    usual = {form for form, times in forms.items() if times >= _RARE * forms.total()}
    heads = [head if head and head.form in usual else None for head in heads]
    found = [head for head in heads if head]
    if not found:
        return Lines((), None, tuple(faults))
    first = found[0]
    told = order_of([head.day for head in found], separator=first.form[1], half_days=first.form[3], today=today)
    return _gathered(texts, heads, told, faults)


def is_export(head: bytes) -> bool:
    """Whether a file begins as an export does: its first line, or one of the next few, begins a message."""
    lines = head.decode("utf-8", "replace").split("\n")[:5]
    return any(begins is not None and ": " in begins.rest for begins in map(_head, range(len(lines)), lines))


def _gathered(texts: Sequence[str], heads: Sequence[_Head | None], told: Told, faults: list[Fault]) -> Lines:
    lines: list[Line] = []
    head: _Head | None = None
    wall: datetime | None = None
    parts: list[str] = []

    def close() -> None:
        if head is not None and wall is not None:
            lines.append(Line(head.number, wall, _whole(parts, head.number, faults), head.is_marked))

    for number, (text, begins) in enumerate(zip(texts, heads, strict=True), 1):
        day = read_date(begins.day, told.order) if begins else None
        if begins and day is None:
            _fault(faults, number, "a date that does not exist")
        if begins and day is not None:
            close()
            head, wall, parts = begins, datetime.combine(day, begins.clock), [begins.rest]
        elif head is not None:
            parts.append(text)
        elif text.strip():
            _fault(faults, number, "stands before the first message")
    close()
    return Lines(tuple(lines), told, tuple(faults))


def _whole(parts: Sequence[str], number: int, faults: list[Fault]) -> str:
    whole = "\n".join(parts).translate(MARKS).strip()
    if len(whole) > TEXT_MAX:
        _fault(faults, number, f"a message of {len(whole):,} characters, of which only the beginning was kept")
    return whole[:TEXT_MAX]


def _head(number: int, text: str) -> _Head | None:
    found = _HEAD.match(text.lstrip(_MARKED))
    if found is None or bool(found["open"]) != bool(found["close"]):
        return None
    clock = _clock(found)
    if clock is None:
        return None
    rest = found.string[found.end() :]
    form = (bool(found["open"]), found["sep"], found["second"] is not None, found["half"] is not None)
    return _Head(number, form, (found["a"], found["b"], found["c"]), clock, rest, _is_marked(rest))


def _is_marked(rest: str) -> bool:
    """Whether a mark of direction stands before the words, as iPhones put one before what they write themselves."""
    return rest.startswith("\u200e") or rest.partition(": ")[2].startswith("\u200e")


def _clock(found: re.Match[str]) -> time | None:
    hour, half = int(found["hour"]), (found["half"] or "").strip().lower()
    if half:
        is_late = half.startswith(("p", "n"))
        hour = hour % 12 + 12 if is_late and hour <= 12 else hour % 12 if hour == 12 else hour
    try:
        return time(hour, int(found["minute"]), int(found["second"] or 0))
    except ValueError:
        return None


def _decoded(raw: bytes) -> tuple[list[str], list[Fault]]:
    """The lines of the file as text, and those that are not UTF-8."""
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        return raw.decode("utf-16", "replace").replace("\r\n", "\n").split("\n"), []
    faults: list[Fault] = []
    lines: list[str] = []
    for number, line in enumerate(raw.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        try:
            lines.append(line.decode().removesuffix("\r"))
        except UnicodeDecodeError:
            lines.append(line.decode("utf-8", "replace").removesuffix("\r"))
            _fault(faults, number, "bytes that are no UTF-8")
    return lines, faults


def _fault(faults: list[Fault], number: int, because: str) -> None:
    if len(faults) < FAULTS_MAX:
        faults.append(Fault(number, because))
    elif len(faults) == FAULTS_MAX:
        faults.append(Fault(number, "more of the kind from here on"))
