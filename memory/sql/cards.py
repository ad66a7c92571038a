"""What is shown with buttons."""

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, bindparam, select, update

from memory.card import Card, Choice, StoredCard
from memory.sql.rows import put
from memory.sql.schema import cards


def card_of(row: Mapping[Any, Any]) -> StoredCard:
    """A card from its row."""
    value = row["value"]
    card = Card(
        kind=row["kind"],
        subject=row["subject"],
        text=value["text"],
        choices=tuple(Choice(*choice) for choice in value["choices"]),
        because=value["because"],
        state_of_subject=value["state"],
    )
    return StoredCard(
        id=row["id"],
        owner_id=row["owner_id"],
        card=card,
        digest=row["digest"],
        state=row["state"],
        created_at=row["created_at"],
        decided_as=row["decided_as"],
    )


_OF = select(cards).where(cards.c.id.in_(bindparam("wanted", expanding=True)))
_OUTDATE = (
    update(cards)
    .where(
        cards.c.owner_id == bindparam("owner"),
        cards.c.subject.in_(bindparam("subjects", expanding=True)),
        cards.c.state == "open",
    )
    .values(state="stale", decided_at=bindparam("now"))
    .returning(cards.c.id)
)


class SqlCards:
    """See memory.ledger.Cards."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def put(self, card: Card, *, owner_id: int, now: datetime) -> StoredCard:
        value = {
            "text": card.text,
            "choices": [[c.key, c.label, c.style] for c in card.choices],
            "because": card.because,
            "state": card.state_of_subject,
        }
        new_id = put(
            self._connection,
            cards,
            {
                "owner_id": owner_id,
                "kind": card.kind,
                "subject": card.subject,
                "value": value,
                "digest": card.digest,
                "state": "open",
                "created_at": now,
            },
        )
        return StoredCard(id=new_id, owner_id=owner_id, card=card, digest=card.digest, state="open", created_at=now)

    def get(self, card_id: int) -> StoredCard | None:
        row = self._connection.execute(select(cards).where(cards.c.id == card_id)).mappings().first()
        return card_of(row) if row else None

    def of(self, card_ids: Collection[int]) -> Mapping[int, StoredCard]:
        rows = self._connection.execute(_OF, {"wanted": sorted(card_ids)}).mappings() if card_ids else ()
        return {row["id"]: card_of(row) for row in rows}

    def open_about(self, owner_id: int, subject: str) -> StoredCard | None:
        query = select(cards).where(cards.c.owner_id == owner_id, cards.c.subject == subject, cards.c.state == "open")
        row = self._connection.execute(query.order_by(cards.c.id.desc()).limit(1)).mappings().first()
        return card_of(row) if row else None

    def decide(self, card_id: int, choice: str, *, now: datetime) -> bool:
        return (
            self._connection.execute(
                update(cards)
                .where(cards.c.id == card_id, cards.c.state == "open")
                .values(state="decided", decided_as=choice, decided_at=now)
            ).rowcount
            == 1
        )

    def outdate(self, *subjects: str, owner_id: int, now: datetime) -> list[int]:
        rows = self._connection.execute(_OUTDATE, {"owner": owner_id, "subjects": list(subjects), "now": now})
        return list(rows.scalars())
