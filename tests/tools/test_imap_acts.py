"""Acts on the owner's mail and what takes them back, and looking for our own in Sent, on two servers."""

from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from memory.errors import BadInput, NotFound
from tests.contracts.mail_imap_stages import ELSEWHERE, STAGES, ImapStage
from tests.contracts.mail_stage import IDENTITY, SINCE, letter, message_id
from tests.doubles.clock import NOW
from tests.servers import dovecot
from tools.imap.acts import ImapActs, MarkRead, Move
from tools.imap.lookup import SentLookup
from tools.mail import Arrived


@pytest.fixture(scope="module")
def dovecot_server() -> Iterator[dovecot.Dovecot]:
    with dovecot.running() as server:
        yield server


@pytest.fixture(params=STAGES)
async def stage(request: pytest.FixtureRequest) -> Any:
    async with STAGES[request.param](request) as opened:
        yield opened


@pytest.fixture
async def acts(stage: ImapStage) -> AsyncIterator[ImapActs]:
    opened = ImapActs(stage.access())
    yield opened
    await opened.close()


async def mails(stage: ImapStage) -> dict[str, Arrived]:
    """Every mail of the account by the name of its letter."""
    source = stage.source()
    try:
        batches = [batch async for batch in source.batches(None, since=SINCE, skips=lambda folder: False)]
    finally:
        await source.close()
    found = [mail for batch in batches for mail in batch.arrived]
    return {mail.raw.partition(b"Message-ID: <")[2].partition(b"@")[0].decode(): mail for mail in found}


async def test_marking_as_read_can_be_taken_back(stage: ImapStage, acts: ImapActs) -> None:
    await stage.deliver(letter("one"), letter("two"))
    uid = (await mails(stage))["one"].uid
    back = await acts.do(MarkRead(uid=uid, is_read=True))
    assert {name: mail.is_read for name, mail in (await mails(stage)).items()} == {"one": True, "two": False}
    again = await acts.do(back)
    assert not (await mails(stage))["one"].is_read
    assert again == MarkRead(uid=uid, is_read=True)


async def test_marking_what_is_marked_changes_nothing_and_nor_does_taking_it_back(
    stage: ImapStage, acts: ImapActs
) -> None:
    await stage.deliver(letter("one"))
    act = MarkRead(uid=(await mails(stage))["one"].uid, is_read=False)
    assert await acts.do(act) == act


async def test_moving_can_be_taken_back(stage: ImapStage, acts: ImapActs) -> None:
    await stage.deliver(letter("one"), letter("two"))
    back = await acts.do(Move(uid=(await mails(stage))["one"].uid, folder=ELSEWHERE))
    assert {name: mail.folder for name, mail in (await mails(stage)).items()} == {"one": ELSEWHERE, "two": "INBOX"}
    again = await acts.do(back)
    assert {mail.folder for mail in (await mails(stage)).values()} == {"INBOX"}
    await acts.do(again)
    assert (await mails(stage))["one"].folder == ELSEWHERE


async def test_archiving_finds_the_archive(stage: ImapStage, acts: ImapActs) -> None:
    await stage.deliver(letter("one"))
    uid = (await mails(stage))["one"].uid
    if stage.sent != "Ausgang":  # one server has an archive that it marks as such, the other none at first
        with pytest.raises(BadInput, match="Archive"):
            await acts.archive(uid)
        await stage.program.create("Archive")
    back = await acts.archive(uid)
    assert (await mails(stage))["one"].folder in ("Ablage", "Archive")
    await acts.do(back)
    assert (await mails(stage))["one"].folder == "INBOX"


async def test_what_another_program_has_marked_as_deleted_stays(stage: ImapStage, acts: ImapActs) -> None:
    await stage.deliver(letter("one"), letter("two"), letter("doomed"))
    known = await mails(stage)
    await stage.program.flag("INBOX", message_id("doomed"), r"(\Deleted)")
    await acts.do(MarkRead(uid=known["one"].uid, is_read=True))
    await acts.do(Move(uid=known["two"].uid, folder=ELSEWHERE))
    await stage.program.flag("INBOX", message_id("doomed"), r"(\Deleted)", is_set=False)
    assert (await mails(stage)).keys() == {"one", "two", "doomed"}


async def test_a_server_that_cannot_move_copies_and_removes_this_one_alone(
    stage: ImapStage, acts: ImapActs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tools.imap.mailbox.Mailbox.capabilities", frozenset({"UIDPLUS"}))
    await stage.deliver(letter("one"), letter("doomed"))
    known = await mails(stage)
    await stage.program.flag("INBOX", message_id("doomed"), r"(\Deleted)")
    back = await acts.do(Move(uid=known["one"].uid, folder=ELSEWHERE))
    await stage.program.flag("INBOX", message_id("doomed"), r"(\Deleted)", is_set=False)
    assert {name: mail.folder for name, mail in (await mails(stage)).items()} == {"one": ELSEWHERE, "doomed": "INBOX"}
    await acts.do(back)
    assert {mail.folder for mail in (await mails(stage)).values()} == {"INBOX"}


async def test_a_mail_is_found_by_its_id_where_the_folder_was_numbered_anew(stage: ImapStage, acts: ImapActs) -> None:
    await stage.deliver(letter("one"), letter("one-more"))
    uid = (await mails(stage))["one"].uid
    await stage.lose_cursor()
    with pytest.raises(NotFound):
        await acts.do(MarkRead(uid=uid, is_read=True))
    await acts.do(MarkRead(uid=uid, message_id=message_id("one"), is_read=True))
    assert {name: mail.is_read for name, mail in (await mails(stage)).items()} == {"one": True, "one-more": False}


async def test_what_is_not_there_is_said_and_nothing_is_done(stage: ImapStage, acts: ImapActs) -> None:
    await stage.deliver(letter("one"))
    uid = (await mails(stage))["one"].uid
    before = await mails(stage)
    with pytest.raises(BadInput, match="Nowhere"):
        await acts.do(Move(uid=uid, folder="Nowhere"))
    for wrong in (f"{uid}9", uid.replace("INBOX", "Nowhere"), "gmail:18c3", "imap::1:1"):
        with pytest.raises(NotFound):
            await acts.do(MarkRead(uid=wrong, is_read=True))
    assert await mails(stage) == before


@pytest.mark.parametrize("files_sent", [True, False], ids=["the-server-files", "nobody-knows"])
async def test_a_mail_of_ours_is_looked_for_in_sent(stage: ImapStage, files_sent: bool) -> None:
    await stage.send(letter("ours", sender=IDENTITY), at=NOW)
    await stage.deliver(letter("elsewhere"))
    before = await stage.standing()
    lookup = SentLookup(stage.access(), files_sent=files_sent)
    missing = False if files_sent else None
    assert await lookup.find_sent(message_id("ours")) is True
    assert await lookup.find_sent("ours@example.net") is True
    assert await lookup.find_sent("<our@example.net>") is missing
    assert await lookup.find_sent("urs@example.ne") is missing
    assert await lookup.find_sent(message_id("elsewhere")) is missing
    assert await lookup.find_sent('<a b"\r\nX LOGOUT>') is None
    await lookup.close()
    assert await stage.standing() == before


async def test_without_a_folder_for_sent_mail_looking_cannot_tell(stage: ImapStage) -> None:
    if stage.sent == "Ausgang":
        pytest.skip("this server makes the folder by itself")
    await stage.program.remove(stage.sent)
    lookup = SentLookup(stage.access(), files_sent=True)
    assert await lookup.find_sent(message_id("ours")) is None
    await lookup.close()
