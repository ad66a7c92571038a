"""Sources of mail and events for tests of what reads them: they give what they were told to, look by look."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Sequence
from datetime import datetime, timedelta

from tests.doubles.clock import NOW
from tools.calendar import CalendarBatch
from tools.mail import Arrived, Checked, MailBatch

Look = Sequence[MailBatch | CalendarBatch | BaseException | Callable[[], object]]
"""What one look gives, batch by batch; an exception is raised where it stands, a function called."""


class PlayedSource:
    """Either port. After its last look it rests: `wait` returns only when another look is added.

    cursors: what it was asked for, look by look. rested: set whenever it waits with nothing left to give.
    """

    def __init__(self, *looks: Look) -> None:
        self._looks = deque(looks)
        self._more = asyncio.Event()
        self.cursors: list[str | None] = []
        self.since: list[datetime] = []
        self.waited: list[timedelta] = []
        self.skips: Callable[[str], bool] = lambda folder: False
        self.rested = asyncio.Event()
        self.closed = 0

    def add(self, *looks: Look) -> None:
        """More to give; wakes it."""
        self._looks.extend(looks)
        self.rested.clear()
        self._more.set()

    def batches(
        self, cursor: str | None, *, skips: Callable[[str], bool], since: datetime = NOW
    ) -> AsyncIterator[MailBatch | CalendarBatch]:
        """As the ports have it."""
        self.cursors.append(cursor)
        self.since.append(since)
        self.skips = skips
        return self._played()

    async def _played(self) -> AsyncIterator[MailBatch | CalendarBatch]:
        for step in self._looks.popleft() if self._looks else ():
            await asyncio.sleep(0)  # a real source lets others run, too
            if isinstance(step, BaseException):
                raise step
            if isinstance(step, MailBatch | CalendarBatch):
                yield step
            else:
                step()

    async def wait(self, at_most: timedelta) -> None:
        """As the ports have it."""
        self.waited.append(at_most)
        if not self._looks:
            self.rested.set()
            self._more.clear()
            await self._more.wait()

    async def check(self) -> Checked:
        """As the ports have it."""
        return Checked(identity="jo@baker.example", folders=("INBOX",))

    async def close(self) -> None:
        """As the ports have it."""
        self.closed += 1


def arrived(name: str, *, text: str = "Hello Jo.", folder: str = "INBOX", **given: object) -> Arrived:
    """A mail by its name, from Anna to Jo unless told otherwise."""
    sender, to = given.pop("sender", "Anna Winter <anna@winter.example>"), given.pop("to", "jo@baker.example")
    raw = (
        f"From: {sender}\r\nTo: {to}\r\nSubject: About {name}\r\nMessage-ID: <{name}@winter.example>\r\n"
        f"Date: Mon, 02 Mar 2026 08:55:00 +0000\r\n\r\n{text}\r\n"
    )
    return Arrived(uid=f"imap:{folder}:1:{name}", raw=raw.encode(), folder=folder, **given)  # type: ignore[arg-type]
