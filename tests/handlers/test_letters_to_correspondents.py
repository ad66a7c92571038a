"""A letter to somebody in no record: the one address that the owner has written to is offered, and no other."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from memory.contact import Contact
from tests.doubles.clock import NOW, FakeClock
from tests.exit_room import ANNA, EVA, OLA, Office, letter, open_office
from tools.files.mail import read_mail

NOTHING = "is none of your contacts. Type the address"


@pytest.fixture
async def office(database: Path, clock: FakeClock) -> AsyncIterator[Office]:
    async with open_office(database, clock) as office:
        yield office


async def wrote(office: Office, to: str, *, number: int = 1) -> None:
    """The owner wrote that, and everybody in it is known by now."""
    raw = letter("Hello", sender=f"Ola Owner <{OLA}>", to=to, message_id=f"sent{number}@own.example")
    ledger = office.product.house.ledger
    await ledger.write(lambda t: t.mails.keep(1, read_mail(raw, now=NOW), now=NOW, by_owner=True))
    await meets(office)


async def meets(office: Office) -> None:
    while await office.product.house.ledger.write(lambda t: t.people.take(1, limit=100, now=NOW)):
        pass


@pytest.mark.parametrize("words", ["write to Anna Muster: Lunch\nFriday?", "schreib Anna: Lunch\nFriday?"])
async def test_whom_the_owner_has_written_to_is_offered_and_two_taps_send(office: Office, words: str) -> None:
    await wrote(office, f"Anna Muster <{ANNA}>")
    (asked,) = await office.says(words)
    assert f"You have written to {ANNA}" in asked
    assert office.approvals == []
    await office.taps(ANNA)
    assert f"{ANNA}" in office.text(office.card())
    assert "you chose it" in office.text(office.card())
    assert office.sent == []
    await office.taps("Send")
    (sent,) = office.sent
    assert sent.recipients == (ANNA,)


async def test_who_only_wrote_to_the_owner_is_not_offered(office: Office) -> None:
    await meets(office)
    assert NOTHING in "\n".join(await office.says("write to Anna Muster: Lunch\nFriday?"))
    assert office.approvals == []


async def test_an_address_that_stands_in_a_text_or_under_a_copied_name_is_not_offered(office: Office) -> None:
    for number, raw in enumerate(
        (
            letter(f"My new address is {EVA}", message_id="2@muster.example"),
            letter("Hi", sender=f"Anna Muster <{EVA}>", message_id="3@evil.example"),
        )
    ):
        mail = read_mail(raw, now=NOW)
        await office.product.house.ledger.write(
            lambda t, mail=mail, number=number: t.mails.keep(1, mail, now=NOW, uid=f"x{number}")  # type: ignore[misc]
        )
    await wrote(office, f"Anna Muster <{ANNA}>")
    (asked,) = await office.says("write to Anna Muster: Lunch\nFriday?")
    assert ANNA in asked
    assert EVA not in asked


async def test_of_several_addresses_the_words_that_work_are_said(office: Office) -> None:
    await wrote(office, f"Anna Muster <{ANNA}>")
    await wrote(office, "Anna Muster <anna@home.example>", number=2)
    said = "\n".join(await office.says("write to Anna Muster: Lunch\nFriday?"))
    assert "anna@home.example" in said
    assert ANNA in said
    assert "Say: write to anna@home.example: …" in said
    await office.says("write to anna@home.example: Lunch\nFriday?")
    await office.taps("Send")
    assert [one.recipients for one in office.sent] == [("anna@home.example",)]


async def test_who_is_excluded_by_the_time_of_the_tap_is_not_written_to(office: Office) -> None:
    await wrote(office, f"Anna Muster <{ANNA}>")
    await office.says("write to Anna Muster: Lunch\nFriday?")
    office.product.settings.exclusions.write_text("domain muster.example\n")
    await office.taps(ANNA)
    assert ANNA not in office.whole_chat().rpartition("none of your contacts")[2]
    assert office.approvals == []


async def test_no_is_no_and_a_contact_is_not_asked_about(database: Path, clock: FakeClock) -> None:
    contacts = (Contact("Anna Muster", (EVA,), "vcard"),)
    async with open_office(database, clock, contacts=contacts) as office:
        await wrote(office, "Cy Berg <cy@berg.example>")
        await office.says("write to Cy Berg: Lunch\nFriday?")
        await office.taps("None of these")
        assert office.approvals == []
        await wrote(office, f"Anna Muster <{ANNA}>", number=2)
        await office.says("write to Anna Muster: Lunch\nFriday?")
        assert len(office.approvals) == 1
