"""How often somebody writes, with the silence that still lasts counted as one gap of unknown end."""

from datetime import timedelta

import pytest

from memory.people.rhythm import gaps, median_gap, rhythm
from tests.doubles.letters import NOW

DAY = timedelta(days=1)


def test_mails_of_one_sitting_are_no_gaps() -> None:
    at = [NOW, NOW + timedelta(hours=1), NOW + 3 * DAY, NOW + 3 * DAY + timedelta(minutes=1)]
    assert gaps(reversed(at)) == (3 * DAY - timedelta(hours=1),)


@pytest.mark.parametrize(
    ("closed", "open_for", "median"),
    [
        pytest.param((1, 2, 3), 0, 2, id="a short silence says nothing"),
        pytest.param((1, 2, 3, 4), 0, 2, id="of an even number the lower"),
        pytest.param((1, 2, 3), 99, 2, id="a long one counts among those that last"),
        pytest.param((1, 2, 3, 4), 99, 3, id="and moves the middle"),
        pytest.param((5,), 99, 5, id="one gap"),
    ],
)
def test_the_median_is_right_censored(closed: tuple[int, ...], open_for: int, median: int) -> None:
    assert median_gap([DAY * each for each in closed], DAY * open_for) == DAY * median


def test_without_two_occasions_there_is_no_rhythm() -> None:
    assert rhythm([], now=NOW) is None
    assert rhythm([NOW - DAY, NOW - DAY + timedelta(minutes=5)], now=NOW) is None
    assert rhythm([NOW + DAY, NOW + 9 * DAY], now=NOW) is None


def test_a_rhythm_counts_mails_and_occasions() -> None:
    found = rhythm([NOW - 9 * DAY, NOW - 5 * DAY, NOW - 5 * DAY + timedelta(hours=1), NOW - DAY], now=NOW)
    assert found is not None
    assert (found.messages, found.sittings, found.silent_for) == (4, 3, DAY)
    assert found.last_at == NOW - DAY
