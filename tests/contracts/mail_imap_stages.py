"""The IMAP source on two independent servers, as stages of the mail contract. A relay stands between them."""

import asyncio
import itertools
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import datetime, timedelta

import pytest

from tests.contracts.mail_stage import IDENTITY, Opening, Stage
from tests.doubles.clock import NOW, FakeClock
from tests.servers import dovecot, pymap_server
from tests.servers.mail_program import MailProgram
from tests.servers.relay import Relay
from tools.imap.access import Access
from tools.imap.source import ImapMail

ELSEWHERE = "Zürich & Söhne"
"""Modified UTF-7 spells it "Z&APw-rich &- S&APY-hne"."""


async def at_once(time_for: timedelta) -> None:
    await asyncio.sleep(0)


class ImapStage:
    """See mail_stage.Stage."""

    inbox = "INBOX"
    elsewhere = ELSEWHERE

    def __init__(
        self,
        relay: Relay,
        port: int,
        user: str,
        secret: str,
        *,
        sent: str,
        renumber: Callable[[str, int], Awaitable[None]],
    ) -> None:
        self.relay = relay
        self.sent = sent
        self.secret = secret
        self.program = MailProgram(port, user, secret)
        self._user = user
        self._given = secret
        self._renumber = renumber
        self._validities = itertools.count(1_900_000_001)

    def access(self, *, timeout: timedelta = timedelta(seconds=20)) -> Access:
        return Access(
            host="127.0.0.1",
            port=self.relay.port,
            user=self._user,
            secret=lambda: self._given,
            tls="none",
            timeout=timeout,
        )

    def source(self) -> ImapMail:
        return ImapMail(self.access(), identity=IDENTITY, clock=FakeClock(), pausing=at_once)

    async def deliver(self, *raws: bytes, at: datetime = NOW) -> None:
        await self.program.put(self.inbox, *raws, at=at)

    async def send(self, raw: bytes, *, at: datetime = NOW) -> None:
        await self.program.put(self.sent, raw, at=at, flags=r"(\Seen)")

    async def mark_read(self, message_id: str, *, is_read: bool = True) -> None:
        await self.program.flag(self.inbox, message_id, r"(\Seen)", is_set=is_read)

    async def delete(self, message_id: str) -> None:
        await self.program.delete(self.inbox, message_id)

    async def move(self, message_id: str) -> None:
        await self.program.move(self.inbox, message_id, self.elsewhere)

    async def lose_cursor(self) -> None:
        for folder in (self.inbox, self.sent, self.elsewhere):
            await self.renumber(folder, next(self._validities))

    async def renumber(self, folder: str, validity: int) -> None:
        await self._renumber(folder, validity)
        await self.program.standing(folder)  # Dovecot shows the folder as empty until somebody has looked into it

    async def break_off(self) -> None:
        await self.relay.cut()

    async def mend(self) -> None:
        self.relay.mend()

    async def refuse(self) -> None:
        self._given = "something else altogether"
        await self.relay.drop()

    async def standing(self) -> object:
        return await self.program.standing(self.inbox, self.sent, self.elsewhere)

    async def all_hung_up(self) -> None:
        await self.relay.none_open()


@asynccontextmanager
async def dovecot_stage(request: pytest.FixtureRequest) -> AsyncIterator[Stage]:
    server: dovecot.Dovecot = request.getfixturevalue("dovecot_server")
    user = server.new_user()

    async def renumber(folder: str, validity: int) -> None:
        await asyncio.to_thread(server.renumber, user, folder, validity)

    async with Relay(server.port) as relay:
        stage = ImapStage(relay, server.port, user, dovecot.PASSWORD, sent="Ausgang", renumber=renumber)
        await stage.program.create(ELSEWHERE)
        yield stage


@asynccontextmanager
async def pymap_stage(request: pytest.FixtureRequest) -> AsyncIterator[Stage]:
    async with pymap_server.running() as server, Relay(server.port) as relay:
        stage = ImapStage(
            relay,
            server.port,
            pymap_server.USER,
            pymap_server.PASSWORD,
            sent="Gesendete Objekte",
            renumber=server.renumber,
        )
        await stage.program.create(stage.sent)
        await stage.program.create(ELSEWHERE)
        yield stage


STAGES: dict[str, Opening] = {"dovecot": dovecot_stage, "pymap": pymap_stage}
