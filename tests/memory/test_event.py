"""An event as JSON carries it: whatever it holds comes back as it was."""

import json
from datetime import UTC, date, datetime

import pytest

from memory.event import Attendee, Event, from_plain, to_plain
from tests.doubles.owner import living_in
from tests.doubles.planned import a_day, an_event, utc

MEETING = an_event("sync", utc(3, 2, 9))
FULL = an_event(
    "sync",
    datetime(2026, 3, 2, 9, 0, 30, 123456, tzinfo=UTC),
    occurrence="2026-03-02T09:00:00+00:00",
    title="Ünïcode \U0001f514",
    place="Room 1",
    notes="a\nb",
    zone="Europe/Berlin",
    status="tentative",
    organizer=Attendee(name="Anna", address="anna@winter.example"),
    attendees=(
        Attendee(name="", address="jo@baker.example", answer="accepted"),
        Attendee(name="Bob", address="", is_optional=True),
    ),
    my_answer="accepted",
    is_busy=False,
    sequence=3,
    faults=("odd zone",),
)
HOLIDAY = a_day("holiday", date(2026, 3, 29), living_in("Europe/Berlin"), days=2)


@pytest.mark.parametrize("event", [MEETING, FULL, HOLIDAY], ids=["plain", "full", "all day"])
def test_an_event_comes_back_from_json_as_it_was(event: Event) -> None:
    assert from_plain(json.loads(json.dumps(to_plain(event)))) == event


def test_an_event_of_whole_days_has_dates_and_others_have_none() -> None:
    assert (HOLIDAY.is_all_day, MEETING.is_all_day) == (True, False)


def test_an_occurrence_keeps_its_key_when_it_is_moved() -> None:
    moved = an_event("sync", utc(3, 3, 9), occurrence=FULL.occurrence)
    assert moved.key == FULL.key != MEETING.key
