"""Events: one plain line before each, a correction where it is true no longer, and every conflict once."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from handlers.calendar_event import CalendarEvents
from jobs.unroll import Unroll
from memory.event import Event, to_plain
from memory.heads_up import key_of
from memory.job import Job
from memory.ledger import Tables
from memory.piece import Piece
from memory.signal import NewSignal
from memory.sql.ledger import SqlLedger
from tests.doubles.clock import NOW, FakeClock
from tests.doubles.judged import plan
from tests.doubles.planned import an_event
from tools import brief
from tools.incoming import unrolled

SOON = NOW + timedelta(minutes=15)
"""A quarter past ten in Berlin."""
STANDUP = an_event("standup", SOON, 30, place="Room 4")


@dataclass
class Desk:
    """The handlers over a real ledger, with what they said."""

    ledger: SqlLedger
    clock: FakeClock
    said: list[str] = field(default_factory=list)
    signals: int = 0

    def home(self) -> str:
        return "terminal"

    def post(self, *pieces: Piece | None) -> None:
        self.said += [piece.text for piece in pieces if piece is not None]

    async def typing(self, channel: str) -> None: ...

    async def answer_tap(self, channel: str, tap_id: str, text: str) -> None: ...

    async def plan(self, *events: Event) -> None:
        """The calendar holds these from now on, and no others of the same uid."""

        def work(t: Tables) -> None:
            known = next((one.id for one in t.accounts.present(1)), None)
            plan(t, *events, account_id=known)

        await self.ledger.write(work)

    async def gone(self, *events: Event) -> None:
        await self.ledger.write(
            lambda t: [t.calendars.drop(t.accounts.present(1)[0].id, one.calendar, {one.ref}) for one in events]
        )

    async def job(self, kind: str, payload: dict[str, Any]) -> Job:
        self.signals += 1
        new = NewSignal(source="made", kind=kind, source_id=f"{kind}:{self.signals}", payload=payload)

        def work(t: Tables) -> Job:
            signal_id = t.signals.publish(new, now=self.clock.now())
            assert signal_id is not None
            return Job(
                id=self.signals,
                owner_id=1,
                kind=kind,
                lane="background",
                thread="x",
                attempt=1,
                created_at=self.clock.now(),
                signal=t.signals.get(signal_id),
            )

        return await self.ledger.write(work)

    async def soon(self, event: Event) -> list[str]:
        """The timetable fires for this event; what is said."""
        payload = {"uid": event.uid, "occurrence": event.occurrence, "start_at": event.start_at.isoformat()}
        return await self.after(self.handlers.soon, await self.job("heads_up", payload))

    async def changed(self, *before: Event, uid: str = "standup") -> list[str]:
        """A source has changed it; what is said."""
        payload = {"uid": uid, "before": [to_plain(event) for event in before]}
        return await self.after(self.handlers.changed, await self.job("calendar_event", payload))

    async def after(self, handle: Callable[[Job], Any], job: Job) -> list[str]:
        before = len(self.said)
        await handle(job)
        return self.said[before:]

    @property
    def handlers(self) -> CalendarEvents:
        return CalendarEvents(self.ledger, self, self.clock)


@pytest.fixture
def desk(ledger: SqlLedger, clock: FakeClock) -> Desk:
    return Desk(ledger, clock)


# ── heads-up ──────────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_a_quarter_of_an_hour_before_an_event_one_plain_line_is_said_once(desk: Desk) -> None:
    await desk.plan(STANDUP)
    assert await desk.soon(STANDUP) == [r"Heads up: 10:15–10:45 Standup (Room 4)"]
    assert await desk.soon(STANDUP) == []
    assert await desk.ledger.read(lambda t: t.pieces.has(key_of(STANDUP)))


@pytest.mark.parametrize(
    "now_is",
    [
        {"start_at": SOON + timedelta(hours=1)},
        {"status": "cancelled"},
        {"my_answer": "declined"},
        None,
    ],
    ids=["moved", "cancelled", "declined", "gone"],
)
async def test_what_changed_between_the_clock_and_the_line_is_not_said(desk: Desk, now_is: Any) -> None:
    await desk.plan(STANDUP)
    if now_is is None:
        await desk.gone(STANDUP)
    else:
        await desk.plan(replace(STANDUP, **now_is))
    assert await desk.soon(STANDUP) == []


async def test_what_has_begun_is_told_no_more(desk: Desk) -> None:
    await desk.plan(STANDUP)
    desk.clock.advance(timedelta(minutes=15))
    assert await desk.soon(STANDUP) == []


async def test_the_same_meeting_in_two_calendars_is_said_once(desk: Desk) -> None:
    copy = replace(STANDUP, uid="copy", ref="copy.ics", calendar="home")
    await desk.plan(STANDUP, copy)
    assert len(await desk.soon(STANDUP) + await desk.soon(copy)) == 1


async def test_the_hundredth_occurrence_of_a_series_is_found(desk: Desk) -> None:
    days = [
        replace(STANDUP, occurrence=f"{n}", start_at=SOON + timedelta(days=n), end_at=SOON + timedelta(days=n, hours=1))
        for n in range(-60, 140)
    ]
    await desk.plan(*days)
    assert len(await desk.soon(days[60])) == 1


async def test_what_an_invitation_says_can_neither_format_nor_lead_anywhere(desk: Desk) -> None:
    event = replace(STANDUP, title="*now* [pay](https://evil.example)\n# x", place="https://evil.example/?q=1")
    await desk.plan(event)
    (said,) = await desk.soon(event)
    assert "https://" not in said
    assert "\n" not in said
    assert r"\*now\*" in said


# ── corrections ───────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_an_event_that_was_told_and_moved_is_corrected_once(desk: Desk) -> None:
    await desk.plan(STANDUP)
    await desk.soon(STANDUP)
    later = SOON + timedelta(hours=2)
    moved = replace(STANDUP, start_at=later, end_at=later + timedelta(minutes=30))
    await desk.plan(moved)
    assert await desk.changed(STANDUP) == ["Moved: Standup is now 12:15–12:45."]
    assert await desk.changed(STANDUP) == []


@pytest.mark.parametrize("how", ["cancelled", "gone"])
async def test_an_event_that_was_told_and_falls_away_is_corrected_once(desk: Desk, how: str) -> None:
    await desk.plan(STANDUP)
    await desk.soon(STANDUP)
    await (desk.plan(replace(STANDUP, status="cancelled")) if how == "cancelled" else desk.gone(STANDUP))
    assert await desk.changed(STANDUP) == ["Cancelled: Standup (10:15–10:45)."]
    assert await desk.changed(STANDUP) == []


async def test_what_was_never_told_is_not_corrected(desk: Desk) -> None:
    await desk.plan(replace(STANDUP, start_at=SOON + timedelta(hours=1)))
    assert await desk.changed(STANDUP) == []


async def test_an_event_that_moved_by_minutes_is_corrected_and_not_told_again(desk: Desk) -> None:
    await desk.plan(STANDUP)
    await desk.soon(STANDUP)
    desk.clock.advance(timedelta(minutes=5))
    moved = replace(STANDUP, start_at=SOON + timedelta(minutes=5))
    await desk.plan(moved)
    assert await desk.changed(STANDUP) == ["Moved: Standup is now 10:20–10:45."]
    assert await desk.soon(moved) == []


# ── conflicts ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def pair(at: datetime) -> tuple[Event, Event]:
    return an_event("standup", at), an_event("dentist", at + timedelta(minutes=30))


async def test_a_conflict_of_the_day_is_said_at_once_and_once(desk: Desk) -> None:
    await desk.plan(*pair(NOW + timedelta(hours=3)))
    said = await desk.changed()
    assert said == ["Two at once: 13:00–14:00 Standup and 13:30–14:30 Dentist."]
    assert await desk.changed() == []


async def test_a_conflict_further_ahead_and_one_found_at_night_wait_for_the_brief(desk: Desk) -> None:
    await desk.plan(*pair(NOW + timedelta(days=3)))
    assert await desk.changed() == []
    desk.clock.advance(timedelta(hours=13))  # eleven at night
    await desk.plan(an_event("early", NOW + timedelta(hours=20)), an_event("bird", NOW + timedelta(hours=20)))
    assert await desk.changed() == []
    held = await desk.ledger.read(lambda t: t.notices.held(1, desk.clock.now()))
    assert [notice.summary for notice in held] == [
        "Two at once: on Thursday, 5 March, 10:00–11:00 Standup and on Thursday, 5 March, 10:30–11:30 Dentist.",
        "Two at once: 06:00–07:00 Bird and 06:00–07:00 Early.",
    ]


async def test_a_conflict_that_was_solved_before_the_brief_is_not_told_there(desk: Desk) -> None:
    first, second = pair(NOW + timedelta(days=3))
    await desk.plan(first, second)
    await desk.changed()
    await desk.plan(replace(second, start_at=first.end_at, end_at=first.end_at + timedelta(hours=1)))
    desk.clock.advance(timedelta(days=1))

    def morning(t: Tables) -> str:
        return brief.compose_now(t, t.owners.get(), desk.clock.now(), key="k")

    assert "Two at once" not in await desk.ledger.write(morning)


async def test_a_conflict_is_told_in_the_brief_once_and_stands_in_no_two_lines(desk: Desk) -> None:
    await desk.plan(*pair(NOW + timedelta(days=3)))
    await desk.changed()
    desk.clock.advance(timedelta(days=1))
    told = [
        await desk.ledger.write(lambda t: brief.compose_now(t, t.owners.get(), desk.clock.now(), key="k"))
        for _ in range(2)
    ]
    assert [text.count("Two at once") for text in told] == [1, 0]


async def test_beyond_a_fortnight_nothing_clashes_yet(desk: Desk) -> None:
    await desk.plan(*pair(NOW + timedelta(days=15)))
    await desk.changed()
    assert await desk.ledger.read(lambda t: t.notices.held(1, NOW)) == []


# ── time goes on ──────────────────────────────────────────────────────────────────────────────────────────────────────

WEEKLY = """BEGIN:VCALENDAR
VERSION:2.0
PRODID:-//x//x//EN
BEGIN:VEVENT
UID:weekly
DTSTAMP:20260101T000000Z
DTSTART:20260302T120000Z
DTEND:20260302T130000Z
RRULE:FREQ=WEEKLY
SUMMARY:Review
END:VEVENT
END:VCALENDAR
"""


async def test_occurrences_follow_time_and_nothing_is_said_or_written_twice(desk: Desk) -> None:
    def keep(t: Tables) -> None:
        account = plan(t)
        events = unrolled(WEEKLY, calendar="work", ref="w.ics", owner=t.owners.get().zones, mine=frozenset(), now=NOW)
        t.calendars.keep(1, account, calendar="work", ref="w.ics", etag="e1", ics=WEEKLY, events=events)

    await desk.ledger.write(keep)
    duty = Unroll(desk.ledger, desk, desk.clock)

    async def rows() -> list[tuple[int, datetime]]:
        far = datetime(2028, 1, 1, tzinfo=UTC)
        return await desk.ledger.read(
            lambda t: [(one.id, one.event.start_at) for one in t.calendars.between(1, NOW - timedelta(days=99), far)]
        )

    before = await rows()
    await duty(await desk.job("unroll", {}))
    assert await rows() == before
    desk.clock.advance(timedelta(days=100))
    await duty(await desk.job("unroll", {}))
    after = await rows()
    assert max(at for _, at in after) > max(at for _, at in before) + timedelta(days=90)
    assert min(at for _, at in after) > NOW
    assert desk.said == []


async def test_an_object_that_its_source_changed_meanwhile_is_left_alone(desk: Desk) -> None:
    await desk.plan(STANDUP)
    changed = await desk.ledger.write(
        lambda t: t.calendars.unroll(t.calendars.items(1, after_id=0, limit=1)[0][0], "what was read before", ())
    )
    assert not changed
    assert await desk.ledger.read(lambda t: len(t.calendars.of_uid(1, "standup"))) == 1


async def test_the_night_raises_conflicts_that_have_come_into_reach(desk: Desk) -> None:
    other = WEEKLY.replace("weekly", "dentist").replace("RRULE:FREQ=WEEKLY\n", "").replace("20260302", "20260316")

    def keep(t: Tables) -> None:
        account = plan(t)
        for ref, ics in (("w.ics", WEEKLY.replace("T12", "T10")), ("d.ics", other)):
            t.calendars.keep(1, account, calendar="work", ref=ref, etag="e", ics=ics, events=())

    await desk.ledger.write(keep)
    assert await desk.changed() == []
    desk.clock.advance(timedelta(days=2))
    await Unroll(desk.ledger, desk, desk.clock)(await desk.job("unroll", {}))
    assert len(await desk.ledger.read(lambda t: t.notices.held(1, desk.clock.now()))) == 1
