"""A vCard file becomes contacts, twice is once, and what can't be used is told."""

from collections.abc import Mapping
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from bot.terminal.asks import writing_asks
from bot.terminal.report import print_import
from memory.errors import BadInput
from memory.sql.ledger import SqlLedger
from tests.doubles.clock import FakeClock
from tools.contacts.importing import ImportedContacts, import_contacts, is_vcard


def card(name: str, *addresses: str, uid: str = "") -> str:
    emails = "".join(f"EMAIL:{address}\r\n" for address in addresses)
    return f"BEGIN:VCARD\r\nVERSION:3.0\r\n{f'UID:{uid}' if uid else 'X-A:b'}\r\nFN:{name}\r\n{emails}END:VCARD\r\n"


BOOK = card("Anna Muster", "anna@muster.example", uid="1") + card("Bob", "bob@firm.example") + card("Nobody")
BROKEN = BOOK + card("Odd", "not an address") + "BEGIN:VCARD\r\nFN:Cut"


def written(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


async def imported(ledger: SqlLedger, clock: FakeClock, path: Path, text: str) -> ImportedContacts:
    return await import_contacts(written(path, text), ledger=ledger, owner_id=1, clock=clock)


async def kept(ledger: SqlLedger) -> list[tuple[str, tuple[str, ...], str]]:
    stored = await ledger.read(lambda t: t.contacts.all(1))
    return [(one.contact.name, one.contact.addresses, one.contact.source) for one in stored]


async def test_every_card_becomes_a_contact(ledger: SqlLedger, clock: FakeClock, tmp_path: Path) -> None:
    found = await imported(ledger, clock, tmp_path / "all.vcf", BOOK)
    assert (found.new, found.changed, found.known, found.without_address, found.kept) == (2, 0, 0, 1, 2)
    assert await kept(ledger) == [
        ("Anna Muster", ("anna@muster.example",), "vcard"),
        ("Bob", ("bob@firm.example",), "vcard"),
    ]


async def test_twice_is_once_and_a_change_is_a_change(ledger: SqlLedger, clock: FakeClock, tmp_path: Path) -> None:
    path = tmp_path / "all.vcf"
    await imported(ledger, clock, path, BOOK)
    again = await imported(ledger, clock, path, BOOK)
    assert (again.new, again.changed, again.known, again.kept) == (0, 0, 2, 2)
    changed = await imported(ledger, clock, path, card("Anna Muster", "anna@new.example", uid="1"))
    assert (changed.new, changed.changed, changed.known, changed.kept) == (0, 1, 0, 2)
    assert ("Anna Muster", ("anna@new.example",), "vcard") in await kept(ledger)


async def test_what_cannot_be_used_is_told_and_keeps_nothing_else_out(
    ledger: SqlLedger, clock: FakeClock, tmp_path: Path
) -> None:
    found = await imported(ledger, clock, tmp_path / "all.vcf", BROKEN)
    assert found.new == 2
    assert [number for number, _ in found.faults] == [4, 5]


async def test_a_file_that_is_not_there_is_told(ledger: SqlLedger, clock: FakeClock, tmp_path: Path) -> None:
    with pytest.raises(BadInput):
        await import_contacts(tmp_path / "none.vcf", ledger=ledger, owner_id=1, clock=clock)


async def test_the_command_tells_it_by_the_ending(ledger: SqlLedger, clock: FakeClock, tmp_path: Path) -> None:
    path = written(tmp_path / "Contacts.VCF", BROKEN)
    data: Mapping[str, Any] = {}
    async for step in writing_asks(ledger, clock=clock)["import"]({"path": str(path)}):
        data = step.data
    shown = StringIO()
    print_import(Console(file=shown, highlight=False, markup=False, width=200), data)
    assert shown.getvalue().splitlines() == [
        "2 contacts new, 0 changed, 0 known already; 1 without an address. 2 are kept; write to one with: write to NAME: …",
        "Could not be used:",
        "  card 4: none of its addresses can be read beyond doubt",
        "  card 5: the card has no end",
    ]


@pytest.mark.parametrize(("name", "is_one"), [("a.vcf", True), ("a.VCARD", True), ("a.mbox", False), ("vcf", False)])
def test_a_vcard_file_is_known_by_its_ending(name: str, is_one: bool) -> None:
    assert is_vcard(Path(name)) == is_one
