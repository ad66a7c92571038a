"""Envelopes: the digest covers every byte of every field, and nothing that could do harm is ever in one."""

import json
from dataclasses import fields, replace
from typing import Any

import pytest
from hypothesis import given

from memory.canonical import canonical
from memory.envelope import (
    ATTACHED_MAX_BYTES,
    RECIPIENTS_MAX,
    CalendarAct,
    Envelope,
    Identity,
    from_json,
    new_message_id,
    threaded,
)
from memory.errors import BadInput
from memory.mail import Attachment
from memory.recipient import Recipient
from tests.doubles.enveloped import ACT, ANNA, BOB, ENVELOPES, MAIL, a_mail

# --- attack 1: whatever differs by a byte is another envelope ---

CY = MAIL.bcc[0]
MAP, TXT = MAIL.attachments

CHANGES_OF_A_MAIL: dict[str, dict[str, Any]] = {
    "the account": {"identity": replace(MAIL.identity, account="home")},
    "the name we send under": {"identity": replace(MAIL.identity, name="Ola  Owner")},
    "the address we send from": {"identity": replace(MAIL.identity, address="ola2@own.example")},
    "a recipient added": {"to": (ANNA, Recipient("", "d@x.example"))},
    "a recipient swapped": {"to": (Recipient(ANNA.name, "anna@muster2.example"),)},
    "upper case before the @": {"to": (Recipient(ANNA.name, "Anna@muster.example"),)},
    "a tag": {"to": (Recipient(ANNA.name, "anna+x@muster.example"),)},
    "a recipient's name": {"to": (Recipient("anna Muster", ANNA.address),)},
    "cc taken away": {"cc": ()},
    "bcc taken away": {"bcc": ()},
    "bcc added": {"bcc": (CY, Recipient("", "d@x.example"))},
    "to and cc exchanged": {"to": MAIL.cc, "cc": MAIL.to},
    "cc made bcc": {"cc": (), "bcc": (*MAIL.bcc, *MAIL.cc)},
    "the subject's case": {"subject": "lunch on Friday"},
    "a space more in the subject": {"subject": "Lunch on Friday "},
    "a zero width in the subject": {"subject": "Lunch on\u200b Friday"},
    "a line end more": {"body": MAIL.body + "\n"},
    "a zero width in the text": {"body": MAIL.body.replace("noon", "no\u200bon")},
    "a look-alike letter": {"body": MAIL.body.replace("noon", "n\u043eon")},
    "no text": {"body": ""},
    "our own id": {"message_id": "0123abce@own.example"},
    "another thread": {"in_reply_to": "second@muster.example"},
    "a new thread": {"in_reply_to": ""},
    "references in another order": {"references": MAIL.references[::-1]},
    "a reference less": {"references": MAIL.references[:1]},
    "attachments in another order": {"attachments": (TXT, MAP)},
    "an attachment less": {"attachments": (MAP,)},
    "an attachment's bytes": {"attachments": (replace(MAP, sha256="a" * 63 + "b"), TXT)},
    "an attachment's name": {"attachments": (replace(MAP, name="Map.pdf"), TXT)},
    "an attachment's type": {"attachments": (replace(MAP, media_type="text/html"), TXT)},
    "an attachment's size": {"attachments": (replace(MAP, size_bytes=12_346), TXT)},
}  # fmt: skip

CHANGES_OF_AN_ACT: dict[str, Any] = {
    "action": "accept",
    "calendar": "other",
    "uid": "event-2@muster.example",
    "sequence": 3,
    "occurrence": "2026-03-06",
    "start": "2026-03-06T12:00:00+02:00",
    "end": "",
    "zone": "Europe/Vienna",
    "title": "lunch",
    "place": "",
    "guests": (BOB, ANNA),
    "comment": "An hour later",
}


@pytest.mark.parametrize("change", CHANGES_OF_A_MAIL.values(), ids=CHANGES_OF_A_MAIL.keys())
def test_attack_01_a_byte_more_or_less_is_another_digest(change: dict[str, Any]) -> None:
    assert replace(MAIL, **change).digest != MAIL.digest


def test_attack_01_every_field_of_an_envelope_is_tried_above() -> None:
    tried = {name for change in CHANGES_OF_A_MAIL.values() for name in change}
    # These two can't vary within the channel mail, and are tried below.
    assert tried == {field.name for field in fields(Envelope)} - {"channel", "format", "act"}
    assert set(CHANGES_OF_AN_ACT) == {field.name for field in fields(CalendarAct)}


@pytest.mark.parametrize("name", CHANGES_OF_AN_ACT)
def test_attack_01_a_change_of_an_act_is_another_digest(name: str) -> None:
    assert ACT.act is not None
    assert replace(ACT, act=replace(ACT.act, **{name: CHANGES_OF_AN_ACT[name]})).digest != ACT.digest


def test_attack_01_the_channel_is_in_the_digest() -> None:
    plain = replace(MAIL, attachments=())
    assert replace(plain, channel="letter").digest != plain.digest


def test_attack_01_composed_and_decomposed_letters_are_two_envelopes() -> None:
    assert replace(MAIL, body="caf\u00e9").digest != replace(MAIL, body="cafe\u0301").digest
    assert replace(MAIL, body="\ufb01t").digest != replace(MAIL, body="fit").digest


@given(ENVELOPES, ENVELOPES)
def test_attack_01_two_envelopes_share_a_digest_only_if_they_are_one(one: Envelope, other: Envelope) -> None:
    assert (one.digest == other.digest) == (one == other)
    assert (one.to_bytes() == other.to_bytes()) == (one == other)


@given(ENVELOPES)
def test_an_envelope_comes_back_from_its_spelling(envelope: Envelope) -> None:
    again = from_json(envelope.to_bytes())
    assert again == envelope
    assert again.digest == envelope.digest


def test_the_digest_is_pinned_so_that_stored_ones_stay_valid() -> None:
    assert MAIL.digest == "33f2a45b3445581815cbfd16a91df980826fa1aef2d387e1c540ae0b7578a78d"
    assert ACT.digest == "cf5eac318f93e799e4f7c5c5ada117ab50ff80a98a0dbca6346d5138e31b0899"


def test_the_same_words_to_the_same_people_have_one_matter_whatever_their_message_id() -> None:
    again = replace(MAIL, message_id="another@own.example")
    assert again.matter == MAIL.matter
    assert again.digest != MAIL.digest
    assert replace(MAIL, body="Other words").matter != MAIL.matter


# --- reading back strictly ---


def spelled(**changes: Any) -> bytes:
    return canonical({**json.loads(MAIL.to_bytes()), **changes})


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b"[]", id="a list"),
        pytest.param(b"\xff", id="no text"),
        pytest.param(b"[" * 100_000, id="nested without end"),
        pytest.param(spelled(form=2), id="another form"),
        pytest.param(spelled(approved=True), id="a field more"),
        pytest.param(spelled(to=[{"name": "", "address": "a@x.example", "type": "list"}]), id="a field more inside"),
        pytest.param(spelled(to=[{"address": "a@x.example"}]), id="a field less inside"),
        pytest.param(spelled(to={"name": "", "address": "a@x.example"}), id="no list"),
        pytest.param(spelled(subject=None), id="nothing for text"),
        pytest.param(spelled(subject=1), id="a number for text"),
        pytest.param(spelled(format="html"), id="another format"),
        pytest.param(spelled(attachments=[{"name": "a", "media_type": "a/b", "size_bytes": True, "sha256": "a" * 64}]), id="true for one"),
        pytest.param(spelled(subject="a\r\nBcc: b@x.example"), id="a header within a header"),
        pytest.param(b" " + MAIL.to_bytes(), id="a space before"),
        pytest.param(MAIL.to_bytes().replace(b'"channel"', b'"channel":"mail","channel"', 1), id="a key twice"),
        pytest.param(MAIL.to_bytes().replace(b"Lunch", b"\\u004cunch"), id="another spelling"),
    ],
)  # fmt: skip
def test_what_is_not_exactly_a_spelling_is_refused(data: bytes) -> None:
    with pytest.raises(BadInput):
        from_json(data)


def test_a_field_less_is_refused() -> None:
    held = json.loads(MAIL.to_bytes())
    del held["bcc"]
    with pytest.raises(BadInput):
        from_json(canonical(held))


# --- attack 14: line ends in what becomes a header ---

BREAKS = {"CR": "\r", "LF": "\n", "CRLF": "\r\n", "blank line": "\n\n", "NUL": "\0", "VT": "\x0b", "FF": "\x0c", "NEL": "\x85", "LS": "\u2028", "PS": "\u2029"}  # fmt: skip
ONE_LINERS = ["subject", "our name", "our account", "our address", "a name", "an address", "a file", "message_id", "in_reply_to", "references", "a media type"]  # fmt: skip


def with_text(where: str, text: str) -> Envelope:
    simple: dict[str, dict[str, Any]] = {
        "subject": {"subject": text},
        "message_id": {"message_id": text},
        "in_reply_to": {"in_reply_to": text},
        "references": {"references": (text,)},
    }
    if where in simple:
        return replace(MAIL, **simple[where])
    if where.startswith("our "):
        return replace(MAIL, identity=replace(MAIL.identity, **{where.removeprefix("our "): text}))
    if where == "a name":
        return replace(MAIL, to=(Recipient(text, "anna@muster.example"),))
    if where == "an address":
        return replace(MAIL, to=(Recipient("Anna", text),))
    return replace(MAIL, attachments=(replace(MAP, **{"name" if where == "a file" else "media_type": text}),))


@pytest.mark.parametrize("bad", BREAKS.values(), ids=BREAKS.keys())
@pytest.mark.parametrize("where", ONE_LINERS)
def test_attack_14_a_line_end_in_a_header_stops_the_draft(where: str, bad: str) -> None:
    with pytest.raises(BadInput):
        with_text(where, f"a{bad}Bcc: mallory@evil.example")


@pytest.mark.parametrize("name", ["calendar", "uid", "occurrence", "start", "end", "zone", "title", "place"])
def test_attack_14_a_line_end_in_a_field_of_an_event_stops_the_draft(name: str) -> None:
    assert ACT.act is not None
    with pytest.raises(BadInput):
        replace(ACT, act=replace(ACT.act, **{name: "a\nATTENDEE:mailto:mallory@evil.example"}))


@pytest.mark.parametrize("bad", ["\r", "\0", "\x1b[2J", "\x7f", "\ud800", "a\r\nb"], ids=ascii)
def test_attack_14_a_text_has_line_feeds_and_no_other_control(bad: str) -> None:
    with pytest.raises(BadInput):
        replace(MAIL, body=f"a{bad}b")


@pytest.mark.parametrize("bad", ["<a@x>", "a b", "a@x>\n", "ä@x", "a" * 900], ids=ascii)
def test_attack_14_an_id_that_no_header_carries_is_refused(bad: str) -> None:
    with pytest.raises(BadInput):
        replace(MAIL, references=(bad,))


# --- attack 15: what a model may try to add ---


def people(count: int) -> tuple[Recipient, ...]:
    return tuple(Recipient("", f"p{n}@x.example") for n in range(count))


@pytest.mark.parametrize("field", ["to", "cc", "bcc"])
def test_attack_15_a_thousand_recipients_are_refused_wherever_they_stand(field: str) -> None:
    with pytest.raises(BadInput, match="recipients"):
        replace(MAIL, **{field: people(1000)})


def test_attack_15_the_cap_counts_everybody() -> None:
    assert len(replace(MAIL, to=people(10), cc=(), bcc=people(20)[10:]).recipients) == RECIPIENTS_MAX
    with pytest.raises(BadInput, match="recipients"):
        replace(MAIL, to=people(10), cc=(BOB,), bcc=people(20)[10:])


def test_attack_15_guests_are_counted_and_are_recipients() -> None:
    assert ACT.act is not None
    assert set(ACT.recipients) == {ANNA, BOB}
    with pytest.raises(BadInput, match="recipients"):
        replace(ACT, act=replace(ACT.act, guests=people(21)))


@pytest.mark.parametrize(
    ("envelope", "change"),
    [
        pytest.param(MAIL, {"cc": (Recipient("x", "ANNA@muster.example"),)}, id="named twice"),
        pytest.param(MAIL, {"to": (), "cc": (), "bcc": ()}, id="nobody"),
        pytest.param(MAIL, {"to": ()}, id="only in copy"),
        pytest.param(MAIL, {"act": ACT.act}, id="an act on a mail"),
        pytest.param(MAIL, {"format": "html"}, id="html"),
        pytest.param(MAIL, {"channel": "Mail"}, id="no channel"),
        pytest.param(MAIL, {"to": (Recipient("", "anna@MUSTER.example"),)}, id="not the plain form"),
        pytest.param(MAIL, {"identity": Identity("work", "O\u202ela", "ola@own.example")}, id="a name that hides"),
        pytest.param(MAIL, {"subject": "a" * 501}, id="a long subject"),
        pytest.param(MAIL, {"body": "a" * 200_001}, id="a long text"),
        pytest.param(MAIL, {"references": ("a@x",) * 51}, id="many references"),
        pytest.param(ACT, {"act": None}, id="no act"),
        pytest.param(ACT, {"subject": "a"}, id="an act with a subject"),
        pytest.param(ACT, {"bcc": (BOB,)}, id="an act with a hidden recipient"),
        pytest.param(ACT, {"to": ()}, id="an answer to nobody"),
        pytest.param(ACT, {"attachments": MAIL.attachments}, id="an act with files"),
    ],
)
def test_attack_15_what_makes_no_envelope_is_refused(envelope: Envelope, change: dict[str, Any]) -> None:
    with pytest.raises(BadInput):
        replace(envelope, **change)


# --- attachments (25) ---


@pytest.mark.parametrize(
    "change",
    [
        {"name": "../../etc/passwd"},
        {"name": "a\\b.txt"},
        {"name": ".."},
        {"name": ""},
        {"name": "a" * 256},
        {"size_bytes": 0},
        {"size_bytes": 40 * 1024 * 1024},
        {"sha256": "A" * 64},
        {"sha256": ""},
        {"media_type": "pdf"},
        {"media_type": "text/plain; name=x"},
    ],
    ids=str,
)
def test_attack_25_an_attachment_that_is_none_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(BadInput):
        replace(MAIL, attachments=(replace(MAP, **change),))


def test_attack_25_the_limit_counts_all_of_them() -> None:
    half = Attachment("a.bin", "application/octet-stream", ATTACHED_MAX_BYTES // 2, "a" * 64)
    assert replace(MAIL, attachments=(half, half)).attachments
    with pytest.raises(BadInput, match="together"):
        replace(MAIL, attachments=(half, half, TXT))
    with pytest.raises(BadInput, match="attachments"):
        replace(MAIL, attachments=(TXT,) * 21)


# --- threads ---


def test_an_answer_stands_in_its_thread() -> None:
    assert threaded(a_mail()) == ("first@muster.example", ("zero@muster.example", "first@muster.example"))


def test_ids_that_no_header_carries_are_left_out_of_an_answer() -> None:
    odd = a_mail(message_id="a b", references=("x\ny", "ok@x", "ok@x"))
    assert threaded(odd) == ("", ("ok@x",))


def test_of_a_long_thread_the_first_and_the_latest_stay() -> None:
    _, references = threaded(a_mail(references=tuple(f"{n}@x" for n in range(200))))
    assert len(references) == 50
    assert (references[0], references[-1]) == ("0@x", "first@muster.example")
    assert replace(MAIL, references=references).references == references


def test_a_message_id_of_ours_is_new_each_time_and_names_no_machine() -> None:
    one, other = new_message_id("ola@own.example"), new_message_id("ola@own.example")
    assert one != other
    assert one.endswith("@own.example")
    assert replace(MAIL, message_id=one).message_id == one
