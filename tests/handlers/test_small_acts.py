"""Small acts on mail, in the chat and at the server: archived, marked as read, filed, and each taken back; each is a row."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, get_args

import pytest

from memory.contact import Contact
from tests.contracts.mail_imap_stages import ELSEWHERE, STAGES, ImapStage
from tests.contracts.mail_stage import SINCE
from tests.doubles.clock import NOW, FakeClock
from tests.exit_room import ANNA, OLA, Office, Outside, furnish, open_office
from tests.mail_arrives import arrives, invitation
from tests.servers import dovecot
from tests.servers.google_server import google_server
from tests.servers.smtp_server import SmtpServer
from tools.mail import Arrived
from tools.mail_acts import What
from tools.vault import Vault

RAW = invitation()
ARCHIVE, ARCHIVED_BY_DOVECOT = "Archive", "Ablage"
CONTACTS = (Contact("Anna Muster", (ANNA,), "vcard"),)
"""Whoever is known is told of at once."""


@pytest.fixture(scope="module")
def dovecot_server() -> Iterator[dovecot.Dovecot]:
    with dovecot.running() as server:
        yield server


@pytest.fixture(params=STAGES)
async def stage(request: pytest.FixtureRequest) -> Any:
    async with STAGES[request.param](request) as opened:
        yield opened


async def lying(stage: ImapStage) -> dict[str, Arrived]:
    """Every mail of the account by its folder."""
    source = stage.source()
    try:
        batches = [batch async for batch in source.batches(None, since=SINCE, skips=lambda folder: False)]
    finally:
        await source.close()
    return {mail.folder: mail for batch in batches for mail in batch.arrived}


@asynccontextmanager
async def at(stage: ImapStage, database: Path, clock: FakeClock) -> AsyncIterator[Office]:
    """The product with an account at that server, and one invitation on a card in the chat."""
    access = stage.access()
    async with SmtpServer() as smtp:
        outside = Outside(smtp)
        settings = {"host": "127.0.0.1", "port": str(access.port), "tls": "none", "user": access.user}
        await furnish(database, outside, clock, contacts=CONTACTS, settings=settings)
        Vault(database.parent / "secrets").put("work", stage.secret)
        await stage.deliver(RAW, at=NOW)
        uid = (await lying(stage))["INBOX"].uid
        async with open_office(database, clock, by=outside, furnished=True) as office:
            await arrives(office, RAW, uid=uid)
            yield office


def audit(office: Office) -> list[tuple[str, str, str]]:
    return office.rows("SELECT tool, permission, outcome FROM audit WHERE agent = 'owner' ORDER BY id")  # type: ignore[return-value]


async def test_a_thread_is_archived_by_a_button_and_taken_back(
    stage: ImapStage, database: Path, clock: FakeClock
) -> None:
    await stage.program.create(ARCHIVE)
    async with at(stage, database, clock) as office:
        card = office.card("More")
        await office.taps("More")
        assert office.product.labels(card) == ["Archive", "Mark as read", "Back"]
        await office.taps("Archive")
        assert office.text(card).startswith("Archived: ")
        assert set(await lying(stage)) <= {ARCHIVE, ARCHIVED_BY_DOVECOT}
        assert office.product.labels(card) == ["Undo"]
        await office.taps("Undo")
        assert office.text(card).startswith("As before: ")
        assert set(await lying(stage)) == {"INBOX"}
        assert audit(office) == [("mail.archive", "ALLOW", "done"), ("mail.move", "ALLOW", "done")]


async def test_undo_by_words_takes_the_last_act_back(stage: ImapStage, database: Path, clock: FakeClock) -> None:
    await stage.program.create(ARCHIVE)
    async with at(stage, database, clock) as office:
        await office.says("todo: buy milk")
        await office.says("archive it", reply_to=office.card("More"))
        assert set(await lying(stage)) <= {ARCHIVE, ARCHIVED_BY_DOVECOT}
        await office.says("undo")
        assert set(await lying(stage)) == {"INBOX"}
        assert office.product.loops == {"buy milk": "open"}, "it was not the loop that was taken back"


async def test_it_is_marked_as_read_by_words_and_back(stage: ImapStage, database: Path, clock: FakeClock) -> None:
    async with at(stage, database, clock) as office:
        await office.says("mark it read")
        assert (await lying(stage))["INBOX"].is_read
        await office.taps("Undo")
        assert not (await lying(stage))["INBOX"].is_read


async def test_it_is_filed_in_a_folder_that_is_there(stage: ImapStage, database: Path, clock: FakeClock) -> None:
    async with at(stage, database, clock) as office:
        await office.says(f"label it {ELSEWHERE}")
        assert set(await lying(stage)) == {ELSEWHERE}
        await office.taps("Undo")
        assert set(await lying(stage)) == {"INBOX"}
        await office.says("label it Nowhere")
        assert "there is no folder called Nowhere" in office.whole_chat()
        assert audit(office)[-1] == ("mail.label", "ALLOW", "failed")


async def test_what_cannot_be_done_says_so_and_is_a_row(stage: ImapStage, database: Path, clock: FakeClock) -> None:
    async with at(stage, database, clock) as office:
        await stage.delete("invite@muster.example")
        await office.says("mark it read")
        assert "✗ That did not work" in office.text(office.product.newest)
        assert audit(office)[-1] == ("mail.read", "ALLOW", "failed")


async def test_more_and_back_are_the_same_card(database: Path, clock: FakeClock) -> None:
    async with open_office(database, clock, mails=(), contacts=CONTACTS) as office:
        await arrives(office, RAW)
        card = office.card("More")
        before = (office.text(card), office.product.labels(card))
        await office.taps("More")
        assert office.text(card) == before[0]
        await office.taps("Back")
        assert (office.text(card), office.product.labels(card)) == before


async def test_words_about_no_mail_ask_which(database: Path, clock: FakeClock) -> None:
    async with open_office(database, clock, mails=(), contacts=CONTACTS) as office:
        for words in ("archive it", "mark it read", "unsubscribe"):
            assert await office.says(words) == ["Which mail? Answer its card, and say it again."]


async def test_mail_that_came_from_a_file_has_nowhere_to_be_archived(database: Path, clock: FakeClock) -> None:
    async with open_office(database, clock, mails=(), contacts=CONTACTS) as office:
        await arrives(office, RAW)
        await office.product.house.ledger.write(lambda t: t.accounts.remove(1, now=NOW))
        await office.says("archive it")
        assert "came by no account of yours" in office.whole_chat()


# --- Google ---


@pytest.mark.parametrize("granted", [True, False], ids=["with the grant", "without it"])
async def test_in_gmail_it_is_a_label_less_and_back(database: Path, clock: FakeClock, granted: bool) -> None:
    with google_server(OLA) as google:
        outside = Outside(google)
        await furnish(database, outside, clock, contacts=CONTACTS)
        each = google.gmail.deliver(RAW, labels=("INBOX", "UNREAD"))
        if not granted:
            (database.parent / "secrets" / "work.send.json").unlink()
        async with open_office(database, clock, by=outside, furnished=True) as office:
            await arrives(office, RAW, uid=f"gmail:{each}", labels=("INBOX",))
            await office.taps("More")
            await office.taps("Archive")
            if not granted:
                assert "lets me only read: stillbell auth google work --send" in office.whole_chat()
                assert "INBOX" in google.gmail.mails[each].labels
                return
            assert "INBOX" not in google.gmail.mails[each].labels
            await office.taps("Undo")
            assert "INBOX" in google.gmail.mails[each].labels


async def test_in_gmail_a_label_is_given_and_taken_back(database: Path, clock: FakeClock) -> None:
    with google_server(OLA) as google:
        outside = Outside(google)
        await furnish(database, outside, clock, contacts=CONTACTS)
        each = google.gmail.deliver(RAW, labels=("INBOX", "UNREAD"))
        async with open_office(database, clock, by=outside, furnished=True) as office:
            await arrives(office, RAW, uid=f"gmail:{each}", labels=("INBOX",))
            await office.says("label it Taxes")
            label = google.gmail.label("Taxes")
            assert label in google.gmail.mails[each].labels
            await office.says("mark it read")
            assert "UNREAD" not in google.gmail.mails[each].labels
            await office.says("undo")
            await office.says("undo")
            assert label not in google.gmail.mails[each].labels
            assert "UNREAD" in google.gmail.mails[each].labels


def test_nothing_here_deletes() -> None:
    assert not any("delete" in what or "trash" in what for what in get_args(What))
