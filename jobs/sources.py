"""The duty *sources*: keeps up with every account, each in a task of its own, so that one in trouble holds up no other.

account ─► cursor ─► batches ─► incoming ─► … ─► wait (IDLE, or a minute) ─► cursor ─► …
             │ SlowDown: as long as it says   │ SourceDown: longer each time; the fifth in a row is told once
             └ SignInRefused: told once, and nothing more is asked until the owner has renewed it
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from datetime import timedelta
from typing import Literal, TypeVar

import structlog

from memory.account import FAILURES_TOLD, Account, retry_for
from memory.clock import Clock
from memory.errors import NotFound, OutOfReach, StillbellError
from memory.exclusion import Exclusions, UnreadableExclusions
from memory.ledger import Ledger, Tables
from memory.signal import NewSignal
from memory.wording import say
from tools.alarm import Alarm
from tools.calendar import CalendarBatch, CalendarSource
from tools.incoming import REVIEW, Incoming, Taken, cursor_name, erase_covered, source_of
from tools.mail import MailBatch, MailSource
from tools.source import SignInRefused, SlowDown, SourceDown

log = structlog.get_logger()

LOOK_EVERY_FOR = timedelta(minutes=1)
"""How often a source without news of its own is asked."""

BACKFILL_FOR = timedelta(days=180)
"""How far back the first reading of a mailbox goes, unless the account says otherwise (since_days)."""

SLOW_MOST_FOR = timedelta(hours=1)

UNREADABLE_AGAIN_FOR = timedelta(minutes=1)

What = Literal["mail", "calendar"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Opened:
    """What an account gives: mail, events, or both."""

    mail: MailSource | None = None
    calendar: CalendarSource | None = None


@dataclass(slots=True)
class Progress:
    """How far a source is: for the command that adds it, and for the doctor."""

    why: str = ""
    done: int = 0
    total: int = 0


class Sources:
    """Run it once; `changed` when an account was added, renewed or removed.

    `opens` makes the sources of an account. `pause` is how it waits, at most so long.
    """

    def __init__(
        self,
        ledger: Ledger,
        incoming: Incoming,
        alarm: Alarm,
        clock: Clock,
        *,
        opens: Callable[[Account], Opened],
        owner_id: int = 1,
        pause: Callable[[timedelta], Awaitable[None]] | None = None,
    ) -> None:
        self._ledger = ledger
        self._incoming = incoming
        self._alarm = alarm
        self._clock = clock
        self._opens = opens
        self._owner_id = owner_id
        self._pause = pause or _sleep
        self._excluded: Exclusions | None = None
        self._changed = asyncio.Event()
        self._keeping: dict[int, asyncio.Task[None]] = {}
        self._progress: dict[tuple[int, What], Progress] = {}

    def changed(self) -> None:
        """Look at the list of accounts again."""
        self._changed.set()

    @property
    def progress(self) -> Mapping[tuple[int, What], Progress]:
        """How far each source is, by (account, what)."""
        return self._progress

    async def run(self) -> None:
        """Keep up, until cancelled. A bug in a source's code ends it, and is raised."""
        try:
            while True:
                self._changed.clear()
                await self._reconcile()
                await self._wait()
        finally:
            await self._end(*self._keeping)

    async def _wait(self) -> None:
        """Until the accounts have changed, or a task has ended."""
        changed = asyncio.create_task(self._changed.wait(), name="accounts changed")
        try:
            await asyncio.wait([changed, *self._keeping.values()], return_when=asyncio.FIRST_COMPLETED)
        finally:
            changed.cancel()
        for account_id, task in list(self._keeping.items()):
            if task.done():
                del self._keeping[account_id]
                task.result()

    async def _reconcile(self) -> None:
        accounts = await self._ledger.read(lambda t: t.accounts.present(self._owner_id))
        on = {account.id: account for account in accounts if account.is_kept_up and account.state == "on"}
        await self._end(*(account_id for account_id in self._keeping if account_id not in on))
        for account_id, account in on.items():
            if account_id not in self._keeping:
                self._keeping[account_id] = asyncio.create_task(self._keep(account), name=f"source {account.name}")

    async def _end(self, *account_ids: int) -> None:
        tasks = [self._keeping.pop(account_id) for account_id in account_ids]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _keep(self, account: Account) -> None:
        """Until the account's sign-in is refused; then until somebody renews it."""
        try:
            opened = self._opens(account)
        except StillbellError as error:
            await self._refuse(account, str(error))
            return
        try:
            async with asyncio.TaskGroup() as group:
                if opened.mail is not None:
                    group.create_task(self._keep_up(account, "mail", _Mail(self, account, opened.mail)))
                if opened.calendar is not None:
                    group.create_task(self._keep_up(account, "calendar", _Calendar(self, account, opened.calendar)))
        except* SignInRefused as refused:
            await self._refuse(account, str(refused.exceptions[0]))
        finally:
            for source in (opened.mail, opened.calendar):
                if source is not None:
                    await source.close()

    async def _keep_up(self, account: Account, what: What, feed: "_Mail | _Calendar") -> None:
        failures = 0
        while True:
            try:
                await feed.read()
                failures = 0
                await self._seen(account)
                await feed.wait(LOOK_EVERY_FOR)
            except SlowDown as error:
                log.info("a source asks for patience", action="source.slow", account=account.name, what=what)
                await self._pause(min(error.wait_for, SLOW_MOST_FOR))
            except SourceDown as error:
                failures += 1
                await self._failed(account, what, str(error), failures)
                await self._pause(retry_for(failures))
            except UnreadableExclusions as error:
                await self._alarm.daily("exclusions", str(error))
                await self._pause(UNREADABLE_AGAIN_FOR)
            except NotFound as error:
                raise SignInRefused(str(error)) from error  # its secret is not in the vault any more
            except OutOfReach as error:
                # The ledger's disk: no fault of the source's, and told by others.
                log.warning(
                    "a batch could not be kept", action="source.not_kept", account=account.name, because=str(error)
                )
                await self._pause(retry_for(1))

    async def _seen(self, account: Account) -> None:
        now = self._clock.now()
        recovered = await self._recorded(lambda t: t.accounts.seen(account.id, now=now))
        if recovered:
            log.info("a source answers again", action="source.back", account=account.name)

    async def _failed(self, account: Account, what: What, because: str, failures: int) -> None:
        log.warning("a source failed", action="source.failed", account=account.name, what=what, because=because)
        told = await self._recorded(lambda t: t.accounts.failed(account.id, because))
        if failures == FAILURES_TOLD:
            owner = await self._ledger.read(lambda t: t.owners.get(self._owner_id))
            text = say(owner.language, "source_failing", account=account.name, times=failures, because=because)
            await self._alarm(f"source:{account.id}:{what}:{self._clock.now().isoformat()}", text)
        log.debug("failures in a row", action="source.failures", account=account.name, times=told)

    async def _refuse(self, account: Account, because: str) -> None:
        log.warning("a sign-in is refused", action="source.refused", account=account.name, because=because)
        if await self._recorded(lambda t: t.accounts.refused(account.id, because)):
            owner = await self._ledger.read(lambda t: t.owners.get(self._owner_id))
            text = say(owner.language, "source_refused", account=account.name, because=because)
            await self._alarm(f"refused:{account.id}:{self._clock.now().isoformat()}", text)

    async def _recorded(self, work: Callable[[Tables], T]) -> T:
        """On record, however long the ledger is out of reach: how a source does is told by what is written of it."""
        while True:
            try:
                return await self._ledger.write(work)
            except OutOfReach as error:
                log.warning("a source's state waits", action="source.waits", because=str(error))
                await self._pause(retry_for(1))

    async def cursor(self, what: What, account: Account) -> str | None:
        """How far the account was read."""
        name = cursor_name(what, account)
        return await self._ledger.read(lambda t: t.cursors.get(name, owner_id=account.owner_id))

    async def take_mail(self, account: Account, batch: MailBatch) -> Taken:
        """Take a batch of mail in, and keep count of how far it is."""
        self._progress[account.id, "mail"] = Progress(batch.why, batch.done, batch.total)
        return await self._incoming.mail(account, batch)

    async def take_calendar(self, account: Account, batch: CalendarBatch) -> None:
        """Take a batch of calendar objects in."""
        await self._incoming.calendar(account, batch)

    async def skips(self) -> Callable[[str], bool]:
        """Which folders and calendars are not looked into. What a longer list covers is erased. Raises UnreadableExclusions."""
        exclusions = await self._ledger.read(lambda t: t.exclusions)
        if exclusions != self._excluded:
            erased = await self._ledger.write(lambda t: erase_covered(t, self._owner_id, self._clock.now()))
            log.info("the exclusions are in force", action="source.exclusions", erased=erased)
            self._excluded = exclusions
        return exclusions.covers_folder

    async def review(self, account: Account, why: str, since_days: int) -> None:
        """Ask for a look at what came from the past, once it is all there."""
        now = self._clock.now()
        signal = NewSignal(
            source=source_of(account),
            kind=REVIEW,
            source_id=f"{account.id}:{now.isoformat()}",
            owner_id=account.owner_id,
            payload={"why": why, "days": since_days},
        )
        await self._ledger.write(lambda t: t.signals.publish(signal, now=now))

    @property
    def clock(self) -> Clock:
        """The clock in use."""
        return self._clock


class _Mail:
    """One account's mail, read to the end of what there is."""

    def __init__(self, sources: Sources, account: Account, source: MailSource) -> None:
        self._sources = sources
        self._account = account
        self._source = source

    async def read(self) -> None:
        sources, account = self._sources, self._account
        days = int(account.settings.get("since_days") or BACKFILL_FOR.days)
        since = sources.clock.now() - timedelta(days=days)
        cursor, skips = await sources.cursor("mail", account), await sources.skips()
        past: str | None = None
        batches: AsyncIterator[MailBatch] = self._source.batches(cursor, since=since, skips=skips)
        async with aclosing(batches) as told:  # type: ignore[type-var]
            async for batch in told:
                taken = await sources.take_mail(account, batch)
                if taken.new and batch.why != "news":
                    past = batch.why
        if past:
            await sources.review(account, past, days)

    async def wait(self, at_most: timedelta) -> None:
        await self._source.wait(at_most)


class _Calendar:
    """One account's calendars, read to the end of what there is."""

    def __init__(self, sources: Sources, account: Account, source: CalendarSource) -> None:
        self._sources = sources
        self._account = account
        self._source = source

    async def read(self) -> None:
        sources, account = self._sources, self._account
        batches = self._source.batches(await sources.cursor("calendar", account), skips=await sources.skips())
        async with aclosing(batches) as told:  # type: ignore[type-var]
            async for batch in told:
                await sources.take_calendar(account, batch)

    async def wait(self, at_most: timedelta) -> None:
        await self._source.wait(at_most)


async def _sleep(wait_for: timedelta) -> None:
    await asyncio.sleep(wait_for.total_seconds())
