"""An envelope: exactly what would leave, and nothing else.

    built by code ─► checked ─► canonical JSON ─► sha-256: the digest that the owner's yes is bound to
                                     ▲
    from_json (strict) ──────────────┘   the spelling read back must be the spelling, byte for byte

Nothing incidental is in it: no row ids, no moment. What is in it is hashed as it stands, never a normalised view of it.
"""

import json
import re
import secrets
from dataclasses import asdict, dataclass, fields, is_dataclass
from typing import Any, Literal, get_args, get_origin, get_type_hints

from memory.canonical import Plain, canonical, digest
from memory.errors import BadInput
from memory.mail import Attachment, Mail
from memory.recipient import Recipient, readable
from memory.visible import hides_something, is_one_line

FORM = 1
"""The version of the spelling. Another one makes every open approval void, as it should."""

RECIPIENTS_MAX = 20
SUBJECT_MAX = 500
LINE_MAX = 1000
"""Characters of a title, a place, an id."""
BODY_MAX = 200_000
ATTACHMENTS_MAX = 20
ATTACHED_MAX_BYTES = 18 * 1024 * 1024
"""All attachments together. Gmail takes 25 MB as sent, and base64 makes four bytes of three, with line ends."""
REFERENCES_MAX = 50

Format = Literal["plain"]
Action = Literal["accept", "decline", "tentative", "propose", "create", "move", "cancel"]

ANSWERS: frozenset[Action] = frozenset({"accept", "decline", "tentative", "propose"})
"""What goes to an organizer; the rest goes to the guests."""

MAIL, CALENDAR, UNSUBSCRIBE = "mail", "calendar", "unsubscribe"
"""*unsubscribe*: one POST to the address that a list offers for it (memory/unsubscribe); `to` is that address."""

_CHANNEL = re.compile(r"[a-z][a-z0-9-]{0,31}")
_ID = re.compile(r"[!-;=?-~]{1,800}")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_MEDIA_TYPE = re.compile(r"[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,80}/[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,120}")
_IN_NO_BODY = re.compile("[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Identity:
    """Who the sender is: which account sends, and the name and address that the recipient sees."""

    account: str
    name: str
    address: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CalendarAct:
    """What is done to an event, for the channel *calendar*.

    calendar: its id within the account. uid, sequence, occurrence: the event, its version, and which one of a series
    (empty: all, or it stands alone). start, end: ISO dates or times as they will be written, empty where the act sets none.
    comment: the word to the organizer or the guests.
    """

    action: Action
    calendar: str
    uid: str
    sequence: int = 0
    occurrence: str = ""
    start: str = ""
    end: str = ""
    zone: str = ""
    title: str = ""
    place: str = ""
    guests: tuple[Recipient, ...] = ()
    comment: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Envelope:
    """Exactly what would leave.

    channel: *mail* or *calendar*; the set is open, and a channel added later passes here too.
    message_id, in_reply_to, references: without angle brackets, as in memory/mail; the first is our own.
    A mail has somebody to go to and no `act`; a calendar act has its `act` and nothing of a mail but `to`.

    Raises BadInput for line ends or control characters in anything that becomes a header, for addresses that are not in
    the one plain form (memory/recipient), for somebody named twice, and beyond the limits above.
    """

    channel: str
    identity: Identity
    to: tuple[Recipient, ...] = ()
    cc: tuple[Recipient, ...] = ()
    bcc: tuple[Recipient, ...] = ()
    subject: str = ""
    body: str = ""
    format: Format = "plain"
    message_id: str = ""
    in_reply_to: str = ""
    references: tuple[str, ...] = ()
    attachments: tuple[Attachment, ...] = ()
    act: CalendarAct | None = None

    def __post_init__(self) -> None:
        if not _CHANNEL.fullmatch(self.channel):
            raise BadInput("a channel is named by lower-case letters, digits and dashes")
        _check_lines(self)
        _check_people(self)
        _check_body(self.body)
        _check_ids(self)
        _check_attachments(self.attachments)
        if self.act is not None:
            _check_act(self.act)
        _check_shape(self)

    @property
    def digest(self) -> str:
        """sha-256 of `to_bytes`, in 64 hex digits."""
        return digest(_plain(self))

    @property
    def matter(self) -> str:
        """The digest without our own Message-ID, which is new each time: the same words to the same people have one matter."""
        return digest({**_plain(self), "message_id": ""})

    @property
    def recipients(self) -> tuple[Recipient, ...]:
        """Everybody whom it reaches, guests of an event included, each once."""
        guests = self.act.guests if self.act else ()
        return tuple(dict.fromkeys((*self.to, *self.cc, *self.bcc, *guests)))

    def to_bytes(self) -> bytes:
        """The canonical spelling. `from_json` reads it."""
        return canonical(_plain(self))


def from_json(data: bytes) -> Envelope:
    """The envelope that `to_bytes` spelled. Raises BadInput for anything else, a field or a space more included."""
    try:
        held = json.loads(data.decode())
    except (ValueError, RecursionError) as error:
        raise BadInput("the envelope is no JSON") from error
    if not isinstance(held, dict) or held.pop("form", None) != FORM:
        raise BadInput(f"the envelope is not written in form {FORM}: draft it anew")
    envelope: Envelope = _built(Envelope, held)
    if envelope.to_bytes() != data:
        raise BadInput("the envelope is not in its one spelling: draft it anew")
    return envelope


def new_message_id(address: str) -> str:
    """A Message-ID of our own for a mail from this address, without brackets; it names no machine."""
    return f"{secrets.token_hex(16)}@{address.rpartition('@')[2]}"


def threaded(answered: Mail) -> tuple[str, tuple[str, ...]]:
    """`in_reply_to` and `references` of an answer (RFC 5322 3.6.4), leaving out ids that no header could carry.

    Of a long thread the first id and the latest stay.
    """
    own = answered.message_id or ""
    chain = [one for one in (*answered.references, own) if _ID.fullmatch(one)]
    unique = list(dict.fromkeys(reversed(chain)))[::-1]
    kept = unique if len(unique) <= REFERENCES_MAX else [unique[0], *unique[1 - REFERENCES_MAX :]]
    return (own if _ID.fullmatch(own) else ""), tuple(kept)


def _plain(envelope: Envelope) -> dict[str, Plain]:
    return {"form": FORM, **asdict(envelope)}


# Checking


def _check_lines(envelope: Envelope) -> None:
    sender = envelope.identity
    _check_line("the sender's account", sender.account, LINE_MAX)
    _check_line("the sender's name", sender.name, LINE_MAX)
    _check_line("the subject", envelope.subject, SUBJECT_MAX)
    if hides_something(sender.name):
        raise BadInput("the sender's name hides something: write it plainly")


def _check_line(label: str, text: str, most: int) -> None:
    if not is_one_line(text):
        raise BadInput(f"{label} holds a line end or a control character: leave it out")
    if len(text) > most:
        raise BadInput(f"{label} has {len(text)} characters, at most {most} are allowed")


def _check_people(envelope: Envelope) -> None:
    people = (*envelope.to, *envelope.cc, *envelope.bcc)
    guests = envelope.act.guests if envelope.act else ()
    for addresses in ([one.address.lower() for one in people], [one.address.lower() for one in guests]):
        if len(addresses) > RECIPIENTS_MAX:
            raise BadInput(f"{len(addresses)} recipients, at most {RECIPIENTS_MAX} are allowed")
        if len(set(addresses)) < len(addresses):
            raise BadInput("somebody is named twice among the recipients: name everybody once")
    if envelope.channel in {MAIL, CALENDAR}:
        for address in (envelope.identity.address, *(one.address for one in (*people, *guests))):
            if readable(address) != address:
                raise BadInput("an address is not in its plain form: read it with memory/recipient first")
    else:
        _check_line("the sender's address", envelope.identity.address, LINE_MAX)


def _check_body(text: str) -> None:
    if _IN_NO_BODY.search(text):
        raise BadInput("the text holds control characters; its lines end in a line feed alone")
    if len(text) > BODY_MAX:
        raise BadInput(f"the text has {len(text)} characters, at most {BODY_MAX} are allowed")


def _check_ids(envelope: Envelope) -> None:
    for one in (envelope.message_id, envelope.in_reply_to, *envelope.references):
        if not _ID.fullmatch(one) and (one or one in envelope.references):
            raise BadInput("a message id holds spaces, brackets, line ends or letters that no header carries")
    if len(envelope.references) > REFERENCES_MAX:
        raise BadInput(f"{len(envelope.references)} references, at most {REFERENCES_MAX} are allowed")


def _check_attachments(attachments: tuple[Attachment, ...]) -> None:
    if len(attachments) > ATTACHMENTS_MAX:
        raise BadInput(f"{len(attachments)} attachments, at most {ATTACHMENTS_MAX} are allowed")
    for one in attachments:
        _check_attachment(one)
    together = sum(one.size_bytes for one in attachments)
    if together > ATTACHED_MAX_BYTES:
        raise BadInput(f"the attachments have {together} bytes together, at most {ATTACHED_MAX_BYTES} are allowed")


def _check_attachment(one: Attachment) -> None:
    _check_line("the name of an attachment", one.name, 255)
    if not one.name.strip(". ") or "/" in one.name or "\\" in one.name:
        raise BadInput("an attachment is named by a bare file name, without folders")
    if not _MEDIA_TYPE.fullmatch(one.media_type) or not _SHA256.fullmatch(one.sha256):
        raise BadInput("an attachment needs a media type such as text/plain and its sha-256 in 64 hex digits")
    if one.size_bytes < 1:
        raise BadInput(f"the attachment {one.name!r} is empty: there is nothing to send")


def _check_act(act: CalendarAct) -> None:
    lines = (act.calendar, act.uid, act.occurrence, act.start, act.end, act.zone, act.title, act.place)
    for text in lines:
        _check_line("a field of the event", text, LINE_MAX)
    _check_body(act.comment)
    if act.action not in get_args(Action) or not act.uid or act.sequence < 0:
        raise BadInput("a calendar act needs an action, the event's uid and its sequence")


def _check_shape(envelope: Envelope) -> None:
    if envelope.format not in get_args(Format):
        raise BadInput("only plain text leaves")
    if envelope.channel == CALENDAR:
        _check_calendar_shape(envelope)
    elif envelope.act is not None:
        raise BadInput("only the channel calendar carries an act on an event")
    elif not envelope.to:
        raise BadInput("there is nobody to send it to")


def _check_calendar_shape(envelope: Envelope) -> None:
    of_a_mail = (envelope.cc, envelope.bcc, envelope.subject, envelope.body, envelope.attachments)
    ids = (envelope.message_id, envelope.in_reply_to, envelope.references)
    if envelope.act is None or any(of_a_mail) or any(ids):
        raise BadInput("a calendar act has its event, and nothing of a mail but whom it goes to")
    if envelope.act.action in ANSWERS and not envelope.to:
        raise BadInput("an answer to an invitation goes to its organizer")


# Reading back


def _built(kind: Any, value: Any) -> Any:
    """`value` as the type `kind` of an envelope's field, with nothing more and nothing less in it."""
    if is_dataclass(kind):
        return _built_fields(kind, value)
    if get_origin(kind) is tuple:
        if isinstance(value, list):
            return tuple(_built(get_args(kind)[0], one) for one in value)
    elif get_origin(kind) is Literal:
        if isinstance(value, str) and value in get_args(kind):
            return value
    elif type(None) in get_args(kind):
        return None if value is None else _built(get_args(kind)[0], value)
    elif type(value) is kind:
        return value
    raise BadInput("a field of the envelope is of the wrong kind: draft it anew")


def _built_fields(kind: Any, value: Any) -> Any:
    if not isinstance(value, dict) or set(value) != {field.name for field in fields(kind)}:
        raise BadInput("the envelope has fields that it should not have, or lacks some: draft it anew")
    hints = get_type_hints(kind)
    return kind(**{name: _built(hints[name], one) for name, one in value.items()})
