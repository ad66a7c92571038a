"""The hash of the evidence: a reply by anybody changes it, a day that passes does not."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from memory.evidence import Evidence, evidence_hash, hash_of
from memory.relation import Relation
from tests.doubles.letters import ANNA, KNOWN, NOW, SARAH, a_letter, a_reply, the_evidence

ASKED = a_letter("Could you send the contract by Friday?", ago=timedelta(days=2))
ANSWERED = a_reply("Tomorrow.", ago=timedelta(days=1))
AGAIN = a_letter("And the annex?", ago=timedelta(hours=1))

PARTS: dict[str, Any] = {"thread_key": "t", "latest_fingerprint": "a", "own_last_fingerprint": "b", "judge": "1"}


def hashed(*thread: Any, **given: Any) -> str:
    return hash_of(the_evidence(*thread, **given), "1")


def test_the_same_evidence_has_the_same_hash_on_every_day() -> None:
    assert hashed(ASKED) == hashed(ASKED, now=NOW + timedelta(days=200), is_fresh=False, relation=KNOWN)


def test_a_reply_by_anybody_changes_it() -> None:
    assert len({hashed(ASKED), hashed(ASKED, ANSWERED), hashed(ASKED, ANSWERED, AGAIN), hashed(ASKED, AGAIN)}) == 4


def test_the_order_in_which_mails_are_handed_over_does_not() -> None:
    assert hashed(AGAIN, ASKED, ANSWERED) == hashed(ASKED, ANSWERED, AGAIN)


@pytest.mark.parametrize("part", PARTS)
def test_each_part_counts(part: str) -> None:
    assert evidence_hash(**PARTS) != evidence_hash(**(PARTS | {part: "other"}))


def test_no_two_ways_to_fill_it_run_together() -> None:
    assert evidence_hash("t", "ab", "", "1") != evidence_hash("t", "a", "b", "1")
    assert evidence_hash("t", "a", None, "1") != evidence_hash("t", "a", "", "1")


def test_what_hangs_is_judged_apart_from_what_came() -> None:
    assert hashed(ASKED) != hashed(ASKED, aspect="hanging")


def test_half_a_character_in_an_id_makes_no_trouble() -> None:
    assert len(evidence_hash("a\ud83d@x", "a", None, "1")) == 64


def test_what_is_gathered_of_a_thread() -> None:
    evidence = the_evidence(ASKED, ANSWERED, AGAIN, relation=KNOWN)
    assert evidence.latest == AGAIN
    assert [each.said for each in evidence.earlier] == ["Could you send the contract by Friday?", "Tomorrow."]
    assert evidence.own_last is not None
    assert evidence.own_last.said == "Tomorrow."
    assert evidence.participants == ("anna@winter.example", "jo@baker.example")
    assert (evidence.place, evidence.is_named, evidence.is_known, evidence.asks) == ("to", False, True, True)


def test_a_long_thread_is_kept_short() -> None:
    thread = [a_letter("x" * 5_000, ago=timedelta(hours=100 - n)) for n in range(60)]
    evidence = the_evidence(*thread)
    assert len(evidence.earlier) == 6
    assert {len(each.said) for each in evidence.earlier} == {600}


def test_the_owners_last_mail_is_seen_however_long_ago_it_was() -> None:
    thread = [ANSWERED, *(a_letter("more", ago=timedelta(minutes=30 - n)) for n in range(20))]
    assert the_evidence(*thread).own_last is not None


def test_somebody_is_known_when_the_owner_wrote_to_them() -> None:
    assert not the_evidence(ASKED, relation=Relation(received=99)).is_known
    assert the_evidence(ASKED, relation=Relation(sent=1)).is_known


def test_a_deadline_lies_within_a_span_only_when_it_is_ahead() -> None:
    evidence = the_evidence(a_letter("Please send it by Friday."))
    assert evidence.due_within(timedelta(days=5)) is not None
    assert evidence.due_within(timedelta(days=4)) is None
    assert replace(evidence, now=NOW + timedelta(days=9)).due_within(timedelta(days=5)) is None


def test_findings_of_others_are_kept_beside() -> None:
    seen = the_evidence(ASKED).findings
    assert set(seen) < set(the_evidence(ASKED, further=(replace(seen[0], kind="conflict"),)).findings)


def test_a_copy_is_direct_only_when_it_turns_to_the_owner() -> None:
    def direct(said: str) -> bool:
        evidence: Evidence = the_evidence(a_letter(said, to=(SARAH,), cc=(ANNA,)))
        return evidence.is_direct

    assert not direct("The minutes are attached.")
    assert direct("Hi Jo,\nthe minutes are attached.")
    assert direct("Jo, could you check the minutes?")
