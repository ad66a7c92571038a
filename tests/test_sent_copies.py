"""What left by a server that files nothing lies in Sent, once, as the bytes that left; nothing else about it is told."""

import imaplib
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from datetime import timedelta
from pathlib import Path

import pytest

from tests.doubles.clock import FakeClock
from tests.doubles.hand import hand
from tests.exit_room import OLA, Office, Outside, open_office
from tests.servers import dovecot
from tests.servers.dovecot import Dovecot
from tests.servers.smtp_server import SmtpServer
from tools.exit.copying import FILED_BY_ITSELF_FOR, SENT_COPY
from tools.vault import Vault


@pytest.fixture(scope="module")
def server() -> Iterator[Dovecot]:
    with dovecot.running() as running:
        yield running


class Sent:
    """The Sent folder as another program sees it."""

    def __init__(self, server: Dovecot, user: str) -> None:
        self._port, self._user = server.port, user

    @contextmanager
    def _opened(self) -> Iterator[imaplib.IMAP4]:
        with imaplib.IMAP4("127.0.0.1", self._port) as box:
            box.login(self._user, dovecot.PASSWORD)
            box.select("Ausgang")
            yield box

    def mails(self) -> list[tuple[bytes, bytes]]:
        """Flags and bytes of each."""
        with self._opened() as box:
            numbers = box.search(None, "ALL")[1][0].split()
            found = [box.fetch(one.decode(), "(FLAGS BODY.PEEK[])")[1] for one in numbers]
        # The flags stand before the bytes or behind them.
        return [(bytes(one[0][0]) + repr(one[1:]).encode(), bytes(one[0][1])) for one in found]  # type: ignore[index]

    def put(self, raw: bytes) -> None:
        with self._opened() as box:
            box.append("Ausgang", "", "", raw)


def mailbox(server: Dovecot, user: str, **more: str) -> dict[str, str]:
    return {"host": "127.0.0.1", "port": str(server.port), "tls": "none", "user": user} | more


@asynccontextmanager
async def an_office(database: Path, clock: FakeClock, settings: dict[str, str]) -> AsyncIterator[Office]:
    """One password for both servers, as providers have it."""
    async with (
        SmtpServer(user=OLA, password=dovecot.PASSWORD) as smtp,
        open_office(database, clock, by=Outside(smtp), settings=settings) as office,
    ):
        yield office


async def sends(office: Office) -> bytes:
    Vault(office.product.settings.vault).put("work", dovecot.PASSWORD)
    await office.says("reply to Anna: Friday suits me.")
    await office.taps("Send")
    (one,) = office.sent
    return one.content


async def test_a_copy_lies_in_sent_as_the_bytes_that_left(database: Path, clock: FakeClock, server: Dovecot) -> None:
    async with an_office(database, clock, mailbox(server, "ola-1")) as office:
        content = await sends(office)
        sent = Sent(server, "ola-1")
        assert sent.mails() == [], "a server has a while to file it by itself"
        said = office.whole_chat()
        await office.time_passes(FILED_BY_ITSELF_FOR)
        ((flags, raw),) = sent.mails()
        assert raw == content
        assert b"Seen" in flags
        assert office.whole_chat() == said, "it is no news"
        assert office.dispatches == ["sent"]


async def test_where_the_server_filed_it_there_is_no_second_copy(
    database: Path, clock: FakeClock, server: Dovecot
) -> None:
    async with an_office(database, clock, mailbox(server, "ola-2")) as office:
        sent, content = Sent(server, "ola-2"), await sends(office)
        sent.put(content)
        await office.time_passes(FILED_BY_ITSELF_FOR)
        assert len(sent.mails()) == 1


async def test_a_copy_that_is_asked_for_again_is_put_there_once(
    database: Path, clock: FakeClock, server: Dovecot
) -> None:
    async with an_office(database, clock, mailbox(server, "ola-3")) as office:
        await sends(office)
        await office.time_passes(FILED_BY_ITSELF_FOR)
        # As after a crash between the copy and the end of its job.
        with hand(database) as connection:
            connection.execute("UPDATE jobs SET state = 'pending', finished_at = NULL WHERE kind = ?", (SENT_COPY,))
        await office.time_passes(timedelta(minutes=1))
        assert office.rows("SELECT state FROM jobs WHERE kind = ?", SENT_COPY) == [("done",)]
        assert len(Sent(server, "ola-3").mails()) == 1


async def test_of_a_provider_that_files_by_itself_nothing_is_asked(
    database: Path, clock: FakeClock, server: Dovecot
) -> None:
    async with an_office(database, clock, mailbox(server, "ola-4", files_sent="yes")) as office:
        await sends(office)
        await office.time_passes(FILED_BY_ITSELF_FOR)
        assert Sent(server, "ola-4").mails() == []
        assert office.rows("SELECT 1 FROM jobs WHERE kind = ?", SENT_COPY) == []


async def test_a_mailbox_that_is_not_there_leaves_the_letter_sent(database: Path, clock: FakeClock) -> None:
    nowhere = {"host": "127.0.0.1", "port": "1", "tls": "none", "user": "ola"}
    async with an_office(database, clock, nowhere) as office:
        await sends(office)
        said = office.whole_chat()
        for passing_for in (FILED_BY_ITSELF_FOR, timedelta(hours=1), timedelta(days=1)):
            await office.time_passes(passing_for, looks=False)
        assert office.dispatches == ["sent"]
        assert office.whole_chat() == said
        assert office.rows("SELECT decided FROM decisions WHERE subject LIKE 'dispatch:%'") == [("not copied",)]
