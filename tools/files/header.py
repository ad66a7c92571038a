"""The fields of a mail's header made into words, ids and dates."""

import base64
import binascii
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from email.utils import parsedate_tz

from tools.files.charset import clean, read_text, to_bytes

# RFC 2047 allows 75 characters; a word may be far longer in the wild, but not without end.
_ENCODED = re.compile(r"=\?([^?\s]{1,64})\?([bBqQ])\?([^?]*)\?=")
_BETWEEN_WORDS = re.compile(r"(?<=\?=)\s+(?==\?[^?\s]{1,64}\?[bBqQ]\?)")
_FOLDS = re.compile(r"[\r\n]+")
_BLANKS = re.compile(r"\s+")
_ID = re.compile(r"<([^<>\s]{1,998})>")
_BARE_ID = re.compile(r"[^<>\s]{1,996}@[^<>\s]+")

EARLIEST_AT = datetime(1982, 8, 13, tzinfo=UTC)  # RFC 822, the first to describe such a mail
LATEST_AT = datetime(2100, 1, 1, tzinfo=UTC)
REFERENCES_LIMIT = 100

# Zone names that the email package does not know, in hours east of UTC.
_ZONES_HOURS = {"CET": 1, "MET": 1, "MEZ": 1, "CEST": 2, "MEST": 2, "MESZ": 2, "BST": 1, "EET": 2, "EEST": 3, "JST": 9}

_OFFSET = re.compile(r"[+-]\d{4}\b")

Report = Callable[[str], None]
"""Takes what was odd, in words."""


def unfold(raw: str, report: Report) -> str:
    """One line of text out of a raw field: folds taken out, 8-bit bytes (held as surrogates) decoded."""
    value = _FOLDS.sub("", raw)
    if value.isascii():
        return value
    text, fault = read_text(value.encode("utf-8", "surrogateescape"), None)
    if fault:
        report(fault)
    return text


def decode_words(text: str, report: Report) -> str:
    """The words a reader sees: RFC 2047 encoded words decoded, control characters and runs of blanks made one blank.

    Neighbouring words of one charset are decoded together, since senders split characters between them.
    """
    if "=?" in text:
        text = _decode_encoded(_BETWEEN_WORDS.sub("", text), report)
    return clean(_BLANKS.sub(" ", text.replace("\x00", ""))).strip()


def _decode_encoded(text: str, report: Report) -> str:
    pieces: list[str] = []
    pending, charset, end = b"", "", 0
    for word in _ENCODED.finditer(text):
        between = text[end : word.start()]
        if pending and (between or word[1].lower() != charset):
            pieces.append(_decode_bytes(pending, charset, report))
            pending = b""
        pieces.append(between)
        charset, end = word[1].lower(), word.end()
        pending += _word_bytes(charset, word[2].lower(), word[3], report)
    if pending:
        pieces.append(_decode_bytes(pending, charset, report))
    return "".join([*pieces, text[end:]])


def _decode_bytes(data: bytes, charset: str, report: Report) -> str:
    text, fault = read_text(data, charset)
    if fault:
        report(f"{fault} in a header")
    return text


def _word_bytes(charset: str, encoding: str, word: str, report: Report) -> bytes:
    data = to_bytes(word, charset)  # 8-bit characters inside an encoded word are wrong and met all the same
    if encoding == "q":
        return binascii.a2b_qp(data, header=True)
    try:
        decoded = base64.b64decode(data + b"=" * (-len(data) % 4))
    except ValueError:
        decoded = b""
    if not decoded and data:
        report("bad base64 in a header")
    return decoded or data


def read_ids(raw: str) -> tuple[str, ...]:
    """The message ids of a field, without angle brackets, in order, each once; the first and the last 99 when more."""
    found = _ID.findall(raw) or ([raw.strip()] if _BARE_ID.fullmatch(raw.strip()) else [])
    ids = tuple(dict.fromkeys(clean(each) for each in found))
    return ids if len(ids) <= REFERENCES_LIMIT else (ids[0], *ids[1 - REFERENCES_LIMIT :])


def read_date(raw: str, *, now: datetime | None = None) -> datetime | None:
    """The moment a date field names, in UTC, or None when it names none or none that can be believed.

    Two-digit years and obsolete zones are read as RFC 5322 says; a date without a zone is taken as UTC. Not believed
    are dates before mail existed, after the year 2100, and more than two days after `now` when that is given.
    """
    value = raw.strip()[:200]
    date_at = _from_rfc(value) or _from_iso(value)
    if date_at is None or not EARLIEST_AT <= date_at < LATEST_AT:
        return None
    if now is not None and date_at > now + timedelta(days=2):
        return None
    return date_at


def _from_rfc(value: str) -> datetime | None:
    try:
        parsed = parsedate_tz(value)
        if parsed is None:
            return None
        seconds = parsed[9] or _zone_seconds(value)  # a zone it does not know is 0 to it
        return datetime(*parsed[:6], tzinfo=_zone(seconds)).astimezone(UTC)
    except (ValueError, TypeError, IndexError, OverflowError):
        # parsedate_tz itself raises on some malformed fields
        return None


def _from_iso(value: str) -> datetime | None:
    try:
        date_at = datetime.fromisoformat(value)
        return (date_at if date_at.tzinfo else date_at.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _zone_seconds(value: str) -> int:
    words = re.findall(r"\b[A-Z]{3,4}\b", value) if not _OFFSET.search(value) else []
    return next((_ZONES_HOURS[word] * 3600 for word in words if word in _ZONES_HOURS), 0)


def _zone(seconds: int) -> timezone:
    """No place on earth is more than 14 hours from UTC; a stranger offset is a mistake and counts as none."""
    return timezone(timedelta(seconds=seconds)) if abs(seconds) <= 14 * 3600 else UTC
