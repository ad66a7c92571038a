"""Erasing recollections: the rows stay, empty and marked, and what was thinking with them stops."""

from collections.abc import Collection
from datetime import datetime

from sqlalchemy import Connection, delete, exists, func, select, update

from memory.recollection import EXTRACT, RECALL_FORGOTTEN, subject
from memory.sql.cards import SqlCards
from memory.sql.decisions import SqlDecisions
from memory.sql.recollection_schema import recalls, recollection_people, recollection_sources, recollections
from memory.sql.schema import jobs, turns
from memory.testimony import find

_other = recollection_sources.alias("other")


def empty(
    connection: Connection,
    owner_id: int,
    ids: Collection[int],
    *,
    decided: str,
    because: str,
    now: datetime,
    signal_id: int | None = None,
) -> bool:
    """Take text and quotes away, with a decision for each; whether a thought was stopped by it."""
    if not ids:
        return False
    connection.execute(
        update(recollections).where(recollections.c.id.in_(ids)).values(text="", about="", forgotten_at=now)
    )
    connection.execute(
        update(recollection_sources).where(recollection_sources.c.recollection_id.in_(ids)).values(quote="", who="")
    )
    connection.execute(delete(recollection_people).where(recollection_people.c.recollection_id.in_(ids)))
    for number in sorted(ids):
        SqlDecisions(connection).record(
            owner_id=owner_id, subject=subject(number), decided=decided, because=because, now=now, signal_id=signal_id
        )
    SqlCards(connection).outdate(*(subject(number) for number in ids), owner_id=owner_id, now=now)
    return _stop(connection, ids, now)


def _stop(connection: Connection, ids: Collection[int], now: datetime) -> bool:
    """End the turns that may still say something and had one of these in a prompt; whether any was being thought through."""
    had = select(recalls.c.turn_id).where(recalls.c.recollection_id.in_(ids))
    stopped = connection.execute(
        update(turns)
        .where(turns.c.id.in_(had), turns.c.stopped_at.is_(None))
        .values(stopped_at=now, stopped_because=RECALL_FORGOTTEN)
        .returning(turns.c.id, turns.c.signal_id)
    ).all()
    thought_about = (jobs.c.kind == "thinker") & func.json_extract(jobs.c.payload, "$.turn").in_(
        [row.id for row in stopped]
    )
    answered = jobs.c.signal_id.in_([row.signal_id for row in stopped])
    at_work = select(jobs.c.id).where(jobs.c.finished_at.is_(None), thought_about | answered)
    return connection.execute(at_work.limit(1)).first() is not None


def cancel_extracting(connection: Connection, turn_ids: Collection[int], *, because: str, now: datetime) -> None:
    """What is still to be looked for in these turns is not looked for."""
    connection.execute(
        update(jobs)
        .where(
            jobs.c.finished_at.is_(None),
            jobs.c.state == "pending",
            jobs.c.kind == EXTRACT,
            func.json_extract(jobs.c.payload, "$.turn").in_(turn_ids),
        )
        .values(state="cancelled", finished_at=now, last_error=because)
    )


def let_go(
    connection: Connection,
    owner_id: int,
    refs: Collection[str],
    *,
    because: str,
    now: datetime,
    only: int | None = None,
) -> None:
    """The words of these rows are gone: so is what rests on them alone. `only`: look at this one."""
    gone = [recollection_sources.c.owner_id == owner_id, recollection_sources.c.ref.in_(refs)]
    if only is not None:
        gone.append(recollection_sources.c.recollection_id == only)
    rests = select(recollection_sources.c.recollection_id).where(*gone, recollection_sources.c.quote != "")
    elsewhere = exists().where(
        _other.c.recollection_id == recollections.c.id, _other.c.ref.not_in(refs), _other.c.quote != ""
    )
    alone = select(recollections.c.id).where(recollections.c.id.in_(rests), ~elsewhere)
    ids = list(connection.execute(alone).scalars())
    empty(connection, owner_id, ids, decided="forgotten", because=because, now=now)
    connection.execute(update(recollection_sources).where(*gone).values(quote="", who=""))


def reworded(connection: Connection, owner_id: int, ref: str, text: str, *, now: datetime) -> None:
    """The row reads so now. What rests on words that no longer stand in it, and on nothing else, is emptied."""
    rows = connection.execute(
        select(recollection_sources.c.recollection_id, recollection_sources.c.quote).where(
            recollection_sources.c.owner_id == owner_id,
            recollection_sources.c.ref == ref,
            recollection_sources.c.quote != "",
        )
    ).all()
    for row in rows:
        if find(row.quote, text) is None:
            let_go(connection, owner_id, [ref], because="its words were edited", now=now, only=row.recollection_id)
