"""A mail as Gmail has to be given it: Gmail reads from the headers who it goes to, so these must say exactly that."""

import re
from collections.abc import Iterable
from email import message_from_bytes
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import default
from hashlib import sha256

from memory.errors import BadInput
from tools.transport import Outgoing

_PLAIN = re.compile(r"[^\s<>,;:\"()\x00-\x1f\x7f]{1,320}")


def letter_of(outgoing: Outgoing) -> bytes:
    """The bytes for Gmail: the content, with blind copies named in a header that Gmail takes off again.

    Raises BadInput when the headers name anybody who is not a recipient, or another sender.
    """
    message = _read(outgoing.content)
    if _addresses(message, "from") != {outgoing.sender.casefold()}:
        raise BadInput("the mail's From is not the identity that it is to leave from")
    named = _addresses(message, "to", "cc", "bcc")
    wanted = {recipient.casefold() for recipient in outgoing.recipients}
    if not wanted:
        raise BadInput("the mail goes to nobody")
    if not named <= wanted:
        raise BadInput("the mail's headers name somebody who is none of its recipients")
    blind = [recipient for recipient in outgoing.recipients if recipient.casefold() not in named]
    if not all(_PLAIN.fullmatch(recipient) and recipient.isascii() for recipient in blind):
        raise BadInput("one of the addresses holds a character that no address can have")
    return b"".join(f"Bcc: {recipient}\r\n".encode() for recipient in _at_once(blind)) + outgoing.content


def answered(content: bytes) -> str:
    """The Message-ID that the mail answers, without brackets; "" when it answers none."""
    return str(_read(content)["in-reply-to"] or "").strip().strip("<>").strip()


def subject_of(content: bytes) -> str:
    """Its subject on one line."""
    return " ".join(str(_read(content)["subject"] or "").split())


def likeness(content: bytes) -> tuple[str, frozenset[str], tuple[str, ...]]:
    """What stays the same of a mail while it is sent, whatever happens to its headers: subject, to and cc, the parts."""
    message = _read(content)
    parts = tuple(_part(part) for part in message.walk() if not part.is_multipart())
    return subject_of(content), frozenset(_addresses(message, "to", "cc")), parts


def _read(content: bytes) -> EmailMessage:
    return message_from_bytes(content, policy=default)


def _addresses(message: EmailMessage, *headers: str) -> set[str]:
    found: Iterable[Address] = (
        address for name in headers for header in message.get_all(name, []) for address in header.addresses
    )
    return {address.addr_spec.casefold() for address in found}


def _at_once(blind: list[str]) -> list[str]:
    return [", ".join(blind)] if blind else []


def _part(part: EmailMessage) -> str:
    payload = part.get_payload(decode=True)
    held = payload if isinstance(payload, bytes) else b""
    if part.get_content_maintype() == "text":
        # Charset, line ends and blanks are nobody's words.
        held = " ".join(_words(part, held).split()).encode("utf-8", "replace")
    return f"{part.get_content_type()} {sha256(held).hexdigest()}"


def _words(part: EmailMessage, held: bytes) -> str:
    try:
        return held.decode(part.get_content_charset("utf-8"), "replace")
    except LookupError:
        return held.decode("latin-1")
