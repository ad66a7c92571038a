"""Whether a draft is made, and how the owner writes: both decided by code."""

from dataclasses import replace
from datetime import timedelta

import pytest

from memory.draft_need import WORDS, DraftNeed, draft_need, in_words
from memory.mail import Address, Authenticity, KeptMail
from memory.tone import EXAMPLE_MAX, choose_examples
from tests.doubles.letters import ANNA, FORGED, JO, ME, SARAH, a_letter, a_reply, the_evidence

ASKS = "Hi Jo,\n\ncould you send me the signed lease by Friday?\n\nAnna"
TELLS = "Hi Jo,\n\nthe painters were here on Monday and the hall is done.\n\nAnna"


def need(*thread: KeptMail, **given) -> DraftNeed:
    return draft_need(the_evidence(*thread), own=ME.addresses, **given)


def test_a_question_to_the_owner_gets_a_draft_and_names_the_words_that_ask() -> None:
    found = need(a_letter(ASKS))
    assert (found.is_needed, found.because) == (True, "asked")
    assert "signed lease" in found.quote


def test_what_has_hung_for_days_gets_one_too() -> None:
    found = need(a_reply("Which floor?", ago=timedelta(days=9)), a_letter(ASKS, ago=timedelta(days=8)))
    assert found.is_needed


@pytest.mark.parametrize(
    ("mail", "because"),
    [
        (a_letter(TELLS), "tells"),
        (a_letter(TELLS.replace("Hi Jo", "Hi Sarah"), to=(SARAH,), cc=(JO,)), "copied"),
        (a_letter("Hi Sarah, could you send the lease?", to=(SARAH,), cc=(JO,)), "copied"),
        (a_letter("Thanks a lot!"), "courtesy"),
        (a_reply("I'll send it. Could you check?"), "own"),
        (a_letter(ASKS, sender=Address("News", "no-reply@shop.example"), is_automated=True), "robot"),
        (a_letter(ASKS, list_headers=(("list-unsubscribe", "<https://shop.example>"),)), "robot"),
        (a_letter(ASKS, authenticity=FORGED), "doubtful"),
        (a_letter(ASKS, senders_disagree=True), "doubtful"),
        (a_letter(ASKS, sender=Address("Anna Winter", None)), "answer elsewhere"),
        (a_letter(ASKS, sender=Address("Jo Baker", "jo@baker.example")), "answer elsewhere"),
        (a_letter(ASKS, is_bounce=True), "bounce"),
        (a_letter(ASKS, ago=timedelta(days=60)), "old"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_needs_no_answer_gets_none_and_the_reason(mail: KeptMail, because: str) -> None:
    evidence = the_evidence(mail, is_fresh=because != "old")
    assert draft_need(evidence, own=ME.addresses) == DraftNeed(False, because)


def test_what_was_judged_to_be_noise_gets_none() -> None:
    assert need(a_letter(ASKS), verdict="ignore") == DraftNeed(False, "unworthy")
    assert need(a_letter(ASKS), verdict="loop").is_needed


def test_an_invitation_is_answered_by_its_buttons() -> None:
    ics = "BEGIN:VCALENDAR\nMETHOD:REQUEST\nBEGIN:VEVENT\nUID:1\nSUMMARY:Lunch\nDTSTART:20260909T100000Z\nORGANIZER:mailto:anna@winter.example\nEND:VEVENT\nEND:VCALENDAR"
    assert need(a_letter(ASKS, calendars=(ics,))).because == "invitation"


@pytest.mark.parametrize("because", WORDS)
def test_every_reason_can_be_said_in_both_languages(because) -> None:
    found = DraftNeed(False, because)
    assert in_words(found, "en") != in_words(found, "de")


# Tone


def sent(said: str | None, **given) -> KeptMail:
    return replace(a_reply(said or "", **given), said=said)


def days(count: int) -> timedelta:
    return timedelta(days=count)


def test_examples_are_the_owner_s_newest_own_words_to_that_person_alone_first() -> None:
    mails = [
        sent("Hi Anna, the oldest of them all.", ago=days(30)),
        sent("Hi both, this went to two of you.", to=(ANNA, SARAH), ago=days(1)),
        sent("Hi Anna, the newest of them all.", ago=days(2)),
        sent("Hi Sarah, this is for you alone.", to=(SARAH,)),
        a_letter("Hi Jo, this is what Anna writes."),
    ]
    assert choose_examples(mails, "Anna@winter.example") == (
        "Hi Anna, the newest of them all.",
        "Hi Anna, the oldest of them all.",
        "Hi both, this went to two of you.",
    )


@pytest.mark.parametrize(
    "odd",
    [
        sent(None),
        sent("OK."),
        sent("x" * (EXAMPLE_MAX + 1)),
        sent("Hi Anna, look at what they write.", subject="Fwd: their offer"),
        sent("Hi Anna, I am away until Monday.", is_automated=True),
        sent("Jo Baker has accepted the invitation.", calendars=("BEGIN:VCALENDAR",)),
        sent("Hi Anna, this one was cut somewhere.", was_cut=True),
        sent("Hi Sarah, Anna only gets a copy of it.", to=(SARAH,), cc=(ANNA,)),
    ],
    ids=["quotes not told apart", "short", "long", "forward", "automatic", "calendar", "cut", "copied"],
)
def test_what_shows_no_manner_is_no_example(odd: KeptMail) -> None:
    assert choose_examples([odd], "anna@winter.example") == ()


def test_few_are_enough_and_the_same_words_count_once() -> None:
    mails = [sent(f"Hi Anna, number {number % 9} of them.", ago=days(number + 1)) for number in range(30)]
    chosen = choose_examples(mails, "anna@winter.example")
    assert len(chosen) == len(set(chosen)) == 4


def test_nobody_s_manner_is_taken_for_another_s() -> None:
    mails = [sent("Hi Anna, this is how I write to you.", authenticity=Authenticity())]
    assert choose_examples(mails, "anna@winter-example.example") == ()
