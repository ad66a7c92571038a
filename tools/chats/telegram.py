"""An export of Telegram Desktop (`result.json`), of one chat or of a whole account, as chats."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any, BinaryIO

from memory.zones import Timeline
from tools.chats.chat import FAULTS_MAX, TEXT_MAX, Chat, Fault, Said, tags_of
from tools.chats.json_stream import DEPTH_MAX, BadJson, JsonStream

NAME_MAX = 120

_IS_ID = re.compile(r"user\d+")
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

    zones: the owner's, whose clock older exports show. me: the ids ("user123") and names by which the owner goes, as far as known.
    """
    reading = _Reading(zones, set(me))
    stream = JsonStream(file)
    try:
        yield from reading.chats(stream, 0)
    except BadJson as error:
        yield reading.damaged(str(error))


@dataclass(slots=True)
class _Half:
    """A chat of which not everything was read yet. keys: those of everything in it, also of what nobody said."""

    header: Header
    said: list[Said] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)


class _Reading:
    """One pass over an export."""

    def __init__(self, zones: Timeline, me: set[str]) -> None:
        self._zones = zones
        self._me = me | {one.casefold() for one in me}
        self._half: _Half | None = None

    def chats(self, stream: JsonStream, depth: int) -> Iterator[Chat]:
        """Those in the object that comes next."""
        header: Header = {}
        half: _Half | None = None
        for name in stream.members():
            opens = stream.peek()
            if name == "messages" and opens == "[":
                half = self._half = _Half(header)
                self._gather(stream, half)
            elif name in ("chats", "left_chats") and opens == "{" and depth < DEPTH_MAX:
                yield from self.chats(stream, depth + 1)
            elif name == "list" and opens == "[" and depth == 1:
                for _ in stream.elements():
                    yield from self.chats(stream, depth + 1)
            else:
                header[name] = stream.value()
                if name == "personal_information":
                    self._know(header[name])
        if half is not None:
            self._half = None
            yield self._made(half)

    def damaged(self, because: str) -> Chat:
        """What could be read of the chat in which the file breaks off."""
        half = self._half or _Half({})
        half.faults.append(Fault(0, because))
        return self._made(half)

    def _know(self, personal: object) -> None:
        if isinstance(personal, Mapping) and isinstance(personal.get("user_id"), int):
            self._me.add(f"user{personal['user_id']}")

    def _gather(self, stream: JsonStream, half: _Half) -> None:
        for number, _ in enumerate(stream.elements(), 1):
            message = stream.value()
            try:
                one = self._said(message, number, half.keys)
            except (ValueError, TypeError, OverflowError, OSError) as error:
                if len(half.faults) < FAULTS_MAX:
                    half.faults.append(Fault(number, f"no message that can be read ({error})"[:200]))
                continue
            if one is not None:
                half.said.append(one)

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
                files=_files(message),
            )
            if text
            else None
        )

    def _at(self, message: Mapping[str, Any]) -> datetime:
        if unix := message.get("date_unixtime"):
            return datetime.fromtimestamp(int(unix), UTC)
        at = datetime.fromisoformat(str(message.get("date")))
        return at.astimezone(UTC) if at.tzinfo else self._zones.wall_to_utc(at)

    def _made(self, half: _Half) -> Chat:
        header = half.header
        name = _name(header.get("name")) or ("Saved messages" if header.get("type") == "saved_messages" else "Telegram")
        ours = self._ours(header, half.said)
        told = tuple(
            replace(one, who="you", is_mine=True) if ours & {one.address, one.who.casefold()} else one
            for one in half.said
        )
        number = header.get("id")
        known = f"{header.get('type')}:{number}" if isinstance(number, int) else name.casefold()
        return Chat(
            kind="telegram",
            key=sha256(known.encode("utf-8", "replace")).hexdigest()[:16],
            name=name,
            said=told,
            others=tuple(dict.fromkeys((one.who, "") for one in told if not one.is_mine)),
            first=min(half.keys, default=""),
            last=max(half.keys, default=""),
            by_name=not isinstance(number, int),
            is_mine_known=bool(ours) or not told,
            calls_me=tuple(sorted({one.address for one in told if one.is_mine and one.address})),
            faults=tuple(half.faults),
        )

    def _ours(self, header: Header, said: Iterable[Said]) -> set[str]:
        """The owner's ids, or names, among those who speak: in a talk of two it is the one whose chat it is not."""
        speak = {one.address for one in said if one.address}
        if header.get("type") == "personal_chat" and isinstance(header.get("id"), int):
            rest = speak - {f"user{header['id']}"}
            if len(rest) == 1 and len(speak) == 2:
                return rest
        if header.get("type") == "saved_messages" and len(speak) == 1:
            return speak
        if speak and any(_IS_ID.fullmatch(one) for one in self._me):
            return self._me & speak
        # Names are chosen by whoever bears them: one that several bear is nobody's.
        bearers = {(one.who.casefold(), one.address) for one in said if one.who.casefold() in self._me}
        return {name for name, _ in bearers} if len(bearers) == 1 else set()


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


def _files(message: Mapping[str, Any]) -> tuple[str, ...]:
    """Where the file lies that came with it, seen from the export; what was not exported has no place."""
    place = message.get("file")
    is_there = isinstance(place, str) and not place.startswith("(") and message.get("media_type") is None
    return (str(place)[:500],) if is_there else ()


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
