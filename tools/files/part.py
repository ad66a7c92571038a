"""One part of a mail: its fields, its name and its content, whatever the email package makes of them."""

import binascii
import re
from collections.abc import Iterator
from email.errors import MessageError
from email.message import Message

from tools.files.header import Report

EMAIL_STUMBLES = (MessageError, ValueError, LookupError, TypeError, AttributeError, AssertionError, RecursionError)
"""What the email package has been seen to raise, or recursed into, on malformed charsets, parameters and parts."""

_CHUNK_CHARS = 1 << 20  # a multiple of 4, as base64 wants
_BASE64_ODD = re.compile(r"[^A-Za-z0-9+/=\s]")


def children(part: Message) -> list[Message]:
    payload = _payload(part)
    return [child for child in payload if isinstance(child, Message)] if isinstance(payload, list) else []


def field_of(part: Message, name: str) -> str:
    return str(part.get(name, "")).strip()


def charset_of(part: Message) -> str | None:
    charset = _param(part, "charset")
    return charset or None


def raw_name(part: Message) -> str:
    try:
        return part.get_filename("") or ""
    except EMAIL_STUMBLES:
        return "unnamed"  # there is one, in a form that can't be told


def _param(part: Message, name: str) -> str:
    try:
        value = part.get_param(name, "")
    except EMAIL_STUMBLES:
        return ""
    return value[2] if isinstance(value, tuple) else str(value or "")


def content_of(part: Message, report: Report) -> Iterator[bytes]:
    """The decoded content of a part in chunks."""
    payload = _payload(part)
    if isinstance(payload, list):
        yield from _attached(payload, report)
    elif isinstance(payload, str) and field_of(part, "content-transfer-encoding").lower() == "base64":
        yield from _base64(payload, report)
    else:
        try:
            content = part.get_payload(decode=True)
        except EMAIL_STUMBLES:
            content = str(payload or "").encode("utf-8", "surrogateescape")
            report("unreadable encoding")
        yield content if isinstance(content, bytes) else b""


def _payload(part: Message) -> list[Message | str] | str | None:
    """What the package holds of a part: parts inside, or text as it was sent; None when it can't say."""
    try:
        payload = part.get_payload()
    except EMAIL_STUMBLES:
        return None
    return payload if isinstance(payload, list | str) else None


def _attached(payload: list[Message | str], report: Report) -> Iterator[bytes]:
    for attached in payload:
        try:
            yield attached.as_bytes() if isinstance(attached, Message) else attached.encode("utf-8", "replace")
        except EMAIL_STUMBLES:
            report("unreadable attached mail")


def _base64(payload: str, report: Report) -> Iterator[bytes]:
    """Decode chunk by chunk, passing over what is not base64."""
    left = ""
    is_bad = False
    for at in range(0, len(payload), _CHUNK_CHARS):
        chunk = payload[at : at + _CHUNK_CHARS]
        is_bad = is_bad or _BASE64_ODD.search(chunk) is not None
        chunk = left + "".join(_BASE64_ODD.sub("", chunk).split())
        if "=" in chunk:
            left = chunk
            break
        whole = len(chunk) - len(chunk) % 4
        left = chunk[whole:]
        yield binascii.a2b_base64(chunk[:whole])
    rest = left.partition("=")[0]
    if is_bad or len(rest) % 4 == 1 or (len(rest) % 4 and "=" not in left):
        report("bad base64")
    rest = rest[:-1] if len(rest) % 4 == 1 else rest
    yield binascii.a2b_base64(rest + "=" * (-len(rest) % 4))
