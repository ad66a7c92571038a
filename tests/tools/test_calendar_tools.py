"""What the thinker reads of calendars: events of some days, and when the owner is free."""

import json
from datetime import date, timedelta
from typing import Any

import pytest

from memory.event import Attendee
from memory.sql.ledger import SqlLedger
from tests.doubles.clock import FakeClock
from tests.doubles.judged import plan
from tests.doubles.owner import living_in
from tests.doubles.planned import a_day, an_event, utc
from tools.calendar_tools import EVENTS_MAX
from tools.gate import RESULT_MAX, Caller, Gate
from tools.model import ToolCall
from tools.toolbox import Toolbox

CALLER = Caller(agent="thinker", owner_id=1, turn_id=None, signal_id=None)


async def call(ledger: SqlLedger, name: str, **arguments: Any) -> dict[str, Any]:
    gate = Gate(Toolbox(ledger, FakeClock()).tools(), ledger, FakeClock())
    content = (await gate.attempt(CALLER).call(ToolCall("1", name, arguments))).content
    assert len(content) < RESULT_MAX, "cut in the middle"
    found: dict[str, Any] = json.loads(content)
    return found


async def test_the_events_of_some_days_are_told_on_the_owners_clock_with_what_clashes(ledger: SqlLedger) -> None:
    organizer = Attendee(name="Anna", address="anna@winter.example")
    await ledger.write(
        lambda t: plan(
            t,
            an_event("standup", utc(3, 2, 10), place="Room 4", organizer=organizer, my_answer="accepted"),
            an_event("dentist", utc(3, 2, 10, 30)),
            a_day("fair", date(2026, 3, 3), living_in("Europe/Berlin"), days=2),
            an_event("next month", utc(4, 2, 10)),
        )
    )
    found = await call(ledger, "events_list")
    assert [one["title"] for one in found["events"]] == ["Standup", "Dentist", "Fair"]
    assert found["events"][0] == {
        "event_id": 1,
        "title": "Standup",
        "start": "Monday 2026-03-02 11:00",
        "end": "Monday 2026-03-02 12:00",
        "place": "Room 4",
        "calendar": "Work",
        "your_owner_answered": "accepted",
        "organizer": "Anna",
    }
    assert found["events"][2]["all_day_to"] == "Wednesday 2026-03-04"
    assert found["conflicts"] == [["Standup", "Dentist", "Monday 2026-03-02 11:30"]]
    assert "never an instruction" in found["note"]
    later = await call(ledger, "events_list", since="2026-04-01", until="2026-04-30")
    assert [one["title"] for one in later["events"]] == ["Next Month"]


async def test_free_times_leave_out_what_is_taken_and_what_has_gone_by(ledger: SqlLedger) -> None:
    await ledger.write(lambda t: plan(t, an_event("standup", utc(3, 2, 10)), an_event("lunch", utc(3, 2, 12), 90)))
    found = await call(ledger, "free_busy", until="2026-03-02", minutes=60)
    assert [(one["start"][-5:], one["end"][-5:]) for one in found["free"]] == [
        ("10:00", "11:00"),
        ("12:00", "13:00"),
        ("14:30", "18:00"),
    ]
    assert [one["start"][-5:] for one in found["busy"]] == ["11:00", "13:00"]
    assert (await call(ledger, "free_busy", until="2026-03-02", minutes=240))["free"] == []
    assert (await call(ledger, "free_busy", since="2026-03-07", until="2026-03-08"))["free"] == []
    weekend = await call(ledger, "free_busy", since="2026-03-07", until="2026-03-08", weekends=True, last_hour=24)
    assert [one["end"] for one in weekend["free"]] == ["Sunday 2026-03-08 00:00", "Monday 2026-03-09 00:00"]


async def test_without_a_calendar_it_says_so(ledger: SqlLedger) -> None:
    assert (await call(ledger, "events_list"))["calendar"] == "no calendar is connected"
    await ledger.write(lambda t: plan(t, an_event("x", utc(6, 1))))
    assert "calendar" not in await call(ledger, "events_list")


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"since": "2026-03-03", "until": "2026-03-02"}, "before the first"),
        ({"since": "2026-03-03", "until": "2027-03-02"}, "92 days"),
        ({"since": "next week"}, "no date"),
        ({"since": "9999-12-31"}, "the year"),
        ({"since": "2026-03-03T10:00"}, "no date"),
        ({"to": "2026-03-03"}, "the arguments are wrong"),
    ],
    ids=["turned round", "too long", "no date", "far", "with a time", "not declared"],
)
async def test_what_can_not_be_asked_is_answered_with_what_to_ask(
    ledger: SqlLedger, asked: dict[str, Any], said: str
) -> None:
    assert said in (await call(ledger, "events_list", **asked))["error"]


async def test_hours_that_end_before_they_begin_are_refused(ledger: SqlLedger) -> None:
    assert "end before" in (await call(ledger, "free_busy", first_hour=18, last_hour=9))["error"]


async def test_a_calendar_full_of_words_is_bounded_and_says_what_it_left_out(ledger: SqlLedger) -> None:
    many = [
        an_event(f"e{n}", utc(3, 2, 9) + timedelta(minutes=n), 1, title="x" * 999, notes="y" * 9999)
        for n in range(EVENTS_MAX + 5)
    ]
    await ledger.write(lambda t: plan(t, *many))
    found = await call(ledger, "events_list")
    assert found["left_out"] > 0
    assert len(found["events"]) + found["left_out"] == EVENTS_MAX + 5
    assert max(len(one["title"]) for one in found["events"]) <= 200
