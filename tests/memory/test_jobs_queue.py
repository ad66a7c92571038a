"""The queue: in order within a thread, beside one another otherwise, and never lost."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from memory.job import INTERRUPTIONS_MAX, Finished, Job, Park, Retry, after_failure
from memory.ledger import Tables
from memory.sql.ledger import SqlLedger
from tests.doubles.clock import NOW
from tests.doubles.hand import hand, rows
from tests.doubles.spoken import publish

SOON = NOW + timedelta(seconds=30)


async def take(
    ledger: SqlLedger, *finished: Finished, now: datetime = NOW, inline: int = 8, background: int = 64
) -> list[Job]:
    return await ledger.write(
        lambda t: t.jobs.round(finished, take={"inline": inline, "background": background}, now=now)
    )


async def add(ledger: SqlLedger, *threads: str, kind: str = "thinker", lane: str = "background") -> list[int]:
    def several(tables: Tables) -> list[int]:
        return [
            tables.jobs.add(owner_id=1, kind=kind, lane=lane, thread=thread, payload={}, now=NOW)  # type: ignore[arg-type]
            for thread in threads
        ]

    return await ledger.write(several)


def ids(jobs: Sequence[Job]) -> list[int]:
    return [job.id for job in jobs]


def state_of(database: Path, job_id: int) -> str:
    return str(rows(database, "SELECT state FROM jobs WHERE id = ?", job_id)[0][0])


async def test_inline_jobs_of_a_thread_run_one_at_a_time_in_order(ledger: SqlLedger) -> None:
    first, second, third = await add(ledger, "a", "a", "a", lane="inline")
    assert ids(await take(ledger)) == [first]
    assert ids(await take(ledger)) == []
    assert ids(await take(ledger, Finished(first))) == [second]
    assert ids(await take(ledger, Finished(second))) == [third]
    assert ids(await take(ledger, Finished(third))) == []


async def test_another_thread_is_not_held_up(ledger: SqlLedger) -> None:
    a, _, b = await add(ledger, "a", "a", "b", lane="inline")
    assert ids(await take(ledger)) == [a, b]


async def test_background_jobs_run_beside_everything(ledger: SqlLedger) -> None:
    (inline,) = await add(ledger, "a", lane="inline")
    beside = await add(ledger, "a", "a", "a")
    assert ids(await take(ledger)) == [inline, *beside]


@pytest.mark.parametrize("lane", ["inline", "background"])
async def test_no_more_are_taken_than_there_is_room_for(ledger: SqlLedger, lane: str) -> None:
    made = await add(ledger, "a", "b", "c", "d", lane=lane)
    assert ids(await take(ledger, inline=3, background=3)) == made[:3]
    assert ids(await take(ledger, inline=0, background=0)) == []
    assert ids(await take(ledger)) == made[3:]


async def test_a_taken_job_carries_its_signal_and_its_own_payload(ledger: SqlLedger) -> None:
    def two(tables: Tables) -> None:
        publish(tables, payload={"text": "from the signal"})
        tables.jobs.add(owner_id=1, kind="k", lane="background", thread="a", payload={"turn": 7}, now=NOW)

    await ledger.write(two)
    asked, added = await take(ledger)
    assert asked.asked_by().payload == {"text": "from the signal"}
    assert (added.signal, added.payload) == (None, {"turn": 7})
    with pytest.raises(LookupError):
        added.asked_by()


async def test_a_retry_is_not_taken_before_its_time(ledger: SqlLedger) -> None:
    (job,) = await add(ledger, "a")
    await take(ledger)
    assert ids(await take(ledger, Finished(job, retry_at=SOON, error="no"))) == []
    assert ids(await take(ledger, now=SOON - timedelta(milliseconds=1))) == []
    (again,) = await take(ledger, now=SOON)
    assert (again.id, again.attempt) == (job, 2)


async def test_a_thread_waits_for_its_retry_and_keeps_its_order(ledger: SqlLedger) -> None:
    first, second = await add(ledger, "a", "a", lane="inline")
    await take(ledger)
    assert ids(await take(ledger, Finished(first, retry_at=SOON, error="no"))) == []
    assert ids(await take(ledger, now=SOON)) == [first]
    assert ids(await take(ledger, Finished(first), now=SOON)) == [second]


async def test_a_job_that_put_itself_off_waits_for_its_time_and_it_counts_as_no_attempt(ledger: SqlLedger) -> None:
    (job,) = await add(ledger, "a", lane="inline")
    await take(ledger)
    assert ids(await take(ledger, Finished(job, later_at=SOON))) == []
    assert ids(await take(ledger, now=SOON - timedelta(milliseconds=1))) == []
    (again,) = await take(ledger, now=SOON)
    assert (again.id, again.attempt) == (job, 1)


async def test_a_job_that_put_itself_off_is_taken_at_once_when_another_comes_behind_it(ledger: SqlLedger) -> None:
    (first,) = await add(ledger, "a", lane="inline")
    await take(ledger)
    await take(ledger, Finished(first, later_at=SOON))
    await add(ledger, "b", lane="background")
    await add(ledger, "b", lane="inline")
    assert first not in ids(await take(ledger))
    (second,) = await add(ledger, "a", lane="inline")
    assert ids(await take(ledger)) == [first]
    assert ids(await take(ledger, Finished(first))) == [second]


async def test_a_retry_is_not_hurried_by_who_comes_behind_it(ledger: SqlLedger) -> None:
    first, _ = await add(ledger, "a", "a", lane="inline")
    await take(ledger)
    assert ids(await take(ledger, Finished(first, retry_at=SOON, error="no"))) == []


async def test_the_next_of_a_thread_runs_when_one_is_parked(ledger: SqlLedger) -> None:
    first, second = await add(ledger, "a", "a", lane="inline")
    await take(ledger)
    assert ids(await take(ledger, Finished(first, parked_because="failed 3 times", error="no"))) == [second]
    assert await ledger.read(lambda t: t.jobs.parked(1)) == [(first, "thinker", "failed 3 times")]


@pytest.mark.parametrize("lane", ["inline", "background"])
async def test_a_clock_that_is_set_back_holds_up_no_new_job(ledger: SqlLedger, lane: str) -> None:
    made = await add(ledger, "a", "b", lane=lane)
    assert ids(await take(ledger, now=NOW - timedelta(days=1))) == made


async def test_the_next_time_to_look_is_that_of_the_earliest_retry(ledger: SqlLedger) -> None:
    early, late, _ = await add(ledger, "a", "b", "c")
    await take(ledger, background=2)
    later = SOON + timedelta(hours=1)
    await take(ledger, Finished(early, retry_at=SOON), Finished(late, retry_at=later), background=0)
    assert await ledger.read(lambda t: t.jobs.next_run_at(now=NOW)) == SOON
    assert await ledger.read(lambda t: t.jobs.next_run_at(now=SOON)) == later
    assert await ledger.read(lambda t: t.jobs.next_run_at(now=later)) is None


@pytest.mark.parametrize(
    "end",
    [
        pytest.param({}, id="done"),
        pytest.param({"retry_at": SOON, "error": "no"}, id="to be tried again"),
        pytest.param({"later_at": SOON}, id="put off"),
        pytest.param({"parked_because": "no", "error": "no"}, id="parked"),
    ],
)
async def test_a_job_cancelled_while_it_ran_stays_cancelled(ledger: SqlLedger, database: Path, end: dict) -> None:
    (job,) = await add(ledger, "a")
    await take(ledger)
    with hand(database) as connection:
        connection.execute("UPDATE jobs SET state = 'cancelled'")
    assert ids(await take(ledger, Finished(job, **end), now=SOON)) == []
    assert state_of(database, job) == "cancelled"


async def test_only_pending_jobs_of_that_thread_and_kind_are_cancelled(ledger: SqlLedger, database: Path) -> None:
    running, *_ = await add(ledger, "a")
    await take(ledger)
    pending, elsewhere = await add(ledger, "a", "b")
    (other,) = await add(ledger, "a", kind="other")
    cancelled = await ledger.write(
        lambda t: t.jobs.cancel_pending(thread="a", kind="thinker", because="a newer message", now=NOW)
    )
    assert cancelled == 1
    states = [state_of(database, job) for job in (running, pending, elsewhere, other)]
    assert states == ["running", "cancelled", "pending", "pending"]


async def test_a_job_that_was_running_at_a_death_is_pending_again_at_once(ledger: SqlLedger) -> None:
    (job,) = await add(ledger, "a")
    (waiting,) = await add(ledger, "b", lane="inline")
    await take(ledger, inline=0)
    await take(ledger, Finished(job, retry_at=SOON), inline=0)
    assert ids(await take(ledger, now=SOON, inline=0)) == [job]
    assert await ledger.write(lambda t: t.jobs.recover(now=NOW)) == (1, [])
    assert ids(await take(ledger, now=NOW - timedelta(days=1))) == [job, waiting]


async def test_a_job_that_runs_at_too_many_deaths_is_taken_for_their_cause(ledger: SqlLedger, database: Path) -> None:
    killer, innocent = await add(ledger, "a", "a", lane="inline")
    for death in range(1, INTERRUPTIONS_MAX):
        assert ids(await take(ledger)) == [killer]
        assert await ledger.write(lambda t: t.jobs.recover(now=NOW)) == (1, []), death
    await take(ledger)
    again, parked = await ledger.write(lambda t: t.jobs.recover(now=NOW))
    assert (again, ids(parked)) == (0, [killer])
    assert state_of(database, killer) == "parked"
    assert "ended 3 times" in (await ledger.read(lambda t: t.jobs.parked(1)))[0][2]
    assert ids(await take(ledger)) == [innocent]


async def test_a_job_that_ended_was_not_interrupted(ledger: SqlLedger) -> None:
    (job,) = await add(ledger, "a")
    for _ in range(INTERRUPTIONS_MAX + 1):
        await take(ledger, now=SOON)
        await take(ledger, Finished(job, retry_at=NOW), background=0)
        assert await ledger.write(lambda t: t.jobs.recover(now=NOW)) == (0, [])


async def test_a_thread_is_busy_while_a_job_of_it_is_not_finished(ledger: SqlLedger) -> None:
    pending, done = await add(ledger, "a", "a")
    (other,) = await add(ledger, "a", kind="other")
    assert await ledger.read(lambda t: (t.jobs.busy("a"), t.jobs.busy("a", ["other"]), t.jobs.busy("b"))) == (3, 1, 0)
    await take(ledger)
    await take(ledger, Finished(done), Finished(other))
    assert await ledger.read(lambda t: (t.jobs.busy("a"), t.jobs.busy("a", ["other"]))) == (1, 0)
    assert await ledger.read(lambda t: t.jobs.counts()) == {"running": 1, "done": 2}
    assert pending


# --- what becomes of a failure ---


@pytest.mark.parametrize(("lane", "attempts"), [("inline", 3), ("background", 5)])
def test_a_failing_job_is_tried_again_ever_later_and_then_given_up(lane: str, attempts: int) -> None:
    fates = [after_failure(lane=lane, attempt=n, error="boom", now=NOW) for n in range(1, attempts + 1)]  # type: ignore[arg-type]
    waits = [fate.at - NOW for fate in fates if isinstance(fate, Retry)]
    assert len(waits) == attempts - 1
    assert waits == sorted(set(waits))
    assert waits[0] > timedelta(0)
    last = fates[-1]
    assert isinstance(last, Park)
    assert "boom" in last.because


def test_a_thread_never_waits_longer_than_two_seconds_for_a_failing_job() -> None:
    fates = (after_failure(lane="inline", attempt=n, error="boom", now=NOW) for n in (1, 2, 3))
    assert sum((fate.at - NOW for fate in fates if isinstance(fate, Retry)), timedelta()) < timedelta(seconds=2)
