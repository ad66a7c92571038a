"""Company: a guest from outside is worth a word ten minutes before; a colleague, a room and who is seen daily are not."""

from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from memory.company import due, guests, is_close, since, subject_of
from memory.event import Attendee, Event
from tests.doubles.clock import NOW
from tests.doubles.owner import living_in
from tests.doubles.planned import a_day, an_event, utc

MINE = frozenset({"jo@studio.example", "jo.private@gmail.com"})
BERLIN = ZoneInfo("Europe/Berlin")


def asked(*addresses: str, **given: Any) -> tuple[Attendee, ...]:
    return tuple(Attendee(name=address.partition("@")[0].title(), address=address, **given) for address in addresses)


def meeting(*addresses: str, **given: Any) -> Event:
    return an_event("review", utc(3, 2, 10), attendees=asked("jo@studio.example", *addresses), **given)


def names(event: Event) -> list[str]:
    return [guest.name for guest in guests(event, MINE)]


def test_who_comes_from_outside_is_a_guest_and_a_colleague_is_not() -> None:
    assert names(meeting("ben@studio.example", "eve@berlin.studio.example", "anna@acme.example")) == ["Anna"]


def test_while_the_owners_own_address_is_unknown_nobody_is_a_guest() -> None:
    assert guests(meeting("anna@acme.example"), frozenset()) == ()


def test_a_free_mailbox_is_nobodys_own_domain() -> None:
    assert names(meeting("kim@gmail.com")) == ["Kim"]
    assert names(meeting("jo.private+cal@gmail.com")) == []


@pytest.mark.parametrize(
    "address", ["room4@resource.calendar.google.com", "no-reply@acme.example", "office@acme.example", ""]
)
def test_a_room_a_robot_and_an_office_are_nobody(address: str) -> None:
    assert names(meeting(address)) == []


def test_who_has_declined_is_not_met_also_when_they_called_the_meeting() -> None:
    anna = asked("anna@acme.example", answer="declined")
    assert guests(replace(meeting(), attendees=anna), MINE) == ()
    organizer = Attendee(name="Anna", address="anna@acme.example")
    assert guests(replace(meeting(), attendees=anna, organizer=organizer), MINE) == ()


def test_who_called_the_meeting_comes_first_and_once() -> None:
    event = replace(meeting("eve@acme.example", "anna@acme.example"), organizer=asked("anna@acme.example")[0])
    assert names(event) == ["Anna", "Eve"]


def test_a_large_gathering_is_nobodys_company() -> None:
    assert names(meeting(*(f"p{number}@acme.example" for number in range(15)))) == []


@pytest.mark.parametrize(
    ("now", "count"),
    [(utc(3, 2, 9, 49), 0), (utc(3, 2, 9, 50), 1), (utc(3, 2, 9, 59), 1), (utc(3, 2, 10), 0)],
    ids=["too early", "ten minutes before", "late, but before", "at its start"],
)
def test_it_is_due_ten_minutes_before(now: datetime, count: int) -> None:
    assert len(due([meeting("anna@acme.example")], now)) == count


@pytest.mark.parametrize(
    "event",
    [
        replace(meeting("anna@acme.example"), status="cancelled"),
        replace(meeting("anna@acme.example"), my_answer="declined"),
        replace(meeting("anna@acme.example"), is_busy=False),
        an_event("alone", utc(3, 2, 10)),
        a_day("day", date(2026, 3, 2), living_in("UTC"), attendees=asked("anna@acme.example")),
    ],
    ids=["cancelled", "declined", "shown as free", "alone", "a whole day"],
)
def test_what_is_no_meeting_with_anybody_is_never_due(event: Event) -> None:
    assert due([event], event.start_at - timedelta(minutes=5)) == ()


def test_copies_of_a_meeting_are_one() -> None:
    one = meeting("anna@acme.example")
    (copies,) = due([one, replace(one, uid="copy")], utc(3, 2, 9, 55))
    assert len(copies) == 2


def test_a_meeting_keeps_its_name_when_it_moves() -> None:
    one = meeting("anna@acme.example")
    assert subject_of(one) == subject_of(replace(one, start_at=utc(3, 2, 12)))


def test_who_writes_to_and_fro_on_most_days_is_seen_daily() -> None:
    daily = [NOW - timedelta(days=n) for n in range(8)]
    assert is_close(daily, BERLIN, NOW)
    assert not is_close(daily[:7], BERLIN, NOW)
    assert not is_close([NOW - timedelta(minutes=n) for n in range(100)], BERLIN, NOW)
    assert not is_close([NOW - timedelta(days=20 + n) for n in range(30)], BERLIN, NOW)


def test_of_who_was_met_a_week_ago_only_what_came_since_is_news() -> None:
    assert since(NOW - timedelta(days=7), NOW) == NOW - timedelta(days=7)
    assert since(NOW - timedelta(days=30), NOW) is None
    assert since(None, NOW) is None
