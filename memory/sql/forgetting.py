"""Forgetting: everything that repeats a message is emptied. The rows stay, so that what hangs on them does."""

from collections.abc import Collection, Sequence
from datetime import datetime

from sqlalchemy import ColumnElement, Connection, String, cast, func, literal, or_, select, update

from memory.file import FORGOTTEN
from memory.loop import subject as loop_subject
from memory.reminder import subject as reminder_subject
from memory.sql.loops import SqlLoops, SqlReminders
from memory.sql.passages import forget_passage
from memory.sql.recollection_erasing import cancel_extracting, let_go
from memory.sql.schema import (
    cards,
    decisions,
    files,
    loops,
    messages,
    pieces,
    reminders,
    signal_heads,
    signal_payloads,
    turns,
)
from memory.thread import Forgotten, Message

GONE = "…"
"""What stands in the place of a title."""

_NO_CARD = {"text": "", "choices": [], "because": "forgotten", "state": ""}


def forget(connection: Connection, message: Message, *, now: datetime) -> Forgotten:
    """Empty the message and, if it is the owner's, what was answered and what it opened, as far as that is over."""
    turn_ids, signal_ids = _turns(connection, message)
    opened = _opened(connection, message.owner_id, signal_ids)
    set_ids = _set(connection, message.owner_id, signal_ids, opened)
    opened += _came_round(connection, message.owner_id, set_ids)
    erased = [message.id, *_answers(connection, message, turn_ids, set_ids)]
    empty_messages(connection, message.owner_id, erased, now)
    empty_signals(connection, message)
    _empty_titles(connection, opened, set_ids)
    let_go(
        connection,
        message.owner_id,
        [f"message:{number}" for number in erased] + _file_refs(connection, erased),
        because="the words it rested on were forgotten",
        now=now,
    )
    cancel_extracting(connection, turn_ids, because="its question was forgotten", now=now)
    return Forgotten(
        loops=tuple(connection.execute(select(loops.c.id).where(loops.c.id.in_(opened), _OPEN)).scalars()),
        reminders=tuple(connection.execute(select(reminders.c.id).where(reminders.c.id.in_(set_ids), _SET)).scalars()),
        unheld=_empty_files(connection, message, now),
    )


_OPEN = loops.c.state == "open"
_SET = reminders.c.state == "set"


def _turns(connection: Connection, message: Message) -> tuple[list[int], list[int]]:
    """The turns of the message, one for each time it was edited, and the signals that opened them."""
    if message.role != "owner" or message.turn_id is None:
        return [], []
    question = select(turns.c.question_id).where(turns.c.id == message.turn_id).scalar_subquery()
    rows = connection.execute(select(turns.c.id, turns.c.signal_id).where(turns.c.question_id == question)).all()
    return [row.id for row in rows], [row.signal_id for row in rows]


def _opened(connection: Connection, owner_id: int, signal_ids: Sequence[int]) -> list[int]:
    return _numbers(connection, owner_id, signal_ids, "opened", loop_subject(0)[:-1])


def _set(connection: Connection, owner_id: int, signal_ids: Sequence[int], opened: Sequence[int]) -> list[int]:
    """The reminders that bear the message's own words: one set by a snooze bears those of its loop."""
    found = _numbers(connection, owner_id, signal_ids, "set", reminder_subject(0)[:-1])
    own = reminders.c.loop_id.is_(None) | reminders.c.loop_id.in_(opened) | reminders.c.rule.is_not(None)
    return list(connection.execute(select(reminders.c.id).where(reminders.c.id.in_(found), own)).scalars())


def _numbers(connection: Connection, owner_id: int, signal_ids: Sequence[int], decided: str, prefix: str) -> list[int]:
    rows = connection.execute(
        select(decisions.c.subject).where(
            decisions.c.owner_id == owner_id, decisions.c.signal_id.in_(signal_ids), decisions.c.decided == decided
        )
    )
    return [int(name.removeprefix(prefix)) for name in rows.scalars() if name.startswith(prefix)]


def _came_round(connection: Connection, owner_id: int, set_ids: Sequence[int]) -> list[int]:
    """The loops that a reminder's rule has opened."""
    reasons = [f"reminder {number} came round" for number in set_ids]
    return list(
        connection.execute(
            select(loops.c.id).where(loops.c.owner_id == owner_id, loops.c.because.in_(reasons))
        ).scalars()
    )


def _answers(
    connection: Connection, message: Message, turn_ids: Sequence[int], set_ids: Sequence[int]
) -> Sequence[int]:
    """What Stillbell said in these turns, and each time that one of these reminders came round."""
    rounds = [pieces.c.key.startswith(f"{reminder_subject(number)}:", autoescape=True) for number in set_ids]
    fired = select(pieces.c.message_id).where(or_(literal(False), *rounds))
    said = messages.c.turn_id.in_(turn_ids) | messages.c.id.in_(fired)
    own = (messages.c.owner_id == message.owner_id) & (messages.c.role == "stillbell")
    return list(connection.execute(select(messages.c.id).where(own, said)).scalars())


def empty_messages(connection: Connection, owner_id: int, message_ids: Sequence[int], now: datetime) -> None:
    """Take away their words, their passages, the cards that they showed, and what of them is on its way."""
    connection.execute(update(messages).where(messages.c.id.in_(message_ids)).values(text="", edited_at=now))
    for message_id in message_ids:
        forget_passage(connection, owner_id, f"message:{message_id}")
    connection.execute(
        update(pieces)
        .where(pieces.c.message_id.in_(message_ids), pieces.c.ended_at.is_(None))
        .values(state="dropped", because="forgotten", ended_at=now)
    )
    _empty_cards(connection, message_ids, now)


def _empty_cards(connection: Connection, message_ids: Sequence[int], now: datetime) -> None:
    shown = select(pieces.c.card_id).where(pieces.c.message_id.in_(message_ids), pieces.c.card_id.is_not(None))
    latest = select(messages.c.card_id).where(messages.c.id.in_(message_ids), messages.c.card_id.is_not(None))
    _empty_some_cards(connection, list(connection.execute(shown.union(latest)).scalars()), now)


def _empty_some_cards(connection: Connection, card_ids: Sequence[int], now: datetime) -> None:
    connection.execute(update(cards).where(cards.c.id.in_(card_ids)).values(value=_NO_CARD))
    still_open = cards.c.id.in_(card_ids) & (cards.c.state == "open")
    connection.execute(update(cards).where(still_open).values(state="stale", decided_at=now))


def empty_cards_about(connection: Connection, owner_id: int, subjects: Sequence[str], *, now: datetime) -> None:
    """Empty every card about these subjects, and the messages that showed them."""
    _empty_cards_where(connection, owner_id, cards.c.subject.in_(subjects), now)


def empty_cards_of(connection: Connection, owner_id: int, kinds: Collection[str], *, now: datetime) -> None:
    """The same for every card of these kinds."""
    _empty_cards_where(connection, owner_id, cards.c.kind.in_(kinds), now)


def _empty_cards_where(connection: Connection, owner_id: int, which: ColumnElement[bool], now: datetime) -> None:
    about = select(cards.c.id).where(cards.c.owner_id == owner_id, which)
    card_ids = list(connection.execute(about).scalars())
    shown = select(pieces.c.message_id).distinct().where(pieces.c.card_id.in_(card_ids))
    empty_messages(connection, owner_id, list(connection.execute(shown).scalars()), now)
    _empty_some_cards(connection, card_ids, now)


def empty_loops(connection: Connection, loop_ids: Sequence[int], *, because: str, now: datetime) -> None:
    """Drop those that are open, with a row for each, and take their names and those of their reminders away."""
    kept = SqlLoops(connection)
    for loop_id in loop_ids:
        kept.close(loop_id, state="dropped", because=because, now=now)
    reminder_ids = list(connection.execute(select(reminders.c.id).where(reminders.c.loop_id.in_(loop_ids))).scalars())
    _empty_titles(connection, loop_ids, reminder_ids)


def empty_reminders(connection: Connection, reminder_ids: Sequence[int], *, because: str, now: datetime) -> None:
    """Cancel those that are set, with a row for each, and take their names away."""
    kept = SqlReminders(connection)
    for reminder_id in reminder_ids:
        kept.cancel(reminder_id, because=because, now=now)
    _empty_titles(connection, (), reminder_ids)


def empty_signals(connection: Connection, message: Message) -> None:
    """The payload that brought the message, and those of its edits."""
    own = select(messages.c.signal_id).where(messages.c.id == message.id, messages.c.signal_id.is_not(None))
    edits = (
        select(signal_heads.c.id)
        .join(signal_payloads, signal_payloads.c.signal_id == signal_heads.c.id)
        .where(
            signal_heads.c.owner_id == message.owner_id,
            signal_heads.c.received_at >= message.at,
            signal_heads.c.kind == "edit",
            func.coalesce(func.json_extract(signal_payloads.c.payload, "$.channel"), "telegram") == message.channel,
            cast(func.json_extract(signal_payloads.c.payload, "$.message_id"), String).in_(message.channel_message_ids),
        )
    )
    ids = list(connection.execute(own.union(edits)).scalars())
    connection.execute(update(signal_payloads).where(signal_payloads.c.signal_id.in_(ids)).values(payload=None))


def _file_refs(connection: Connection, message_ids: Sequence[int]) -> list[str]:
    found = connection.execute(select(files.c.id).where(files.c.message_id.in_(message_ids))).scalars()
    return [f"file:{number}" for number in found]


def _empty_titles(connection: Connection, loop_ids: Sequence[int], reminder_ids: Sequence[int]) -> None:
    """Only of what is over: what is still open has to have a name."""
    connection.execute(update(loops).where(loops.c.id.in_(loop_ids), ~_OPEN).values(title=GONE))
    connection.execute(update(reminders).where(reminders.c.id.in_(reminder_ids), ~_SET).values(text=GONE))


def _empty_files(connection: Connection, message: Message, now: datetime) -> tuple[str, ...]:
    """Name and words of the files; the hashes of those bytes that no other message has brought."""
    rows = connection.execute(select(files.c.id, files.c.sha256).where(files.c.message_id == message.id)).all()
    for row in rows:
        forget_passage(connection, message.owner_id, f"file:{row.id}")
    connection.execute(
        update(files)
        .where(files.c.message_id == message.id)
        .values(
            state="failed",
            because=FORGOTTEN,
            name=files.c.kind,
            media_type="",
            channel_file_id="",
            size_bytes=None,
            sha256=None,
            pages=None,
            text_state="none",
            then_do=None,
            settled_at=now,
        )
    )
    hashes = {row.sha256 for row in rows if row.sha256 is not None}
    held = set(connection.execute(select(files.c.sha256).where(files.c.sha256.in_(hashes))).scalars())
    return tuple(sorted(hashes - held))
