"""A reply by name goes to the newest mail that can be answered; a sender that may be another is marked."""

from datetime import timedelta

import pytest

from memory.ledger import Tables
from memory.mail import Address
from memory.sql.ledger import SqlLedger
from tests.doubles.clock import NOW
from tests.doubles.judged import keep
from tests.doubles.letters import a_letter
from tools import mail_card
from tools.letters import _newest_of


async def test_a_mail_that_cannot_be_answered_is_passed_over(ledger: SqlLedger) -> None:
    def work(t: Tables) -> None:
        good = keep(t, a_letter("Hello", date_at=NOW - timedelta(hours=2)), now=NOW)
        keep(t, a_letter("Forged", date_at=NOW - timedelta(hours=1), senders_disagree=True), now=NOW)
        name = good.mail.sender.name if good.mail.sender else ""
        assert _newest_of(t, t.owners.get(), name).id == good.id

    await ledger.write(work)


async def test_if_none_can_be_answered_the_newest_is_what_is_refused(ledger: SqlLedger) -> None:
    def work(t: Tables) -> None:
        keep(t, a_letter("Old", date_at=NOW - timedelta(hours=2), senders_disagree=True), now=NOW)
        newest = keep(t, a_letter("New", date_at=NOW - timedelta(hours=1), senders_disagree=True), now=NOW)
        name = newest.mail.sender.name if newest.mail.sender else ""
        assert _newest_of(t, t.owners.get(), name).id == newest.id

    await ledger.write(work)


@pytest.mark.parametrize(
    ("address", "disagree", "shown"),
    [
        ("anna@winter.example", False, "anna@winter"),
        ("anna@bücher.example", False, "anna@xn--bcher-kva"),
        ("anna@xn--bcher-kva.example", False, "anna@xn--bcher-kva"),
        ("änna@winter.example", False, "änna@winter"),
        ("anna@winter.example", True, "anna@winter"),
    ],
    ids=["plain", "letters", "punycode", "local part", "disagree"],
)
def test_a_sender_who_may_be_another_is_marked(address: str, disagree: bool, shown: str) -> None:
    kept = a_letter("Hi", sender=Address("Anna", address), senders_disagree=disagree)
    told = mail_card.who(kept, "en")
    is_odd = disagree or address != "anna@winter.example"
    assert told.startswith("⚠ Anna") is is_odd
    assert ("⚠" in told) is is_odd
    assert shown in told.replace("\\", "").replace("\u200b", "").replace("\u2060", "")
    assert mail_card.in_line(kept, "en").startswith(told)
