"""What is recalled: what belongs to the question, eight at most, the owner's instructions always, and nothing that is over."""

from datetime import timedelta

import pytest

from memory.recall import INSTRUCTIONS_MAX, RECALLED_MAX, found, recall
from tests.doubles.clock import NOW
from tests.doubles.remembered import a_recollection, a_source

KNOWN = [
    a_recollection(1, "Jonas prefers calls", about="Jonas"),
    a_recollection(2, "Ida lives in Porto", kind="fact", about="Ida"),
    a_recollection(3, "The gate code of the garage is 4711", kind="fact"),
    a_recollection(4, "Herr Müller mag keine Anrufe", about="Herr Müller"),
    a_recollection(5, "always answer me in English", kind="instruction"),
]


@pytest.mark.parametrize(
    ("question", "numbers"),
    [
        ("How should I reach Jonas?", (5, 1)),
        ("does jonas like calling", (5, 1)),
        ("What's the code of the gate?", (5, 3)),
        ("Wo wohnt Mueller?", (5, 4)),
        ("tell me about the weather", (5,)),
        ("", (5,)),
    ],
)
def test_what_shares_words_or_is_about_somebody_named_is_recalled(question: str, numbers: tuple[int, ...]) -> None:
    assert recall(question, KNOWN, now=NOW).ids == numbers


def test_an_instruction_of_the_owner_is_in_every_prompt() -> None:
    for question in ("", "Jonas", "wie wird das Wetter", "4711"):
        assert [one.id for one in recall(question, KNOWN, now=NOW).instructions] == [5]


def test_at_most_eight_stand_in_a_prompt() -> None:
    many = [a_recollection(n, f"Jonas likes number {n}") for n in range(1, 40)]
    rules = [a_recollection(100 + n, f"always mention rule {n}", kind="instruction") for n in range(20)]
    chosen = recall("what does Jonas like", [*many, *rules], now=NOW)
    assert len(chosen.ids) == RECALLED_MAX
    assert len(chosen.instructions) == INSTRUCTIONS_MAX
    assert len(recall("what does Jonas like", many, now=NOW).ids) == RECALLED_MAX


def test_an_instruction_that_has_to_do_with_the_question_comes_before_newer_ones() -> None:
    rules = [a_recollection(n, f"always mention rule {n}", kind="instruction") for n in range(1, 20)]
    chosen = recall("what do we do about rule 3", rules, now=NOW)
    assert chosen.instructions[0].id == 3


def test_a_superseded_or_forgotten_one_is_never_recalled() -> None:
    over = [
        a_recollection(1, "Jonas prefers mail", superseded_by=2),
        a_recollection(3, "Jonas hates fish", forgotten_at=NOW),
        a_recollection(2, "Jonas prefers calls"),
    ]
    assert recall("Jonas", over, now=NOW).ids == (2,)
    assert [one.id for one in found("Jonas", over, now=NOW)] == [2]


def test_of_two_that_fit_as_well_the_newer_comes_first() -> None:
    old = a_recollection(1, "Ida lives in Porto", made_at=NOW - timedelta(days=200))
    new = a_recollection(2, "Ida lives in Braga", made_at=NOW)
    assert recall("where does Ida live", [old, new], now=NOW).ids == (2, 1)


def test_what_others_said_comes_after_the_owners_word_and_is_only_a_little() -> None:
    seen = [
        a_recollection(n, "The lease ends in May", kind="observation", sources=(a_source(who="Mallory"),))
        for n in range(1, 9)
    ]
    own = a_recollection(20, "The lease ends in June", kind="fact", made_at=NOW - timedelta(days=20))
    chosen = recall("when does the lease end", [*seen, own], now=NOW)
    assert chosen.ids[0] == 20
    assert len(chosen.ids) == 3
