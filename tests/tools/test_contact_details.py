"""What a vCard says of somebody besides addresses is known of them, with the card as its source."""

import os
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from memory.exclusion import read_exclusions
from memory.sql.ledger import SqlLedger
from tests.doubles.acquainted import ANNA, acquaint, found, keep, known, mail, values
from tests.doubles.clock import FakeClock
from tests.doubles.letters import NOW
from tools.contacts.importing import ImportedContacts, import_contacts
from tools.contacts.vcard import read_vcards
from tools.incoming import erase_covered

DAY = timedelta(days=1)


def card(*lines: str) -> str:
    return "\r\n".join(
        ("BEGIN:VCARD", "VERSION:3.0", "UID:1", "FN:Anna Winter", f"EMAIL:{ANNA.address}", *lines, "END:VCARD", "")
    )


async def imported(ledger: SqlLedger, folder: Path, *lines: str, of: datetime = NOW) -> ImportedContacts:
    path = folder / "book.vcf"
    path.write_text(card(*lines))
    os.utime(path, (of.timestamp(), of.timestamp()))
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


async def signed(ledger: SqlLedger, role: str, at: datetime) -> None:
    anna = await known(ledger, str(ANNA.address))
    (number,) = await keep(ledger, mail(f"hello\n-- \n{role}", at=at))
    fact = found(anna, number, "role", role, role, said_at=at, by="signature")
    await ledger.write(lambda t: t.facts.note(1, fact, now=NOW))


async def test_what_an_undated_card_says_is_known_as_of_its_file(ledger: SqlLedger, tmp_path: Path) -> None:
    await imported(ledger, tmp_path, "TITLE:CFO", "BDAY:1980-07-09", of=NOW - 10 * DAY)
    anna = await known(ledger, str(ANNA.address))
    facts = await ledger.read(lambda t: t.facts.current(1, anna.identity_ids))
    assert {(fact.quote, fact.said_at) for fact in facts} == {
        ("role: CFO", NOW - 10 * DAY),
        ("birthday: 1980-07-09", NOW - 10 * DAY),
    }
    await signed(ledger, "Clerk", NOW - 20 * DAY)
    assert ("role", "CFO") in await values(ledger, anna)
    await signed(ledger, "Chair", NOW - 5 * DAY)
    assert ("role", "Chair") in await values(ledger, anna)


async def test_an_undated_card_stands_below_what_is_dated_later_and_is_no_younger_when_read_again(
    ledger: SqlLedger, tmp_path: Path
) -> None:
    await imported(ledger, tmp_path, "BDAY:1980-07-09", of=NOW - 10 * DAY)
    await signed(ledger, "Chair", NOW - 5 * DAY)
    await imported(ledger, tmp_path, "TITLE:CFO", of=NOW - 9 * DAY)
    await imported(ledger, tmp_path, "TITLE:CFO", of=NOW)
    assert await values(ledger, await known(ledger, str(ANNA.address))) == [("role", "Chair")]


async def test_whoever_is_excluded_no_longer_comes_back_when_the_file_is_read_again(
    ledger: SqlLedger, database: Path, tmp_path: Path
) -> None:
    lines = ("TITLE:CFO", "TEL:+49 151 23456789")
    await imported(ledger, tmp_path, *lines)
    async with SqlLedger(database, lambda: read_exclusions("domain acme.example")) as excluding:
        await excluding.write(lambda t: erase_covered(t, 1, NOW))
        await imported(excluding, tmp_path, *lines)
    assert await ledger.read(lambda t: t.people.named(1, "Anna Winter")) == ()
    assert (await imported(ledger, tmp_path, *lines)).known == 1
    (anna,) = await ledger.read(lambda t: t.people.named(1, "Anna Winter"))
    assert {one.kind for one in anna.identities} == {"address", "phone"}
    assert await values(ledger, anna) == [("role", "CFO")]
