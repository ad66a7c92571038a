"""Approvals: a yes to one digest, by the owner's tap on the card that asks, once."""

from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.approval import (
    CARDS_PER_HOUR,
    DISCARD,
    EDIT,
    EXPIRES_FOR,
    LATER,
    SEND,
    SEND_AGAIN,
    UNSPENT_FOR,
    Approval,
    Felt,
    Lapsed,
    NewApproval,
    Press,
    Seat,
    State,
    afresh,
    expire,
    is_unspent,
    reject,
    shown,
    spend,
    void,
    weigh_proposal,
    weigh_tap,
)
from memory.card import Tap
from memory.refusal import Refusal
from tests.doubles.clock import NOW

DIGEST, MATTER, CARD = "d" * 64, "e" * 64, "c" * 64
NEW = NewApproval(owner_id=1, draft_id=3, digest=DIGEST, matter=MATTER, because="a reply is owed")
HOME = Seat("telegram", "4711", "4711")
SEATS = (HOME, Seat("terminal", "owner", "terminal"))
LATE = NOW + EXPIRES_FOR


def asked(*, needs_two: bool = False, now: datetime = NOW) -> Approval:
    question = replace(NEW, needs_two=needs_two).asked(12, now)
    return replace(question, card_id=5, card_digest=CARD)


def press(choice: str = SEND, *, seat: Seat | None = HOME, card_id: int = 5, prefix: str = CARD[:12]) -> Press:
    return Press(Tap(card_id, prefix, choice), seat, 99)


def tapped(approval: Approval, choice: str, now: datetime = NOW) -> Approval:
    felt = weigh_tap(press(choice), approval, now, SEATS)
    assert isinstance(felt, Felt)
    return felt.approval


APPROVED = tapped(asked(), SEND)
STATES: dict[State, Approval] = {
    "asked": asked(),
    "confirming": replace(tapped(asked(needs_two=True), SEND), card_id=5, card_digest=CARD),
    "approved": APPROVED,
    "spent": replace(APPROVED, state="spent"),
    "rejected": replace(asked(), state="rejected"),
    "expired": replace(asked(), state="expired"),
    "void": replace(asked(), state="void"),
}


# --- the way of a yes ---


def test_a_tap_approves_and_the_yes_is_spent_on_the_same_bytes() -> None:
    assert (APPROVED.state, APPROVED.tapped_by, APPROVED.changed_at) == ("approved", 99, NOW)
    spent = spend(APPROVED, DIGEST, NOW + timedelta(seconds=1))
    assert isinstance(spent, Approval)
    assert spent.state == "spent"
    assert spent.tapped_by == 99


def test_attack_01_what_differs_by_a_byte_is_held() -> None:
    assert spend(APPROVED, DIGEST[:-1] + "e", NOW) == Refusal("what would leave is not what was approved")


@pytest.mark.parametrize("state", [state for state in STATES if state != "approved"])
def test_only_what_is_approved_is_spent(state: State) -> None:
    assert isinstance(spend(STATES[state], DIGEST, NOW), Refusal)


# --- attack 2: twice ---


@pytest.mark.parametrize("choice", [SEND, SEND_AGAIN, EDIT, LATER, DISCARD])
@pytest.mark.parametrize("state", ["approved", "spent", "rejected", "expired", "void"])
def test_attack_02_a_second_tap_changes_nothing(state: State, choice: str) -> None:
    assert isinstance(weigh_tap(press(choice), STATES[state], NOW, SEATS), Refusal)


def test_attack_02_a_spent_yes_is_not_spent_again() -> None:
    spent = spend(APPROVED, DIGEST, NOW)
    assert isinstance(spent, Approval)
    assert spend(spent, DIGEST, NOW) == Refusal("already decided")


def test_attack_02_the_button_of_one_card_does_nothing_on_another() -> None:
    other = replace(asked(), id=13, card_id=6)
    assert weigh_tap(press(), other, NOW, SEATS) == Refusal("another card")


def test_the_two_taps_of_one_button_are_one_tap() -> None:
    confirming = tapped(asked(needs_two=True), SEND)
    assert confirming.state == "confirming"
    assert weigh_tap(press(SEND), confirming, NOW, SEATS) == Refusal("another card")
    second = shown(confirming, card_id=6, card_digest="b" * 64)
    assert isinstance(second, Approval)
    assert weigh_tap(press(SEND_AGAIN), second, NOW, SEATS) == Refusal("another card")
    assert weigh_tap(press(SEND, card_id=6, prefix="b" * 12), second, NOW, SEATS) == Refusal("no such choice")
    felt = weigh_tap(press(SEND_AGAIN, card_id=6, prefix="b" * 12), second, NOW, SEATS)
    assert isinstance(felt, Felt)
    assert felt.approval.state == "approved"


def test_money_and_law_are_not_approved_by_the_second_button_alone() -> None:
    assert weigh_tap(press(SEND_AGAIN), asked(needs_two=True), NOW, SEATS) == Refusal("no such choice")
    assert weigh_tap(press(SEND_AGAIN), asked(), NOW, SEATS) == Refusal("no such choice")


def test_the_first_of_two_taps_can_be_followed_by_a_no() -> None:
    assert tapped(STATES["confirming"], DISCARD).state == "rejected"


@pytest.mark.parametrize("choice", [EDIT, LATER])
@pytest.mark.parametrize("state", ["asked", "confirming"])
def test_an_edit_or_a_not_now_leaves_the_question_open(state: State, choice: str) -> None:
    assert weigh_tap(press(choice), STATES[state], NOW, SEATS) == Felt(choice, STATES[state])


# --- attack 3: too late, and the clock ---


def test_attack_03_a_tap_after_the_time_is_over_stores_the_end() -> None:
    lapsed = weigh_tap(press(), asked(), LATE, SEATS)
    assert isinstance(lapsed, Lapsed)
    assert lapsed.approval.state == "expired"
    assert isinstance(weigh_tap(press(), asked(), LATE - timedelta(seconds=1), SEATS), Felt)


def test_attack_03_a_clock_set_back_revives_nothing() -> None:
    expired = expire(asked(), LATE)
    assert isinstance(expired, Approval)
    for now in (NOW, NOW - timedelta(days=400)):
        assert weigh_tap(press(), expired, now, SEATS) == Refusal("expired")
        assert isinstance(spend(expired, DIGEST, now), Refusal)
        assert isinstance(expire(expired, now), Refusal)


def test_nothing_expires_before_its_time() -> None:
    assert expire(asked(), LATE - timedelta(seconds=1)) == Refusal("its time is not over")


def test_a_yes_that_was_not_spent_in_time_is_held_and_expires() -> None:
    assert spend(APPROVED, DIGEST, LATE) == Refusal("expired")
    expired = expire(APPROVED, LATE)
    assert isinstance(expired, Approval)
    assert expired.state == "expired"


def test_attack_03_an_edited_draft_makes_the_old_card_void() -> None:
    gone = void(asked(), NOW, because="edited")
    assert isinstance(gone, Approval)
    assert (gone.state, gone.because) == ("void", "edited")
    assert weigh_tap(press(), gone, NOW, SEATS) == Refusal("another draft took its place")


def test_what_expired_is_asked_afresh_as_a_new_question() -> None:
    expired = expire(asked(needs_two=True), LATE)
    assert isinstance(expired, Approval)
    new = afresh(expired, digest=expired.digest, matter=expired.matter)
    assert isinstance(new, NewApproval)
    again = new.asked(13, LATE)
    assert (again.id, again.draft_id, again.digest, again.state, again.needs_two) == (13, 3, DIGEST, "asked", True)
    assert again.expires_at == LATE + EXPIRES_FOR
    assert (again.card_id, again.tapped_by) == (None, None)


@pytest.mark.parametrize("state", [state for state in STATES if state != "expired"])
def test_what_did_not_expire_is_not_asked_afresh(state: State) -> None:
    assert isinstance(afresh(STATES[state], digest="d", matter="m"), Refusal)


# --- attack 4: somebody else ---


@pytest.mark.parametrize(
    "seat",
    [
        None,
        Seat("telegram", "666", "4711"),
        Seat("telegram", "4711", "-100666"),
        Seat("telegram", "666", "666"),
        Seat("web", "4711", "4711"),
        Seat("telegram", "", ""),
        Seat("telegram", "@ola", "4711"),
    ],
    ids=["anonymous", "a member of the group", "a forwarded card", "a stranger", "another door", "nobody", "by name"],
)
def test_attack_04_only_the_owner_in_the_owners_chat_is_felt(seat: Seat | None) -> None:
    refused = Refusal("not the owner in the owner's chat")
    assert weigh_tap(press(seat=seat), asked(), NOW, SEATS) == refused
    # Nothing is learnt either: neither whether there is such a question, nor whether it has expired.
    assert weigh_tap(press(seat=seat), None, NOW, SEATS) == refused
    assert weigh_tap(press(seat=seat), asked(), LATE, SEATS) == refused


def test_attack_06_an_empty_list_of_seats_is_nobody() -> None:
    assert isinstance(weigh_tap(press(), asked(), NOW, ()), Refusal)


# --- attack 5: forged buttons ---


@pytest.mark.parametrize(
    ("forged", "because"),
    [
        (press(card_id=6), "another card"),
        (press(prefix="0" * 12), "the card has changed"),
        (press(prefix=""), "the card has changed"),
        (press(prefix="c"), "the card has changed"),
        (press(prefix=CARD), "the card has changed"),
        (press("approve"), "no such choice"),
        (press(""), "no such choice"),
        (press("SEND"), "no such choice"),
    ],
    ids=[
        "other card",
        "other content",
        "no content",
        "a short prefix",
        "a long prefix",
        "a word",
        "nothing",
        "capitals",
    ],
)
def test_attack_05_a_forged_tap_is_refused(forged: Press, because: str) -> None:
    assert weigh_tap(forged, asked(), NOW, SEATS) == Refusal(because)
    assert weigh_tap(forged, None, NOW, SEATS) == Refusal("no such question")


def test_a_question_that_no_card_shows_can_not_be_answered() -> None:
    unseen = NEW.asked(12, NOW)
    assert weigh_tap(press(prefix=""), unseen, NOW, SEATS) == Refusal("another card")


@pytest.mark.parametrize("state", ["approved", "spent", "rejected", "expired", "void"])
def test_what_is_decided_gets_no_card_and_no_other_end(state: State) -> None:
    approval = STATES[state]
    assert isinstance(shown(approval, card_id=9, card_digest=CARD), Refusal)
    assert isinstance(reject(approval, NOW, because="x"), Refusal)
    assert isinstance(void(approval, NOW, because="x"), Refusal)


# --- attack 9: wearing the owner down ---


def propose(earlier: list[Approval], now: datetime = NOW, digest: str = DIGEST, matter: str = MATTER) -> object:
    return weigh_proposal(digest=digest, matter=matter, earlier=earlier, now=now)


def test_attack_09_a_no_sticks() -> None:
    discarded = [tapped(asked(), DISCARD)]
    assert propose(discarded) == Refusal("discarded before")
    assert propose(discarded, NOW + timedelta(days=300)) == Refusal("discarded before")
    # A new Message-ID makes another digest, and the same matter.
    assert propose(discarded, digest="f" * 64) == Refusal("discarded before")
    assert propose(discarded, digest="f" * 64, matter="a" * 64) is None


def test_attack_09_an_open_question_and_a_yes_are_not_asked_again() -> None:
    assert propose([asked()]) == Refusal("already asked")
    assert propose([STATES["confirming"]]) == Refusal("already asked")
    assert propose([STATES["spent"]]) == Refusal("approved before")
    assert propose([STATES["expired"], STATES["void"]]) is None


def others(count: int, now: datetime) -> list[Approval]:
    return [
        replace(asked(now=now - timedelta(minutes=n)), id=n, digest=f"{n:064}", matter=f"{n + 500:064}")
        for n in range(count)
    ]


def test_attack_09_cards_are_capped_by_the_hour() -> None:
    assert propose(others(CARDS_PER_HOUR - 1, NOW)) is None
    until = propose(others(30, NOW))
    assert isinstance(until, datetime)
    assert until == NOW - timedelta(minutes=CARDS_PER_HOUR - 1) + timedelta(hours=1)
    assert propose(others(30, NOW), NOW + timedelta(hours=2)) is None


def test_a_clock_set_back_makes_no_room_and_blocks_for_an_hour_at_most() -> None:
    from_ahead = others(30, NOW)
    until = propose(from_ahead, NOW - timedelta(minutes=30))
    assert isinstance(until, datetime)
    assert until <= NOW + timedelta(minutes=30)
    assert propose(from_ahead, NOW - timedelta(days=300)) is None


def test_a_yes_of_which_nothing_came_alarms() -> None:
    assert not is_unspent(APPROVED, NOW + UNSPENT_FOR - timedelta(seconds=1))
    assert is_unspent(APPROVED, NOW + UNSPENT_FOR)
    assert not any(is_unspent(one, LATE) for state, one in STATES.items() if state != "approved")


# --- whatever happens, in whatever order ---

MOVES = st.lists(
    st.sampled_from(["tap", "tap again", "discard", "later", "edit", "expire", "void", "spend", "wrong bytes"]),
    max_size=12,
)


def moved(approval: Approval, move: str, now: datetime) -> Approval | Refusal:
    taps = {"tap": SEND, "tap again": SEND_AGAIN, "discard": DISCARD, "later": LATER, "edit": EDIT}
    if move in taps:
        card = shown(approval, card_id=5, card_digest=CARD)
        felt = weigh_tap(press(taps[move]), approval if isinstance(card, Refusal) else card, now, SEATS)
        return felt if isinstance(felt, Refusal) else felt.approval
    if move == "spend":
        return spend(approval, DIGEST, now)
    if move == "wrong bytes":
        return spend(approval, MATTER, now)
    return expire(approval, now) if move == "expire" else void(approval, now, because="x")


@given(MOVES, st.booleans(), st.lists(st.integers(-100, 100), min_size=12, max_size=12))
def test_attack_02_in_whatever_order_a_yes_is_spent_once_and_only_after_its_taps(
    moves: list[str], needs_two: bool, hours: list[int]
) -> None:
    approval, spent, taps = asked(needs_two=needs_two), 0, 0
    for move, hour in zip(moves, hours, strict=False):
        before = approval
        after = moved(approval, move, NOW + timedelta(hours=hour))
        if isinstance(after, Refusal):
            continue
        approval = after
        taps += approval.state in {"confirming", "approved"} and before.state != approval.state
        if approval.state == "spent":
            spent += 1
            assert before.state == "approved"
            assert taps == (2 if needs_two else 1)
        if before.state in {"spent", "rejected", "expired", "void"}:
            assert approval == before
    assert spent <= 1
