"""The composition root: the only place that knows every concrete class.

    settings ─► lock ─► database ─► ledger ─► model ─► channels ─► courier ─► gate, thinker
             ─► handlers, duties ─► worker ─► terminal, web, Telegram, timetable

It reads like a table of contents and closes in reverse.
"""

import asyncio
import hashlib
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass
from datetime import date, timedelta
from functools import partial
from importlib.metadata import version
from typing import Any

import structlog

from bot import choosing, standing
from bot.accounts import access, opener
from bot.courier import Courier
from bot.doctor import Parts
from bot.ends import Ends
from bot.lock import WriterLock
from bot.meaning import Meaning
from bot.metrics import Metrics
from bot.opening import open_ledger
from bot.sending import Ways, can_send, hands
from bot.settings import Settings
from bot.supervisor import Supervisor
from bot.telegram.faults import TokenRefused
from bot.telegram.service import Telegram
from bot.terminal.account_asks import Keeper, account_asks, exclusion_asks
from bot.terminal.asks import asks
from bot.terminal.server import TerminalServer
from bot.terminal.watch_asks import seen_of, watch_asks
from bot.terminal.wire import AskHandler
from bot.watchdog import Watchdog
from bot.web.names import split
from bot.web.server import WebServer
from bot.worker import Handler, Worker
from handlers.calendar_event import CalendarEvents
from handlers.command import Commands
from handlers.compose import COMPOSE, Compose
from handlers.dispatch import Dispatch
from handlers.errand_tap import Errands
from handlers.feedback import Reacted
from handlers.file import HEARD, THINKER, FileArrived
from handlers.forgotten import UNHELD, BytesForgotten
from handlers.gather import FILE
from handlers.introduction_step import IntroductionStep
from handlers.mail import MailArrived
from handlers.mail_act import MailActing
from handlers.other import Membership, Unhandled, Unreadable
from handlers.paired import Paired
from handlers.said import MessagesSaid
from handlers.sent_copy import SentCopy
from handlers.talk import Talk
from handlers.tap import Taps
from handlers.think import Think
from jobs.acquaint import Acquaint
from jobs.backup import BackupDuty
from jobs.brief import BriefDuty
from jobs.exit_watch import ExitLate, Lapse
from jobs.extract import Extract
from jobs.facts import FACTS, FactsDuty
from jobs.notices import NoticesDuty
from jobs.reminders import ReminderDuty
from jobs.review import Review
from jobs.sources import Sources
from jobs.timetable import Timetable
from jobs.train import TRAIN, Train
from jobs.unroll import Unroll
from jobs.watch import Watch
from jobs.watched import WatchedPlaces
from memory.clock import Clock
from memory.company import KIND as COMPANY
from memory.job import INLINE_KINDS
from memory.ledger import Ledger, Tables
from memory.recollection import EXTRACT
from memory.sql.ledger import SqlLedger
from memory.timetable import DAILY, WEEKLY
from memory.wording import say, usd
from tools.alarm import Alarm
from tools.attaching import Attaching
from tools.chat import Channel
from tools.claude.adapter import ClaudeModel
from tools.corpora.following import SAID
from tools.drafter import Drafter
from tools.embedding.choosing import embedder
from tools.exclusions import ExclusionFile
from tools.exit.copying import SENT_COPY, Copying, ask_for_copy
from tools.exit.leaving import DISPATCH, Exit
from tools.exit.playbook import ADVANCE
from tools.exit.writing import Writing
from tools.fact_lines import fact_lines
from tools.filing import Filing
from tools.gate import Gate, Tool
from tools.imap.sent import SentFolder
from tools.incoming import EVENT_CHANGED, REVIEW, Incoming
from tools.judge import Judge
from tools.learning.apart import learn
from tools.letters import Letters
from tools.mail_acts import KIND as MAIL_ACT
from tools.meetings import Meetings
from tools.metered import MeteredModel
from tools.promising import Promising
from tools.proposing import Proposals
from tools.scoring import Scoring
from tools.thinker import Thinker
from tools.toolbox import Toolbox
from tools.transcription.openai import HttpTranscriber
from tools.vault import Vault

log = structlog.get_logger()

OWNER = 1

LAST_WORDS_FOR = timedelta(seconds=5)
"""How long stopping waits for what is on its way to a channel."""


@dataclass(frozen=True, slots=True)
class House:
    """A running Stillbell: what `serve` and the tests hold on to. `failed` ends when a part of it has died."""

    ledger: Ledger
    worker: Worker
    courier: Courier
    timetable: Timetable
    failed: asyncio.Future[None]


async def _pause(wait_for: timedelta) -> None:
    await asyncio.sleep(wait_for.total_seconds())


@asynccontextmanager
async def running(
    settings: Settings,
    *,
    clock: Clock,
    announce: Callable[[str], None],
    adopt: bool = False,
    pause: Callable[[timedelta], Awaitable[None]] = _pause,
) -> AsyncIterator[House]:
    """Everything wired and started; stopped in reverse. The data folder must be there (`prepare_home`).

    `pause` is how a start waits that follows on several bad ends.
    """
    with WriterLock(settings.lock), Ends(settings.ends, clock) as ends:
        await _take_time(ends, announce, pause)
        async with open_ledger(settings, clock, adopt=adopt, thorough=ends.bad > 0) as ledger:
            await ledger.write(lambda t: t.spendings.abandon())
            async with _Graph(settings, ledger, clock, announce).started() as house:
                yield house


async def _take_time(
    ends: Ends, announce: Callable[[str], None], pause: Callable[[timedelta], Awaitable[None]]
) -> None:
    if ends.bad:
        log.warning("the last run did not end well", action="daemon.ended_badly", times=ends.bad)
    if ends.wait_for:
        seconds = ends.wait_for.total_seconds()
        announce(
            f"Stillbell ended badly {ends.bad} times within ten minutes: it waits {seconds:.0f} s before it starts."
        )
        await pause(ends.wait_for)


def _busy(t: Tables) -> bool:
    """Whether the conversation has work left. A mail that waits for its retry is none of the conversation's."""
    talking = t.jobs.busy(f"owner:{OWNER}", (*INLINE_KINDS, THINKER))
    return talking + t.jobs.busy(f"taps:{OWNER}") > 0


class _Graph:
    """The object graph over an open ledger."""

    def __init__(self, settings: Settings, ledger: SqlLedger, clock: Clock, announce: Callable[[str], None]) -> None:
        self._announce = announce
        self._settings = settings
        self._ledger = ledger
        self._clock = clock
        self._alarming: set[asyncio.Task[None]] = set()
        self._choice = choosing.model(settings)
        self._raw_model = ClaudeModel(self._choice) if self._choice else None
        self._filing = Filing(settings.files)
        self._transcriber = choosing.transcriber(settings)
        self._telegram = self._make_telegram()
        self._server = self._make_server()
        self._web = self._make_web()
        self._courier = Courier(ledger, self._channels(), clock)
        self._alarm = Alarm(ledger, self._courier, clock, OWNER)
        self._model = self._metered()
        self._scoring = Scoring(ledger, clock, settings.decision, owner_id=OWNER)
        self._judge = Judge(ledger, self._courier, clock, model=self._model, scorer=self._scoring, width=settings.band)
        self._vault = Vault(settings.vault)
        self._letters, self._meetings = Letters(can_send), Meetings(can_send, clock)
        self._attaching = Attaching(Filing(settings.outgoing), settings.attach_roots)
        self._writing = Writing(ledger, self._attaching)
        self._exit = Exit(
            ledger,
            self._courier,
            clock,
            self._alarm,
            ways=Ways(ledger, self._vault, clock, google_url=settings.google_url, owner_id=OWNER),
            writes=self._writing,
            copies=ask_for_copy,
        )
        self._sources = Sources(
            ledger,
            Incoming(ledger, clock),
            self._alarm,
            clock,
            opens=opener(self._vault, clock, google_url=settings.google_url),
            owner_id=OWNER,
        )
        self._meaning = Meaning(ledger, load=partial(embedder, settings.embedder), busy=_busy, owner_id=OWNER)
        self._watched = WatchedPlaces(ledger, self._alarm, clock, owner_id=OWNER)
        self._acquaint = Acquaint(ledger, clock, knows=fact_lines, owner_id=OWNER)
        ledger.on_commit(self._acquaint.wake)
        self._worker = Worker(
            ledger, self._handlers(), unhandled=Unhandled(ledger, clock), alarm=self._alarm, clock=clock
        )
        self._timetable = Timetable(ledger, clock, OWNER, daily=DAILY, weekly=WEEKLY)
        self._watchdog = Watchdog(settings.notify_socket, settings.watchdog_for)

    def _make_telegram(self) -> Telegram | None:
        token = self._settings.telegram_token
        if token is None:
            return None
        return Telegram(
            token=token.get_secret_value(),
            api_url=self._settings.telegram_url,
            ledger=self._ledger,
            clock=self._clock,
            announce=self._announce,
            alarm=self._telegram_alarm,
        )

    def _telegram_alarm(self, text: str) -> None:
        """Once a day for each trouble: the channel that is in trouble may be the one that would tell it."""
        key = hashlib.sha256(text.encode()).hexdigest()[:8]
        task = asyncio.create_task(self._alarm.daily(f"telegram:{key}", text), name="telegram alarm")
        self._alarming.add(task)
        task.add_done_callback(self._alarming.discard)

    def _make_server(self) -> TerminalServer:
        return TerminalServer(
            ledger=self._ledger,
            socket_path=self._settings.socket,
            asks={
                **asks(self._ledger, self._clock, OWNER, parts=self._health, backups=self._settings.backups),
                **self._account_asks(),
            },
            clock=self._clock,
            busy=_busy,
            owner_id=OWNER,
            version=version("stillbell"),
        )

    def _account_asks(self) -> Mapping[str, AskHandler]:
        keeper = Keeper(changed=self._sources_changed, stages=lambda: self._sources.progress)
        file = ExclusionFile(self._settings.exclusions)
        return {
            **account_asks(self._ledger, clock=self._clock, owner_id=OWNER, keeper=keeper),
            **exclusion_asks(self._ledger, file, clock=self._clock, owner_id=OWNER, keeper=keeper),
            **watch_asks(
                self._ledger,
                clock=self._clock,
                owner_id=OWNER,
                changed=self._list_changed,
                looks=lambda: self._watched.looks,
                let_go=self._let_go,
            ),
        }

    def _list_changed(self) -> None:
        self._watched.changed()

    async def _let_go(self, path: str) -> None:
        await self._watched.let_go(path)

    def _sources_changed(self) -> None:
        # The server is made before the sources are, and asked long after.
        self._sources.changed()

    def _make_web(self) -> WebServer | None:
        settings = self._settings
        if not settings.web_port:
            return None
        return WebServer(
            ledger=self._ledger,
            clock=self._clock,
            port=settings.web_port,
            token_file=settings.web_token,
            announce=self._announce,
            more_names=split(settings.web_hosts),
            owner_id=OWNER,
        )

    def _health(self) -> Parts:
        """How the parts that reach out are doing, for the doctor."""
        health = self._telegram.poller.health if self._telegram else None
        paired = self._telegram is not None and self._telegram.chat.chat_id is not None
        return Parts(
            telegram="off" if self._telegram is None else "paired" if paired else "unpaired",
            round_at=health.last_round_at if health else None,
            telegram_trouble=health.trouble if health else None,
            model=self._choice.describe("instinct") if self._choice else None,
            model_trouble=self._model.trouble if self._model else None,
            web=self._web.url if self._web and self._web.listens else None,
            meaning_trouble=self._meaning.trouble,
            watched=seen_of(self._watched.looks),
        )

    def _channels(self) -> list[Channel]:
        more = [part.channel for part in (self._web, self._telegram) if part is not None]
        return [self._server.channel, *more]

    def _metered(self) -> MeteredModel | None:
        if self._choice is None or self._raw_model is None:
            return None
        return MeteredModel(
            self._raw_model,
            choice=self._choice,
            ledger=self._ledger,
            clock=self._clock,
            on_cap=self._cap_reached,
            owner_id=OWNER,
        )

    async def _cap_reached(self, because: str, on: date) -> None:
        log.warning("the cap is reached", action="model.cap_reached", because=because)
        owner = await self._ledger.read(lambda t: t.owners.get(OWNER))
        await self._alarm(f"cap:{on}", say(owner.language, "cap_reached", cap=usd(owner.cap_usd)))

    def _handlers(self) -> Mapping[str, Handler]:
        ledger, courier, clock, model = self._ledger, self._courier, self._clock, self._model
        talk = Talk(ledger, courier, Commands(clock), model, clock, hears=self._transcriber is not None)
        promising = Promising(ledger, courier, clock)
        mail = MailArrived(ledger, self._judge, clock, promises=promising.of_mail)
        events = CalendarEvents(ledger, courier, clock)
        train = Train(ledger, self._scoring, clock, self._settings.decision, learns=learn)
        handlers: dict[str, Handler] = {
            "message": talk,
            "edit": talk.edited,
            HEARD: talk.transcribed,
            FILE: self._file_arrived(),
            UNHELD: BytesForgotten(ledger, self._filing),
            "reaction": Reacted(ledger, clock),
            "tap": Taps(ledger, courier, clock, errands=Errands(self._letters, self._meetings)),
            "paired": Paired(ledger, courier, clock),
            "membership": Membership(ledger, courier, clock),
            "mail": mail,
            SAID: MessagesSaid(ledger, promising, clock),
            "email": mail,
            "unreadable": Unreadable(ledger, self._alarm),
            "brief": BriefDuty(ledger, courier, clock),
            "reminder": ReminderDuty(ledger, courier, clock),
            "notices": NoticesDuty(ledger, courier, clock),
            REVIEW: Review(ledger, self._judge, clock, learns_first=train, promises=promising.look_back),
            TRAIN: train,
            DISPATCH: Dispatch(self._exit),
            SENT_COPY: SentCopy(
                Copying(ledger, clock, writes=self._writing, opens=lambda one: SentFolder(access(one, self._vault)))
            ),
            COMPOSE: self._compose(),
            MAIL_ACT: MailActing(
                ledger, courier, clock, opens=hands(self._vault, clock, google_url=self._settings.google_url)
            ),
            ADVANCE: IntroductionStep(ledger, courier, clock, letters=self._letters, drafter=self._drafter()),
            "heads_up": events.soon,
            COMPANY: events.met,
            EVENT_CHANGED: events.changed,
            "unroll": Unroll(ledger, courier, clock),
            "lapse": Lapse(ledger, courier, clock),
            "exit_late": ExitLate(ledger, self._alarm, clock),
            FACTS: FactsDuty(ledger, clock, model),
            "backup": BackupDuty(ledger, clock, self._settings.backups),
            "tick": Watch(ledger, self._alarm, courier, clock, self._settings.home),
        }
        if model is not None:
            gate = Gate(self._tools(), ledger, clock, post=courier.post)
            handlers[EXTRACT] = Extract(ledger, courier, model, clock)
            handlers[THINKER] = Think(ledger, courier, Thinker(model, gate), self._filing, clock)
        return handlers

    def _tools(self) -> tuple[Tool[Any], ...]:
        """What a model may call: what reads and keeps, and what puts a question to the owner."""
        proposals = Proposals(self._letters, self._meetings, self._clock, home=self._courier.home)
        return (*Toolbox(self._ledger, self._clock).tools(), *proposals.tools())

    def _drafter(self) -> Drafter | None:
        return Drafter(self._model) if self._model else None

    def _compose(self) -> Compose:
        return Compose(
            self._ledger,
            self._courier,
            self._clock,
            letters=self._letters,
            meetings=self._meetings,
            attaching=self._attaching,
            drafter=self._drafter(),
        )

    def _file_arrived(self) -> FileArrived:
        return FileArrived(
            self._ledger,
            self._courier,
            self._clock,
            fetches={"telegram": self._telegram.files} if self._telegram else {},
            filing=self._filing,
            transcriber=self._transcriber,
            thinks=self._model is not None,
        )

    @asynccontextmanager
    async def started(self) -> AsyncIterator[House]:
        """Recover what the last run left, start everything, and stop it in reverse."""
        if self._telegram is not None:
            # The first alarm may be about the last run: whether Telegram leads to the owner has to be known by then.
            await self._telegram.locate()
        again, left = await self._worker.recover(), await self._courier.recover()
        self._filing.sweep()
        log.info("started", action="daemon.started", jobs_recovered=again, pieces_left=left)
        await self._say_standing()
        parts = Supervisor()
        if self._raw_model is not None:
            # The provider's library takes a second to load: not out of the first reply's three.
            parts.start(self._raw_model.warm(), "model")
        try:
            async with self._server, self._metrics(), self._web or nullcontext():
                if self._telegram is not None:
                    await self._telegram.start()
                    parts.start(self._attend(self._telegram), "telegram")
                parts.start(self._server.watch(), "terminal")
                if self._web is not None:
                    parts.start(self._web.watch(), "web")
                parts.start(self._courier.run(), "courier")
                parts.start(self._sources.run(), "sources")
                parts.start(self._watched.run(), "watched")
                parts.start(self._meaning.run(), "meaning")
                parts.start(self._acquaint.run(), "acquaint")
                working = parts.start(self._worker.run(), "worker")
                self._timetable.start()
                parts.start(self._watchdog.run(lambda: self._worker.moves and not parts.failed.done()), "watchdog")
                self._watchdog.ready()
                try:
                    yield House(self._ledger, self._worker, self._courier, self._timetable, parts.failed)
                finally:
                    self._watchdog.stopping()
                    await self._stop(working)
        finally:
            await parts.end()

    async def _attend(self, telegram: Telegram) -> None:
        """Telegram's end is everybody's, unless only the owner can mend it: then the terminal goes on without."""
        try:
            await telegram.watch()
        except TokenRefused as error:
            self._announce(f"off  {error}")
            self._telegram_alarm(str(error))

    @asynccontextmanager
    async def _metrics(self) -> AsyncIterator[None]:
        if self._settings.metrics_port is None:
            yield
            return
        metrics = Metrics(
            port=self._settings.metrics_port,
            ledger=self._ledger,
            pulse=lambda: self._ledger.pulse,
            round_at=lambda: self._health().round_at,
            clock=self._clock,
            owner_id=OWNER,
        )
        async with metrics:
            self._announce(f"on   figures: http://127.0.0.1:{metrics.port}/metrics")
            yield

    async def _stop(self, working: asyncio.Task[None]) -> None:
        """Nothing new comes in; what is in hand is finished; the last words go out."""
        log.info("stopping", action="daemon.stopping")
        self._timetable.stop()
        self._worker.stop()
        await asyncio.wait([working])
        try:
            async with asyncio.timeout(LAST_WORDS_FOR.total_seconds()):
                await self._courier.settled()
        except TimeoutError:
            log.warning("some pieces wait for the next start", action="piece.left")
        if self._telegram is not None:
            await self._telegram.stop()
        if isinstance(self._transcriber, HttpTranscriber):
            await self._transcriber.close()
        for model in (self._model, self._raw_model):
            if model is not None:
                await model.close()

    async def _say_standing(self) -> None:
        owner, accounts = await self._ledger.read(lambda t: (t.owners.get(OWNER), t.accounts.present(OWNER)))
        said = self._choice.describe("instinct") if self._choice else None
        for line in standing.lines(self._settings, owner, accounts, said, self._clock.now()):
            self._announce(line)
        for note in self._choice.notes if self._choice else ():
            self._announce(f"note {note}")
