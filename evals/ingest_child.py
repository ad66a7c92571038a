"""The process that evals/ingest measures: imports a folder on one processor and prints what it took, as JSON."""

import asyncio
import ctypes
import json
import os
import resource
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import Any
from unittest.mock import patch

from memory.clock import SystemClock
from memory.ledger import Ledger, Tables
from memory.sql import engine
from memory.sql.ledger import SqlLedger
from memory.sql.opening import open_database
from tools.files.importing import ImportProgress, import_mail
from tools.files.mail import UnreadableMail, read_mail
from tools.files.mailbox import find_mail_files, read_from
from tools.files.zones import zones

OWNER = 1
SPLIT_AT_ONCE = 100
ALONE_MAILS = 4000
CACHE_KIB = 4096
MB = 1 << 20


def main() -> None:
    """Measure and print: "speed" of all steps, or how "memory" develops over an import."""
    what, folder = sys.argv[1], Path(sys.argv[2])
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    print(json.dumps(asyncio.run(_speed(folder) if what == "speed" else _memory(folder))))


async def _speed(folder: Path) -> dict[str, Any]:
    found = _alone(folder)
    async with _ledger() as (ledger, database):
        found |= await _imported(ledger, folder)
        began = time.perf_counter()
        await _split(ledger)
        found["split_s"] = time.perf_counter() - began
        found["database_mb"] = database.stat().st_size // MB
    found["peak_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    return found


async def _memory(folder: Path) -> dict[str, Any]:
    with patch.object(engine, "CACHE_KIB", CACHE_KIB):
        async with _ledger() as (ledger, _):
            return await _imported(ledger, folder)


@asynccontextmanager
async def _ledger() -> AsyncIterator[tuple[SqlLedger, Path]]:
    with tempfile.TemporaryDirectory(prefix="stillbell-eval-") as home:
        database = Path(home) / "stillbell.db"
        open_database(database, host="here", zone="UTC", language="en", now=SystemClock().now())
        async with SqlLedger(database) as ledger:
            yield ledger, database


async def _imported(ledger: Ledger, folder: Path) -> dict[str, Any]:
    resident_mb: list[int] = []

    def progress(now: ImportProgress) -> None:
        if len(resident_mb) < 2 and now.done_bytes * 4 >= now.total_bytes * (len(resident_mb) + 1):
            resident_mb.append(_resident_mb())

    began, began_cpu = time.perf_counter(), time.process_time()
    done = (
        await import_mail(folder, ledger=ledger, owner_id=OWNER, clock=SystemClock(), on_progress=progress)
    ).progress
    return {
        "import_s": time.perf_counter() - began,
        "import_cpu_s": time.process_time() - began_cpu,
        "mails": done.new + done.repeated + done.bad,
        "bad": done.bad,
        "bytes": done.total_bytes,
        "resident_mb": [*resident_mb, _resident_mb()],
    }


async def _split(ledger: Ledger) -> None:
    """Tell what every mail says from what it quotes, some at a time."""
    while ids := await ledger.read(lambda t: t.mails.unsaid(OWNER, limit=SPLIT_AT_ONCE)):
        kept = await ledger.read(lambda t, ids=ids: t.mails.some(ids))
        said = {one.id: zones(one.mail.text, subject=one.mail.subject).said for one in kept}
        await ledger.write(lambda t, said=said: _say(t, said))


def _say(t: Tables, said: dict[int, str]) -> None:
    for mail_id, words in said.items():
        t.mails.say(mail_id, words)


def _alone(folder: Path) -> dict[str, Any]:
    """The parser and the splitter by themselves, over mails of all three lists."""
    files = find_mail_files(folder)
    raws = [raw.raw for file in files[:: max(1, len(files) // 40)] for raw in islice(read_from(file), 200)][
        :ALONE_MAILS
    ]
    mails, parse_s = _timed(lambda: [mail for raw in raws if (mail := _read(raw)) is not None])
    _, zones_s = _timed(lambda: [zones(mail.text) for mail in mails])
    return {"parsed": len(mails), "parse_s": parse_s, "zones_s": zones_s}


def _read(raw: bytes) -> Any:
    try:
        return read_mail(raw)
    except UnreadableMail:
        return None


def _timed(work: Callable[[], Any]) -> tuple[Any, float]:
    began = time.process_time()
    return work(), time.process_time() - began


def _resident_mb() -> int:
    """What the process holds, after the C library gave back what it merely kept (a mail of megabytes leaves holes)."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() // MB


if __name__ == "__main__":
    main()
