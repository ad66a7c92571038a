"""What Stillbell says, on its way to the channels."""

from datetime import datetime
from typing import Any, Literal

from sqlalchemy import Connection, bindparam, literal_column, select, update

from memory.errors import NotFound
from memory.piece import OUT_OF_REACH, NewPiece, Piece
from memory.sql.cards import card_of
from memory.sql.quotes import SqlQuotes
from memory.sql.rows import put
from memory.sql.schema import UNSETTLED, cards, message_ids, messages, pieces, turns
from memory.sql.thread import make_findable, remember_channel_id

_KNOWN = select(pieces.c.id).where(pieces.c.key == bindparam("key"))
_CARD = select(cards).where(cards.c.id == bindparam("card"))
_STANDS_AS = (
    select(message_ids.c.channel_message_id)
    .where(message_ids.c.message_id == bindparam("message"), message_ids.c.channel == bindparam("channel"))
    .order_by(literal_column("message_ids.rowid"))
)
"""The channel's ids of a message, in the order in which its parts were shown, by whichever piece."""


class SqlPieces:
    """See memory.ledger.Pieces."""

    def __init__(self, connection: Connection, quotes: SqlQuotes) -> None:
        self._connection = connection
        self._quotes = quotes

    def say(self, piece: NewPiece, *, now: datetime, handing: bool = False) -> Piece | None:
        if self.has(piece.key):
            return None
        message_id = self._amended(piece, now) if piece.amends_key else self._message(piece, now)
        if message_id is None:
            return None
        read = {*piece.read, *self._quotes.looked_at()}
        self._quotes.tie(piece.owner_id, f"message:{message_id}", piece.text, read)
        values = {
            "key": piece.key,
            "owner_id": piece.owner_id,
            "channel": piece.channel,
            "message_id": message_id,
            "turn_id": piece.turn_id,
            "card_id": piece.card_id,
            "silent": piece.silent,
            "state": "handing" if handing else "ready",
            "parts": [],
            "amends_key": piece.amends_key,
            "created_at": now,
        }
        new_id = put(self._connection, pieces, values)
        card = self._connection.execute(_CARD, {"card": piece.card_id}).mappings().first() if piece.card_id else None
        return Piece(
            id=new_id,
            key=piece.key,
            owner_id=piece.owner_id,
            channel=piece.channel,
            text=piece.text,
            state="handing" if handing else "ready",
            created_at=now,
            message_id=message_id,
            turn_id=piece.turn_id,
            card=card_of(card) if card else None,
            silent=piece.silent,
            amends=self._stands_as(message_id, piece.channel) if piece.amends_key else None,
        )

    def _message(self, piece: NewPiece, now: datetime) -> int:
        values = {
            "owner_id": piece.owner_id,
            "turn_id": piece.turn_id,
            "role": "stillbell",
            "channel": piece.channel,
            "text": piece.text,
            "at": now,
            "card_id": piece.card_id,
        }
        new_id = put(self._connection, messages, values)
        if piece.findable:
            make_findable(self._connection, new_id, owner_id=piece.owner_id, role="stillbell", text=piece.text, at=now)
        return new_id

    def _amended(self, piece: NewPiece, now: datetime) -> int | None:
        """The message of the piece that is amended, with its new text; None when there is none to amend."""
        row = self._connection.execute(
            select(messages.c.id)
            .join(pieces, pieces.c.message_id == messages.c.id)
            .where(pieces.c.key == piece.amends_key)
        ).first()
        if row is None:
            return None
        message_id = int(row.id)
        self._connection.execute(
            update(messages)
            .where(messages.c.id == message_id)
            .values(text=piece.text, card_id=piece.card_id, edited_at=now)
        )
        return message_id

    def has(self, key: str) -> bool:
        return self._connection.execute(_KNOWN, {"key": key}).first() is not None

    def hand(self, piece_id: int, *, now: datetime) -> Piece | None:
        row = self._connection.execute(
            select(pieces.c.state, turns.c.stopped_because)
            .join(turns, turns.c.id == pieces.c.turn_id, isouter=True)
            .where(pieces.c.id == piece_id)
        ).one()
        if row.state == "ready" and row.stopped_because is not None:
            self.end(piece_id, "dropped", because=row.stopped_because, now=now)
        if row.state != "ready" or row.stopped_because is not None:
            return None
        self._connection.execute(update(pieces).where(pieces.c.id == piece_id).values(state="handing"))
        return self._piece(pieces.c.id == piece_id)

    def part_shown(self, piece_id: int, channel_message_id: str) -> None:
        row = self._connection.execute(select(pieces).where(pieces.c.id == piece_id)).mappings().one()
        parts = [*row["parts"], channel_message_id]
        self._connection.execute(update(pieces).where(pieces.c.id == piece_id).values(parts=parts))
        remember_channel_id(
            self._connection,
            owner_id=row["owner_id"],
            channel=row["channel"],
            channel_message_id=channel_message_id,
            message_id=row["message_id"],
        )

    def end(
        self,
        piece_id: int,
        state: Literal["shown", "unknown", "failed", "dropped"],
        *,
        because: str,
        now: datetime,
    ) -> None:
        self._connection.execute(
            update(pieces).where(pieces.c.id == piece_id).values(state=state, because=because, ended_at=now)
        )

    def undelivered(self) -> list[Piece]:
        ids = self._connection.execute(
            select(pieces.c.id).where(pieces.c.ended_at.is_(None)).order_by(pieces.c.id)
        ).scalars()
        found = (self._piece(pieces.c.id == piece_id, in_doubt=True) for piece_id in ids.all())
        return [piece for piece in found if piece is not None]

    def get(self, key: str) -> Piece | None:
        return self._piece(pieces.c.key == key)

    def of_card(self, card_id: int) -> Piece | None:
        row = self._connection.execute(
            select(pieces.c.key, pieces.c.amends_key).where(pieces.c.card_id == card_id).order_by(pieces.c.id)
        ).first()
        return self.get(row.amends_key or row.key) if row else None

    def _piece(self, condition: Any, *, in_doubt: bool = False) -> Piece | None:
        row = (
            self._connection.execute(
                select(pieces, messages.c.text)
                .join(messages, messages.c.id == pieces.c.message_id)
                .where(condition)
                .order_by(pieces.c.id.desc())
                .limit(1)
            )
            .mappings()
            .first()
        )
        if row is None:
            return None
        card = (
            self._connection.execute(select(cards).where(cards.c.id == row["card_id"])).mappings().first()
            if row["card_id"]
            else None
        )
        return Piece(
            id=row["id"],
            key=row["key"],
            owner_id=row["owner_id"],
            channel=row["channel"],
            text=row["text"],
            state=row["state"],
            created_at=row["created_at"],
            message_id=row["message_id"],
            turn_id=row["turn_id"],
            card=card_of(card) if card else None,
            silent=row["silent"],
            parts=tuple(row["parts"]),
            in_doubt=in_doubt and row["state"] == "handing",
            amends=self._stands_as(row["message_id"], row["channel"]) if row["amends_key"] else None,
            reply_to=self._overtaken_question(row["turn_id"]),
        )

    def _stands_as(self, message_id: int, channel: str) -> tuple[str, ...]:
        return tuple(self._connection.execute(_STANDS_AS, {"message": message_id, "channel": channel}).scalars())

    def _overtaken_question(self, turn_id: int | None) -> str | None:
        """The channel's id of the turn's question, when it is no longer the newest thing the owner said."""
        if turn_id is None:
            return None
        row = self._connection.execute(
            select(turns.c.question_id, turns.c.owner_id, turns.c.stopped_at, message_ids.c.channel_message_id)
            .join(message_ids, message_ids.c.message_id == turns.c.question_id)
            .where(turns.c.id == turn_id)
        ).first()
        return row.channel_message_id if row and row.stopped_at is not None else None

    def move(self, piece_id: int, channel: str) -> Piece:
        self._connection.execute(update(pieces).where(pieces.c.id == piece_id).values(channel=channel))
        piece = self._piece(pieces.c.id == piece_id)
        if piece is None:
            raise NotFound(f"there is no piece {piece_id}")
        self._connection.execute(update(messages).where(messages.c.id == piece.message_id).values(channel=channel))
        return piece

    def revive(self, owner_id: int, channel: str, *, since: datetime) -> list[Piece]:
        found = self._connection.execute(
            select(pieces.c.id).where(
                UNSETTLED,
                pieces.c.owner_id == owner_id,
                pieces.c.channel == channel,
                pieces.c.because.startswith(OUT_OF_REACH, autoescape=True),
                pieces.c.created_at >= since,
            )
        )
        ids = sorted(found.scalars())
        again = update(pieces).where(pieces.c.id.in_(ids)).values(state="ready", because=None, ended_at=None)
        self._connection.execute(again)
        return [piece for piece_id in ids if (piece := self._piece(pieces.c.id == piece_id)) is not None]

    def unsettled(self, owner_id: int) -> list[tuple[str, str]]:
        rows = self._connection.execute(
            select(pieces.c.key, pieces.c.state).where(pieces.c.owner_id == owner_id, UNSETTLED).order_by(pieces.c.id)
        )
        return [(key, state) for key, state in rows]
