"""One connection to one account, served by one thread of its own.

Everything that blocks happens in that thread. From outside a step can be cut at any moment: its socket is shut, so that
whatever it waits for comes to an end. A line that broke is made anew by the next step.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import timedelta
from typing import TypeVar

from memory.errors import OutOfReach, StillbellError
from tools.imap.access import Access
from tools.imap.failures import FOREIGN, failure_of
from tools.imap.line import Reins
from tools.imap.mailbox import Mailbox, sign_in
from tools.source import SourceDown

STEP_TIMEOUTS = 4
"""So many of the access's timeouts a step may take in all; a server that drips is never silent for one of them."""

T = TypeVar("T")


class Connection:
    """See above. One step at a time; `close` may be called at any moment and twice."""

    def __init__(self, access: Access) -> None:
        self.access = access
        self._reins = Reins()
        self._mailbox: Mailbox | None = None
        self._thread: ThreadPoolExecutor | None = None
        self._is_busy = False

    @property
    def is_open(self) -> bool:
        """Whether there is a line; it may have broken meanwhile."""
        return self._mailbox is not None and not self._reins.was_cut

    async def run(self, step: Callable[[Mailbox], T], *, longer_for: timedelta = timedelta(0)) -> T:
        """What `step` gives, done in the thread on a line that is signed in.

        longer_for: how long the step means to wait by itself. Raises SourceDown, SlowDown, SignInRefused, and what the
        step raises of our own words. Cancelling cuts the line.
        """
        within_for = self.access.timeout * STEP_TIMEOUTS + longer_for
        self._is_busy = True
        future = asyncio.get_running_loop().run_in_executor(self._executor(), self._work, step)
        try:
            async with asyncio.timeout(within_for.total_seconds()):
                return await future
        except TimeoutError as error:
            self._reins.cut()
            raise SourceDown(f"{self.access.place} can't be read just now: no answer in time") from error
        except asyncio.CancelledError:
            self._reins.cut()
            raise
        finally:
            self._is_busy = False

    async def refresh(self) -> None:
        """Make sure that the server is there: a line that has rested may have been dropped, and a new one is made."""
        if self.is_open:
            with suppress(OutOfReach):
                return await self.run(Mailbox.ping)
        return await self.run(lambda mailbox: None)

    async def close(self) -> None:
        """Let go of the line and the thread."""
        thread, self._thread = self._thread, None
        if thread is None:
            return
        if self._is_busy:
            self._reins.cut()
        farewell = asyncio.get_running_loop().run_in_executor(thread, self._hang_up)
        try:
            async with asyncio.timeout(self.access.timeout.total_seconds()):
                await farewell
        except TimeoutError:
            self._reins.cut()
        except asyncio.CancelledError:
            self._reins.cut()
            raise
        finally:
            thread.shutdown(wait=False)

    def _executor(self) -> ThreadPoolExecutor:
        if self._thread is None:
            self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix=f"imap {self.access.host}")
        return self._thread

    # From here on: in the thread.

    def _work(self, step: Callable[[Mailbox], T]) -> T:
        try:
            return step(self._line())
        except FOREIGN as error:
            self._hang_up()
            raise failure_of(error, self.access) from error
        except StillbellError as error:
            if isinstance(error, OutOfReach):
                self._hang_up()
            raise
        except BaseException:  # a bug: nobody knows in the middle of what answer the line stands
            self._hang_up()
            raise

    def _line(self) -> Mailbox:
        if self._reins.was_cut:
            self._hang_up()
            self._reins.mend()
        if self._mailbox is None:
            self._mailbox = sign_in(self.access, self._reins)
        return self._mailbox

    def _hang_up(self) -> None:
        mailbox, self._mailbox = self._mailbox, None
        if mailbox is not None:
            mailbox.hang_up()
