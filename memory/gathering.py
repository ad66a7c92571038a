"""Gathering: what belongs to one turn though it comes as several messages, and how long that is waited for.

    a forward and its comment   two messages, in either order
    an album                    a message for each picture, tied by an id, the caption on one of them
    a long paste                cut by the app into messages that nothing ties together, each but the last nearly full

Pure: parts and the present in, a decision with its reason out. A plain short message never waits.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from memory.file import KINDS
from memory.signal import Signal
from memory.thread import Message

BUNDLES = frozenset({"telegram"})
"""The channels whose apps cut and bundle what is sent in one gesture."""

FULL_UNITS = 3_900
"""A text of so many UTF-16 units may have been cut by the app: Telegram's limit is 4,096, and some apps cut earlier."""

ONE_GESTURE_FOR = timedelta(seconds=3)
"""How far apart parts of one gesture are sent at most; Telegram dates messages to the second."""

PARTS_MAX = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """How long after its last part more is waited for, and `in_all_for` how long after the first at most."""

    album_for: timedelta = timedelta(milliseconds=800)
    paste_for: timedelta = timedelta(seconds=1)
    comment_for: timedelta = timedelta(milliseconds=1200)
    more_forwards_for: timedelta = timedelta(milliseconds=400)
    in_all_for: timedelta = timedelta(seconds=15)


USUAL = Patience()


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One message as far as gathering looks at it. `sent_at` is the channel's own date of it."""

    channel: str
    received_at: datetime
    sent_at: datetime
    units: int = 0
    album_id: str | None = None
    is_forwarded: bool = False
    has_media: bool = False
    is_command: bool = False

    @property
    def is_own_text(self) -> bool:
        """Whether it is nothing but words of the owner's own."""
        return self.units > 0 and not self.is_forwarded and not self.has_media

    @property
    def is_full(self) -> bool:
        """Whether the app may have cut the text here."""
        return self.units >= FULL_UNITS and not self.has_media


@dataclass(frozen=True, slots=True)
class Wait:
    """More may belong to this turn: look again at `until`, or when something else arrives."""

    until: datetime
    because: str


@dataclass(frozen=True, slots=True)
class Ready:
    """The turn is whole."""

    because: str


def part_of(signal: Signal) -> Part:
    """The part that a signal of the kind *message* is. Never raises, whatever a hand has written."""
    said = signal.payload
    text = said.get("text")
    text = text if isinstance(text, str) else ""
    album_id = said.get("album_id")
    return Part(
        channel=str(said.get("channel", "")),
        received_at=signal.received_at,
        sent_at=_sent_at(said) or signal.received_at,
        units=len(text.encode("utf-16-le", "surrogatepass")) // 2,
        album_id=str(album_id) if album_id else None,
        is_forwarded=bool(said.get("forwarded_from")),
        has_media=isinstance(said.get("media"), Mapping),
        is_command=text.startswith("/"),
    )


def _sent_at(said: Mapping[str, Any]) -> datetime | None:
    try:
        moment = datetime.fromisoformat(str(said.get("sent_at")))
    except ValueError:
        return None
    return moment.astimezone(UTC) if moment.tzinfo else None


def joins(parts: Sequence[Part], new: Part) -> str | None:
    """Why `new`, the next message after `parts`, belongs to their turn; None when it begins one of its own."""
    last = parts[-1]
    if new.channel not in BUNDLES or new.channel != last.channel or new.is_command or len(parts) >= PARTS_MAX:
        return None
    if new.album_id is not None and new.album_id == last.album_id:
        return "the same album"
    if last.is_command or abs(new.sent_at - last.sent_at) > ONE_GESTURE_FOR:
        return None
    return _in_one_gesture(last, new)


def _in_one_gesture(last: Part, new: Part) -> str | None:
    if last.is_full and not new.has_media and new.is_forwarded == last.is_forwarded:
        return "the next fragment of a long text"
    if new.is_forwarded and (last.is_forwarded or last.is_own_text):
        return "forwarded in one gesture"
    if new.is_own_text and (last.is_forwarded or last.has_media):
        return "the comment on it"
    return None


def wait_or_go(parts: Sequence[Part], now: datetime, patience: Patience = USUAL) -> Wait | Ready:
    """Whether the turn of `parts` may be answered, or more of it may be on the way."""
    last = parts[-1]
    waits = _patience_with(parts, patience)
    if last.channel not in BUNDLES or waits is None:
        return Ready("a message by itself")
    wait_for, because = waits
    until = min(last.received_at + wait_for, parts[0].received_at + patience.in_all_for)
    # A clock that was set back must not make a moment long.
    until = min(until, now + wait_for)
    return Wait(until, because) if until > now else Ready(f"nothing more came ({because})")


def _patience_with(parts: Sequence[Part], patience: Patience) -> tuple[timedelta, str] | None:
    last = parts[-1]
    if last.album_id is not None:
        return patience.album_for, "an album may have more"
    if last.is_full:
        return patience.paste_for, "a long text may go on"
    if last.is_forwarded and any(part.is_own_text for part in parts):
        return patience.more_forwards_for, "more may be forwarded with it"
    if last.is_forwarded:
        return patience.comment_for, "a forward may have a comment"
    return None


def together(texts: Sequence[str]) -> str:
    """The texts of the parts in order as one: fragments as they were before they were cut, else a blank line between."""
    whole = ""
    glue = False
    for text in texts:
        if text:
            whole += ("" if glue or not whole else "\n\n") + text
            glue = len(text.encode("utf-16-le", "surrogatepass")) // 2 >= FULL_UNITS
    return whole


def own_words(message: Message, signal: Signal) -> str:
    """What of one message the owner wrote: not what was forwarded, nor what a place or a contact is written as."""
    if signal.payload.get("forwarded_from"):
        return ""
    media = media_of(signal)
    if media is None or media.get("kind") in KINDS:
        return message.text
    return str(signal.payload.get("text") or "")


def media_of(signal: Signal) -> Mapping[str, Any] | None:
    """What the message holds beside text."""
    media = signal.payload.get("media")
    return media if isinstance(media, Mapping) and media.get("kind") else None
