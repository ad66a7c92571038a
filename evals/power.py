"""Power: whether what was acknowledged is there after the power was cut, at hundreds of random moments of one busy run.

The real writer commits units in groups while every call to the disk is noted (evals/disk). For each moment the files are
put together as a power cut would have left them, opened again and looked through. Goal: none of the acknowledged units is
lost, none is there by half, and no file is damaged. For contrast the same with synchronous=NORMAL, which must lose some:
else this would measure nothing.
"""

import asyncio
import random
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

from evals.disk import Record, after_power_cuts, recording
from evals.report import Report
from memory.clock import SystemClock
from memory.ledger import Tables
from memory.signal import NewSignal
from memory.sql import engine
from memory.sql.ledger import SqlLedger
from memory.sql.opening import open_database

UNITS = 600
IN_FLIGHT = 4
CUTS = 400
SEED = 20260302


@dataclass(frozen=True, slots=True)
class Acknowledged:
    """A unit, and how many calls to the disk there were when it was acknowledged."""

    unit: int
    calls: int


@dataclass(slots=True)
class Losses:
    """What the power cuts did. `cuts_with_loss` are those after which an acknowledged unit was missing."""

    acknowledged: int = 0
    lost: int = 0
    cuts_with_loss: int = 0
    halves: int = 0
    damaged: int = 0


async def run() -> Report:
    report = Report("power", "none")
    try:
        full, normal = await _measured("FULL"), await _measured("NORMAL")
    except OSError as error:
        report.figures.append(f"not measured: {error}")
        return report
    report.check(
        f"of what was acknowledged nothing is lost, {CUTS} power cuts",
        full.lost == 0,
        f"{full.lost} of {full.acknowledged}",
    )
    report.check("no unit is there by half, no file is damaged", full.halves + full.damaged == 0)
    report.check("with synchronous=NORMAL some is lost, so this can tell", normal.lost > 0)
    for name, losses in (("FULL", full), ("NORMAL", normal)):
        report.figures.append(
            f"synchronous={name}: {losses.lost:,} of {losses.acknowledged:,} acknowledged units lost, in "
            f"{losses.cuts_with_loss} of {CUTS} power cuts; {losses.damaged} files damaged"
        )
    return report


async def _measured(synchronous: str) -> Losses:
    with _folder() as folder:
        database = folder / "stillbell.db"
        open_database(database, host="here", zone="UTC", language="en", now=SystemClock().now())
        with _synchronous(synchronous), recording(database.parent) as record:
            acknowledged = await _work(database, record)
        return await asyncio.to_thread(_cut, record, acknowledged)


@contextmanager
def _folder() -> Iterator[Path]:
    """A folder by the name that SQLite will give it, links followed."""
    with tempfile.TemporaryDirectory(prefix="stillbell-eval-") as folder:
        yield Path(folder).resolve()


@contextmanager
def _synchronous(level: str) -> Iterator[None]:
    """Connections with this level instead of the product's own."""
    real = engine._prepare

    def prepare(connection: Any, statements: tuple[str, ...]) -> None:
        real(connection, tuple(said.replace("synchronous=FULL", f"synchronous={level}") for said in statements))

    with patch.object(engine, "_prepare", prepare):
        yield


async def _work(database: Path, record: Record) -> list[Acknowledged]:
    """Write units as the product does; ends with the process, as it were, not with a close that would flush everything."""
    acknowledged: list[Acknowledged] = []
    units = iter(range(UNITS))

    async def write(ledger: SqlLedger) -> None:
        for unit in units:
            await ledger.write(lambda t, unit=unit: _unit(t, unit))  # type: ignore[misc]
            acknowledged.append(Acknowledged(unit, len(record.calls)))

    async with SqlLedger(database) as ledger:
        await asyncio.gather(*(write(ledger) for _ in range(IN_FLIGHT)))
        last = len(record.calls)
    del record.calls[last:]
    return acknowledged


def _unit(t: Tables, unit: int) -> None:
    """A signal, with the job that the trigger makes, and a decision: three tables, one unit."""
    now = SystemClock().now()
    t.signals.publish(NewSignal(source="eval", kind="thing", source_id=str(unit), payload={"text": "x" * 500}), now=now)
    t.decisions.record(owner_id=1, subject=f"thing:{unit}", decided="kept", because="it came", now=now)


def _cut(record: Record, acknowledged: list[Acknowledged]) -> Losses:
    chance = random.Random(SEED)
    moments = sorted(chance.randrange(1, len(record.calls) + 1) for _ in range(CUTS))
    losses = Losses()
    with tempfile.TemporaryDirectory(prefix="stillbell-eval-") as folder:
        for moment, files in after_power_cuts(record, moments, chance):
            for name, data in files.items():
                if not name.endswith("-shm"):
                    (Path(folder) / name).write_bytes(data)
            _look(Path(folder) / "stillbell.db", {one.unit for one in acknowledged if one.calls <= moment}, losses)
            for path in Path(folder).iterdir():
                path.unlink()
    return losses


def _look(database: Path, promised: set[int], losses: Losses) -> None:
    losses.acknowledged += len(promised)
    try:
        with closing(sqlite3.connect(database)) as connection:
            (verdict,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
            signals, jobs, decisions = (
                {int(value) for (value,) in connection.execute(query)}
                for query in (
                    "SELECT source_id FROM signal_heads",
                    "SELECT h.source_id FROM jobs j JOIN signal_heads h ON h.id = j.signal_id",
                    "SELECT substr(subject, 7) FROM decisions",
                )
            )
    except sqlite3.DatabaseError:
        losses.damaged += 1
        return
    losses.damaged += verdict != "ok"
    losses.halves += not signals == jobs == decisions
    lost = len(promised - signals)
    losses.lost += lost
    losses.cuts_with_loss += lost > 0
