"""What belongs to one turn, and how long it is waited for."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.gathering import FULL_UNITS, ONE_GESTURE_FOR, USUAL, Part, Ready, Wait, joins, part_of, together, wait_or_go
from memory.signal import Signal

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


def part(**given: Any) -> Part:
    usual: dict[str, Any] = {"channel": "telegram", "received_at": NOW, "sent_at": NOW, "units": 20}
    return Part(**(usual | given))


def at(milliseconds: int) -> datetime:
    return NOW + timedelta(milliseconds=milliseconds)


SHORT = part()
FORWARD = part(is_forwarded=True)
FULL = part(units=FULL_UNITS)
PICTURE = part(units=0, has_media=True)
ALBUM = part(units=0, has_media=True, album_id="1")


@pytest.mark.parametrize(
    ("parts", "new"),
    [
        ([SHORT], FORWARD),
        ([FORWARD], SHORT),
        ([FORWARD], FORWARD),
        ([SHORT, FORWARD], FORWARD),
        ([ALBUM], ALBUM),
        ([FULL], SHORT),
        ([FULL, FULL], FULL),
        ([PICTURE], SHORT),
        ([part(is_forwarded=True, has_media=True)], SHORT),
    ],
    ids=str,
)
def test_what_was_sent_in_one_gesture_is_one_turn(parts: list[Part], new: Part) -> None:
    assert joins(parts, new)


@pytest.mark.parametrize(
    ("parts", "new"),
    [
        ([SHORT], SHORT),
        ([FORWARD, SHORT], SHORT),
        ([FORWARD], part(is_command=True)),
        ([part(is_command=True)], FORWARD),
        ([ALBUM], part(units=0, has_media=True, album_id="2")),
        ([SHORT], PICTURE),
        ([part(units=FULL_UNITS - 1)], SHORT),
        ([FORWARD], part(sent_at=NOW + ONE_GESTURE_FOR + timedelta(seconds=1))),
        ([FULL], part(sent_at=NOW + timedelta(hours=2))),
        ([part(is_forwarded=True, channel="terminal")], part(channel="terminal")),
        ([FORWARD], part(channel="terminal")),
        ([part(units=FULL_UNITS, channel="terminal")], part(channel="terminal")),
        ([part(units=FULL_UNITS, is_forwarded=True, has_media=True)], PICTURE),
    ],
    ids=str,
)
def test_what_was_not_is_a_turn_of_its_own(parts: list[Part], new: Part) -> None:
    assert joins(parts, new) is None


def test_what_came_in_one_batch_after_an_outage_is_told_apart_by_when_it_was_sent() -> None:
    together_received = part(is_forwarded=True, sent_at=NOW - timedelta(hours=3))
    assert joins([together_received], part(sent_at=NOW - timedelta(hours=1))) is None


@pytest.mark.parametrize(
    ("parts", "wait_for"),
    [
        ([ALBUM], USUAL.album_for),
        ([FULL], USUAL.paste_for),
        ([FORWARD], USUAL.comment_for),
        ([SHORT, FORWARD], USUAL.more_forwards_for),
        ([SHORT], None),
        ([PICTURE], None),
        ([FORWARD, SHORT], None),
        ([FULL, SHORT], None),
        ([part(channel="terminal", units=9000)], None),
    ],
    ids=[
        "album",
        "full text",
        "forward",
        "forward after a comment",
        "short",
        "picture",
        "commented",
        "end",
        "terminal",
    ],
)
def test_only_what_may_go_on_is_waited_for(parts: list[Part], wait_for: timedelta | None) -> None:
    decision = wait_or_go(parts, NOW)
    assert decision == Wait(NOW + wait_for, decision.because) if wait_for else isinstance(decision, Ready)
    if wait_for:
        assert isinstance(wait_or_go(parts, NOW + wait_for), Ready)


def test_the_wait_begins_anew_with_each_part_but_not_for_ever() -> None:
    later = part(units=0, has_media=True, album_id="1", received_at=at(700))
    assert wait_or_go([ALBUM, later], at(700)) == Wait(at(1500), "an album may have more")
    endless = [part(album_id="1", received_at=at(500 * number)) for number in range(40)]
    assert isinstance(wait_or_go(endless, at(19_500)), Ready)


moments = st.integers(-10_000, 10_000).map(at)
parts = st.builds(
    Part,
    channel=st.sampled_from(["telegram", "terminal", ""]),
    received_at=moments,
    sent_at=moments,
    units=st.sampled_from([0, 1, 20, FULL_UNITS - 1, FULL_UNITS, 4096]),
    album_id=st.sampled_from([None, None, "1", "2"]),
    is_forwarded=st.booleans(),
    has_media=st.booleans(),
    is_command=st.booleans(),
)


@given(st.lists(parts, min_size=1, max_size=5), moments)
def test_no_wait_is_longer_than_the_longest_whatever_the_clock_does(found: list[Part], now: datetime) -> None:
    decision = wait_or_go(found, now)
    longest = max(USUAL.album_for, USUAL.paste_for, USUAL.comment_for)
    assert isinstance(decision, Ready) or now < decision.until <= now + longest


@given(parts, moments)
def test_a_plain_short_message_never_waits(one: Part, now: datetime) -> None:
    is_plain = one.album_id is None and one.units < FULL_UNITS and not one.is_forwarded
    if is_plain or one.channel == "terminal":
        assert isinstance(wait_or_go([one], now), Ready)


@given(st.text(min_size=1, max_size=40), st.lists(st.integers(FULL_UNITS, 4096), max_size=3))
def test_a_paste_is_whole_again_wherever_it_was_cut(letter: str, lengths: list[int]) -> None:
    units = len(letter.encode("utf-16-le", "surrogatepass")) // 2
    fragments = [letter * -(-length // units) for length in lengths] + [letter]
    assert together(fragments) == "".join(fragments)


def test_other_parts_stand_apart_and_empty_ones_leave_no_gap() -> None:
    assert together(["a", "", "b"]) == "a\n\nb"
    assert together([]) == ""


@pytest.mark.parametrize(
    "payload",
    [
        {},
        {"text": None, "sent_at": "yesterday", "media": "none"},
        {"text": ["a"], "album_id": 7},
        {"sent_at": "2026-03-02T09:00:00", "text": "\ud83d"},
    ],
    ids=str,
)
def test_a_signal_by_hand_is_a_part_as_well(payload: dict[str, Any]) -> None:
    signal = Signal(id=1, owner_id=1, source="hand", kind="message", source_id="1", payload=payload, received_at=NOW)
    assert part_of(signal).sent_at == NOW
