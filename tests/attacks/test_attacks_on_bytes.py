"""Attack cases 1, 14 and 15, end to end: what leaves is what was tapped, to the byte, and nothing that an argument adds."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from memory.contact import Contact
from memory.envelope import RECIPIENTS_MAX, from_json
from memory.errors import BadInput
from memory.mail import Attachment
from memory.recipient import Recipient
from tests.doubles.clock import FakeClock
from tests.doubles.hand import hand
from tests.exit_room import ANNA, BOB, EVA, IDENTITY, OLA, Office, Way, a_mail_to, letter, one_row, open_office
from tools.exit.asking import Asked, Refused

CONTACTS = (Contact("Anna Muster", (ANNA,), "owner"), Contact("Bob", (BOB,), "owner"), Contact("Eva", (EVA,), "owner"))

Held = dict[str, Any]

PERSON = {"name": "", "address": EVA}

CHANGES: dict[str, Callable[[Held], Any]] = {
    "another recipient": lambda e: e.update(to=[PERSON]),
    "one recipient more": lambda e: e["to"].append(PERSON),
    "a recipient's case": lambda e: e["to"][0].update(address="Anna@muster.example"),
    "another order of recipients": lambda e: e["cc"].reverse(),
    "a copy": lambda e: e["cc"].append(PERSON),
    "a blind copy": lambda e: e.update(bcc=[PERSON]),
    "a copy made blind": lambda e: (e.update(bcc=e["cc"][:1]), e.update(cc=e["cc"][1:])),
    "a letter of the subject": lambda e: e.update(subject="Lunch!"),
    "the subject's case": lambda e: e.update(subject="lunch"),
    "a letter of the body": lambda e: e.update(body="Friday suits me!"),
    "something invisible in the body": lambda e: e.update(body="Fri\u200bday suits me."),
    "a letter that NFKC takes for the same": lambda e: e.update(body="Friday suits me\uff0e"),
    "blanks at a line's end": lambda e: e.update(body="Friday suits me. "),
    "the sender's name": lambda e: e["identity"].update(name="Ola  Owner"),
    "the sender's address": lambda e: e["identity"].update(address="ola2@own.example"),
    "the thread": lambda e: e.update(in_reply_to="other@muster.example", references=["other@muster.example"]),
    "the Message-ID": lambda e: e.update(message_id="other@own.example"),
}


def tamper(database: Path, change: Callable[[Held], Any]) -> None:
    """Somebody writes another draft in the place of the one that was approved, in its one spelling."""
    held = json.loads(one_row(database, "SELECT envelope FROM drafts ORDER BY id DESC"))
    change(held)
    spelled = json.dumps(held, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    from_json(spelled.encode())  # it is a draft like any other, so only the digest can tell
    with hand(database) as connection:
        connection.execute("UPDATE drafts SET envelope = ? WHERE id = (SELECT max(id) FROM drafts)", (spelled,))


def way_out(database: Path, *, there: bool) -> None:
    """Whether the account can send just now."""
    identity = OLA if there else "away@own.example"
    with hand(database) as connection:
        connection.execute("UPDATE accounts SET identity = ?", (identity,))


async def approved(office: Office) -> None:
    """A yes that can't be acted on yet."""
    cc = (Recipient("Bob", BOB), Recipient("", "cy@firm.example"))
    office.server.owner_sends("write to cy@firm.example: hello")
    await office.settled()
    await office.taps("Discard")
    await office.proposes(a_mail_to(ANNA, cc=cc), answers_id=1)
    way_out(office.product.settings.database, there=False)
    await office.taps("Send")
    assert (office.sent, office.approvals[-1]) == ([], "approved")
    assert "It is held until the account can send again." in office.whole_chat()


async def test_attack_01_whatever_differs_by_a_byte_after_the_tap_is_held_and_asked_anew(
    database: Path, clock: FakeClock
) -> None:
    async with open_office(database, clock, contacts=CONTACTS) as office:
        for name, change in CHANGES.items():
            await approved(office)
            tamper(database, change)
            way_out(database, there=True)
            # Beyond the hour's cap of cards, and within the yes' own time.
            await office.time_passes(timedelta(hours=2))
            assert office.sent == [], name
            assert office.approvals[-1] == "expired", name
            assert office.refusals[-1] == "what would leave is not what was approved", name
            assert "What would leave is not what you approved, so it is held." in office.text(office.card("Ask again"))
            with hand(database) as connection:
                connection.execute("UPDATE approvals SET state = 'void' WHERE state = 'expired'")
                connection.execute("UPDATE approvals SET matter = id, digest = id")
        assert office.dispatches == []


async def test_attack_01_what_is_asked_anew_is_what_stands_there_now_and_takes_a_yes_of_its_own(
    database: Path, clock: FakeClock
) -> None:
    async with open_office(database, clock, contacts=CONTACTS) as office:
        await approved(office)
        tamper(database, CHANGES["a blind copy"])
        way_out(database, there=True)
        await office.time_passes(timedelta(minutes=2))
        await office.taps("Ask again")
        assert office.sent == []
        assert f"Bcc (hidden from the others): {EVA}" in office.text(office.card())
        await office.taps("Send")
        assert [set(one.recipients) for one in office.sent] == [{ANNA, BOB, "cy@firm.example", EVA}]


async def test_attack_01_a_draft_that_is_changed_after_its_yes_was_spent_does_not_leave_either(
    database: Path, clock: FakeClock
) -> None:
    async with open_office(database, clock, contacts=CONTACTS) as office:
        await office.proposes(a_mail_to(ANNA), answers_id=1)
        # The provider hangs up, so that the dispatch waits for its next attempt.
        office.outside.server.answers.append("451 4.3.0 later")
        await office.taps("Send")
        assert office.dispatches == ["taken"]
        tamper(database, CHANGES["a letter of the body"])
        await office.time_passes(timedelta(minutes=1))
        assert (office.sent, office.dispatches) == ([], ["failed"])


async def test_attack_01_an_attachment_whose_kept_copy_was_changed_does_not_leave(
    database: Path, clock: FakeClock
) -> None:
    folder = database.parent / "papers"
    folder.mkdir()
    (folder / "map.txt").write_text("Turn left at the mill, then go on along the river.\n")
    async with open_office(database, clock, contacts=CONTACTS, attach_from=str(folder)) as office:
        await office.says(f"write to Anna Muster with {folder}/map.txt: The map\nHere it is.")
        (kept,) = (path for path in (database.parent / "outgoing").rglob("*") if path.is_file())
        kept.chmod(0o600)
        kept.write_text("Turn right at the mill, then go on along the river.\n"[: kept.stat().st_size])
        await office.taps("Send")
        assert (office.sent, office.dispatches) == ([], ["failed"])


@pytest.mark.parametrize("by", ["smtp", "gmail"])
async def test_attack_01_what_was_shown_is_what_the_provider_gets_to_the_last_letter(
    database: Path, clock: FakeClock, by: Way
) -> None:
    body = "Grüße – «schön»!\n\n  eingerückt\t\n.\n..\nFrom here: 100 %\n> zitiert\n=20 =C3\n" + "lang " * 300
    async with open_office(database, clock, by=by, contacts=CONTACTS) as office:
        envelope = a_mail_to(
            ANNA, cc=(Recipient("Bob", BOB),), bcc=(Recipient("Eva", EVA),), body=body, subject="Straße → 7"
        )
        await office.proposes(envelope, answers_id=1)
        await office.taps("Send")
        (one,) = office.sent
        assert one.words == body
        assert (one.message["subject"], one.message["from"]) == ("Straße → 7", f"Ola Owner <{OLA}>")
        assert sorted(one.recipients) == sorted((ANNA, BOB, EVA))
        assert one.message["bcc"] is None
        assert EVA.encode() not in one.content
        assert one.message["message-id"] == f"<{envelope.message_id}>"


# --- 14: line ends ---

BREAKS = ("\r\n", "\n", "\r", "\r\n\r\n", "\x0b", "\x0c", "\x85", "\u2028", "\x00")


@pytest.mark.parametrize("end", BREAKS, ids=[repr(end) for end in BREAKS])
def test_attack_14_a_line_end_in_what_becomes_a_header_makes_no_envelope(end: str) -> None:
    injected = f"Lunch{end}Bcc: {EVA}"
    for make in (
        lambda: a_mail_to(ANNA, subject=injected),
        lambda: a_mail_to(ANNA, identity=replace(IDENTITY, name=injected)),
        lambda: a_mail_to(ANNA, to=(Recipient(injected, ANNA),)),
        lambda: a_mail_to(ANNA, to=(Recipient("", f"{ANNA}{end}"),)),
        lambda: a_mail_to(ANNA, message_id=f"a{end}b@own.example"),
        lambda: a_mail_to(ANNA, in_reply_to=f"a{end}b@own.example"),
        lambda: a_mail_to(ANNA, references=(f"a{end}b@own.example",)),
        lambda: a_mail_to(ANNA, attachments=(Attachment(f"a{end}b.txt", "text/plain", 1, "a" * 64),)),
        lambda: a_mail_to(ANNA, attachments=(Attachment("b.txt", f"text/plain{end}x: y", 1, "a" * 64),)),
    ):
        with pytest.raises(BadInput):
            make()


async def test_attack_14_a_mail_with_line_ends_in_its_headers_is_answered_without_them(
    database: Path, clock: FakeClock
) -> None:
    evil = (
        letter(subject="Lunch")
        .replace(b"Subject: Lunch", f"Subject: =?utf-8?q?Lunch=0D=0ABcc:_{EVA}=0D=0A=0D=0Aa_body?=".encode())
        .replace(b"From: Anna Muster", b"From: =?utf-8?q?Anna=0D=0ABcc:_x?=")
        .replace(
            b"Message-ID: <first@muster.example>", b"Message-ID: <first@muster.example>\nReferences: <a\n b>\n <c@d>"
        )
    )
    async with open_office(database, clock, mails=[evil]) as office:
        await office.says(f"reply to {ANNA}: Friday suits me.")
        await office.taps("Send")
        (one,) = office.sent
        assert one.recipients == (ANNA,)
        head = one.content.partition(b"\r\n\r\n")[0]
        assert re.findall(rb"(?im)^bcc:", head) == []
        assert one.text == "Friday suits me."


# --- 15: what an argument adds ---


async def test_attack_15_a_blind_copy_that_a_model_adds_stands_on_the_card_and_its_address_is_traced(
    database: Path, clock: FakeClock
) -> None:
    async with open_office(database, clock, contacts=CONTACTS) as office:
        await office.proposes(a_mail_to(ANNA, bcc=(Recipient("", BOB),)), answers_id=1)
        assert f"Bcc (hidden from the others): {BOB}" in office.text(office.card())
        refused = await office.proposes(a_mail_to(ANNA, bcc=(Recipient("", "mallory@evil.example"),)), answers_id=1)
        assert isinstance(refused, Refused)
        assert list(refused.refused) == ["mallory@evil.example"]


def test_attack_15_nobody_writes_to_a_thousand_people() -> None:
    for most in (RECIPIENTS_MAX + 1, 1000):
        with pytest.raises(BadInput, match="recipients"):
            a_mail_to(*(f"p{number}@x.example" for number in range(most)))
    assert len(a_mail_to(*(f"p{number}@x.example" for number in range(RECIPIENTS_MAX))).to) == RECIPIENTS_MAX


async def test_attack_15_list_addresses_robots_other_identities_and_other_threads_are_refused(
    database: Path, clock: FakeClock
) -> None:
    mails = [
        letter(),
        letter(message_id="second@muster.example", subject="Other"),
        letter(
            to=f"club@lists.example, {OLA}",
            message_id="third@muster.example",
            List_Post="<mailto:club@lists.example>",
            List_Id="<club.lists.example>",
        ),
    ]
    everybody = (*CONTACTS, Contact("Robot", ("no-reply@muster.example",), "owner"))
    async with open_office(database, clock, mails=mails, contacts=everybody) as office:
        proposals = {
            "a list": a_mail_to("club@lists.example"),
            "a robot": a_mail_to("no-reply@muster.example"),
            "another account": a_mail_to(ANNA, identity=replace(IDENTITY, account="home")),
            "another address": a_mail_to(ANNA, identity=replace(IDENTITY, address="boss@own.example")),
            "another thread": a_mail_to(
                ANNA, in_reply_to="second@muster.example", references=("second@muster.example",)
            ),
            "a thread that nobody knows": a_mail_to(ANNA, in_reply_to="x@y", references=("x@y",)),
            "a longer chain": a_mail_to(
                ANNA, in_reply_to="first@muster.example", references=("x@y", "first@muster.example")
            ),
        }
        for name, envelope in proposals.items():
            answers = 3 if name == "a list" else 1
            assert isinstance(await office.proposes(envelope, answers_id=answers), Refused), name
        assert office.cards() == []
        assert office.approvals == []
        right = a_mail_to(ANNA, in_reply_to="first@muster.example", references=("first@muster.example",))
        assert isinstance(await office.proposes(right, answers_id=1), Asked)
