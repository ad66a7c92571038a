"""A mail of ours read back: from the very bytes that would leave, the envelope that they are.

Nothing is forgiven here. A field too many, one that stands there twice, an address that two parsers read differently:
then it is no mail of ours, and does not leave.
"""

import hashlib
import re
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from email import message_from_bytes
from email.header import decode_header, make_header
from email.message import EmailMessage, Message
from email.policy import SMTP, compat32
from email.utils import getaddresses, parsedate_to_datetime
from typing import cast

from memory.envelope import MAIL, Envelope, Identity
from memory.errors import BadInput
from memory.mail import Attachment
from memory.recipient import Recipient

_FIELDS = frozenset(
    {"date", "from", "to", "cc", "subject", "message-id", "in-reply-to", "references"}
    | {"mime-version", "content-type", "content-transfer-encoding"}
)
_ALWAYS = frozenset({"date", "from", "message-id", "mime-version", "content-type"})
_FOLD = re.compile(r"\r\n(?=[ \t])")
_IDS = re.compile(r"<([^<>\s]+)>(?:\s+|\Z)")


class _NotOursError(BadInput):
    """The bytes are no mail that was composed here."""


def envelope_of(content: bytes, *, account: str, bcc: tuple[Recipient, ...]) -> Envelope:
    """The envelope of a mail's exact bytes; what stands nowhere in them is handed in. Raises BadInput for any doubt."""
    with _in_doubt():
        head, parts = _parsed(content)
        words, files = _mixed(parts)
        sender = _sender(head, parts)
        return Envelope(
            channel=MAIL,
            identity=Identity(account, sender.name, sender.address),
            to=_people(head, parts, "to"),
            cc=_people(head, parts, "cc"),
            bcc=bcc,
            subject=_words(_value(head, "subject")),
            body=words,
            message_id=_one_id(head, "message-id"),
            in_reply_to=_one_id(head, "in-reply-to"),
            references=_ids(head, "references"),
            attachments=files,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class CalendarMail:
    """What a calendar mail says, its texts with line feeds alone."""

    sender: Recipient
    to: tuple[Recipient, ...]
    subject: str
    text: str
    ics: str
    method: str


def calendar_of(content: bytes) -> CalendarMail:
    """The same for an act on an event. Raises BadInput for any doubt."""
    with _in_doubt():
        head, parts = _parsed(content)
        if parts.get_content_type() != "multipart/alternative":
            raise _NotOursError("no calendar mail")
        words, event = _children(parts)
        return CalendarMail(
            sender=_sender(head, parts),
            to=_people(head, parts, "to"),
            subject=_words(_value(head, "subject")),
            text=_text(words, "plain"),
            ics=_text(event, "calendar"),
            method=str(event.get_param("method", "")),
        )


@contextmanager
def _in_doubt() -> Iterator[None]:
    try:
        yield
    except BadInput:
        raise
    # The email package raises whatever odd bytes lead it into (ValueError, LookupError, AttributeError, its own errors).
    except Exception as error:
        raise _NotOursError("the mail can't be read back") from error


def _parsed(content: bytes) -> tuple[Message, EmailMessage]:
    """The same bytes by two parsers: one that leaves every field as it is written, one that takes parts and names apart."""
    head = message_from_bytes(content, policy=compat32)
    parts = message_from_bytes(content, policy=SMTP)
    names = [name.lower() for name in head.keys()]  # noqa: SIM118  a name may stand there twice
    if len(set(names)) < len(names) or not _ALWAYS <= set(names) <= _FIELDS:
        raise _NotOursError("a field too many, or one missing")
    if any(part.defects for part in parts.walk()):
        raise _NotOursError("its parts are not well made")
    parsedate_to_datetime(_value(head, "date"))
    return head, parts


def _value(head: Message, name: str) -> str:
    return _FOLD.sub("", str(head.get(name, "")))


def _words(value: str) -> str:
    return str(make_header(decode_header(value)))


def _sender(head: Message, parts: EmailMessage) -> Recipient:
    (sender,) = _people(head, parts, "from")
    return sender


def _people(head: Message, parts: EmailMessage, name: str) -> tuple[Recipient, ...]:
    value = _value(head, name)
    found = tuple(Recipient(_words(shown), address) for shown, address in getaddresses([value])) if value else ()
    others = tuple(each.addr_spec for each in parts[name].addresses) if name in parts else ()
    if tuple(each.address for each in found) != others:
        raise _NotOursError("an address can be read in two ways")
    return found


def _ids(head: Message, name: str) -> tuple[str, ...]:
    value = _value(head, name)
    found = tuple(_IDS.findall(value))
    if " ".join(f"<{each}>" for each in found) != " ".join(value.split()):
        raise _NotOursError("odd message ids")
    return found


def _one_id(head: Message, name: str) -> str:
    found = _ids(head, name)
    if len(found) > 1:
        raise _NotOursError("more than one message id")
    return found[0] if found else ""


def _mixed(parts: EmailMessage) -> tuple[str, tuple[Attachment, ...]]:
    """The text and the attachments."""
    if not parts.is_multipart():
        return _text(parts, "plain"), ()
    if parts.get_content_type() != "multipart/mixed":
        raise _NotOursError("parts of an odd kind")
    words, *files = _children(parts)
    return _text(words, "plain"), tuple(_attachment(part) for part in files)


def _children(parts: EmailMessage) -> list[EmailMessage]:
    if parts.preamble or (parts.epilogue or "").strip() or not parts.is_multipart():
        raise _NotOursError("something stands outside the parts")
    return cast(list[EmailMessage], parts.get_payload())


def _text(part: EmailMessage, kind: str) -> str:
    _own_fields(part, {"content-type", "content-transfer-encoding"})
    if part.get_content_type() != f"text/{kind}" or part.get_content_charset() != "utf-8":
        raise _NotOursError("no text where it should be")
    return _content(part).decode().replace("\r\n", "\n")


def _attachment(part: EmailMessage) -> Attachment:
    _own_fields(part, {"content-type", "content-transfer-encoding", "content-disposition"})
    content = _content(part)
    if part.get_content_disposition() != "attachment" or part.is_multipart():
        raise _NotOursError("no attachment where it should be")
    digest = hashlib.sha256(content).hexdigest()
    return Attachment(part.get_filename() or "", part.get_content_type(), len(content), digest)


def _own_fields(part: EmailMessage, allowed: Collection[str]) -> None:
    names = [name.lower() for name in part.keys() if name.lower().startswith("content-")]  # noqa: SIM118
    if sorted(names) != sorted(allowed):
        raise _NotOursError("a part with odd fields")


def _content(part: EmailMessage) -> bytes:
    content = part.get_payload(decode=True)
    if not isinstance(content, bytes):
        raise _NotOursError("a part without content")
    return content
