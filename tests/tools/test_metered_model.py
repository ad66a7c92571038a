"""Money: reserved before it is spent, whatever happens in between. All of it against the real ledger."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from memory.errors import CapReached, OutOfReach
from memory.ledger import Tables
from memory.owner import Owner
from memory.spending import INSTINCT_SHARE, Label
from memory.sql.ledger import SqlLedger
from memory.sql.opening import open_database
from tests.doubles.counted import calls
from tests.doubles.model_choice import choice_at
from tests.doubles.scripted_model import ScriptedModel
from tools.choice import Choice, ModelSettings, choose
from tools.metered import MeteredModel, day_began_at
from tools.model import Answer, Ask, ModelFailed, Said
from tools.policy import load_policy
from tools.prices import Price, load_prices, most_input_tokens, worst_usd

# Half past one at night in Berlin, where the day began at 23:00 UTC of the day before.
NOW = datetime(2026, 12, 1, 0, 30, tzinfo=UTC) - timedelta(hours=1) + timedelta(hours=1)
MIDNIGHT = datetime(2026, 11, 30, 23, 0, tzinfo=UTC)


class HandClock:
    """Shows what it is set to."""

    def __init__(self, now: datetime) -> None:
        self.at = now

    def now(self) -> datetime:
        return self.at


class Alerts(list[str]):
    """What the owner was told."""

    def __init__(self) -> None:
        super().__init__()
        self.days: list[date] = []

    async def __call__(self, because: str, on: date) -> None:
        await asyncio.sleep(0)
        self.append(because)
        self.days.append(on)


CHOICE: Choice = choice_at("http://127.0.0.1:9")


def an_ask(label: Label = "thinker") -> Ask:
    """A short question under `label`."""
    return Ask(label=label, system="You are Stillbell.", messages=[Said("owner", "Hello?")])


def worst(label: Label = "thinker") -> float:
    """What the short question can cost."""
    assigned = CHOICE.at(label)
    return worst_usd(
        assigned.price,
        input_tokens=most_input_tokens(an_ask(label)),
        max_tokens=assigned.max_tokens,
        cached=assigned.cache,
    )


class Stage:
    """A metered model over a scripted one, with the ledger, the clock and what the owner heard."""

    def __init__(self, ledger: SqlLedger, *, choice: Choice = CHOICE) -> None:
        self.ledger = ledger
        self.clock = HandClock(NOW)
        self.alerts = Alerts()
        self.scripted = ScriptedModel(cost_usd=0.001)
        self.model = MeteredModel(
            self.scripted, choice=choice, ledger=ledger, clock=self.clock, on_cap=self.alerts, owner_id=1
        )

    async def cap(self, usd: float) -> None:
        """Set the owner's cap."""
        await self.ledger.write(lambda t: t.owners.set(1, cap_usd=usd))

    async def spent(self, usd: float, at: datetime = NOW) -> None:
        """Put a call of this cost on record."""
        await self.ledger.write(
            lambda t: t.spendings.reserve(owner_id=1, label="thinker", model="m", cost_usd=usd, now=at)
        )

    async def rows(self) -> Sequence[Any]:
        """Every call on record once all is settled, newest first."""
        await self.model.close()
        return await self.ledger.read(calls)


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "stillbell.db"
    open_database(path, host="here", zone="Europe/Berlin", language="en", now=NOW - timedelta(days=9))
    return path


@pytest.fixture
async def stage(database: Path) -> AsyncIterator[Stage]:
    async with SqlLedger(database) as ledger:
        stage = Stage(ledger)
        yield stage
        await stage.model.close()


# Reserve, call, settle.


async def test_the_worst_case_is_on_record_while_the_call_is_under_way(stage: Stage) -> None:
    seen: list[Any] = []

    async def look() -> None:
        await stage.scripted.asked.wait()
        seen.extend(await stage.ledger.read(calls))
        stage.scripted.let_deadlines_pass()

    stage.scripted.hangs("thinker")
    looking = asyncio.create_task(look())
    with pytest.raises(ModelFailed):
        await stage.model.ask(an_ask())
    await looking
    assert [(row.label, row.state, row.cost_usd) for row in seen] == [("thinker", "reserved", worst())]
    assert seen[0].model == CHOICE.at("thinker").model


async def test_an_answered_call_is_settled_at_what_it_cost(stage: Stage) -> None:
    stage.scripted.answers("thinker", Answer(text="Yes.", input_tokens=120, output_tokens=7, cost_usd=0.0042))
    assert (await stage.model.ask(an_ask())).text == "Yes."
    [row] = await stage.rows()
    assert (row.state, row.cost_usd, row.input_tokens, row.output_tokens) == ("settled", 0.0042, 120, 7)


async def test_a_call_that_failed_for_free_costs_nothing(stage: Stage) -> None:
    stage.scripted.fails("thinker", "overloaded")
    with pytest.raises(ModelFailed):
        await stage.model.ask(an_ask())
    [row] = await stage.rows()
    assert (row.state, row.cost_usd, row.error) == ("unknown", 0.0, "overloaded")


@pytest.mark.parametrize("kind", ["cut", "garbled", "deadline"])
async def test_when_nobody_knows_what_it_cost_the_reservation_stands(stage: Stage, kind: str) -> None:
    stage.scripted.fails("thinker", kind)
    with pytest.raises(ModelFailed):
        await stage.model.ask(an_ask())
    [row] = await stage.rows()
    assert (row.state, row.cost_usd, row.error) == ("unknown", worst(), kind)


async def test_a_failed_call_is_trouble_for_ten_minutes_or_until_one_succeeds(stage: Stage) -> None:
    assert stage.model.trouble is None
    for _ in range(2):
        stage.scripted.fails("thinker", "overloaded")
        with pytest.raises(ModelFailed):
            await stage.model.ask(an_ask())
        assert "overloaded" in (stage.model.trouble or "")
        stage.clock.at += timedelta(minutes=11)
        assert stage.model.trouble is None
        stage.clock.at -= timedelta(minutes=11)
    await stage.model.ask(an_ask())
    assert stage.model.trouble is None


async def test_a_cancelled_call_keeps_its_reservation(stage: Stage) -> None:
    stage.scripted.hangs("thinker")
    asking = asyncio.create_task(stage.model.ask(an_ask()))
    await stage.scripted.asked.wait()
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    [row] = await stage.rows()
    assert (row.state, row.cost_usd, row.error) == ("unknown", worst(), "CancelledError")


async def test_a_bug_in_the_model_keeps_the_reservation_and_is_let_through(stage: Stage) -> None:
    def broken(ask: Ask) -> str:
        raise ZeroDivisionError

    stage.scripted.answers("thinker", broken)
    with pytest.raises(ZeroDivisionError):
        await stage.model.ask(an_ask())
    assert [(row.state, row.cost_usd) for row in await stage.rows()] == [("unknown", worst())]


async def test_a_prompt_above_the_ceiling_is_not_sent_and_costs_nothing(stage: Stage) -> None:
    long = Ask(label="instinct", system="x" * 100_001, messages=[Said("owner", "Hello?")])
    with pytest.raises(ModelFailed, match=r"pins\.instinct\.max_input_tokens") as refused:
        await stage.model.ask(long)
    assert (refused.value.kind, refused.value.cost_known_zero) == ("rejected", True)
    assert (stage.scripted.asks, await stage.rows()) == ([], [])


async def test_one_write_stands_between_the_question_and_the_call(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    writes: list[object] = []
    write = stage.ledger.write

    async def counted(work: Callable[[Tables], object]) -> object:
        writes.append(work)
        return await write(work)

    def count(ask: Ask) -> str:
        return str(len(writes))

    monkeypatch.setattr(stage.ledger, "write", counted)
    stage.scripted.answers("instinct", count)
    assert (await stage.model.ask(an_ask("instinct"))).text == "1"


async def test_the_model_is_described_as_what_it_is(stage: Stage) -> None:
    assert stage.model.describe("instinct") == stage.scripted.describe("instinct")


# The cap.


async def test_a_call_that_could_pass_the_cap_is_not_made(stage: Stage) -> None:
    await stage.cap(1)
    await stage.spent(0.95 - worst() / 2)
    with pytest.raises(CapReached, match="/allowance"):
        await stage.model.ask(an_ask())
    assert stage.scripted.asks == []
    assert len(await stage.rows()) == 1


async def test_a_call_that_just_fits_is_made(stage: Stage) -> None:
    await stage.cap(1)
    await stage.spent(0.95 - worst())
    await stage.model.ask(an_ask())
    assert len(stage.scripted.asks) == 1


async def test_two_calls_at_once_cannot_pass_the_cap_together(stage: Stage) -> None:
    await stage.cap(1)
    await stage.spent(0.95 - 1.5 * worst())
    outcomes = await asyncio.gather(*(stage.model.ask(an_ask()) for _ in range(6)), return_exceptions=True)
    assert sum(isinstance(outcome, Answer) for outcome in outcomes) == 1
    assert sum(isinstance(outcome, CapReached) for outcome in outcomes) == 5


async def test_instincts_share_is_left_to_instinct(stage: Stage) -> None:
    await stage.cap(1)
    await stage.spent(1 - INSTINCT_SHARE)
    with pytest.raises(CapReached):
        await stage.model.ask(an_ask("draft"))
    assert (await stage.model.ask(an_ask("instinct"))).text == "Hello?"


async def test_instinct_is_held_to_the_cap_too(stage: Stage) -> None:
    await stage.cap(1)
    await stage.spent(1)
    with pytest.raises(CapReached):
        await stage.model.ask(an_ask("instinct"))


async def test_a_cap_of_zero_lets_nothing_through_but_what_is_free(stage: Stage) -> None:
    await stage.cap(0)
    with pytest.raises(CapReached):
        await stage.model.ask(an_ask("instinct"))
    free = Stage(stage.ledger, choice=free_choice())
    assert (await free.model.ask(an_ask("instinct"))).text == "Hello?"
    await free.model.close()


def free_choice() -> Choice:
    """The same models for nothing, as when they run on the owner's machine."""
    settings = ModelSettings(
        ollama_url="http://127.0.0.1:9", local_model="qwen", prices={"qwen": Price(input_usd=0, output_usd=0)}
    )
    choice = choose(settings, load_policy(), load_prices())
    assert choice is not None
    return choice


async def test_a_raised_cap_counts_at_once(stage: Stage) -> None:
    await stage.cap(0.01)
    with pytest.raises(CapReached):
        await stage.model.ask(an_ask())
    await stage.cap(5)
    assert (await stage.model.ask(an_ask())).text == "Hello?"


async def test_what_was_settled_makes_room_again(stage: Stage) -> None:
    await stage.cap(1)
    await stage.spent(0.95 - 1.5 * worst())
    for _ in range(3):
        await stage.model.ask(an_ask())
        await stage.model.close()
    assert len(stage.scripted.asks) == 3


# The owner's day.


def owner_of(t: Tables) -> Owner:
    """The one owner."""
    return t.owners.get(1)


async def test_the_day_begins_at_midnight_on_the_owners_clock(stage: Stage) -> None:
    assert day_began_at(await stage.ledger.read(owner_of), NOW) == MIDNIGHT


async def test_what_was_spent_before_the_owners_midnight_does_not_count(stage: Stage) -> None:
    await stage.cap(1)
    await stage.spent(0.95, at=MIDNIGHT - timedelta(seconds=1))
    await stage.model.ask(an_ask())
    assert len(stage.scripted.asks) == 1


async def test_what_was_spent_at_midnight_counts_though_in_utc_it_was_yesterday(stage: Stage) -> None:
    await stage.cap(1)
    await stage.spent(0.95, at=MIDNIGHT)
    with pytest.raises(CapReached):
        await stage.model.ask(an_ask())


async def test_a_journey_moves_the_day_with_the_owner(stage: Stage) -> None:
    landed = NOW + timedelta(hours=2)
    await stage.ledger.write(lambda t: t.owners.move(1, zone="Asia/Tokyo", from_at=landed, because="a trip"))
    tokyo_midnight = datetime(2026, 12, 1, 15, 0, tzinfo=UTC)
    owner = await stage.ledger.read(owner_of)
    assert day_began_at(owner, tokyo_midnight - timedelta(seconds=1)) == MIDNIGHT
    assert day_began_at(owner, tokyo_midnight) == tokyo_midnight


# Telling the owner.


async def test_reaching_the_cap_alerts_once(stage: Stage) -> None:
    await stage.cap(0)
    for _ in range(3):
        with pytest.raises(CapReached):
            await stage.model.ask(an_ask())
    assert len(stage.alerts) == 1
    assert "0.00 USD" in stage.alerts[0]


async def test_calls_that_reach_the_cap_together_alert_once(stage: Stage) -> None:
    await stage.cap(0)
    outcomes = await asyncio.gather(*(stage.model.ask(an_ask()) for _ in range(5)), return_exceptions=True)
    assert [type(outcome) for outcome in outcomes] == [CapReached] * 5
    assert len(stage.alerts) == 1


async def test_a_restart_does_not_alert_again(stage: Stage) -> None:
    await stage.cap(0)
    with pytest.raises(CapReached):
        await stage.model.ask(an_ask())
    restarted = Stage(stage.ledger)
    with pytest.raises(CapReached):
        await restarted.model.ask(an_ask())
    assert restarted.alerts == []


async def test_the_next_day_alerts_anew(stage: Stage) -> None:
    await stage.cap(0)
    for at in (NOW, NOW + timedelta(days=1)):
        stage.clock.at = at
        with pytest.raises(CapReached):
            await stage.model.ask(an_ask())
    assert len(stage.alerts) == 2


async def test_the_day_of_an_alert_is_the_owners(stage: Stage) -> None:
    """In Tokyo the first hours of a day are still the day before in UTC: an alarm named by that would be said once for two."""
    await stage.ledger.write(lambda t: t.owners.move(1, zone="Asia/Tokyo", from_at=MIDNIGHT, because="a trip"))
    await stage.cap(0)
    for at in (datetime(2026, 12, 1, 14, 0, tzinfo=UTC), datetime(2026, 12, 1, 16, 0, tzinfo=UTC)):
        stage.clock.at = at
        with pytest.raises(CapReached):
            await stage.model.ask(an_ask())
    assert stage.alerts.days == [date(2026, 12, 1), date(2026, 12, 2)]


async def test_an_alert_that_could_not_be_told_is_tried_again_and_hides_no_cap(stage: Stage) -> None:
    told: list[str] = []

    async def on_cap(because: str, on: date) -> None:
        told.append(because)
        if len(told) == 1:
            raise OutOfReach("the chat can't be reached")

    await stage.cap(0)
    model = MeteredModel(
        stage.scripted, choice=CHOICE, ledger=stage.ledger, clock=stage.clock, on_cap=on_cap, owner_id=1
    )
    for _ in range(3):
        with pytest.raises(CapReached):
            await model.ask(an_ask())
    assert len(told) == 2


# Restarts.


async def test_a_restart_with_an_open_reservation_keeps_its_money_spent(database: Path) -> None:
    async with SqlLedger(database) as ledger:
        killed = Stage(ledger)
        await killed.cap(1)
        # What a process leaves that is killed in the middle of a call: the reservation, and nothing after it.
        await killed.spent(0.95 - worst() / 2)
    async with SqlLedger(database) as ledger:
        assert await ledger.write(lambda t: t.spendings.abandon()) == 1
        stage = Stage(ledger)
        with pytest.raises(CapReached):
            await stage.model.ask(an_ask())
        [row] = await stage.rows()
        assert (row.state, row.cost_usd) == ("unknown", 0.95 - worst() / 2)


async def test_an_unrecorded_settlement_leaves_the_reservation_and_the_answer(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = stage.ledger.write
    calls = 0

    async def full_after_the_first(work: Callable[[Tables], object]) -> object:
        nonlocal calls
        calls += 1
        if calls > 1:
            raise OutOfReach("the disk is full")
        return await write(work)

    monkeypatch.setattr(stage.ledger, "write", full_after_the_first)
    assert (await stage.model.ask(an_ask())).text == "Hello?"
    assert [(row.state, row.cost_usd) for row in await stage.rows()] == [("reserved", worst())]
