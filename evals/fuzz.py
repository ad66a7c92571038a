"""`python -m evals.fuzz`: bad bytes at every door, as many as fit into a minute, by a seed.

    STILLBELL_FUZZ_SECONDS   how long, in seconds (60)
    STILLBELL_FUZZ_SEED      the seed of an earlier run, to make it again
    a name or part of one    only these doors: python -m evals.fuzz mail wire

Each door gets the same share of the time. A crash is told once for each place in the code at which it happens, with the
smallest case found that still does it. The exit code is then 1. With the same seed a door is given the same cases in the
same order, however fast the machine is; only how many there are differs.
"""

import asyncio
import logging
import os
import resource
import secrets
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from types import FrameType
from typing import Any

import structlog

from evals.doors import Door, Doors
from evals.mutation import Mutator, shrunk
from evals.samples import OWNER
from memory.sql.ledger import SqlLedger
from memory.sql.opening import open_database

ROUND_S = 0.25
SLOW_S = 5.0
"""A case that takes longer has hung: whatever is read here is read while somebody waits."""
MEMORY_MAX_BYTES = 4 << 30
ROOT = Path(__file__).parents[1]


class TooSlow(BaseException):
    """A case took longer than SLOW_S. No exception that anybody catches."""


@dataclass(slots=True)
class Crash:
    """What went wrong at a door, where, with which case, and how often."""

    error: str
    where: str
    case: Any
    times: int = 1


@dataclass(slots=True)
class Tried:
    """What a door has been through."""

    door: Door
    mutator: Mutator
    cases: int = 0
    seconds: float = 0.0
    crashes: dict[str, Crash] = field(default_factory=dict)


class Fuzz:
    """Tries doors on one event loop."""

    def __init__(self, doors: Sequence[Door], seed: int, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self.tried = [Tried(door, Mutator(Random(f"{seed}:{door.name}"))) for door in doors]

    def run(self, for_s: float) -> None:
        """Go round until the time is over."""
        ends_at = time.monotonic() + for_s
        while time.monotonic() < ends_at:
            for each in self.tried:
                self._round(each)

    def _round(self, tried: Tried) -> None:
        began_at = time.monotonic()
        while time.monotonic() - began_at < ROUND_S:
            case = tried.door.make(tried.mutator)
            tried.cases += 1
            error = self._error(tried.door, case)
            if error is not None:
                self._note(tried, case, error)
        tried.seconds += time.monotonic() - began_at

    def _error(self, door: Door, case: Any) -> BaseException | None:
        """What the door raised that it has no right to."""
        try:
            with _at_most(SLOW_S):
                coming = door.take(case)
                if coming is not None:
                    self._loop.run_until_complete(coming)
        except door.answers:
            return None
        except (Exception, TooSlow) as error:  # noqa: BLE001 - whatever it is, it is what is looked for
            return error
        return None

    def _note(self, tried: Tried, case: Any, error: BaseException) -> None:
        where = _place(error)
        known = tried.crashes.get(where)
        if known is not None:
            known.times += 1
            return

        def is_bad(smaller: Any) -> bool:
            again = self._error(tried.door, smaller)
            return again is not None and _place(again) == where

        smallest = case if isinstance(error, TooSlow) else shrunk(case, is_bad)
        told = "".join(traceback.format_exception_only(error)).strip()[:300]
        tried.crashes[where] = Crash(told, where, smallest)


@contextmanager
def _at_most(seconds: float) -> Iterator[None]:
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _ring(_: int, __: FrameType | None) -> None:
    raise TooSlow(f"not within {SLOW_S:g} s")


def _place(error: BaseException) -> str:
    """The kind of error and the innermost line of ours that it passed."""
    frames = [
        f
        for f in traceback.extract_tb(error.__traceback__)
        if f.filename.startswith(str(ROOT)) and ".venv" not in f.filename
    ]
    last = frames[-1] if frames else None
    return (
        f"{type(error).__name__} at {Path(last.filename).relative_to(ROOT)}:{last.lineno}"
        if last
        else type(error).__name__
    )


def _report(tried: Sequence[Tried], seed: int) -> bool:
    """Print what was found; whether it was nothing."""
    cases, seconds = sum(each.cases for each in tried), sum(each.seconds for each in tried)
    print(f"seed {seed}: {cases:,} cases in {seconds:.0f} s, {cases / max(seconds, 0.001):,.0f} a second")
    for each in tried:
        rate = each.cases / max(each.seconds, 0.001)
        print(
            f"  {'CRASH' if each.crashes else 'ok':5} {each.door.name:28} {each.cases:>9,} cases {rate:>9,.0f} a second"
        )
        for crash in each.crashes.values():
            case = repr(crash.case)
            print(f"        {crash.where} ({crash.times} times)\n          {crash.error}")
            print(f"          case: {case if len(case) <= 600 else f'{case[:600]}… ({len(case)} characters)'}")
    return not any(each.crashes for each in tried)


async def _opened(folder: Path) -> SqlLedger:
    database = folder / "stillbell.db"
    open_database(database, host="here", zone="Europe/Berlin", language="en", now=datetime.now(UTC))
    ledger = await SqlLedger(database).__aenter__()
    await ledger.write(lambda t: t.owners.pair(1, telegram_id=OWNER, language="en", now=datetime.now(UTC)))
    return ledger


def main() -> int:
    """Fuzz and print; 1 when something crashed."""
    seed = int(os.environ.get("STILLBELL_FUZZ_SEED") or secrets.randbelow(2**32))
    for_s = float(os.environ.get("STILLBELL_FUZZ_SECONDS") or 60)
    print(f"seed {seed}, {for_s:g} s", flush=True)
    logging.disable(logging.CRITICAL)
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    warnings.simplefilter("ignore")
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_MAX_BYTES, MEMORY_MAX_BYTES))
    signal.signal(signal.SIGALRM, _ring)
    for name in [name for name in os.environ if name.startswith(("STILLBELL_", "ANTHROPIC_", "OPENROUTER_"))]:
        del os.environ[name]  # what is set here is no case
    with tempfile.TemporaryDirectory() as folder, asyncio.Runner() as runner:
        ledger = runner.run(_opened(Path(folder)))
        doors = [
            door
            for door in Doors(ledger, Path(folder)).all()
            if not sys.argv[1:] or any(n in door.name for n in sys.argv[1:])
        ]
        fuzz = Fuzz(doors, seed, runner.get_loop())
        fuzz.run(for_s)
        runner.run(ledger.__aexit__(None, None, None))
    return 0 if _report(fuzz.tried, seed) else 1


if __name__ == "__main__":
    sys.exit(main())
