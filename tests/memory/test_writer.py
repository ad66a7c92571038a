"""The one writer: durable in groups, each unit for itself, and alive whatever happens to it."""

import asyncio
import json
import subprocess
import sys
import textwrap
import threading
from pathlib import Path
from typing import Any

import pytest

from memory.errors import BadInput, OutOfReach
from memory.ledger import Tables
from memory.sql import engine
from memory.sql.ledger import SqlLedger, SqlReader
from tests.doubles.clock import NOW
from tests.doubles.counted import counted as count_of
from tests.doubles.hand import hand, rows

ROOT = Path(__file__).parents[2]


def count(name: str, by: int = 1) -> Any:
    """A unit that counts."""
    return lambda t: t.counts.add(name, owner_id=1, now=NOW, by=by)


def counted(database: Path) -> dict[str, int]:
    """What another connection sees, so what is committed."""
    return dict(rows(database, "SELECT name, n FROM counts"))


class Gate:
    """A unit that holds the writer up until it is opened."""

    def __init__(self) -> None:
        self.reached = threading.Event()
        self.opened = threading.Event()

    def __call__(self, tables: Tables) -> str:
        self.reached.set()
        assert self.opened.wait(10)
        return "through"


# --- groups ---


async def test_what_was_returned_is_durable(ledger: SqlLedger, database: Path) -> None:
    await asyncio.gather(*(ledger.write(count(f"n{number}")) for number in range(600)))
    assert counted(database) == {f"n{number}": 1 for number in range(600)}


async def test_units_that_wait_are_committed_together(ledger: SqlLedger, database: Path) -> None:
    commits: list[dict[str, int]] = []
    gate = Gate()
    held = asyncio.create_task(ledger.write(gate))
    await asyncio.to_thread(gate.reached.wait, 10)
    ledger.on_commit(lambda: commits.append(counted(database)))
    waiting = [asyncio.create_task(ledger.write(count(f"n{number}"))) for number in range(20)]
    await asyncio.sleep(0)
    gate.opened.set()
    await asyncio.gather(held, *waiting)
    assert len(commits) <= 3
    assert len(commits[-1]) == 20


async def test_one_unit_that_raises_leaves_no_trace_and_the_others_stand(ledger: SqlLedger, database: Path) -> None:
    def fails(tables: Tables) -> None:
        count("failed")(tables)
        raise ZeroDivisionError

    # Behind a gate, so that they are one group.
    gate = Gate()
    held = asyncio.create_task(ledger.write(gate))
    await asyncio.to_thread(gate.reached.wait, 10)
    group = [asyncio.create_task(ledger.write(unit)) for unit in (count("before"), fails, count("after"))]
    await asyncio.sleep(0)
    gate.opened.set()
    ends = await asyncio.gather(held, *group, return_exceptions=True)
    assert [type(end) for end in ends] == [str, type(None), ZeroDivisionError, type(None)]
    assert counted(database) == {"before": 1, "after": 1}


async def test_a_units_own_error_reaches_its_caller_as_it_is(ledger: SqlLedger) -> None:
    mine = BadInput("not like this: try again")

    def refuse(_: Tables) -> None:
        raise mine

    with pytest.raises(BadInput) as caught:
        await ledger.write(refuse)
    assert caught.value is mine


async def test_a_units_result_reaches_its_own_caller(ledger: SqlLedger) -> None:
    results = await asyncio.gather(*(ledger.write(lambda t, n=number: n) for number in range(50)))
    assert results == list(range(50))


# --- callers that go away ---


async def test_a_cancelled_callers_unit_is_carried_out_and_the_writer_goes_on(
    ledger: SqlLedger, database: Path
) -> None:
    gate = Gate()
    held = asyncio.create_task(ledger.write(gate))
    await asyncio.to_thread(gate.reached.wait, 10)
    leaving = asyncio.create_task(ledger.write(count("left behind")))
    await asyncio.sleep(0)
    for task in (held, leaving):
        task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await leaving
    gate.opened.set()
    await ledger.write(count("next"))
    assert counted(database) == {"left behind": 1, "next": 1}


async def test_the_error_of_a_unit_nobody_waits_for_is_no_noise(ledger: SqlLedger) -> None:
    noises: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, told: noises.append(told))
    gate = Gate()
    held = asyncio.create_task(ledger.write(gate))
    await asyncio.to_thread(gate.reached.wait, 10)
    leaving = asyncio.create_task(ledger.write(lambda t: 1 / 0))
    await asyncio.sleep(0)
    leaving.cancel()
    await asyncio.wait([leaving])
    del leaving
    gate.opened.set()
    await held
    await ledger.write(count("next"))
    assert noises == []


# --- reading ---


async def test_a_read_can_not_write(ledger: SqlLedger, database: Path) -> None:
    with pytest.raises(OutOfReach, match="read-only"):
        await ledger.read(count("sneaked in"))
    assert counted(database) == {}


async def test_a_read_sees_what_was_written_before_it(ledger: SqlLedger) -> None:
    for number in range(1, 20):
        await ledger.write(count("n"))
        assert await ledger.read(lambda t: count_of(t, "n", NOW)) == number


async def test_a_read_is_one_snapshot(ledger: SqlLedger, database: Path) -> None:
    def looks_twice(tables: Tables) -> list[int]:
        before = count_of(tables, "n", NOW)
        with hand(database) as connection:
            connection.execute("INSERT INTO counts VALUES (1, 'n', '2026-03-02', 7)")
        return [before, count_of(tables, "n", NOW)]

    assert await ledger.read(looks_twice) == [0, 0]
    assert await ledger.read(lambda t: count_of(t, "n", NOW)) == 7


async def test_reading_needs_no_writer(database: Path) -> None:
    async with SqlReader(database) as reader:
        assert (await reader.read(lambda t: t.owners.get())).language == "en"
        with pytest.raises(OutOfReach):
            await reader.read(count("sneaked in"))


# --- ends ---


async def test_a_closed_ledger_takes_no_more(database: Path) -> None:
    async with SqlLedger(database) as ledger:
        await ledger.write(count("n"))
    with pytest.raises(RuntimeError, match="closed"):
        await ledger.write(count("n"))


async def test_an_unopened_ledger_takes_nothing_yet(database: Path) -> None:
    with pytest.raises(RuntimeError, match="open the ledger first"):
        await SqlLedger(database).write(count("n"))


async def test_closing_commits_what_is_queued(database: Path) -> None:
    async with SqlLedger(database) as ledger:
        queued = [asyncio.create_task(ledger.write(count(f"n{number}"))) for number in range(30)]
        await asyncio.sleep(0)
    await asyncio.gather(*queued)
    assert len(counted(database)) == 30


async def test_nothing_is_left_beside_the_file_of_a_closed_ledger(database: Path) -> None:
    async with SqlLedger(database) as ledger:
        await ledger.write(count("n"))
        await ledger.read(lambda t: t.owners.get())
    assert sorted(path.name for path in database.parent.iterdir()) == ["stillbell.db"]


# --- trouble ---


@pytest.mark.parametrize("name", ["missing folder", "not a file"])
async def test_a_database_that_can_not_be_opened_is_told_at_once(tmp_path: Path, name: str) -> None:
    path = tmp_path / "missing" / "stillbell.db" if name == "missing folder" else tmp_path
    async with asyncio.timeout(10):
        with pytest.raises(OutOfReach, match="data folder"):
            async with SqlLedger(path):
                pass


async def test_a_database_that_another_program_holds_is_waited_for_a_while_only(
    database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "BUSY_TIMEOUT_MS", 20)
    async with SqlLedger(database) as ledger:
        with hand(database) as connection:
            connection.execute("BEGIN IMMEDIATE")
            with pytest.raises(OutOfReach, match="another program"):
                await ledger.write(count("n"))
            assert await ledger.read(lambda t: count_of(t, "n", NOW)) == 0
        await ledger.write(count("n"))
    assert counted(database) == {"n": 1}


FULL_DISK = """
    import asyncio, json, resource, sys
    from pathlib import Path
    from memory.errors import StillbellError
    from memory.sql.ledger import SqlLedger
    from tests.doubles.clock import NOW

    path = Path(sys.argv[1])
    told = {"kept": 0, "errors": []}

    async def main():
        async with SqlLedger(path) as ledger:
            for number in range(20):
                await ledger.write(lambda t: t.cursors.set(f"kept {number}", "x" * 1000, owner_id=1, now=NOW))
                told["kept"] += 1
            soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
            full = Path(f"{path}-wal").stat().st_size + 20_000
            resource.setrlimit(resource.RLIMIT_FSIZE, (full, hard))
            for number in range(20, 60):
                try:
                    await ledger.write(lambda t: t.cursors.set(f"kept {number}", "x" * 9000, owner_id=1, now=NOW))
                    told["kept"] += 1
                except StillbellError as error:
                    told["errors"].append([type(error).__name__, str(error)])
            told["read"] = await ledger.read(lambda t: t.cursors.get("kept 3", owner_id=1))
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
            await ledger.write(lambda t: t.cursors.set("afterwards", "y", owner_id=1, now=NOW))

    asyncio.run(main())
    print(json.dumps(told))
"""


def test_on_a_full_disk_nothing_is_acknowledged_reads_go_on_and_it_heals_by_itself(database: Path) -> None:
    asked = [sys.executable, "-c", textwrap.dedent(FULL_DISK), str(database)]
    child = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert child.returncode == 0, child.stderr
    told = json.loads(child.stdout)
    assert told["errors"], "the limit was never reached"
    assert {kind for kind, _ in told["errors"]} == {"OutOfReach"}
    assert all("nothing was written" in text for _, text in told["errors"])
    assert told["read"] == "x" * 1000
    kept = rows(database, "SELECT count(*) FROM cursors WHERE name LIKE 'kept %'")
    assert kept == [(told["kept"],)]
    assert rows(database, "SELECT value FROM cursors WHERE name = 'afterwards'") == [("y",)]
    assert rows(database, "PRAGMA integrity_check") == [("ok",)]
