"""Kill -9 on a letter's way out, while its provider misbehaves: it arrives once, or the owner is asked; never twice, never
silently lost. What counts is the provider's own ledger. `pytest -s` shows the table.

Here each labelled point is met once by one of the mishaps, and each mishap by both ways out; all of them together, and more
than one death each, are `python -m evals crash_matrix`.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path

import pytest

from tests.crash.exit_matrix import MISHAPS, Case, Outcome, Way, lived, points

WAYS: tuple[Way, ...] = ("smtp", "gmail")


def some() -> Iterator[Case]:
    """A few of all: the points of the one way by turns with those of the other, each with the next mishap."""
    mishaps = cycle(MISHAPS)
    for number, way in enumerate(WAYS):
        yield Case(way, MISHAPS[2 + number])
        for place, (label, point) in enumerate(points(way)):
            if point.what == "sending" or place % 2 == number:
                yield Case(way, next(mishaps), label, point)


SOME = tuple(some())


@dataclass
class Table:
    """What came of each run, for who looks."""

    lines: list[str] = field(default_factory=list)

    def add(self, outcome: Outcome) -> None:
        self.lines.append(f"{outcome.case!s:<48} {outcome.words}")


@pytest.fixture(scope="module")
def table() -> Iterator[Table]:
    made = Table()
    yield made
    print("\n\nkilled                                           the provider has it\n" + "\n".join(made.lines))  # noqa: T201


@pytest.mark.parametrize("case", SOME, ids=str)
async def test_fault_f1_killed_anywhere_a_letter_arrives_once_or_the_owner_is_asked(
    case: Case, tmp_path: Path, database: Path, table: Table
) -> None:
    outcome = await lived(case, tmp_path / "home", database, deaths=1)
    table.add(outcome)
    assert outcome.holds, outcome.words
    assert outcome.parked == 0


def test_every_point_and_every_mishap_is_met_here() -> None:
    met = {(case.label, case.point.when) for case in SOME if case.point}
    assert met == {(label, point.when) for way in WAYS for label, point in points(way)}
    assert {(case.way, case.mishap) for case in SOME} >= {("smtp", "cut after"), ("gmail", "5xx before")}
    assert {case.mishap for case in SOME} == set(MISHAPS)


@pytest.mark.parametrize(
    ("broken", "case", "words"),
    [
        ("resends", Case("smtp", "cut after"), "2 TIMES; marked as sent"),
        ("marks first", Case("smtp", "cut before"), "not at all; marked as sent"),
    ],
    ids=["one that sends again", "one that marks first"],
)
async def test_the_matrix_finds_out_a_broken_exit(
    broken: str, case: Case, words: str, tmp_path: Path, database: Path
) -> None:
    outcome = await lived(case, tmp_path / "home", database, broken=broken)
    assert outcome.words == words
    assert not outcome.holds
