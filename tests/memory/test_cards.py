"""Cards: bound to the hash of what they show, decided once, and stale when what they show has changed."""

from dataclasses import replace
from typing import Any

import pytest

from memory.card import Card, Choice, Counts, Stale, StoredCard, Tap, callback, read_callback, weigh
from memory.ledger import Tables
from memory.sql.ledger import SqlLedger
from tests.doubles.clock import NOW

CARD = Card(
    kind="loop",
    subject="loop:12",
    text="Pay the rent?",
    choices=(Choice("done", "Done", "good"), Choice("tomorrow", "Tomorrow")),
    because="it is due",
    state_of_subject="open",
)


def put(tables: Tables, card: Card = CARD) -> StoredCard:
    return tables.cards.put(card, owner_id=1, now=NOW)


# --- what it is bound to ---


def test_a_card_without_a_reason_is_not_made() -> None:
    with pytest.raises(ValueError, match="without a reason"):
        replace(CARD, because="")


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "other"},
        {"subject": "loop:13"},
        {"text": "Pay the rent? "},
        {"choices": CARD.choices[:1]},
        {"choices": CARD.choices[::-1]},
        {"choices": (Choice("done", "Finished", "good"), CARD.choices[1])},
        {"choices": (Choice("drop", "Done", "good"), CARD.choices[1])},
        {"state_of_subject": "done"},
    ],
    ids="-".join,
)
def test_whatever_is_shown_is_in_the_digest(change: dict[str, Any]) -> None:
    assert replace(CARD, **change).digest != CARD.digest


def test_a_drawing_is_not_in_the_digest() -> None:
    assert replace(CARD, choices=(Choice("done", "Done", "danger"), CARD.choices[1])).digest == CARD.digest
    assert replace(CARD, because="another reason").digest == CARD.digest
    assert len(CARD.digest) == 64


# --- what a tap says ---


@pytest.mark.parametrize("key", ["done", "pick.3", "a" * 24, "done.123456789012"])
def test_a_tap_says_which_card_which_content_and_which_choice_in_64_bytes(key: str) -> None:
    stored = StoredCard(id=10**15 - 1, owner_id=1, card=CARD, digest=CARD.digest, state="open", created_at=NOW)
    data = callback(stored, Choice(key, "label"))
    assert len(data.encode()) <= 64
    assert read_callback(data) == Tap(stored.id, CARD.digest[:12], key)


@pytest.mark.parametrize(
    "data",
    [
        "",
        "done",
        "c:1:0123456789ab",
        "c:x:0123456789ab:done",
        "c:1:0123456789AB:done",
        "c:1:0123456789ab:done\n",
        " c:1:0123456789ab:done",
        "c:1:0123456789ab:" + "a" * 25,
        "c:1:0123456789ab:dö",
        "c:1:0123456789ab:done:more",
        f"c:{'1' * 16}:0123456789ab:done",
    ],
)
def test_what_no_button_of_ours_says_is_no_tap(data: str) -> None:
    assert read_callback(data) is None


OPEN = StoredCard(id=1, owner_id=1, card=CARD, digest=CARD.digest, state="open", created_at=NOW)
RIGHT = Tap(1, CARD.digest[:12], "done")


@pytest.mark.parametrize(
    ("tap", "stored", "because"),
    [
        pytest.param(RIGHT, None, "gone", id="no such card"),
        pytest.param(Tap(1, "0" * 12, "done"), OPEN, "changed", id="another content"),
        pytest.param(RIGHT, replace(OPEN, state="stale"), "changed", id="stale"),
        pytest.param(RIGHT, replace(OPEN, state="decided"), "decided", id="decided"),
        pytest.param(Tap(1, "0" * 12, "done"), replace(OPEN, state="decided"), "changed", id="other and decided"),
        pytest.param(replace(RIGHT, choice="drop"), OPEN, "no such choice", id="a forged choice"),
    ],
)
def test_a_tap_that_does_not_count_says_why(tap: Tap, stored: StoredCard | None, because: str) -> None:
    assert weigh(tap, stored) == Stale(because)  # type: ignore[arg-type]


def test_a_tap_on_an_open_card_counts() -> None:
    assert weigh(RIGHT, OPEN) == Counts(OPEN, "done")


# --- in the ledger ---


async def test_a_card_comes_back_as_it_was_put(ledger: SqlLedger) -> None:
    stored = await ledger.write(put)
    assert await ledger.read(lambda t: t.cards.get(stored.id)) == stored
    assert stored.card == CARD
    assert stored.card.digest == stored.digest
    assert await ledger.read(lambda t: t.cards.get(99)) is None


async def test_of_two_taps_one_counts(ledger: SqlLedger) -> None:
    stored = await ledger.write(put)
    assert await ledger.write(lambda t: t.cards.decide(stored.id, "done", now=NOW))
    assert not await ledger.write(lambda t: t.cards.decide(stored.id, "tomorrow", now=NOW))
    decided = await ledger.read(lambda t: t.cards.get(stored.id))
    assert decided is not None
    assert (decided.state, decided.decided_as) == ("decided", "done")


async def test_a_change_makes_every_open_card_about_it_stale(ledger: SqlLedger) -> None:
    def life(t: Tables) -> tuple[list[int], list[int]]:
        first, second, decided = put(t), put(t), put(t)
        put(t, replace(CARD, subject="loop:13"))
        t.cards.decide(decided.id, "done", now=NOW)
        made_stale = t.cards.outdate("loop:12", owner_id=1, now=NOW)
        assert not t.cards.decide(first.id, "done", now=NOW)
        return sorted(made_stale), [first.id, second.id]

    made_stale, meant = await ledger.write(life)
    assert made_stale == meant
    assert await ledger.write(lambda t: t.cards.outdate("loop:12", owner_id=1, now=NOW)) == []


async def test_several_cards_are_found_at_once_and_a_missing_one_is_none_of_them(ledger: SqlLedger) -> None:
    first, second = await ledger.write(lambda t: (put(t), put(t)))
    assert await ledger.read(lambda t: t.cards.of({first.id, second.id, 99})) == {first.id: first, second.id: second}
    assert await ledger.read(lambda t: t.cards.of(())) == {}
