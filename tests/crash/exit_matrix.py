"""The crash matrix of the exit: the real daemon is killed at a point of a letter's way out, more than once, while the
provider does something, and is started again until all is settled. What happened is read from the provider's own ledger.

    tap ─┊ approved ┊─ spent + taken ─┊ prepared ┊─ handed ─┊ the provider ┊─ settled      ┊: killed before, killed after
"""

import shutil
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Literal

from tests.doubles.clock import FakeClock
from tests.doubles.daemon import LATER, OWNER, TOKEN, Daemon
from tests.doubles.mortal import Point
from tests.exit_room import OLA, Outside, Way, furnish, letter
from tests.servers.bot_api import BotApiServer
from tests.servers.google_faults import Cut, Half, Hang, Status
from tests.servers.google_faults import Fault as GoogleFault
from tests.servers.google_server import google_server
from tests.servers.smtp_server import Fault, FaultySmtpServer

Mishap = Literal["ok", "cut before", "cut after", "5xx before", "5xx after", "half reply", "hang"]
MISHAPS: tuple[Mishap, ...] = ("ok", "cut before", "cut after", "5xx before", "5xx after", "half reply", "hang")
"""What the provider does once, to the very step that delivers. Before, after: before it has taken the mail, or after."""

_SENDS = "POST .*/drafts/send"

SMTP: dict[Mishap, Fault | None] = {
    "ok": None,
    "cut before": Fault("dot", "cut"),
    "cut after": Fault("dot", "cut", delivers=True),
    "5xx before": Fault("dot", "554 5.7.1 no"),
    # A server that says no to what it delivers breaks the protocol; nobody could know.
    "5xx after": Fault("dot", "554 5.7.1 no", delivers=True),
    "half reply": Fault("dot", "half", delivers=True),
    "hang": Fault("dot", "hang", delivers=True),
}
GMAIL: dict[Mishap, Callable[[], GoogleFault] | None] = {
    "ok": None,
    "cut before": lambda: Cut(_SENDS),
    "cut after": lambda: Cut(_SENDS, done=True),
    "5xx before": lambda: Status(_SENDS, code=503),
    "5xx after": lambda: Status(_SENDS, code=503, done=True),
    "half reply": lambda: Half(_SENDS),
    "hang": lambda: Hang(_SENDS, done=True),
}

COMMITS = {
    "approved": "SELECT 1 FROM approvals WHERE state = 'approved'",
    "spent": "SELECT 1 FROM dispatches",
    "prepared": "SELECT 1 FROM dispatches WHERE handle <> ''",
    "handed": "SELECT 1 FROM dispatches WHERE state = 'handed'",
    "settled": "SELECT 1 FROM dispatches WHERE state IN ('sent', 'failed', 'unknown')",
}
STEPS: dict[Way, dict[str, str]] = {
    "smtp": {"addressed": "address", "sent": "deliver", "dot written": "verdict"},
    "gmail": {"draft made": r"POST .*/drafts(\?|$)", "sent": r"POST .*/drafts/send"},
}

DEATHS = 2
"""So often it dies at the point, where it comes there again; then it lives."""

LATER_STARTS = (timedelta(minutes=3), timedelta(minutes=20), timedelta(minutes=24))
"""When it is started anew while something is still to be looked up: within the time of looking, and when that is over."""


@dataclass(frozen=True, slots=True)
class Case:
    """One run. `label` names the point; None of both is a run without a death."""

    way: Way
    mishap: Mishap
    label: str = "never"
    point: Point | None = None

    @property
    def where(self) -> str:
        return f"{self.point.when} {self.label}" if self.point else "never"

    def __str__(self) -> str:
        return f"{self.way}, {self.mishap}, killed {self.where}"


def cases() -> Iterator[Case]:
    """All of them."""
    ways: tuple[Way, ...] = ("smtp", "gmail")
    for way in ways:
        for mishap in MISHAPS:
            yield Case(way, mishap)
            for label, point in points(way):
                yield Case(way, mishap, label, point)


def points(way: Way) -> Iterator[tuple[str, Point]]:
    """Every labelled point of a letter's way out."""
    for label, query in COMMITS.items():
        yield label, Point(what="commit", when="before", holds=query)
        yield label, Point(what="commit", when="after", holds=query)
    for label, step in STEPS[way].items():
        yield label, Point(what="sending", when="before", holds=step)
        if label != "dot written":
            yield label, Point(what="sending", when="after", holds=step)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a run: how often the provider has it, what the dispatch says, and what the owner was asked or told."""

    case: Case
    delivered: int
    state: str
    asked: bool
    offered: bool
    deaths: int
    parked: int

    @property
    def words(self) -> str:
        """The outcome for the table."""
        times = {0: "not at all", 1: "once"}.get(self.delivered, f"{self.delivered} TIMES")
        if self.state == "sent":
            said = "marked as sent"
        elif self.asked:
            said = "the owner is asked"
        elif self.offered:
            said = "told that it did not leave, offered afresh"
        else:
            said = f"SILENT ({self.state})"
        return f"{times}; {said}"

    @property
    def holds(self) -> bool:
        """Once, or the owner is asked; never twice, never silently lost, and never *sent* where it was not."""
        told = self.state == "sent" or self.asked or self.offered
        return self.delivered <= 1 and told and not (self.state == "sent" and self.delivered != 1)


@asynccontextmanager
async def _provider(case: Case) -> AsyncIterator[Outside]:
    if case.way == "smtp":
        async with FaultySmtpServer(SMTP[case.mishap], strikes=1) as server:
            yield Outside(server)
        return
    with google_server(OLA) as google:
        fault = GMAIL[case.mishap]
        if fault is not None:
            google.fail(fault())
        yield Outside(google)


async def lived(case: Case, home: Path, blank: Path, *, deaths: int = DEATHS, broken: str | None = None) -> Outcome:
    """Play one case in the folder `home`, from a copy of the database `blank`. `broken`: see tests/doubles/mortal."""
    database = _copied(blank, home)
    async with BotApiServer(TOKEN, owner_id=OWNER) as telegram, _provider(case) as outside:
        await furnish(database, outside, FakeClock(LATER), mails=[letter()])
        daemon = Daemon(database, telegram)
        daemon.broken = broken
        if case.way == "gmail":
            daemon.environment["STILLBELL_GOOGLE_URL"] = outside.server.url  # type: ignore[union-attr]
        try:
            return await _played(case, daemon, outside, deaths)
        finally:
            await daemon.gone()


def _copied(blank: Path, home: Path) -> Path:
    home.mkdir(parents=True, exist_ok=True)
    return Path(shutil.copy(blank, home / "stillbell.db"))


async def _played(case: Case, daemon: Daemon, outside: Outside, most: int) -> Outcome:
    await daemon.start(dies_at=case.point)
    daemon.server.owner_sends("reply to Anna: Friday suits me.")
    card = await daemon.until(lambda: _card(daemon))
    daemon.server.taps(card, label="Send")
    deaths, at = 0, LATER
    while case.point is not None and deaths < most and await _dies(daemon):
        deaths, at = deaths + 1, at + timedelta(seconds=20)
        await daemon.start(dies_at=case.point if deaths < most else None, starts_at=at)
    # Then it lives: until nothing is left to be done now, and until the time of looking is over.
    await _rests(daemon)
    for later in LATER_STARTS:
        if _is_over(daemon):
            break
        await daemon.end()
        await daemon.start(starts_at=at + later)
        await _rests(daemon)
    (state,) = daemon.rows("SELECT state FROM dispatches")[0]
    outcome = Outcome(
        case=case,
        delivered=len(outside.sent),
        state=state,
        asked=bool(daemon.rows("SELECT 1 FROM pieces WHERE key LIKE 'dispatch:%:unknown' AND state = 'shown'")),
        offered=bool(daemon.rows("SELECT 1 FROM cards WHERE kind = 'approval_afresh' AND state = 'open'")),
        deaths=deaths,
        parked=len(daemon.rows("SELECT 1 FROM jobs WHERE state = 'parked'")),
    )
    await daemon.end()
    return outcome


def _card(daemon: Daemon) -> int | None:
    found = [m["message_id"] for m in daemon.server.bot_messages() if "Send" in daemon.server.buttons(m["message_id"])]
    return int(found[-1]) if found else None


async def _dies(daemon: Daemon) -> bool:
    """Whether it comes to the point; False when all is done without."""
    try:
        await daemon.until(lambda: not _works(daemon), timeout=20)
    except AssertionError:
        assert await daemon.died() == -9
        return True
    return False


def _is_over(daemon: Daemon) -> bool:
    return not daemon.rows("SELECT 1 FROM dispatches WHERE state IN ('taken', 'handed')") and not daemon.rows(
        "SELECT 1 FROM jobs WHERE kind = 'dispatch' AND state IN ('pending', 'running')"
    )


async def _rests(daemon: Daemon) -> None:
    await daemon.server.wait_until(lambda: len(daemon.server.updates) == 0)
    await daemon.until(lambda: not _works(daemon), timeout=20)


_WAITING = "SELECT state, run_at FROM jobs WHERE state IN ('pending', 'running')"


def _works(daemon: Daemon) -> bool:
    """Whether anything is in hand. Each is looked at before what it gives rise to, or one could slip through between two looks."""
    if len(daemon.server.updates) or not daemon.rows("SELECT 1 FROM dispatches"):
        return True
    if any(state == "running" or run_at is None for state, run_at in daemon.rows(_WAITING)):
        return True
    return bool(daemon.rows("SELECT 1 FROM pieces WHERE state IN ('ready', 'handing')"))
