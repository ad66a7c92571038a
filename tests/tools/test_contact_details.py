"""What a vCard says of somebody besides addresses is known of them, with the card as its source."""

from pathlib import Path

import pytest

from memory.sql.ledger import SqlLedger
from tests.doubles.acquainted import ANNA, acquaint, known, values
from tests.doubles.clock import FakeClock
from tests.doubles.letters import NOW
from tools.contacts.importing import ImportedContacts, import_contacts
from tools.contacts.vcard import read_vcards


def card(*lines: str) -> str:
    return "\r\n".join(
        ("BEGIN:VCARD", "VERSION:3.0", "UID:1", "FN:Anna Winter", f"EMAIL:{ANNA.address}", *lines, "END:VCARD", "")
    )


async def imported(ledger: SqlLedger, folder: Path, *lines: str) -> ImportedContacts:
    path = folder / "book.vcf"
    path.write_text(card(*lines))
    done = await import_contacts(path, ledger=ledger, owner_id=1, clock=FakeClock(NOW))
    await acquaint(ledger)
    return done


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("BDAY:1980-07-09", [("birthday", "1980-07-09")]),
        ("BDAY:19800709", [("birthday", "1980-07-09")]),
        ("BDAY:--0709", [("birthday", "--07-09")]),
        ("BDAY;X-APPLE-OMIT-YEAR=1604:1604-07-09", [("birthday", "--07-09")]),
        ("BDAY:1980-07-09T00:00:00Z", [("birthday", "1980-07-09")]),
        ("BDAY:soon", []),
        ("BDAY:1980-13-40", []),
        ("ORG:Heron GmbH;Sales", [("employer", "Heron GmbH")]),
        ("TITLE:Head of Sales", [("role", "Head of Sales")]),
        ("TITLE:see https://evil.example", []),
        ("NOTE:vegetarian", []),
    ],
)
def test_what_a_card_says(line: str, told: list[tuple[str, str]]) -> None:
    (read,) = read_vcards(card(line).encode()).cards
    assert list(read.details) == told


async def test_it_is_known_with_the_card_as_its_source(ledger: SqlLedger, tmp_path: Path) -> None:
    await imported(ledger, tmp_path, "ORG:Heron GmbH", "TITLE:CFO", "BDAY:1980-07-09", "REV:2026-01-02T03:04:05Z")
    anna = await known(ledger, str(ANNA.address))
    assert await values(ledger, anna) == [("birthday", "1980-07-09"), ("role", "CFO"), ("employer", "Heron GmbH")]
    facts = await ledger.read(lambda t: t.facts.current(1, [one.id for one in anna.identities]))
    assert {(fact.by, fact.corpus, fact.said_at.year) for fact in facts} == {("contact", "person", 2026)}
    assert [fact.quote for fact in facts] == ["birthday: 1980-07-09", "role: CFO", "works at: Heron GmbH"]
    assert [hit.ref for hit in await ledger.read(lambda t: t.search.find(1, "Heron"))] == [facts[0].ref]


async def test_twice_is_once_and_what_is_no_longer_said_goes(ledger: SqlLedger, tmp_path: Path) -> None:
    await imported(ledger, tmp_path, "TITLE:CFO", "REV:20260102T030405Z")
    assert (await imported(ledger, tmp_path, "TITLE:CFO", "REV:20260102T030405Z")).known == 1
    assert (await imported(ledger, tmp_path, "TITLE:CEO", "REV:20260203T030405Z")).changed == 1
    assert await values(ledger, await known(ledger, str(ANNA.address))) == [("role", "CEO")]
    await imported(ledger, tmp_path)
    assert await values(ledger, await known(ledger, str(ANNA.address))) == []


async def test_a_card_of_unknown_age_tells_a_birthday_and_no_present_role(ledger: SqlLedger, tmp_path: Path) -> None:
    await imported(ledger, tmp_path, "TITLE:CFO", "BDAY:1980-07-09")
    assert await values(ledger, await known(ledger, str(ANNA.address))) == [("birthday", "1980-07-09")]
