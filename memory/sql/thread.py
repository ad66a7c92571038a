"""The conversation."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, select, update
from sqlalchemy.dialects.sqlite import insert as upsert

from memory.errors import NotFound
from memory.search.passage import Passage
from memory.sql.passages import keep_passage
from memory.sql.rows import put
from memory.sql.schema import message_ids, messages, turns
from memory.thread import Message, Turn

OVERTAKEN = "a newer message"


def remember_channel_id(
    connection: Connection, *, owner_id: int, channel: str, channel_message_id: str, message_id: int
) -> None:
    """The channel's own id of a message, so that replies and edits find it."""
    statement = upsert(message_ids).values(
        owner_id=owner_id, channel=channel, channel_message_id=channel_message_id, message_id=message_id
    )
    connection.execute(
        statement.on_conflict_do_update(index_elements=list(message_ids.primary_key), set_={"message_id": message_id})
    )


def make_findable(
    connection: Connection, message_id: int, *, owner_id: int, role: str, text: str, at: datetime
) -> None:
    """The message as a passage of the chat."""
    who = "you" if role == "owner" else "Stillbell"
    keep_passage(
        connection,
        owner_id,
        Passage(corpus="chat", ref=f"message:{message_id}", who=who, title="", text=text, at=at),
    )


class SqlThread:
    """See memory.ledger.Thread."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def hear(
        self,
        *,
        owner_id: int,
        channel: str,
        text: str,
        signal_id: int,
        channel_message_id: str | None,
        reply_to: str | None,
        now: datetime,
    ) -> tuple[Message, Turn, bool]:
        known = self._turn_where(turns.c.signal_id == signal_id)
        if known is not None:
            return self.get(known.question_id), known, False
        answered = self.by_channel_id(owner_id, channel, reply_to) if reply_to else None
        message_id = self._insert(
            messages,
            owner_id=owner_id,
            role="owner",
            channel=channel,
            text=text,
            at=now,
            reply_to_id=answered.id if answered else None,
            signal_id=signal_id,
        )
        if channel_message_id is not None:
            remember_channel_id(
                self._connection,
                owner_id=owner_id,
                channel=channel,
                channel_message_id=channel_message_id,
                message_id=message_id,
            )
        make_findable(self._connection, message_id, owner_id=owner_id, role="owner", text=text, at=now)
        turn = self._open(owner_id, channel, signal_id=signal_id, question_id=message_id, now=now)
        self._connection.execute(update(messages).where(messages.c.id == message_id).values(turn_id=turn.id))
        return self.get(message_id), turn, True

    def _insert(self, table: Any, **values: Any) -> int:
        return put(self._connection, table, values)

    def _open(self, owner_id: int, channel: str, *, signal_id: int, question_id: int, now: datetime) -> Turn:
        self._connection.execute(
            update(turns)
            .where(turns.c.owner_id == owner_id, turns.c.stopped_at.is_(None))
            .values(stopped_at=now, stopped_because=OVERTAKEN)
        )
        turn_id = self._insert(
            turns, owner_id=owner_id, signal_id=signal_id, question_id=question_id, channel=channel, opened_at=now
        )
        return self.turn(turn_id)

    def edit(self, *, owner_id: int, channel: str, channel_message_id: str, text: str, now: datetime) -> Message | None:
        message = self.by_channel_id(owner_id, channel, channel_message_id)
        if message is None or message.role != "owner" or message.text == text:
            return None
        self._connection.execute(update(messages).where(messages.c.id == message.id).values(text=text, edited_at=now))
        make_findable(self._connection, message.id, owner_id=owner_id, role="owner", text=text, at=message.at)
        return self.get(message.id)

    def reopen(self, *, turn_id: int, signal_id: int, now: datetime) -> Turn:
        known = self._turn_where(turns.c.signal_id == signal_id)
        if known is not None:
            return known
        old = self.turn(turn_id)
        return self._open(old.owner_id, old.channel, signal_id=signal_id, question_id=old.question_id, now=now)

    def history(self, owner_id: int, *, limit: int, before_id: int | None = None) -> list[Message]:
        query = select(messages).where(messages.c.owner_id == owner_id)
        if before_id is not None:
            query = query.where(messages.c.id < before_id)
        rows = self._connection.execute(query.order_by(messages.c.id.desc()).limit(limit)).mappings().all()
        return self._messages(rows[::-1])

    def after(self, owner_id: int, message_id: int) -> list[Message]:
        query = select(messages).where(messages.c.owner_id == owner_id, messages.c.id > message_id)
        return self._messages(self._connection.execute(query.order_by(messages.c.id)).mappings().all())

    def get(self, message_id: int) -> Message:
        rows = self._connection.execute(select(messages).where(messages.c.id == message_id)).mappings().all()
        if not rows:
            raise NotFound(f"there is no message {message_id}")
        return self._messages(rows)[0]

    def _messages(self, rows: Sequence[Any]) -> list[Message]:
        wanted = [row["id"] for row in rows]
        ids: dict[int, list[str]] = {}
        found = self._connection.execute(
            select(message_ids.c.message_id, message_ids.c.channel_message_id).where(
                message_ids.c.message_id.in_(wanted)
            )
        )
        for message_id, channel_message_id in found:
            ids.setdefault(message_id, []).append(channel_message_id)
        return [
            Message(
                channel_message_ids=tuple(ids.get(row["id"], ())),
                **{name: row[name] for name in row if name != "signal_id"},
            )
            for row in rows
        ]

    def by_channel_id(self, owner_id: int, channel: str, channel_message_id: str) -> Message | None:
        row = self._connection.execute(
            select(message_ids.c.message_id).where(
                message_ids.c.owner_id == owner_id,
                message_ids.c.channel == channel,
                message_ids.c.channel_message_id == channel_message_id,
            )
        ).first()
        return self.get(row[0]) if row else None

    def turn(self, turn_id: int) -> Turn:
        found = self._turn_where(turns.c.id == turn_id)
        if found is None:
            raise NotFound(f"there is no turn {turn_id}")
        return found

    def newest_turn(self, owner_id: int) -> Turn | None:
        return self._turn_where(turns.c.owner_id == owner_id)

    def _turn_where(self, condition: Any) -> Turn | None:
        row = (
            self._connection.execute(select(turns).where(condition).order_by(turns.c.id.desc()).limit(1))
            .mappings()
            .first()
        )
        return Turn(**{name: row[name] for name in row if name != "stopped_at"}) if row else None

    def stop(self, turn_id: int, *, because: str, now: datetime) -> None:
        self._connection.execute(
            update(turns)
            .where(turns.c.id == turn_id, turns.c.stopped_at.is_(None))
            .values(stopped_at=now, stopped_because=because)
        )
