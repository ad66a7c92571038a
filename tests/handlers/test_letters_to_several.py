"""A letter may go to several, each from the owner's own records; one who is nobody keeps it back whole."""

from pathlib import Path
from time import process_time

import pytest

from memory.command.correspondence import read_correspondence
from memory.contact import Contact
from tests.doubles.clock import FakeClock
from tests.exit_room import ANNA, BOB, letter, open_office

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


@pytest.mark.parametrize(
    "asked",
    [
        pytest.param("reply to Anna, copy Tom", id="EN"),
        pytest.param("antworte an Anna, Kopie an Tom und Anna", id="DE, and whom it goes to anyway"),
    ],
)
async def test_a_reply_goes_to_those_in_copy_too(database: Path, clock: FakeClock, asked: str) -> None:
    async with open_office(database, clock, mails=[letter()], contacts=KNOWN) as office:
        await office.says(f"{asked}: Friday suits me.")
        await office.taps("Send")
        (sent,) = office.sent
        assert sorted(sent.recipients) == [ANNA, TOM]
        assert [one.addr_spec for one in sent.message["cc"].addresses] == [TOM]
        assert sent.message["in-reply-to"] == "<first@muster.example>"


async def test_one_in_copy_who_is_nobody_keeps_the_reply_back(database: Path, clock: FakeClock) -> None:
    async with open_office(database, clock, mails=[letter()], contacts=KNOWN) as office:
        told = "\n".join(await office.says("reply to Anna, copy Eva: Friday suits me."))
        assert "Eva" in told
        assert office.approvals == []


def test_a_reply_to_what_is_talked_of_may_have_copies_and_a_sentence_with_a_comma_is_no_letter() -> None:
    wish = read_correspondence("reply, copy Tom: Friday suits me.")
    assert wish is not None
    assert (wish.who, wish.copies) == ("", ("Tom",))
    assert read_correspondence("reply, I think, is the word: it fits") is None


@pytest.mark.parametrize(
    "words",
    [
        "reply to " + " " * 20_000 + "x",
        "reply to \n" + "\n " * 20_000 + "x",
        "write to a with " + ",and " * 20_000,
        "reply to " + "a with b,  cc " * 20_000 + "\n:x",
        "draft reply to " + "a" * 200_000 + ": ",
        "reply to a: " + "x " * 200_000,
    ],
    ids=["blanks", "lines", "files", "copies", "name", "text"],
)
def test_no_words_hold_it_up(words: str) -> None:
    began = process_time()
    read_correspondence(words)
    assert process_time() - began < 2


def test_blanks_in_the_head_say_nothing_and_those_of_the_text_stay() -> None:
    found = read_correspondence("reply to  Anna,   copy Tom  with  a.pdf : hi\n\n\nyou")
    assert found is not None
    assert (found.who, found.copies, found.files, found.text) == ("Anna", ("Tom",), ("a.pdf",), "hi\n\n\nyou")


@pytest.mark.parametrize("words", ["reply to Anna and copy Tom: hi", "antworte Anna und Kopie an Tom: hi"])
def test_an_and_before_the_copy_is_no_part_of_the_name(words: str) -> None:
    found = read_correspondence(words)
    assert found is not None
    assert (found.who, found.copies) == ("Anna", ("Tom",))
