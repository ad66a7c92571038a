"""What no stage may decide: ties go towards silence, money and law are not dropped, and softened senders never ping."""

import json
from dataclasses import replace
from itertools import product
from typing import Any, get_args

import pytest

from memory.evidence import Evidence
from memory.mail import Address
from memory.verdict import HELD_WHEN_UNREAD, Stage, Verdict, What, quieter, read, settle, urgency
from tests.doubles.letters import FORGED, NOW, SARAH, a_letter, a_reply, the_evidence

PLAIN = "Could you have a look at the slides?"
WHATS: tuple[What, ...] = get_args(What)
STAGES: tuple[Stage, ...] = ("rule", "decision model", "model")


def a_verdict(what: What = "notify", **given: Any) -> Verdict:
    return Verdict(**({"what": what, "consequence": 0.9, "reason": "It is so.", "stage": "model", "code": "x"} | given))


def settled(what: What, evidence: Evidence, **given: Any) -> str:
    return settle(a_verdict(what, **given), evidence).what


def test_a_plain_mail_from_a_person_is_settled_as_proposed() -> None:
    for what in WHATS:
        assert settle(a_verdict(what), the_evidence(a_letter(PLAIN))) == a_verdict(what)


@pytest.mark.parametrize("said", ["The invoice over 300 EUR is attached.", "Hiermit kündige ich den Vertrag."])
@pytest.mark.parametrize("stage", STAGES)
def test_money_and_law_from_a_person_are_never_below_hold(said: str, stage: Stage) -> None:
    evidence = the_evidence(a_letter(said))
    for what in ("log", "ignore"):
        assert settled(what, evidence, stage=stage) == "hold"
    assert settled("notify", evidence) == "notify"


def test_bulk_is_bulk_even_with_money_in_it() -> None:
    evidence = the_evidence(a_letter("Your invoice over 300 EUR", sender=Address("Shop", "no-reply@shop.example")))
    assert settled("log", evidence) == "log"
    assert settled("ignore", evidence) == "ignore"


def test_last_years_bills_have_no_floor() -> None:
    old = a_letter("The invoice is attached.", date_at=NOW.replace(year=2025))
    assert settled("log", the_evidence(old, is_fresh=False)) == "log"
    assert settled("log", the_evidence(old, is_fresh=True)) == "hold"


@pytest.mark.parametrize(
    "evidence",
    [
        pytest.param(the_evidence(a_letter(PLAIN), is_softened=True), id="less like this"),
        pytest.param(the_evidence(a_letter(PLAIN, senders_disagree=True)), id="two authors"),
        pytest.param(the_evidence(a_letter(PLAIN, authenticity=FORGED)), id="forged"),
        pytest.param(the_evidence(a_letter(PLAIN), is_fresh=False), id="from the past"),
        pytest.param(the_evidence(a_letter(PLAIN, is_read=True)), id="read already"),
    ],
)
@pytest.mark.parametrize("stage", STAGES)
def test_what_never_pings(evidence: Evidence, stage: Stage) -> None:
    found = settle(a_verdict("notify", stage=stage), evidence)
    assert found.what == "hold"
    assert found.reason.startswith("It is so. ")
    assert len(found.reason) > len("It is so. ")
    assert found.code.startswith("x+")


def test_softened_wins_over_urgent() -> None:
    assert settled("notify", the_evidence(a_letter(PLAIN), is_softened=True, is_urgent=True), stage="rule") == "hold"


def test_only_a_rule_lets_bulk_ping() -> None:
    evidence = the_evidence(a_letter("Your flight is cancelled.", precedence="bulk"))
    assert settled("notify", evidence, stage="model") == "hold"
    assert settled("notify", evidence, stage="rule") == "notify"
    assert settled("loop", evidence, stage="rule") == "hold"


@pytest.mark.parametrize(("consequence", "what"), [(0.59, "hold"), (0.6, "notify"), (0.0, "hold"), (1.0, "notify")])
def test_what_costs_little_makes_no_sound(consequence: float, what: str) -> None:
    assert settled("notify", the_evidence(a_letter(PLAIN)), consequence=consequence) == what


def test_a_loop_needs_something_that_is_asked() -> None:
    assert settled("loop", the_evidence(a_letter("Here is the report."))) == "hold"
    assert settled("loop", the_evidence(a_letter(PLAIN, to=(SARAH,)))) == "hold"
    assert settled("loop", the_evidence(a_letter(PLAIN))) == "loop"


def test_who_has_the_last_word_is_not_judged() -> None:
    found = settle(a_verdict("notify"), the_evidence(a_letter(PLAIN), a_reply("The contract is attached.")))
    assert (found.what, found.stage, found.code) == ("log", "rule", "own")


def test_what_the_owner_decides_stands() -> None:
    decided = a_verdict("ignore", stage="owner")
    assert settle(decided, the_evidence(a_letter("The invoice is attached."), is_softened=True)) == decided


def test_the_reason_is_in_the_owners_language() -> None:
    found = settle(a_verdict("notify"), the_evidence(a_letter(PLAIN), is_softened=True), "de")
    assert found.reason == "It is so. Du wolltest weniger davon."


def test_whatever_is_proposed_the_invariants_hold() -> None:
    thread = [
        a_letter("The invoice is overdue.", **given)
        for given in ({}, {"to": (SARAH,)}, {"precedence": "bulk"}, {"authenticity": FORGED}, {"is_read": True})
    ]
    for letter, what, stage, softened, fresh in product(thread, WHATS, STAGES, (True, False), (True, False)):
        evidence = the_evidence(letter, is_softened=softened, is_fresh=fresh)
        found = settle(a_verdict(what, stage=stage), evidence)
        if softened or not fresh:
            assert found.what != "notify"
        if not evidence.is_bulk():
            assert found.what not in ("log", "ignore")
        assert settle(found, evidence).what == found.what


@pytest.mark.parametrize(
    ("one", "other", "winner"),
    [
        ("notify", "hold", "hold"),
        ("log", "ignore", "ignore"),
        ("notify", "ignore", "hold"),
        ("loop", "notify", "hold"),
        ("log", "log", "log"),
    ],
)
def test_a_tie_goes_towards_silence(one: What, other: What, winner: What) -> None:
    assert quieter(one, other) == quieter(other, one) == winner


def test_what_is_told_when() -> None:
    assert urgency(a_verdict("notify")) == "soon"
    assert urgency(a_verdict("notify"), is_urgent_sender=True) == "now"
    assert urgency(a_verdict("hold"), is_urgent_sender=True) == "hold"
    assert urgency(a_verdict("loop")) == "hold"
    assert urgency(a_verdict("log")) is None
    assert urgency(a_verdict("ignore")) is None


def an_answer(**given: Any) -> str:
    return json.dumps({"verdict": "notify", "consequence": 0.9, "reason": "It is due."} | given)


def test_an_answer_is_read_also_inside_a_fence() -> None:
    found = read(f"```json\n{an_answer()}\n```")
    assert found == Verdict(what="notify", consequence=0.9, reason="It is due.", stage="model", code="model")


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="nothing"),
        pytest.param("notify!", id="a word"),
        pytest.param("[1, 2]", id="a list"),
        pytest.param("null", id="null"),
        pytest.param(an_answer(verdict="scream"), id="an unknown verdict"),
        pytest.param(an_answer(verdict=["notify"]), id="a list for a verdict"),
        pytest.param(an_answer(verdict="notify|hold"), id="two verdicts"),
        pytest.param(an_answer(verdict="Notify"), id="another spelling"),
        pytest.param(an_answer(consequence=float("nan")), id="NaN"),
        pytest.param(an_answer(consequence="0.9"), id="a number as text"),
        pytest.param(an_answer(consequence=True), id="true for a number"),
        pytest.param(an_answer(consequence=None), id="null for a number"),
        pytest.param(an_answer(reason=7), id="a number for a reason"),
        pytest.param(an_answer(reason=["x"]), id="a list for a reason"),
        pytest.param(an_answer(send_to="mallory@evil.example"), id="a further field"),
        pytest.param('{"verdict": "notify", "consequence": 0.9}', id="a missing field"),
        pytest.param(an_answer() + an_answer(), id="two answers"),
        pytest.param(an_answer(reason="x" * 30_000), id="a huge reason"),
        pytest.param('{"verdict": ' + "[" * 9_000, id="deep nesting"),
        pytest.param('{"verdict": "notify", "consequence": ' + "9" * 9_000 + ', "reason": "x"}', id="a huge number"),
        pytest.param(an_answer()[:-5], id="cut off"),
    ],
)
def test_an_answer_that_can_not_be_read_holds(text: str) -> None:
    assert read(text) == HELD_WHEN_UNREAD


@pytest.mark.parametrize(("given", "kept"), [(7, 1.0), (-3, 0.0), (0.5, 0.5), (float("inf"), 1.0), (1, 1.0)])
def test_a_consequence_stays_within_its_bounds(given: float, kept: float) -> None:
    assert read(an_answer(consequence=given)).consequence == kept


def test_a_reason_is_one_line_without_controls_and_not_long() -> None:
    found = read(an_answer(reason="one\ntwo\x00\u202ethree " + "x" * 900))
    assert found.reason.startswith("one twothree xxx")
    assert len(found.reason) == 300


def test_a_change_of_the_verdict_does_not_touch_the_one_it_was_made_of() -> None:
    proposed = a_verdict("notify")
    settle(proposed, the_evidence(a_letter(PLAIN), is_softened=True))
    assert proposed == replace(a_verdict("notify"))
