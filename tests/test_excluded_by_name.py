"""Somebody excluded by name is covered where only an address of theirs shows, and nobody else is."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from memory.contact import make
from memory.exclusion import NOTHING, Exclusions, read_exclusions
from memory.sql.ledger import SqlLedger
from tests.doubles.clock import NOW
from tests.doubles.hand import rows
from tools.files.mail import read_mail
from tools.incoming import erase_covered

FREY = read_exclusions("person Eva Frey")


class House:
    """A ledger whose list of exclusions is set by hand."""

    def __init__(self) -> None:
        self.listed: Exclusions = NOTHING
        self.ledger: SqlLedger

    async def gets(self, number: int, sender: str, to: str = "jo@baker.example") -> object:
        raw = (
            f"From: {sender}\r\nTo: {to}\r\nSubject: Number {number}\r\nMessage-ID: <{number}@example.org>\r\n"
            f"Date: Mon, 02 Mar 2026 06:{number:02}:00 +0000\r\n\r\nHello.\r\n"
        ).encode()
        return await self.ledger.write(lambda t: t.mails.keep(1, read_mail(raw, now=NOW), now=NOW))

    async def subjects(self) -> list[str]:
        found = await self.ledger.read(lambda t: t.mails.page(1, after=None, limit=99))
        return sorted(one.mail.subject for one in found)

    async def exclude(self, rules: Exclusions = FREY) -> None:
        self.listed = rules
        await self.ledger.write(lambda t: erase_covered(t, 1, NOW))


@pytest.fixture
async def house(database: Path) -> AsyncIterator[House]:
    opened = House()
    async with SqlLedger(database, lambda: opened.listed) as ledger:
        opened.ledger = ledger
        await ledger.write(
            lambda t: t.accounts.add(
                owner_id=1, name="home", kind="imap", identity="jo@baker.example", aliases=(), settings={}, now=NOW
            )
        )
        yield opened


async def test_an_address_that_a_mail_showed_with_the_name_is_covered_where_it_stands_alone(house: House) -> None:
    await house.gets(1, "Eva Frey <e.f@praxis.example>")
    await house.gets(2, "e.f+x@praxis.example")
    await house.gets(3, "Bob <bob@example.net>")
    await house.exclude()
    assert await house.subjects() == ["Number 3"]
    # The mails that told it are gone; that it is hers is known all the same.
    assert await house.gets(4, "e.f@praxis.example") == "excluded"


async def test_what_comes_after_the_rule_tells_it_too(house: House) -> None:
    await house.exclude()
    assert await house.gets(1, "Eva Frey <e.f@praxis.example>") == "excluded"
    assert await house.gets(2, "e.f@praxis.example") == "excluded"


@pytest.mark.parametrize("first", ["the record", "the rule"])
async def test_every_address_of_a_record_of_that_name_is_covered(house: House, first: str) -> None:
    anna = make("Dr. Eva Frey", ["eva@home.example", "praxis@frey.example"], "vcard")
    if first == "the rule":
        await house.exclude()
    await house.ledger.write(lambda t: t.contacts.keep(1, anna, key="1", now=NOW))
    if first == "the record":
        await house.exclude()
    for number, address in enumerate(anna.addresses):
        assert await house.gets(number, address) == "excluded"


async def test_no_mail_makes_the_owners_own_address_a_shared_one_or_an_office_hers(house: House) -> None:
    await house.gets(1, "Mallory <m@evil.example>", "Eva Frey <jo@baker.example>")
    await house.gets(2, "Eva Frey <family@frey.example>")
    await house.gets(3, "Karl Frey <family@frey.example>")
    await house.gets(4, "Eva Frey <info@praxis.example>")
    await house.gets(5, "Eva Frey via Garden <garden@lists.example>")
    await house.exclude()
    others = ("Bob <bob@example.net>", "family@frey.example", "info@praxis.example", "Tom <garden@lists.example>")
    for number, sender in enumerate(others, 6):
        assert await house.gets(number, sender) != "excluded", sender


async def test_with_the_rule_what_was_learned_by_it_ends(house: House) -> None:
    await house.gets(1, "Eva Frey <e.f@praxis.example>")
    await house.exclude()
    house.listed = read_exclusions("person Somebody Else")
    assert await house.gets(2, "e.f@praxis.example") != "excluded"


async def test_what_is_learned_is_kept_as_hashes_alone(house: House, database: Path) -> None:
    await house.gets(1, "Eva Frey <e.f@praxis.example>")
    await house.exclude()
    kept = rows(database, "SELECT * FROM bearing")
    assert len(kept) == 1
    assert not any(word in repr(kept).lower() for word in ("frey", "eva", "praxis"))
