"""An envelope as the bytes that leave: every field arrives as it was approved, and nothing else does."""

import hashlib
import re
from dataclasses import replace
from datetime import UTC, datetime
from email import message_from_bytes
from email.policy import default

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.envelope import CalendarAct, Envelope, Identity
from memory.errors import BadInput
from memory.mail import Attachment
from memory.recipient import Recipient
from tests.doubles.enveloped import ACT, MAIL
from tests.servers.smtp_server import SmtpServer
from tools.files.mail import read_mail
from tools.smtp.message import Invitation, compose, is_of
from tools.smtp.reading import envelope_of
from tools.smtp.submission import Submission
from tools.smtp.transport import SmtpTransport, check

AT = datetime(2026, 3, 2, 8, 15, tzinfo=UTC)
ANNA = Identity("post", "Anna Brandt", "anna@example.org")
BEN = Recipient("Ben Ode", "ben@example.org")


def mail(**more) -> Envelope:
    fields = {
        "to": (BEN,),
        "subject": "Rent",
        "body": "Hello Ben,\n\nit is paid.\n\nAnna",
        "message_id": "m1@example.org",
    }
    return Envelope(channel="mail", identity=ANNA, **(fields | more))


def attachment(content: bytes, name: str = "Vertrag.pdf", media_type: str = "application/pdf") -> Attachment:
    return Attachment(name, media_type, len(content), hashlib.sha256(content).hexdigest())


def composed(envelope: Envelope, *files: bytes) -> bytes:
    held = {hashlib.sha256(content).hexdigest(): content for content in files}
    return compose(envelope, at=AT, attached=held).content


def head_of(content: bytes) -> str:
    return content.partition(b"\r\n\r\n")[0].decode("ascii")


NAMES = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Zl", "Zp")), max_size=60).filter(
    lambda name: (
        not set(name)
        & set("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0\u0333\u033f\u030a")
        and not any(0xFE00 <= ord(letter) <= 0xFE0F or 0xE0100 <= ord(letter) <= 0xE01EF for letter in name)
    )
)
REAL_NAMES = st.sampled_from(
    [
        "",
        "Anna Brandt",
        "Müller, Anna",
        "Müller-Lüdenscheidt, Prof. Dr. Annegret (Institut für Angewandte Mathematik)",
        'Dr. Jürgen "Jo" Groß',
        "Beispiel GmbH & Co. KG",
        "O'Neil, Pat (Sales)",
        "comma, plain",
        "back\\slash",
        "Weiß; Team: Nord",
        "李小龙",
        "Émile, <x@y.example>",
        "eve@example.org",
        "=?utf-8?q?Anna?=",
        "Ä" * 60,
        "a" * 190,
        "two  spaces",
    ]
)
PEOPLE = st.lists(REAL_NAMES | NAMES, min_size=1, max_size=8)
BODIES = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")) | st.sampled_from("\n\t. =-F"), max_size=400
)


def recipients(names: list[str], local: str) -> tuple[Recipient, ...]:
    made = []
    for number, name in enumerate(names):
        try:
            made.append(Recipient(name, f"{local}{number}@example.org"))
        except BadInput:
            made.append(Recipient("", f"{local}{number}@example.org"))
    return tuple(made)


@settings(max_examples=150, deadline=None)
@given(to=PEOPLE, cc=st.lists(REAL_NAMES, max_size=4), body=BODIES)
def test_nobody_and_no_letter_gets_lost_on_the_way(to: list[str], cc: list[str], body: str) -> None:
    envelope = mail(to=recipients(to, "to"), cc=recipients(cc, "cc"), body=body)
    outgoing = compose(envelope, at=AT)
    check(outgoing)
    assert envelope_of(outgoing.content, account="post", bcc=()) == envelope
    assert outgoing.content.isascii()
    assert max(map(len, outgoing.content.split(b"\r\n"))) <= 998


@settings(max_examples=150, deadline=None)
@given(subject=st.text(st.characters(codec="utf-8", exclude_categories=("C", "Zl", "Zp")), max_size=200))
def test_every_subject_arrives_as_it_stands(subject: str) -> None:
    content = composed(mail(subject=subject))
    assert envelope_of(content, account="post", bcc=()).subject == subject
    assert str(message_from_bytes(content, policy=default).get("Subject", "")) in {subject, subject.strip()}


@pytest.mark.parametrize(
    "subject", ["=?utf-8?q?Paid?=", "a =?utf-8?b?UGFpZA==?= b", "two  spaces ", " ", "", "x" * 500, "Ä" * 500]
)
def test_an_odd_subject_arrives_as_it_stands(subject: str) -> None:
    content = composed(mail(subject=subject))
    assert envelope_of(content, account="post", bcc=()).subject == subject
    assert read_mail(content).subject.split() == subject.split()


@pytest.mark.parametrize("envelope", [MAIL, replace(MAIL, attachments=())])
def test_the_usual_envelopes_can_be_written(envelope: Envelope) -> None:
    files = b"a map", b"abc"
    envelope = replace(envelope, attachments=tuple(attachment(each, f"{n}.bin") for n, each in enumerate(files)))
    assert envelope_of(composed(envelope, *files), account="work", bcc=envelope.bcc) == envelope


def test_a_guest_who_is_also_the_organizer_gets_it_once() -> None:
    _, invitation = answer()
    outgoing = compose(ACT, at=AT, invitation=replace(invitation, method="COUNTER"))
    assert outgoing.recipients == ("anna@muster.example", "bob@firm.example")


def test_every_program_reads_the_same_recipients() -> None:
    """The email package itself, writing such a header, runs two of them together and loses one."""
    names = [
        "comma, plain",
        "Beispiel GmbH & Co. KG",
        "back\\slash",
        "Émile, <x@y.z>",
        "O'Neil, Pat (Sales)",
        "Müller, Anna",
    ]
    envelope = mail(to=recipients(names, "to"))
    content = composed(envelope)
    ours = read_mail(content)
    theirs = message_from_bytes(content, policy=default)["To"].addresses
    assert [(one.name, one.address) for one in ours.to] == [(one.name, one.address) for one in envelope.to]
    assert [(one.display_name, one.addr_spec) for one in theirs] == [(one.name, one.address) for one in envelope.to]


def test_our_own_reader_finds_everything_in_it() -> None:
    pdf, notes = b"%PDF-1.4 the contract", "Zahlen,1\nMärz,2\n".encode()
    files = attachment(pdf, "Vertrag März – Anna.pdf"), attachment(notes, "zahlen.csv", "text/csv")
    envelope = mail(
        subject="Verlängerung des Mietvertrags für das Büro in der Großen Hamburger Straße, zweiter Entwurf",
        cc=(Recipient("Müller, Anna", "mueller@example.org"),),
        in_reply_to="a@example.net",
        references=("z@example.net", "a@example.net"),
        attachments=files,
    )
    found = read_mail(composed(envelope, pdf, notes))
    assert (found.subject, found.text) == (envelope.subject, envelope.body)
    assert (found.message_id, found.in_reply_to) == ("m1@example.org", "a@example.net")
    assert found.references == envelope.references
    assert found.attachments == files
    assert found.date_at == AT
    assert found.faults == ()


@pytest.mark.parametrize(
    "body",
    ["", "x", "x\n", "x\n\n", "x  \n y", ".\n..\n.", "From here\n", "a=\n", "=3D", "\tx\t", "é" * 500, "w" * 5000],
)
def test_the_text_arrives_to_the_last_line_end(body: str) -> None:
    assert envelope_of(composed(mail(body=body)), account="post", bcc=()).body == body


def test_the_same_envelope_and_date_make_the_same_bytes() -> None:
    envelope = mail(attachments=(attachment(b"one"),))
    assert composed(envelope, b"one") == composed(replace(envelope), b"one")
    other = mail(attachments=(attachment(b"one"),), body="other")
    assert composed(other, b"one") != composed(envelope, b"one")


def test_blind_copies_are_told_to_the_server_and_to_nobody_else() -> None:
    envelope = mail(bcc=(Recipient("Hidden Person", "hidden@example.net"),))
    outgoing = compose(envelope, at=AT)
    assert outgoing.recipients == ("ben@example.org", "hidden@example.net")
    assert b"idden" not in outgoing.content


def test_the_header_holds_what_was_approved_and_nothing_of_the_machine() -> None:
    names = re.findall(r"^([\w-]+):", head_of(composed(mail())), re.MULTILINE)
    assert names == [
        "Date",
        "From",
        "To",
        "Subject",
        "Message-ID",
        "MIME-Version",
        "Content-Type",
        "Content-Transfer-Encoding",
    ]
    assert "Date: Mon, 02 Mar 2026 08:15:00 +0000" in head_of(composed(mail()))


# What may never leave


def changed(content: bytes, old: bytes, new: bytes) -> bytes:
    assert content.count(old) == 1, old
    return content.replace(old, new)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"To: Ben Ode <ben@example.org>", b"To: Ben Ode <eve@example.org>"),
        (b"To: Ben Ode", b"To: Ben Ode <eve@example.org>,\r\n Ben Ode"),
        (b"To: Ben Ode", b"To: Ben Odd"),
        (b"Subject: Rent", b"Subject: rent"),
        (b"Subject: Rent\r\n", b"Subject: Rent\r\nBcc: eve@example.org\r\n"),
        (b"Subject: Rent\r\n", b"Subject: Rent\r\nCc: eve@example.org\r\n"),
        (b"Subject: Rent\r\n", b"Subject: Rent\r\nSubject: Rent\r\n"),
        (b"Subject: Rent\r\n", b"Subject: Rent\r\nReply-To: eve@example.org\r\n"),
        (b"Subject: Rent\r\n", b"Subject: Rent\r\nReferences: <x@example.net>\r\n"),
        (b"From: Anna Brandt", b"From: Anna Brand"),
        (b"From: Anna Brandt <anna@example.org>", b"From: Anna Brandt <anna@example.org>, eve@example.org"),
        (b"<m1@example.org>", b"<m2@example.org>"),
        (b"it is paid", b"it is Paid"),
        (b"it is paid", b"it is=E2=80=8B paid"),
        (b"Anna=\r\n", b"Anna\r\n"),
        (b"text/plain", b"text/html"),
        (b"Vertrag.pdf", b"vertrag.pdf"),
        (b"application/pdf", b"application/zip"),
        (b"b25l", b"b25m"),
        (b"--=_", b"--=_"),
    ],
)
def test_a_byte_changed_on_the_way_is_seen(old: bytes, new: bytes) -> None:
    envelope = mail(attachments=(attachment(b"one"),))
    outgoing = compose(envelope, at=AT, attached={attachment(b"one").sha256: b"one"})
    assert is_of(outgoing, envelope)
    if old == new:  # a part more
        content = outgoing.content
        boundary = content[content.index(b'boundary="') + 10 :].partition(b'"')[0]
        part = b"--" + boundary + b"\r\nContent-Type: text/html\r\n\r\n<b>no</b>\r\n--" + boundary + b"--"
        tampered = changed(content, b"--" + boundary + b"--", part)
    else:
        tampered = changed(outgoing.content, old, new)
    assert not is_of(replace(outgoing, content=tampered), envelope)


@pytest.mark.parametrize(
    "wrong",
    [
        {"recipients": ("ben@example.org", "eve@example.org")},
        {"recipients": ()},
        {"recipients": ("eve@example.org",)},
        {"sender": "eve@example.org"},
        {"digest": "0" * 64},
    ],
)
def test_another_recipient_on_the_envelope_is_seen(wrong: dict) -> None:
    outgoing = compose(mail(), at=AT)
    assert not is_of(replace(outgoing, **wrong), mail())


@settings(max_examples=200, deadline=None)
@given(place=st.integers(0, 2000), byte=st.integers(0, 255), cut=st.integers(0, 3))
def test_odd_bytes_are_no_mail_of_ours_and_raise_nothing_else(place: int, byte: int, cut: int) -> None:
    content = composed(mail(attachments=(attachment(b"one"),), subject="März"), b"one")
    place %= len(content)
    odd = content[:place] + bytes([byte]) + content[place + cut :]
    try:
        envelope_of(odd, account="post", bcc=())
    except BadInput:
        return


def test_another_file_under_the_same_name_never_leaves() -> None:
    envelope = mail(attachments=(attachment(b"one"),))
    with pytest.raises(BadInput, match="not the one"):
        compose(envelope, at=AT, attached={attachment(b"one").sha256: b"two"})
    with pytest.raises(BadInput, match="not the one"):
        compose(envelope, at=AT)


@pytest.mark.parametrize("media_type", ["message/rfc822", "multipart/mixed", "message/external-body"])
def test_a_file_that_would_become_a_part_of_the_mail_is_refused(media_type: str) -> None:
    with pytest.raises(BadInput, match="octet-stream"):
        composed(mail(attachments=(attachment(b"To: x\n\nx", "x.eml", media_type),)), b"To: x\n\nx")


ODD_PLACES = {
    "subject": lambda odd: mail(subject=odd),
    "name": lambda odd: mail(to=(Recipient(odd, "ben@example.org"),)),
    "address": lambda odd: mail(to=(Recipient("", f"{odd}@example.org"),)),
    "file name": lambda odd: mail(attachments=(attachment(b"one", odd),)),
    "reference": lambda odd: mail(references=(odd,)),
    "sender": lambda odd: Envelope(channel="mail", identity=Identity("post", odd, "anna@example.org"), to=(BEN,)),
}


@pytest.mark.parametrize("line_end", ["\r\n", "\n", "\r", "\r\n\r\n", "\n ", "\u2028", "\x85", "\0"])
@pytest.mark.parametrize("where", ODD_PLACES)
def test_no_line_end_gets_into_the_header(where: str, line_end: str) -> None:
    """Attack case 14: refused before there is a draft, and so before there is anything to compose."""
    with pytest.raises(BadInput):
        ODD_PLACES[where](f"Rent{line_end}Bcc: eve@example.org")


@pytest.mark.parametrize(
    "name",
    [
        "Vertrag.pdf",
        "Rechnung März.pdf",
        'a"b.pdf',
        "x'y%20z.pdf",
        "Ä" * 120 + ".pdf",
        "a" * 250,
        "a;b, c.pdf",
        "(c).pdf",
        "😀.pdf",
        "utf-8''x.pdf",
    ],
)
def test_file_names_arrive_as_they_are(name: str) -> None:
    content = composed(mail(attachments=(attachment(b"one", name),)), b"one")
    assert envelope_of(content, account="post", bcc=()).attachments[0].name == name
    assert max(map(len, content.split(b"\r\n"))) <= 998


@pytest.mark.parametrize("name", ["=?utf-8?q?evil=2Eexe?=", " Vertrag.pdf"])
def test_a_file_name_that_would_arrive_as_another_is_refused(name: str) -> None:
    with pytest.raises(BadInput, match="plainer"):
        composed(mail(attachments=(attachment(b"one", name),)), b"one")


# Calendar acts

ICS = "BEGIN:VCALENDAR\r\nMETHOD:REPLY\r\nBEGIN:VEVENT\r\nUID:e1\r\nSUMMARY:Jour fixe – Büro\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"


def answer() -> tuple[Envelope, Invitation]:
    act = CalendarAct(action="accept", calendar="work", uid="e1", title="Jour fixe – Büro")
    envelope = Envelope(channel="calendar", identity=ANNA, to=(BEN,), act=act)
    return envelope, Invitation(method="REPLY", ics=ICS, subject="Accepted: Jour fixe – Büro", text="I'll be there.")


def test_an_answer_to_an_invitation_reads_as_one() -> None:
    envelope, invitation = answer()
    outgoing = compose(envelope, at=AT, invitation=invitation)
    parts = message_from_bytes(outgoing.content, policy=default)
    words, event = parts.iter_parts()
    assert parts.get_content_type() == "multipart/alternative"
    assert words.get_content() == "I'll be there."
    assert (event.get_content_type(), event["Content-Type"].params["method"]) == ("text/calendar", "REPLY")
    assert event.get_payload(decode=True) == ICS.encode()
    assert outgoing.recipients == ("ben@example.org",)
    assert outgoing.key == f"<{envelope.digest[:32]}@example.org>"
    assert not is_of(outgoing, envelope, replace(invitation, ics=ICS.replace("e1", "e2")))


def test_guests_are_those_to_whom_an_event_goes() -> None:
    _, invitation = answer()
    act = CalendarAct(action="cancel", calendar="work", uid="e1", guests=(BEN, Recipient("", "carl@example.net")))
    outgoing = compose(Envelope(channel="calendar", identity=ANNA, act=act), at=AT, invitation=invitation)
    assert outgoing.recipients == ("ben@example.org", "carl@example.net")
    assert "carl@example.net" in head_of(outgoing.content)


def test_a_mail_has_no_invitation_and_an_act_has_one() -> None:
    envelope, invitation = answer()
    with pytest.raises(BadInput):
        compose(envelope, at=AT)
    with pytest.raises(BadInput):
        compose(mail(), at=AT, invitation=invitation)


async def test_what_a_server_delivers_is_the_envelope_that_was_approved() -> None:
    content = b"%PDF-1.4 \r\n.\r\nall bytes " + bytes(range(256))
    envelope = mail(
        to=recipients(["Müller, Anna", "Ben"], "to"),
        bcc=(Recipient("", "hidden@example.net"),),
        body="Hallo,\n.\n..\n\nFrom here – ü",
        attachments=(attachment(content, "Vertrag März.pdf"),),
    )
    outgoing = compose(envelope, at=AT, attached={attachment(content).sha256: content})
    async with SmtpServer() as server:
        way = SmtpTransport(Submission(host=server.host, port=server.port, tls="none"), lambda: "")
        await way.hand_over(outgoing, await way.prepare(outgoing))
    arrived = envelope_of(server.delivered[0].content, account="post", bcc=envelope.bcc)
    assert arrived.digest == envelope.digest
