"""What every mail source keeps (tools/mail.MailSource), each against a server that speaks the real protocol.

A stage (tests/contracts/mail_stage) is an account and the hands of everybody else. What is read goes into a Reader,
which keeps mails as the ledger does: batch by batch, each with its cursor, by uid.
"""

import asyncio
import traceback
from collections.abc import Callable, Iterator
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from datetime import timedelta
from email import message_from_bytes
from importlib.util import find_spec
from typing import Any

import pytest

from memory.errors import StillbellError
from tests.contracts import mail_imap_stages
from tests.contracts.mail_stage import IDENTITY, SINCE, Opening, Stage, letter, message_id
from tests.doubles.clock import NOW
from tests.servers import dovecot
from tools.mail import Arrived, MailBatch, MailSource
from tools.source import SignInRefused, SourceDown

STAGES: dict[str, Opening] = {**mail_imap_stages.STAGES}
if find_spec("tests.contracts.mail_gmail_stage") is not None:
    from tests.contracts import mail_gmail_stage

    STAGES |= mail_gmail_stage.STAGES

MANY = 60
"""More than any source reads in one go."""

PROMPTLY_SECONDS = 15


@pytest.fixture(scope="module")
def dovecot_server() -> Iterator[dovecot.Dovecot]:
    with dovecot.running() as server:
        yield server


@pytest.fixture(params=STAGES)
async def stage(request: pytest.FixtureRequest) -> Any:
    async with STAGES[request.param](request) as opened:
        yield opened


@pytest.fixture
async def source(stage: Stage) -> Any:
    opened = stage.source()
    try:
        yield opened
    finally:
        await opened.close()


def nothing_skipped(folder: str) -> bool:
    return False


@dataclass
class Reader:
    """Keeps what comes, as the ledger does: a batch and its cursor together."""

    cursor: str | None = None
    mails: dict[str, Arrived] = field(default_factory=dict)
    batches: list[MailBatch] = field(default_factory=list)

    async def read(
        self, source: MailSource, *, skips: Callable[[str], bool] = nothing_skipped, most: int | None = None
    ) -> list[MailBatch]:
        """Read to the end, or `most` batches; what came."""
        came: list[MailBatch] = []
        async with aclosing(source.batches(self.cursor, since=SINCE, skips=skips)) as batches:  # type: ignore[type-var]
            async for batch in batches:
                self.take(batch)
                came.append(batch)
                if len(came) == most:
                    break
        return came

    def take(self, batch: MailBatch) -> None:
        for mail in batch.arrived:
            self.mails[mail.uid] = mail
        for change in batch.changed:
            if (known := self.mails.get(change.uid)) is not None:
                self.mails[change.uid] = replace(known, folder=change.folder, is_read=change.is_read)
        for uid in batch.gone:
            self.mails.pop(uid, None)
        self.cursor = batch.cursor
        self.batches.append(batch)

    def named(self, name: str) -> Arrived:
        """The one mail of that name."""
        (mail,) = [mail for mail in self.mails.values() if name_of(mail) == name]
        return mail

    @property
    def names(self) -> list[str]:
        return sorted(name_of(mail) for mail in self.mails.values())


def name_of(mail: Arrived) -> str:
    return str(message_from_bytes(mail.raw)["Message-ID"]).strip("<>").partition("@")[0]


def arrived(batches: list[MailBatch]) -> list[str]:
    return [name_of(mail) for batch in batches for mail in batch.arrived]


async def test_the_first_reading_brings_what_came_since_then_oldest_first(stage: Stage, source: MailSource) -> None:
    await stage.deliver(letter("newest"), at=NOW - timedelta(hours=1))
    await stage.deliver(letter("old"), at=NOW - timedelta(days=20))
    await stage.deliver(letter("before"), at=SINCE - timedelta(days=3))
    await stage.send(letter("between", sender=IDENTITY), at=NOW - timedelta(days=10))
    came = await Reader().read(source)
    assert arrived(came) == ["old", "between", "newest"]
    assert {batch.why for batch in came if batch.arrived} == {"backfill"}


async def test_a_backfill_says_how_far_it_has_come(stage: Stage, source: MailSource) -> None:
    await stage.deliver(*(letter(f"letter-{number}") for number in range(MANY)))
    told = [(batch.done, batch.total) for batch in await Reader().read(source) if batch.arrived]
    assert len(told) > 1
    assert told == sorted(told)
    assert told[-1] == (MANY, MANY)
    assert told[0][0] < MANY


async def test_a_backfill_that_was_cut_short_goes_on_where_it_was(stage: Stage) -> None:
    await stage.deliver(*(letter(f"letter-{number}") for number in range(MANY)))
    reader = Reader()
    for most in (1, None):
        source = stage.source()
        await reader.read(source, most=most)
        await source.close()
        await stage.deliver(letter("meanwhile")) if most else None
    assert reader.names == sorted(["meanwhile", *(f"letter-{number}" for number in range(MANY))])
    assert len(arrived(reader.batches)) == MANY + 1


async def test_what_comes_afterwards_is_news_and_comes_once(stage: Stage, source: MailSource) -> None:
    reader = Reader()
    await stage.deliver(letter("first"))
    await reader.read(source)
    await stage.deliver(letter("second"), letter("third"))
    came = await reader.read(source)
    assert sorted(arrived(came)) == ["second", "third"]
    assert {batch.why for batch in came if batch.arrived} == {"news"}
    assert arrived(await reader.read(source)) == []


async def test_where_nothing_happened_nothing_is_told_and_the_cursor_stands(stage: Stage, source: MailSource) -> None:
    reader = Reader()
    await stage.deliver(letter("first"))
    await stage.send(letter("answer", sender=IDENTITY))
    for _ in range(2):
        await reader.read(source)
    cursor, mails = reader.cursor, dict(reader.mails)
    for batch in await reader.read(source):
        assert (batch.arrived, batch.changed, batch.gone) == ((), (), ())
    assert (reader.cursor, reader.mails) == (cursor, mails)


async def test_a_batch_that_was_never_committed_is_read_again_by_the_same_names(stage: Stage) -> None:
    reader = Reader()
    await stage.deliver(letter("first"))
    source = stage.source()
    await reader.read(source)
    await stage.deliver(letter("second"))
    lost = Reader(cursor=reader.cursor)
    await lost.read(source)
    await source.close()
    source = stage.source()
    await reader.read(source)
    await source.close()
    assert reader.names == ["first", "second"]
    assert reader.named("second").uid == lost.named("second").uid


async def test_a_mail_is_handed_on_byte_for_byte(stage: Stage, source: MailSource) -> None:
    raw = letter("odd", text="Grüße\n.\n\nFrom here on\n" + "x" * 400) + b"\xff\xfe 8-bit\r\n)\r\n{5}\r\n"
    await stage.deliver(raw)
    reader = Reader()
    await reader.read(source)
    assert reader.named("odd").raw == raw


async def test_where_a_mail_lies_and_how_it_stands_is_told(stage: Stage, source: MailSource) -> None:
    await stage.deliver(letter("unread"), letter("read"), at=NOW - timedelta(hours=2))
    await stage.mark_read(message_id("read"))
    await stage.send(letter("answer", sender=IDENTITY))
    reader = Reader()
    await reader.read(source)
    unread, read, answer = [reader.named(name) for name in ("unread", "read", "answer")]
    assert (unread.folder, unread.is_sent, unread.is_read) == (stage.inbox, False, False)
    assert (read.folder, read.is_sent, read.is_read) == (stage.inbox, False, True)
    assert (answer.folder, answer.is_sent) == (stage.sent, True)
    assert unread.received_at == NOW - timedelta(hours=2)


async def test_reading_changes_nothing_on_the_server(stage: Stage, source: MailSource) -> None:
    await stage.deliver(letter("first"), letter("second"))
    await stage.send(letter("answer", sender=IDENTITY))
    before = await stage.standing()
    reader = Reader()
    await reader.read(source)
    await source.wait(timedelta(0))
    await source.check()
    await reader.read(source)
    assert await stage.standing() == before


async def test_what_the_owner_reads_is_told_and_what_they_make_unread_too(stage: Stage, source: MailSource) -> None:
    await stage.deliver(letter("first"), letter("second"))
    reader = Reader()
    await reader.read(source)
    await stage.mark_read(message_id("first"))
    await reader.read(source)
    assert (reader.named("first").is_read, reader.named("second").is_read) == (True, False)
    await stage.mark_read(message_id("first"), is_read=False)
    await stage.mark_read(message_id("second"))
    await reader.read(source)
    assert (reader.named("first").is_read, reader.named("second").is_read) == (False, True)


async def test_what_the_owner_deletes_is_gone(stage: Stage, source: MailSource) -> None:
    await stage.deliver(letter("first"), letter("second"))
    reader = Reader()
    await reader.read(source)
    await stage.delete(message_id("first"))
    came = await reader.read(source)
    assert reader.names == ["second"]
    assert arrived(came) == []


async def test_a_mail_that_was_moved_is_known_once_and_in_its_new_place(stage: Stage, source: MailSource) -> None:
    await stage.deliver(letter("first"), letter("second"))
    reader = Reader()
    await reader.read(source)
    await stage.move(message_id("first"))
    await reader.read(source)
    assert reader.names == ["first", "second"]
    assert reader.named("first").folder == stage.elsewhere


async def test_a_folder_that_is_skipped_is_never_read(stage: Stage, source: MailSource) -> None:
    await stage.deliver(letter("private"), letter("plain"))
    await stage.move(message_id("private"))
    reader = Reader()
    for _ in range(2):
        await reader.read(source, skips=lambda folder: folder == stage.elsewhere)
        await stage.deliver(letter("later"))
    assert reader.names == ["later", "plain"]


async def test_a_cursor_that_was_lost_is_a_gap_and_neither_an_error_nor_a_flood(
    stage: Stage, source: MailSource
) -> None:
    reader = Reader()
    await stage.deliver(letter("long-ago"), letter("longer-ago"), at=NOW - timedelta(days=20))
    await stage.deliver(letter("last-known"), at=NOW - timedelta(hours=5))
    await stage.send(letter("answer", sender=IDENTITY), at=NOW - timedelta(hours=4))
    await reader.read(source)
    await stage.lose_cursor()
    await stage.deliver(letter("missed"), at=NOW - timedelta(hours=1))
    came = await reader.read(source)
    assert {batch.why for batch in came if batch.arrived} == {"gap"}
    assert "missed" in arrived(came)
    assert not {"long-ago", "longer-ago"} & set(arrived(came))
    assert set(reader.names) == {"long-ago", "longer-ago", "last-known", "answer", "missed"}


async def test_after_a_gap_there_is_news_again(stage: Stage, source: MailSource) -> None:
    reader = Reader()
    await stage.deliver(letter("known"), at=NOW - timedelta(hours=5))
    await reader.read(source)
    await stage.lose_cursor()
    await reader.read(source)
    await stage.deliver(letter("afterwards"))
    came = await reader.read(source)
    assert (arrived(came), {batch.why for batch in came if batch.arrived}) == (["afterwards"], {"news"})


@pytest.mark.parametrize(
    "cursor",
    ["", "nonsense", "{}", '{"folders":{"INBOX":7}}', "[" * 10_000],
    ids=["empty", "words", "blank", "wrong", "deep"],
)
async def test_a_cursor_that_is_none_is_a_gap(stage: Stage, source: MailSource, cursor: str) -> None:
    await stage.deliver(letter("first"))
    reader = Reader(cursor=cursor)
    came = await reader.read(source)
    assert (arrived(came), {batch.why for batch in came if batch.arrived}) == (["first"], {"gap"})
    assert arrived(await reader.read(source)) == []


async def test_a_server_that_is_gone_is_down_and_nothing_is_lost_over_it(stage: Stage, source: MailSource) -> None:
    reader = Reader()
    await stage.deliver(letter("first"))
    await reader.read(source)
    await stage.break_off()
    for _ in range(2):
        with pytest.raises(SourceDown):
            await reader.read(source)
    await stage.mend()
    await stage.deliver(letter("second"))
    await reader.read(source)
    assert reader.names == ["first", "second"]


async def test_a_server_that_goes_in_the_middle_is_down_and_the_rest_comes_later(
    stage: Stage, source: MailSource
) -> None:
    await stage.deliver(*(letter(f"letter-{number}") for number in range(MANY)))
    reader = Reader()

    async def read_and_cut() -> None:
        async with aclosing(source.batches(None, since=SINCE, skips=nothing_skipped)) as batches:  # type: ignore[type-var]
            async for batch in batches:
                reader.take(batch)
                await stage.break_off()

    with pytest.raises(SourceDown):
        await read_and_cut()
    await stage.mend()
    await reader.read(source)
    assert len(reader.names) == len(set(reader.names)) == MANY


async def test_a_refused_sign_in_says_how_to_renew_and_gives_no_secret_away(stage: Stage, source: MailSource) -> None:
    await source.check()
    await stage.refuse()
    for asked in (source.check, lambda: Reader().read(source)):
        with pytest.raises(SignInRefused, match="stillbell") as refused:
            await asked()
        assert stage.secret not in "".join(traceback.format_exception(refused.value))
    assert stage.secret not in repr(source)


async def test_a_look_around_says_who_one_is_and_what_can_be_read(stage: Stage, source: MailSource) -> None:
    found = await source.check()
    assert found.identity == IDENTITY
    assert {stage.inbox, stage.sent, stage.elsewhere} <= set(found.folders)


async def test_waiting_ends_when_a_mail_comes(stage: Stage, source: MailSource) -> None:
    reader = Reader()
    await reader.read(source)
    async with asyncio.timeout(PROMPTLY_SECONDS):
        waiting = asyncio.create_task(source.wait(timedelta(hours=1)))
        await stage.deliver(letter("first"))
        await waiting
    assert arrived(await reader.read(source)) == ["first"]


async def test_waiting_ends_after_its_time(stage: Stage, source: MailSource) -> None:
    await Reader().read(source)
    async with asyncio.timeout(PROMPTLY_SECONDS):
        await source.wait(timedelta(milliseconds=20))


async def test_waiting_for_a_server_that_goes_away_is_no_error(stage: Stage, source: MailSource) -> None:
    await Reader().read(source)
    async with asyncio.timeout(PROMPTLY_SECONDS):
        waiting = asyncio.create_task(source.wait(timedelta(hours=1)))
        await stage.break_off()
        await waiting


async def test_waiting_that_is_cancelled_ends_at_once_and_does_no_harm(stage: Stage, source: MailSource) -> None:
    reader = Reader()
    await reader.read(source)
    async with asyncio.timeout(PROMPTLY_SECONDS):
        waiting = asyncio.create_task(source.wait(timedelta(hours=1)))
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        await stage.deliver(letter("first"))
        await reader.read(source)
    assert reader.names == ["first"]


async def test_closing_lets_go_of_everything_and_may_be_done_twice(stage: Stage) -> None:
    source = stage.source()
    await Reader().read(source)
    for _ in range(2):
        await source.close()
    async with asyncio.timeout(PROMPTLY_SECONDS):
        await stage.all_hung_up()


async def test_nothing_is_asked_before_it_is_needed(stage: Stage) -> None:
    await stage.break_off()
    source = stage.source()
    await source.close()
    with pytest.raises(StillbellError):
        await stage.source().check()
