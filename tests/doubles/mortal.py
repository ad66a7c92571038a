"""A Stillbell that dies: the real daemon in a process of its own, which kills itself at the point it was told of.

The hooks live here and are put on from outside: SQLAlchemy tells of every statement, and the pool to Telegram is wrapped.
Points are described by what is about to become durable or to leave, not by names of the product's functions.
"""

import asyncio
import os
import re
import signal
import sys
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Literal

from sqlalchemy import event
from sqlalchemy.engine import Engine

from bot import wiring
from bot.settings import load
from bot.telegram import limiter
from bot.telegram.line import Pool
from jobs import timetable


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """Where to die: before or after the commit or request that `holds` (a regular expression) is found in.

    A commit is looked at as its statements with their values; a request as its method with its parameters. `nth` counts
    the commits or requests that match, from 1.
    """

    what: Literal["commit", "request"]
    when: Literal["before", "after"]
    holds: str
    nth: int = 1


class Reaper:
    """Counts what matches and kills at the right one."""

    def __init__(self, point: Point) -> None:
        self._point = point
        self._found = 0
        self._is_here = False

    def before(self, what: str, text: str) -> None:
        """Something is about to happen."""
        self._is_here = False
        if what == self._point.what and re.search(self._point.holds, text, re.DOTALL):
            self._found += 1
            self._is_here = self._found == self._point.nth
            self._strike("before")

    def after(self, what: str) -> None:
        """It has happened."""
        if what == self._point.what:
            self._strike("after")

    def _strike(self, when: str) -> None:
        if self._is_here and when == self._point.when:
            os.kill(os.getpid(), signal.SIGKILL)


def watch_commits(reaper: Reaper) -> None:
    """Let the reaper see every commit of the writing connection, with all that it holds."""
    held: dict[int, list[str]] = {}

    @event.listens_for(Engine, "before_cursor_execute")
    def before(connection: Any, cursor: Any, statement: str, values: Any, *_: Any) -> None:
        key = id(connection)
        if statement == "BEGIN IMMEDIATE":
            held[key] = []
        elif statement == "COMMIT" and key in held:
            reaper.before("commit", "\n".join(held[key]))
        elif key in held:
            held[key].append(f"{statement} {values!r}")

    @event.listens_for(Engine, "after_cursor_execute")
    def after(connection: Any, cursor: Any, statement: str, *_: Any) -> None:
        if statement == "COMMIT" and held.pop(id(connection), None) is not None:
            reaper.after("commit")


def watch_requests(reaper: Reaper) -> None:
    """Let the reaper see every request to Telegram."""
    done = Pool.do_request

    async def do_request(self: Pool, url: str, method: str, request_data: Any = None, *rest: Any, **more: Any) -> Any:
        values = request_data.parameters if request_data else {}
        reaper.before("request", f"{url.rpartition('/')[2]} {values!r}")
        answer = await done(self, url, method, request_data, *rest, **more)
        reaper.after("request")
        return answer

    Pool.do_request = do_request  # type: ignore[method-assign]


class Shifted:
    """The system's clock, as if the process had been started at another time."""

    def __init__(self, starts_at: datetime) -> None:
        self._by = starts_at - datetime.now(UTC)

    def now(self) -> datetime:
        """The present, there."""
        return datetime.now(UTC) + self._by


def live(environment: dict[str, str], starts_at: datetime, point: Point | None, log: Path) -> None:
    """The process: the daemon until SIGTERM or until the point is reached. Its log goes to a file."""
    with log.open("ab") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    os.environ.update(environment)
    limiter.INTERVAL_S = 0.0
    timetable.LOOK_EVERY_FOR = timedelta(milliseconds=50)
    wiring.SystemClock = lambda: Shifted(starts_at)  # type: ignore[assignment, misc]
    if point is not None:
        reaper = Reaper(point)
        watch_commits(reaper)
        watch_requests(reaper)
    asyncio.run(wiring.serve(load(), chat=False))
    sys.stdout.flush()
