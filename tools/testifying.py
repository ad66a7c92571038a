"""The testimony of a turn, read from the ledger: what the owner said in it, what others did, and what came just before."""

from collections.abc import Sequence
from datetime import datetime
from itertools import groupby

from memory.file import StoredFile
from memory.gathering import own_words
from memory.ledger import Tables
from memory.signal import Signal
from memory.testimony import STILLBELL, Other, Saying, Testimony, apart
from memory.thread import Message, Turn
from tools.files.zones import zones

LOOKED_BACK = 10
"""So many messages are looked at, those of the turn included."""

FILE_MAX = 4_000
"""So many characters of what was read in a file."""

QUOTED = "quoted"
"""Who wrote what the owner quoted or pasted, as far as code can tell."""


def of_turn(t: Tables, turn: Turn) -> Testimony:
    """The last messages up to the end of this turn."""
    fresh = {message.id for message, _ in t.thread.parts(turn.id)}
    if not fresh:
        return Testimony(())
    messages = t.thread.history(turn.owner_id, limit=LOOKED_BACK, before_id=max(fresh) + 1)
    signals = _signals(t, messages)
    files = {number: list(some) for number, some in groupby(_files(t, messages), key=lambda file: file.message_id)}
    return Testimony(
        tuple(_saying(t, each, signals.get(each.id), files.get(each.id, ()), each.id in fresh) for each in messages)
    )


def _signals(t: Tables, messages: Sequence[Message]) -> dict[int, Signal]:
    turns = {message.turn_id for message in messages if message.role == "owner" and message.turn_id is not None}
    return {message.id: signal for turn_id in sorted(turns) for message, signal in t.thread.parts(turn_id)}


def _files(t: Tables, messages: Sequence[Message]) -> Sequence[StoredFile]:
    return t.files.of_messages({message.id for message in messages})


def _saying(t: Tables, message: Message, signal: Signal | None, files: Sequence[StoredFile], is_fresh: bool) -> Saying:
    if message.role != "owner":
        words = (Other(f"message:{message.id}", STILLBELL, message.text, message.at),) if message.text else ()
        # What Stillbell said bears nothing out, and is no observation either: it would come to believe itself.
        return Saying(message.id, message.at, others=words)
    said, others = own_and_others(message, signal)
    read = [found for file in files if (found := _read(t, file, message.at)) is not None]
    return Saying(message.id, message.at, said, (*others, *read), is_fresh)


def own_and_others(message: Message, signal: Signal | None) -> tuple[tuple[str, ...], tuple[Other, ...]]:
    """The owner's message as their own stretches of words and those of others."""
    ref = f"message:{message.id}"
    # Without its payload nobody knows any more whose words they were.
    own = own_words(message, signal) if signal is not None and signal.payload else ""
    if not own:
        who = str(signal.payload.get("forwarded_from") or QUOTED) if signal is not None else QUOTED
        text = "\n".join(line.removeprefix("> ") for line in message.text.splitlines())
        return (), (Other(ref, who, text, message.at),) if text.strip() else ()
    said, others = apart_by_zones(own)
    return said, tuple(Other(ref, QUOTED, text, message.at) for text in others)


def apart_by_zones(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The same as memory.testimony.apart, after what a mail's text would quote or pass on has been told apart."""
    said: list[str] = []
    others: list[str] = []
    found = zones(text)
    for is_foreign, some in groupby(
        zip(found.lines, found.labels, strict=True), key=lambda line: line[1] in {"attribution", "quoted", "forwarded"}
    ):
        stretch = "\n".join(line for line, _ in some).strip()
        if stretch and is_foreign:
            others.append(stretch)
        elif stretch:
            own, foreign = apart(stretch)
            said += own
            others += foreign
    return tuple(said), tuple(others)


def _read(t: Tables, file: StoredFile, at: datetime) -> Other | None:
    if file.is_own_voice or file.text_state != "read":
        return None
    text = t.files.text(file.id)[:FILE_MAX]
    return Other(f"file:{file.id}", file.name, text, at) if text.strip() else None
