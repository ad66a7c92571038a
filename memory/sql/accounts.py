"""Accounts, what the owner wishes of senders, and small settings."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from sqlalchemy import Connection, delete, select, update
from sqlalchemy.dialects.sqlite import insert as upsert

from memory.account import Account, AccountKind
from memory.errors import BadInput, NotFound
from memory.sql.calendar_schema import calendar_items, calendars, events
from memory.sql.mail_schema import PRESENT, accounts, sender_wishes
from memory.sql.rows import put
from memory.sql.schema import cursors, preferences
from memory.tables.mail import Wish

_COLUMNS = [column for column in accounts.c if column.name != "removed_at"]


class SqlAccounts:
    """See memory.tables.mail.Accounts."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add(
        self,
        *,
        owner_id: int,
        name: str,
        kind: AccountKind,
        identity: str,
        aliases: Sequence[str],
        settings: Mapping[str, str],
        now: datetime,
    ) -> Account:
        if self.named(owner_id, name) is not None:
            raise BadInput(f"there is an account {name} already: choose another name, or remove it first")
        row = {
            "owner_id": owner_id,
            "name": name,
            "kind": kind,
            "identity": identity.lower(),
            "aliases": [alias.lower() for alias in aliases],
            "settings": dict(settings),
            "state": "on",
            "failures": 0,
            "added_at": now,
        }
        return self.get(put(self._connection, accounts, row))

    def get(self, account_id: int) -> Account:
        found = self._where(accounts.c.id == account_id)
        if not found:
            raise NotFound(f"there is no account {account_id}")
        return found[0]

    def named(self, owner_id: int, name: str) -> Account | None:
        found = self._where((accounts.c.owner_id == owner_id) & (accounts.c.name == name) & PRESENT)
        return found[0] if found else None

    def present(self, owner_id: int) -> list[Account]:
        return self._where((accounts.c.owner_id == owner_id) & PRESENT)

    def _where(self, condition: object) -> list[Account]:
        query = select(*_COLUMNS).where(condition).order_by(accounts.c.id)  # type: ignore[arg-type]
        rows = self._connection.execute(query).mappings()
        return [Account(**{**row, "aliases": tuple(row["aliases"])}) for row in rows]

    def failed(self, account_id: int, trouble: str) -> int:
        self._connection.execute(
            update(accounts)
            .where(accounts.c.id == account_id)
            .values(failures=accounts.c.failures + 1, trouble=trouble[:500])
        )
        return self.get(account_id).failures

    def refused(self, account_id: int, trouble: str) -> bool:
        changed = self._connection.execute(
            update(accounts)
            .where(accounts.c.id == account_id, accounts.c.state == "on")
            .values(state="refused", trouble=trouble[:500])
        )
        return changed.rowcount > 0

    def seen(self, account_id: int, *, now: datetime) -> bool:
        before = self.get(account_id)
        self._connection.execute(
            update(accounts)
            .where(accounts.c.id == account_id)
            .values(state="on", failures=0, trouble=None, seen_at=now)
        )
        return before.state != "on" or before.failures > 0

    def remove(self, account_id: int, *, now: datetime) -> None:
        account = self.get(account_id)
        for table in (events, calendar_items, calendars):
            self._connection.execute(delete(table).where(table.c.account_id == account_id))
        self._connection.execute(
            delete(cursors).where(cursors.c.owner_id == account.owner_id, cursors.c.name.endswith(f"@{account_id}"))
        )
        # What it was set up with can name a place that holds a secret (the URL of a calendar).
        self._connection.execute(
            update(accounts).where(accounts.c.id == account_id).values(removed_at=now, settings={}, trouble=None)
        )


class SqlSenders:
    """See memory.tables.mail.Senders."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def wish(self, owner_id: int, address: str, wish: Wish, *, now: datetime) -> bool:
        row = upsert(sender_wishes).values(owner_id=owner_id, address=address.lower(), wish=wish, set_at=now)
        return self._connection.execute(row.on_conflict_do_nothing()).rowcount > 0

    def unwish(self, owner_id: int, address: str, wish: Wish) -> bool:
        gone = self._connection.execute(
            delete(sender_wishes).where(
                sender_wishes.c.owner_id == owner_id,
                sender_wishes.c.address == address.lower(),
                sender_wishes.c.wish == wish,
            )
        )
        return gone.rowcount > 0

    def wished(self, owner_id: int, wish: Wish) -> Mapping[str, datetime]:
        rows = self._connection.execute(
            select(sender_wishes.c.address, sender_wishes.c.set_at)
            .where(sender_wishes.c.owner_id == owner_id, sender_wishes.c.wish == wish)
            .order_by(sender_wishes.c.address)
        )
        return {row.address: row.set_at for row in rows}


class SqlPreferences:
    """See memory.tables.mail.Preferences."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def get(self, owner_id: int, name: str) -> str | None:
        found: str | None = self._connection.execute(
            select(preferences.c.value).where(preferences.c.owner_id == owner_id, preferences.c.name == name)
        ).scalar()
        return found

    def set(self, owner_id: int, name: str, value: str) -> None:
        row = upsert(preferences).values(owner_id=owner_id, name=name, value=value)
        self._connection.execute(row.on_conflict_do_update(index_elements=["owner_id", "name"], set_={"value": value}))
