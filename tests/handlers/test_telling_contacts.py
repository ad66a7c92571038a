"""An address that the owner tells is a record of their own: written to by name, and taken back like any change."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from memory.command.contact import Told, read_contact
from tests.doubles.clock import FakeClock
from tests.exit_room import Office, open_office


@pytest.fixture
async def office(database: Path, clock: FakeClock) -> AsyncIterator[Office]:
    async with open_office(database, clock, mails=()) as opened:
        yield opened


async def contacts(office: Office) -> list[tuple[str, tuple[str, ...], str]]:
    stored = await office.product.house.ledger.read(lambda t: t.contacts.all(1))
    return [(one.contact.name, one.contact.addresses, one.contact.source) for one in stored]


async def test_it_is_kept_at_once_and_may_be_written_to_by_name(office: Office) -> None:
    assert await office.says("anna's address is anna@example.org") == ["Noted: Anna is at anna@example.org"]
    assert await contacts(office) == [("Anna", ("anna@example.org",), "owner")]
    await office.says("write to Anna: Hello\nHow are you?")
    await office.taps("Send")
    assert [mail.recipients for mail in office.sent] == [("anna@example.org",)]


async def test_a_tap_or_a_word_takes_it_back(office: Office) -> None:
    await office.says("anna's address is anna@example.org")
    await office.taps("Undo")
    assert await contacts(office) == []
    await office.says("Die Adresse von Anna ist anna@example.org")
    await office.says("undo")
    assert await contacts(office) == []


async def test_a_second_address_stands_before_the_first_and_undo_brings_the_first_back(office: Office) -> None:
    await office.says("anna's address is anna@example.org")
    await office.says("Anna's address is anna@new.example")
    assert await contacts(office) == [("Anna", ("anna@new.example", "anna@example.org"), "owner")]
    assert await office.says("Anna's address is anna@example.org") == ["I have that already: Anna, anna@example.org"]
    await office.says("undo")
    assert await contacts(office) == [("Anna", ("anna@example.org",), "owner")]


async def test_what_is_no_plain_address_is_not_kept(office: Office) -> None:
    await office.says("anna's address is anna@ex\u0430mple")
    assert await contacts(office) == []


TOLD = {
    "anna's address is anna@example.org": Told("Anna", "anna@example.org"),
    "Anna’s e-mail address is <anna@example.org>.": Told("Anna", "anna@example.org"),
    "the email of Anna Muster is anna@example.org": Told("Anna Muster", "anna@example.org"),
    "Annas Mailadresse lautet anna@example.org": Told("Anna", "anna@example.org"),
    "die Adresse von Anna Muster ist anna@example.org": Told("Anna Muster", "anna@example.org"),
    "what's the address of Anna": None,
    "my address is ola@own.example": None,
    "Anna's address is Main Street 4": None,
    "I think Anna's address is new, but her mail is fine": None,
}


@pytest.mark.parametrize("words", TOLD)
def test_what_words_tell(words: str) -> None:
    assert read_contact(words) == TOLD[words]
