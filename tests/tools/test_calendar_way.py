"""Acts on a Google calendar leave by the exit's own port: once, with the bytes that were approved, and can be looked at after."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from memory.dispatch import Witness
from memory.envelope import CalendarAct, Envelope, Identity
from memory.errors import BadInput
from memory.recipient import Recipient
from tests.doubles.clock import FakeClock
from tests.servers.google_faults import Cut, Status
from tests.servers.google_server import OWNER, GoogleServer, google_server
from tools.exit.writing import as_it_stands
from tools.google.calendar_acts import CalendarActs
from tools.google.calendar_way import GoogleCalendarWay, ref_of
from tools.google.session import open_session
from tools.google.token import TokenFile
from tools.transport import MaybeHanded, NotHanded, Outgoing, Transport
from tools.vault import Vault

BOB = "bob@example.net"
START, END = "2026-03-06T12:00:00+01:00", "2026-03-06T13:00:00+01:00"


@pytest.fixture
def google() -> Iterator[GoogleServer]:
    with google_server() as server:
        yield server


@pytest.fixture
async def way(google: GoogleServer, tmp_path: Path, clock: FakeClock) -> AsyncIterator[GoogleCalendarWay]:
    file = TokenFile(Vault(tmp_path / "secrets"), "home", "send")
    file.write(google.grant(clock, "send"))
    opened = GoogleCalendarWay(CalendarActs(open_session(file, clock, endpoints=google.endpoints, silence_seconds=2)))
    yield opened
    await opened.close()


def outgoing(action: Any, **changes: Any) -> Outgoing:
    usual: dict[str, Any] = {
        "action": action,
        "calendar": "primary",
        "uid": "lunch@google.com",
        "start": START,
        "end": END,
        "zone": "Europe/Berlin",
        "title": "Lunch",
    }
    answers = action in ("accept", "decline", "tentative", "propose")
    to = (Recipient("", BOB),) if answers else ()
    guests = () if answers else (Recipient("", BOB),)
    act = CalendarAct(**({"guests": guests} | usual | changes))
    return as_it_stands(Envelope(channel="calendar", identity=Identity("home", "Anna", OWNER), to=to, act=act))


def lunch(**given: Any) -> dict[str, Any]:
    usual: dict[str, Any] = {
        "id": "lunch",
        "iCalUID": "lunch@google.com",
        "summary": "Lunch",
        "start": {"dateTime": START},
        "end": {"dateTime": END},
        "organizer": {"email": BOB},
        "attendees": [
            {"email": OWNER, "self": True, "responseStatus": "needsAction"},
            {"email": BOB, "responseStatus": "accepted"},
        ],
    }
    return usual | given


async def leaves(way: GoogleCalendarWay, out: Outgoing) -> str:
    handle = await way.prepare(out)
    await way.hand_over(out, handle)
    return handle


def test_it_is_a_transport(way: GoogleCalendarWay) -> None:
    as_port: Transport = way
    assert as_port.name == "calendar"


ANSWERS = {"accept": "accepted", "decline": "declined", "tentative": "tentative"}


@pytest.mark.parametrize("action", ANSWERS)
async def test_an_invitation_is_answered_and_only_the_owners_line_changes(
    google: GoogleServer, way: GoogleCalendarWay, action: str
) -> None:
    google.calendars.put(lunch())
    out = outgoing(action, comment="fine")
    handle = await way.prepare(out)
    assert google.calendars.told == [], "preparing tells nobody"
    assert await way.look(out, handle) == Witness(sent="no")
    await way.hand_over(out, handle)
    mine, bobs = google.calendars.events[OWNER]["lunch"]["attendees"]
    assert (mine["responseStatus"], mine["comment"], bobs["responseStatus"]) == (ANSWERS[action], "fine", "accepted")
    assert google.calendars.told == ["PATCH lunch"]
    assert await way.look(out, handle) == Witness(sent="yes", witness="lunch")


async def test_an_event_is_made_once_however_often_it_is_asked(google: GoogleServer, way: GoogleCalendarWay) -> None:
    out = outgoing("create", uid="ours@own.example", place="Room 4", comment="Bring the map")
    handle = await leaves(way, out)
    assert handle == ref_of("ours@own.example")
    await way.hand_over(out, handle)
    made = google.calendars.events[OWNER][handle]
    assert (made["summary"], made["location"], [one["email"] for one in made["attendees"]]) == (
        "Lunch",
        "Room 4",
        [BOB],
    )
    assert google.calendars.told == [f"POST {handle}"]
    assert (await way.look(out, handle)).sent == "yes"


async def test_it_is_moved_and_the_move_can_be_seen(google: GoogleServer, way: GoogleCalendarWay) -> None:
    google.calendars.put(lunch(organizer={"email": OWNER, "self": True}))
    out = outgoing("move", start="2026-03-06T15:00:00+01:00", end="2026-03-06T16:00:00+01:00")
    assert await way.look(out, "lunch") == Witness(sent="no")
    await leaves(way, out)
    assert google.calendars.events[OWNER]["lunch"]["start"]["dateTime"] == "2026-03-06T15:00:00+01:00"
    assert (await way.look(out, "lunch")).sent == "yes"


async def test_it_is_cancelled_and_gone(google: GoogleServer, way: GoogleCalendarWay) -> None:
    google.calendars.put(lunch(organizer={"email": OWNER, "self": True}))
    out = outgoing("cancel")
    assert (await way.look(out, "lunch")).sent == "no"
    await leaves(way, out)
    assert google.calendars.told == ["DELETE lunch"]
    assert (await way.look(out, "lunch")).sent == "yes"


async def test_of_a_series_the_one_occurrence_is_meant(google: GoogleServer, way: GoogleCalendarWay) -> None:
    google.calendars.put(lunch(recurrence=["RRULE:FREQ=DAILY"]))
    differing = {
        "recurringEventId": "lunch",
        "originalStartTime": {"dateTime": "2026-03-09T12:00:00+01:00"},
    }
    google.calendars.put(lunch(id="lunch_moved", **differing))
    google.calendars.put(lunch(id="lunch_20260310T110000Z", recurringEventId="lunch"))
    assert await way.prepare(outgoing("accept", occurrence="2026-03-09T11:00:00+00:00")) == "lunch_moved"
    assert await way.prepare(outgoing("accept", occurrence="2026-03-10T11:00:00+00:00")) == "lunch_20260310T110000Z"
    assert await way.prepare(outgoing("accept")) == "lunch"


async def test_an_event_that_is_not_there_is_not_answered(way: GoogleCalendarWay) -> None:
    with pytest.raises(NotHanded) as raised:
        await way.prepare(outgoing("accept"))
    assert raised.value.for_good


async def test_a_proposal_is_not_the_calendars_to_make(google: GoogleServer, way: GoogleCalendarWay) -> None:
    google.calendars.put(lunch())
    with pytest.raises(NotHanded):
        await leaves(way, outgoing("propose"))


async def test_other_bytes_than_those_approved_do_nothing(google: GoogleServer, way: GoogleCalendarWay) -> None:
    google.calendars.put(lunch())
    approved, other = outgoing("accept"), outgoing("decline")
    swapped = Outgoing(
        digest=approved.digest, key="", content=other.content, sender=OWNER, recipients=approved.recipients
    )
    with pytest.raises(BadInput):
        await way.prepare(swapped)
    with pytest.raises(BadInput):
        await way.hand_over(swapped, "lunch")
    assert await way.look(swapped, "lunch") == Witness()
    assert google.calendars.told == []


@pytest.mark.parametrize("done", [True, False], ids=["after it was done", "before"])
async def test_a_lost_answer_is_neither_yes_nor_no_and_looking_finds_out(
    google: GoogleServer, way: GoogleCalendarWay, done: bool
) -> None:
    google.calendars.put(lunch())
    out = outgoing("accept")
    handle = await way.prepare(out)
    google.fail(Cut("PATCH", done=done))
    with pytest.raises(MaybeHanded):
        await way.hand_over(out, handle)
    assert (await way.look(out, handle)).sent == ("yes" if done else "no")


async def test_while_nobody_can_look_it_is_unclear(google: GoogleServer, way: GoogleCalendarWay) -> None:
    google.calendars.put(lunch())
    google.fail(Status("GET", code=503))
    assert await way.look(outgoing("accept"), "lunch") == Witness()
