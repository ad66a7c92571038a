"""What is due and when: once each, on the owner's own clock, whatever the clocks do."""

from collections.abc import Iterator
from datetime import UTC, datetime, time, timedelta
from pathlib import Path
from typing import Any

import pytest

from jobs.timetable import Timetable
from memory.ledger import Tables
from memory.owner import Owner
from memory.reminder import Reminder
from memory.sql.ledger import SqlLedger
from memory.timetable import BRIEF_LATEST_FOR, DAILY, WEEKLY, Firing, due
from tests.doubles.clock import FakeClock
from tests.doubles.hand import rows
from tests.doubles.owner import an_owner

STEP = timedelta(minutes=10)


def utc(month: int, day: int, hour: int, minute: int = 0) -> datetime:
    return datetime(2026, month, day, hour, minute, tzinfo=UTC)


def a_reminder(wall: datetime, **given: Any) -> Reminder:
    usual: dict[str, Any] = {"id": 1, "owner_id": 1, "text": "x", "state": "set", "created_at": utc(1, 1, 0)}
    return Reminder(wall=wall, **(usual | given))


def looks(start: datetime, end: datetime) -> Iterator[datetime]:
    while start <= end:
        yield start
        start += STEP


def first_seen(owner: Owner, start: datetime, end: datetime, *reminders: Reminder) -> dict[str, datetime]:
    """Every firing by its id, with the look at which it was first due."""
    seen: dict[str, datetime] = {}
    for now in looks(start, end):
        for firing in due(owner=owner, reminders=reminders, notice_due_at=None, now=now):
            seen.setdefault(firing.source_id, now)
    return seen


def briefs(owner: Owner, start: datetime, end: datetime) -> dict[str, datetime]:
    """The first look at which each brief was due, among those of the days looked at."""
    seen = first_seen(owner, start, end)
    return {name.removeprefix("brief:"): at for name, at in seen.items() if name.startswith("brief:") and at > start}


def brief(owner: Owner, now: datetime) -> Firing | None:
    firings = due(owner=owner, reminders=(), notice_due_at=None, now=now)
    return next((firing for firing in firings if firing.kind == "brief"), None)


# --- the brief ---

CHANGES = [
    # zone, brief at, the three mornings around the change, in UTC
    pytest.param("Europe/Berlin", "07:30", (utc(3, 28, 6, 30), utc(3, 29, 5, 30), utc(3, 30, 5, 30)), id="Berlin spring"),
    pytest.param("Europe/Berlin", "02:30", (utc(3, 28, 1, 30), utc(3, 29, 1, 30), utc(3, 30, 0, 30)), id="in its gap"),
    pytest.param("Europe/Berlin", "07:30", (utc(10, 24, 5, 30), utc(10, 25, 6, 30), utc(10, 26, 6, 30)), id="autumn"),
    pytest.param("Europe/Berlin", "02:30", (utc(10, 24, 0, 30), utc(10, 25, 0, 30), utc(10, 26, 1, 30)), id="in its fold"),
    pytest.param("America/New_York", "07:30", (utc(3, 7, 12, 30), utc(3, 8, 11, 30), utc(3, 9, 11, 30)), id="NY spring"),
    pytest.param("America/New_York", "02:30", (utc(3, 7, 7, 30), utc(3, 8, 7, 30), utc(3, 9, 6, 30)), id="NY gap"),
    pytest.param("America/New_York", "07:30", (utc(10, 31, 11, 30), utc(11, 1, 12, 30), utc(11, 2, 12, 30)), id="NY autumn"),
    pytest.param("America/New_York", "01:30", (utc(10, 31, 5, 30), utc(11, 1, 5, 30), utc(11, 2, 6, 30)), id="NY fold"),
]  # fmt: skip


@pytest.mark.parametrize(("zone", "brief_at", "mornings"), CHANGES)
def test_the_brief_comes_once_a_day_when_the_clocks_change(
    zone: str, brief_at: str, mornings: tuple[datetime, ...]
) -> None:
    owner = an_owner(zone, brief_at=time.fromisoformat(brief_at))
    start = mornings[0].replace(minute=0) - timedelta(hours=1)
    seen = briefs(owner, start, mornings[-1] + timedelta(hours=5))
    assert list(seen.values()) == list(mornings)
    assert list(seen) == [owner.zones.wall_at(at).date().isoformat() for at in mornings]


@pytest.mark.parametrize(("zone", "brief_at", "mornings"), CHANGES)
def test_a_reminder_fires_once_when_the_clocks_change(zone: str, brief_at: str, mornings: tuple[datetime, ...]) -> None:
    owner = an_owner(zone)
    wall = datetime.combine(mornings[1].date(), time.fromisoformat(brief_at))
    seen = first_seen(owner, mornings[0], mornings[-1], a_reminder(wall))
    assert {name: at for name, at in seen.items() if name.startswith("reminder")} == {
        f"reminder:1:{wall.isoformat()}": mornings[1]
    }


def test_a_missed_brief_comes_late_and_says_when_it_was_due() -> None:
    late = brief(an_owner(), utc(3, 3, 11))
    assert late == Firing(
        kind="brief", source_id="brief:2026-03-03", planned_at=utc(3, 3, 6, 30), payload={"on": "2026-03-03"}
    )


def test_a_brief_that_is_far_too_late_waits_for_the_next_morning() -> None:
    planned_at = utc(3, 3, 6, 30)
    assert brief(an_owner(), planned_at + BRIEF_LATEST_FOR) is not None
    assert brief(an_owner(), planned_at + BRIEF_LATEST_FOR + timedelta(seconds=1)) is None
    assert brief(an_owner(), utc(3, 4, 6, 29)) is None


def test_after_a_week_away_one_brief_comes_and_not_seven() -> None:
    firings = due(owner=an_owner(), reminders=(), notice_due_at=None, now=utc(3, 9, 8))
    assert [firing.source_id for firing in firings if firing.kind == "brief"] == ["brief:2026-03-09"]


def test_a_late_brief_of_yesterday_is_still_told_after_midnight() -> None:
    owner = an_owner("UTC", brief_at=time(23))
    told = brief(owner, utc(3, 4, 1))
    assert told is not None
    assert told.source_id == "brief:2026-03-03"


def test_who_came_after_the_morning_gets_no_brief_of_it() -> None:
    created_at = utc(3, 3, 8)
    owner = an_owner(created_at=created_at)
    assert brief(owner, created_at) is None
    assert list(briefs(owner, created_at, utc(3, 5, 12))) == ["2026-03-04", "2026-03-05"]


def test_moving_the_brief_to_a_later_hour_does_not_tell_it_twice() -> None:
    first, second = brief(an_owner(), utc(3, 3, 8)), brief(an_owner(brief_at=time(9)), utc(3, 3, 8, 30))
    assert first is not None
    assert first.source_id == "brief:2026-03-03"
    assert second is not None
    assert second.source_id == first.source_id


MOVES = [
    pytest.param("Europe/Berlin", "America/New_York", id="west"),
    pytest.param("America/New_York", "Europe/Berlin", id="east"),
    pytest.param("Pacific/Honolulu", "Pacific/Kiritimati", id="east over the date line"),
    pytest.param("Asia/Tokyo", "America/Los_Angeles", id="west over the date line"),
]


@pytest.mark.parametrize("hour", range(0, 24, 3))
@pytest.mark.parametrize(("before", "after"), MOVES)
def test_a_journey_brings_no_morning_twice_and_ends_in_mornings_of_the_new_zone(
    before: str, after: str, hour: int
) -> None:
    move = utc(3, 4, hour)
    owner = an_owner(before, (move, after))
    told: list[str] = []
    for now in looks(utc(3, 2, 0), utc(3, 8, 0)):
        firing = brief(owner, now)
        if firing is not None and firing.source_id not in told:
            told.append(firing.source_id)
    assert told == sorted(told)
    seen = briefs(owner, utc(3, 2, 0), utc(3, 8, 0))
    settled = [at for at in seen.values() if at > move + timedelta(days=1)]
    assert len(settled) >= 2
    assert {owner.zones.wall_at(at).time() for at in settled} == {time(7, 30)}


# --- reminders ---


@pytest.mark.parametrize("hour", [6, 12, 18])
def test_a_reminder_set_for_eight_stays_at_eight_after_a_move(hour: int) -> None:
    owner = an_owner("Europe/Berlin", (utc(3, 4, hour), "America/New_York"))
    wall = datetime(2026, 3, 5, 8)
    seen = first_seen(owner, utc(3, 4, 0), utc(3, 6, 0), a_reminder(wall))
    (at,) = (at for name, at in seen.items() if name.startswith("reminder"))
    assert at == utc(3, 5, 13)


def test_a_reminder_in_twenty_minutes_keeps_its_instant_after_a_move() -> None:
    exact_at = utc(3, 4, 12, 20)
    owner = an_owner("Europe/Berlin", (utc(3, 4, 12, 10), "Asia/Tokyo"))
    seen = first_seen(owner, utc(3, 4, 12), utc(3, 5, 12), a_reminder(datetime(2026, 3, 4, 13, 20), exact_at=exact_at))
    (at,) = (at for name, at in seen.items() if name.startswith("reminder"))
    assert at == exact_at


def test_a_missed_reminder_is_due_however_late() -> None:
    firings = due(
        owner=an_owner(), reminders=[a_reminder(datetime(2026, 3, 1, 8))], notice_due_at=None, now=utc(3, 9, 0)
    )
    (firing,) = (firing for firing in firings if firing.kind == "reminder")
    assert firing.planned_at == utc(3, 1, 7)
    assert firing.payload == {"reminder": 1, "wall": "2026-03-01T08:00:00"}


def test_nothing_is_due_before_its_time() -> None:
    reminder = a_reminder(datetime(2026, 3, 3, 8))
    early, on_time = utc(3, 3, 6, 59), utc(3, 3, 7)
    for now, count in ((early, 0), (on_time, 1)):
        firings = due(owner=an_owner(), reminders=[reminder], notice_due_at=on_time, now=now)
        assert sum(firing.kind == "reminder" for firing in firings) == count
        assert sum(firing.kind == "notices" for firing in firings) == count


# --- the tick ---


@pytest.mark.parametrize(("month", "day"), [(3, 29), (10, 25)])
def test_the_tick_comes_every_hour_of_a_day_with_one_hour_more_or_less(month: int, day: int) -> None:
    seen = first_seen(an_owner(), utc(month, day, 0), utc(month, day, 23, 50))
    ticks = {name: at for name, at in seen.items() if name.startswith("tick")}
    assert list(ticks.values()) == [utc(month, day, hour) for hour in range(24)]


# --- the backup ---


@pytest.mark.parametrize(("zone", "at", "mornings"), CHANGES)
def test_a_backup_is_due_once_a_day_when_the_clocks_change(zone: str, at: str, mornings: tuple[datetime, ...]) -> None:
    owner, seen = an_owner(zone), dict[str, datetime]()
    for now in looks(mornings[0], mornings[-1] + timedelta(hours=5)):
        for firing in due(
            owner=owner, reminders=(), notice_due_at=None, now=now, daily={"backup": time.fromisoformat(at)}
        ):
            if firing.kind == "backup":
                seen.setdefault(firing.source_id, now)
    assert list(seen.values()) == list(mornings)


@pytest.mark.parametrize(
    ("created_at", "now", "expected"),
    [
        pytest.param(utc(1, 1, 0), utc(3, 3, 2), ["backup:2026-03-03"], id="at its time"),
        pytest.param(utc(1, 1, 0), utc(3, 3, 1, 59), ["backup:2026-03-02"], id="yesterday's, before its time"),
        pytest.param(utc(3, 3, 2, 1), utc(3, 3, 20), [], id="none for a day before the owner was here"),
    ],
)
def test_a_backup_is_that_of_the_latest_day_whose_time_has_come(
    created_at: datetime, now: datetime, expected: list[str]
) -> None:
    owner = an_owner(created_at=created_at)
    firings = due(owner=owner, reminders=(), notice_due_at=None, now=now, daily={"backup": time(3)})
    assert [firing.source_id for firing in firings if firing.kind == "backup"] == expected


def test_without_a_time_there_is_no_backup() -> None:
    firings = due(owner=an_owner(), reminders=(), notice_due_at=None, now=utc(3, 3, 20))
    assert "backup" not in {firing.kind for firing in firings}


def rounds(now: datetime, zone: str = "Europe/Berlin") -> dict[str, datetime]:
    """The latest round of each standing duty of the house, by its id."""
    firings = due(owner=an_owner(zone), reminders=(), notice_due_at=None, now=now, daily=DAILY, weekly=WEEKLY)
    return {one.source_id: one.planned_at for one in firings if one.kind in {*DAILY, *WEEKLY}}


def test_the_review_comes_every_day_before_the_usual_brief_on_the_owners_clock() -> None:
    before, after = utc(3, 3, 6, 9), utc(3, 3, 6, 10)
    assert "review:2026-03-02" in rounds(before)
    assert "review:2026-03-03" not in rounds(before)
    assert rounds(after)["review:2026-03-03"] == after
    assert rounds(utc(3, 3, 12, 10), "America/New_York")["review:2026-03-03"] == utc(3, 3, 12, 10)
    assert DAILY["review"] < an_owner().brief_at


def test_what_comes_once_a_week_comes_on_its_day_alone() -> None:
    seen = {
        name: at for day in range(1, 29) for name, at in rounds(utc(3, day, 20)).items() if name.startswith("train")
    }
    # The Sundays of March, at four in Berlin.
    assert sorted(seen) == [f"train:2026-03-{day:02}" for day in (1, 8, 15, 22)]
    assert seen["train:2026-03-01"] == utc(3, 1, 3)


# --- at work over the ledger ---


async def set_reminder(ledger: SqlLedger, wall: datetime) -> None:
    def work(t: Tables) -> None:
        t.reminders.set(owner_id=1, text="x", wall=wall, rule=None, loop_id=None, because="b", now=utc(3, 2, 9))

    await ledger.write(work)


async def test_what_is_due_is_published_once_and_an_idle_look_writes_nothing(ledger: SqlLedger, database: Path) -> None:
    clock = FakeClock(utc(3, 3, 8))
    timetable = Timetable(ledger, clock)
    assert await timetable.look() == ["tick:2026-03-03T08Z", "brief:2026-03-03"]
    commits: list[None] = []
    ledger.on_commit(lambda: commits.append(None))
    assert await timetable.look() == []
    assert await Timetable(ledger, clock).look() == []
    assert commits == []
    assert rows(database, "SELECT kind, source FROM signals ORDER BY id") == [
        ("tick", "timetable"),
        ("brief", "timetable"),
    ]


@pytest.mark.parametrize("back", [timedelta(hours=2), timedelta(days=1), timedelta(days=40)], ids=str)
async def test_a_clock_that_is_set_back_fires_nothing_twice(ledger: SqlLedger, back: timedelta) -> None:
    clock = FakeClock(utc(3, 3, 6, 50))
    timetable = Timetable(ledger, clock)
    await set_reminder(ledger, datetime(2026, 3, 3, 7, 45))
    told: list[str] = []
    for by in (timedelta(0), -back, back, timedelta(hours=1), -back, back):
        clock.advance(by)
        told += await timetable.look()
    assert len(told) == len(set(told))
    assert [name for name in told if name.startswith("reminder")] == ["reminder:1:2026-03-03T07:45:00"]
    assert told.count("brief:2026-03-03") == 1


async def test_what_waited_for_the_night_to_end_is_due_then_and_what_waits_for_the_brief_is_not(
    ledger: SqlLedger,
) -> None:
    clock = FakeClock(utc(3, 3, 5))
    timetable = Timetable(ledger, clock)

    def hold(t: Tables) -> None:
        for urgency, at in (("soon", utc(3, 3, 6)), ("hold", utc(3, 3, 5, 30))):
            t.notices.hold(
                owner_id=1,
                source="mail",
                summary="x",
                urgency=urgency,  # type: ignore[arg-type]
                because="b",
                deliver_after_at=at,
                now=clock.now(),
            )

    await ledger.write(hold)
    told: list[list[str]] = []
    for minutes in (0, 45, 15, 1):
        clock.advance(timedelta(minutes=minutes))
        told.append([name for name in await timetable.look() if name.startswith("notices")])
    assert told == [[], [], ["notices:2026-03-03T06:00:00+00:00"], []]


async def test_a_cancelled_reminder_is_never_due(ledger: SqlLedger) -> None:
    clock = FakeClock(utc(3, 3, 12))
    await set_reminder(ledger, datetime(2026, 3, 3, 8))
    await ledger.write(lambda t: t.reminders.cancel(1, because="b", now=clock.now()))
    assert not [name for name in await Timetable(ledger, clock).look() if name.startswith("reminder")]
