"""Whose words stand in what was said here."""

import json
from collections.abc import Collection, Iterable, Iterator

from sqlalchemy import Connection, func, select, text
from sqlalchemy.dialects.sqlite import insert as upsert

from memory.echo import Said, Source
from memory.search.document import person_of
from memory.sql.calendar_schema import events
from memory.sql.mail_schema import mails
from memory.sql.passages import text_of
from memory.sql.quote_schema import quotes
from memory.sql.schema import messages
from memory.sql.search_schema import passages

LOOKED_AT = 500
"""So many sources of each kind are compared with one text, the newest first: more than any handler reads."""

TEXT_MAX = 8_000
"""So many characters of one source are compared: its beginning, since that is what is shown of it."""

_OF_MESSAGE = "message:"
_TIE = upsert(quotes).on_conflict_do_nothing()


class SqlQuotes:
    """See memory.tables.quotes.Quotes. `looked` is filled by the tables that read what others wrote."""

    def __init__(self, connection: Connection, looked: set[str]) -> None:
        self._connection = connection
        self._looked = looked

    def looked_at(self) -> frozenset[str]:
        own = {ref for ref in self._looked if ref.startswith(_OF_MESSAGE)}
        return frozenset((self._looked - own) | self._quoted_by(own))

    def tie(self, owner_id: int, row: str, text: str, read: Collection[str]) -> None:
        if not read or not text:
            return
        said = Said(text)
        found = (ref for ref, source in sources_of(self._connection, owner_id, read) if said.echoes(source))
        rows = [{"owner_id": owner_id, "ref": ref, "row": row} for ref in found]
        if rows:
            self._connection.execute(_TIE, rows)

    def _quoted_by(self, said: Collection[str]) -> set[str]:
        """What messages quote: themselves, and as part of their turns."""
        if not said:
            return set()
        ids = [int(row.removeprefix(_OF_MESSAGE)) for row in said]
        turns = select(messages.c.turn_id).where(messages.c.id.in_(ids), messages.c.turn_id.is_not(None))
        rows = {*said, *(f"turn:{one}" for one in self._connection.execute(turns).scalars())}
        wanted = select(func.json_each(json.dumps(sorted(rows))).table_valued("value").c.value)
        return set(self._connection.execute(select(quotes.c.ref).where(quotes.c.row.in_(wanted))).scalars())


def sources_of(connection: Connection, owner_id: int, refs: Iterable[str]) -> Iterator[tuple[str, Source]]:
    """The sources that there are, each under its ref."""
    of_kind: dict[str, list[str]] = {}
    for ref in refs:
        kind = ref.partition(":")[0]
        of_kind.setdefault(kind if kind in {"mail", "event"} else "", []).append(ref)
    yield from _mails(connection, [int(ref[5:]) for ref in of_kind.get("mail", ()) if ref[5:].isdecimal()])
    yield from _events(connection, owner_id, [ref[6:] for ref in of_kind.get("event", ())])
    yield from _documents(connection, owner_id, of_kind.get("", ()))


def _mails(connection: Connection, ids: Collection[int]) -> Iterator[tuple[str, Source]]:
    columns = (mails.c.id, mails.c.by_owner, mails.c.sender_name, mails.c.sender_address, mails.c.recipients)
    begins = func.substr(
        func.coalesce(mails.c.said, text_of(mails.c.owner_id, text("'mail:' || mails.id"))), 1, TEXT_MAX
    )
    query = select(*columns, mails.c.subject, begins.label("begins")).where(mails.c.id.in_(sorted(ids)[-LOOKED_AT:]))
    for row in connection.execute(query):
        others = [(str(name), str(address or "")) for _, name, address in row.recipients]
        people = others if row.by_owner else [(row.sender_name, row.sender_address)]
        yield f"mail:{row.id}", Source(people=tuple(people), title=row.subject, text=row.begins or "")


def _events(connection: Connection, owner_id: int, uids: Collection[str]) -> Iterator[tuple[str, Source]]:
    query = select(events.c.uid, events.c.title, events.c.place)
    own = (events.c.owner_id == owner_id) & events.c.uid.in_(sorted(uids)[-LOOKED_AT:])
    for row in connection.execute(query.where(own).order_by(events.c.id)):
        yield f"event:{row.uid}", Source(title=row.title, text=row.place)


def _documents(connection: Connection, owner_id: int, refs: Collection[str]) -> Iterator[tuple[str, Source]]:
    query = select(
        passages.c.ref, passages.c.who, passages.c.title, func.substr(passages.c.text, 1, TEXT_MAX).label("text")
    )
    own = (passages.c.owner_id == owner_id) & passages.c.ref.in_(sorted(refs)[-LOOKED_AT:])
    for row in connection.execute(query.where(own)):
        people = () if row.who == "you" else (person_of(row.who),)
        yield row.ref, Source(people=people, title=row.title, text=row.text)
