"""Reading: from a raw update to what it is for us.

    update ─► whose is it? ─► not the owner's, or not from a private chat ─► Dropped (counted, never stored)
                           └► the owner's ─► Heard (a signal)
    anything that can't be read, unless it is certainly someone else's    ─► Heard, of kind "unreadable"

Payloads, all with `channel` "telegram"; ids of messages are text, as the ledger's channel ids are:

    message, edit   text, message_id, reply_to, quote, forwarded_from, media, album_id, topic_id, links, sent_at (ISO, UTC);
                    an edit also has edited_at. `media` is None for plain text, else kind, file_id, file_name, size_bytes,
                    media_type, caption and details (a place's point, a contact's number …), with a kind for everything
                    Telegram can hold, so that the answer can say what it can't take
    tap             data, callback_id, message_id, topic_id
    reaction        message_id, emojis (those that stand there now; a custom one as "custom")
    membership      blocked (whether the owner blocks the bot now)
    stopped         draft_id
    unreadable      reason, update (as it came)
"""

import hashlib
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from bot.telegram.contents import is_service, media
from memory.signal import NewSignal

SOURCE = "telegram"

ALLOWED = (
    "message",
    "edited_message",
    "callback_query",
    "message_reaction",
    "my_chat_member",
    "stopped_message_generation",
)
"""The kinds of update that are asked for."""

Reason = Literal["unpaired", "stranger", "group", "business", "inline", "service", "useless"]

POISON = (LookupError, TypeError, ValueError, AttributeError, OverflowError, RecursionError, OSError)
"""What reading a malformed update raises."""


@dataclass(frozen=True, slots=True)
class Heard:
    """The owner's: `signal` is to be published.

    `blocked` is what this says about whether the owner can be reached (None: nothing); `topic_id` is the topic of the
    private chat in which it was said.
    """

    signal: NewSignal
    blocked: bool | None = False
    topic_id: int | None = None


@dataclass(frozen=True, slots=True)
class Dropped:
    """Not for us, and why. It is counted and nothing of it is kept."""

    reason: Reason


def admit(update: Any, *, owner_telegram_id: int | None, bot_id: int) -> Heard | Dropped:
    """What a raw update is for us. Never raises: what can't be read is a signal too."""
    if owner_telegram_id is None:
        return Dropped("unpaired")
    try:
        return _read(update, owner_telegram_id)
    except POISON as error:
        return _unreadable(update, owner_telegram_id, bot_id, error)


def count_name(dropped: Dropped) -> str:
    """The name under which such updates are counted."""
    return f"telegram dropped {dropped.reason}"


def _read(update: Mapping[str, Any], owner_telegram_id: int) -> Heard | Dropped:
    for kind, read in _READERS.items():
        if kind in update:
            body = _mapping(update[kind])
            return _foreign(body, owner_telegram_id) or read(body)
    if any("business" in kind for kind in update):
        return Dropped("business")
    return Dropped("inline" if "inline_query" in update or "chosen_inline_result" in update else "useless")


def _foreign(body: Mapping[str, Any], owner_telegram_id: int) -> Dropped | None:
    """Why this is not the owner speaking in a private chat; None when it is."""
    if "business_connection_id" in body:
        return Dropped("business")
    chat = _chat(body)
    if chat is None:
        return Dropped("inline")
    # Who is not named is nobody, but for a stopped draft, which only the one in the private chat can stop.
    sender = body.get("from") or body.get("user") or (_chat(body) if "draft_id" in body else None)
    if sender is None:
        return Dropped("stranger")
    if _whole(_mapping(sender)["id"]) != owner_telegram_id:
        return Dropped("stranger")
    private = chat["type"] == "private" and _whole(chat["id"]) == owner_telegram_id
    return None if private else Dropped("group")


def _chat(body: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The chat; None for a tap on a message sent through inline mode, which has none."""
    if "inline_message_id" in body:
        return None
    return _mapping(body["chat"] if "chat" in body else _mapping(body["message"])["chat"])


def _message(body: Mapping[str, Any]) -> Heard | Dropped:
    if is_service(body):
        return Dropped("service")
    source_id = f"message:{_chat_id(body)}:{_message_id(body)}"
    return _heard("message", source_id, _said(body), topic_id=_topic_id(body))


def _edit(body: Mapping[str, Any]) -> Heard | Dropped:
    said = _said(body)
    edited = _whole(body["edit_date"])
    mark = hashlib.sha256(said["text"].encode(errors="replace")).hexdigest()[:16]
    source_id = f"edit:{_chat_id(body)}:{_message_id(body)}:{edited}:{mark}"
    return _heard("edit", source_id, {**said, "edited_at": _moment(edited)}, topic_id=_topic_id(body))


def _tap(body: Mapping[str, Any]) -> Heard | Dropped:
    callback_id = _text(body["id"])
    message = _mapping(body["message"])
    payload = {
        "data": body.get("data", ""),
        "callback_id": callback_id,
        # Who and where, once more: what lets something out looks at both by itself (memory/approval).
        "user": str(_whole(_mapping(body["from"])["id"])),
        "chat": str(_chat_id(body["message"])),
        "message_id": _message_id(message),
        "topic_id": _topic_id(message),
    }
    return _heard("tap", f"tap:{callback_id}", payload, topic_id=payload["topic_id"])


def _reaction(body: Mapping[str, Any]) -> Heard | Dropped:
    emojis = [reaction.get("emoji", "custom") for reaction in body["new_reaction"]]
    source_id = f"reaction:{_chat_id(body)}:{_message_id(body)}:{_whole(body['date'])}:{'+'.join(emojis)}"
    return _heard("reaction", source_id, {"message_id": _message_id(body), "emojis": emojis})


def _membership(body: Mapping[str, Any]) -> Heard | Dropped:
    status = _text(body["new_chat_member"]["status"])
    blocked = status in {"kicked", "left"}
    source_id = f"membership:{_chat_id(body)}:{_whole(body['date'])}:{status}"
    return _heard("membership", source_id, {"blocked": blocked}, blocked=blocked)


def _stopped(body: Mapping[str, Any]) -> Heard | Dropped:
    draft_id = _whole(body["draft_id"])
    return _heard("stopped", f"stopped:{_chat_id(body)}:{draft_id}", {"draft_id": draft_id})


_READERS: Mapping[str, Callable[[Mapping[str, Any]], Heard | Dropped]] = {
    "message": _message,
    "edited_message": _edit,
    "callback_query": _tap,
    "message_reaction": _reaction,
    "my_chat_member": _membership,
    "stopped_message_generation": _stopped,
}


def _said(body: Mapping[str, Any]) -> dict[str, Any]:
    text = _text(body["text"] if "text" in body else body.get("caption", ""))
    reply = body.get("reply_to_message")
    quote = body.get("quote")
    return {
        "text": text,
        "message_id": _message_id(body),
        "reply_to": _message_id(_mapping(reply)) if reply else None,
        "quote": quote["text"] if quote else None,
        "forwarded_from": _forwarded_from(body.get("forward_origin")),
        "media": media(body),
        "album_id": body.get("media_group_id"),
        "topic_id": _topic_id(body),
        "links": _links(body),
        "sent_at": _moment(_whole(body["date"])),
    }


def _links(body: Mapping[str, Any]) -> list[str]:
    """Addresses that stand behind words of the text, which as plain text would be lost."""
    entities = body.get("entities") or body.get("caption_entities") or []
    return [entity["url"] for entity in entities if entity.get("type") == "text_link"]


def _forwarded_from(origin: Mapping[str, Any] | None) -> str | None:
    """A name for whom it was forwarded from. Telegram leaves out any part of an origin that its holder hides."""
    if not origin:
        return None
    who = origin.get("sender_user") or origin.get("sender_chat") or origin.get("chat") or {}
    names = (who.get("first_name"), who.get("last_name"), who.get("title"), origin.get("sender_user_name"))
    return " ".join(name for name in names if name) or "someone"


def _heard(
    kind: str, source_id: str, payload: Mapping[str, Any], *, topic_id: int | None = None, blocked: bool = False
) -> Heard:
    whole = clean({"channel": SOURCE, **payload})
    return Heard(NewSignal(source=SOURCE, kind=kind, source_id=clean(source_id), payload=whole), blocked, topic_id)


ID_MAX = 180
"""So many characters of a number that may be anything."""


def _unreadable(update: Any, owner_telegram_id: int, bot_id: int, error: Exception) -> Heard | Dropped:
    if _certainly_foreign(update, owner_telegram_id):
        return Dropped("stranger")
    update_id = update.get("update_id") if isinstance(update, Mapping) else None
    payload = {"channel": SOURCE, "reason": clean(f"{type(error).__name__}: {error}"), "update": _kept(update)}
    signal = NewSignal(
        source=SOURCE, kind="unreadable", source_id=clean(f"update:{bot_id}:{update_id}")[:ID_MAX], payload=payload
    )
    return Heard(signal, blocked=None)


def _kept(update: Any) -> Any:
    try:
        return clean(update)
    except RecursionError:
        return None


def _certainly_foreign(update: Any, owner_telegram_id: int) -> bool:
    """Whether a whole number stands where the sender's id belongs, and it is another's."""
    bodies = [body for body in update.values() if isinstance(body, Mapping)] if isinstance(update, Mapping) else []
    senders = [body.get("from") or body.get("user") for body in bodies]
    ids = [sender.get("id") for sender in senders if isinstance(sender, Mapping)]
    return any(isinstance(found, int) and found != owner_telegram_id for found in ids)


def clean(value: Any) -> Any:
    """`value` without what JSON lets through and a database or UTF-8 does not: lone surrogates, NaN, infinities."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {clean(key): clean(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [clean(inner) for inner in value]
    return value


def _chat_id(body: Mapping[str, Any]) -> int:
    return _whole(body["chat"]["id"])


def _message_id(body: Mapping[str, Any]) -> str:
    return str(_whole(body["message_id"]))


def _topic_id(body: Mapping[str, Any]) -> int | None:
    """The topic of the private chat; other threads than topics are of no use to an answer."""
    return _whole(body["message_thread_id"]) if body.get("is_topic_message") else None


def _moment(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat()


def _mapping(value: Any) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise TypeError(f"{type(value).__name__} where an object belongs")
    return value


def _whole(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{type(value).__name__} where a whole number belongs")
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{type(value).__name__} where text belongs")
    return value
