"""Ends: how the last runs of the daemon ended, so that one that keeps dying gives the machine time to breathe.

A run that ends well leaves an empty list. One that is killed, or that a bug ends, leaves its mark, which the next start
finds and counts.
"""

import json
from datetime import datetime, timedelta
from pathlib import Path
from types import TracebackType
from typing import Self

from memory.clock import Clock
from memory.errors import StillbellError

WITHIN_FOR = timedelta(minutes=10)
"""Ends that are longer ago don't count."""

WAITS_S = (0, 0, 0, 2, 10, 60)
"""How long to wait before a start, by how many runs in a row ended badly just before; the last holds for all more."""


def back_off(ended_badly: int) -> timedelta:
    """How long to wait after so many bad ends."""
    return timedelta(seconds=WAITS_S[min(ended_badly, len(WAITS_S) - 1)])


class Ends:
    """One run, from `with` to its end. `bad` are the recent bad ends before it. The writer's lock must be held."""

    def __init__(self, path: Path, clock: Clock) -> None:
        self._path = path
        self._clock = clock
        self._bad: list[datetime] = []

    def __enter__(self) -> Self:
        now = self._clock.now()
        running, ends = _read(self._path)
        # A clock that was set back leaves ends in the future: those near by count, too.
        self._bad = [at for at in ends if abs(now - at) <= WITHIN_FOR] + ([now] if running else [])
        self._write(running=True)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self._bad = []
        # Bugs count as a bad end; a refusal with a next step, Ctrl-C and a cancelled task don't.
        if kind is None or issubclass(kind, StillbellError) or not issubclass(kind, Exception):
            self._write(running=False)

    @property
    def bad(self) -> int:
        """How many runs ended badly within the last ten minutes."""
        return len(self._bad)

    @property
    def wait_for(self) -> timedelta:
        """How long this run should wait before it does anything."""
        return back_off(self.bad)

    def _write(self, *, running: bool) -> None:
        told = {"running": running, "bad": [at.isoformat() for at in self._bad]}
        being_written = self._path.with_suffix(".part")
        being_written.write_text(json.dumps(told))
        being_written.replace(self._path)


def _read(path: Path) -> tuple[bool, list[datetime]]:
    """Whether a run never came to its end, and the bad ends before it. A file that can't be read says nothing."""
    try:
        told = json.loads(path.read_text())
        return bool(told["running"]), [datetime.fromisoformat(at) for at in told["bad"]]
    except (OSError, ValueError, KeyError, TypeError):
        return False, []
