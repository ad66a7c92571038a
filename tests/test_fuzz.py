"""The fuzzing finds what is planted, makes it small, and can be made again by its seed; a hang is found, too."""

import asyncio
import signal
import time
from collections.abc import Iterator

import pytest

from evals import fuzz
from evals.doors import Door
from evals.fuzz import Fuzz
from evals.mutation import Mutator

SAMPLES = ("a letter", "a number: 5")


@pytest.fixture
def loop() -> Iterator[asyncio.AbstractEventLoop]:
    with asyncio.Runner() as runner:
        yield runner.get_loop()


@pytest.fixture(autouse=True)
def _alarm() -> Iterator[None]:
    before = signal.signal(signal.SIGALRM, fuzz._ring)
    yield
    signal.signal(signal.SIGALRM, before)


def text(mutator: Mutator) -> str:
    return mutator.text(SAMPLES)


def planted(case: str) -> None:
    if "5" in case:
        raise LookupError("a number")
    if "é" in case:
        raise ValueError("an answer that it may give")


def test_a_planted_fault_is_found_and_made_small(loop: asyncio.AbstractEventLoop) -> None:
    found = Fuzz([Door("planted", text, planted, (ValueError,))], 1, loop)
    found.run(0.3)
    [crash] = found.tried[0].crashes.values()
    assert crash.case == "5"
    assert crash.where.startswith("LookupError at tests/test_fuzz.py:")
    assert crash.times > 1


def test_a_door_that_only_answers_has_not_crashed(loop: asyncio.AbstractEventLoop) -> None:
    async def take(case: str) -> None:
        raise ValueError("never")

    found = Fuzz([Door("answers", text, take, (ValueError,))], 1, loop)
    found.run(0.1)
    assert found.tried[0].cases > 0
    assert found.tried[0].crashes == {}


def test_what_takes_too_long_is_a_crash(loop: asyncio.AbstractEventLoop, monkeypatch: pytest.MonkeyPatch) -> None:
    def endless(case: str) -> None:
        while True:
            time.monotonic()

    monkeypatch.setattr(fuzz, "SLOW_S", 0.02)
    found = Fuzz([Door("endless", text, endless)], 1, loop)
    found.run(0.05)
    assert [crash.error[:28] for crash in found.tried[0].crashes.values()] == ["evals.fuzz.TooSlow: not with"]


def test_the_same_seed_makes_the_same_cases(loop: asyncio.AbstractEventLoop) -> None:
    runs: list[list[str]] = []
    for seed in (7, 7, 8):
        runs.append([])
        Fuzz([Door("kept", text, runs[-1].append)], seed, loop).run(0.05)
    least = min(len(run) for run in runs)
    assert runs[0][:least] == runs[1][:least] != runs[2][:least]
