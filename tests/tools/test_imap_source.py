"""The IMAP source against a real Dovecot: what it says to a server, what it reads, and what it makes of change."""

import asyncio
import re
import ssl
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from datetime import timedelta

import pytest

from tests.contracts.mail_imap_stages import ELSEWHERE, ImapStage, dovecot_stage
from tests.contracts.mail_stage import IDENTITY, SINCE, letter, message_id
from tests.doubles.clock import NOW, FakeClock
from tests.servers import dovecot
from tests.servers.imap_script import ScriptedImap, raw
from tools.imap.access import Access, Tls
from tools.imap.source import SETTLE_FOR, ImapMail
from tools.mail import Arrived, MailBatch
from tools.source import SourceDown

PROMPTLY_SECONDS = 15
READING = {
    b"CAPABILITY",
    b"AUTHENTICATE",
    b"LIST",
    b"STATUS",
    b"EXAMINE",
    b"UID SEARCH",
    b"UID FETCH",
    b"NOOP",
    b"IDLE",
    b"LOGOUT",
}


@pytest.fixture(scope="module")
def dovecot_server() -> Iterator[dovecot.Dovecot]:
    with dovecot.running() as server:
        yield server


@pytest.fixture
async def stage(request: pytest.FixtureRequest, dovecot_server: dovecot.Dovecot) -> AsyncIterator[ImapStage]:
    async with dovecot_stage(request) as opened:
        assert isinstance(opened, ImapStage)
        yield opened


class Account:
    """A source and its cursor."""

    def __init__(self, source: ImapMail) -> None:
        self.source = source
        self.cursor: str | None = None

    async def read(self, *, skips: Callable[[str], bool] = lambda folder: False) -> list[MailBatch]:
        batches = [batch async for batch in self.source.batches(self.cursor, since=SINCE, skips=skips)]
        if batches:
            self.cursor = batches[-1].cursor
        return batches

    async def mails(self) -> list[Arrived]:
        return [mail for batch in await self.read() for mail in batch.arrived]


@asynccontextmanager
async def opened(source: ImapMail) -> AsyncIterator[Account]:
    try:
        yield Account(source)
    finally:
        await source.close()


def verbs(said: bytes) -> list[bytes]:
    return re.findall(rb"^[A-Z]{4}\d+ ((?:UID )?[A-Z]+)", said, re.MULTILINE)


async def test_only_what_reads_is_ever_said(stage: ImapStage) -> None:
    await stage.deliver(letter("one"), letter("two"))
    async with opened(stage.source()) as account:
        await account.read()
        await stage.mark_read(message_id("one"))
        await stage.delete(message_id("two"))
        await account.read()
        await account.source.wait(timedelta(milliseconds=10))
        await account.source.check()
    said = bytes(stage.relay.said)
    assert set(verbs(said)) <= READING
    assert b"BODY.PEEK[]" in said
    assert b"BODY[" not in said


async def test_one_connection_does_for_everything(stage: ImapStage) -> None:
    async with opened(stage.source()) as account:
        await account.source.check()
        for number in range(3):
            await stage.deliver(letter(f"letter-{number}"))
            await account.read()
            await account.source.wait(timedelta(milliseconds=10))
        threads = [thread for thread in threading.enumerate() if thread.name.startswith("imap ")]
    assert stage.relay.opened == len(threads) == 1


async def test_where_nothing_happened_no_folder_is_opened(stage: ImapStage) -> None:
    await stage.deliver(letter("one"))
    async with opened(stage.source()) as account:
        for _ in range(2):
            await account.read()
        stage.relay.said.clear()
        assert await account.read() == []
    assert {b"EXAMINE", b"UID SEARCH", b"UID FETCH"}.isdisjoint(verbs(bytes(stage.relay.said)))


async def test_a_folder_with_news_is_opened_afresh_before_it_is_searched(stage: ImapStage) -> None:
    # What came after it was opened might not be found in it yet, and be passed over for ever.
    async with opened(stage.source()) as account:
        await account.read()
        await account.source.wait(timedelta(milliseconds=10))
        await stage.deliver(letter("one"))
        stage.relay.said.clear()
        await account.read()
    said = verbs(bytes(stage.relay.said))
    assert said.index(b"EXAMINE") < said.index(b"UID SEARCH")


async def test_a_mail_that_came_and_went_between_two_looks_is_no_news_and_nor_is_the_one_before_it(
    stage: ImapStage,
) -> None:
    await stage.deliver(letter("before"))
    async with opened(stage.source()) as account:
        await account.read()
        await stage.deliver(letter("short-lived"))
        await stage.delete(message_id("short-lived"))
        assert await account.mails() == []
        await stage.deliver(letter("after"))
        assert len(await account.mails()) == 1


async def test_a_folder_that_is_skipped_is_not_even_asked_about(stage: ImapStage) -> None:
    async with opened(stage.source()) as account:
        await account.read(skips=lambda folder: folder in (ELSEWHERE, "INBOX"))
        await account.source.wait(timedelta(0))
    said = bytes(stage.relay.said)
    assert b"&APw-" not in said
    assert b"INBOX" not in said


async def test_idle_hears_a_mail_come(stage: ImapStage) -> None:
    async with opened(stage.source()) as account, asyncio.timeout(PROMPTLY_SECONDS):
        await account.read()
        waiting = asyncio.create_task(account.source.wait(timedelta(hours=1)))
        await stage.relay.heard(b"IDLE")
        await stage.deliver(letter("one"))
        await waiting
        assert len(await account.mails()) == 1
    assert b"DONE" in stage.relay.said


async def test_a_mail_that_came_before_one_listened_is_not_waited_for(stage: ImapStage) -> None:
    async with opened(stage.source()) as account, asyncio.timeout(PROMPTLY_SECONDS):
        await account.read()
        await stage.deliver(letter("one"))
        await account.source.wait(timedelta(hours=1))
    assert b"IDLE" not in verbs(bytes(stage.relay.said))


async def test_listening_that_is_cancelled_hangs_up(stage: ImapStage) -> None:
    async with opened(stage.source()) as account, asyncio.timeout(PROMPTLY_SECONDS):
        await account.read()
        waiting = asyncio.create_task(account.source.wait(timedelta(hours=1)))
        await stage.relay.heard(b"IDLE")
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        await stage.relay.none_open()
        await stage.deliver(letter("one"))
        assert len(await account.mails()) == 1


async def test_listening_whose_line_is_dropped_goes_over_to_waiting(stage: ImapStage) -> None:
    pauses: list[timedelta] = []

    async def pausing(time_for: timedelta) -> None:
        pauses.append(time_for)

    source = ImapMail(stage.access(), identity=IDENTITY, clock=FakeClock(), pausing=pausing)
    async with opened(source) as account, asyncio.timeout(PROMPTLY_SECONDS):
        await account.read()
        waiting = asyncio.create_task(account.source.wait(timedelta(minutes=10)))
        await stage.relay.heard(b"IDLE")
        await stage.relay.drop()
        await waiting
        assert pauses == [timedelta(minutes=1)]
        await stage.deliver(letter("one"))
        await account.source.wait(timedelta(seconds=30))
        assert pauses[1:] != [SETTLE_FOR]
        assert len(await account.mails()) == 1


async def test_a_line_that_was_dropped_at_rest_is_made_anew_without_a_word(stage: ImapStage) -> None:
    async with opened(stage.source()) as account:
        await account.read()
        await stage.relay.drop()
        await stage.deliver(letter("one"))
        assert len(await account.mails()) == 1
    assert stage.relay.opened == 2


async def test_junk_and_trash_are_not_read_and_the_archive_is(stage: ImapStage) -> None:
    for folder in ("Spam", "Papierkorb", "Ablage", "Ausgang"):
        await stage.program.put(folder, letter(folder.lower()), at=NOW)
    async with opened(stage.source()) as account:
        came = {mail.folder: mail.is_sent for mail in await account.mails()}
        notes = (await account.source.check()).notes
    assert came == {"Ablage": False, "Ausgang": True}
    assert "not read: Papierkorb, Spam" in notes


async def test_folders_can_be_named_outright(stage: ImapStage) -> None:
    await stage.deliver(letter("one"))
    await stage.program.put("Spam", letter("spam"), at=NOW)
    source = ImapMail(stage.access(), identity=IDENTITY, only=["spam", "Nowhere"], clock=FakeClock())
    async with opened(source) as account:
        assert [mail.folder for mail in await account.mails()] == ["Spam"]


async def test_a_folder_of_ones_own_is_called_what_its_owner_calls_it(stage: ImapStage) -> None:
    await stage.program.put(ELSEWHERE, letter("one"), at=NOW)
    async with opened(stage.source()) as account:
        (mail,) = await account.mails()
    assert mail.folder == ELSEWHERE
    assert mail.uid.startswith(f"imap:{ELSEWHERE}:")


async def test_a_new_folder_is_read_and_a_removed_one_takes_its_mails_along(stage: ImapStage) -> None:
    async with opened(stage.source()) as account:
        await account.read()
        await stage.program.create("Reisen")
        await stage.program.put("Reisen", letter("ticket"), at=NOW)
        (mail,) = await account.mails()
        await stage.program.remove("Reisen")
        assert [uid for batch in await account.read() for uid in batch.gone] == [mail.uid]
        assert await account.read() == []


async def test_a_mail_that_is_only_marked_as_deleted_is_gone(stage: ImapStage) -> None:
    await stage.deliver(letter("one"), letter("two"))
    async with opened(stage.source()) as account:
        first, _ = await account.mails()
        await stage.program.flag("INBOX", message_id("one"), r"(\Deleted)")
        assert [uid for batch in await account.read() for uid in batch.gone] == [first.uid]


async def test_marks_and_keywords_are_labels(stage: ImapStage) -> None:
    await stage.program.put("INBOX", letter("one"), at=NOW, flags=r"(\Answered \Flagged $Forwarded)")
    async with opened(stage.source()) as account:
        (mail,) = await account.mails()
    assert mail.labels == ("$forwarded", "answered", "flagged")


async def test_of_a_mail_that_is_too_large_the_beginning_is_read_and_it_says_so(
    stage: ImapStage, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("mailbox", "look"):
        monkeypatch.setattr(f"tools.imap.{module}.LARGE_BYTES", 50_000)
        monkeypatch.setattr(f"tools.imap.{module}.BEGINNING_BYTES", 10_000)
    large, small = letter("large", text="0123456789\n" * 6_000), letter("small")
    await stage.deliver(large, small)
    async with opened(stage.source()) as account:
        mails = await account.mails()
    assert [(mail.raw, mail.labels) for mail in mails] == [(large[:10_000], ("cut",)), (small, ())]


async def test_mails_come_in_portions_of_about_a_megabyte(stage: ImapStage) -> None:
    await stage.deliver(*(letter(f"letter-{number}", text="0123456789\n" * 40_000) for number in range(4)))
    async with opened(stage.source()) as account:
        assert [len(batch.arrived) for batch in await account.read() if batch.arrived] == [2, 2]


async def test_only_the_folder_that_was_numbered_anew_is_read_again(stage: ImapStage) -> None:
    await stage.deliver(letter("one"))
    await stage.program.put(ELSEWHERE, letter("two"), at=NOW)
    async with opened(stage.source()) as account:
        await account.read()
        await stage.renumber("INBOX", 1_900_000_000)
        assert [mail.uid for mail in await account.mails()] == ["imap:INBOX:1900000000:1"]


async def test_a_folder_that_is_empty_for_a_moment_while_it_is_numbered_anew_makes_no_news_of_the_old(
    stage: ImapStage,
) -> None:
    await stage.deliver(*(letter(f"old-{number}") for number in range(3)), at=NOW - timedelta(days=9))
    await stage.deliver(letter("newest"))
    async with opened(stage.source()) as account:
        await account.read()
        await stage._renumber("INBOX", 1_900_000_000)
        batches = [batch for _ in range(2) for batch in await account.read()]
    came = {mail.uid: batch.why for batch in batches for mail in batch.arrived}
    assert set(came.values()) <= {"gap", "news"}
    assert [why for uid, why in came.items() if uid.endswith((":1", ":2", ":3"))] in ([], ["gap"] * 3)
    assert "imap:INBOX:1900000000:4" in came


async def test_old_mails_that_were_brought_along_are_no_news(stage: ImapStage) -> None:
    await stage.deliver(letter("known"))
    async with opened(stage.source()) as account:
        await account.read()
        await stage.deliver(letter("brought-along"), at=NOW - timedelta(days=900))
        await stage.deliver(letter("new"))
        came = {batch.arrived[0].received_at: batch.why for batch in await account.read() if batch.arrived}
    assert came == {NOW - timedelta(days=900): "gap", NOW: "news"}


async def test_a_folder_that_is_numbered_anew_in_the_middle_of_a_backfill_is_read_whole(stage: ImapStage) -> None:
    await stage.deliver(*(letter(f"letter-{number}") for number in range(60)), at=NOW - timedelta(days=3))
    source = stage.source()
    batches = source.batches(None, since=SINCE, skips=lambda folder: False)
    first = await anext(batches)
    await batches.aclose()  # type: ignore[attr-defined]
    await stage.renumber("INBOX", 1_900_000_000)
    async with opened(source) as account:
        account.cursor = first.cursor
        again = await account.mails()
    ids = {re.search(rb"letter-\d+", mail.raw)[0] for mail in (*first.arrived, *again)}  # type: ignore[index]
    assert len(ids) == 60


async def test_a_moment_in_the_future_is_not_believed(stage: ImapStage) -> None:
    await stage.deliver(letter("from-tomorrow"), at=NOW + timedelta(days=300))
    await stage.deliver(letter("known"), at=NOW - timedelta(days=2))
    async with opened(stage.source()) as account:
        await account.read()
        await stage.renumber("INBOX", 1_900_000_000)
        await stage.deliver(letter("missed"), at=NOW - timedelta(hours=1))
        came = b"".join(mail.raw for mail in await account.mails())
    assert b"<missed@" in came


@pytest.mark.parametrize("tls", ["tls", "starttls"])
@pytest.mark.parametrize("is_trusted", [True, False], ids=["trusted", "a-stranger"])
async def test_a_line_is_encrypted_and_the_certificate_believed_or_not(
    dovecot_server: dovecot.Dovecot, tls: Tls, is_trusted: bool
) -> None:
    if dovecot_server.certificate is None:
        pytest.skip("openssl is not installed, so there is no certificate")
    access = Access(
        host="127.0.0.1",
        port=dovecot_server.tls_port if tls == "tls" else dovecot_server.port,
        user=dovecot_server.new_user(),
        secret=lambda: dovecot.PASSWORD,
        tls=tls,
        trust=ssl.create_default_context(cafile=str(dovecot_server.certificate)) if is_trusted else None,
    )
    async with opened(ImapMail(access, identity=IDENTITY)) as account:
        if is_trusted:
            assert "INBOX" in (await account.source.check()).folders
            await account.read()
            await account.source.wait(timedelta(milliseconds=10))
            return
        with pytest.raises(SourceDown, match="certificate"):
            await account.source.check()


@pytest.mark.parametrize("greeting", [raw(), raw(b"* OK plain\r\n")], ids=["silence", "plain-text"])
async def test_a_handshake_that_does_not_come_about_is_a_server_that_is_down(greeting: object) -> None:
    async with ScriptedImap({"GREETING": greeting}) as server:  # type: ignore[dict-item]
        access = Access(
            host="127.0.0.1", port=server.port, user=IDENTITY, secret=lambda: "", timeout=timedelta(milliseconds=250)
        )
        async with opened(ImapMail(access, identity=IDENTITY)) as account:
            with pytest.raises(SourceDown):
                await account.source.check()


def test_a_secret_stands_in_no_print() -> None:
    access = Access(host="mail.example.org", port=993, user=IDENTITY, secret=lambda: "s3cret-word")
    assert "secret" not in repr(access)
    assert "s3cret" not in repr(ImapMail(access, identity=IDENTITY))
