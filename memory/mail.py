"""A mail as it is known once it has been read: who, when, what was visibly said, and what was odd about it."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

Result = Literal["pass", "fail", "none", "unknown"]
"""What the owner's own server found: it passed, it failed, the sender offers nothing to check, or nobody looked."""


@dataclass(frozen=True, slots=True)
class Address:
    """One person in a mail's headers.

    `name` is what the sender wrote and may be a lie; what a card shows comes from the owner's own contacts.
    `address` is as written, with its domain in lower case, or None when no address could be read beyond doubt:
    nothing can then be sent to it.
    """

    name: str
    address: str | None


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file that came with a mail. Its content is not kept; `sha256` (hex) tells whether two are the same.

    `name` is a bare file name: no folders, no control or direction-changing characters.
    """

    name: str
    media_type: str
    size_bytes: int
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Authenticity:
    """What the topmost Authentication-Results header says: the one that the owner's own server wrote.

    `server` is the name it wrote its results under; `domain` the domain that DKIM signed for, "" when none passed.
    `envelope`: whom it was delivered from (Return-Path), lower case, "" where nobody delivered it.
    """

    dkim: Result = "unknown"
    spf: Result = "unknown"
    dmarc: Result = "unknown"
    server: str = ""
    domain: str = ""
    envelope: str = ""


Undelivered = Literal["no such address", "mailbox full", "refused", "too large", "not reachable", "delayed", "other"]
"""Why a mail did not arrive. *delayed*: not yet, and the server goes on trying."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounce:
    """What a server says became of a mail to one recipient, "" when it does not name one.

    status: an RFC 3463 code such as 5.1.1, or "". diagnostic: what the other server said, in its own words.
    """

    recipient: str
    why: Undelivered
    status: str = ""
    diagnostic: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mail:
    """One mail, decoded. Everything in it was written by others: data, never an instruction.

    message_id, in_reply_to, references: ids without angle brackets; None or empty when there were none.
    sender, senders_disagree: the first author, and whether there is doubt about it: several From headers or authors,
        a group, a form that two parsers read differently, or a name that shows another address than the real one.
        Such a mail must not be answered without the owner looking.
    date_at: aware UTC, or None when no believable date could be found.
    text: the visible text with "\\n" line ends and no control characters; `was_cut` when it was longer than the cap.
        Where plain text and HTML say the same it is the plain text, else what a mail program would show: the HTML.
    html_hidden: text that no reader would have seen was dropped.
    parts_disagree: the plain text and the HTML of the same mail say different things.
    is_automated: a list, a robot or a no-reply address sent it.
    fingerprint: sha-256 in hex, the same for the same mail met again in another file or a second import,
        with or without a Message-ID.
    faults: what was odd while reading, in words.
    bcc, reply_to: as written; empty when there were none.
    authenticity: DKIM, SPF and DMARC as the receiving server found them.
    list_headers: (lower-case name, value) of every List-* header. auto_submitted, precedence: lower case, "" when absent.
    is_bounce: a server's report that something could not be delivered. bounces: to whom not, as far as it says.
    calendars: text/calendar parts as text, at most a few and each capped: invitations and what became of them.
    """

    message_id: str | None
    sender: Address | None
    senders_disagree: bool
    to: tuple[Address, ...]
    cc: tuple[Address, ...]
    subject: str
    date_at: datetime | None
    in_reply_to: str | None
    references: tuple[str, ...]
    text: str
    was_cut: bool
    html_hidden: bool
    parts_disagree: bool
    attachments: tuple[Attachment, ...]
    list_id: str | None
    is_automated: bool
    fingerprint: str
    faults: tuple[str, ...]
    bcc: tuple[Address, ...] = ()
    reply_to: tuple[Address, ...] = ()
    authenticity: Authenticity = field(default_factory=Authenticity)
    list_headers: tuple[tuple[str, str], ...] = ()
    auto_submitted: str = ""
    precedence: str = ""
    is_bounce: bool = False
    bounces: tuple[Bounce, ...] = ()
    calendars: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptMail:
    """A mail in the ledger.

    account_id: the account it came by, None for one from an imported file. uid: its name there, "" for a file's.
    by_owner: the owner wrote it. said: what this mail itself says, without quotes and signature; None until that was
    worked out. arrived_at: when the ledger took it in.
    """

    id: int
    owner_id: int
    thread_id: int
    account_id: int | None
    uid: str
    folder: str
    labels: tuple[str, ...]
    by_owner: bool
    is_read: bool
    said: str | None
    arrived_at: datetime
    mail: Mail

    @property
    def at(self) -> datetime:
        """When it was written, or when it came, where that can't be believed."""
        return self.mail.date_at or self.arrived_at
