"""The owner says who is one person and who is two; it holds against evidence and can be taken back."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from memory.command.one_person import SameOrNot, read_same
from memory.mail import Address
from tests.doubles.acquainted import ANNA, JONAS, acquaint, keep, known, mail
from tests.doubles.clock import FakeClock
from tests.product_room import Product, open_product

PRIVATE = Address("Anna Winter", "aw77@web.de")


@pytest.mark.parametrize(
    ("words", "one", "other", "is_one"),
    [
        ("Anna Winter and aw77@web.de are the same person", "Anna Winter", "aw77@web.de", True),
        ("Anna Winter is the same person as aw77@web.de.", "Anna Winter", "aw77@web.de", True),
        ("merge Anna Winter with aw77@web.de", "Anna Winter", "aw77@web.de", True),
        ("Anna Winter und aw77@web.de sind dieselbe Person", "Anna Winter", "aw77@web.de", True),
        ("Anna Winter und aw77@web.de sind nicht dieselbe Person!", "Anna Winter", "aw77@web.de", False),
        ("Anna and Jonas are two different people", "Anna", "Jonas", False),
        ("that's not the same person: split Anna Winter", "Anna Winter", "", False),
        ("trenne Anna Winter", "Anna Winter", "", False),
    ],
)
def test_words_about_who_is_one_person_are_read(words: str, one: str, other: str, is_one: bool) -> None:
    assert read_same(words) == SameOrNot(one, other, is_one)


@pytest.mark.parametrize(
    "words", ["are they the same?", "the invoice and the receipt", "I split the bill with Anna: 20 each", "who is Anna"]
)
def test_other_words_say_nothing_of_it(words: str) -> None:
    assert read_same(words) is None


@pytest.fixture
async def product(database: Path, clock: FakeClock) -> AsyncIterator[Product]:
    async with open_product(database, clock) as opened:
        await keep(opened.house.ledger, mail("Hi", ANNA), mail("Hi", PRIVATE), mail("Hi", JONAS))
        yield opened


async def addresses(product: Product, value: str) -> set[str]:
    await acquaint(product.house.ledger)
    return set((await known(product.house.ledger, value)).addresses)


BOTH = {"anna.winter@acme.example", "aw77@web.de"}


async def test_what_the_owner_joins_is_one_until_it_is_taken_back(product: Product) -> None:
    [said] = await product.says("anna.winter@acme.example and aw77@web.de are the same person")
    assert said == "Anna Winter: one person now – anna.winter@acme.example, aw77@web.de."
    assert await addresses(product, "aw77@web.de") == BOTH
    [listed] = await product.says("/people")
    assert "Anna Winter: anna.winter@acme.example, aw77@web.de (you said so)" in listed
    assert "Taken back: Anna Winter" in "".join(await product.says("undo"))
    assert await addresses(product, "aw77@web.de") == {"aw77@web.de"}


async def test_two_of_one_name_are_joined_by_that_name_alone_when_the_owner_says_so(product: Product) -> None:
    await product.says("Anna Winter and Anna Winter are the same person")
    assert await addresses(product, "aw77@web.de") == BOTH
    await product.taps("Undo")
    assert await addresses(product, "aw77@web.de") == {"aw77@web.de"}


async def test_a_split_by_words_holds_and_a_tap_takes_it_back(product: Product) -> None:
    await product.says("Anna Winter and Anna Winter are the same person")
    [said] = await product.says("that's not the same person: split Anna Winter")
    assert said == "Two people now: anna.winter@acme.example | aw77@web.de."
    assert await addresses(product, "aw77@web.de") == {"aw77@web.de"}
    await product.taps("Undo")
    assert await addresses(product, "aw77@web.de") == BOTH


async def test_of_several_it_is_asked_for_the_address(product: Product) -> None:
    [said] = await product.says("Anna Winter and Jonas Berg are the same person")
    assert said.startswith("Several go by Anna Winter: ")
    assert product.rows("SELECT count(*) FROM person_changes") == [(0,)]


async def test_words_about_things_are_no_words_about_people(product: Product) -> None:
    await product.says("the offer and the invoice are the same")
    assert product.rows("SELECT count(*) FROM person_changes") == [(0,)]


async def test_of_two_by_that_name_the_one_with_the_address_is_not_both(product: Product) -> None:
    [said] = await product.says("Anna Winter and aw77@web.de are the same person")
    assert said.startswith("Anna Winter: one person now")
    assert await addresses(product, "aw77@web.de") == BOTH
