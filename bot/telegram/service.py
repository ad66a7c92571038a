"""The service: everything of Telegram tied together, for wiring to start and stop."""

import asyncio
from collections.abc import Callable
from contextlib import suppress

import structlog
from telegram.error import InvalidToken, TelegramError

from bot.log import quiet
from bot.telegram.channel import TelegramChannel
from bot.telegram.chat import OwnerChat
from bot.telegram.commands import set_commands
from bot.telegram.faults import TokenRefused
from bot.telegram.fetching import TelegramFiles
from bot.telegram.intake import OWNER_ID, Taken, topic_name
from bot.telegram.limiter import Limiter
from bot.telegram.line import Line
from bot.telegram.pairing import Pairing, new_code
from bot.telegram.poller import USUAL, Alarm, Poller, Timing
from bot.telegram.token import bot_id
from bot.telegram.watch import next_wait
from memory.clock import Clock
from memory.ledger import Ledger, Tables
from memory.owner import Language

log = structlog.get_logger("telegram")


class Telegram:
    """The bot of one token. `channel` is usable from `start` on, `poller` tells its health.

    `announce` puts a line on the console (the pairing code); `alarm` hears of every new trouble once. `api_url` is the
    root of the Bot API server. Raises BadInput for a token of the wrong shape.
    """

    def __init__(
        self,
        *,
        token: str,
        api_url: str,
        ledger: Ledger,
        clock: Clock,
        announce: Callable[[str], None],
        alarm: Alarm,
        timing: Timing = USUAL,
    ) -> None:
        self._bot_id = bot_id(token)
        quiet()
        self._line = Line(token=token, api_url=api_url)
        self._ledger = ledger
        self._clock = clock
        self._announce = announce
        self._alarm = alarm
        self._timing = timing
        self._username: str | None = None
        self._invited: Pairing | None = None
        self._tasks: list[asyncio.Task[None]] = []
        self._stopping = asyncio.Event()
        self._poller: Poller | None = None
        self.chat = OwnerChat()
        self.files = TelegramFiles(self._line.bot)
        self.channel = TelegramChannel(
            bot=self._line.bot, chat=self.chat, limiter=Limiter(), language_of=self._language_of
        )

    @property
    def poller(self) -> Poller:
        """The poller. Only after `start`."""
        if self._poller is None:
            raise RuntimeError("the Telegram service has not been started")
        return self._poller

    async def locate(self) -> None:
        """Look up where the owner is; `start` does so, too."""
        self.chat.chat_id, self.chat.topic_id = await self._ledger.read(self._whereabouts)

    async def start(self) -> None:
        """Begin to poll and, beside it, to introduce ourselves. Returns at once, with or without a network."""
        await self.locate()
        pairing = None if self.chat.chat_id is not None else Pairing(new_code())
        self._poller = Poller(
            line=self._line,
            ledger=self._ledger,
            clock=self._clock,
            bot_id=self._bot_id,
            pairing=pairing,
            took=self._took,
            alarm=self._alarm,
            timing=self._timing,
        )
        self._tasks = [
            asyncio.create_task(self._poller.run(), name="telegram poller"),
            asyncio.create_task(self._introduce(), name="telegram introduction"),
        ]

    async def watch(self) -> None:
        """Return when it was stopped; raise what ended it otherwise (TokenRefused, TelegramSilent, a bug)."""
        try:
            await asyncio.gather(*self._tasks)
        except TokenRefused:
            # Nothing more is sent with it; what was to be said waits for the next start.
            self.chat.refused = True
            raise

    async def stop(self) -> None:
        """Take no further updates, finish the batch under way, close the connections."""
        self._stopping.set()
        if self._poller is not None:
            self._poller.stop()
        # What ended a task is for `watch` to tell.
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self.files.close()
        await self._line.close()

    async def _introduce(self) -> None:
        """Learn our own name, invite to pair, set the menu: whenever Telegram can be reached, and once."""
        failures = 0
        while not self._stopping.is_set():
            try:
                self._username = (await self._line.bot.get_me()).username
                self._invite()
                await set_commands(self._line.bot)
                return
            except InvalidToken:
                return  # the poller finds out too, and says so
            except TelegramError as error:
                failures += 1
                log.warning(
                    "the introduction failed",
                    action="telegram.introduction_failed",
                    error=str(error),
                    failures=failures,
                )
                await self._wait(next_wait(failures).total_seconds())

    async def _wait(self, seconds: float) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._stopping.wait()

    def _took(self, taken: Taken) -> None:
        """A batch is on record."""
        if taken.paired is not None:
            self.chat.chat_id = taken.paired.telegram_id
            self._announce("Telegram: paired. From now on only this account is heard.")
        self.chat.learn(taken.heard)
        self._invite()

    def _invite(self) -> None:
        """Put the awaited code on the console, each once."""
        pairing = self.poller.pairing
        if pairing is None or self._username is None:
            return
        if self._invited is None or self._invited.code != pairing.code:
            self._invited = pairing
            self._announce(pairing.invitation(self._username))

    def _whereabouts(self, t: Tables) -> tuple[int | None, int | None]:
        topic = t.cursors.get(topic_name(self._bot_id), owner_id=OWNER_ID)
        return t.owners.get(OWNER_ID).telegram_id, int(topic) if topic else None

    async def _language_of(self, owner_id: int) -> Language:
        return await self._ledger.read(lambda t: t.owners.get(owner_id).language)
