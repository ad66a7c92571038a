"""Meetings in the chat: an invitation is answered, an event is made, moved and called off, each by a card and a tap."""

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from email.message import EmailMessage
from pathlib import Path

import pytest

from memory.contact import Contact
from memory.event import Attendee, Event
from tests.doubles.clock import NOW, FakeClock
from tests.doubles.planned import an_event, utc
from tests.exit_room import ANNA, BOB, OLA, Office, letter, open_office
from tests.mail_arrives import arrives, invitation
from tests.servers.google_server import GoogleServer
from tools import mail_card

ME = Attendee(name="Ola", address=OLA, answer="needs-action")
OF_OLA = Attendee(name="Ola", address=OLA)
OF_ANNA = Attendee(name="Anna Muster", address=ANNA)
OF_BOB = Attendee(name="Bob Firm", address=BOB)


@pytest.fixture
async def office(database: Path, clock: FakeClock) -> AsyncIterator[Office]:
    contacts = (Contact("Anna Muster", (ANNA,), "vcard"), Contact("Bob Firm", (BOB,), "vcard"))
    async with open_office(database, clock, mails=(letter(),), contacts=contacts) as opened:
        yield opened


async def plans(office: Office, *events: Event) -> None:
    """These stand in the owner's calendar."""

    def keep(t):  # type: ignore[no-untyped-def]
        for event in events:
            t.calendars.keep(1, 1, calendar="work", ref=event.ref, etag="", ics="", events=(event,))

    await office.product.house.ledger.write(keep)


def ics(office: Office, number: int = -1) -> list[str]:
    """The lines of the calendar text that left."""
    message = office.sent[number].message
    part = next(part for part in message.walk() if part.get_content_type() == "text/calendar")
    assert isinstance(part, EmailMessage)
    text = str(part.get_content()).replace("\r\n ", "").replace("\n ", "")
    return text.replace("\r\n", "\n").split("\n")


def method(office: Office) -> str:
    return next(line for line in ics(office) if line.startswith("METHOD"))


# --- an invitation, by its buttons ---


async def test_the_card_of_an_invitation_has_its_answers_and_other_mail_has_none(office: Office) -> None:
    await arrives(office, invitation())
    labels = office.product.labels()
    assert labels[:3] == ["Accept", "Maybe", "Decline"]
    assert mail_card.choices("en", invites=False)[0].key == "later"


ANSWERS = {"Accept": "ACCEPTED", "Maybe": "TENTATIVE", "Decline": "DECLINED"}


@pytest.mark.parametrize("button", ANSWERS)
async def test_a_button_makes_a_card_and_the_tap_on_it_sends_the_answer_once(office: Office, button: str) -> None:
    await arrives(office, invitation())
    await office.taps(button)
    assert office.sent == []
    card = office.text(office.card())
    assert all(part in card for part in ("Planning", ANNA, "plan@muster.example", "2026-03-02T15:00:00+01:00"))
    await office.taps("Send")
    (mail,) = office.sent
    assert (mail.sender, mail.recipients) == (OLA, (ANNA,))
    lines = ics(office)
    assert "METHOD:REPLY" in lines
    assert "UID:plan@muster.example" in lines
    assert "SEQUENCE:1" in lines
    assert any(line.startswith("ATTENDEE") and ANSWERS[button] in line and OLA in line for line in lines)
    assert office.dispatches == ["sent"]


async def test_tapping_an_answer_twice_asks_once(office: Office) -> None:
    await arrives(office, invitation())
    await office.taps("Accept")
    await office.taps("Accept")
    assert office.approvals == ["asked"]
    assert office.refusals == ["already asked"]


async def test_the_invitations_card_stays_and_another_answer_may_be_asked(office: Office) -> None:
    await arrives(office, invitation())
    await office.taps("Accept")
    await office.taps("Decline")
    assert office.approvals == ["asked", "asked"]


# --- by words ---


async def test_the_invitation_of_somebody_is_accepted_by_words(office: Office) -> None:
    await arrives(office, invitation())
    await office.says("accept the invitation from Anna: looking forward")
    assert office.sent == []
    await office.taps("Send")
    assert "COMMENT:looking forward" in ics(office)
    assert method(office) == "METHOD:REPLY"


async def test_the_invitation_that_is_talked_about_needs_no_name(office: Office) -> None:
    await arrives(office, invitation())
    await office.says("decline the invitation: I am away")
    await office.taps("Send")
    assert any("DECLINED" in line for line in ics(office))


async def test_in_german_too(database: Path, clock: FakeClock) -> None:
    async with open_office(database, clock, mails=(), language="de") as office:
        await arrives(office, invitation())
        await office.says("sag die Einladung von Anna ab: bin krank")
        await office.taps("Senden")
        assert "COMMENT:bin krank" in ics(office)


async def test_an_invitation_that_nobody_sent_is_told(office: Office) -> None:
    assert await office.says("accept the invitation from Zoe") == ["I know no invitation from Zoe."]
    assert await office.says("accept the invitation") == ["Which invitation? Answer its card, or say from whom it is."]
    assert office.approvals == []


async def test_an_event_in_the_calendar_is_declined_by_its_name_and_day(office: Office) -> None:
    await plans(
        office,
        an_event("standup", utc(3, 3, 9), organizer=OF_BOB, attendees=(ME, OF_BOB)),
        an_event("review", utc(3, 3, 11), organizer=OF_BOB, attendees=(ME, OF_BOB)),
    )
    await office.says("decline standup tomorrow: dentist")
    await office.taps("Send")
    (mail,) = office.sent
    assert mail.recipients == (BOB,)
    assert {"UID:standup", "COMMENT:dentist"} <= set(ics(office))


async def test_an_own_event_is_cancelled_and_its_guests_are_told(office: Office) -> None:
    await plans(office, an_event("lunch", utc(3, 4, 11), organizer=OF_OLA, attendees=(OF_OLA, OF_ANNA), sequence=3))
    await office.says("cancel lunch with Anna: I am ill")
    card = office.text(office.card())
    assert "Cancel this event?" in card
    await office.taps("Send")
    (mail,) = office.sent
    assert mail.recipients == (ANNA,)
    assert {"METHOD:CANCEL", "UID:lunch", "SEQUENCE:4", "COMMENT:I am ill"} <= set(ics(office))


async def test_an_own_event_is_moved_to_a_time_of_its_day_and_stays_as_long(office: Office) -> None:
    await plans(office, an_event("standup", utc(3, 4, 9), 30, organizer=OF_OLA, attendees=(OF_OLA, OF_BOB)))
    await office.says("move standup to 15:00")
    await office.taps("Send")
    lines = ics(office)
    assert "METHOD:REQUEST" in lines
    assert any(line.startswith("DTSTART") and line.endswith("20260304T150000") for line in lines)
    assert any(line.startswith("DTEND") and line.endswith("20260304T153000") for line in lines)


async def test_another_time_for_an_event_of_anothers_is_a_proposal_to_its_organizer(office: Office) -> None:
    await plans(office, an_event("standup", utc(3, 4, 9), organizer=OF_BOB, attendees=(ME, OF_BOB, OF_ANNA)))
    await office.says("move standup to tomorrow at 16:00")
    assert "Propose another time?" in office.text(office.card())
    await office.taps("Send")
    (mail,) = office.sent
    assert mail.recipients == (BOB,)
    assert method(office) == "METHOD:COUNTER"


async def test_an_event_of_anothers_that_is_cancelled_is_declined(office: Office) -> None:
    await plans(office, an_event("standup", utc(3, 4, 9), organizer=OF_BOB, attendees=(ME, OF_BOB)))
    await office.says("cancel standup")
    assert "Decline this invitation?" in office.text(office.card())


async def test_somebody_is_invited_by_address_or_name(office: Office) -> None:
    await office.says("invite cy@muster.example and Bob to lunch on friday 13:00 for 2 hours")
    card = office.text(office.card())
    assert "Create this event?" in card
    await office.taps("Send")
    (mail,) = office.sent
    assert set(mail.recipients) == {"cy@muster.example", BOB}
    lines = ics(office)
    assert {"METHOD:REQUEST", "SUMMARY:lunch"} <= set(lines)
    assert any(line.startswith("DTSTART") and line.endswith("20260306T130000") for line in lines)
    assert any(line.startswith("DTEND") and line.endswith("20260306T150000") for line in lines)


UNCLEAR = {
    "an invitation without a time": "invite Anna to lunch",
    "an invitation with a day alone": "invite Anna to lunch on friday",
    "a time that has gone by": "invite Anna to lunch yesterday at 13:00",
    "a move to an hour that may be of two": "move standup to 3",
    "a move to a time that has gone by": "move standup to yesterday at 10:00",
}


@pytest.mark.parametrize("case", UNCLEAR)
async def test_an_unclear_time_is_asked_for(office: Office, case: str) -> None:
    await plans(office, an_event("standup", utc(3, 4, 9), organizer=OF_OLA, attendees=(OF_OLA, OF_BOB)))
    (said,) = await office.says(UNCLEAR[case])
    assert said.startswith("When?")
    assert office.approvals == []


async def test_of_two_events_of_that_name_the_owner_picks(office: Office) -> None:
    await plans(
        office,
        an_event("a", utc(3, 4, 9), title="Review of design", organizer=OF_OLA, attendees=(OF_OLA, OF_BOB)),
        an_event("b", utc(3, 5, 9), title="Review of code", organizer=OF_OLA, attendees=(OF_OLA, OF_ANNA)),
    )
    assert await office.says("cancel the review") == ["Which one?"]
    label = next(label for label in office.product.labels() if label.startswith("Review of code"))
    await office.taps(label)
    await office.taps("Send")
    assert [mail.recipients for mail in office.sent] == [(ANNA,)]


async def test_of_a_series_the_next_is_meant_or_that_of_the_day(office: Office) -> None:
    def of(day: int) -> Event:
        at = utc(3, day, 9)
        return an_event(
            "daily", at, title="Daily", occurrence=at.isoformat(), organizer=OF_BOB, attendees=(ME, OF_BOB), ref="d"
        )

    def keep(t):  # type: ignore[no-untyped-def]
        t.calendars.keep(1, 1, calendar="work", ref="d", etag="", ics="", events=(of(3), of(4), of(5)))

    await office.product.house.ledger.write(keep)
    await office.says("decline daily on thursday")
    assert "2026-03-05" in office.text(office.card())
    await office.says("decline daily")
    assert "2026-03-03" in office.text(office.card())


OTHER_WORDS = (
    "cancel the subscription",
    "accept the facts",
    "move on",
    "move the sofa to the garage",
)


@pytest.mark.parametrize("words", OTHER_WORDS)
async def test_words_that_name_no_event_are_talk(office: Office, words: str) -> None:
    await plans(office, an_event("standup", utc(3, 4, 9), organizer=OF_OLA, attendees=(OF_OLA, OF_BOB)))
    await office.says(words)
    assert office.approvals == []
    assert office.rows("SELECT count(*) FROM jobs WHERE kind = 'compose'") == [(0,)]


async def test_a_loop_of_that_name_comes_before_an_event(office: Office) -> None:
    await plans(office, an_event("standup", utc(3, 4, 9), organizer=OF_OLA, attendees=(OF_OLA, OF_BOB)))
    await office.says("todo: standup")
    await office.says("cancel standup")
    assert office.product.loops == {"standup": "dropped"}
    assert office.approvals == []


async def test_editing_the_card_of_an_answer_changes_its_comment(office: Office) -> None:
    await arrives(office, invitation())
    await office.taps("Decline")
    await office.taps("Edit")
    await office.says("I am travelling that day.")
    assert office.approvals == ["void", "asked"]
    await office.taps("Send")
    assert "COMMENT:I am travelling that day." in ics(office)


async def test_an_event_without_guests_in_a_calendar_that_is_only_read_cannot_be_cancelled_here(
    office: Office,
) -> None:
    await plans(office, an_event("gym", utc(3, 4, 9)))
    await office.says("cancel gym")
    assert office.approvals == []
    assert any("calendar is not one that I can write to" in m["text"] for m in office.server.bot_messages())


async def test_the_same_invitation_asked_for_on_one_day_sticks_when_it_was_discarded(office: Office) -> None:
    await office.says("invite Bob to lunch on friday 13:00")
    await office.taps("Discard")
    await office.says("invite Bob to lunch on friday 13:00")
    assert office.approvals == ["rejected"]
    await office.time_passes(timedelta(days=1))
    await office.says("invite Bob to lunch on friday 13:00")
    assert office.approvals == ["rejected", "asked"]


def test_the_clock_of_these_tests_is_a_monday() -> None:
    assert f"{NOW:%A}" == "Monday"


# --- Google: the calendar itself is told ---


@pytest.fixture
async def google_office(database: Path, clock: FakeClock) -> AsyncIterator[Office]:
    contacts = (Contact("Anna Muster", (ANNA,), "vcard"), Contact("Bob Firm", (BOB,), "vcard"))
    async with open_office(database, clock, by="gmail", mails=(), contacts=contacts) as opened:
        yield opened


def google_of(office: Office) -> GoogleServer:
    assert isinstance(office.outside.server, GoogleServer)
    return office.outside.server


def planned(office: Office, **given: object) -> None:
    """Google holds the planning to which Anna invited, and it has been read."""
    google_of(office).calendars.put(
        {
            "id": "plan",
            "iCalUID": "plan@muster.example",
            "summary": "Planning",
            "start": {"dateTime": "2026-03-02T14:00:00Z"},
            "end": {"dateTime": "2026-03-02T15:00:00Z"},
            "attendees": [{"email": OLA, "self": True, "responseStatus": "needsAction"}, {"email": ANNA}],
            **given,
        }
    )


async def test_in_google_the_invitation_is_answered_in_the_calendar_and_by_no_mail(google_office: Office) -> None:
    planned(google_office, organizer={"email": ANNA})
    event = an_event("plan@muster.example", utc(3, 2, 14), title="Planning", organizer=OF_ANNA, attendees=(ME, OF_ANNA))
    await plans(google_office, replace(event, calendar=OLA))
    await arrives(google_office, invitation())
    await google_office.taps("Accept")
    assert google_of(google_office).calendars.told == []
    await google_office.taps("Send")
    assert google_of(google_office).calendars.told == ["PATCH plan"]
    assert (google_office.sent, google_office.dispatches) == ([], ["sent"])


async def test_in_google_an_invitation_that_is_in_no_calendar_yet_is_answered_by_mail(google_office: Office) -> None:
    await arrives(google_office, invitation())
    await google_office.taps("Accept")
    await google_office.taps("Send")
    assert [mail.recipients for mail in google_office.sent] == [(ANNA,)]
    assert method(google_office) == "METHOD:REPLY"


async def test_in_google_an_event_is_made_moved_and_cancelled_each_after_its_tap(google_office: Office) -> None:
    calendars = google_of(google_office).calendars
    await google_office.says("invite Bob to lunch on friday 13:00")
    assert calendars.events[OLA] == {}
    await google_office.taps("Send")
    ((ref, made),) = calendars.events[OLA].items()
    assert (made["summary"], made["attendees"]) == ("lunch", [{"email": BOB}])
    event = an_event(made["iCalUID"], utc(3, 6, 12), title="lunch", organizer=OF_OLA, attendees=(OF_OLA, OF_BOB))
    await plans(google_office, replace(event, calendar=OLA))
    await google_office.says("move lunch to 14:00")
    await google_office.taps("Send")
    assert calendars.events[OLA][ref]["start"]["dateTime"] == "2026-03-06T14:00:00+01:00"
    await google_office.says("cancel lunch")
    await google_office.taps("Send")
    assert calendars.events[OLA][ref]["status"] == "cancelled"
    assert calendars.told == [f"POST {ref}", f"PATCH {ref}", f"DELETE {ref}"]
    assert google_office.dispatches == ["sent"] * 3


async def test_in_google_a_proposal_goes_by_mail(google_office: Office) -> None:
    planned(google_office, organizer={"email": ANNA})
    event = an_event("plan@muster.example", utc(3, 4, 14), title="Planning", organizer=OF_ANNA, attendees=(ME, OF_ANNA))
    await plans(google_office, replace(event, calendar=OLA))
    await google_office.says("move planning to tomorrow at 16:00")
    await google_office.taps("Send")
    assert method(google_office) == "METHOD:COUNTER"
    assert google_of(google_office).calendars.told == []


async def test_in_google_an_event_of_ones_own_needs_no_guest_but_the_tap(google_office: Office) -> None:
    await plans(google_office, replace(an_event("gym", utc(3, 4, 9)), calendar=OLA, uid="gym@google.com"))
    google_of(google_office).calendars.put({"id": "gym", "summary": "Gym", "iCalUID": "gym@google.com"})
    await google_office.says("cancel gym")
    assert "nobody but you" in google_office.text(google_office.card())
    await google_office.taps("Send")
    assert google_of(google_office).calendars.events[OLA]["gym"]["status"] == "cancelled"
