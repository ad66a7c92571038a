"""The queue."""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, and_, bindparam, case, exists, func, or_, select, update

from memory.job import BACKOFF_FOR, INTERRUPTIONS_MAX, Finished, Job, Lane
from memory.sql.rows import put
from memory.sql.schema import PARKED, jobs, signal_heads
from memory.sql.signals import WITH_PAYLOAD, mapping_of, signal_of
from memory.sql.types import UtcDateTime

_UNFINISHED = jobs.c.finished_at.is_(None)
_DUE = or_(jobs.c.run_at.is_(None), jobs.c.run_at <= bindparam("now"))
_earlier = jobs.alias("earlier")
_behind = jobs.alias("behind")
# Only a job that put itself off has a time and no attempt: it wanted to see what else comes, and here it is.
_HAS_COMPANY = and_(
    jobs.c.attempts == 0,
    exists().where(
        _behind.c.finished_at.is_(None),
        _behind.c.lane == "inline",
        _behind.c.thread == jobs.c.thread,
        _behind.c.id > jobs.c.id,
    ),
)
_FIRST_OF_THREAD = (
    select(jobs.c.id)
    .where(
        _UNFINISHED,
        jobs.c.lane == "inline",
        jobs.c.state == "pending",
        or_(_DUE, _HAS_COMPANY),
        ~exists().where(
            _earlier.c.finished_at.is_(None),
            _earlier.c.lane == "inline",
            _earlier.c.thread == jobs.c.thread,
            _earlier.c.id < jobs.c.id,
        ),
    )
    .order_by(jobs.c.id)
    .limit(bindparam("most"))
)
_BESIDE = (
    select(jobs.c.id)
    .where(_UNFINISHED, jobs.c.lane == "background", jobs.c.state == "pending", _DUE)
    .order_by(jobs.c.id)
    .limit(bindparam("most"))
)


def _taking(which: Any) -> Any:
    return (
        update(jobs)
        .where(jobs.c.id.in_(which.scalar_subquery()))
        .values(state="running", attempts=jobs.c.attempts + 1)
        .returning(jobs)
    )


_TAKE: Mapping[Lane, Any] = {"inline": _taking(_FIRST_OF_THREAD), "background": _taking(_BESIDE)}
# A job cancelled while it ran stays cancelled.
_DONE = (
    update(jobs)
    .where(jobs.c.id == bindparam("job"), jobs.c.state == "running")
    .values(state="done", finished_at=bindparam("now"))
)
_BEHIND = (
    select(jobs)
    .where(
        _UNFINISHED,
        jobs.c.lane == "inline",
        jobs.c.state == "pending",
        jobs.c.thread == bindparam("thread"),
        jobs.c.id > bindparam("job"),
    )
    .order_by(jobs.c.id)
    .limit(200)
)
_NEXT = select(func.min(jobs.c.run_at)).where(_UNFINISHED, jobs.c.run_at > bindparam("now"))

# A time that is further away than any wait was set by a clock that has been set back since. Who put itself off (no
# attempt counts then) looks anew at once.
_WAIT_ENDS = case(
    *(
        (and_(jobs.c.lane == lane, jobs.c.attempts == attempt), bindparam(f"{lane}{attempt}", type_=UtcDateTime))
        for lane, waits in BACKOFF_FOR.items()
        for attempt in range(1, len(waits) + 1)
    ),
    else_=bindparam("now", type_=UtcDateTime),
)
_CLAMP = (
    update(jobs)
    .where(_UNFINISHED, jobs.c.state == "pending", jobs.c.run_at.is_not(None), jobs.c.run_at > _WAIT_ENDS)
    .values(run_at=_WAIT_ENDS)
)

_BUSY_WITH = select(func.count()).where(
    _UNFINISHED, jobs.c.thread == bindparam("thread"), jobs.c.kind.in_(bindparam("kinds", expanding=True))
)


class SqlJobs:
    """See memory.ledger.Jobs."""

    def __init__(self, connection: Connection, touched: set[str]) -> None:
        self._connection = connection
        self._touched = touched

    def add(
        self, *, owner_id: int, kind: str, lane: Lane, thread: str, payload: Mapping[str, Any], now: datetime
    ) -> int:
        values = {
            "owner_id": owner_id,
            "kind": kind,
            "lane": lane,
            "thread": thread,
            "payload": json.dumps(payload),
            "created_at": now,
        }
        new_id = put(self._connection, jobs, values)
        self._touched.add(lane)
        return new_id

    def round(self, finished: Sequence[Finished], *, take: Mapping[Lane, int], now: datetime) -> list[Job]:
        self._settle(finished, now)
        taken: list[Any] = []
        for lane, most in take.items():
            if most > 0:
                rows = self._connection.execute(_TAKE[lane], {"now": now, "most": most})
                taken += rows.mappings().all()
        return self._jobs_of(taken)

    def _settle(self, finished: Sequence[Finished], now: datetime) -> None:
        done = [{"job": one.job_id, "now": now} for one in finished if one.is_done]
        if done:
            self._connection.execute(_DONE, done)
        for one in finished:
            if one.retry_at is not None:
                self._change(one.job_id, state="pending", run_at=one.retry_at, last_error=one.error)
            elif one.later_at is not None:
                self._change(one.job_id, state="pending", run_at=one.later_at, attempts=jobs.c.attempts - 1)
            elif one.parked_because:
                self._change(one.job_id, state="parked", finished_at=now, last_error=one.parked_because)

    def _change(self, job_id: int, **values: Any) -> None:
        self._connection.execute(update(jobs).where(jobs.c.id == job_id, jobs.c.state == "running").values(**values))

    def _jobs_of(self, rows: Sequence[Any]) -> list[Job]:
        wanted = [row["signal_id"] for row in rows if row["signal_id"] is not None]
        found = self._connection.execute(WITH_PAYLOAD.where(signal_heads.c.id.in_(wanted))).mappings() if wanted else ()
        signals = {row["id"]: signal_of(row) for row in found}
        made = [
            Job(
                id=row["id"],
                owner_id=row["owner_id"],
                kind=row["kind"],
                lane=row["lane"],
                thread=row["thread"],
                attempt=row["attempts"],
                created_at=row["created_at"],
                signal=signals.get(row["signal_id"]),
                payload=mapping_of(row["payload"]),
            )
            for row in rows
        ]
        return sorted(made, key=lambda job: job.id)

    def next_run_at(self, *, now: datetime) -> datetime | None:
        found: datetime | None = self._connection.execute(_NEXT, {"now": now}).scalar()
        return found

    def clamp(self, *, now: datetime) -> int:
        ends = {
            f"{lane}{attempt}": now + wait
            for lane, waits in BACKOFF_FOR.items()
            for attempt, wait in enumerate(waits, 1)
        }
        return self._connection.execute(_CLAMP, {"now": now, **ends}).rowcount

    def recover(self, *, now: datetime) -> tuple[int, list[Job]]:
        running = _UNFINISHED & (jobs.c.state == "running")
        self._connection.execute(update(jobs).where(running).values(interruptions=jobs.c.interruptions + 1))
        suspects = update(jobs).where(running, jobs.c.interruptions >= INTERRUPTIONS_MAX)
        because = f"Stillbell ended {INTERRUPTIONS_MAX} times while this was running"
        parked = self._connection.execute(
            suspects.values(state="parked", finished_at=now, last_error=because).returning(jobs)
        )
        held = self._jobs_of(parked.mappings().all())
        again = self._connection.execute(update(jobs).where(running).values(state="pending", run_at=None))
        return again.rowcount, held

    def behind(self, job_id: int, thread: str) -> list[Job]:
        rows = self._connection.execute(_BEHIND, {"job": job_id, "thread": thread}).mappings().all()
        return self._jobs_of(rows)

    def take_along(self, job_id: int, *, because: str, now: datetime) -> None:
        self._connection.execute(
            update(jobs)
            .where(jobs.c.id == job_id, jobs.c.state == "pending")
            .values(state="done", finished_at=now, payload=json.dumps({"taken_along": because}))
        )

    def cancel_pending(self, *, thread: str, kind: str, because: str, now: datetime) -> int:
        return self._connection.execute(
            update(jobs)
            .where(_UNFINISHED, jobs.c.thread == thread, jobs.c.kind == kind, jobs.c.state == "pending")
            .values(state="cancelled", finished_at=now, last_error=because)
        ).rowcount

    def busy(self, thread: str, kinds: Sequence[str] = ()) -> int:
        if kinds:
            return self._connection.execute(_BUSY_WITH, {"thread": thread, "kinds": list(kinds)}).scalar_one()
        unfinished = select(func.count()).where(_UNFINISHED, jobs.c.thread == thread)
        return self._connection.execute(unfinished).scalar_one()

    def parked(self, owner_id: int) -> list[tuple[int, str, str]]:
        rows = self._connection.execute(
            select(jobs.c.id, jobs.c.kind, jobs.c.last_error)
            .where(jobs.c.owner_id == owner_id, PARKED)
            .order_by(jobs.c.id)
        )
        return [(job_id, kind, error or "") for job_id, kind, error in rows]

    def counts(self) -> Mapping[str, int]:
        rows = self._connection.execute(select(jobs.c.state, func.count()).group_by(jobs.c.state))
        return dict(rows.all())
