"""Answers: what FETCH and STATUS say, read into values. Whatever is missing or makes no sense is left out, never guessed."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone

UID_LIMIT = 2**32
SIZE_LIMIT_BYTES = 2**40
LABELS_LIMIT = 20
LABEL_LIMIT_CHARS = 60

_STARTS = re.compile(rb"\d+ \(")
_UID = re.compile(rb"[ (]UID (\d{1,10})[ )]")
_SIZE = re.compile(rb"[ (]RFC822\.SIZE (\d{1,18})[ )]")
_FLAGS = re.compile(rb"[ (]FLAGS \(([^)]*)\)")
_DATE = re.compile(
    rb'[ (]INTERNALDATE "([ \d]\d)-(\w{3})-(\d{4}) (\d\d):(\d\d):(\d\d) ([+-])(\d\d)(\d\d)"', re.IGNORECASE
)
_BODY = re.compile(rb"[ (]BODY\[\](?:<\d+>)? \{\d+\}$")
_QUOTED_BODY = re.compile(rb'[ (]BODY\[\](?:<\d+>)? (?:NIL|"((?:[^"\\]|\\.)*)")')
_COUNT = re.compile(rb"(MESSAGES|UIDNEXT|UIDVALIDITY|UNSEEN|HIGHESTMODSEQ) (\d{1,20})\b")
_MONTHS = {name: number for number, name in enumerate(b"jan feb mar apr may jun jul aug sep oct nov dec".split(), 1)}
_NO_LABELS = frozenset({"\\seen", "\\recent", "\\deleted"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetched:
    """What a server tells of one mail. flags: lower case. received_at: INTERNALDATE, aware UTC. raw: None when not asked for."""

    uid: int
    flags: frozenset[str] = frozenset()
    received_at: datetime | None = None
    size_bytes: int = 0
    raw: bytes | None = None

    @property
    def is_read(self) -> bool:
        return "\\seen" in self.flags

    @property
    def labels(self) -> tuple[str, ...]:
        """Marks and keywords as words: "answered", "flagged", "$forwarded"."""
        names = sorted(flag.lstrip("\\") for flag in self.flags - _NO_LABELS)
        return tuple(name[:LABEL_LIMIT_CHARS] for name in names if name)[:LABELS_LIMIT]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stamp:
    """How a folder stands. modseq: 0 where the server doesn't count changes."""

    validity: int
    next_uid: int
    mails: int
    unread: int
    modseq: int = 0

    def settles(self, folder: str) -> bool:
        """Whether an equal stamp means that nothing has changed.

        Without a count of changes one mail that was read and another that was made unread leave all as it was. That is
        looked into for INBOX alone; elsewhere it is not worth three commands a minute.
        """
        return self.modseq > 0 or folder != "INBOX"


def read_fetched(answer: Iterable[object]) -> dict[int, Fetched]:
    """The mails of an answer to FETCH by uid. What came unasked and has no uid is left out."""
    found: dict[int, Fetched] = {}
    for text, raw in _mails(answer):
        if (match := _UID.search(text)) is None or not 0 < (uid := int(match[1])) < UID_LIMIT:
            continue
        flags = match[1] if (match := _FLAGS.search(text)) else b""
        size = int(match[1]) if (match := _SIZE.search(text)) else 0
        fetched = Fetched(
            uid=uid,
            flags=frozenset(flags.decode("ascii", "replace").lower().split()),
            received_at=_date(text),
            size_bytes=min(size, SIZE_LIMIT_BYTES),
            raw=raw if raw is not None else _quoted_body(text),
        )
        # A change of flags may be told within the answer; it must not take the place of the mail.
        if (known := found.get(uid)) is None or known.raw is None:
            found[uid] = fetched
    return found


def read_stamp(answer: Iterable[object]) -> Stamp | None:
    """The counts of an answer to STATUS; None where they are missing."""
    text = b"".join(item for item in answer if isinstance(item, bytes)).upper()
    counts = {match[1]: int(match[2]) for match in _COUNT.finditer(text[text.rfind(b"(") :])}
    try:
        return Stamp(
            validity=counts[b"UIDVALIDITY"],
            next_uid=counts[b"UIDNEXT"],
            mails=counts[b"MESSAGES"],
            unread=counts.get(b"UNSEEN", 0),
            modseq=counts.get(b"HIGHESTMODSEQ", 0),
        )
    except KeyError:
        return None


def _mails(answer: Iterable[object]) -> list[tuple[bytes, bytes | None]]:
    """What imaplib cut into heads, literals and tails, put together mail by mail: its text, and its bytes."""
    mails: list[tuple[list[bytes], list[bytes]]] = []
    for item in answer:
        head, literal = item if isinstance(item, tuple) else (item, None)
        if not isinstance(head, bytes):
            continue
        if _STARTS.match(head) or not mails:
            mails.append(([], []))
        texts, bodies = mails[-1]
        texts.append(head)
        if literal is not None and _BODY.search(head):
            bodies.append(literal)
    return [(b" ".join(texts), bodies[0] if bodies else None) for texts, bodies in mails]


def _quoted_body(text: bytes) -> bytes | None:
    match = _QUOTED_BODY.search(text)
    return re.sub(rb"\\(.)", rb"\1", match[1] or b"") if match else None


def _date(text: bytes) -> datetime | None:
    if (match := _DATE.search(text)) is None or (month := _MONTHS.get(match[2].lower())) is None:
        return None
    day, year, hour, minute, second = (int(match[group]) for group in (1, 3, 4, 5, 6))
    east_for = timedelta(hours=int(match[8]), minutes=int(match[9])) * (-1 if match[7] == b"-" else 1)
    try:
        return datetime(year, month, day, hour, minute, min(second, 59), tzinfo=timezone(east_for)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
