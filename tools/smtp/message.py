"""An envelope made into the mail that leaves: the same bytes for the same envelope and date, on every machine.

    envelope ─► header, text, attachments ─► bytes ─► read back ─► the same envelope? ─► Outgoing

What can't be written so that it reads back as it was approved is refused before anybody is asked.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from email.message import EmailMessage
from email.policy import SMTP
from email.quoprimime import body_encode
from typing import Literal

from memory.envelope import CALENDAR, MAIL, Envelope
from memory.errors import BadInput
from memory.mail import Attachment
from memory.recipient import Recipient
from tools.smtp import header
from tools.smtp.reading import CalendarMail, calendar_of, envelope_of
from tools.transport import Outgoing

Method = Literal["REPLY", "REQUEST", "CANCEL", "COUNTER"]

_IN_NO_ATTACHMENT = frozenset({"message", "multipart"})
"""Types whose content a mail program would take for parts of this mail."""

# The default policy refuses line ends in what becomes a header; the older one lets them through.
_POLICY = SMTP


@dataclass(frozen=True, slots=True, kw_only=True)
class Invitation:
    """What a calendar act says to people: `ics` for their calendar program, `subject` and `text` for their eyes."""

    method: Method
    ics: str
    subject: str
    text: str


def compose(
    envelope: Envelope,
    *,
    at: datetime,
    attached: Mapping[str, bytes] | None = None,
    invitation: Invitation | None = None,
) -> Outgoing:
    """The envelope as a mail dated `at` (aware UTC).

    attached: the content of every attachment by its sha-256. invitation: given for a calendar act, and only then.
    Blind copies stand among the recipients and nowhere in the bytes. Raises BadInput where an attachment's bytes are not
    those that were approved, and where something in the envelope can't be written so that it reads back the same.
    """
    if (envelope.channel == CALENDAR) != (invitation is not None) or envelope.channel not in {MAIL, CALENDAR}:
        raise BadInput("a mail is made of a mail, or of a calendar act and its invitation")
    body = _calendar_body(envelope, invitation) if invitation else _mail_body(envelope, attached or {})
    content = _head(envelope, at, invitation) + body
    outgoing = Outgoing(
        digest=envelope.digest,
        key=f"<{_message_id(envelope)}>",
        content=content,
        sender=envelope.identity.address,
        recipients=tuple(dict.fromkeys(each.address for each in envelope.recipients)),
    )
    if not is_of(outgoing, envelope, invitation):
        raise BadInput("the subject, a name or a file name can't be written into a mail as it stands: make it plainer")
    return outgoing


def is_of(outgoing: Outgoing, envelope: Envelope, invitation: Invitation | None = None) -> bool:
    """Whether these bytes, read anew, are this envelope to the last letter, going to its recipients and nobody else."""
    going = (outgoing.sender, set(outgoing.recipients))
    if going != (envelope.identity.address, {each.address for each in envelope.recipients}):
        return False
    try:
        if invitation is not None:
            return calendar_of(outgoing.content) == _expected(envelope, invitation)
        found = envelope_of(outgoing.content, account=envelope.identity.account, bcc=envelope.bcc)
    except BadInput:
        return False
    return found == envelope and found.digest == envelope.digest == outgoing.digest


def _expected(envelope: Envelope, invitation: Invitation) -> CalendarMail:
    return CalendarMail(
        sender=Recipient(envelope.identity.name, envelope.identity.address),
        to=_shown_to(envelope),
        subject=invitation.subject,
        text=_lines(invitation.text),
        ics=_lines(invitation.ics),
        method=invitation.method,
    )


def _head(envelope: Envelope, at: datetime, invitation: Invitation | None) -> bytes:
    sender = envelope.identity
    subject = invitation.subject if invitation else envelope.subject
    fields = {
        "Date": header.date(at),
        "From": header.people([Recipient(sender.name, sender.address)]),
        "To": header.people(_shown_to(envelope)),
        "Cc": header.people(envelope.cc),
        "Subject": header.text(subject, after=len("Subject: ")),
        "Message-ID": header.ids([_message_id(envelope)]),
        "In-Reply-To": header.ids([envelope.in_reply_to] if envelope.in_reply_to else []),
        "References": header.ids(envelope.references),
        "MIME-Version": "1.0",
    }
    return b"".join(header.field(name, value) for name, value in fields.items() if value)


def _shown_to(envelope: Envelope) -> tuple[Recipient, ...]:
    """Whom the field To names: those a mail goes to, or the organizer or guests of an event."""
    guests = envelope.act.guests if envelope.act else ()
    return tuple(dict.fromkeys((*envelope.to, *guests)))


def _message_id(envelope: Envelope) -> str:
    """Our own name for it. A calendar act has none, and takes it from its digest."""
    return envelope.message_id or f"{envelope.digest[:32]}@{envelope.identity.address.rpartition('@')[2]}"


def _mail_body(envelope: Envelope, attached: Mapping[str, bytes]) -> bytes:
    words = _text_part("plain", envelope.body)
    if not envelope.attachments:
        return _spelled(words)
    whole = _container("mixed", envelope.digest)
    whole.attach(words)
    for attachment in envelope.attachments:
        whole.attach(_file_part(attachment, attached))
    return _spelled(whole)


def _calendar_body(envelope: Envelope, invitation: Invitation) -> bytes:
    whole = _container("alternative", envelope.digest)
    whole.attach(_text_part("plain", invitation.text))
    whole.attach(_text_part("calendar", invitation.ics, method=invitation.method))
    return _spelled(whole)


def _container(kind: str, digest: str) -> EmailMessage:
    whole = EmailMessage(policy=_POLICY)
    whole["Content-Type"] = f"multipart/{kind}"
    # No part can hold it: a text would have to spell the digest of itself, and "=_" stands in none that is encoded.
    whole.set_boundary(f"=_{digest[:48]}")
    return whole


def _text_part(kind: str, words: str, **parameters: str) -> EmailMessage:
    """A text to the last line end: where there is none at the end of `words`, none is made up."""
    part = EmailMessage(policy=_POLICY)
    part.add_header("Content-Type", f"text/{kind}", charset="utf-8", **parameters)
    part["Content-Transfer-Encoding"] = "quoted-printable"
    lines = _lines(words)
    # One letter short of the 76 that RFC 2045 allows, for the mark that the last line goes on.
    quoted = body_encode(lines.encode().decode("latin-1"), maxlinelen=75)
    part.set_payload(quoted if not lines or lines.endswith("\n") else f"{quoted}=\n")
    return part


def _file_part(attachment: Attachment, attached: Mapping[str, bytes]) -> EmailMessage:
    content = attached.get(attachment.sha256)
    if content is None or hashlib.sha256(content).hexdigest() != attachment.sha256:
        raise BadInput(f"the file {attachment.name!r} is not the one that was to be sent: attach it anew")
    maintype, _, subtype = attachment.media_type.partition("/")
    if maintype in _IN_NO_ATTACHMENT:
        raise BadInput(f"the file {attachment.name!r} must be sent as application/octet-stream")
    part = EmailMessage(policy=_POLICY)
    part.set_content(
        content, maintype=maintype, subtype=subtype, cte="base64", disposition="attachment", filename=attachment.name
    )
    del part["MIME-Version"]
    return part


def _spelled(part: EmailMessage) -> bytes:
    return part.as_bytes(policy=_POLICY)


def _lines(words: str) -> str:
    """Words with line feeds alone, as parts are compared: on the way every line ends in CRLF."""
    return words.replace("\r\n", "\n")
