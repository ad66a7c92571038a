"""Owners and where they are."""

from datetime import UTC, datetime, time

from sqlalchemy import Connection, bindparam, delete, insert, select, update
from sqlalchemy.dialects.sqlite import insert as upsert

from memory.errors import NotFound
from memory.owner import Language, Owner
from memory.sql.schema import owners, zone_moves
from memory.zones import Stay, Timeline

FIRST_QUIET_FROM, FIRST_QUIET_TO, FIRST_BRIEF_AT = time(22), time(7), time(7, 30)
FIRST_CAP_USD = 5.0

BEGINNING = datetime(2000, 1, 1, tzinfo=UTC)
"""From when the first zone holds: before anything Stillbell records."""


_OWNER = select(owners).where(owners.c.id == bindparam("owner"))
_STAYS = (
    select(zone_moves.c.from_at, zone_moves.c.zone)
    .where(zone_moves.c.owner_id == bindparam("owner"))
    .order_by(zone_moves.c.from_at)
)


def create_first_owner(connection: Connection, *, zone: str, language: Language, now: datetime) -> None:
    """The owner of a new database: the person at this machine, in the machine's zone."""
    connection.execute(
        insert(owners).values(
            id=1,
            created_at=now,
            language=language,
            quiet_from=FIRST_QUIET_FROM,
            quiet_to=FIRST_QUIET_TO,
            brief_at=FIRST_BRIEF_AT,
            cap_usd=FIRST_CAP_USD,
        )
    )
    connection.execute(
        insert(zone_moves).values(owner_id=1, zone=zone, from_at=BEGINNING, because="the machine's own zone")
    )


class SqlOwners:
    """See memory.ledger.Owners."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def get(self, owner_id: int = 1) -> Owner:
        row = self._connection.execute(_OWNER, {"owner": owner_id}).mappings().one_or_none()
        if row is None:
            raise NotFound(f"there is no owner {owner_id}")
        stays = self._connection.execute(_STAYS, {"owner": owner_id})
        return Owner(zones=Timeline(tuple(Stay(from_at, zone) for from_at, zone in stays)), **row)

    def pair(self, owner_id: int, *, telegram_id: int, language: Language, now: datetime) -> None:
        self._connection.execute(
            update(owners).where(owners.c.id == owner_id).values(telegram_id=telegram_id, language=language)
        )

    def set(
        self,
        owner_id: int,
        *,
        language: Language | None = None,
        quiet_from: time | None = None,
        quiet_to: time | None = None,
        cap_usd: float | None = None,
    ) -> None:
        given = {
            "language": language,
            "quiet_from": quiet_from,
            "quiet_to": quiet_to,
            "cap_usd": cap_usd,
        }
        values = {name: value for name, value in given.items() if value is not None}
        if values:
            self._connection.execute(update(owners).where(owners.c.id == owner_id).values(**values))

    def move(self, owner_id: int, *, zone: str, from_at: datetime, because: str) -> None:
        statement = upsert(zone_moves).values(owner_id=owner_id, zone=zone, from_at=from_at, because=because)
        self._connection.execute(
            statement.on_conflict_do_update(
                index_elements=["owner_id", "from_at"], set_={"zone": zone, "because": because}
            )
        )

    def unmove(self, owner_id: int, *, after: datetime) -> None:
        self._connection.execute(
            delete(zone_moves).where(zone_moves.c.owner_id == owner_id, zone_moves.c.from_at > after)
        )
