"""The chats of a Messages database: who said what, when; taps on others' words and what happens to groups left out."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any

from tools.chats.chat import FAULTS_MAX, TEXT_MAX, Chat, Fault, Said, tags_of
from tools.chats.chat_db import ChatDb, Row
from tools.chats.typedstream import words_in

EPOCH = datetime(2001, 1, 1, tzinfo=UTC)
"""What Apple counts from: in seconds until 2017, in nanoseconds since."""

_NANOSECONDS_FROM = 10**11
_GROUP = 43
_OBJECT_MARK = "\ufffc"
"""Stands in the words where something was attached."""

_REACTIONS = range(1000, 5000)
"""Kinds of message that are laid upon another: stickers, taps, and tapping back."""


def read_imessage(
    database: ChatDb, *, names: Mapping[str, str], known: Mapping[str, str]
) -> Iterator[tuple[str, Chat]]:
    """The chats in the database that have another mark than `known` has for their key, each with its mark.

    names: who goes by a number or address (as `plain_handle` spells it); others are called by that.
    """
    handles = database.handles()
    for row in database.chats():
        key = sha256(str(row.get("guid")).encode("utf-8", "replace")).hexdigest()[:16]
        mark = database.mark(row["ROWID"])
        if known.get(key) != mark:
            yield mark, _chat(database, row, key, handles, names)


def _chat(database: ChatDb, row: Row, key: str, handles: Mapping[int, str], names: Mapping[str, str]) -> Chat:
    said: list[Said] = []
    faults: list[Fault] = []
    keys: list[str] = []
    for message in database.messages(row["ROWID"]):
        try:
            one = _said(message, handles, names, keys)
        except (ValueError, TypeError, OverflowError) as error:
            if len(faults) < FAULTS_MAX:
                faults.append(Fault(int(message["ROWID"]), f"no message that can be read ({error})"[:200]))
            continue
        if one is not None:
            said.append(one)
    spoke = {one.address: one.who for one in said if not one.is_mine}
    within = [handles[number] for number in row["handles"] if handles.get(number)]
    others = {address: _called(address, names) for address in within} | spoke
    return Chat(
        kind="imessage",
        key=key,
        name=_name(row, list(others.values())),
        said=tuple(said),
        others=tuple((who, address if who != address else "") for address, who in others.items()),
        first=min(keys, default=""),
        last=max(keys, default=""),
        faults=tuple(faults),
    )


def _name(row: Row, others: Sequence[str]) -> str:
    given = str(row.get("display_name") or "").strip()
    if given:
        return given[:120]
    if others and (row.get("style") == _GROUP or len(others) > 1):
        return ", ".join(others[:4]) + (" …" if len(others) > 4 else "")
    return others[0] if others else str(row.get("chat_identifier") or "Messages")[:120]


def _said(message: Row, handles: Mapping[int, str], names: Mapping[str, str], keys: list[str]) -> Said | None:
    at = moment(message.get("date"))
    key = f"{int(at.timestamp()):012}.{sha256(str(message.get('guid')).encode('utf-8', 'replace')).hexdigest()[:8]}"
    keys.append(key)
    kind = message.get("associated_message_type") or 0
    if kind in _REACTIONS or message.get("item_type") or message.get("date_retracted"):
        return None
    text, files = _text(message), message["files"]
    shown = [name for name, _ in files if name and not name.endswith(".pluginPayloadAttachment")]
    text = "\n".join(part for part in (*shown, text) if part)[:TEXT_MAX]
    if not text:
        return None
    address = handles.get(message.get("handle_id") or 0, "")
    is_mine = bool(message.get("is_from_me"))
    return Said(
        key=key,
        at=at,
        who="you" if is_mine else _called(address, names) or "unknown",
        address="" if is_mine else address,
        text=text,
        is_mine=is_mine,
        tags=tags_of(text, *shown),
    )


def _text(message: Row) -> str:
    given = message.get("text")
    raw = message.get("attributedBody")
    words = given if isinstance(given, str) and given else words_in(raw) if isinstance(raw, bytes) else ""
    return (words or "").replace(_OBJECT_MARK, "").replace("\0", "").strip()


def moment(given: Any) -> datetime:
    """A moment as Apple counts it. Raises TypeError or OverflowError for what is none."""
    if not isinstance(given, int):
        raise TypeError("it has no date")
    seconds = given / 10**9 if abs(given) >= _NANOSECONDS_FROM else given
    return EPOCH + timedelta(seconds=seconds)


def _called(address: str, names: Mapping[str, str]) -> str:
    return names.get(plain_handle(address)) or address


def plain_handle(address: str) -> str:
    """One spelling of a number or address, so that two can be compared."""
    if "@" in address:
        return address.strip().lower()
    return "".join(sign for sign in address if sign.isdigit()).lstrip("0")
