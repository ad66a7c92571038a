"""The crash matrix: the real daemon, killed at every labelled point of a letter's way out, while its provider does each of
seven things, by both ways out. What counts is the provider's own ledger: once, or the owner is asked.

The room is that of tests/crash/exit_matrix; two daemons live side by side. Broken exits are run as well, which it must find out.
"""

import asyncio
import logging
import os
import tempfile
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from unittest.mock import patch

from evals.report import Report
from memory.sql.opening import open_database
from tests.crash.exit_matrix import MISHAPS, STEPS, Case, Outcome, Way, cases, lived, points
from tests.doubles.clock import NOW
from tests.doubles.mortal import BROKEN

AT_ONCE = 2

WORDS = {
    "once; marked as sent": "1",
    "once; the owner is asked": "1?",
    "not at all; the owner is asked": "0?",
    "not at all; told that it did not leave, offered afresh": "0!",
    "once; told that it did not leave, offered afresh": "1!",
}
"""How the table says it."""

BROKEN_CASES: dict[str, tuple[Case, ...]] = {
    "resends": tuple(Case("smtp", mishap) for mishap in ("cut after", "half reply", "hang")),
    "marks first": tuple(Case("smtp", mishap) for mishap in ("cut before", "5xx before")),
}


async def run() -> Report:
    report = Report("crash_matrix", "none")
    # A daemon that dies in the middle of a request is what is meant here, and no news.
    logging.getLogger("aiohttp.server").setLevel(logging.CRITICAL)
    with tempfile.TemporaryDirectory(prefix="stillbell-eval-") as folder, _clean_environment():
        blank = Path(folder, "blank.db")
        open_database(blank, host="here", zone="Europe/Berlin", language="en", now=NOW)
        outcomes = await _all(cases(), blank)
        controls = {name: await _all(some, blank, broken=name) for name, some in BROKEN_CASES.items() if name in BROKEN}
    deaths = sum(outcome.deaths for outcome in outcomes)
    twice = [outcome for outcome in outcomes if outcome.delivered > 1]
    silent = [outcome for outcome in outcomes if not outcome.holds and outcome.delivered <= 1]
    report.check(f"{len(outcomes)} runs, {deaths} deaths: nothing is sent twice", not twice, _named(twice))
    report.check("nothing is lost in silence, and nothing is called sent that was not", not silent, _named(silent))
    report.check("no job is set aside", not any(outcome.parked for outcome in outcomes))
    for name, broken in controls.items():
        caught = sum(not outcome.holds for outcome in broken)
        report.check(f"an exit that {name} is found out", caught == len(broken), f"{caught} of {len(broken)}")
    report.figures += [*_table(outcomes), *_counted(outcomes)]
    return report


def _clean_environment() -> "patch.dict[str, str]":
    kept = {name: value for name, value in os.environ.items() if not name.startswith("STILLBELL_")}
    return patch.dict(os.environ, {**kept, "STILLBELL_WEB_PORT": "0"}, clear=True)


async def _all(some: Iterable[Case], blank: Path, *, broken: str | None = None) -> list[Outcome]:
    turns = asyncio.Semaphore(AT_ONCE)

    async def one(number: int, case: Case) -> Outcome:
        async with turns:
            with tempfile.TemporaryDirectory(prefix=f"stillbell-eval-{number}-") as home:
                return await lived(case, Path(home, "home"), blank, broken=broken)

    return list(await asyncio.gather(*(one(number, case) for number, case in enumerate(some))))


def _named(outcomes: list[Outcome]) -> str:
    return "; ".join(f"{outcome.case}: {outcome.words}" for outcome in outcomes)


def _table(outcomes: list[Outcome]) -> list[str]:
    by_case = {(o.case.way, o.case.where, o.case.mishap): WORDS.get(o.words, o.words) for o in outcomes}
    lines = [
        "1 arrived once and is marked as sent; 1? arrived once, the owner is asked; 0? did not arrive, the owner is asked;",
        "0! did not arrive, the owner is told and offered it afresh; 1! arrived although the server said no",
    ]
    ways: tuple[Way, ...] = tuple(STEPS)
    for way in ways:
        lines.append(f"{way:<22}" + "".join(f"{mishap:>12}" for mishap in MISHAPS))
        for where in ("never", *(f"{point.when} {label}" for label, point in points(way))):
            lines.append(f"  {where:<20}" + "".join(f"{by_case[way, where, mishap]:>12}" for mishap in MISHAPS))
    return lines


def _counted(outcomes: list[Outcome]) -> list[str]:
    counts = Counter((outcome.case.way, outcome.words) for outcome in outcomes)
    return [f"{way}: {words}: {count}" for (way, words), count in sorted(counts.items())]
