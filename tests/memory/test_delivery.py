"""How a verdict reaches the owner: row by row of the table."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from memory.delivery import FRESH_FOR, PINGS_A_DAY, Moment, deliver
from memory.verdict import Verdict
from tests.doubles.owner import an_owner
from tests.doubles.planned import utc

OWNER = an_owner("Europe/Berlin")
"""Quiet from ten to seven, brief at half past seven."""

NOON = utc(3, 2, 11)
NIGHT = utc(3, 2, 22)
BRIEF = utc(3, 3, 6, 30)
"""The next one after either."""

MOMENT = Moment(
    now=NOON,
    written_at=NOON - timedelta(minutes=5),
    from_past=False,
    card_is_open=False,
    is_urgent_sender=False,
    pings_today=0,
)


def verdict(what: Any) -> Verdict:
    return Verdict(what=what, consequence=0.8, reason="x", stage="rule")


def way(what: str, **given: Any) -> str:
    return deliver(verdict(what), OWNER, replace(MOMENT, **given)).way


@pytest.mark.parametrize("card_is_open", [True, False])
@pytest.mark.parametrize("now", [NOON, NIGHT])
@pytest.mark.parametrize(
    ("what", "expected"), [("log", "silent"), ("ignore", "silent"), ("loop", "keep"), ("hold", "hold")]
)
def test_only_a_notify_may_ever_sound(what: str, expected: str, now: Any, card_is_open: bool) -> None:
    assert way(what, now=now, written_at=now, card_is_open=card_is_open, is_urgent_sender=True) == expected


@pytest.mark.parametrize(
    ("given", "expected", "because"),
    [
        pytest.param({}, "ping", "can't wait", id="by day"),
        pytest.param(
            {"card_is_open": True, "from_past": True, "was_pinged": True}, "update", "still open", id="card open"
        ),
        pytest.param(
            {"card_is_open": True, "now": NIGHT, "pings_today": 9}, "update", "still open", id="card open, at night"
        ),
        pytest.param({"was_pinged": True}, "silent", "told before", id="the same mail was told"),
        pytest.param({"from_past": True}, "hold", "past", id="from a backfill"),
        pytest.param({"written_at": NOON - FRESH_FOR - timedelta(seconds=1)}, "hold", "past", id="a day old"),
        pytest.param({"written_at": NOON - FRESH_FOR}, "ping", "can't wait", id="just not a day old"),
        pytest.param({"pings_today": PINGS_A_DAY - 1}, "ping", "can't wait", id="the fifth"),
        pytest.param({"pings_today": PINGS_A_DAY}, "hold", "today's 5 pings are used", id="the sixth"),
        pytest.param({"pings_today": 3, "pings_a_day": 3}, "hold", "today's 3 pings are used", id="allowance of three"),
        pytest.param({"pings_a_day": 0}, "hold", "today's 0 pings are used", id="no pings at all"),
        pytest.param({"now": NIGHT, "written_at": NIGHT}, "hold", "quiet hours", id="at night"),
        pytest.param({"now": NIGHT, "written_at": NIGHT, "is_urgent_sender": True}, "ping", "can't wait", id="urgent"),
        pytest.param({"from_past": True, "is_urgent_sender": True}, "hold", "past", id="urgent, from the past"),
        pytest.param(
            {"pings_today": 5, "is_urgent_sender": True}, "hold", "pings are used", id="urgent, allowance used"
        ),
    ],
)
def test_a_notify_is_told_as_the_table_says(given: dict[str, Any], expected: str, because: str) -> None:
    found = deliver(verdict("notify"), OWNER, replace(MOMENT, **given))
    assert found.way == expected
    assert because in found.because


@pytest.mark.parametrize("what", ["hold", "loop", "notify"])
def test_what_is_held_waits_for_the_next_brief(what: str) -> None:
    held = deliver(verdict(what), OWNER, replace(MOMENT, now=NIGHT, written_at=NIGHT))
    assert held.at == BRIEF
    assert deliver(verdict(what), OWNER, replace(MOMENT, from_past=True)).at == BRIEF


def test_what_is_told_or_kept_silent_waits_for_nothing() -> None:
    assert deliver(verdict("notify"), OWNER, MOMENT).at is None
    assert deliver(verdict("log"), OWNER, MOMENT).at is None
