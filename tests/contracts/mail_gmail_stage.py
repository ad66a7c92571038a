"""The Gmail source on our own Google server, as a stage of the mail contract.

It is ours because the independent stand-in rewrites every mail that it is given; that one is met in tests/tools.
"""

import asyncio
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path

import pytest

from tests.contracts.mail_stage import IDENTITY, Opening, Stage
from tests.doubles.clock import NOW, FakeClock
from tests.servers.google_server import GoogleServer, google_server
from tools.google.gmail import GmailMail
from tools.google.session import open_session
from tools.google.token import TokenFile
from tools.vault import Vault


async def at_once(seconds: float) -> None:
    await asyncio.sleep(0)


class GmailStage:
    """See mail_stage.Stage. Gmail has no folders of the owner's own: a mail that leaves the inbox lies in the archive."""

    inbox = "INBOX"
    sent = "Sent"
    elsewhere = "Archive"

    def __init__(self, google: GoogleServer, vault: Vault) -> None:
        clock = FakeClock()
        self._google = google
        self._box = google.gmail
        self._clock = clock
        self._file = TokenFile(vault, "home", "read")
        self._file.write(google.grant(clock))
        self.secret = self._file.read().refresh_token

    def source(self) -> GmailMail:
        session = open_session(self._file, self._clock, endpoints=self._google.endpoints)
        return GmailMail(session, pause=at_once)

    async def deliver(self, *raws: bytes, at: datetime = NOW) -> None:
        for raw in raws:
            self._box.deliver(raw, at=at)

    async def send(self, raw: bytes, *, at: datetime = NOW) -> None:
        self._box.deliver(raw, labels=("SENT",), at=at)

    async def mark_read(self, message_id: str, *, is_read: bool = True) -> None:
        how = {"take" if is_read else "add": ("UNREAD",)}
        self._box.relabel(self._box.by_message_id(message_id), **how)

    async def delete(self, message_id: str) -> None:
        self._box.delete(self._box.by_message_id(message_id))

    async def move(self, message_id: str) -> None:
        self._box.relabel(self._box.by_message_id(message_id), take=("INBOX",), add=("Clients",))

    async def lose_cursor(self) -> None:
        self._box.forget_history()

    async def break_off(self) -> None:
        await asyncio.to_thread(self._google.stop)

    async def mend(self) -> None:
        self._google.start()

    async def refuse(self) -> None:
        self._google.revoke()

    async def standing(self) -> object:
        return {each: (mail.raw, tuple(mail.labels)) for each, mail in self._box.mails.items()}

    async def all_hung_up(self) -> None:
        await asyncio.to_thread(self._google.wait_until_hung_up)


@asynccontextmanager
async def gmail_stage(request: pytest.FixtureRequest) -> AsyncIterator[Stage]:
    with google_server(IDENTITY) as google, tempfile.TemporaryDirectory() as folder:
        yield GmailStage(google, Vault(Path(folder)))


STAGES: dict[str, Opening] = {"gmail": gmail_stage}
