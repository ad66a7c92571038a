"""Gathering a turn in the ledger: its messages are recorded as they come, and it is answered when it is whole.

    message ─► heard (row, turn) ─► those that wait behind it and belong to it: heard in the same turn, their jobs done
            ─► more may come: the job puts itself off, and is taken up again when the time is over or anything arrives

Every step is one transaction of the writer, idempotent by signal, so a kill at any point leaves a turn that goes on.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from memory import gathering, readable
from memory.file import FETCH_MAX_BYTES, KINDS, NewFile, StoredFile
from memory.gathering import Patience, Ready, Wait, joins, media_of, own_words, part_of, wait_or_go
from memory.job import Job
from memory.ledger import Tables
from memory.owner import Language
from memory.signal import Signal
from memory.thread import Message, Turn

FILE = "file"
"""The kind of job that fetches a file."""

LATE_FOR = timedelta(minutes=2)
"""A picture of an album that comes so late still belongs to its album's turn."""

Parts = Sequence[tuple[Message, Signal]]


@dataclass(frozen=True, slots=True)
class Gathered:
    """A turn and its messages so far. `is_new`: nothing of it was on record before."""

    turn: Turn
    parts: Parts
    is_new: bool

    @property
    def first(self) -> Message:
        """The message that opened the turn, or the one that answers an older message, if any does."""
        return next((message for message, _ in self.parts if message.reply_to_id is not None), self.parts[0][0])

    @property
    def own_words(self) -> str:
        """What the owner wrote, or said, in words of their own."""
        return gathering.together([own_words(message, signal) for message, signal in self.parts])

    @property
    def whole(self) -> str:
        """Everything that can be read of it, in order."""
        return gathering.together([message.text for message, _ in self.parts])

    @property
    def kinds(self) -> list[str]:
        """The kinds of what is more than text in it."""
        return [str(media["kind"]) for _, signal in self.parts if (media := media_of(signal))]

    @property
    def message_ids(self) -> frozenset[int]:
        """The ids of its messages."""
        return frozenset(message.id for message, _ in self.parts)


def hear(
    t: Tables, job: Job, language: Language, *, home: str, now: datetime, settles: Callable[[str], bool]
) -> Gathered:
    """Record the job's message: in a turn of its own, or in the newest one when it comes late and belongs there.

    Late is a picture of an album that was answered, and what was forwarded right behind a comment that `settles` the
    matter: plain code has answered it, and a second answer would only repeat that.
    """
    signal = job.asked_by()
    late = _joins_late(t, job.owner_id, signal, now, settles)
    if late is not None:
        _join(t, late, signal, language, now)
        return Gathered(late, t.thread.parts(late.id), is_new=False)
    message, turn, is_new = t.thread.hear(
        owner_id=job.owner_id,
        channel=str(signal.payload.get("channel", home)),
        text=readable.in_words(signal.payload, language),
        signal_id=signal.id,
        channel_message_id=_text(signal.payload.get("message_id")),
        reply_to=_text(signal.payload.get("reply_to")),
        now=now,
    )
    if not is_new:
        return Gathered(turn, t.thread.parts(turn.id), is_new=False)
    want_file(t, message, signal, now)
    return Gathered(turn, [(message, signal)], is_new=True)


def _joins_late(t: Tables, owner_id: int, signal: Signal, now: datetime, settles: Callable[[str], bool]) -> Turn | None:
    part = part_of(signal)
    newest = t.thread.newest_turn(owner_id) if part.album_id or part.is_forwarded else None
    if newest is None or now - newest.opened_at > LATE_FOR:
        return None
    parts = t.thread.parts(newest.id)
    if not parts or parts[0][1].id == signal.id:
        return None
    last = part_of(parts[-1][1])
    if part.album_id is not None and last.album_id == part.album_id:
        return newest
    comment = gathering.together([own_words(message, other) for message, other in parts])
    belongs = bool(comment) and joins([last], part) is not None
    return newest if belongs and settles(comment) else None


def take_along(t: Tables, gathered: Gathered, job: Job, language: Language, *, now: datetime) -> tuple[Gathered, bool]:
    """Hear what waits behind `job` and belongs to its turn. The second value: whether anything else waits there."""
    parts = list(gathered.parts)
    for waiting in t.jobs.behind(job.id, job.thread):
        because = _because(parts, waiting)
        if because is None:
            return Gathered(gathered.turn, parts, gathered.is_new), True
        signal = waiting.asked_by()
        parts.append((_join(t, gathered.turn, signal, language, now), signal))
        t.jobs.take_along(waiting.id, because=because, now=now)
    return Gathered(gathered.turn, parts, gathered.is_new), False


def _because(parts: Parts, waiting: Job) -> str | None:
    if waiting.kind != "message" or waiting.signal is None:
        return None
    return joins([part_of(signal) for _, signal in parts], part_of(waiting.signal))


def decide(gathered: Gathered, *, is_closed: bool, now: datetime, patience: Patience) -> Wait | Ready:
    """Whether to answer now. `is_closed`: something that does not belong to it has come after it."""
    if is_closed:
        return Ready("something else has come")
    return wait_or_go([part_of(signal) for _, signal in gathered.parts], now, patience)


def _join(t: Tables, turn: Turn, signal: Signal, language: Language, now: datetime) -> Message:
    message, is_new = t.thread.join(
        turn_id=turn.id,
        text=readable.in_words(signal.payload, language),
        signal_id=signal.id,
        channel_message_id=_text(signal.payload.get("message_id")),
        reply_to=_text(signal.payload.get("reply_to")),
        now=now,
    )
    if is_new:
        want_file(t, message, signal, now)
    return message


def want_file(t: Tables, message: Message, signal: Signal, now: datetime) -> StoredFile | None:
    """Record the file that a message bears, if it does, and the job that fetches it."""
    media = media_of(signal)
    if media is None or media["kind"] not in KINDS or not media.get("file_id"):
        return None
    size = media.get("size_bytes")
    size_bytes = size if isinstance(size, int) else None
    forwarded_from = signal.payload.get("forwarded_from")
    new = NewFile(
        owner_id=message.owner_id,
        message_id=message.id,
        signal_id=signal.id,
        channel=message.channel,
        channel_file_id=str(media["file_id"]),
        kind=str(media["kind"]),
        name=str(media.get("file_name") or ""),
        media_type=str(media.get("media_type") or ("image/jpeg" if media["kind"] == "photo" else "")),
        size_bytes=size_bytes,
        is_forwarded=bool(forwarded_from),
        who=str(forwarded_from or "you"),
    )
    refused = "too large" if size_bytes is not None and size_bytes > FETCH_MAX_BYTES else None
    file = t.files.want(new, refused_because=refused, now=now)
    if refused is None:
        owner = f"owner:{file.owner_id}"
        t.jobs.add(
            owner_id=file.owner_id, kind=FILE, lane="background", thread=owner, payload={"file": file.id}, now=now
        )
    return file


def _text(value: object) -> str | None:
    return None if value is None else str(value)
