"""Which thread a mail belongs to: by the ids it refers to, and by its subject only where there are none."""

import json
from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Connection, bindparam, delete, func, select, text, update
from sqlalchemy.dialects.sqlite import insert as upsert

from memory.mail import Mail
from memory.mail_thread import (
    JOINED_WITHIN_FOR,
    Candidate,
    is_reply,
    joins,
    root_of,
    subject_key,
    subject_of,
    thread_ids,
)
from memory.sql.mail_schema import mail_people, mail_thread_ids, mail_threads, mails
from memory.sql.rows import put
from memory.sql.schema import cards, links

_KNOWN = text(
    "SELECT DISTINCT thread_id FROM mail_thread_ids WHERE owner_id = :owner "
    "AND message_id IN (SELECT value FROM json_each(:ids)) ORDER BY thread_id"
)
_ID = upsert(mail_thread_ids)
_ID = _ID.on_conflict_do_nothing()
_LAST = (
    update(mail_threads)
    .where(mail_threads.c.id == bindparam("thread"))
    .values(last_at=func.max(mail_threads.c.last_at, bindparam("written", type_=mail_threads.c.last_at.type)))
)


def assign(connection: Connection, owner_id: int, mail: Mail, now: datetime) -> int:
    """The thread of a new mail: one that is there, several made one by it, or a new one."""
    ids, at = thread_ids(mail), mail.date_at or now
    found = list(connection.execute(_KNOWN, {"owner": owner_id, "ids": json.dumps(ids)}).scalars()) if ids else []
    thread_id = (
        found[0] if found else _by_subject(connection, owner_id, mail, at) or _new(connection, owner_id, mail, at)
    )
    for other in found[1:]:
        _merge(connection, owner_id, other, thread_id)
    connection.execute(_LAST, {"thread": thread_id, "written": at})
    if ids:
        connection.execute(_ID, [{"owner_id": owner_id, "message_id": one, "thread_id": thread_id} for one in ids])
    return int(thread_id)


def _new(connection: Connection, owner_id: int, mail: Mail, at: datetime) -> int:
    row = {"owner_id": owner_id, "root": root_of(mail), "subject_key": subject_key(mail.subject), "last_at": at}
    return put(connection, mail_threads, row)


def _merge(connection: Connection, owner_id: int, gone: int, into: int) -> None:
    connection.execute(update(mails).where(mails.c.thread_id == gone).values(thread_id=into))
    connection.execute(update(mail_thread_ids).where(mail_thread_ids.c.thread_id == gone).values(thread_id=into))
    last_at = select(mail_threads.c.last_at).where(mail_threads.c.id == gone).scalar_subquery()
    connection.execute(
        update(mail_threads).where(mail_threads.c.id == into).values(last_at=func.max(mail_threads.c.last_at, last_at))
    )
    connection.execute(delete(mail_threads).where(mail_threads.c.id == gone))
    _rename(connection, owner_id, subject_of(gone), subject_of(into))


def _rename(connection: Connection, owner_id: int, gone: str, into: str) -> None:
    """What waits on the thread (its lines, its loops, its open card) waits on the one that it has become part of."""
    tied = (links.c.owner_id == owner_id) & (links.c.subject == gone)
    rows = connection.execute(select(links.c.row).where(tied)).scalars().all()
    connection.execute(delete(links).where(tied))
    if rows:
        again = upsert(links).values([{"owner_id": owner_id, "subject": into, "row": row} for row in rows])
        connection.execute(again.on_conflict_do_nothing())
    is_open = (cards.c.owner_id == owner_id) & (cards.c.subject == gone) & (cards.c.state == "open")
    # The digest stands beside: it is that of what was shown, and a tap is held against it.
    connection.execute(update(cards).where(is_open).values(subject=into))


def _by_subject(connection: Connection, owner_id: int, mail: Mail, at: datetime) -> int | None:
    """The newest thread of that subject which the mail may belong to."""
    key = subject_key(mail.subject)
    if mail.in_reply_to or mail.references or not key or not is_reply(mail.subject):
        return None
    rows = connection.execute(
        select(mail_threads.c.id, mail_threads.c.last_at)
        .where(
            mail_threads.c.owner_id == owner_id,
            mail_threads.c.subject_key == key,
            mail_threads.c.last_at >= at - JOINED_WITHIN_FOR,
        )
        .order_by(mail_threads.c.last_at.desc())
        .limit(5)
    ).all()
    for row in rows:
        candidate = Candidate(subject_key=key, last_at=row.last_at, people=frozenset(_people(connection, row.id)))
        if joins(mail, candidate, at=at):
            return int(row.id)
    return None


def _people(connection: Connection, thread_id: int) -> Sequence[str]:
    return (
        connection.execute(
            select(mail_people.c.address)
            .distinct()
            .join_from(mail_people, mails, mails.c.id == mail_people.c.mail_id)
            .where(mails.c.thread_id == thread_id)
        )
        .scalars()
        .all()
    )
