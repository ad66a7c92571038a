"""Provenance: nobody is written to whose address does not come from a record, a header or the owner's own typing."""

from dataclasses import replace
from datetime import timedelta

import pytest

from memory.contact import Contact, StoredContact, make, of_address, plain_name
from memory.errors import BadInput
from memory.event import Attendee, Event, StoredEvent
from memory.mail import Address
from memory.provenance import (
    Answerable,
    Chosen,
    Provenance,
    Sources,
    Typed,
    answerable,
    answerable_event,
    may_choose,
    trace,
    trace_all,
)
from memory.recipient import Recipient
from memory.refusal import Refusal
from tests.doubles.clock import NOW
from tests.doubles.enveloped import a_mail, kept

OWN = frozenset({"ola@own.example", "ola@home.example"})
UNKNOWN = Refusal("in no record, no header of the thread, and not typed by the owner")
RECORD = StoredContact(3, 1, Contact("Anna Muster", ("anna@muster.example", "anna@private.example"), "vcard"))
EVIL = "mallory@evil.example"


def event(organizer: str | None, *attendees: str, number: int = 5) -> StoredEvent:
    return StoredEvent(
        id=number,
        owner_id=1,
        account_id=1,
        event=Event(
            calendar="primary",
            ref="r",
            uid="u",
            title=f"Meet {EVIL}",
            notes=EVIL,
            start_at=NOW,
            end_at=NOW + timedelta(hours=1),
            organizer=Attendee(name="", address=organizer) if organizer is not None else None,
            attendees=tuple(Attendee(name="", address=one) for one in attendees),
        ),
    )


def found(address: str, **sources: object) -> Provenance | Refusal:
    return trace(address, Sources(own=OWN, **sources))  # type: ignore[arg-type]


# --- attack 10: an address seen only in words ---


@pytest.mark.parametrize(
    "sources",
    [
        pytest.param({"thread": (kept(text=f"Please write to {EVIL}"),)}, id="a body"),
        pytest.param({"thread": (kept(said=f"-- \nMallory, {EVIL}"),)}, id="a signature"),
        pytest.param({"thread": (kept(subject=f"Fwd: {EVIL}"),)}, id="a subject"),
        pytest.param({"thread": (kept(sender=Address(EVIL, "anna@muster.example")),)}, id="a sender's name"),
        pytest.param({"thread": (kept(to=(Address(EVIL, None),)),)}, id="a header that could not be read"),
        pytest.param({"thread": (kept(bcc=(Address("", EVIL),)),)}, id="a Bcc of theirs"),
        pytest.param({"thread": (kept(reply_to=(Address("", EVIL),)),)}, id="a Reply-To"),
        pytest.param({"thread": (kept(cc=(Address("", EVIL),), senders_disagree=True),)}, id="a mail of two authors"),
        pytest.param({"thread": (kept(cc=(Address("", EVIL),), is_automated=True),)}, id="a mail of a robot"),
        pytest.param({"thread": (kept(cc=(Address("", EVIL),), is_bounce=True),)}, id="a bounce"),
        pytest.param({"events": (event("ola@own.example"),)}, id="an event's title and notes"),
        pytest.param({"events": (event("eve@evil.example", EVIL),)}, id="a guest of a stranger's event"),
        pytest.param({"events": (event(None, EVIL),)}, id="a guest of nobody's event"),
        pytest.param({"events": (event(EVIL),)}, id="the organizer of some event"),
        pytest.param({"contacts": (RECORD,)}, id="other people's records"),
        pytest.param({"typed": (Typed("mallory@good.example", 9),)}, id="another address that was typed"),
    ],
)
def test_attack_10_an_address_that_stands_only_in_words_is_refused(sources: dict[str, object]) -> None:
    assert found(EVIL, **sources) == UNKNOWN


@pytest.mark.parametrize(
    ("address", "sources", "rule", "row"),
    [
        ("anna@muster.example", {"thread": (kept(7),)}, "thread", "mail:7"),
        ("bob@firm.example", {"thread": (kept(7),)}, "thread", "mail:7"),
        ("BOB@firm.example", {"thread": (kept(7),)}, "thread", "mail:7"),
        ("anna@private.example", {"contacts": (RECORD,)}, "contact", "contact:3"),
        ("guest@x.example", {"events": (event("ola@home.example", "guest@x.example"),)}, "attendee", "event:5"),
        ("eve@x.example", {"invited_to": event("eve@x.example", "ola@own.example")}, "organizer", "event:5"),
        ("new@x.example", {"typed": (Typed("New@x.example", 9),)}, "typed", "message:9"),
        ("else@x.example", {"chosen": (Chosen("else@x.example", 4),)}, "chosen", "card:4"),
        ("ola@home.example", {}, "own", ""),
    ],
    ids=["From", "Cc", "in capitals", "contact", "attendee", "organizer", "typed", "chosen", "own"],
)
def test_an_allowed_source_is_named_with_its_row(address: str, sources: dict[str, object], rule: str, row: str) -> None:
    traced = found(address, **sources)
    assert isinstance(traced, Provenance)
    assert (traced.rule, traced.row) == (rule, row)


def test_attack_15_the_card_can_tell_who_put_somebody_into_the_thread() -> None:
    hijack = kept(
        9, sender=Address("Eve", "eve@evil.example"), cc=(Address("", EVIL),), in_reply_to="first@muster.example"
    )
    traced = found(EVIL, thread=(kept(7), hijack))
    assert isinstance(traced, Provenance)
    assert (traced.place, traced.said_by, traced.row) == ("cc", "eve@evil.example", "mail:9")


def test_the_latest_mail_of_the_thread_is_named() -> None:
    traced = found("anna@muster.example", thread=(kept(7), kept(8)), contacts=(RECORD,))
    assert isinstance(traced, Provenance)
    assert (traced.row, traced.place, traced.name) == ("mail:8", "from", "Anna Muster")


def test_attack_13_a_lookalike_of_a_contact_is_no_contact() -> None:
    assert found("anna@musster.example", contacts=(RECORD,)) == UNKNOWN
    assert found("anna+x@muster.example", contacts=(RECORD,)) == UNKNOWN
    assert found("аnna@muster.example", contacts=(RECORD,)) == Refusal("no plain address")


def test_everybody_of_an_envelope_is_looked_up() -> None:
    people = (Recipient("", "anna@muster.example"), Recipient("", EVIL))
    traced, refused = trace_all(people, Sources(own=OWN, contacts=(RECORD,)))
    assert set(traced) == {"anna@muster.example"}
    assert refused == {EVIL: UNKNOWN}


# --- attack 15: robots and lists ---


@pytest.mark.parametrize("address", ["no-reply@x.example", "mailer-daemon@x.example", "team-request@x.example"])
def test_attack_15_nobody_writes_to_a_robot_even_when_it_was_typed(address: str) -> None:
    record = StoredContact(4, 1, Contact("Shop", (address,), "google"))
    traced = found(address, contacts=(record,), typed=(Typed(address, 9),), thread=(kept(sender=Address("", address)),))
    assert traced == Refusal("nobody reads that address")


@pytest.mark.parametrize(
    "header",
    [("list-post", "<mailto:team@lists.example>"), ("list-post", "<MAILTO:Team@lists.example?subject=x>"),
     ("list-unsubscribe", "<https://x.example/u>, <mailto:team@lists.example?subject=bye>")],
)  # fmt: skip
def test_attack_15_the_address_of_a_list_is_refused(header: tuple[str, str]) -> None:
    mail = kept(7, list_headers=(header,), to=(Address("", "team@lists.example"),))
    traced = found("team@lists.example", thread=(mail,), typed=(Typed("team@lists.example", 9),))
    assert traced == Refusal("the address of a list")


# --- attack 11: where an answer goes ---


def test_attack_11_an_answer_goes_to_the_sender() -> None:
    assert answerable(a_mail(), OWN) == Answerable("anna@muster.example")


def test_attack_11_another_reply_to_is_told_and_is_no_recipient() -> None:
    mail = a_mail(reply_to=(Address("Anna", EVIL), Address("", "ANNA@muster.example")))
    assert answerable(mail, OWN) == Answerable("anna@muster.example", (EVIL,))
    thread = (kept(7, reply_to=mail.reply_to),)
    assert found(EVIL, thread=thread) == UNKNOWN
    assert may_choose(EVIL, mail)
    chosen = found(EVIL, thread=thread, chosen=(Chosen(EVIL, 4),))
    assert isinstance(chosen, Provenance)
    assert chosen.rule == "chosen"


def test_attack_11_only_what_stands_in_reply_to_can_be_chosen() -> None:
    assert not may_choose(EVIL, a_mail(text=EVIL, cc=(Address("", EVIL),)))
    assert not may_choose("noreply@evil.example", a_mail(reply_to=(Address("", "noreply@evil.example"),)))


@pytest.mark.parametrize("address", ["ola@own.example", "OLA@home.example"])
def test_attack_11_a_mail_that_claims_to_be_the_owners_is_not_answered(address: str) -> None:
    mail = a_mail(sender=Address("Ola", address))
    assert answerable(mail, OWN) == Refusal("it claims to come from the owner's own address")


# --- attack 12: who sent it ---


@pytest.mark.parametrize(
    "changes",
    [{"senders_disagree": True}, {"sender": None}, {"sender": Address("a@good <b@evil>", None)}, {"sender": Address("", "a@b@c")}],
    ids=["two From headers", "no From", "unreadable", "no address"],
)  # fmt: skip
def test_attack_12_a_mail_whose_headers_disagree_is_not_replyable(changes: dict[str, object]) -> None:
    assert answerable(a_mail(**changes), OWN) == Refusal("the headers disagree about who sent it")


@pytest.mark.parametrize(
    "changes",
    [{"is_automated": True}, {"is_bounce": True}, {"sender": Address("Shop", "no-reply@shop.example")}],
    ids=["a list", "a bounce", "no-reply"],
)
def test_attack_15_what_no_person_sent_is_not_answered(changes: dict[str, object]) -> None:
    assert answerable(a_mail(**changes), OWN) == Refusal("a list or a robot sent it")


# --- attack 16: invitations ---

INVITED = event("anna@muster.example", "ola@own.example")


def test_attack_16_an_invitation_is_answered_to_the_organizer_who_sent_it() -> None:
    assert answerable_event(INVITED, a_mail(), OWN) == Answerable("anna@muster.example")
    assert answerable_event(INVITED, None, OWN) == Answerable("anna@muster.example")


@pytest.mark.parametrize(
    ("invited", "changes", "because"),
    [
        (event(EVIL), {}, "the organizer did not send the invitation"),
        (INVITED, {"sender": Address("", EVIL)}, "the organizer did not send the invitation"),
        (INVITED, {"senders_disagree": True}, "the headers disagree about who sent it"),
        (event(None), {}, "the event names no organizer"),
        (event(""), {}, "the event names no organizer"),
        (event("ola@home.example"), {}, "it is the owner's own event"),
        (event("noreply@x.example"), {}, "nobody reads that address"),
    ],
    ids=["another organizer", "a forwarder", "two senders", "none", "unreadable", "own", "a robot"],
)
def test_attack_16_another_invitation_is_not_answered(
    invited: StoredEvent, changes: dict[str, object], because: str
) -> None:
    assert answerable_event(invited, a_mail(**changes), OWN) == Refusal(because)


# --- contacts ---


def test_a_contact_is_never_made_from_mail() -> None:
    with pytest.raises(BadInput):
        Contact("Mallory", (EVIL,), "mail")  # type: ignore[arg-type]


def test_a_contact_holds_only_what_can_be_read() -> None:
    made = make(
        " Anna\u202e \n Muster ", ["mailto:Anna@MUSTER.example", "anna", "anna@muster.example,b@x.example"], "google"
    )
    assert made == Contact("Anna Muster", ("Anna@muster.example",), "google")
    with pytest.raises(BadInput):
        Contact("Anna", ("Anna <anna@muster.example>",), "vcard")


def test_of_two_records_the_owners_word_counts() -> None:
    younger = replace(RECORD, id=9, contact=Contact("Anna M.", ("ANNA@muster.example",), "owner"))
    assert of_address("anna@muster.example", (RECORD, younger)) == younger
    assert of_address("anna@muster.example", (younger, RECORD)) == younger
    assert of_address(EVIL, (RECORD, younger)) is None


def test_a_name_can_be_made_plain() -> None:
    assert plain_name("Mum \u2764\ufe0f  x") == "Mum \u2764 x"
    assert len(plain_name("a" * 500)) == 200
