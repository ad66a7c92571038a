"""A Stillbell that dies: the real daemon in a process of its own, which kills itself at the point it was told of.

The hooks live here and are put on from outside: around sqlite3's connection, the pool to Telegram, and the ways out.
Points are described by what is about to become durable or to leave, not by names of the product's functions.
"""

import asyncio
import multiprocessing
import os
import re
import signal
import sqlite3
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Literal

from sqlalchemy import event
from sqlalchemy.engine import Engine

from bot import serving
from bot.settings import load
from bot.telegram import limiter
from bot.telegram.line import Pool
from jobs import timetable
from memory import dispatch
from memory.dispatch import Dispatch
from memory.draft import Draft
from tools.exit.leaving import Exit
from tools.google.wire import Wire
from tools.smtp.line import Line
from tools.smtp.transport import SmtpTransport
from tools.transport import Outgoing, Transport

SILENCE_S = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """Where to die: before or after the first commit, request or step of sending of a kind.

    For a commit, `holds` is a query: the first commit is meant in whose transaction it finds a row. For a request to
    Telegram it is a regular expression over the method with its parameters. For a step of sending it is one over what is
    asked of Gmail ("POST …/drafts/send"), or the step of the conversation with an SMTP server: address, deliver, verdict.
    """

    what: Literal["commit", "request", "sending"]
    when: Literal["before", "after"]
    holds: str

    def __str__(self) -> str:
        return f"{self.when} {self.what}"


def die() -> None:
    """At once, with nothing flushed, closed or said."""
    os.kill(os.getpid(), signal.SIGKILL)


def watch_commits(point: Point) -> None:
    """Die at the point, which is a commit of the writing connection."""

    class Watched(sqlite3.Connection):
        def execute(self, statement: str, *values: Any) -> sqlite3.Cursor:
            is_it = statement == "COMMIT" and super().execute(point.holds).fetchone() is not None
            if is_it and point.when == "before":
                die()
            done = super().execute(statement, *values)
            if is_it:
                die()
            return done

    @event.listens_for(Engine, "do_connect")
    def watch(dialect: Any, record: Any, given: Any, named: dict[str, Any]) -> None:
        # The readers go through aiosqlite, and never commit anything.
        if dialect.driver == "pysqlite":
            named["factory"] = Watched


def watch_requests(point: Point) -> None:
    """Die at the point, which is a request to Telegram."""
    done = Pool.do_request

    async def do_request(self: Pool, url: str, method: str, request_data: Any = None, *rest: Any, **more: Any) -> Any:
        values = request_data.parameters if request_data else {}
        is_it = re.search(point.holds, f"{url.rpartition('/')[2]} {values!r}", re.DOTALL)
        if is_it and point.when == "before":
            die()
        answer = await done(self, url, method, request_data, *rest, **more)
        # A long poll that brought nothing is not the one that is meant.
        if is_it and b'"result":[]' not in answer[1]:
            die()
        return answer

    Pool.do_request = do_request  # type: ignore[method-assign]


def watch_sending(point: Point) -> None:
    """Die at the point, which is a step of handing a mail to its provider."""
    once, steps = Wire._once, {"address": "address", "deliver": "deliver", "verdict": "_heard"}

    def asked(self: Wire, uri: str, method: str, *rest: Any) -> Any:
        is_it = re.search(point.holds, f"{method} {uri}") is not None
        if is_it and point.when == "before":
            die()
        answer = once(self, uri, method, *rest)
        if is_it:
            die()
        return answer

    Wire._once = asked  # type: ignore[method-assign]
    if point.holds in steps:
        done = getattr(Line, steps[point.holds])

        async def step(self: Line, *given: Any, **named: Any) -> Any:
            if point.when == "before":
                die()
            await done(self, *given, **named)
            die()

        setattr(Line, steps[point.holds], step)


def resend_what_is_in_doubt() -> None:
    """An exit that is broken: what may have left is handed over again."""

    async def settle(self: Exit, dispatch: Dispatch, draft: Draft, way: Transport) -> datetime | None:
        again = await self._move(dispatch, replace(dispatch, state="taken"))
        return await self._hand_over(again, draft, way)

    Exit._settle = settle  # type: ignore[method-assign]


def mark_before_sending() -> None:
    """An exit that is broken: it says that something left before it did."""
    hand = Exit._hand

    async def marked(self: Exit, handed: Dispatch, draft: Draft, way: Transport, outgoing: Outgoing) -> datetime | None:
        await self._end(handed, dispatch.sent(handed, handed.changed_at), draft)
        await hand(self, handed, draft, way, outgoing)
        return None

    Exit._hand = marked  # type: ignore[method-assign]


BROKEN: Mapping[str, Callable[[], None]] = {"resends": resend_what_is_in_doubt, "marks first": mark_before_sending}
"""Exits that the crash matrix must find out."""


class Shifted:
    """The system's clock, as if the process had been started at another time."""

    def __init__(self, starts_at: datetime) -> None:
        self._by = starts_at - datetime.now(UTC)

    def now(self) -> datetime:
        """The present, there."""
        return datetime.now(UTC) + self._by


def live(
    environment: dict[str, str], starts_at: datetime, point: Point | None, log: Path, broken: str | None = None
) -> None:
    """The process: the daemon until SIGTERM or until the point is reached. Its log goes to a file.

    A provider's silence counts as a lost answer after a moment. `broken` names one of BROKEN.
    """
    # For the tests it is a child that ends with them; for itself it is a process that may have children.
    multiprocessing.current_process()._config["daemon"] = False  # type: ignore[attr-defined]
    with log.open("ab") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    os.environ.update(environment)
    limiter.INTERVAL_S = 0.0
    timetable.LOOK_EVERY_FOR = timedelta(milliseconds=50)
    serving.SystemClock = lambda: Shifted(starts_at)  # type: ignore[assignment, misc]
    for name in ("answer_for", "verdict_for"):
        SmtpTransport.__init__.__kwdefaults__[name] = timedelta(seconds=SILENCE_S)
    for name in ("call_seconds", "silence_seconds"):
        Wire.__init__.__kwdefaults__[name] = SILENCE_S
    if broken is not None:
        BROKEN[broken]()
    if point is not None:
        watch = {"commit": watch_commits, "request": watch_requests, "sending": watch_sending}[point.what]
        watch(point)
    asyncio.run(serving.serve(load(), chat=False))
