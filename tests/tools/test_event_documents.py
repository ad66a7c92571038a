"""Events can be found: a series once, at its next time; what is moved, called off or removed is followed."""

from collections.abc import AsyncIterator
from datetime import timedelta

import pytest

from bot.terminal.account_asks import account_asks
from jobs.unroll import Unroll
from memory.account import Account
from memory.event import Attendee, Event
from memory.exclusion import NOTHING, Exclusions, read_exclusions
from memory.job import Job
from memory.search.passage import Hit
from memory.sql.ledger import SqlLedger
from tests.doubles.clock import NOW, FakeClock
from tests.tools.test_following import EVENT, calendar
from tests.tools.test_judge import Posted
from tools.calendar import CalendarBatch, CalendarItem
from tools.corpora.events import OF_AN_OBJECT, beginning, documents_of
from tools.incoming import Incoming

ANNA = Attendee(name="Anna Winter", address="anna@winter.example")
JO = Attendee(name="Jo Baker", address="jo@baker.example")
MINE = frozenset({"jo@baker.example"})
UNDER = beginning("4", "work", "a.ics")


def event(days: float, *, title: str = "Weekly", **given: object) -> Event:
    start = NOW + timedelta(days=days)
    values = {
        "calendar": "work",
        "ref": "a.ics",
        "uid": "u",
        "occurrence": start.isoformat(),
        "title": title,
        "notes": "Bring the heron plan",
        "start_at": start,
        "end_at": start + timedelta(hours=1),
        "organizer": ANNA,
        "attendees": (ANNA, JO),
        **given,
    }
    return Event(**values)  # type: ignore[arg-type]


def test_a_series_is_one_document_at_its_next_time_or_at_its_last() -> None:
    [ahead] = documents_of([event(-7), event(0.5), event(7)], under=UNDER, calendar="Work", mine=MINE, now=NOW)
    [behind] = documents_of([event(-14), event(-7)], under=UNDER, calendar="Work", mine=MINE, now=NOW)
    assert (ahead.at, behind.at) == (NOW + timedelta(days=0.5), NOW - timedelta(days=7))
    assert (ahead.who, ahead.place, ahead.by_owner) == ("Anna Winter <anna@winter.example>", "Work", False)
    assert ahead.people == (("Anna Winter", "anna@winter.example"),)
    assert ahead.ref == f"{UNDER}0"


def test_what_an_exception_says_otherwise_is_a_document_of_its_own_and_what_is_called_off_is_none() -> None:
    several = [event(1), event(8), event(15, title="Weekly, with cake"), event(22, status="cancelled", title="Off")]
    found = documents_of(several, under=UNDER, calendar="Work", mine=MINE, now=NOW)
    assert [one.title for one in found] == ["Weekly", "Weekly, with cake"]


def test_the_owners_own_event_is_theirs() -> None:
    [one] = documents_of([event(1, organizer=JO)], under=UNDER, calendar="Work", mine=MINE, now=NOW)
    [alone] = documents_of([event(1, organizer=None, attendees=())], under=UNDER, calendar="", mine=MINE, now=NOW)
    assert (one.who, one.by_owner, alone.who) == ("you", True, "you")


def test_an_object_that_says_something_else_each_time_has_an_end() -> None:
    several = [event(n, title=f"Weekly {n}") for n in range(OF_AN_OBJECT * 2)]
    assert len(documents_of(several, under=UNDER, calendar="", mine=MINE, now=NOW)) == OF_AN_OBJECT


def test_refs_do_not_say_what_the_calendar_is_called() -> None:
    assert UNDER.startswith("calendar:4/")
    assert "work" not in UNDER


class Room:
    """A ledger with a calendar account."""

    def __init__(self, ledger: SqlLedger, account: Account, listed: list[Exclusions]) -> None:
        self.ledger = ledger
        self.account = account
        self.listed = listed
        self.clock = FakeClock()
        self.incoming = Incoming(ledger, self.clock)

    async def comes(self, *items: CalendarItem, **given: object) -> None:
        batch = CalendarBatch(items=items, names={"work": "Work"}, cursor="1", **given)  # type: ignore[arg-type]
        await self.incoming.calendar(self.account, batch)

    async def unrolls(self) -> None:
        job = Job(id=1, owner_id=1, kind="unroll", lane="background", thread="owner:1", attempt=1, created_at=NOW)
        await Unroll(self.ledger, Posted(), self.clock)(job)

    async def found(self, query: str) -> list[Hit]:
        return await self.ledger.read(lambda t: t.search.find(1, query))


@pytest.fixture
async def room(database: object) -> AsyncIterator[Room]:
    listed = [NOTHING]
    async with SqlLedger(database, lambda: listed[0]) as ledger:  # type: ignore[arg-type]
        account = await ledger.write(
            lambda t: t.accounts.add(
                owner_id=1, name="home", kind="caldav", identity="jo@baker.example", aliases=(), settings={}, now=NOW
            )
        )
        yield Room(ledger, account, listed)


def item(uid: str, title: str, *, more: str = "") -> CalendarItem:
    ics = calendar(EVENT.format(uid=uid, start="20260303T090000Z", end="20260303T100000Z", title=title, more=more))
    return CalendarItem(calendar="work", ref=f"{uid}.ics", ics=ics, etag=title)


async def test_an_event_is_found_when_it_has_come_and_follows_its_changes(room: Room) -> None:
    await room.comes(item("a", "Plan the pond"), item("b", "Lunch"))
    [hit] = await room.found("pond")
    assert (hit.corpus, hit.title, hit.place, hit.who) == (
        "calendar",
        "Plan the pond",
        "Work",
        "Anna Winter <anna@winter.example>",
    )
    await room.comes(item("a", "Plan the garden"))
    assert (await room.found("pond"), [one.title for one in await room.found("garden")]) == ([], ["Plan the garden"])
    await room.comes(gone=(("work", "a.ics"),))
    assert (await room.found("garden"), len(await room.found("lunch"))) == ([], 1)


async def test_what_a_whole_calendar_no_longer_holds_is_not_found(room: Room) -> None:
    await room.comes(item("a", "Plan the pond"), item("b", "Lunch"), whole=("work",))
    await room.comes(item("b", "Lunch"), whole=("work",))
    assert (await room.found("pond"), len(await room.found("lunch"))) == ([], 1)


async def test_a_series_moves_on_by_night(room: Room) -> None:
    await room.comes(item("a", "Weekly pond", more="RRULE:FREQ=WEEKLY\n"))
    [first] = await room.found("pond")
    room.clock.advance(timedelta(days=8))
    await room.unrolls()
    [next_] = await room.found("pond")
    assert first.at is not None
    assert next_.at == first.at + timedelta(days=7)


async def test_what_was_kept_before_search_knew_of_events_is_found_after_a_night(room: Room) -> None:
    await room.comes(item("a", "Plan the pond"))
    await room.ledger.write(lambda t: t.search.drop(1, list(t.search.refs(1, "calendar:")), now=NOW))
    await room.unrolls()
    assert len(await room.found("pond")) == 1


async def test_an_excluded_event_is_not_found_whenever_it_was_excluded(room: Room) -> None:
    await room.comes(item("a", "Plan the pond"))
    room.listed[0] = read_exclusions("domain winter.example")
    await room.comes(item("b", "Dig the pond"))
    await room.unrolls()
    room.listed[0] = NOTHING
    assert await room.found("pond") == []


async def test_somebody_named_only_in_a_time_long_past_covers_the_whole_series(room: Room) -> None:
    series = EVENT.format(
        uid="a", start="20200107T090000Z", end="20200107T100000Z", title="Weekly pond", more="RRULE:FREQ=WEEKLY\n"
    )
    past = EVENT.format(
        uid="a",
        start="20200114T090000Z",
        end="20200114T100000Z",
        title="Weekly pond",
        more="RECURRENCE-ID:20200114T090000Z\nATTENDEE:mailto:frey@clinic.example\n",
    )
    await room.comes(CalendarItem(calendar="work", ref="a.ics", ics=calendar(series, past), etag="1"))
    assert len(await room.found("pond")) == 1
    room.listed[0] = read_exclusions("domain clinic.example")
    await room.unrolls()
    room.listed[0] = NOTHING
    assert await room.found("pond") == []


async def test_with_an_account_its_events_go(room: Room) -> None:
    await room.comes(item("a", "Plan the pond"))
    async for _ in account_asks(room.ledger, clock=room.clock)["accounts.remove"]({"name": "home"}):
        pass
    assert await room.found("pond") == []
