"""The introduction playbook, end to end: three messages, three taps, and the third only on the target's own yes."""

import json
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from memory.contact import Contact
from memory.envelope import from_json
from memory.introduction import SILENCE_FOR
from memory.ledger import Tables
from tests.doubles.clock import FakeClock
from tests.exit_room import OLA, Office, letter, open_office
from tests.mail_arrives import arrives
from tools.files.mail import read_mail

ANNA, JONAS = "anna@muster.example", "jonas@klein.example"
CONTACTS = (
    Contact("Anna Muster", (ANNA,), "vcard"),
    Contact("Jonas Klein", (JONAS, "jonas@home.example"), "vcard"),
)
REQUEST = letter(
    "Could you introduce me to Jonas Klein?", subject="An introduction?", message_id="request@muster.example"
)


@pytest.fixture
async def office(database: Path, clock: FakeClock) -> AsyncIterator[Office]:
    async with open_office(database, clock, mails=(REQUEST,), contacts=CONTACTS) as opened:
        yield opened


def stage(office: Office) -> str:
    return str(office.rows("SELECT stage FROM introductions")[0][0])


def decisions(office: Office) -> list[tuple[str, str]]:
    return office.rows("SELECT decided, because FROM decisions WHERE subject = 'introduction:1' ORDER BY id")  # type: ignore[return-value]


def answer(
    office: Office, text: str, *, number: int = 0, sender: str = f"Jonas Klein <{JONAS}>", **headers: str
) -> bytes:
    """The target's answer to the question that left first."""
    asked = str(office.sent[0].message["Message-ID"])
    return letter(
        text,
        sender=sender,
        subject="Re: A short question",
        message_id=f"answer{number}@klein.example",
        In_Reply_To=asked,
        References=asked,
        **headers,
    )


def later(raw: bytes) -> bytes:
    """The same mail, written half an hour after the others."""
    return raw.replace(b"08:00:00 +0000", b"08:30:00 +0000")


async def asked(office: Office) -> None:
    """The first two messages are out."""
    await office.says("introduce Anna to Jonas, Anna asked")
    await office.taps("Send")
    await office.taps("Send")


async def test_it_is_asked_who_asked_for_it(office: Office) -> None:
    (question,) = await office.says("introduce Anna to Jonas")
    assert question.startswith("Who asked for it?")
    assert office.product.labels() == ["Anna", "Jonas", "None of these"]
    assert office.approvals == []
    await office.taps("Anna")
    assert office.approvals == ["asked"]
    assert f"To: {JONAS}" in office.text(office.card())


async def test_three_messages_three_taps(office: Office) -> None:
    await office.says("introduce Anna to Jonas, Anna asked")
    first = office.text(office.card())
    assert JONAS in first
    assert not any(word in first for word in ("Anna", ANNA, "request@muster.example"))
    assert office.sent == []
    await office.taps("Send")
    assert [mail.recipients for mail in office.sent] == [(JONAS,)]
    second = office.text(office.card())
    assert ANNA in second
    assert not any(word in second for word in ("Jonas", "Klein", JONAS))
    await office.taps("Send")
    assert [mail.recipients for mail in office.sent] == [(JONAS,), (ANNA,)]
    assert stage(office) == "waiting"
    assert office.approvals == ["spent", "spent"], "the third is not even asked"
    await arrives(office, answer(office, "Yes, please do introduce us."))
    third = office.text(office.card())
    assert ANNA in third
    assert JONAS in third
    await office.taps("Send")
    assert set(office.sent[2].recipients) == {ANNA, JONAS}
    assert stage(office) == "done"
    assert [decided for decided, _ in decisions(office)] == [
        "to ask",
        "to answer",
        "waiting",
        "to introduce",
        "done",
    ]
    for mail in office.sent[:2]:
        other = b"Anna" if JONAS in mail.recipients else b"Jonas"
        assert other not in mail.content


async def test_a_no_ends_it_with_a_row_and_a_line(office: Office) -> None:
    await asked(office)
    await arrives(office, answer(office, "No, thank you."))
    assert stage(office) == "ended"
    assert decisions(office)[-1] == ("ended", "the target declined")
    assert (
        "The introduction of Anna Muster to Jonas Klein goes no further: they would rather not." in office.whole_chat()
    )
    assert len(office.sent) == 2


QUOTED = {
    "a yes in the quoted question below": "I am not sure yet what it is about.\n\nOn Mon, Ola Owner wrote:\n> Yes, please do introduce us.\n> Happy to.",
    "a yes in the quoted question above": "> Yes, please do introduce us.\n\nHm.",
    "a forwarded yes": "Hm.\n\n-----Original Message-----\nFrom: Jonas\n\nYes, please go ahead.",
}


@pytest.mark.parametrize("case", QUOTED)
async def test_a_yes_that_stands_in_quoted_history_does_not_count(office: Office, case: str) -> None:
    await asked(office)
    await arrives(office, answer(office, QUOTED[case]))
    assert stage(office) == "waiting"
    assert office.approvals == ["spent", "spent"]


NO_ANSWER = {
    "somebody else": lambda office: answer(office, "Yes, please do.", sender="Eva <eva@evil.example>"),
    "somebody else by that name": lambda office: answer(
        office, "Yes, please do.", sender="Jonas Klein <jonas@k1ein.example>"
    ),
    "the target, about something else": lambda office: letter(
        "Yes, please do.", sender=f"Jonas Klein <{JONAS}>", subject="Lunch", message_id="lunch@klein.example"
    ),
    "a mail that fails its check": lambda office: answer(
        office,
        "Yes, please do.",
        Authentication_Results="mx.own.example; dmarc=fail header.from=klein.example; spf=fail; dkim=fail",
    ),
    "a robot of the target's": lambda office: answer(office, "Yes, please do.", Auto_Submitted="auto-replied"),
}


@pytest.mark.parametrize("case", NO_ANSWER)
async def test_a_yes_of_anybody_but_the_target_does_not_count(office: Office, case: str) -> None:
    await asked(office)
    await arrives(office, NO_ANSWER[case](office))
    assert stage(office) == "waiting"
    assert office.approvals == ["spent", "spent"]


async def test_an_unclear_answer_is_asked_about_with_two_buttons_once(office: Office) -> None:
    await asked(office)
    await arrives(office, answer(office, "Perhaps, if it is about gardens. Who is it?"))
    assert office.product.labels() == ["It is a yes", "It is a no"]
    assert "Perhaps, if it is about gardens." in office.text(office.product.newest)
    await arrives(office, letter("Something else", message_id="else@muster.example"))
    assert len(office.cards("It is a yes")) == 1
    await office.taps("It is a yes")
    assert stage(office) == "to introduce"
    await office.taps("Send")
    assert stage(office) == "done"
    assert len(office.sent) == 3


async def test_the_owner_may_read_a_no(office: Office) -> None:
    await asked(office)
    await arrives(office, answer(office, "Perhaps later."))
    await office.taps("It is a no")
    assert stage(office) == "ended"
    assert decisions(office)[-1] == ("ended", "the target declined, says the owner")


async def test_an_answer_before_the_asker_heard_is_read_when_they_have(office: Office) -> None:
    await office.says("introduce Anna to Jonas, Anna asked")
    await office.taps("Send")
    await arrives(office, answer(office, "Yes, please do introduce us."))
    assert stage(office) == "to answer"
    assert office.approvals == ["spent", "asked"], "the asker hears first"
    await office.taps("Send")
    assert stage(office) == "to introduce"
    assert set(office.approvals) == {"spent", "asked"}


async def test_who_agreed_and_then_says_no_before_the_tap_is_not_introduced(office: Office) -> None:
    await asked(office)
    await arrives(office, answer(office, "Yes, please do introduce us."))
    card = office.card()
    data = office.server.buttons(card)["Send"]
    await arrives(office, later(answer(office, "No, thank you.", number=1)))
    assert stage(office) == "ended"
    assert office.approvals == ["spent", "spent", "void"]
    await office.after(lambda: office.server.taps(card, data, forged=True))
    assert len(office.sent) == 2


async def test_a_no_that_nobody_has_judged_yet_holds_the_third_at_the_exit(office: Office) -> None:
    await asked(office)
    await arrives(office, answer(office, "Yes, please do introduce us."))
    raw = later(answer(office, "No, thank you.", number=1))

    def slip_in(t: Tables) -> None:
        t.mails.keep(1, read_mail(raw, now=office.clock.now()), now=office.clock.now(), account_id=1, uid="x:9")

    await office.product.house.ledger.write(slip_in)
    await office.taps("Send")
    assert len(office.sent) == 2, "the answer is read anew when it is to leave"
    assert "the target has not agreed" in office.refusals


async def test_silence_ends_it(office: Office) -> None:
    await asked(office)
    await office.time_passes(SILENCE_FOR - timedelta(days=2))
    assert stage(office) == "waiting"
    await office.time_passes(timedelta(days=3))
    assert stage(office) == "ended"
    assert decisions(office)[-1] == ("ended", "the target did not answer")
    assert "no answer came" in office.whole_chat()


async def test_a_discarded_card_ends_it(office: Office) -> None:
    await office.says("introduce Anna to Jonas, Anna asked")
    await office.taps("Discard")
    assert stage(office) == "ended"
    assert decisions(office)[-1] == ("ended", "its card was discarded")
    assert office.sent == []


async def test_the_owner_can_stop_it_while_it_waits(office: Office) -> None:
    await asked(office)
    assert await office.says("stop the introduction") == ["It goes no further."]
    await arrives(office, answer(office, "Yes, please do introduce us."))
    assert (stage(office), len(office.sent)) == ("ended", 2)


LEAKS = {
    "the name": "Hello Jonas,\n\nAnna Muster would like to meet you. May I introduce you?",
    "the first name": "Hello Jonas,\n\nAnna would like to meet you.",
    "the address": f"Hello Jonas,\n\n{ANNA} would like to meet you.",
    "the address in words": "Hello Jonas,\n\nwrite to anna at muster dot example.",
    "the name with dots over it": "Hello Jonas,\n\nA\u0308nna Muster would like to meet you.",
}


@pytest.mark.parametrize("case", LEAKS)
async def test_an_edit_that_names_the_other_one_is_refused_and_the_card_stays(office: Office, case: str) -> None:
    await office.says("introduce Anna to Jonas, Anna asked")
    await office.taps("Edit")
    await office.says(LEAKS[case])
    assert office.approvals == ["asked"]
    assert "it names the other one" in office.refusals
    assert "It names the other one." in office.whole_chat()


async def test_an_edit_that_names_nobody_is_what_leaves_and_the_answer_to_it_counts(office: Office) -> None:
    await office.says("introduce Anna to Jonas, Anna asked")
    await office.taps("Edit")
    await office.says("Hi Jonas, may I connect you with a friend who builds gardens?")
    await office.taps("Send")
    assert [mail.text for mail in office.sent] == ["Hi Jonas, may I connect you with a friend who builds gardens?"]
    await office.taps("Send")
    await arrives(office, answer(office, "Yes, gladly."))
    assert stage(office) == "to introduce"


async def test_somebody_without_an_address_is_asked_for(office: Office) -> None:
    (said,) = await office.says("introduce Anna to Zoe, Anna asked")
    assert "Zoe" in said
    assert office.rows("SELECT count(*) FROM introductions") == [(0,)]


async def test_an_introduction_that_is_on_its_way_is_not_begun_again(office: Office) -> None:
    await office.says("introduce Anna to Jonas, Anna asked")
    (said,) = await office.says("introduce Anna to Jonas, Anna asked")
    assert said.startswith("That introduction is on its way")
    assert office.approvals == ["asked"]


async def test_nothing_of_another_plan_passes_as_a_step(office: Office) -> None:
    """A draft that only says that it belongs to an introduction is weighed by it."""
    await office.says("introduce Anna to Jonas, Anna asked")
    (spelled,) = office.rows("SELECT envelope FROM drafts")[0]
    envelope = from_json(spelled.encode())
    for playbook, body in (
        ("introduction:1:introduce", "Hello"),
        ("introduction:1:answer the asker", "Hello"),
        ("introduction:9:ask the target", "Hello"),
        ("introduction:1:ask the target", "Hello from Anna Muster"),
        ("something:1", "Hello"),
    ):
        await office.proposes(replace(envelope, body=body, message_id=f"x{len(body)}@own.example"), playbook=playbook)
    assert office.approvals == ["asked"]
    assert len(office.refusals) == 5


async def test_a_drafter_that_names_the_other_one_is_not_listened_to(database: Path, clock: FakeClock) -> None:
    async with open_office(database, clock, mails=(REQUEST,), contacts=CONTACTS, model=True) as office:
        provider = office.product.provider
        provider.script("You write one mail in the name", json.dumps({"body": "Dear Jonas, Anna asked for you. Ola"}))
        provider.script("You write one mail in the name", json.dumps({"body": "Hi Anna, I have asked. Ola"}))
        await office.says("introduce Anna to Jonas, Anna asked")
        first = office.text(office.card())
        assert "somebody I know would like to get in touch" in first
        request = json.dumps(provider.requests[-1].body)
        assert "Muster" not in request, "the drafter of the first message does not even know the other name"
        await office.taps("Send")
        assert "I have asked. Ola" in office.text(office.card())
        assert office.sent[0].sender == OLA
