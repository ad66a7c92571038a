"""The poller: takes updates from Telegram, puts them on record, and only then lets Telegram forget them.

    getUpdates(offset) ─► raw updates ─► intake, committed ─► offset moves ─► getUpdates(offset)
         │ 409, 429, 5xx, no network: wait, longer each time, and go on for ever
         │ 401: TokenRefused, since only the owner can help
         └ nothing comes back: the connections are made anew; if that changes nothing, TelegramSilent

Nothing is decoded before it is on record, so an update that can't be read can't hold up those behind it.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import structlog
from telegram.error import Conflict, InvalidToken, TelegramError

from bot.telegram.faults import AnswerLost, NotSent, NotTelegram, SlowDown, TelegramSilent, TokenRefused
from bot.telegram.intake import OWNER_ID, Taken, cursor_name, take_in
from bot.telegram.line import Line
from bot.telegram.pairing import Pairing
from bot.telegram.reading import ALLOWED
from bot.telegram.watch import WEDGED_AFTER_FOR, Watch, next_wait
from memory.clock import Clock
from memory.errors import OutOfReach
from memory.ledger import Ledger

Alarm = Callable[[str], None]
"""Says something to whoever watches over the machine, once for each trouble."""

GIVE_WAY_FOR = timedelta(milliseconds=10)
"""After updates came in: whoever waits for an answer goes before the next poll, which takes a millisecond or two itself."""

Pause = Callable[[timedelta], Awaitable[None]]

log = structlog.get_logger("telegram")


@dataclass(frozen=True, slots=True)
class Timing:
    """How long the poller waits for what. Telegram itself ends a long poll after 50 s."""

    poll_for: timedelta = timedelta(seconds=30)
    read_beyond_for: timedelta = timedelta(seconds=10)
    wedged_after: timedelta = WEDGED_AFTER_FOR


USUAL = Timing()


@dataclass(frozen=True, slots=True)
class Health:
    """What the doctor says: when updates (or word that there are none) came last, and what is the matter, if anything."""

    last_round_at: datetime | None
    trouble: str | None


class Poller:
    """The loop of getUpdates. `took` hears of every batch once it is committed; `alarm` of every new trouble."""

    def __init__(
        self,
        *,
        line: Line,
        ledger: Ledger,
        clock: Clock,
        bot_id: int,
        pairing: Pairing | None,
        took: Callable[[Taken], None],
        alarm: Alarm,
        timing: Timing = USUAL,
        pause: Pause | None = None,
    ) -> None:
        self._line = line
        self._ledger = ledger
        self._clock = clock
        self._bot_id = bot_id
        self._pairing = pairing
        self._took = took
        self._alarm = alarm
        self._timing = timing
        self._pause = pause or self._until_stopped
        self._stopping = asyncio.Event()
        self._asking: asyncio.Future[list[Any]] | None = None
        self._offset: int | None = None
        self._failures = 0
        self._watch = Watch(clock.now())
        self._last_round_at: datetime | None = None
        self._trouble: str | None = None

    @property
    def health(self) -> Health:
        """How it stands now."""
        return Health(self._last_round_at, self._trouble)

    @property
    def pairing(self) -> Pairing | None:
        """The code that is awaited, while there is no owner."""
        return self._pairing

    async def run(self) -> None:
        """Poll until stopped. Raises TokenRefused, TelegramSilent, and whatever is a bug."""
        cursor = await self._ledger.read(lambda t: t.cursors.get(cursor_name(self._bot_id), owner_id=OWNER_ID))
        self._offset = int(cursor) if cursor else None
        self._watch = Watch(self._clock.now())
        while not self._stopping.is_set():
            wait_for = await self._round()
            if wait_for:
                await self._pause(wait_for)

    def stop(self) -> None:
        """Let `run` end: a poll under way is given up, a batch under way is put on record."""
        self._stopping.set()
        if self._asking is not None:
            self._asking.cancel()

    async def _round(self) -> timedelta:
        try:
            updates = await self._ask()
            if updates:
                await self._take(updates)
        except (TelegramError, TimeoutError, OutOfReach) as error:
            return await self._failed(error)
        self._succeeded()
        return timedelta()

    async def _ask(self) -> list[Any]:
        """One long poll; nothing when it was given up because of a stop."""
        timing = self._timing
        asking = self._line.bot.raw_updates(
            offset=self._offset,
            poll_for=timing.poll_for,
            read_for=timing.poll_for + timing.read_beyond_for,
            allowed=ALLOWED,
        )
        self._asking = asyncio.ensure_future(asking)
        try:
            # Beside httpx's own timeout: a wedge is whatever the libraries below did not foresee.
            async with asyncio.timeout(timing.wedged_after.total_seconds()):
                return await self._asking
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if self._stopping.is_set() and task is not None and not task.cancelling():
                return []
            raise
        finally:
            self._asking = None

    async def _take(self, updates: list[Any]) -> None:
        now = self._clock.now()
        taken = await self._ledger.write(
            lambda t: take_in(t, updates, bot_id=self._bot_id, pairing=self._pairing, now=now)
        )
        self._offset, self._pairing = taken.offset, taken.pairing
        self._took(taken)
        await asyncio.sleep(GIVE_WAY_FOR.total_seconds())

    def _succeeded(self) -> None:
        if self._stopping.is_set():
            return
        now = self._clock.now()
        self._watch = self._watch.answered(now)
        self._last_round_at = now
        self._failures = 0
        if self._trouble:
            log.info("Telegram answers again", action="telegram.recovered", after=self._trouble)
            self._trouble = None

    async def _failed(self, error: Exception) -> timedelta:
        """Take note of a failed round; how long to wait. Raises what the poller can't mend."""
        if isinstance(error, InvalidToken):
            refused = TokenRefused()
            self._trouble = str(refused)
            # The library's error may spell the token out, so it is not kept as the cause.
            raise refused from None
        self._failures += 1
        log.warning(
            "a poll failed",
            action="telegram.poll_failed",
            error=str(error) or type(error).__name__,
            failures=self._failures,
        )
        if isinstance(error, Conflict):
            await self._make_way(error)
        self._say(error)
        await self._watch_over(error)
        return next_wait(self._failures, error.retry_for if isinstance(error, SlowDown) else None)

    async def _make_way(self, error: Conflict) -> None:
        """A webhook left over from the bot's earlier life forbids polling; another poller is for the owner to end."""
        if "webhook" in str(error).lower():
            with suppress(TelegramError):
                await self._line.bot.delete_webhook()

    def _say(self, error: Exception) -> None:
        """Alarm once for each kind of trouble; a single failed round is none yet."""
        trouble = trouble_of(error)
        if trouble is None or (self._failures == 1 and not isinstance(error, Conflict)):
            return
        if trouble != self._trouble:
            self._trouble = trouble
            self._alarm(trouble)

    async def _watch_over(self, error: Exception) -> None:
        now = self._clock.now()
        if isinstance(error, NotTelegram) or not isinstance(error, NotSent | AnswerLost | TimeoutError):
            self._watch = self._watch.answered(now)
            return
        self._watch = self._watch.failed(refused=isinstance(error, NotSent))
        match self._watch.judge(now, self._timing.wedged_after):
            case "rebuild":
                log.warning(
                    "the connections were made anew",
                    action="telegram.rebuilt",
                    silent_since=self._watch.answered_at.isoformat(),
                )
                await self._line.polling.rebuild()
                self._watch = self._watch.rebuilt(now)
            case "give up":
                raise TelegramSilent(
                    "Telegram has not answered since "
                    f"{self._watch.answered_at:%H:%M} UTC though requests go out; the process has to start anew"
                ) from error
            case _:
                pass

    async def _until_stopped(self, wait_for: timedelta) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(wait_for.total_seconds()):
                await self._stopping.wait()


def trouble_of(error: Exception) -> str | None:
    """What a failure is called in an alarm and by the doctor; None for a pause that Telegram asked for."""
    match error:
        case SlowDown():
            return None
        case Conflict():
            return "another program polls Telegram with this token: stop it, or make a new token with @BotFather"
        case NotSent():
            return "Telegram can't be reached: is the network up? It is tried again for ever"
        case AnswerLost() | TimeoutError():
            return "Telegram's answers get lost on the way: is a proxy in between? It is tried again for ever"
        case TelegramError():
            return f"Telegram refuses to hand over updates: {error}"
        case _:
            return f"updates can't be put on record: {error}"
