"""Sensitive: money and law are told, in what leaves and in what it answers."""

import time
from dataclasses import replace

import pytest

from memory.mail import Attachment
from memory.sensitive import concern, concern_of
from tests.doubles.enveloped import ACT, MAIL


@pytest.mark.parametrize(
    "text",
    [
        "Here is our invoice.", "Please pay by Friday", "the wire transfer is done", "IBAN below", "send the term sheet", "bank details have changed",
        "the account number is new", "500 EUR", "€ 500", "it costs $1,200.50", "1.200,00 €", "12'000 CHF", "20k€", "DE89 3704 0044 0532 0130 00",
        "gb82west12345698765432", "Anbei die Rechnung.", "die Überweisung ist raus", "Kannst du mir das überweisen?", "neue Bankverbindung",
        "dein Gehalt", "unsere Kontonummer", "Teilzahlung", "Mahnung", "in\u200bvoice", "ｉｎｖｏｉｃｅ", "Geschenkkarten", "3 Mio. Euro",
    ],
)  # fmt: skip
def test_money_is_told(text: str) -> None:
    found = concern_of(f"Hello,\n{text}\nOla")
    assert found is not None
    assert "money" in found.matters


@pytest.mark.parametrize(
    "text",
    [
        "the contract is attached", "Please sign the NDA", "our lawyer says", "see you in court", "limited liability", "this agreement between us",
        "power of attorney", "a notice of termination", "der Vertrag", "Mietverträge", "unser Rechtsanwalt", "die Kündigung", "eine Klage",
        "Vollmacht anbei", "bitte unterschreiben", "beim Amtsgericht", "Schadensersatz", "die Geheimhaltungsvereinbarung",
    ],
)  # fmt: skip
def test_law_is_told(text: str) -> None:
    found = concern_of(f"Hello,\n{text}\nOla")
    assert found is not None
    assert "law" in found.matters


@pytest.mark.parametrize(
    "text",
    [
        "Lunch on Friday at 12:30?", "See you at 5", "the ban on bikes", "Ich komme um 10 Uhr.", "We disagree.", "a good sign", "sign up here",
        "Version 1.200 is out", "in 2026", "AB12 3456 7890 1234", "Das ist mir recht.", "ich trage das ein", "a vacation", "kontaktiere mich",
    ],
)  # fmt: skip
def test_other_matters_are_not(text: str) -> None:
    assert concern_of(f"Hello,\n{text}\nOla") is None


def test_both_are_told_with_the_words_that_say_so() -> None:
    found = concern_of("The contract says 500 EUR.")
    assert found is not None
    assert (found.matters, found.evidence) == (("money", "law"), ("500 EUR", "contract"))


@pytest.mark.parametrize(
    "change",
    [{"subject": "Invoice 12"}, {"body": "Please pay."}, {"attachments": (Attachment("rechnung_12.pdf", "application/pdf", 5, "a" * 64),)}],
    ids=["subject", "text", "file"],
)  # fmt: skip
def test_everything_that_leaves_is_read(change: dict[str, object]) -> None:
    plain = replace(MAIL, attachments=())
    assert concern(plain) is None
    assert concern(replace(plain, **change)) is not None  # type: ignore[arg-type]


def test_an_event_is_read_as_well() -> None:
    assert ACT.act is not None
    assert concern(ACT) is None
    assert concern(replace(ACT, act=replace(ACT.act, title="Notary"))) is not None


def test_what_is_answered_counts() -> None:
    plain = replace(MAIL, attachments=())
    assert concern(plain, ("Re: x", "Can you confirm the wire transfer?")) is not None


@pytest.mark.parametrize(
    "text",
    ["1 234 " * 40_000, "DE12 " * 40_000, "a" * 200_000, "€" * 100_000, "1" * 200_000],
    ids=lambda text: text[:6],
)
def test_no_text_takes_long_to_read(text: str) -> None:
    began = time.process_time()
    concern_of(text)
    assert time.process_time() - began < 5
