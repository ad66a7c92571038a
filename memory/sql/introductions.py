"""Introductions: who is to be brought together, and how far it has come."""

from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, RowMapping, select, update

from memory.introduction import Agreement, Introduction, Party
from memory.sql.exit_schema import introductions
from memory.sql.rows import put

_OVER = ("done", "ended")


class SqlIntroductions:
    """See memory.tables.exit.Introductions."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def begin(self, owner_id: int, asker: Party, target: Party, *, because: str, now: datetime) -> Introduction:
        new = Introduction(id=0, owner_id=owner_id, asker=asker, target=target, stage="to ask", because=because)
        introduction_id = put(self._connection, introductions, {**_row_of(new), "owner_id": owner_id, "begun_at": now})
        return Introduction(
            id=introduction_id, owner_id=owner_id, asker=asker, target=target, stage="to ask", because=because
        )

    def get(self, introduction_id: int) -> Introduction | None:
        query = select(introductions).where(introductions.c.id == introduction_id)
        row = self._connection.execute(query).mappings().first()
        return _read(row) if row else None

    def store(self, introduction: Introduction, *, before: Introduction) -> bool:
        stored = self._connection.execute(
            update(introductions)
            .where(introductions.c.id == before.id, introductions.c.stage == before.stage)
            .values(_row_of(introduction))
        )
        return stored.rowcount == 1

    def open(self, owner_id: int) -> list[Introduction]:
        query = (
            select(introductions)
            .where(introductions.c.owner_id == owner_id, introductions.c.stage.not_in(_OVER))
            .order_by(introductions.c.id)
        )
        return [_read(row) for row in self._connection.execute(query).mappings()]


def _row_of(introduction: Introduction) -> dict[str, Any]:
    return {
        "asker": _party_row(introduction.asker),
        "target": _party_row(introduction.target),
        "stage": introduction.stage,
        "because": introduction.because,
        "asked_at": introduction.asked_at,
        "asked_id": introduction.asked_id,
        "question": introduction.question,
        "agreement": asdict(introduction.agreement) if introduction.agreement else None,
    }


def _party_row(party: Party) -> dict[str, Any]:
    return {
        "name": party.name,
        "addresses": list(party.addresses),
        "message_ids": sorted(party.message_ids),
    }


def _party(row: Mapping[str, Any]) -> Party:
    return Party(name=row["name"], addresses=tuple(row["addresses"]), message_ids=frozenset(row["message_ids"]))


def _read(row: RowMapping) -> Introduction:
    return Introduction(
        id=row["id"],
        owner_id=row["owner_id"],
        asker=_party(row["asker"]),
        target=_party(row["target"]),
        stage=row["stage"],
        because=row["because"],
        asked_at=row["asked_at"],
        asked_id=row["asked_id"],
        question=row["question"],
        agreement=Agreement(**row["agreement"]) if row["agreement"] else None,
    )
