"""The courier: each channel in order, each part once, and what is in doubt marked once."""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest

import bot.courier
from bot.courier import Courier
from memory.ledger import Tables
from memory.piece import Piece
from memory.sql.ledger import SqlLedger
from tests.doubles.clock import NOW, FakeClock
from tests.doubles.spoken import a_piece, hear
from tests.doubles.stumbling import StumblingLedger
from tools.chat import MaybeShown, NotShown

AGAIN = timedelta(0)
NEVER = timedelta(days=1)


@dataclass(frozen=True)
class Shown:
    """One part that a channel was asked to show."""

    key: str
    part: int
    marked: bool = False


class ChannelDouble:
    """Shows the words of a piece one by one, as parts. `goes_wrong` holds what happens instead, part by part."""

    def __init__(self, name: str = "telegram") -> None:
        self.name = name
        self.shown: list[Shown] = []
        self.amended: list[tuple[str, tuple[str, ...] | None]] = []
        self.goes_wrong: defaultdict[str, list[Exception | None]] = defaultdict(list)
        self.hints: list[str] = []
        self.reaches_owner = True
        self.tried = asyncio.Event()

    async def show(self, piece: Piece) -> AsyncIterator[str]:
        first = len(piece.parts)
        for number in range(first, len(piece.text.split())):
            self.tried.set()
            if self.goes_wrong[piece.key] and (error := self.goes_wrong[piece.key].pop(0)) is not None:
                raise error
            self.shown.append(Shown(piece.key, number, piece.in_doubt and number == first))
            yield f"{piece.key}/{number}"

    async def amend(self, piece: Piece) -> None:
        if self.goes_wrong[piece.key] and (error := self.goes_wrong[piece.key].pop(0)) is not None:
            raise error
        self.amended.append((piece.text, piece.amends))

    async def typing(self) -> None:
        self.hints.append("typing")

    async def answer_tap(self, tap_id: str, text: str) -> None:
        self.hints.append(f"{tap_id}: {text}")


@asynccontextmanager
async def carrying(courier: Courier) -> AsyncIterator[None]:
    task = asyncio.create_task(courier.run())
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def settled(courier: Courier) -> None:
    async with asyncio.timeout(10):
        await courier.settled()


async def say(ledger: Any, key: str, text: str = "word", *, handing: bool = True, **given: Any) -> Piece:
    piece = await ledger.write(lambda t: t.pieces.say(a_piece(key, text=text, **given), now=NOW, handing=handing))
    assert piece is not None
    return piece  # type: ignore[no-any-return]


async def state_of(ledger: SqlLedger, key: str) -> str:
    piece = await ledger.read(lambda t: t.pieces.get(key))
    assert piece is not None
    return piece.state


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bot.courier, "SETTLE_FOR", timedelta(0))
    monkeypatch.setattr(bot.courier, "AGAIN_FOR", timedelta(0))


@pytest.fixture
def telegram() -> ChannelDouble:
    return ChannelDouble("telegram")


@pytest.fixture
def terminal() -> ChannelDouble:
    return ChannelDouble("terminal")


@pytest.fixture
async def courier(ledger: SqlLedger, telegram: ChannelDouble, terminal: ChannelDouble) -> Courier:
    return Courier(ledger, [terminal, telegram], FakeClock())


# --- in order, once ---


async def test_pieces_are_shown_in_order_part_by_part(
    ledger: SqlLedger, courier: Courier, telegram: ChannelDouble
) -> None:
    pieces = [await say(ledger, key, "one two") for key in "abc"]
    async with carrying(courier):
        courier.post(*pieces)
        await settled(courier)
    assert telegram.shown == [Shown(key, part) for key in "abc" for part in (0, 1)]
    for key in "abc":
        piece = await ledger.read(lambda t, key=key: t.pieces.get(key))
        assert piece is not None
        assert (piece.state, piece.parts) == ("shown", (f"{key}/0", f"{key}/1"))


async def test_each_part_is_on_record_before_the_next_one_goes(ledger: SqlLedger, telegram: ChannelDouble) -> None:
    on_record: list[int] = []

    class Looking(ChannelDouble):
        async def show(self, piece: Piece) -> AsyncIterator[str]:
            async for part in super().show(piece):
                found = await ledger.read(lambda t: t.pieces.get(piece.key))
                on_record.append(len(found.parts) if found else -1)
                yield part

    courier = Courier(ledger, [Looking("telegram")], FakeClock())
    async with carrying(courier):
        courier.post(await say(ledger, "a", "one two three"))
        await settled(courier)
    assert on_record == [0, 1, 2]


async def test_a_ready_piece_is_handed_over_before_it_is_shown(
    ledger: SqlLedger, courier: Courier, telegram: ChannelDouble
) -> None:
    async with carrying(courier):
        courier.post(await say(ledger, "a", handing=False))
        await settled(courier)
    assert telegram.shown == [Shown("a", 0)]
    assert await state_of(ledger, "a") == "shown"


async def test_a_piece_posted_twice_is_shown_once(ledger: SqlLedger, courier: Courier, telegram: ChannelDouble) -> None:
    piece = await say(ledger, "a", handing=False)
    async with carrying(courier):
        courier.post(piece, piece)
        await settled(courier)
    assert telegram.shown == [Shown("a", 0)]


async def test_what_was_said_before_is_skipped(ledger: SqlLedger, courier: Courier, telegram: ChannelDouble) -> None:
    async with carrying(courier):
        courier.post(None, await say(ledger, "a"), None)
        await settled(courier)
    assert len(telegram.shown) == 1


async def test_an_amendment_is_made_where_the_first_piece_stands(
    ledger: SqlLedger, courier: Courier, telegram: ChannelDouble
) -> None:
    async with carrying(courier):
        courier.post(await say(ledger, "a", "one two"))
        await settled(courier)
        courier.post(await say(ledger, "b", "changed", amends_key="a"))
        await settled(courier)
    assert telegram.amended == [("changed", ("a/0", "a/1"))]
    assert await state_of(ledger, "b") == "shown"
    assert len(telegram.shown) == 2


# --- what goes wrong ---


async def test_a_channel_that_waits_holds_its_own_pieces_in_order_and_no_other_channels(
    ledger: SqlLedger, courier: Courier, telegram: ChannelDouble, terminal: ChannelDouble
) -> None:
    telegram.goes_wrong["a"] = [NotShown("no network", retry_for=NEVER)]
    pieces = [await say(ledger, "a"), await say(ledger, "b"), await say(ledger, "t", channel="terminal")]
    changed = asyncio.Event()
    ledger.on_commit(changed.set)
    async with carrying(courier):
        courier.post(*pieces)
        await asyncio.wait_for(telegram.tried.wait(), 10)
        async with asyncio.timeout(10):
            # Cleared before the look: what is committed between the two must not be missed.
            changed.clear()
            while await state_of(ledger, "t") != "shown":
                await changed.wait()
                changed.clear()
    assert terminal.shown == [Shown("t", 0)]
    assert telegram.shown == []
    assert [await state_of(ledger, key) for key in "ab"] == ["handing", "handing"]


async def test_what_was_not_shown_is_tried_until_it_is_and_bears_no_mark(
    ledger: SqlLedger, courier: Courier, telegram: ChannelDouble
) -> None:
    telegram.goes_wrong["a"] = [NotShown("no network", retry_for=AGAIN)] * 5
    async with carrying(courier):
        courier.post(await say(ledger, "a"), await say(ledger, "b"))
        await settled(courier)
    assert telegram.shown == [Shown("a", 0), Shown("b", 0)]
    assert await state_of(ledger, "a") == "shown"


async def test_a_long_piece_goes_on_after_the_parts_that_were_shown(
    ledger: SqlLedger, courier: Courier, telegram: ChannelDouble
) -> None:
    telegram.goes_wrong["a"] = [None, NotShown("429", retry_for=AGAIN), None, MaybeShown("cut")]
    async with carrying(courier):
        courier.post(await say(ledger, "a", "one two three four"))
        await settled(courier)
    assert telegram.shown == [Shown("a", 0), Shown("a", 1), Shown("a", 2, marked=True), Shown("a", 3)]
    assert await state_of(ledger, "a") == "shown"


async def test_what_may_have_been_shown_is_repeated_once_with_a_mark(
    ledger: SqlLedger, courier: Courier, telegram: ChannelDouble
) -> None:
    telegram.goes_wrong["a"] = [MaybeShown("cut")]
    async with carrying(courier):
        courier.post(await say(ledger, "a"))
        await settled(courier)
    assert telegram.shown == [Shown("a", 0, marked=True)]
    assert await state_of(ledger, "a") == "shown"


async def test_a_doubt_outlives_a_failure_and_ends_with_the_part_it_was_about(
    ledger: SqlLedger, courier: Courier, telegram: ChannelDouble
) -> None:
    again = NotShown("429", retry_for=AGAIN)
    telegram.goes_wrong["a"] = [MaybeShown("cut"), again, None, again]
    async with carrying(courier):
        courier.post(await say(ledger, "a", "one two"))
        await settled(courier)
    assert telegram.shown == [Shown("a", 0, marked=True), Shown("a", 1)]


async def test_a_repeat_that_is_in_doubt_too_ends_as_unknown_and_the_next_goes(
    ledger: SqlLedger, courier: Courier, telegram: ChannelDouble
) -> None:
    telegram.goes_wrong["a"] = [MaybeShown("cut"), MaybeShown("cut again")]
    async with carrying(courier):
        courier.post(await say(ledger, "a"), await say(ledger, "b"))
        await settled(courier)
    assert telegram.shown == [Shown("b", 0)]
    assert await ledger.read(lambda t: t.pieces.unsettled(1)) == [("a", "unknown")]


@pytest.mark.parametrize(
    "error",
    [NotShown("blocked", for_good=True), ZeroDivisionError("a bug in a drawing")],
    ids=["for good", "a bug"],
)
async def test_what_can_never_be_shown_has_failed_and_the_next_goes(
    ledger: SqlLedger, courier: Courier, telegram: ChannelDouble, error: Exception
) -> None:
    telegram.goes_wrong["a"] = [error]
    async with carrying(courier):
        courier.post(await say(ledger, "a"), await say(ledger, "b"))
        await settled(courier)
    assert telegram.shown == [Shown("b", 0)]
    assert await ledger.read(lambda t: t.pieces.unsettled(1)) == [("a", "failed")]


async def test_an_amendment_that_is_not_made_is_tried_again(
    ledger: SqlLedger, courier: Courier, telegram: ChannelDouble
) -> None:
    telegram.goes_wrong["b"] = [NotShown("429", retry_for=AGAIN)]
    async with carrying(courier):
        courier.post(await say(ledger, "a"), await say(ledger, "b", "changed", amends_key="a"))
        await settled(courier)
    assert telegram.amended == [("changed", ("a/0",))]


@pytest.mark.parametrize("handing", [True, False])
async def test_an_amendment_of_what_is_still_on_its_way_is_made_once_that_is_shown(
    ledger: SqlLedger, courier: Courier, telegram: ChannelDouble, handing: bool
) -> None:
    telegram.goes_wrong["a"] = [NotShown("no network", retry_for=AGAIN)] * 3
    first = await say(ledger, "a", "one two", handing=handing)
    amendment = await say(ledger, "b", "changed meanwhile", amends_key="a", handing=handing)
    assert amendment.amends == ()
    async with carrying(courier):
        courier.post(first, amendment)
        await settled(courier)
    assert telegram.shown == [Shown("a", 0), Shown("a", 1)]
    assert telegram.amended == [("changed meanwhile", ("a/0", "a/1"))]


async def test_an_amendment_of_what_was_never_shown_is_shown_itself_and_amended_in_its_turn(
    ledger: SqlLedger, courier: Courier, telegram: ChannelDouble
) -> None:
    telegram.goes_wrong["a"] = [NotShown("Telegram will not take it", for_good=True)]
    async with carrying(courier):
        courier.post(await say(ledger, "a"), await say(ledger, "b", "changed twice", amends_key="a"))
        await settled(courier)
        courier.post(await say(ledger, "c", "changed again", amends_key="a"))
        await settled(courier)
    assert telegram.shown == [Shown("b", 0), Shown("b", 1)]
    assert telegram.amended == [("changed again", ("b/0", "b/1"))]


async def test_an_amendment_that_is_shown_itself_goes_on_where_it_was_broken_off(
    ledger: SqlLedger, courier: Courier, telegram: ChannelDouble
) -> None:
    telegram.goes_wrong["a"] = [NotShown("Telegram will not take it", for_good=True)]
    telegram.goes_wrong["b"] = [None, NotShown("429", retry_for=AGAIN)]
    async with carrying(courier):
        courier.post(await say(ledger, "a"), await say(ledger, "b", "one two", amends_key="a"))
        await settled(courier)
    assert telegram.shown == [Shown("b", 0), Shown("b", 1)]
    assert telegram.amended == []


# --- the owner out of reach ---


async def test_what_fails_because_the_owner_is_out_of_reach_is_revived_and_nothing_else_is(
    ledger: SqlLedger, courier: Courier, telegram: ChannelDouble
) -> None:
    refused = NotShown("Telegram will not take it", for_good=True)
    telegram.goes_wrong["bad"] = [refused]
    telegram.goes_wrong["good"] = telegram.goes_wrong["old"] = [NotShown("blocked", for_good=True)]
    async with carrying(courier):
        courier.post(await say(ledger, "bad"))
        await settled(courier)
        telegram.reaches_owner = False
        courier.post(await say(ledger, "good"), await say(ledger, "other", channel="terminal"))
        await settled(courier)
        assert await state_of(ledger, "good") == "failed"
        assert await ledger.write(lambda t: t.pieces.revive(1, "terminal", since=NOW)) == []
        assert await ledger.write(lambda t: t.pieces.revive(1, "telegram", since=NOW + timedelta(seconds=1))) == []
        telegram.reaches_owner = True
        courier.post(*await ledger.write(lambda t: t.pieces.revive(1, "telegram", since=NOW)))
        await settled(courier)
    assert telegram.shown == [Shown("good", 0)]
    assert [await state_of(ledger, key) for key in ("bad", "good")] == ["failed", "shown"]


async def test_a_revived_answer_that_was_overtaken_stays_unsaid(
    ledger: SqlLedger, courier: Courier, telegram: ChannelDouble
) -> None:
    _, turn, _ = await ledger.write(lambda t: hear(t, "one", said_as="1"))
    telegram.goes_wrong["a"] = [NotShown("blocked", for_good=True)]
    async with carrying(courier):
        telegram.reaches_owner = False
        courier.post(await say(ledger, "a", turn_id=turn.id))
        await settled(courier)
        await ledger.write(lambda t: hear(t, "two", said_as="2"))
        courier.post(*await ledger.write(lambda t: t.pieces.revive(1, "telegram", since=NOW)))
        await settled(courier)
    assert telegram.shown == []
    assert await state_of(ledger, "a") == "dropped"


@pytest.mark.parametrize(
    ("reaches", "error"),
    [
        (False, NotShown("blocked", for_good=True)),
        (False, NotShown("the token is refused", retry_for=NEVER)),
        (True, NotShown("Telegram will not take it", for_good=True)),
        (True, ZeroDivisionError("a bug in a drawing")),
    ],
    ids=["blocked", "no token", "not taken", "a bug"],
)
async def test_an_alarm_that_one_channel_does_not_take_goes_by_another(
    ledger: SqlLedger,
    courier: Courier,
    telegram: ChannelDouble,
    terminal: ChannelDouble,
    reaches: bool,
    error: Exception,
) -> None:
    telegram.reaches_owner = reaches
    telegram.goes_wrong["alarm:disk"] = [error]
    async with carrying(courier):
        courier.post(await say(ledger, "alarm:disk"))
        await settled(courier)
    assert (telegram.shown, terminal.shown) == ([], [Shown("alarm:disk", 0)])
    assert await state_of(ledger, "alarm:disk") == "shown"
    (message,) = await ledger.read(lambda t: t.thread.history(1, limit=5))
    assert message.channel == "terminal"


@pytest.mark.parametrize("text", ["one", "one two three"])
@pytest.mark.parametrize("handing", [True, False])
async def test_on_a_full_disk_nothing_is_shown_twice(
    ledger: SqlLedger, telegram: ChannelDouble, text: str, handing: bool
) -> None:
    stumbling = StumblingLedger(ledger)
    courier = Courier(stumbling, [telegram], FakeClock())
    piece = await say(ledger, "a", text, handing=handing)
    stumbling.fails = 3
    async with carrying(courier):
        courier.post(piece)
        await settled(courier)
    assert telegram.shown == [Shown("a", part) for part in range(len(text.split()))]
    assert await state_of(ledger, "a") == "shown"


async def test_on_a_full_disk_nothing_goes_that_is_not_handed_over(ledger: SqlLedger, telegram: ChannelDouble) -> None:
    stumbling, failed = StumblingLedger(ledger), asyncio.Event()
    courier = Courier(stumbling, [telegram], FakeClock())
    piece = await say(ledger, "a", handing=False)
    stumbling.fails, stumbling.on_failure = 10**9, failed.set
    async with carrying(courier):
        courier.post(piece)
        await asyncio.wait_for(failed.wait(), 10)
        await asyncio.sleep(0)
    assert telegram.shown == []
    assert await state_of(ledger, "a") == "ready"


# --- stopped turns ---


async def test_a_piece_of_a_stopped_turn_is_dropped(
    ledger: SqlLedger, courier: Courier, telegram: ChannelDouble
) -> None:
    def turned(t: Tables) -> int:
        _, turn, _ = hear(t, "one", said_as="1")
        return turn.id

    turn_id = await ledger.write(turned)
    first = await say(ledger, "first", turn_id=turn_id, handing=False)
    second = await say(ledger, "second", turn_id=turn_id, handing=False)
    async with carrying(courier):
        courier.post(first)
        await settled(courier)
        await ledger.write(lambda t: hear(t, "two", said_as="2"))
        courier.post(second)
        await settled(courier)
    assert telegram.shown == [Shown("first", 0)]
    assert [await state_of(ledger, key) for key in ("first", "second")] == ["shown", "dropped"]


# --- starting again ---


async def test_after_a_death_what_was_on_its_way_is_shown_again_with_a_mark_and_nothing_else(
    ledger: SqlLedger, telegram: ChannelDouble, terminal: ChannelDouble
) -> None:
    half = await say(ledger, "half", "one two three")
    await ledger.write(lambda t: t.pieces.part_shown(half.id, "half/0"))
    await say(ledger, "waiting", handing=False)
    done = await say(ledger, "done")
    await ledger.write(lambda t: t.pieces.end(done.id, "shown", because="b", now=NOW))
    courier = Courier(ledger, [terminal, telegram], FakeClock())
    assert await courier.recover() == 2
    async with carrying(courier):
        await settled(courier)
    assert telegram.shown == [Shown("half", 1, marked=True), Shown("half", 2), Shown("waiting", 0)]


async def test_after_a_death_a_piece_for_a_channel_that_is_gone_is_dropped(
    ledger: SqlLedger, terminal: ChannelDouble
) -> None:
    await say(ledger, "a")
    courier = Courier(ledger, [terminal], FakeClock())
    assert await courier.recover() == 1
    async with carrying(courier):
        await settled(courier)
    assert await state_of(ledger, "a") == "dropped"


async def test_a_courier_that_is_stopped_leaves_what_is_queued_for_the_next(
    ledger: SqlLedger, telegram: ChannelDouble
) -> None:
    telegram.goes_wrong["a"] = [NotShown("no network", retry_for=NEVER)]
    first = Courier(ledger, [telegram], FakeClock())
    async with carrying(first):
        first.post(await say(ledger, "a"), await say(ledger, "b", handing=False))
        await asyncio.wait_for(telegram.tried.wait(), 10)
    second = Courier(ledger, [telegram], FakeClock())
    assert await second.recover() == 2
    async with carrying(second):
        await settled(second)
    assert [shown.key for shown in telegram.shown] == ["a", "b"]


# --- hints ---


async def test_hints_go_to_their_own_channel_and_an_unknown_one_is_no_error(
    courier: Courier, telegram: ChannelDouble, terminal: ChannelDouble
) -> None:
    await courier.typing("telegram")
    await courier.answer_tap("telegram", "7", "Done")
    await courier.typing("pigeon")
    await courier.answer_tap("pigeon", "7", "Done")
    assert (telegram.hints, terminal.hints) == (["typing", "7: Done"], [])


async def test_what_nobody_asked_for_goes_to_telegram_where_that_leads_to_the_owner(
    ledger: SqlLedger, courier: Courier, telegram: ChannelDouble, terminal: ChannelDouble
) -> None:
    assert courier.home() == "telegram"
    telegram.reaches_owner = False
    assert courier.home() == "terminal"
    assert Courier(ledger, [terminal], FakeClock()).home() == "terminal"
