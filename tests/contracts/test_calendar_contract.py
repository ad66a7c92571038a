"""What every calendar source keeps (tools/calendar.CalendarSource), each against a real file or a server over sockets.

A stage (tests/contracts/calendar_stage) is a calendar and the hands of everybody else. What is read goes into a Reader,
which keeps objects as the ledger does: batch by batch, each with its cursor, by (calendar, ref).
"""

import asyncio
import traceback
from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from datetime import timedelta
from importlib.util import find_spec
from typing import Any

import pytest

from memory.errors import StillbellError
from tests.contracts import calendar_local_stages
from tests.contracts.calendar_stage import NAME, Opening, Plan, Stage
from tests.doubles.clock import NOW
from tests.doubles.owner import living_in
from tools.calendar import CalendarBatch, CalendarItem, CalendarSource
from tools.ics.reading import occurrences
from tools.source import SignInRefused, SourceDown

STAGES: dict[str, Opening] = {**calendar_local_stages.STAGES}
if find_spec("tests.contracts.calendar_google_stage") is not None:
    from tests.contracts import calendar_google_stage

    STAGES |= calendar_google_stage.STAGES

MANY = 60
"""More than any source asks for at once."""


@pytest.fixture(params=STAGES)
async def stage(request: pytest.FixtureRequest) -> Any:
    async with STAGES[request.param](request) as opened:
        yield opened


@pytest.fixture
async def source(stage: Stage) -> Any:
    opened = stage.source()
    try:
        yield opened
    finally:
        await opened.close()


def nothing_skipped(calendar: str) -> bool:
    return False


@dataclass
class Reader:
    """Keeps what comes, as the ledger does: a batch and its cursor together."""

    cursor: str | None = None
    items: dict[tuple[str, str], CalendarItem] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)

    async def read(self, source: CalendarSource, skips: Callable[[str], bool] = nothing_skipped) -> list[CalendarBatch]:
        """Everything that there is to read now."""
        async with asyncio.timeout(30), aclosing(source.batches(self.cursor, skips=skips)) as batches:  # type: ignore[type-var]
            return [self._keep(batch) async for batch in batches]

    def _keep(self, batch: CalendarBatch) -> CalendarBatch:
        self.items = {place: item for place, item in self.items.items() if place[0] not in batch.whole}
        self.items |= {(item.calendar, item.ref): item for item in batch.items}
        for place in batch.gone:
            self.items.pop(place, None)
        self.names |= batch.names
        self.cursor = batch.cursor
        return batch

    @property
    def events(self) -> list[tuple[str, str, str]]:
        """Everything that is planned in the coming month: (uid, title, start), by start and title."""
        found = [
            occurrences(
                item.ics,
                calendar=item.calendar,
                ref=item.ref,
                owner=living_in("Europe/Berlin"),
                me=frozenset(),
                from_at=NOW,
                to_at=NOW + timedelta(days=30),
            )
            for item in self.items.values()
        ]
        assert not any(one.faults for one in found)
        events = sorted((event for one in found for event in one.events), key=lambda one: (one.start_at, one.title))
        return [(event.uid, event.title, f"{event.start_at:%d %H:%M}") for event in events]


STANDUP = Plan(uid="standup", title="Standup")
LUNCH = Plan(uid="lunch", title="Lunch", start_at=NOW + timedelta(days=1, hours=3))
WEEKLY = Plan(uid="weekly", title="Review", start_at=NOW + timedelta(days=2), rule="FREQ=WEEKLY;COUNT=3")

STANDUP_SEEN = ("standup", "Standup", "03 09:00")
LUNCH_SEEN = ("lunch", "Lunch", "03 12:00")


def refs(batches: list[CalendarBatch]) -> list[str]:
    return [item.ref for batch in batches for item in batch.items]


async def test_the_first_reading_brings_all_there_is_as_a_whole(stage: Stage, source: CalendarSource) -> None:
    await stage.put(STANDUP, LUNCH)
    reader = Reader()
    batches = await reader.read(source)
    assert reader.events == [STANDUP_SEEN, LUNCH_SEEN]
    assert {item.calendar for item in reader.items.values()} == {name for batch in batches for name in batch.whole}


async def test_an_empty_calendar_is_read_without_complaint(stage: Stage, source: CalendarSource) -> None:
    reader = Reader()
    await reader.read(source)
    assert reader.events == []
    assert reader.cursor is not None


async def test_a_calendar_has_the_name_that_its_user_gave_it(stage: Stage, source: CalendarSource) -> None:
    await stage.put(STANDUP)
    reader = Reader()
    await reader.read(source)
    (item,) = reader.items.values()
    assert reader.names[item.calendar] == NAME


async def test_reading_on_without_a_change_brings_nothing(stage: Stage, source: CalendarSource) -> None:
    await stage.put(STANDUP)
    reader = Reader()
    await reader.read(source)
    assert refs(await reader.read(source)) == []
    assert reader.events == [STANDUP_SEEN]


async def test_a_new_event_comes_beside_those_that_are_known(stage: Stage, source: CalendarSource) -> None:
    await stage.put(STANDUP)
    reader = Reader()
    await reader.read(source)
    await stage.put(LUNCH)
    await reader.read(source)
    assert reader.events == [STANDUP_SEEN, LUNCH_SEEN]


async def test_a_changed_event_comes_again_under_its_ref_with_another_etag(
    stage: Stage, source: CalendarSource
) -> None:
    await stage.put(STANDUP)
    reader = Reader()
    await reader.read(source)
    ((place, before),) = reader.items.items()
    await stage.put(replace(STANDUP, title="Standing up", start_at=NOW + timedelta(days=1, hours=1)))
    await reader.read(source)
    assert reader.events == [("standup", "Standing up", "03 10:00")]
    assert list(reader.items) == [place]
    assert reader.items[place].etag != before.etag


async def test_a_deleted_event_is_gone(stage: Stage, source: CalendarSource) -> None:
    await stage.put(STANDUP, LUNCH)
    reader = Reader()
    await reader.read(source)
    await stage.delete("standup")
    await reader.read(source)
    assert reader.events == [LUNCH_SEEN]


async def test_an_event_that_comes_and_goes_between_two_readings_leaves_nothing(
    stage: Stage, source: CalendarSource
) -> None:
    await stage.put(STANDUP)
    reader = Reader()
    await reader.read(source)
    await stage.put(LUNCH)
    await stage.delete("lunch")
    await reader.read(source)
    assert reader.events == [STANDUP_SEEN]


async def test_a_series_is_one_object(stage: Stage, source: CalendarSource) -> None:
    await stage.put(WEEKLY)
    reader = Reader()
    await reader.read(source)
    assert len(reader.items) == 1
    assert [start for _, _, start in reader.events] == ["04 09:00", "11 09:00", "18 09:00"]


async def test_many_events_come_whole_and_once(stage: Stage, source: CalendarSource) -> None:
    plans = [Plan(uid=f"many-{number}", title=f"Number {number}") for number in range(MANY)]
    await stage.put(*plans)
    reader = Reader()
    batches = await reader.read(source)
    assert sorted(title for _, title, _ in reader.events) == sorted(plan.title for plan in plans)
    assert len(refs(batches)) == len(set(refs(batches))) == MANY


async def test_a_lost_cursor_reads_everything_again_and_doubles_nothing(stage: Stage, source: CalendarSource) -> None:
    await stage.put(STANDUP, LUNCH)
    reader = Reader()
    await reader.read(source)
    places = set(reader.items)
    await stage.put(WEEKLY)
    await stage.delete("lunch")
    await stage.lose_cursor()
    await reader.read(source)
    assert [uid for uid, _, _ in reader.events] == ["standup", "weekly", "weekly", "weekly"]
    assert len(reader.items) == 2
    assert len(places & set(reader.items)) == 1


@pytest.mark.parametrize("cursor", ["", "nonsense", "[1, 2]", '{"a": null}', "\x00" * 9])
async def test_a_cursor_that_is_none_reads_everything(stage: Stage, source: CalendarSource, cursor: str) -> None:
    await stage.put(STANDUP)
    reader = Reader(cursor=cursor)
    await reader.read(source)
    assert reader.events == [STANDUP_SEEN]


async def test_another_source_goes_on_from_the_cursor(stage: Stage, source: CalendarSource) -> None:
    await stage.put(STANDUP)
    reader = Reader()
    await reader.read(source)
    await source.close()
    again = stage.source()
    try:
        assert refs(await reader.read(again)) == []
        await stage.put(LUNCH)
        await reader.read(again)
    finally:
        await again.close()
    assert reader.events == [STANDUP_SEEN, LUNCH_SEEN]


async def test_a_calendar_that_is_excluded_is_not_read(stage: Stage, source: CalendarSource) -> None:
    await stage.put(STANDUP)
    asked = []

    def skips(calendar: str) -> bool:
        asked.append(calendar)
        return calendar == NAME

    reader = Reader()
    await reader.read(source, skips)
    assert reader.items == {}
    assert NAME in asked


async def test_a_refused_sign_in_is_said_as_such_without_the_secret(stage: Stage, source: CalendarSource) -> None:
    if not stage.can_refuse:
        pytest.skip("there is no sign-in")
    await stage.put(STANDUP)
    await stage.refuse()
    with pytest.raises(SignInRefused) as caught:
        await Reader().read(source)
    assert stage.secret not in "".join(traceback.format_exception(caught.value))
    with pytest.raises(SignInRefused):
        await source.check()


async def test_what_is_gone_is_down_and_what_was_known_stays(stage: Stage, source: CalendarSource) -> None:
    await stage.put(STANDUP)
    reader = Reader()
    await reader.read(source)
    await stage.break_off()
    with pytest.raises(SourceDown) as caught:
        await reader.read(source)
    assert not stage.secret or stage.secret not in str(caught.value)
    assert reader.events == [STANDUP_SEEN]
    with pytest.raises(StillbellError):
        await source.check()


async def test_it_goes_on_when_it_is_back(stage: Stage, source: CalendarSource) -> None:
    await stage.put(STANDUP)
    reader = Reader()
    await reader.read(source)
    await stage.break_off()
    with pytest.raises(SourceDown):
        await reader.read(source)
    await stage.mend()
    await stage.put(LUNCH)
    await reader.read(source)
    assert reader.events == [STANDUP_SEEN, LUNCH_SEEN]


async def test_a_check_names_the_calendars_and_changes_nothing(stage: Stage, source: CalendarSource) -> None:
    await stage.put(STANDUP)
    checked = await source.check()
    assert NAME in checked.folders
    assert not stage.secret or stage.secret not in repr(checked)
    reader = Reader()
    await reader.read(source)
    assert reader.events == [STANDUP_SEEN]


async def test_waiting_ends_when_its_time_is_over(stage: Stage, source: CalendarSource) -> None:
    await Reader().read(source)
    async with asyncio.timeout(10):
        await source.wait(timedelta(milliseconds=20))


async def test_closing_twice_is_no_error(stage: Stage, source: CalendarSource) -> None:
    await stage.put(STANDUP)
    await Reader().read(source)
    await source.close()
    await source.close()
