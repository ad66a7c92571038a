"""Pacing: bursts are fine, floods are not, and one chat's pause is not another's."""

import asyncio
from datetime import timedelta

import pytest

from bot.telegram.limiter import BURST, INTERVAL_S, Limiter, Pace
from tests.bot.telegram_room import Stepping


def limiter(clock: Stepping) -> Limiter:
    return Limiter(monotonic=clock.monotonic, sleep=clock.sleep)


def test_the_first_message_after_a_silence_never_waits() -> None:
    assert Pace().wait_s(0.0) == 0
    tired = Pace()
    for _ in range(50):
        tired = tired.sent(0.0)
    assert tired.wait_s(50.0) == 0


def test_a_short_burst_goes_at_once_and_then_one_a_second() -> None:
    pace, waits = Pace(), []
    now = 100.0
    for _ in range(BURST + 3):
        wait_s = pace.wait_s(now)
        waits.append(wait_s)
        now += wait_s
        pace = pace.sent(now)
    assert waits == [0.0] * BURST + [INTERVAL_S] * 3


def test_after_a_pause_that_was_asked_for_there_is_no_burst() -> None:
    pace = Pace().held(now=10.0, hold_s=30.0)
    assert pace.wait_s(10.0) == 30.0
    assert pace.wait_s(40.0) == 0.0
    assert pace.sent(40.0).wait_s(40.0) == INTERVAL_S


def test_a_shorter_pause_does_not_shorten_a_longer_one() -> None:
    assert Pace().held(0.0, 30.0).held(1.0, 2.0).wait_s(1.0) == 29.0


async def test_a_held_chat_does_not_hold_another() -> None:
    clock = Stepping()
    paced = limiter(clock)
    paced.hold(1, timedelta(seconds=280))
    await paced.turn(2)
    assert clock.slept == []
    assert paced.held_for(1) == timedelta(seconds=280)
    assert paced.held_for(2) is None


async def test_a_pause_asked_for_while_somebody_waits_makes_them_wait_longer() -> None:
    clock = Stepping()
    paced = limiter(clock)
    for _ in range(BURST):
        await paced.turn(1)
    waiting = asyncio.create_task(paced.turn(1))
    await asyncio.sleep(0)
    paced.hold(1, timedelta(seconds=20))
    await waiting
    assert sum(clock.slept) == pytest.approx(20 + INTERVAL_S)


async def test_those_who_wait_are_let_through_in_order() -> None:
    clock = Stepping()
    paced = limiter(clock)
    order: list[int] = []

    async def one(number: int) -> None:
        await paced.turn(1)
        order.append(number)

    await asyncio.gather(*(one(number) for number in range(12)))
    assert order == list(range(12))
    assert clock.now - 1000.0 == pytest.approx((12 - BURST) * INTERVAL_S)
