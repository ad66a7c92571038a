"""Faults F7, F8 and F11 of sending: no letter leaves before its leaving is on record, and the record survives.

A second process, a disk that is full at any commit, and a power cut at any moment.
"""

import asyncio
import os
import random
import sqlite3
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import closing, contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event
from sqlalchemy.engine import Engine

from evals.disk import Record, after_power_cuts, recording
from tests.crash.exit_matrix import COMMITS
from tests.doubles.clock import FakeClock
from tests.doubles.daemon import Daemon
from tests.exit_room import OLA, PASSWORD, Office, Outside, Way, furnish, letter, open_office
from tests.product_room import OWNER, TOKEN
from tests.servers.bot_api import BotApiServer
from tests.servers.google_server import google_server
from tests.servers.smtp_server import SmtpServer

AROUND = 60
"""So many calls to the disk before and after the letter left are looked at, one by one."""

ROOT = Path(__file__).parents[2]


@pytest.fixture
async def telegram() -> AsyncIterator[BotApiServer]:
    async with BotApiServer(TOKEN, owner_id=OWNER) as running:
        yield running


# --- F7: two processes ---


async def test_fault_f7_a_second_process_reaches_neither_telegram_nor_a_provider(
    database: Path, clock: FakeClock, telegram: BotApiServer
) -> None:
    async with SmtpServer(user=OLA, password=PASSWORD) as server:
        await furnish(database, Outside(server), clock, mails=[letter()])
        daemon = Daemon(database, telegram)
        try:
            await daemon.start()
            telegram.owner_sends("reply to Anna: Friday suits me.")
            card = await daemon.until(lambda: _card(telegram))
            polls, greeted = len(telegram.polls), len(server.greeted)
            second = await asyncio.create_subprocess_exec(
                sys.executable, "-m", "bot", "run", "--no-chat", cwd=ROOT, env=os.environ | daemon.environment,
                stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE,
            )  # fmt: skip
            _, said = await asyncio.wait_for(second.communicate(), 60)
            assert second.returncode == 1
            assert f"process {daemon.process.pid} " in said.decode()
            assert (len(telegram.polls), len(server.greeted)) == (polls, greeted)
            telegram.taps(card, label="Send")
            await daemon.until(lambda: server.delivered)
            await daemon.settled()
            assert len(server.delivered) == 1
        finally:
            await daemon.gone()


def _card(telegram: BotApiServer) -> int | None:
    found = [m["message_id"] for m in telegram.bot_messages() if "Send" in telegram.buttons(m["message_id"])]
    return int(found[-1]) if found else None


async def test_fault_f7_when_somebody_else_reads_the_updates_it_is_told_and_nothing_is_assumed(
    database: Path, clock: FakeClock
) -> None:
    async with open_office(database, clock) as office:
        await office.says("reply to Anna: Friday suits me.")
        office.server.fault("getUpdates", 409, times=None)
        office.server.finish_poll()
        await office.server.wait_until(
            lambda: any(poll.error and poll.error.code == 409 for poll in office.server.polls)
        )
        await office.time_passes(timedelta(minutes=5))
        assert (office.sent, office.approvals) == ([], ["asked"])


# --- F8: a full disk ---


class FullDisk:
    """The first `fails` commits in whose transaction `holds` finds a row fail as they do on a full disk."""

    def __init__(self, holds: str, fails: int) -> None:
        self.holds = holds
        self.fails = fails
        self.failed = 0

    def strikes(self, connection: sqlite3.Connection) -> bool:
        if self.failed == self.fails or sqlite3.Connection.execute(connection, self.holds).fetchone() is None:
            return False
        self.failed += 1
        return True


@contextmanager
def full(disk: FullDisk) -> Iterator[None]:
    """Connections that are opened meanwhile write to that disk."""

    class Watched(sqlite3.Connection):
        def execute(self, statement: str, *values: Any) -> sqlite3.Cursor:
            if statement == "COMMIT" and disk.strikes(self):
                super().execute("ROLLBACK")
                raise sqlite3.OperationalError("database or disk is full")
            return super().execute(statement, *values)

    def connect(dialect: Any, record: Any, given: Any, named: dict[str, Any]) -> None:
        if dialect.driver == "pysqlite":
            named["factory"] = Watched

    event.listen(Engine, "do_connect", connect)
    try:
        yield
    finally:
        event.remove(Engine, "do_connect", connect)


@pytest.mark.parametrize("by", ["smtp", "gmail"])
@pytest.mark.parametrize("label", COMMITS)
async def test_fault_f8_a_disk_that_is_full_at_any_commit_loses_and_doubles_nothing(
    database: Path, clock: FakeClock, label: str, by: Way, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = FullDisk(COMMITS[label], 2)
    with full(disk):
        async with open_office(database, clock, by=by) as office:
            monkeypatch.setattr(office, "_busy", lambda: _busy(office))
            await office.says("reply to Anna: Friday suits me.")
            await office.taps("Send")
            for _ in range(6):
                # Whatever is on record now: a letter that has left was on record as leaving before.
                if office.sent:
                    assert office.dispatches in (["handed"], ["sent"], ["unknown"])
                await office.time_passes(timedelta(minutes=4))
            assert disk.failed == 2, "it was never full"
            if office.dispatches == ["unknown"]:
                await office.taps("It arrived" if office.sent else "It did not")
            assert len(office.sent) == (office.dispatches == ["sent"])
            if not office.sent:
                assert office.card("Ask again")
            # Reading went on, and so does everything else.
            await office.says("todo: still here")
            assert office.product.loops["still here"] == "open"


def _busy(office: Office) -> bool:
    """As Office has it, but that a job which a full disk has stopped waits for its next try."""
    waiting = office.rows("SELECT state, run_at FROM jobs WHERE state IN ('pending', 'running')")
    return any(
        state == "running" or not at or at <= f"{office.clock.now():%Y-%m-%dT%H:%M:%S.%fZ}" for state, at in waiting
    )


# --- F11: a power cut ---


@pytest.mark.parametrize("by", ["smtp", "gmail"])
async def test_fault_f11_whenever_the_power_is_cut_what_has_left_is_on_record_as_leaving(
    database: Path, clock: FakeClock, by: Way
) -> None:
    """The opposite would be sent a second time at the next start."""
    server = SmtpServer(user=OLA, password=PASSWORD)
    async with server:
        with google_server(OLA) as google:
            outside = Outside(server if by == "smtp" else google)
            await furnish(database, outside, clock, mails=[letter()])
            with recording(database.parent.resolve()) as record:
                left_at = await _recorded(database, clock, outside, record)
    moments = range(max(1, left_at - AROUND), min(left_at + AROUND, len(record.calls)) + 1)
    states = dict(_after(record, moments, database.parent / "cut"))
    assert {state for moment, state in states.items() if moment >= left_at} <= {"handed", "sent"}
    # Before, there is every state of the way, and none that says more than is true.
    assert {state for moment, state in states.items() if moment <= left_at} == {"", "taken", "handed"}


async def _recorded(database: Path, clock: FakeClock, outside: Outside, record: Record) -> int:
    """Send one letter; how many calls to the disk there had been when the provider had it."""
    left_at: list[int] = []
    if isinstance(outside.server, SmtpServer):
        takes = outside.server.handle_DATA

        async def take(*given: Any) -> str:
            left_at.append(len(record.calls))
            return await takes(*given)

        outside.server.handle_DATA = take  # type: ignore[method-assign]
    else:
        sends = outside.server.gmail._send  # type: ignore[union-attr]

        def send(**given: Any) -> Any:
            left_at.append(len(record.calls))
            return sends(**given)

        outside.server.gmail._send = send  # type: ignore[union-attr]
    async with open_office(database, clock, by=outside, furnished=True) as office:
        await office.says("reply to Anna: Friday suits me.")
        await office.taps("Send")
        assert len(office.sent) == 1
    (moment,) = left_at
    return moment


def _after(record: Record, moments: range, folder: Path) -> Iterator[tuple[int, str]]:
    folder.mkdir()
    for moment, files in after_power_cuts(record, moments, random.Random(11)):
        for name, data in files.items():
            if name.startswith("stillbell.db") and not name.endswith("-shm"):
                (folder / name).write_bytes(data)
        with closing(sqlite3.connect(folder / "stillbell.db")) as connection:
            assert connection.execute("PRAGMA quick_check(1)").fetchone() == ("ok",)
            row = connection.execute("SELECT state FROM dispatches").fetchone()
        yield moment, row[0] if row else ""
        for path in folder.iterdir():
            path.unlink()
