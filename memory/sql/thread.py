"""The conversation."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Select, bindparam, func, select, update
from sqlalchemy.dialects.sqlite import insert as upsert

from memory.errors import NotFound
from memory.recipient import among, typed_addresses
from memory.search.document import Document
from memory.signal import Signal
from memory.sql.forgetting import empty_cards_of, forget
from memory.sql.passages import keep_document
from memory.sql.recollection_erasing import reworded
from memory.sql.rows import put
from memory.sql.schema import message_ids, messages, signal_heads, signal_payloads, turns
from memory.sql.signals import WITH_PAYLOAD, signal_of
from memory.thread import OVERTAKEN, Forgotten, Message, Turn

OWN_IDS = frozenset({"terminal", "web"})
"""Channels that know a message by our own id."""

ID_DIGITS = 18
"""Longer numbers are no ids of ours, and more than SQLite holds."""

_REMEMBER = upsert(message_ids)
_REMEMBER = _REMEMBER.on_conflict_do_update(
    index_elements=list(message_ids.primary_key), set_={"message_id": _REMEMBER.excluded.message_id}
)
_OVERTAKE = (
    update(turns)
    .where(turns.c.owner_id == bindparam("owner"), turns.c.stopped_at.is_(None))
    .values(stopped_at=bindparam("now"), stopped_because=bindparam("because"))
)
_BY_ID = select(turns).where(turns.c.id == bindparam("wanted"))
_BY_SIGNAL = select(turns).where(turns.c.signal_id == bindparam("wanted"))
_NEWEST_TURN = select(turns).where(turns.c.owner_id == bindparam("wanted")).order_by(turns.c.id.desc()).limit(1)
_OF_TURN = update(messages).where(messages.c.id == bindparam("message")).values(turn_id=bindparam("turn"))
_NEWEST = (
    select(messages)
    .where(messages.c.owner_id == bindparam("owner"), messages.c.id < bindparam("before"))
    .order_by(messages.c.id.desc())
    .limit(bindparam("most"))
)
_NO_END = 2**62
_PARTS = (
    select(messages)
    .where(messages.c.turn_id == bindparam("turn"), messages.c.role == "owner", messages.c.signal_id.is_not(None))
    .order_by(messages.c.id)
)
_IDS = select(message_ids.c.message_id, message_ids.c.channel_message_id).where(
    message_ids.c.message_id.in_(bindparam("wanted", expanding=True))
)


def remember_channel_id(
    connection: Connection, *, owner_id: int, channel: str, channel_message_id: str, message_id: int
) -> None:
    """The channel's own id of a message, so that replies and edits find it."""
    values = {
        "owner_id": owner_id,
        "channel": channel,
        "channel_message_id": channel_message_id,
        "message_id": message_id,
    }
    connection.execute(_REMEMBER, values)


def make_findable(
    connection: Connection, message_id: int, *, owner_id: int, role: str, text: str, at: datetime
) -> None:
    """The message as a passage of the chat."""
    who = "you" if role == "owner" else "Stillbell"
    keep_document(
        connection,
        owner_id,
        Document(
            corpus="chat",
            ref=f"message:{message_id}",
            who=who,
            title="",
            text=text,
            at=at,
            by_owner=role == "owner",
        ),
    )


TYPED_LOOKED_AT = 200
"""So many messages that may name an address are looked at."""


def _has_typed(text: str, payload: str | None, address: str) -> bool:
    """Whether the owner's own fingers wrote it: what was forwarded, or stands as a quotation, is somebody else's."""
    said = json.loads(payload) if payload else {}
    if not isinstance(said, dict) or said.get("forwarded_from") or said.get("media"):
        return False
    return among(address, typed_addresses(text))


class SqlThread:
    """See memory.ledger.Thread."""

    def __init__(self, connection: Connection, looked: set[str]) -> None:
        self._connection = connection
        self._looked = looked

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
        known = self._turn(_BY_SIGNAL, signal_id)
        if known is not None:
            return self.get(known.question_id), known, False
        heard = self._hear(owner_id, channel, text, signal_id, channel_message_id, reply_to, None, now)
        turn = self._open(owner_id, channel, signal_id=signal_id, question_id=heard.id, now=now)
        self._connection.execute(_OF_TURN, {"message": heard.id, "turn": turn.id})
        return replace(heard, turn_id=turn.id), turn, True

    def typed(self, owner_id: int, address: str) -> int | None:
        rows = self._connection.execute(
            select(messages.c.id, messages.c.text, signal_payloads.c.payload)
            .select_from(messages.outerjoin(signal_payloads, signal_payloads.c.signal_id == messages.c.signal_id))
            .where(
                messages.c.owner_id == owner_id,
                messages.c.role == "owner",
                messages.c.text.icontains(address.partition("@")[0], autoescape=True),
            )
            .order_by(messages.c.id.desc())
            .limit(TYPED_LOOKED_AT)
        )
        return next((row.id for row in rows if _has_typed(row.text, row.payload, address)), None)

    def join(
        self,
        *,
        turn_id: int,
        text: str,
        signal_id: int,
        channel_message_id: str | None,
        reply_to: str | None,
        now: datetime,
    ) -> tuple[Message, bool]:
        row = self._connection.execute(select(messages.c.id).where(messages.c.signal_id == signal_id)).first()
        if row is not None:
            return self.get(row.id), False
        turn = self.turn(turn_id)
        owner_id, channel = turn.owner_id, turn.channel
        return self._hear(owner_id, channel, text, signal_id, channel_message_id, reply_to, turn_id, now), True

    def _hear(  # noqa: PLR0917  one call for each of its two callers above
        self,
        owner_id: int,
        channel: str,
        text: str,
        signal_id: int,
        channel_message_id: str | None,
        reply_to: str | None,
        turn_id: int | None,
        now: datetime,
    ) -> Message:
        answered = self._answered(owner_id, channel, reply_to) if reply_to else None
        message_id = self._insert(
            messages,
            owner_id=owner_id,
            turn_id=turn_id,
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
        if text and not text.startswith("/"):
            make_findable(self._connection, message_id, owner_id=owner_id, role="owner", text=text, at=now)
        return Message(
            id=message_id,
            owner_id=owner_id,
            role="owner",
            channel=channel,
            text=text,
            at=now,
            turn_id=turn_id,
            reply_to_id=answered.id if answered else None,
            channel_message_ids=() if channel_message_id is None else (channel_message_id,),
        )

    def parts(self, turn_id: int) -> list[tuple[Message, Signal]]:
        rows = self._connection.execute(_PARTS, {"turn": turn_id}).mappings().all()
        wanted = [row["signal_id"] for row in rows]
        found = self._connection.execute(WITH_PAYLOAD.where(signal_heads.c.id.in_(wanted))).mappings() if wanted else ()
        signals = {row["id"]: signal_of(row) for row in found}
        return [(message, signals[row["signal_id"]]) for message, row in zip(self._messages(rows), rows, strict=True)]

    def reword(self, message_id: int, text: str) -> None:
        message = self.get(message_id)
        self._connection.execute(update(messages).where(messages.c.id == message_id).values(text=text))
        make_findable(
            self._connection, message_id, owner_id=message.owner_id, role=message.role, text=text, at=message.at
        )

    def _answered(self, owner_id: int, channel: str, reply_to: str) -> Message | None:
        """The message that is answered. Terminal and web show the whole thread, by our own ids, whoever said it where."""
        found = self.by_channel_id(owner_id, channel, reply_to)
        if found is not None or channel not in OWN_IDS or not (reply_to.isdecimal() and len(reply_to) <= ID_DIGITS):
            return found
        own = (messages.c.id == int(reply_to)) & (messages.c.owner_id == owner_id)
        rows = self._connection.execute(select(messages).where(own)).mappings().all()
        return self._messages(rows)[0] if rows else None

    def _insert(self, table: Any, **values: Any) -> int:
        return put(self._connection, table, values)

    def _open(self, owner_id: int, channel: str, *, signal_id: int, question_id: int, now: datetime) -> Turn:
        self._connection.execute(_OVERTAKE, {"owner": owner_id, "now": now, "because": OVERTAKEN})
        turn_id = self._insert(
            turns, owner_id=owner_id, signal_id=signal_id, question_id=question_id, channel=channel, opened_at=now
        )
        return Turn(
            id=turn_id,
            owner_id=owner_id,
            signal_id=signal_id,
            question_id=question_id,
            channel=channel,
            opened_at=now,
        )

    def edit(self, *, owner_id: int, channel: str, channel_message_id: str, text: str, now: datetime) -> Message | None:
        message = self.by_channel_id(owner_id, channel, channel_message_id)
        if message is None or message.role != "owner" or message.text == text:
            return None
        self._connection.execute(update(messages).where(messages.c.id == message.id).values(text=text, edited_at=now))
        make_findable(self._connection, message.id, owner_id=owner_id, role="owner", text=text, at=message.at)
        reworded(self._connection, owner_id, f"message:{message.id}", text, now=now)
        return self.get(message.id)

    def reopen(self, *, turn_id: int, signal_id: int, now: datetime) -> Turn:
        known = self._turn(_BY_SIGNAL, signal_id)
        if known is not None:
            return known
        old = self.turn(turn_id)
        turn = self._open(old.owner_id, old.channel, signal_id=signal_id, question_id=old.question_id, now=now)
        own = (messages.c.turn_id == old.id) & (messages.c.role == "owner")
        self._connection.execute(update(messages).where(own).values(turn_id=turn.id))
        return turn

    def counts(self, owner_id: int) -> Mapping[tuple[str, str], int]:
        rows = self._connection.execute(
            select(messages.c.channel, messages.c.role, func.count())
            .where(messages.c.owner_id == owner_id)
            .group_by(messages.c.channel, messages.c.role)
        )
        return {(channel, role): count for channel, role, count in rows}

    def history(self, owner_id: int, *, limit: int, before_id: int | None = None) -> list[Message]:
        asked = {"owner": owner_id, "before": _NO_END if before_id is None else before_id, "most": limit}
        rows = self._connection.execute(_NEWEST, asked).mappings().all()
        self._looked.update(f"message:{row['id']}" for row in rows)
        return self._messages(rows[::-1])

    def after(self, owner_id: int, message_id: int, *, limit: int) -> list[Message]:
        query = select(messages).where(messages.c.owner_id == owner_id, messages.c.id > message_id)
        rows = self._connection.execute(query.order_by(messages.c.id.desc()).limit(limit)).mappings().all()
        return self._messages(rows[::-1])

    def get(self, message_id: int) -> Message:
        rows = self._connection.execute(select(messages).where(messages.c.id == message_id)).mappings().all()
        if not rows:
            raise NotFound(f"there is no message {message_id}")
        return self._messages(rows)[0]

    def _messages(self, rows: Sequence[Any]) -> list[Message]:
        wanted = [row["id"] for row in rows]
        ids: dict[int, list[str]] = {}
        found = self._connection.execute(_IDS, {"wanted": wanted})
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

    def forget_cards(self, owner_id: int, kinds: Collection[str], *, now: datetime) -> None:
        empty_cards_of(self._connection, owner_id, kinds, now=now)

    def forget(self, message_id: int, *, now: datetime) -> Forgotten:
        message = self.get(message_id)
        if message.turn_id is not None and message.role == "owner":
            self.stop(message.turn_id, because="its question was forgotten", now=now)
        return forget(self._connection, message, now=now)

    def turn(self, turn_id: int) -> Turn:
        found = self._turn(_BY_ID, turn_id)
        if found is None:
            raise NotFound(f"there is no turn {turn_id}")
        return found

    def stopped(self, turn_id: int) -> str | None:
        turn = self._turn(_BY_ID, turn_id)
        return turn.stopped_because if turn else None

    def by_signal(self, signal_id: int) -> Turn | None:
        return self._turn(_BY_SIGNAL, signal_id)

    def newest_turn(self, owner_id: int) -> Turn | None:
        return self._turn(_NEWEST_TURN, owner_id)

    def _turn(self, statement: Select[Any], wanted: int) -> Turn | None:
        row = self._connection.execute(statement, {"wanted": wanted}).mappings().first()
        return Turn(**{name: row[name] for name in row if name != "stopped_at"}) if row else None

    def stop(self, turn_id: int, *, because: str, now: datetime) -> None:
        self._connection.execute(
            update(turns)
            .where(turns.c.id == turn_id, turns.c.stopped_at.is_(None))
            .values(stopped_at=now, stopped_because=because)
        )
