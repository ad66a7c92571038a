"""Ingest: how many mails a second are imported on one core, with the splitting of quotes left for later and with it.

    STILLBELL_DATA=../shared/data python -m evals ingest

All mbox files of three mailing lists (mail/r-lists-mbox.tar.gz; nothing is held back, since nothing is learnt from them) go
through the product's own import into a real ledger: parsed, put in threads, committed and indexed for search. Then what each
mail says is told from what it quotes, and kept. A process of its own does it, on one processor. Goals: 400 mails a second
imported, 100 with the splitting, and as much memory at the end as after a quarter. The bare parser's speed stands beside.

Memory is looked at in a second run, with a page cache of 4 MiB: the product's grows with the database up to its bound of
64 MiB and would hide everything else.
"""

import asyncio
import json
import os
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import Any

from evals.report import Report

GOAL_IMPORT, GOAL_WHOLE = 400, 100
GROWTH_MOST_MB = 32
"""Memory at the end above memory after a quarter. The mails of a million characters happen to come last; the most that one
of them takes while it is indexed is never given back to the system whole."""


async def run() -> Report:
    """The report; without data it says so."""
    report = Report("ingest", "none")
    packed = Path(os.environ.get("STILLBELL_DATA") or Path(__file__).parents[2] / "shared" / "data") / "mail"
    if not (packed / "r-lists-mbox.tar.gz").is_file():
        report.figures.append("not run: no data")
        return report
    with tempfile.TemporaryDirectory(prefix="stillbell-eval-") as folder:
        with tarfile.open(packed / "r-lists-mbox.tar.gz") as archive:
            archive.extractall(folder, filter="data")
        _tell(report, await _measured(Path(folder), "speed"), await _measured(Path(folder), "memory"))
    return report


async def _measured(folder: Path, what: str) -> dict[str, Any]:
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "evals.ingest_child", what, str(folder), stdout=asyncio.subprocess.PIPE
    )
    said, _ = await child.communicate()
    found: dict[str, Any] = json.loads(said)
    return found


def _tell(report: Report, found: dict[str, Any], lean: dict[str, Any]) -> None:
    mails = found["mails"]
    imported, whole = mails / found["import_s"], mails / (found["import_s"] + found["split_s"])
    quarter, half, end = lean["resident_mb"]
    report.check(
        f"at least {GOAL_IMPORT} mails a second imported on one core", imported >= GOAL_IMPORT, f"{imported:.0f}/s"
    )
    report.check(f"at least {GOAL_WHOLE} with the splitting of quotes", whole >= GOAL_WHOLE, f"{whole:.0f}/s")
    report.check(
        "memory stays flat", end - quarter <= GROWTH_MOST_MB, f"{quarter}, {half}, {end} MB after 1/4, 1/2, all"
    )
    report.figures.append(f"{mails:,} mails, {found['bytes'] / 1e6:.0f} MB, {found['bad']} of them could not be read")
    report.figures.append(
        f"import {found['import_s']:.1f} s, of it {found['import_cpu_s']:.1f} s of the processor; "
        f"splitting {found['split_s']:.1f} s ({mails / found['split_s']:.0f}/s)"
    )
    report.figures.append(
        f"the parser alone {found['parsed'] / found['parse_s']:.0f}/s, zones alone "
        f"{found['parsed'] / found['zones_s']:.0f}/s, over {found['parsed']:,} of these mails"
    )
    cached = ", ".join(map(str, found["resident_mb"]))
    report.figures.append(f"with the product's page cache {cached} MB; peak, splitting included, {found['peak_mb']} MB")
    report.figures.append(f"database {found['database_mb']} MB")
