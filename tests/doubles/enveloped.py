"""Envelopes and mails of the tests, and hypothesis' way to make more."""

from datetime import timedelta
from typing import Any

from hypothesis import strategies as st

from memory.envelope import CalendarAct, Envelope, Identity
from memory.mail import Address, Attachment, KeptMail, Mail
from memory.recipient import Recipient
from tests.doubles.clock import NOW

IDENTITY = Identity("work", "Ola Owner", "ola@own.example")
ANNA = Recipient("Anna Muster", "anna@muster.example")
BOB = Recipient("", "bob@firm.example")

MAIL = Envelope(
    channel="mail",
    identity=IDENTITY,
    to=(ANNA,),
    cc=(BOB,),
    bcc=(Recipient("Cy", "cy@muster.example"),),
    subject="Lunch on Friday",
    body="Dear Anna,\n\nFriday at noon suits me.\n\nOla",
    message_id="0123abcd@own.example",
    in_reply_to="first@muster.example",
    references=("zero@muster.example", "first@muster.example"),
    attachments=(
        Attachment("map.pdf", "application/pdf", 12_345, "a" * 64),
        Attachment("b.txt", "text/plain", 3, "b" * 64),
    ),
)

ACT = Envelope(
    channel="calendar",
    identity=IDENTITY,
    to=(ANNA,),
    act=CalendarAct(
        action="propose",
        calendar="primary",
        uid="event-1@muster.example",
        sequence=2,
        start="2026-03-06T12:00:00+01:00",
        end="2026-03-06T13:00:00+01:00",
        zone="Europe/Berlin",
        title="Lunch",
        place="The usual",
        guests=(ANNA, BOB),
        comment="An hour later?",
    ),
)

A_MAIL: dict[str, Any] = {
    "message_id": "first@muster.example",
    "sender": Address("Anna", "anna@muster.example"),
    "senders_disagree": False,
    "to": (Address("Ola", "ola@own.example"),),
    "cc": (Address("", "bob@firm.example"),),
    "subject": "Lunch",
    "date_at": NOW,
    "in_reply_to": None,
    "references": ("zero@muster.example",),
    "text": "Shall we have lunch?",
    "was_cut": False,
    "html_hidden": False,
    "parts_disagree": False,
    "attachments": (),
    "list_id": None,
    "is_automated": False,
    "fingerprint": "f" * 64,
    "faults": (),
}


def a_mail(**changes: Any) -> Mail:
    """A mail from Anna to the owner, Bob in copy."""
    return Mail(**{**A_MAIL, **changes})


def kept(number: int = 7, *, said: str | None = None, by_owner: bool = False, **changes: Any) -> KeptMail:
    """The same in the ledger; later numbers arrived later."""
    return KeptMail(
        id=number,
        owner_id=1,
        thread_id=1,
        account_id=1,
        uid=f"imap:INBOX:1:{number}",
        folder="INBOX",
        labels=(),
        by_owner=by_owner,
        is_read=False,
        said=said,
        arrived_at=NOW + timedelta(minutes=number),
        mail=a_mail(**{"date_at": NOW + timedelta(minutes=number), **changes}),
    )


LINES = st.text(st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"]), max_size=12)
NASTY = st.sampled_from(
    [
        "**To:** `x`",
        "`",
        "```",
        "│ a",
        "┆ a",
        "\u202eabc",
        "a\u200bb",
        " a",
        "a ",
        "a  b",
        "⟨U+0020⟩",
        "~~~",
        "# a",
        "· sha-256",
        "e\u0301",
    ]
)
FIELDS = LINES | NASTY
BODIES = st.lists(LINES | NASTY | st.just(""), max_size=5).map("\n".join)
NAMES = st.sampled_from(["", "Anna", "anna", "Änna", "A\u0308nna", "`To:` x", "Bob · name"])
ADDRESSES = st.sampled_from(
    [
        "a@x.example",
        "A@x.example",
        "a@y.example",
        "a+b@x.example",
        "a.b@x.example",
        "b@xn--bcher-kva.example",
        "c@x.example",
    ]
)
RECIPIENTS = st.lists(
    st.builds(Recipient, NAMES, ADDRESSES), max_size=3, unique_by=lambda one: one.address.lower()
).map(tuple)
IDS = st.sampled_from(["a@x", "b@x", "B@x", "c.d@y"])
FILES = st.lists(
    st.builds(
        Attachment,
        FIELDS.filter(lambda name: bool(name.strip(". ")) and "/" not in name and "\\" not in name),
        st.sampled_from(["text/plain", "application/pdf"]),
        st.integers(1, 5),
        st.sampled_from(["a" * 64, "a" * 63 + "b"]),
    ),
    max_size=2,
).map(tuple)


@st.composite
def mails(draw: st.DrawFn) -> Envelope:
    """Envelopes of the channel mail."""
    people = draw(
        st.lists(
            st.builds(Recipient, NAMES, ADDRESSES), min_size=1, max_size=4, unique_by=lambda one: one.address.lower()
        )
    )
    first = draw(st.integers(1, len(people)))
    second = draw(st.integers(first, len(people)))
    return Envelope(
        channel="mail",
        identity=Identity(draw(FIELDS), draw(NAMES), draw(ADDRESSES)),
        to=tuple(people[:first]),
        cc=tuple(people[first:second]),
        bcc=tuple(people[second:]),
        subject=draw(FIELDS),
        body=draw(BODIES),
        message_id=draw(IDS),
        in_reply_to=draw(IDS | st.just("")),
        references=tuple(draw(st.lists(IDS, max_size=3))),
        attachments=draw(FILES),
    )


@st.composite
def acts(draw: st.DrawFn) -> Envelope:
    """Envelopes of the channel calendar."""
    return Envelope(
        channel="calendar",
        identity=IDENTITY,
        to=draw(RECIPIENTS.filter(bool)),
        act=CalendarAct(
            action=draw(st.sampled_from(["accept", "decline", "tentative", "propose", "create", "move", "cancel"])),
            calendar=draw(FIELDS),
            uid=draw(FIELDS.filter(bool)),
            sequence=draw(st.integers(0, 3)),
            occurrence=draw(FIELDS),
            start=draw(st.sampled_from(["", "2026-03-06", "2026-03-06T12:00:00+01:00"])),
            end=draw(FIELDS),
            zone=draw(FIELDS),
            title=draw(FIELDS),
            place=draw(FIELDS),
            guests=draw(RECIPIENTS),
            comment=draw(BODIES),
        ),
    )


ENVELOPES = mails() | acts()
