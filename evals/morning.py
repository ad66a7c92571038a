"""The morning: what a mailbox costs in model calls and USD, on the first run and on a steady day, and that a second look
at the same mailbox costs nothing and changes nothing.

    python -m evals morning

The whole product runs on a clock that is turned by hand: an account is read for the first time (weeks of mail, with what
the owner sent), the model of her habits is trained where the product can, and then a day of over 300 mails comes in hour by
hour, up to the brief of the next morning. The mails are made up (evals/morning_mails); the provider is scripted, so this
says nothing about how well a model judges, only how seldom it is asked.
"""

import asyncio
import sqlite3
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, closing
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from bot import choosing, log, wiring
from bot.opening import prepare_home
from bot.settings import Settings
from evals.morning_mails import OWNER, Letter, Mailbox, of_others
from evals.report import Report
from evals.room import real_provider
from evals.scripts import by_role, instinct
from memory.account import Account
from memory.ledger import Tables
from memory.signal import NewSignal
from tests.doubles.clock import FakeClock
from tests.servers.messages_api import MessagesServer
from tools.incoming import REVIEW, Incoming
from tools.mail import MailBatch, Why

CALLS_MOST = 15
"""A steady day must need fewer than these."""

HISTORY_DAYS, MAILS_A_DAY = 56, 40
"""The past that the account is first read with."""

STEADY_MAILS = 320

MONDAY = datetime(2026, 3, 2, 6, 0, tzinfo=UTC)
"""Seven in Berlin: when the account is connected."""

AT_ONCE = 200

KEPT = ("mails", "mail_people", "mail_threads", "mail_thread_ids", "passages", "verdicts", "verdict_reasons", "loops",
        "notices", "decisions", "links", "cards", "pieces", "messages", "sender_wishes")  # fmt: skip
"""The tables in which a second look would show."""


@dataclass(slots=True)
class Morning:
    """A running product whose clock is turned by hand."""

    house: wiring.House
    settings: Settings
    clock: FakeClock
    provider: str
    account: Account
    committed: asyncio.Event = field(default_factory=asyncio.Event)
    signals: int = 0

    async def take(self, letters: Sequence[Letter], why: Why) -> None:
        """The source hands these over; everything that follows from it is done."""
        incoming = Incoming(self.house.ledger, self.clock)
        for some in _in_slices(letters):
            arrived = tuple(letter.arrived for letter in some)
            await incoming.mail(self.account, MailBatch(arrived=arrived, cursor="c", why=why))
        await self.settled()

    async def ask_for(self, kind: str) -> None:
        """A duty is due; it is done."""
        self.signals += 1
        new = NewSignal(source="eval", kind=kind, source_id=f"{kind}:{self.signals}", owner_id=1, payload={})
        await self.house.ledger.write(lambda t: t.signals.publish(new, now=self.clock.now()))
        await self.settled()

    async def look(self) -> None:
        """The timetable looks at the clock; what is due is done."""
        await self.house.timetable.look()
        await self.settled()

    async def settled(self) -> None:
        """Every job is done and everything said is shown."""
        async with asyncio.timeout(600):
            while await self._busy():
                self.committed.clear()
                if await self._busy():
                    await self.committed.wait()
            await self.house.courier.settled()

    async def _busy(self) -> int:
        counts = await self.house.ledger.read(lambda t: t.jobs.counts())
        return counts.get("pending", 0) + counts.get("running", 0)

    async def spent(self, since: datetime) -> tuple[int, float]:
        """Calls of the model about mail since then, and USD."""
        rows = await self.house.ledger.read(lambda t: t.spendings.by_label(1, since))
        triage = [row for row in rows if row[0] == "triage"]
        return sum(row[2] for row in triage), sum(row[5] for row in triage)

    async def decided(self, since: datetime) -> dict[str, int]:
        """How many judgements each stage made since then."""
        found: dict[str, int] = {}
        for one in await self.house.ledger.read(lambda t: t.verdicts.since(1, since)):
            found[one.verdict.stage] = found.get(one.verdict.stage, 0) + 1
        return found

    def rows(self) -> dict[str, list[tuple[object, ...]]]:
        """Everything that is kept in the tables that matter."""
        with closing(sqlite3.connect(self.settings.database)) as looking:
            return {table: looking.execute(f"SELECT * FROM {table} ORDER BY rowid").fetchall() for table in KEPT}


async def run() -> Report:
    """The report."""
    async with _morning() as here:
        report = Report("morning", here.provider)
        mailbox = Mailbox()
        history = [
            letter
            for day in range(HISTORY_DAYS, 0, -1)
            for letter in mailbox.day(MONDAY - timedelta(days=day), MAILS_A_DAY)
        ]
        history = [letter for letter in history if letter.at < MONDAY]
        await _first_run(here, report, history)
        steady = mailbox.day(MONDAY.replace(hour=23), STEADY_MAILS)
        await _steady_day(here, report, steady)
        await _second_run(here, report, [*history, *(letter for letter in steady if letter.at < here.clock.now())])
    return report


async def _first_run(here: Morning, report: Report, history: Sequence[Letter]) -> None:
    began = here.clock.now()
    await here.take(history, "backfill")
    await here.ask_for(REVIEW)
    calls, cost = await here.spent(began)
    stages = await here.decided(began)
    report.figures.append(
        f"first run: {of_others(history)} mails received and {len(history) - of_others(history)} sent over {HISTORY_DAYS} "
        f"days; {sum(stages.values())} judgements; {calls} model calls, {cost:.4f} USD"
    )
    await here.ask_for("train")
    unhandled = await here.house.ledger.read(lambda t: [one.because for one in t.decisions.latest(1, 50)])
    trained = not any("nobody handles the kind train" in because for because in unhandled)
    report.figures.append(
        f"model of the owner's habits: {'trained' if trained else 'none, so rules of thumb (cold start)'}"
    )


async def _steady_day(here: Morning, report: Report, day: Sequence[Letter]) -> None:
    begins = MONDAY.replace(hour=23)
    _turn(here, begins)
    for hour in range(24):
        until = begins + timedelta(hours=hour + 1)
        some = [letter for letter in day if until - timedelta(hours=1) <= letter.at < until]
        _turn(here, until)
        await here.take(some, "news")
        await here.look()
    _turn(here, begins + timedelta(hours=31, minutes=30))
    late = [letter for letter in day if begins + timedelta(hours=24) <= letter.at < here.clock.now()]
    await here.take(late, "news")
    await here.look()
    calls, cost = await here.spent(begins)
    stages = ", ".join(f"{stage} {count}" for stage, count in sorted((await here.decided(begins)).items()))
    mails = of_others(day)
    report.check(f"a steady day of {mails} mails needs fewer than {CALLS_MOST} model calls", calls < CALLS_MOST, calls)
    report.check("it was a day of over 300 mails", mails > 300, mails)
    report.figures.append(f"steady day: {mails} mails; {calls} model calls, {cost:.4f} USD; judged by: {stages}")
    pings = await here.house.ledger.read(lambda t: t.notices.told_since(1, "mail:", begins))
    report.figures.append(f"pings on that day: {pings}")
    report.figures.extend(f"  | {line}" for line in await _brief(here))


async def _brief(here: Morning) -> list[str]:
    on = here.clock.now().date().isoformat()

    def pieces(t: Tables) -> list[str]:
        found = (t.pieces.get(f"brief:{on}:{number}") for number in (1, 2, 3))
        return [line for piece in found if piece for line in piece.text.splitlines()]

    return await here.house.ledger.read(pieces)


async def _second_run(here: Morning, report: Report, letters: Sequence[Letter]) -> None:
    here.clock.advance(timedelta(minutes=1))
    began, before = here.clock.now(), here.rows()
    await here.take(letters, "gap")
    await here.take(letters[-AT_ONCE:], "news")
    await here.ask_for(REVIEW)
    calls, _ = await here.spent(began)
    after = here.rows()
    # That somebody asked for the review is a row of the clockwork, as the signal is; what it says is that nothing was done.
    changed = [table for table in KEPT if before[table] != after[table]]
    report.check("a second run over the same mailbox makes no model call", calls == 0, calls)
    report.check("and changes no row", not changed, ", ".join(changed))


def _turn(here: Morning, at: datetime) -> None:
    here.clock.advance(at - here.clock.now())


def _in_slices(letters: Sequence[Letter]) -> list[Sequence[Letter]]:
    return [letters[start : start + AT_ONCE] for start in range(0, len(letters), AT_ONCE)]


@asynccontextmanager
async def _morning() -> AsyncIterator[Morning]:
    """The product in a folder of its own, without Telegram, with an account of which nothing is asked."""
    async with AsyncExitStack() as stack:
        home = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="stillbell-eval-")))
        real, server = real_provider(), None
        if not real:
            server = await stack.enter_async_context(MessagesServer())
            by_role(server, felt=instinct("Yes.", thought=False))
            real = {"anthropic_api_key": "scripted", "anthropic_url": server.url}
        settings = Settings(home=home, host="here", zone="Europe/Berlin", language="en", web_port=0, **real)
        prepare_home(settings)
        log.start(level="error", secrets=settings.secrets())
        clock = FakeClock(MONDAY)
        house = await stack.enter_async_context(wiring.running(settings, clock=clock, announce=lambda _: None))
        house.timetable.stop()
        account = await house.ledger.write(_connected)
        said = "scripted server" if server else choosing.said_of_model(settings) or "none"
        morning = Morning(house, settings, clock, said, account)
        house.ledger.on_commit(morning.committed.set)
        yield morning


def _connected(t: Tables) -> Account:
    account = t.accounts.add(
        owner_id=1, name="work", kind="imap", identity=OWNER, aliases=(), settings={}, now=MONDAY - timedelta(days=90)
    )
    # The mails are handed over here: the product must not look for a server of its own.
    t.accounts.refused(account.id, "an eval")
    return account
