"""A new letter may go to several, each from the owner's own records; one who is nobody keeps it back whole."""

from pathlib import Path

import pytest

from memory.contact import Contact
from tests.doubles.clock import FakeClock
from tests.exit_room import ANNA, BOB, open_office

TOM = "tom@burnham.example"
KNOWN = (
    Contact("Anna Muster", (ANNA,), "vcard"),
    Contact("Bob Firm", (BOB,), "vcard"),
    Contact("Tom Burn", (TOM,), "vcard"),
)


@pytest.mark.parametrize(
    ("who", "to", "cc"),
    [
        pytest.param("Anna and Bob", [ANNA, BOB], [], id="two"),
        pytest.param("Anna, Bob und Tom", [ANNA, BOB, TOM], [], id="three"),
        pytest.param("Anna, copy Tom", [ANNA], [TOM], id="a copy"),
        pytest.param("Anna and Bob, cc Tom", [ANNA, BOB], [TOM], id="two and a copy"),
        pytest.param("Muster, Anna", [ANNA], [], id="one, by the last name first"),
        pytest.param("Anna and anna muster", [ANNA], [], id="the same twice"),
    ],
)
async def test_a_letter_goes_to_all_who_are_named(
    database: Path, clock: FakeClock, who: str, to: list[str], cc: list[str]
) -> None:
    async with open_office(database, clock, contacts=KNOWN) as office:
        await office.says(f"write to {who}: Lunch\nShall we have lunch?")
        await office.taps("Send")
        (sent,) = office.sent
        assert sorted(sent.recipients) == sorted([*to, *cc])
        assert [one.addr_spec for one in sent.message["to"].addresses] == to
        assert [one.addr_spec for one in (sent.message["cc"].addresses if sent.message["cc"] else ())] == cc


async def test_one_who_is_nobody_keeps_the_letter_back(database: Path, clock: FakeClock) -> None:
    async with open_office(database, clock, contacts=KNOWN) as office:
        told = "\n".join(await office.says("write to Anna and Eva: Lunch\nShall we have lunch?"))
        assert "Eva" in told
        assert office.approvals == []
