"""One mail's bytes made into a Mail: by the standard parser, in a wrapper that survives whatever it is given."""

import hashlib
import re
from collections.abc import Collection
from datetime import datetime
from email import policy
from email.errors import MissingHeaderBodySeparatorDefect
from email.message import Message
from email.parser import BytesHeaderParser, BytesParser

from memory.errors import BadInput
from memory.mail import Address, Mail
from tools.files.address import read_addresses, readings_differ, shows_another
from tools.files.authentication import read_authenticity
from tools.files.body import PARTS_LIMIT, Body, read_body
from tools.files.bounce import read_bounces
from tools.files.charset import clean
from tools.files.fields import Fields
from tools.files.header import Report, decode_words, read_date, read_ids
from tools.files.part import EMAIL_STUMBLES, children, content_of

HEADER_LIMIT_BYTES = 256 * 1024
FAULTS_LIMIT = 20
SUBJECT_LIMIT_CHARS = 2000

# A text is taken for a mail when one of these stands in its header.
_TELLING = frozenset(
    [
        "from",
        "to",
        "cc",
        "subject",
        "date",
        "message-id",
        "received",
        "return-path",
        "mime-version",
        "content-type",
        "delivered-to",
        "sender",
        "reply-to",
        "x-mailer",
        "list-id",
        "in-reply-to",
    ]
)
_HEADER_END = re.compile(rb"\r?\n[ \t]*\r?\n")
_HEADER_LINE = re.compile(rb"[!-9;-~]+[ \t]*:|[ \t]|\r?\n|From ")
_POSTMARK = re.compile(rb">?From [^\r\n]*\r?\n")
_BOM = b"\xef\xbb\xbf"
_ROBOT = re.compile(
    r"(?:.*[._+-])?(?:no|do-?not)[._-]?(?:reply|respond|answer)\b.*|(?:mailer-daemon|bounces?|postmaster)(?:[+-].*)?",
    re.IGNORECASE,
)
# The newer policies add nothing here, since fields are decoded by us, and this one is fifteen times as quick.
_POLICY = policy.compat32


class UnreadableMail(BadInput):
    """There is nothing in these bytes that looks like a mail: no header, or no bytes at all."""


def read_mail(raw: bytes, *, now: datetime | None = None) -> Mail:
    """Read one mail in RFC 5322 form, with or without the "From " line of an mbox before it.

    Whatever is broken in it is read as far as it goes and named in `faults`. `now` (aware UTC), when given, lets dates
    more than two days in the future be disbelieved. Raises UnreadableMail when there is no header at all, and nothing
    else for any bytes.
    """
    faults: dict[str, None] = {}

    def report(fault: str) -> None:
        if len(faults) < FAULTS_LIMIT:
            faults.setdefault(clean(fault)[:200])

    message = _parsed(_bounded(_begun(raw), report), report)
    fields = Fields(message, report)
    if not fields.has_any(_TELLING):
        raise UnreadableMail("this is no mail: it has no header such as From, Date or Subject; give the raw message")
    sender, senders_disagree = _sender(fields, report)
    body = read_body(message, report)
    message_id = next(iter(read_ids(fields.first("message-id"))), None)
    subject = decode_words(fields.first("subject"), report)[:SUBJECT_LIMIT_CHARS]
    is_bounce, bounces = read_bounces(
        kind=message.get_content_type(),
        fields=fields,
        sender=sender,
        subject=subject,
        text=body.text,
        reports=body.reports,
    )
    return Mail(
        message_id=message_id,
        sender=sender,
        senders_disagree=senders_disagree,
        to=_recipients(fields, "to", report),
        cc=_recipients(fields, "cc", report),
        bcc=_recipients(fields, "bcc", report),
        reply_to=_recipients(fields, "reply-to", report),
        subject=subject,
        date_at=_date(fields, now, report),
        in_reply_to=next(iter(read_ids(fields.first("in-reply-to"))), None),
        references=read_ids(fields.first("references")),
        text=clean(body.text),
        was_cut=body.was_cut,
        html_hidden=body.html_hidden,
        parts_disagree=body.parts_disagree,
        attachments=body.attachments,
        list_id=_list_id(fields, report),
        list_headers=tuple(fields.lists()),
        auto_submitted=fields.word("auto-submitted"),
        precedence=fields.word("precedence"),
        is_automated=is_bounce or _is_automated(fields, sender),
        is_bounce=is_bounce,
        bounces=bounces,
        authenticity=read_authenticity(fields),
        calendars=body.calendars,
        fingerprint=_fingerprint(message_id, _date_text(fields), sender, subject, body),
        faults=tuple(faults),
    )


def contents_of(raw: bytes, wanted: Collection[str]) -> dict[str, bytes]:
    """The contents of those attachments of a mail whose sha-256 (hex) is wanted, by it. Raises nothing for any bytes."""
    found: dict[str, bytes] = {}
    if not wanted:
        return found
    parts = [_parsed(_bounded(_begun(raw), _unheard), _unheard)]
    # As many parts as read_mail looks at; what stands within an attached mail is none of this one's.
    for _ in range(PARTS_LIMIT):
        if not parts:
            break
        part = parts.pop()
        if part.is_multipart() and part.get_content_maintype() == "multipart":
            parts += children(part)
            continue
        content = b"".join(content_of(part, _unheard))
        digest = hashlib.sha256(content).hexdigest()
        if digest in wanted:
            found[digest] = content
    return found


def _unheard(_: str) -> None:
    """Its faults were told when the mail was read."""


def _begun(raw: bytes) -> bytes:
    """The bytes from the first field on: byte order mark, blank lines and "From " lines before it are dropped."""
    raw = raw.removeprefix(_BOM).lstrip(b"\r\n")
    while postmark := _POSTMARK.match(raw):
        raw = raw[postmark.end() :]
    return raw


def _bounded(raw: bytes, report: Report) -> bytes:
    """`raw` with its header cut to what is read of one."""
    end = _HEADER_END.search(raw)
    header_bytes = end.start() if end else len(raw)
    if header_bytes <= HEADER_LIMIT_BYTES:
        return raw
    report("header too long, read in part")
    return (
        raw[: raw.rfind(b"\n", 0, HEADER_LIMIT_BYTES) + 1 or HEADER_LIMIT_BYTES] + b"\n" + raw[header_bytes:].lstrip()
    )


def _parsed(raw: bytes, report: Report) -> Message:
    message = _parse(raw, report)
    if any(isinstance(defect, MissingHeaderBodySeparatorDefect) for defect in message.defects):
        report("lines in the header that belong to no field")
        return _parse(_mended(raw), report)
    return message


def _parse(raw: bytes, report: Report) -> Message:
    try:
        return BytesParser(policy=_POLICY).parsebytes(raw)
    except EMAIL_STUMBLES:
        report("parts could not be told apart")
        return BytesHeaderParser(policy=_POLICY).parsebytes(raw)


def _mended(raw: bytes) -> bytes:
    """`raw` with stray lines among the fields made part of the field before them, when fields follow after them."""
    end = _HEADER_END.search(raw)
    lines = raw[: end.start() if end else len(raw)].splitlines(keepends=True)
    fields = [number for number, line in enumerate(lines) if _HEADER_LINE.match(line)]
    if not fields or fields[0] > 0:
        return raw
    known, last = set(fields), fields[-1]
    mended = [b" " + line if number <= last and number not in known else line for number, line in enumerate(lines)]
    return b"".join(mended) + raw[end.start() if end else len(raw) :]


def _sender(fields: Fields, report: Report) -> tuple[Address | None, bool]:
    """The first author, and whether there is any doubt that this is the one author."""
    values = fields.all("from")
    read = [read_addresses(value, report) for value in values]
    authors = list(dict.fromkeys(author for each in read for author in each.found))
    if not authors:
        report("no author")
    is_doubtful = (
        len(authors) > 1
        or any(each.is_odd or each.has_group for each in read)
        or any(readings_differ(value, each) for value, each in zip(values, read, strict=True))
        or any(shows_another(author) for author in authors)
    )
    if is_doubtful:
        report("doubtful author")
    return next(iter(authors), None), is_doubtful


def _recipients(fields: Fields, name: str, report: Report) -> tuple[Address, ...]:
    read = [read_addresses(value, report) for value in fields.all(name)]
    if any(each.is_odd for each in read):
        report(f"odd addresses in {name}")
    return tuple(dict.fromkeys(address for each in read for address in each.found))


def _date(fields: Fields, now: datetime | None, report: Report) -> datetime | None:
    """When it was written, by its own word; where that can't be believed, when the last server took it in."""
    dates = fields.all("date")
    for value in dates:
        if date_at := read_date(value, now=now):
            return date_at
    report("bad date" if dates else "no date")
    received = (value.rpartition(";")[2] for value in fields.all("received"))
    return next((date_at for value in received if (date_at := read_date(value, now=now))), None)


def _date_text(fields: Fields) -> str:
    """The date as the same for every copy of a mail, whatever `now` makes of it."""
    value = next(iter(fields.all("date")), "")
    date_at = read_date(value)
    return date_at.isoformat() if date_at else " ".join(value.split())


def _list_id(fields: Fields, report: Report) -> str | None:
    value = decode_words(fields.first("list-id"), report)
    inside = re.search(r"<([^<>]+)>", value)
    return (inside[1] if inside else value).strip().lower()[:255] or None


def _is_automated(fields: Fields, sender: Address | None) -> bool:
    local = ((sender.address if sender else None) or "").rpartition("@")[0]
    return (
        fields.starting("list-")
        or fields.word("auto-submitted") not in ("", "no")
        or fields.word("precedence") in ("bulk", "list", "junk", "auto_reply")
        or fields.first("return-path").strip() == "<>"
        or _ROBOT.fullmatch(local) is not None
    )


def _fingerprint(message_id: str | None, date: str, sender: Address | None, subject: str, body: Body) -> str:
    author = (sender.address or sender.name).lower() if sender else ""
    return hashlib.sha256("\x00".join((message_id or "", date, author, subject, body.digest)).encode()).hexdigest()
