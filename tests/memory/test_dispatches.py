"""Dispatches: handed over once, and settled by looking or by the owner, never by sending again."""

from dataclasses import replace
from datetime import timedelta
from itertools import product
from typing import get_args

import pytest

from memory.dispatch import (
    GO_ON_FOR,
    LOOK_EVERY,
    LOOK_FOR,
    RETRIES,
    AskOwner,
    Dispatch,
    GoOn,
    LookAgain,
    Nothing,
    Seen,
    Settle,
    State,
    Transport,
    Witness,
    failed,
    given_back,
    hand_over,
    next_step,
    prepared,
    sent,
    settle_by_owner,
    unknown,
    unsettled,
)
from memory.envelope_words import reason
from memory.refusal import Refusal
from tests.doubles.clock import NOW

TAKEN = Dispatch(
    id=1,
    owner_id=1,
    approval_id=12,
    digest="d" * 64,
    transport="gmail",
    state="taken",
    because="approved",
    taken_at=NOW,
    changed_at=NOW,
)
TRANSPORTS: tuple[Transport, ...] = get_args(Transport)
STATES: tuple[State, ...] = get_args(State)
SEEN: tuple[Seen, ...] = get_args(Seen)
SOON, LATER = NOW + timedelta(minutes=1), NOW + LOOK_FOR


def step(state: State, transport: Transport, witness: Witness, now: object = LATER) -> object:
    return next_step(replace(TAKEN, state=state, transport=transport), witness, now)  # type: ignore[arg-type]


# --- moving forward ---


def test_the_straight_way() -> None:
    drafted = prepared(TAKEN, "draft-1", SOON)
    assert isinstance(drafted, Dispatch)
    handed = hand_over(drafted, SOON)
    assert isinstance(handed, Dispatch)
    assert (handed.state, handed.handle, handed.attempts) == ("handed", "draft-1", 1)
    gone = sent(handed, LATER, witness="m1")
    assert isinstance(gone, Dispatch)
    assert (gone.state, gone.witness, gone.changed_at, gone.taken_at) == ("sent", "m1", LATER, NOW)


@pytest.mark.parametrize("state", [state for state in STATES if state != "taken"])
def test_nothing_is_handed_over_twice(state: State) -> None:
    assert isinstance(hand_over(replace(TAKEN, state=state), NOW), Refusal)
    assert isinstance(prepared(replace(TAKEN, state=state), "draft-2", NOW), Refusal)


@pytest.mark.parametrize("state", [state for state in STATES if state != "handed"])
def test_only_what_was_handed_over_has_an_answer(state: State) -> None:
    dispatch = replace(TAKEN, state=state)
    assert isinstance(sent(dispatch, NOW), Refusal)
    assert isinstance(unknown(dispatch, NOW, because="x"), Refusal)
    assert isinstance(given_back(dispatch, NOW, because="x"), Refusal)
    assert isinstance(failed(dispatch, NOW, because="x"), Refusal) == (state != "taken")


def test_a_connection_that_was_never_made_is_tried_again_a_few_times() -> None:
    dispatch, waits = TAKEN, []
    while dispatch.state == "taken":
        handed = hand_over(dispatch, NOW)
        assert isinstance(handed, Dispatch)
        back = given_back(handed, NOW, because="no connection")
        assert not isinstance(back, Refusal)
        dispatch, at = back
        waits.append(at - NOW)
    assert dispatch.state == "failed"
    assert waits == [*RETRIES, timedelta(0)]


# --- the table of what is done about a dispatch that is found open ---


@pytest.mark.parametrize("witness", [Witness(), Witness(sent="no", draft="yes")], ids=["unclear", "draft there"])
@pytest.mark.parametrize("transport", TRANSPORTS)
def test_what_was_only_taken_has_not_left_and_goes_on_while_it_is_fresh(transport: Transport, witness: Witness) -> None:
    assert step("taken", transport, witness, SOON) == GoOn()
    assert step("taken", transport, witness, NOW - timedelta(days=1)) == GoOn()
    late = step("taken", transport, witness, NOW + GO_ON_FOR)
    assert isinstance(late, Settle)
    assert late.dispatch.state == "failed"


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_what_was_only_taken_and_is_found_sent_is_asked_about(transport: Transport) -> None:
    found = step("taken", transport, Witness(sent="yes"), SOON)
    assert isinstance(found, AskOwner)
    assert found.dispatch.state == "unknown"


TABLE: list[tuple[Transport, Witness, str]] = [
    ("gmail", Witness(sent="yes", draft="no"), "sent"),
    ("gmail", Witness(sent="yes", draft="yes"), "sent"),
    ("gmail", Witness(sent="yes", draft="unclear"), "sent"),
    ("gmail", Witness(sent="no", draft="yes"), "failed"),
    ("gmail", Witness(sent="no", draft="no"), "ask"),
    ("gmail", Witness(sent="no", draft="unclear"), "ask"),
    ("gmail", Witness(sent="unclear", draft="yes"), "ask"),
    ("gmail", Witness(sent="unclear", draft="no"), "ask"),
    ("gmail", Witness(sent="unclear", draft="unclear"), "ask"),
    ("smtp", Witness(sent="yes"), "sent"),
    ("smtp", Witness(sent="no"), "ask"),
    ("smtp", Witness(sent="unclear"), "ask"),
    ("smtp", Witness(sent="no", files_sent=False), "ask at once"),
    ("smtp", Witness(sent="unclear", files_sent=False), "ask at once"),
    ("smtp", Witness(sent="yes", files_sent=False), "sent"),
    ("calendar", Witness(sent="yes"), "sent"),
    ("calendar", Witness(sent="no"), "failed"),
    ("calendar", Witness(sent="unclear"), "ask"),
]


@pytest.mark.parametrize("state", ["handed", "unknown"])
@pytest.mark.parametrize(("transport", "witness", "wanted"), TABLE)
def test_fault_02_a_lost_answer_is_settled_by_looking(
    state: State, transport: Transport, witness: Witness, wanted: str
) -> None:
    early, late = step(state, transport, witness, SOON), step(state, transport, witness, LATER)
    if wanted.startswith("ask"):
        assert isinstance(late, AskOwner)
        assert late.dispatch.state == "unknown"
        assert reason("de", late.because) != reason("en", late.because)
    else:
        assert isinstance(late, Settle)
        assert (late.dispatch.state, late.dispatch.settled_by) == (wanted, "looking")
    if wanted in {"sent", "ask at once"}:
        assert type(early) is type(late)
    else:
        assert early == LookAgain(SOON + LOOK_EVERY)


@pytest.mark.parametrize("state", ["sent", "failed"])
def test_what_is_settled_stays_so(state: State) -> None:
    for transport, seen, draft in product(TRANSPORTS, SEEN, SEEN):
        assert step(state, transport, Witness(sent=seen, draft=draft)) == Nothing()
    assert isinstance(settle_by_owner(replace(TAKEN, state=state), arrived=False, now=NOW), Refusal)


def test_fault_01_nothing_that_was_handed_over_is_ever_sent_again() -> None:
    for state, transport, seen, draft, files, age in product(
        ("handed", "unknown"),
        TRANSPORTS,
        SEEN,
        SEEN,
        (True, False),
        (timedelta(days=-9), timedelta(0), timedelta(days=9)),
    ):
        witness = Witness(sent=seen, draft=draft, files_sent=files)
        found = step(state, transport, witness, NOW + age)  # type: ignore[arg-type]
        assert not isinstance(found, GoOn)
        if isinstance(found, Settle | AskOwner):
            assert found.dispatch.state != "taken"


def test_the_owner_says_what_became_of_it() -> None:
    doubtful = replace(TAKEN, state="unknown")
    for arrived, state in ((True, "sent"), (False, "failed")):
        settled = settle_by_owner(doubtful, arrived=arrived, now=LATER)
        assert isinstance(settled, Dispatch)
        assert (settled.state, settled.settled_by) == (state, "owner")


def test_asking_again_does_not_put_off_what_is_known() -> None:
    first = step("handed", "gmail", Witness(sent="no", draft="no"))
    assert isinstance(first, AskOwner)
    again = next_step(first.dispatch, Witness(sent="yes", witness="m9"), LATER + timedelta(minutes=1))
    assert isinstance(again, Settle)
    assert (again.dispatch.state, again.dispatch.witness) == ("sent", "m9")


def test_fault_12_a_clock_set_back_only_makes_it_look_again() -> None:
    assert isinstance(step("handed", "gmail", Witness(sent="no", draft="yes"), NOW - timedelta(days=1)), LookAgain)


def test_the_watchdog_tells_of_what_stays_open() -> None:
    all_of_them = [replace(TAKEN, state=state) for state in STATES]
    assert unsettled(all_of_them, LATER - timedelta(seconds=1)) == []
    assert {one.state for one in unsettled(all_of_them, LATER)} == {"taken", "handed", "unknown"}
