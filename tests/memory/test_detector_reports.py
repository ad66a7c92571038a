"""What machines send: delivery reports, and calendar objects in a mail."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from memory.detectors.bounce import bounce
from memory.detectors.invitation import invitation
from memory.mail import Address, Bounce
from tests.doubles.letters import BERLIN, NOW, a_letter, a_reply

DAEMON = Address("Mail Delivery System", "mailer-daemon@mx.example")


@pytest.mark.parametrize(
    ("said", "detail", "quote"),
    [
        (
            "It was not delivered.\n<anna@winter.example>: 550 5.1.1 User unknown",
            "failed",
            "<anna@winter.example>: 550",
        ),
        ("Delivery is delayed, we will retry for 3 days.", "delayed", "Delivery is delayed"),
        ("Die Nachricht ist unzustellbar: anna@winter.example", "failed", "unzustellbar"),
        ("Die Zustellung ist verzögert.", "delayed", "verzögert"),
        ("Your message could not be delivered to anna@winter.example", "failed", "anna@winter.example"),
    ],
)
def test_a_bounce_says_whether_for_good_and_shows_the_line(said: str, detail: str, quote: str) -> None:
    found = bounce(a_letter(said, is_bounce=True, sender=DAEMON))
    assert found is not None
    assert found.detail == detail
    assert quote in found.quote


@pytest.mark.parametrize(("why", "detail"), [("no such address", "failed"), ("delayed", "delayed")])
def test_the_report_itself_tells_where_there_is_one(why: Any, detail: str) -> None:
    report = Bounce(recipient="anna@winter.example", why=why, status="5.1.1", diagnostic="550 no such user")
    found = bounce(a_letter("Sorry about anna@winter.example", is_bounce=True, bounces=(report,), sender=DAEMON))
    assert found is not None
    assert (found.detail, found.quote) == (detail, "Sorry about anna@winter.example")
    unnamed = bounce(a_letter("Sorry.", is_bounce=True, bounces=(report,), sender=DAEMON))
    assert unnamed is not None
    assert unnamed.quote == "550 no such user"


def test_a_mail_that_speaks_of_a_bounce_is_none() -> None:
    assert bounce(a_letter("My mail bounced: 550 User unknown")) is None


def an_object(method: str = "REQUEST", organizer: str = "anna@winter.example", start: str = ":20260908T080000Z") -> str:
    return (
        f"BEGIN:VCALENDAR\r\nMETHOD:{method}\r\nBEGIN:VTIMEZONE\r\nDTSTART:19700101T000000\r\nEND:VTIMEZONE\r\n"
        f'BEGIN:VEVENT\r\nORGANIZER;CN="Winter: Anna":mailto:{organizer}\r\nSUMMARY:Board mee\r\n ting\r\nDTSTART{start}\r\n'
        "BEGIN:VALARM\r\nSUMMARY:Alarm\r\nEND:VALARM\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
    )


@pytest.mark.parametrize(
    ("method", "organizer", "detail"),
    [
        ("REQUEST", "anna@winter.example", "request"),
        ("CANCEL", "Anna@Winter.example", "cancel"),
        ("CANCEL", "boss@else.example", "cancel-foreign"),
        ("REQUEST", "boss@else.example", "request-foreign"),
        ("REPLY", "jo@baker.example", "reply"),
        ("COUNTER", "jo@baker.example", "counter"),
    ],
)
def test_an_invitation_says_what_it_is_and_whether_its_organizer_sent_it(
    method: str, organizer: str, detail: str
) -> None:
    found = invitation(a_letter(calendars=(an_object(method, organizer),)), zone=BERLIN, now=NOW)
    assert found is not None
    assert (found.detail, found.quote) == (detail, "Board meeting")


@pytest.mark.parametrize(
    ("start", "due_at"),
    [
        (":20260908T080000Z", datetime(2026, 9, 8, 8, tzinfo=UTC)),
        (";TZID=America/New_York:20260908T080000", datetime(2026, 9, 8, 12, tzinfo=UTC)),
        (";TZID=Nowhere/At/All:20260908T080000", datetime(2026, 9, 8, 6, tzinfo=UTC)),
        (";TZID=Europe:20260908T080000", datetime(2026, 9, 8, 6, tzinfo=UTC)),
        (":20260908T080000", datetime(2026, 9, 8, 6, tzinfo=UTC)),
        (";VALUE=DATE:20260908", datetime(2026, 9, 7, 22, tzinfo=UTC)),
        (":20261399T080000Z", None),
        (":rubbish", None),
    ],
)
def test_its_start_is_an_instant_in_every_spelling(start: str, due_at: datetime | None) -> None:
    found = invitation(a_letter(calendars=(an_object(start=start),)), zone=BERLIN, now=NOW)
    assert found is not None
    assert found.due_at == due_at


def test_one_that_has_begun_is_past() -> None:
    found = invitation(a_letter(calendars=(an_object(),)), zone=BERLIN, now=NOW + timedelta(days=3))
    assert found is not None
    assert found.is_past


@pytest.mark.parametrize("ics", ["", "METHOD:PUBLISH", "BEGIN:VCALENDAR", "\x00\xff", "METHOD:" + "x" * 100_000])
def test_what_is_no_invitation_is_none(ics: str) -> None:
    assert invitation(a_letter(calendars=(ics,)), zone=BERLIN, now=NOW) is None


def test_one_that_the_owner_sent_is_none() -> None:
    assert invitation(a_reply("", calendars=(an_object(),)), zone=BERLIN, now=NOW) is None
