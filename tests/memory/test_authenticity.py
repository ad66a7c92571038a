"""Authenticity: what can be said of a sender, and what only looks so."""

import pytest

from memory.authenticity import Proof, standing
from memory.contact import Contact, StoredContact
from memory.mail import Address, Authenticity
from tests.doubles.enveloped import a_mail

OWN = ("ola@own.example",)
RECORD = StoredContact(3, 1, Contact("Anna Muster", ("anna@muster.example",), "vcard"))


@pytest.mark.parametrize(
    ("found", "proof"),
    [
        (Authenticity(), "unknown"),
        (Authenticity(dmarc="pass"), "proven"),
        (Authenticity(dmarc="fail", dkim="pass", domain="muster.example"), "failed"),
        (Authenticity(dkim="pass", domain="muster.example"), "proven"),
        (Authenticity(dkim="pass", domain="mail.muster.example"), "proven"),
        (Authenticity(dkim="pass", domain="example"), "unproven"),
        (Authenticity(dkim="pass", domain="evilmuster.example"), "unproven"),
        (Authenticity(dkim="pass", domain="evil.example", spf="pass"), "unproven"),
        (Authenticity(dkim="fail", spf="fail"), "failed"),
        (Authenticity(dkim="fail"), "failed"),
        (Authenticity(dkim="fail", spf="pass"), "unproven"),
        (Authenticity(dkim="none", spf="none", dmarc="none"), "unproven"),
        (Authenticity(spf="pass"), "unproven"),
    ],
)
def test_the_checks_of_the_owners_server_are_read(found: Authenticity, proof: Proof) -> None:
    assert standing(a_mail(authenticity=found), contacts=(), own=OWN).proof == proof


@pytest.mark.parametrize(("server", "proof"), [("mx.own.example", "proven"), ("own.example", "proven"), ("mx.evil.example", "unknown"), ("evilown.example", "unknown"), ("", "unknown")])  # fmt: skip
def test_a_result_that_another_server_wrote_counts_for_nothing(server: str, proof: Proof) -> None:
    mail = a_mail(authenticity=Authenticity(dmarc="pass", server=server))
    assert standing(mail, contacts=(), own=OWN, servers=("own.example",)).proof == proof


def test_a_contact_is_known_by_the_address_alone() -> None:
    known = standing(a_mail(sender=Address("Somebody else", "ANNA@muster.example")), contacts=(RECORD,), own=OWN)
    assert known.contact == RECORD
    assert not known.is_doubtful


@pytest.mark.parametrize(
    "name", ["Anna Muster", "anna  muster", "Аnna Muster", "Anna Мuster", "An\u200bna Muster"], ids=ascii
)
def test_attack_13_a_contacts_name_with_another_address_is_told(name: str) -> None:
    seen = standing(a_mail(sender=Address(name, "anna@evil.example")), contacts=(RECORD,), own=OWN)
    assert seen.contact is None
    assert seen.namesake_of == "Anna Muster"
    assert seen.is_doubtful


def test_attack_13_a_lookalike_of_a_contact_or_of_the_owner_is_told() -> None:
    seen = standing(a_mail(sender=Address("", "anna@rnuster.example")), contacts=(RECORD,), own=OWN)
    assert (seen.contact, seen.lookalike_of) == (None, "anna@muster.example")
    assert standing(a_mail(sender=Address("", "o1a@own.example")), contacts=(), own=OWN).lookalike_of == OWN[0]


def test_attack_11_the_owners_own_address_is_told() -> None:
    seen = standing(a_mail(sender=Address("Ola", "ola@own.example")), contacts=(RECORD,), own=OWN)
    assert seen.is_own
    assert seen.is_doubtful
    assert seen.lookalike_of is None


@pytest.mark.parametrize(
    "changes", [{"senders_disagree": True}, {"sender": None}, {"sender": Address("x", "a@b@c")}], ids=str
)
def test_attack_12_a_disputed_sender_is_told(changes: dict[str, object]) -> None:
    seen = standing(a_mail(**changes), contacts=(RECORD,), own=OWN)
    assert seen.is_disputed
    assert seen.is_doubtful


def test_a_stranger_is_no_cause_for_doubt() -> None:
    assert not standing(a_mail(sender=Address("Zoe", "zoe@z.example")), contacts=(RECORD,), own=OWN).is_doubtful
