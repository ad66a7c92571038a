"""A stranger who could be taken for somebody the owner writes to is marked, and whoever only resembles is not."""

import pytest

from memory.authenticity import Standing, standing
from memory.mail import Address
from memory.sql.ledger import SqlLedger
from tests.doubles.clock import NOW
from tests.doubles.judged import judge, keep
from tests.doubles.letters import a_letter, a_reply
from tools import mail_card
from tools.vouching import standing_of

KNOWN = (
    ("Anna Winter", "anna.winter@gmx.de"),
    ("Tom Burn", "tom@burnham.example"),
    ("Lee", "lee@gmail.com"),
    ("", "info@winterhaus.example"),
)


def weighed(name: str, address: str) -> Standing:
    mail = a_letter("Hello", sender=Address(name, address)).mail
    return standing(mail, contacts=(), own=("jo@baker.example",), written_to=KNOWN)


@pytest.mark.parametrize(
    ("name", "address", "known"),
    [
        pytest.param("", "tom@bumham.example", "tom@burnham.example", id="rn for m"),
        pytest.param("", "tom@burnharn.example", "tom@burnham.example", id="m for rn"),
        pytest.param("", "anna.w1nter@gmx.de", "anna.winter@gmx.de", id="a digit for a letter"),
        pytest.param("", "info@winterhau5.example", "info@winterhaus.example", id="a digit in the domain"),
        pytest.param("", "info@winterhas.example", "info@winterhaus.example", id="one letter off"),
        pytest.param("", "anna.winter@gmail.com", "anna.winter@gmx.de", id="the same name at another free provider"),
    ],
)
def test_an_address_that_could_be_taken_for_a_known_one_is_marked(name: str, address: str, known: str) -> None:
    assert weighed(name, address).lookalike_of == known
    assert weighed(name, address).is_doubtful


def test_a_known_full_name_at_a_free_provider_is_marked() -> None:
    assert weighed("Tom Burn", "tb1978@gmail.com").namesake_of == "Tom Burn"


@pytest.mark.parametrize(
    ("name", "address"),
    [
        pytest.param("Anna Winter", "Anna.Winter@gmx.de", id="who is known"),
        pytest.param("Lee", "l.ee+x@gmail.com", id="who is known, in another spelling"),
        pytest.param("Ym", "ym@ymail.com", id="two providers one slip apart"),
        pytest.param("Lee", "other@gmx.net", id="a bare first name"),
        pytest.param("Tom Burn", "tom.burn@newfirm.example", id="a known name at a firm of its own"),
        pytest.param("Bob", "bob@gmx.de", id="somebody else at the same provider"),
        pytest.param("Office", "info@summerhouse.example", id="the same office elsewhere"),
    ],
)
def test_whoever_only_resembles_is_not_marked(name: str, address: str) -> None:
    found = weighed(name, address)
    assert (found.lookalike_of, found.namesake_of) == (None, None)


async def test_the_card_says_for_whom_the_sender_might_be_taken(ledger: SqlLedger) -> None:
    def work(t: object) -> str:
        tables = t
        keep(tables, a_reply("Hello", to=(Address("Tom Burn", "tom@burnham.example"),)), now=NOW)  # type: ignore[arg-type]
        kept = keep(tables, a_letter("Please pay", sender=Address("Tom", "tom@bumham.example")), now=NOW)  # type: ignore[arg-type]
        judged = judge(tables, kept, "notify", now=NOW)  # type: ignore[arg-type]
        owner = tables.owners.get()  # type: ignore[attr-defined]
        return mail_card.card(kept, judged, owner, NOW, standing_of(tables, kept)).text  # type: ignore[arg-type]

    text = await ledger.write(work)
    assert "though it looks like it" in text
    assert "burnham" in text
