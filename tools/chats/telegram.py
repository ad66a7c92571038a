"""An export of Telegram Desktop (`result.json`), of one chat or of a whole account, as chats."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from hashlib import sha256
from itertools import islice
from typing import Any, BinaryIO

from memory.zones import Timeline
from tools.chats.chat import FAULTS_MAX, TEXT_MAX, Chat, Fault, Said, tags_of
from tools.chats.json_stream import DEPTH_MAX, BadJson, JsonStream

NAME_MAX = 120

_MEDIA = {
    "voice_message": "voice",
    "video_message": "video",
    "video_file": "video",
    "audio_file": "voice",
    "sticker": "sticker",
    "animation": "gif",
}

Header = dict[str, Any]
"""What is told of a chat, or of the account, beside its messages."""


def read_telegram(file: BinaryIO, *, zones: Timeline, me: Iterable[str]) -> Iterator[Chat]:
    """The chats of an export, one at a time. Never raises but OSError: what can't be read is named in a chat's faults.

    zones: the owner's, whose clock older exports show. me: the ids by which the owner goes ("user123"), as far as known.
    """
    reading = _Reading(zones, set(me))
    stream = JsonStream(file)
    try:
        yield from reading.chats(stream, 0)
    except BadJson as error:
        yield reading.damaged(str(error))


class _Reading:
    """One pass over an export."""

    def __init__(self, zones: Timeline, me: set[str]) -> None:
        self._zones = zones
        self._me = me
        self._owner = ""
        self._half: tuple[Header, list[Said], list[Fault], list[str]] | None = None

    def chats(self, stream: JsonStream, depth: int) -> Iterator[Chat]:
        """Those in the object that comes next."""
        header: Header = {}
        for name in stream.members():
            opens = stream.peek()
            if name == "messages" and opens == "[":
                yield self._chat(stream, header)
            elif name in ("chats", "left_chats") and opens == "{" and depth < DEPTH_MAX:
                yield from self.chats(stream, depth + 1)
            elif name == "list" and opens == "[" and depth == 1:
                for _ in stream.elements():
                    yield from self.chats(stream, depth + 1)
            else:
                header[name] = stream.value()
                if name == "personal_information":
                    self._know(header[name])

    def damaged(self, because: str) -> Chat:
        """What could be read of the chat in which the file breaks off."""
        header, said, faults, keys = self._half or ({}, [], [], [])
        return self._made(header, said, [*faults, Fault(0, because)], keys)

    def _know(self, personal: object) -> None:
        if isinstance(personal, Mapping) and isinstance(personal.get("user_id"), int):
            self._owner = f"user{personal['user_id']}"
            self._me.add(self._owner)

    def _chat(self, stream: JsonStream, header: Header) -> Chat:
        said: list[Said] = []
        faults: list[Fault] = []
        keys: list[str] = []
        self._half = header, said, faults, keys
        for number, _ in enumerate(stream.elements(), 1):
            message = stream.value()
            try:
                one = self._said(message, number, keys)
            except (ValueError, TypeError, OverflowError, OSError) as error:
                if len(faults) < FAULTS_MAX:
                    faults.append(Fault(number, f"no message that can be read ({error})"[:200]))
                continue
            if one is not None:
                said.append(one)
        self._half = None
        return self._made(header, said, faults, keys)

    def _said(self, message: object, number: int, keys: list[str]) -> Said | None:
        if not isinstance(message, Mapping):
            raise TypeError("it is no object")
        key = f"{_number(message.get('id'), number):015}"
        keys.append(key)
        if message.get("type") != "message":
            return None
        text, links = _text(message.get("text"))
        names, tags = _media(message)
        text = "\n".join(part for part in (*names, text, *_poll(message)) if part)[:TEXT_MAX].strip()
        if not text:
            text = f"[{tags[0]}]" if tags else ""
        return (
            Said(
                key=key,
                at=self._at(message),
                who=_name(message.get("from")) or "Deleted account",
                address=str(message.get("from_id") or "")[:60],
                text=text,
                tags=tuple(dict.fromkeys((*tags, *tags_of(text, *names), *links))),
                forwarded_from=_name(message.get("forwarded_from")),
            )
            if text
            else None
        )

    def _at(self, message: Mapping[str, Any]) -> datetime:
        if unix := message.get("date_unixtime"):
            return datetime.fromtimestamp(int(unix), UTC)
        at = datetime.fromisoformat(str(message.get("date")))
        return at.astimezone(UTC) if at.tzinfo else self._zones.wall_to_utc(at)

    def _made(self, header: Header, said: list[Said], faults: list[Fault], keys: list[str]) -> Chat:
        name = _name(header.get("name")) or ("Saved messages" if header.get("type") == "saved_messages" else "Telegram")
        ours = self._ours(header, said)
        told = tuple(_as_mine(one) if one.address in ours else one for one in said)
        others = dict.fromkeys((one.who, "") for one in told if not one.is_mine)
        number = header.get("id")
        known = f"{header.get('type')}:{number}" if isinstance(number, int) else name.casefold()
        return Chat(
            kind="telegram",
            key=sha256(known.encode("utf-8", "replace")).hexdigest()[:16],
            name=name,
            said=told,
            others=tuple(islice(others, 0, None)),
            first=min(keys, default=""),
            last=max(keys, default=""),
            by_name=not isinstance(number, int),
            is_mine_known=bool(ours) or not told,
            calls_me=tuple(sorted(ours)),
            faults=tuple(faults),
        )

    def _ours(self, header: Header, said: Iterable[Said]) -> set[str]:
        """The owner's ids among those who speak: in a talk of two it is the one whose chat it is not."""
        speak = {one.address for one in said}
        if header.get("type") == "personal_chat" and isinstance(header.get("id"), int):
            rest = speak - {f"user{header['id']}"}
            return self._me & speak or (rest if len(rest) == 1 else set())
        if header.get("type") == "saved_messages" and not self._me & speak:
            return speak if len(speak) == 1 else set()
        return self._me & speak


def _as_mine(said: Said) -> Said:
    return Said(
        key=said.key,
        at=said.at,
        who="you",
        text=said.text,
        is_mine=True,
        tags=said.tags,
        forwarded_from=said.forwarded_from,
        files=said.files,
    )


def _number(given: object, otherwise: int) -> int:
    return given if isinstance(given, int) and 0 <= given < 10**15 else otherwise


def _text(given: object) -> tuple[str, tuple[str, ...]]:
    """Plain words, or a list of them and of marked ones; and "link" when one of them leads somewhere."""
    if isinstance(given, str):
        return given, ()
    parts = given if isinstance(given, list) else []
    texts = [
        part if isinstance(part, str) else str(part.get("text") or "") for part in parts if isinstance(part, str | dict)
    ]
    leads = any(isinstance(part, dict) and "link" in str(part.get("type")) for part in parts)
    return "".join(texts), ("link",) if leads else ()


def _media(message: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    """The names of what came with it, and what that is."""
    tags = []
    if message.get("photo"):
        tags.append("photo")
    if kind := _MEDIA.get(str(message.get("media_type"))):
        tags.append(kind)
    for part, tag in (("location_information", "location"), ("contact_information", "contact"), ("poll", "poll")):
        if message.get(part):
            tags.append(tag)
    name = str(message.get("file_name") or "")[:250]
    is_paper = bool(name) and "sticker" not in tags
    return [name] if is_paper else [], [*tags, *(["attachment"] if message.get("file") and not is_paper else [])]


def _poll(message: Mapping[str, Any]) -> list[str]:
    poll = message.get("poll")
    if not isinstance(poll, Mapping):
        return []
    answers = [one for one in poll.get("answers") or [] if isinstance(one, Mapping)]
    return [_flat(poll.get("question")), *(f"- {_flat(one.get('text'))}" for one in answers[:30])]


def _flat(given: object) -> str:
    return _text(given)[0]


def _name(given: object) -> str:
    return " ".join(given.split())[:NAME_MAX] if isinstance(given, str) else ""
