"""Calendars in the ledger: their objects, and the occurrences that were read in them."""

from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from memory.event import Attendee, Event, StoredEvent
from memory.ledger import Tables
from memory.sql.ledger import SqlLedger
from tests.doubles.hand import rows
from tests.doubles.judged import an_account, plan
from tests.doubles.owner import living_in
from tests.doubles.planned import a_day, an_event, utc

NOON = utc(3, 2, 12)


def keep(t: Tables, account: int, *events: Event, ref: str = "a.ics", ics: str = "BEGIN") -> tuple[Any, Any]:
    return t.calendars.keep(1, account, calendar="work", ref=ref, etag="1", ics=ics, events=events)


def titles(found: Any) -> list[str]:
    return [one.event.title for one in found]


async def test_an_occurrence_is_read_as_it_was_kept(ledger: SqlLedger) -> None:
    attendees = (Attendee(name="Anna", address="anna@winter.example", answer="declined", is_optional=True),)
    meeting = an_event(
        "m", NOON, organizer=Attendee(name="", address="a@b.example"), attendees=attendees, is_busy=False
    )
    holiday = a_day("h", date(2026, 3, 2), living_in("Europe/Berlin"))
    account = await ledger.write(an_account)
    before, after = await ledger.write(lambda t: keep(t, account, meeting, holiday))
    assert before == []
    assert [one.event for one in after] == [holiday, meeting]
    assert {(one.owner_id, one.account_id) for one in after} == {(1, account)}


async def test_an_object_that_changed_takes_the_place_of_what_it_was(ledger: SqlLedger, database: Path) -> None:
    account = await ledger.write(an_account)
    first, moved = an_event("m", NOON), an_event("m", NOON + timedelta(hours=2))
    await ledger.write(lambda t: keep(t, account, first))
    before, after = await ledger.write(lambda t: keep(t, account, moved, ics="OTHER"))
    assert [one.event for one in before] == [first]
    assert [one.event for one in after] == [moved]
    assert rows(database, "SELECT ics FROM calendar_items") == [("OTHER",)]
    assert rows(database, "SELECT count(*) FROM events") == [(1,)]


async def test_what_is_dropped_is_told_and_gone_and_the_rest_stays(ledger: SqlLedger) -> None:
    account, other = await ledger.write(lambda t: (an_account(t), an_account(t, "home")))

    def work(t: Tables) -> list[StoredEvent]:
        for holder in (account, other):
            for ref in ("a.ics", "b.ics"):
                keep(t, holder, an_event(f"{ref}{holder}", NOON), ref=ref)
        return t.calendars.drop(account, "work", ["a.ics", "never.ics"])

    assert titles(await ledger.write(work)) == [f"A.Ics{account}"]
    assert await ledger.read(lambda t: t.calendars.refs(account, "work")) == {"b.ics"}
    assert await ledger.read(lambda t: t.calendars.refs(other, "work")) == {"a.ics", "b.ics"}
    assert await ledger.read(lambda t: (t.calendars.count(1), t.calendars.count(1, account_id=account))) == (3, 1)


@pytest.mark.parametrize(
    ("start", "minutes", "is_there"),
    [
        pytest.param(NOON, 60, True, id="it begins with the time"),
        pytest.param(NOON - timedelta(hours=1), 60, False, id="it ends as the time begins"),
        pytest.param(NOON - timedelta(hours=1), 61, True, id="it reaches into the time"),
        pytest.param(NOON + timedelta(hours=3), 60, False, id="it begins as the time ends"),
        pytest.param(NOON - timedelta(days=1), 3000, True, id="it lasts all the time"),
        pytest.param(NOON, 0, True, id="it has no length and begins with the time"),
        pytest.param(NOON + timedelta(hours=1), 0, True, id="it has no length and lies within"),
    ],
)
async def test_an_event_is_there_while_it_touches_the_time(
    ledger: SqlLedger, start: Any, minutes: int, is_there: bool
) -> None:
    await ledger.write(lambda t: plan(t, an_event("m", start, minutes)))
    found = await ledger.read(lambda t: t.calendars.between(1, NOON, NOON + timedelta(hours=3)))
    assert titles(found) == ["M"] * is_there


async def test_events_come_in_order_of_their_beginning_and_no_more_than_were_asked_for(ledger: SqlLedger) -> None:
    starts = (3, 1, 2)
    await ledger.write(lambda t: plan(t, *(an_event(f"e{hour}", NOON + timedelta(hours=hour)) for hour in starts)))
    day = (NOON, NOON + timedelta(days=1))
    assert titles(await ledger.read(lambda t: t.calendars.between(1, *day))) == ["E1", "E2", "E3"]
    assert titles(await ledger.read(lambda t: t.calendars.between(1, *day, limit=2))) == ["E1", "E2"]


async def test_all_occurrences_of_a_series_are_found_by_its_uid(ledger: SqlLedger) -> None:
    series = [an_event("s", NOON + timedelta(days=days), occurrence=str(days)) for days in (7, 0)]
    await ledger.write(lambda t: plan(t, *series, an_event("other", NOON)))
    found = await ledger.read(lambda t: t.calendars.of_uid(1, "s"))
    assert [one.event.occurrence for one in found] == ["0", "7"]


async def test_an_object_is_read_anew_only_if_it_still_says_the_same(ledger: SqlLedger) -> None:
    """Its source may have changed it while it was being read."""
    account = await ledger.write(an_account)
    first, later = an_event("s", NOON, occurrence="1"), an_event("s", NOON + timedelta(days=7), occurrence="2")
    await ledger.write(lambda t: keep(t, account, first, ics="NEW"))
    [(item_id, holder, calendar, ref, ics)] = await ledger.read(lambda t: t.calendars.items(1, after_id=0, limit=9))
    assert (holder, calendar, ref, ics) == (account, "work", "a.ics", "NEW")
    assert not await ledger.write(lambda t: t.calendars.unroll(item_id, "OLD", [later]))
    assert not await ledger.write(lambda t: t.calendars.unroll(item_id, "NEW", [first]))
    assert await ledger.write(lambda t: t.calendars.unroll(item_id, "NEW", [first, later]))
    assert len(await ledger.read(lambda t: t.calendars.of_uid(1, "s"))) == 2
    assert await ledger.read(lambda t: t.calendars.items(1, after_id=item_id, limit=9)) == []


async def test_a_calendar_has_the_last_name_it_was_given(ledger: SqlLedger) -> None:
    account = await ledger.write(an_account)
    for name in ("Work", "Arbeit"):
        await ledger.write(lambda t, name=name: t.calendars.name(1, account, {"work": name}))  # type: ignore[misc]
    assert await ledger.read(lambda t: t.calendars.names(1)) == {(account, "work"): "Arbeit"}
