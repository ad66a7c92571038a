"""Bus: durable signals taken and done per second, and how long one waits from its insert to its start.

Peer figures (measured elsewhere on a machine of this size): procrastinate 3.10 on PostgreSQL 15 takes and finishes about
240 jobs a second and wakes in 6 ms (p50). Goal: at least 3,000 a second with 64 in flight, wake p50 under 2 ms.
"""

import asyncio
import statistics
import tempfile
import time
from pathlib import Path

from bot import log
from bot.worker import Worker
from evals.report import Report
from memory.clock import SystemClock
from memory.job import Job
from memory.signal import NewSignal
from memory.sql.ledger import SqlLedger
from memory.sql.opening import open_database

SIGNALS = 12_000
IN_FLIGHT = 64
WAKES = 200


async def run() -> Report:
    report = Report("bus", "none")
    log.start(level="error", secrets=())
    clock = SystemClock()
    with tempfile.TemporaryDirectory(prefix="stillbell-eval-") as folder:
        path = Path(folder) / "bus.db"
        open_database(path, host="here", zone="UTC", language="en", now=clock.now())
        async with SqlLedger(path) as ledger:
            await _throughput(report, ledger, clock)
            await _wake(report, ledger, clock)
    return report


async def _throughput(report: Report, ledger: SqlLedger, clock: SystemClock) -> None:
    done, finished = 0, asyncio.Event()

    async def handler(job: Job) -> None:
        nonlocal done
        done += 1
        if done == SIGNALS:
            finished.set()

    worker, task = _worker(ledger, handler, clock)
    began = time.perf_counter()
    gate = asyncio.Semaphore(IN_FLIGHT)

    async def publish(number: int) -> None:
        async with gate:
            signal = NewSignal(source="bus", kind="load", source_id=str(number), payload={"n": number})
            await ledger.write(lambda t: t.signals.publish(signal, now=clock.now()))

    await asyncio.gather(*(publish(number) for number in range(SIGNALS)))
    published_s = time.perf_counter() - began
    await finished.wait()
    worker.stop()
    await task
    took_s = time.perf_counter() - began
    left = (await ledger.read(lambda t: t.jobs.counts())).get("done", 0)
    report.figures.append(f"published one by one, {IN_FLIGHT} at a time: {SIGNALS / published_s:,.0f} a second")
    report.figures.append(f"published, taken and done, all durable: {SIGNALS / took_s:,.0f} a second")
    report.check("at least 3,000 a second taken and done", SIGNALS / took_s >= 3000, f"{SIGNALS / took_s:,.0f}")
    report.check("every one is done in the database", left == SIGNALS, left)


async def _wake(report: Report, ledger: SqlLedger, clock: SystemClock) -> None:
    started: asyncio.Queue[float] = asyncio.Queue()

    async def handler(job: Job) -> None:
        started.put_nowait(time.perf_counter())

    worker, task = _worker(ledger, handler, clock)
    waits_ms = []
    for number in range(WAKES):
        await asyncio.sleep(0.01)
        began = time.perf_counter()
        signal = NewSignal(source="wake", kind="load", source_id=str(number), payload={})
        await ledger.write(lambda t, signal=signal: t.signals.publish(signal, now=clock.now()))
        waits_ms.append((await started.get() - began) * 1000)
    worker.stop()
    await task
    p95 = sorted(waits_ms)[int(WAKES * 0.95)]
    report.figures.append(f"insert to start: p50 {statistics.median(waits_ms):.2f} ms, p95 {p95:.2f} ms, n {WAKES}")
    report.check("wake p50 under 2 ms", statistics.median(waits_ms) < 2, f"{statistics.median(waits_ms):.2f} ms")


def _worker(ledger: SqlLedger, handler, clock: SystemClock) -> tuple[Worker, "asyncio.Task[None]"]:
    async def alarm(key: str, text: str) -> None:
        raise AssertionError(text)

    worker = Worker(ledger, {"load": handler}, unhandled=handler, alarm=alarm, clock=clock)
    return worker, asyncio.create_task(worker.run())
