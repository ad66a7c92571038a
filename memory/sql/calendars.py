"""Calendars, their objects and their events. Every read passes the exclusions."""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, RowMapping, delete, exists, false, func, select
from sqlalchemy.dialects.sqlite import insert as upsert

from memory.errors import NotFound
from memory.event import Event, StoredEvent, from_plain, to_plain
from memory.exclusion import Exclusions
from memory.sql.calendar_schema import calendar_items, calendars, events
from memory.sql.covering import erase_events
from memory.sql.mail_schema import accounts
from memory.sql.rows import put


class SqlCalendars:
    """See memory.tables.calendar.Calendars."""

    def __init__(self, connection: Connection, exclusions: Callable[[], Exclusions], looked: set[str]) -> None:
        self._connection = connection
        self._exclusions = exclusions
        self._looked = looked

    def name(self, owner_id: int, account_id: int, names: Mapping[str, str]) -> None:
        for calendar, name in names.items():
            row = upsert(calendars).values(owner_id=owner_id, account_id=account_id, calendar=calendar, name=name)
            self._connection.execute(
                row.on_conflict_do_update(index_elements=["account_id", "calendar"], set_={"name": name})
            )

    def names(self, owner_id: int) -> Mapping[tuple[int, str], str]:
        rows = self._connection.execute(select(calendars).where(calendars.c.owner_id == owner_id))
        return {(row.account_id, row.calendar): row.name for row in rows}

    def keep(
        self,
        owner_id: int,
        account_id: int,
        *,
        calendar: str,
        ref: str,
        etag: str,
        ics: str,
        events: Sequence[Event],
    ) -> tuple[list[StoredEvent], list[StoredEvent]]:
        if self.covers(owner_id, account_id, calendar, ics):
            return self.drop(account_id, calendar, [ref]), []
        row = upsert(calendar_items).values(
            owner_id=owner_id, account_id=account_id, calendar=calendar, ref=ref, etag=etag, ics=ics
        )
        item_id: int = self._connection.execute(
            row.on_conflict_do_update(
                index_elements=["account_id", "calendar", "ref"], set_={"etag": etag, "ics": ics}
            ).returning(calendar_items.c.id)
        ).scalar_one()
        before = self._take(item_id)
        self._put(item_id, owner_id, account_id, events)
        return before, self._where(_EVENTS.c.item_id == item_id)

    def unroll(self, item_id: int, ics: str, events: Sequence[Event]) -> bool:
        query = select(calendar_items.c.owner_id, calendar_items.c.account_id).where(
            calendar_items.c.id == item_id, calendar_items.c.ics == ics
        )
        item = self._connection.execute(query).first()
        rows = self._connection.execute(select(_EVENTS).where(_EVENTS.c.item_id == item_id))
        kept = [_stored(row._mapping).event for row in rows]
        if item is None or sorted(kept, key=_in_order) == sorted(events, key=_in_order):
            return False
        self._connection.execute(delete(_EVENTS).where(_EVENTS.c.item_id == item_id))
        self._put(item_id, item.owner_id, item.account_id, events)
        return True

    def _put(self, item_id: int, owner_id: int, account_id: int, events: Sequence[Event]) -> None:
        for event in events:
            put(
                self._connection,
                _EVENTS,
                {**_row_of(event), "owner_id": owner_id, "account_id": account_id, "item_id": item_id},
            )

    def covers(self, owner_id: int, account_id: int, calendar: str, ics: str) -> bool:
        exclusions = self._exclusions()
        if exclusions.is_empty:
            return False
        folder = self.names(owner_id).get((account_id, calendar), calendar)
        return exclusions.covers_folder(folder) or exclusions.covers(_named_in(ics))

    def erase_covered(self, owner_id: int, *, now: datetime) -> int:
        if self._exclusions().is_empty:
            return 0
        rows = self._connection.execute(select(calendar_items).where(calendar_items.c.owner_id == owner_id)).all()
        covered = [row.id for row in rows if self.covers(owner_id, row.account_id, row.calendar, row.ics)]
        for item_id in covered:
            erase_events(self._connection, owner_id, item_id, now=now)
        return len(covered)

    def _take(self, item_id: int) -> list[StoredEvent]:
        """The occurrences of an object, which are then no longer kept."""
        before = self._where(_EVENTS.c.item_id == item_id)
        self._connection.execute(delete(_EVENTS).where(_EVENTS.c.item_id == item_id))
        return before

    def drop(self, account_id: int, calendar: str, refs: Collection[str]) -> list[StoredEvent]:
        taken: list[StoredEvent] = []
        for ref in sorted(refs):
            item_id = self._connection.execute(
                select(calendar_items.c.id).where(
                    calendar_items.c.account_id == account_id,
                    calendar_items.c.calendar == calendar,
                    calendar_items.c.ref == ref,
                )
            ).scalar()
            if item_id is not None:
                taken += self._take(item_id)
                self._connection.execute(delete(calendar_items).where(calendar_items.c.id == item_id))
        return taken

    def refs(self, account_id: int, calendar: str) -> set[str]:
        return set(
            self._connection.execute(
                select(calendar_items.c.ref).where(
                    calendar_items.c.account_id == account_id, calendar_items.c.calendar == calendar
                )
            ).scalars()
        )

    def etags(self, account_id: int, calendar: str) -> Mapping[str, str]:
        query = select(calendar_items.c.ref, calendar_items.c.etag).where(
            calendar_items.c.account_id == account_id, calendar_items.c.calendar == calendar
        )
        return {row.ref: row.etag for row in self._connection.execute(query)}

    def leave(self, account_id: int, calendar: str) -> None:
        items = select(calendar_items.c.id).where(
            calendar_items.c.account_id == account_id, calendar_items.c.calendar == calendar
        )
        self._connection.execute(delete(_EVENTS).where(_EVENTS.c.item_id.in_(items)))
        for table in (calendar_items, calendars):
            self._connection.execute(
                delete(table).where(table.c.account_id == account_id, table.c.calendar == calendar)
            )

    def items(self, owner_id: int, *, after_id: int, limit: int) -> list[tuple[int, int, str, str, str]]:
        rows = self._connection.execute(
            select(calendar_items)
            .where(calendar_items.c.owner_id == owner_id, calendar_items.c.id > after_id)
            .order_by(calendar_items.c.id)
            .limit(limit)
        )
        return [(row.id, row.account_id, row.calendar, row.ref, row.ics) for row in rows]

    def between(
        self, owner_id: int, from_at: datetime, to_at: datetime, *, limit: int = 500, kept_up: bool = False
    ) -> list[StoredEvent]:
        of_files = self._of_files(owner_id)
        return self._where(
            (_EVENTS.c.owner_id == owner_id)
            & (_EVENTS.c.start_at < to_at)
            & ((_EVENTS.c.end_at > from_at) | (_EVENTS.c.start_at >= from_at))
            & (_EVENTS.c.account_id.not_in(of_files) | (false() if kept_up else ~_is_kept_up(of_files))),
            limit,
        )

    def _of_files(self, owner_id: int) -> list[int]:
        """The accounts that hold what was imported."""
        of_files = (accounts.c.owner_id == owner_id) & (accounts.c.kind == "file")
        return list(self._connection.execute(select(accounts.c.id).where(of_files)).scalars())

    def get(self, event_id: int) -> StoredEvent:
        found = self._where(_EVENTS.c.id == event_id)
        if not found:
            raise NotFound(f"there is no event {event_id}")
        return found[0]

    def of_uid(self, owner_id: int, uid: str, *, limit: int = 50) -> list[StoredEvent]:
        is_kept_up = _EVENTS.c.account_id.not_in(self._of_files(owner_id))
        return self._where((_EVENTS.c.owner_id == owner_id) & (_EVENTS.c.uid == uid) & is_kept_up, limit)

    def count(self, owner_id: int, *, account_id: int | None = None) -> int:
        query = select(func.count()).select_from(calendar_items).where(calendar_items.c.owner_id == owner_id)
        if account_id is not None:
            query = query.where(calendar_items.c.account_id == account_id)
        return self._connection.execute(query).scalar_one()

    def _where(self, condition: Any, limit: int | None = None) -> list[StoredEvent]:
        query = select(_EVENTS).where(condition).order_by(_EVENTS.c.start_at, _EVENTS.c.id)
        return self._read(self._connection.execute(query.limit(limit)))

    def _read(self, rows: Iterable[Row[Any]]) -> list[StoredEvent]:
        """The one lookup that every read of an event passes."""
        exclusions = self._exclusions()
        found = [_stored(row._mapping) for row in rows]
        if exclusions.is_empty or not found:
            return self._noted(found)
        names = self.names(found[0].owner_id)

        def covered(one: StoredEvent) -> bool:
            folder = names.get((one.account_id, one.event.calendar), one.event.calendar)
            return exclusions.covers(people_of(one.event), folder)

        return self._noted([one for one in found if not covered(one)])

    def _noted(self, found: list[StoredEvent]) -> list[StoredEvent]:
        """That they were looked at is put down: what is said next may be of them."""
        self._looked.update(f"event:{one.event.uid}" for one in found)
        return found


def _is_kept_up(of_files: Collection[int]) -> ColumnElement[bool]:
    """Whether an account beside those knows the event, too."""
    same = _EVENTS.alias()
    return exists().where(
        same.c.owner_id == _EVENTS.c.owner_id, same.c.uid == _EVENTS.c.uid, same.c.account_id.not_in(of_files)
    )


def people_of(event: Event) -> list[tuple[str, str]]:
    """(name, address) of everybody who has to do with an event."""
    everybody = (*((event.organizer,) if event.organizer else ()), *event.attendees)
    return [(one.name, one.address) for one in everybody]


def _named_in(ics: str) -> list[tuple[str, str]]:
    """(name, address) of everybody named in calendar text as organizer or guest, in any of its occurrences.

    Looked for line by line, so that nobody is missed in what can't be understood or is not of interest now.
    """
    found = []
    for person in _PERSON.finditer(_FOLD.sub("", ics)):
        called = _CALLED.search(person["rest"])
        name = (called["quoted"] or called["bare"] or "") if called else ""
        found += [(name, address) for address in _ADDRESS.findall(person["rest"]) or [""]]
    return found


_FOLD = re.compile(r"\r?\n[ \t]")
_PERSON = re.compile(r"^(?:ATTENDEE|ORGANIZER)[;:](?P<rest>.*)$", re.IGNORECASE | re.MULTILINE)
_CALLED = re.compile(r"(?:^|;)CN=(?:\"(?P<quoted>[^\"]*)\"|(?P<bare>[^;:\"]*))", re.IGNORECASE)
_ADDRESS = re.compile(r"[^\s<>;:,\"=]+@[^\s<>;:,\"=]+")

_EVENTS = events
"""Where a parameter takes the table's name."""


def _in_order(event: Event) -> tuple[datetime, str, str]:
    return event.start_at, event.key, event.ref


def _row_of(event: Event) -> dict[str, Any]:
    return {**to_plain(event), "start_at": event.start_at, "end_at": event.end_at}


def _stored(row: RowMapping) -> StoredEvent:
    moments = {name: row[name].isoformat() for name in ("start_at", "end_at")}
    event = from_plain({name: row[name] for name in Event.__dataclass_fields__} | moments)
    return StoredEvent(id=row["id"], owner_id=row["owner_id"], account_id=row["account_id"], event=event)
