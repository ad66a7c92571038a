"""What leaves by Google: drafts that are sent once, and acts on mailboxes and calendars. Nothing is tried twice."""

from collections.abc import AsyncIterator, Iterator
from datetime import UTC, date, datetime, timedelta
from email.message import EmailMessage
from email.policy import SMTP
from pathlib import Path

import pytest

from memory.dispatch import Witness
from memory.errors import BadInput
from tests.doubles.clock import NOW, FakeClock
from tests.servers.google_faults import Cut, Fault, Garbage, Half, Hang, Status
from tests.servers.google_server import OWNER, GoogleServer, google_server
from tools.google.acts import MailActs
from tools.google.calendar_acts import CalendarActs, NewEvent, Span
from tools.google.sender import IN_JSON_MOST_BYTES, GmailSender
from tools.google.session import Session, open_session
from tools.google.token import TokenFile
from tools.transport import MaybeHanded, NotHanded, Outgoing, Transport
from tools.vault import Vault


@pytest.fixture
def google() -> Iterator[GoogleServer]:
    with google_server() as server:
        yield server


@pytest.fixture
async def session(google: GoogleServer, tmp_path: Path, clock: FakeClock) -> AsyncIterator[Session]:
    file = TokenFile(Vault(tmp_path / "secrets"), "home", "send")
    file.write(google.grant(clock, "send"))
    opened = open_session(file, clock, endpoints=google.endpoints, silence_seconds=2)
    yield opened
    await opened.close()


@pytest.fixture
def sender(session: Session, clock: FakeClock) -> GmailSender:
    return GmailSender(session, clock)


def outgoing(
    text: str = "Tuesday at ten is fine.\nAnna",
    *,
    to: str = "Bob <bob@example.net>",
    blind: tuple[str, ...] = (),
    recipients: tuple[str, ...] = ("bob@example.net",),
    answers: str = "",
    sender: str = OWNER,
) -> Outgoing:
    mail = EmailMessage(policy=SMTP)
    mail["From"], mail["To"], mail["Subject"], mail["Message-ID"] = (
        f"Anna <{sender}>",
        to,
        "Re: Lunch",
        "<ours@example.org>",
    )
    if answers:
        mail["In-Reply-To"] = mail["References"] = answers
    mail.set_content(text)
    mail.add_attachment(b"%PDF-1.4 \x00\xff", maintype="application", subtype="pdf", filename="menu.pdf")
    return Outgoing(
        digest="d", key="<ours@example.org>", content=mail.as_bytes(), sender=sender, recipients=(*recipients, *blind)
    )


def no_more_drafts(google: GoogleServer) -> bool:
    return not google.gmail.drafts


async def test_the_sender_is_a_transport(sender: GmailSender) -> None:
    way: Transport = sender
    assert way.name == "gmail"


async def test_a_mail_leaves_once_with_its_very_bytes(google: GoogleServer, sender: GmailSender) -> None:
    mail = outgoing()
    handle = await sender.prepare(mail)
    assert google.gmail.sendings == []
    handed = await sender.hand_over(mail, handle)
    assert google.gmail.sendings == [mail.content]
    assert handed.receipt in google.gmail.mails
    assert no_more_drafts(google)


async def test_a_draft_that_is_gone_is_never_sent_anew(google: GoogleServer, sender: GmailSender) -> None:
    mail = outgoing()
    handle = await sender.prepare(mail)
    await sender.hand_over(mail, handle)
    with pytest.raises(MaybeHanded, match="may have been sent already"):
        await sender.hand_over(mail, handle)
    assert len(google.gmail.sendings) == 1


CERTAIN = [
    pytest.param(Status("drafts/send", code=429, headers={"Retry-After": "9"}), "busy", id="429"),
    pytest.param(Status("drafts/send", code=403, reason="rateLimitExceeded"), "busy", id="403 for the rate"),
    pytest.param(Status("drafts/send", code=400, reason="invalidArgument"), "refused", id="400"),
    pytest.param(Status("drafts/send", code=403, reason="insufficientPermissions"), "sign-in", id="no permission"),
]
UNSURE: list[Fault] = [
    Cut("drafts/send"),
    Cut("drafts/send", done=True),
    Half("drafts/send"),
    Hang("drafts/send"),
    Hang("drafts/send", done=True),
    Status("drafts/send", code=500),
    Status("drafts/send", code=504, done=True),
    Status("drafts/send", code=503, headers={"Retry-After": "9"}, done=True),
    Garbage("drafts/send", done=True),
]


@pytest.mark.parametrize(("fault", "trouble"), CERTAIN)
async def test_what_was_certainly_not_sent_is_said_so(
    google: GoogleServer, sender: GmailSender, fault: Fault, trouble: str
) -> None:
    mail = outgoing()
    handle = await sender.prepare(mail)
    google.fail(fault)
    with pytest.raises(NotHanded) as told:
        await sender.hand_over(mail, handle)
    assert told.value.trouble == trouble
    assert google.gmail.sendings == []
    assert await sender.look(mail, handle) == Witness(draft="yes", sent="no")


@pytest.mark.parametrize(
    "fault",
    UNSURE,
    ids=lambda f: f"{type(f).__name__.lower()}{getattr(f, 'code', '')} {'after' if f.done else 'before'}",
)
async def test_a_lost_answer_is_looked_after_and_the_request_goes_out_once(
    google: GoogleServer, sender: GmailSender, fault: Fault
) -> None:
    mail = outgoing()
    handle = await sender.prepare(mail)
    google.fail(fault)
    with pytest.raises(MaybeHanded):
        await sender.hand_over(mail, handle)
    assert google.asked("drafts/send") == 1
    assert len(google.gmail.sendings) == (1 if fault.done else 0)
    found = await sender.look(mail, handle)
    assert (found.draft, found.sent) == (("no", "yes") if fault.done else ("yes", "no"))
    assert bool(found.witness) == fault.done


async def test_a_server_that_is_not_there_has_sent_nothing(google: GoogleServer, sender: GmailSender) -> None:
    mail = outgoing()
    handle = await sender.prepare(mail)
    google.stop()
    with pytest.raises(NotHanded) as told:
        await sender.hand_over(mail, handle)
    assert told.value.trouble == "unreachable"
    assert await sender.look(mail, handle) == Witness()
    google.start()
    await sender.hand_over(mail, handle)
    assert len(google.gmail.sendings) == 1


async def test_a_mail_that_gmail_gave_another_message_id_is_found_all_the_same(
    google: GoogleServer, sender: GmailSender
) -> None:
    google.gmail.renames_messages = True
    mail = outgoing(blind=("carl@example.net",))
    handle = await sender.prepare(mail)
    google.fail(Cut("drafts/send", done=True))
    with pytest.raises(MaybeHanded):
        await sender.hand_over(mail, handle)
    assert (await sender.look(mail, handle)).sent == "yes"


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(outgoing("Wednesday, then."), id="another text"),
        pytest.param(outgoing(to="eve@example.net", recipients=("eve@example.net",)), id="another recipient"),
    ],
)
async def test_a_similar_mail_is_no_witness(google: GoogleServer, sender: GmailSender, other: Outgoing) -> None:
    await sender.hand_over(other, await sender.prepare(other))
    mail = outgoing()
    handle = await sender.prepare(mail)
    google.gmail.delete(google.gmail.drafts.popitem()[1])
    assert await sender.look(mail, handle) == Witness(draft="no", sent="no")


async def test_the_same_mail_of_another_day_is_no_witness(
    google: GoogleServer, sender: GmailSender, clock: FakeClock
) -> None:
    mail = outgoing()
    google.gmail.deliver(mail.content, labels=("SENT",), at=NOW - timedelta(days=1))
    handle = await sender.prepare(mail)
    google.gmail.delete(google.gmail.drafts.popitem()[1])
    assert (await sender.look(mail, handle)).sent == "no"


async def test_blind_copies_reach_gmail_and_nobody_else(google: GoogleServer, sender: GmailSender) -> None:
    mail = outgoing(blind=("carl@example.net", "dora@example.net"))
    await sender.hand_over(mail, await sender.prepare(mail))
    (left,) = google.gmail.sendings
    assert left == b"Bcc: carl@example.net, dora@example.net\r\n" + mail.content
    assert not any(b"carl@" in kept.raw for kept in google.gmail.mails.values())


@pytest.mark.parametrize(
    ("mail", "said"),
    [
        pytest.param(outgoing(to="bob@example.net, eve@example.net"), "none of its recipients", id="one more in the header"),
        pytest.param(outgoing(recipients=()), "goes to nobody", id="nobody"),
        pytest.param(
            outgoing(blind=("a@b.example\r\nCc: eve@example.net",)), "no address can have", id="a line in an address"
        ),
        pytest.param(outgoing(blind=("a@b.example, eve@example.net",)), "no address can have", id="two in one"),
        pytest.param(
            Outgoing(digest="d", key="k", content=outgoing().content, sender="other@example.org", recipients=("bob@example.net",)),
            "not the identity",
            id="another sender",
        ),
    ],
)  # fmt: skip
async def test_a_mail_whose_headers_say_other_than_its_envelope_is_no_draft(
    google: GoogleServer, sender: GmailSender, mail: Outgoing, said: str
) -> None:
    with pytest.raises(BadInput, match=said):
        await sender.prepare(mail)
    assert google.asked("POST /gmail") == 0


async def test_gmail_is_not_given_an_identity_that_it_would_silently_replace(
    google: GoogleServer, sender: GmailSender
) -> None:
    mail = outgoing(sender="anna@work.example")
    with pytest.raises(NotHanded, match=r"does not send from anna@work\.example") as told:
        await sender.prepare(mail)
    assert told.value.for_good
    google.gmail.sends_from.append("Anna@Work.example")
    await sender.prepare(mail)
    assert len(google.gmail.drafts) == 1


async def test_an_answer_lies_in_the_thread_of_what_it_answers(google: GoogleServer, sender: GmailSender) -> None:
    asked = google.gmail.deliver(
        b"From: bob@example.net\r\nMessage-ID: <q@example.net>\r\nSubject: Lunch\r\n\r\nWhen?\r\n"
    )
    mail = outgoing(answers="<q@example.net>")
    handed = await sender.hand_over(mail, await sender.prepare(mail))
    assert google.gmail.mails[handed.receipt].thread == google.gmail.mails[asked].thread
    elsewhere = outgoing(answers="<unknown@example.net>")
    await sender.hand_over(elsewhere, await sender.prepare(elsewhere))
    assert len(google.gmail.sendings) == 2


async def test_a_large_mail_is_uploaded_byte_for_byte(google: GoogleServer, sender: GmailSender) -> None:
    asked = google.gmail.deliver(
        b"From: bob@example.net\r\nMessage-ID: <q@example.net>\r\nSubject: Lunch\r\n\r\nWhen?\r\n"
    )
    mail = outgoing(
        "Grüße \u2028\n.\nFrom me\n" + "x" * 60 + ("\n" + "y" * 70) * (IN_JSON_MOST_BYTES // 70),
        answers="<q@example.net>",
    )
    handed = await sender.hand_over(mail, await sender.prepare(mail))
    assert google.asked("/upload/") == 1
    assert google.gmail.sendings == [mail.content]
    assert google.gmail.mails[handed.receipt].thread == google.gmail.mails[asked].thread


async def test_a_draft_that_is_no_longer_wanted_is_deleted(google: GoogleServer, sender: GmailSender) -> None:
    draft = await sender.create_draft(outgoing().content)
    assert await sender.draft_exists(draft.id)
    for _ in range(2):
        await sender.delete_draft(draft.id)
    assert no_more_drafts(google)


@pytest.mark.parametrize("handle", ["", "r17", "{}", "[]"])
async def test_a_handle_that_is_none_sends_nothing(sender: GmailSender, handle: str) -> None:
    with pytest.raises(BadInput):
        await sender.hand_over(outgoing(), handle)
    assert await sender.look(outgoing(), handle) == Witness()


@pytest.mark.parametrize("made", [GmailSender, lambda s, c: MailActs(s), lambda s, c: CalendarActs(s)])
async def test_nothing_is_sent_with_the_grant_for_reading(
    google: GoogleServer, tmp_path: Path, clock: FakeClock, made: object
) -> None:
    session = open_session(TokenFile(Vault(tmp_path), "home", "read"), clock, endpoints=google.endpoints)
    with pytest.raises(ValueError, match="grant for sending"):
        made(session, clock)  # type: ignore[operator]
    await session.close()


async def test_google_itself_refuses_to_send_with_the_grant_for_reading(
    google: GoogleServer, tmp_path: Path, clock: FakeClock
) -> None:
    """Were our own check gone, the grant would still not do."""
    file = TokenFile(Vault(tmp_path), "home", "send")
    file.write(google.grant(clock, "read"))
    session = open_session(file, clock, endpoints=google.endpoints)
    with pytest.raises(NotHanded) as told:
        await GmailSender(session, clock).prepare(outgoing())
    assert told.value.trouble == "sign-in"
    assert "stillbell auth google home --send" in str(told.value)
    await session.close()


# Small acts on a mailbox


async def test_small_acts_and_their_reverse(google: GoogleServer, session: Session) -> None:
    each = google.gmail.deliver(b"Subject: x\r\n\r\n")
    acts, uid, labels = MailActs(session), f"gmail:{each}", google.gmail.mails[each]

    def names() -> set[str]:
        return {google.gmail.labels[i] for i in labels.labels}

    for _ in range(2):
        await acts.archive(uid)
        await acts.mark_read(uid)
        await acts.label(uid, "Clients")
    assert names() == {"Clients"}
    for _ in range(2):
        await acts.unarchive(uid)
        await acts.mark_unread(uid)
        await acts.unlabel(uid, "clients")
    await acts.unlabel(uid, "never heard of")
    assert names() == {"INBOX", "UNREAD"}
    assert google.gmail.sendings == []


# Acts on a calendar

EVENT = NewEvent(
    summary="Lunch",
    span=Span(
        starts=datetime(2026, 3, 4, 11, tzinfo=UTC), ends=datetime(2026, 3, 4, 12, tzinfo=UTC), zone="Europe/Berlin"
    ),
    guests=("bob@example.net",),
    location="The usual place",
)


async def test_an_event_is_made_once_under_a_name_of_ours(google: GoogleServer, session: Session) -> None:
    acts = CalendarActs(session)
    google.fail(Cut("POST .*/events", done=True))
    with pytest.raises(MaybeHanded):
        await acts.insert(OWNER, "abc0123456789", EVENT)
    made = await acts.get(OWNER, "abc0123456789")
    assert made is not None
    again = await acts.insert(OWNER, "abc0123456789", EVENT)
    assert again.etag == made.etag
    held = google.calendars.events[OWNER]["abc0123456789"]
    assert held["start"] == {"dateTime": "2026-03-04T11:00:00+00:00", "timeZone": "Europe/Berlin"}
    assert held["attendees"] == [{"email": "bob@example.net"}]
    assert google.calendars.told == ["POST abc0123456789"]


async def test_an_answer_changes_the_owners_line_and_no_other(google: GoogleServer, session: Session) -> None:
    guests = [
        {"email": "bob@example.net", "organizer": True, "responseStatus": "accepted"},
        {"email": OWNER, "self": True, "responseStatus": "needsAction"},
        {"email": "carl@example.net", "additionalGuests": 2, "responseStatus": "tentative"},
    ]
    google.calendars.put({"id": "lunch", "summary": "Lunch", "attendees": guests})
    await CalendarActs(session).answer(OWNER, "lunch", "declined", "I am away.")
    assert google.calendars.events[OWNER]["lunch"]["attendees"] == [
        guests[0], guests[1] | {"responseStatus": "declined", "comment": "I am away."}, guests[2],
    ]  # fmt: skip
    assert google.calendars.told == ["PATCH lunch"]


async def test_who_is_not_invited_can_not_answer(google: GoogleServer, session: Session) -> None:
    google.calendars.put({"id": "lunch", "attendees": [{"email": "bob@example.net"}]})
    with pytest.raises(NotHanded, match="not invited"):
        await CalendarActs(session).answer(OWNER, "lunch", "accepted")


async def test_an_event_that_changed_since_it_was_seen_is_left_alone(google: GoogleServer, session: Session) -> None:
    google.calendars.put({"id": "lunch", "summary": "Lunch"})
    call = google.calendars.call

    def meanwhile(method: str, *rest: object) -> object:
        if method == "PATCH":
            google.calendars.put({"id": "lunch", "summary": "Dinner"})
        return call(method, *rest)  # type: ignore[arg-type]

    google.calendars.call = meanwhile  # type: ignore[method-assign, assignment]
    with pytest.raises(NotHanded) as told:
        await CalendarActs(session).move(OWNER, "lunch", EVENT.span)
    assert told.value.trouble == "refused"
    assert "start" not in google.calendars.events[OWNER]["lunch"]


async def test_an_event_is_moved_also_from_a_time_to_a_day(google: GoogleServer, session: Session) -> None:
    google.calendars.put({"id": "lunch", "summary": "Lunch", "start": {"dateTime": "2026-03-04T11:00:00Z"}})
    acts = CalendarActs(session)
    moved = await acts.move(OWNER, "lunch", Span(starts=date(2026, 3, 5), ends=date(2026, 3, 6), zone="Europe/Berlin"))
    assert moved.start is not None
    assert (moved.start.day, moved.start.date_time) == (date(2026, 3, 5), None)


async def test_an_event_is_cancelled_once(google: GoogleServer, session: Session) -> None:
    google.calendars.put({"id": "lunch", "summary": "Lunch"})
    acts = CalendarActs(session)
    for _ in range(2):
        await acts.cancel(OWNER, "lunch")
    await acts.cancel(OWNER, "never-was")
    assert google.calendars.told == ["DELETE lunch"]
    assert await acts.get(OWNER, "lunch") is None
    with pytest.raises(NotHanded):
        await acts.insert(OWNER, "lunch", EVENT)


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        pytest.param(Cut("DELETE"), MaybeHanded, id="cut before"),
        pytest.param(Cut("DELETE", done=True), MaybeHanded, id="cut after"),
        pytest.param(Status("DELETE", code=500), MaybeHanded, id="500"),
        pytest.param(Status("DELETE", code=429), NotHanded, id="429"),
        pytest.param(Status("DELETE", code=403, reason="forbidden"), NotHanded, id="403"),
    ],
)
async def test_acts_on_a_calendar_go_out_once_whatever_breaks(
    google: GoogleServer, session: Session, fault: Fault, kind: type[Exception]
) -> None:
    google.calendars.put({"id": "lunch", "summary": "Lunch"})
    google.fail(fault)
    acts = CalendarActs(session)
    with pytest.raises(kind):
        await acts.cancel(OWNER, "lunch")
    assert google.asked("DELETE") == 1
    assert (await acts.get(OWNER, "lunch") is None) == fault.done
