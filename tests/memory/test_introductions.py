"""Introductions: three messages, and the third only on the target's own yes."""

from dataclasses import replace
from datetime import timedelta

import pytest

from memory.envelope import Envelope, Identity
from memory.envelope_words import reason
from memory.introduction import (
    SILENCE_FOR,
    Agreement,
    AskOwner,
    Declined,
    Introduction,
    Party,
    Reading,
    Silence,
    Stage,
    Step,
    confirmed,
    end,
    heard,
    moved_on,
    names,
    next_message,
    read_answer,
    weigh,
)
from memory.mail import Address, Attachment, KeptMail
from memory.recipient import Recipient
from memory.refusal import Refusal
from tests.doubles.clock import NOW
from tests.doubles.enveloped import kept

ASKER = Party(name="Ben Asker", addresses=("ben@asker.example",), message_ids=frozenset({"req@asker.example"}))
TARGET = Party(name="Tara van Target", addresses=("tara@target.example", "tara@home.example"), message_ids=frozenset({"old@target.example"}))  # fmt: skip
BEN, TARA = Recipient("Ben Asker", "ben@asker.example"), Recipient("Tara van Target", "tara@target.example")
QUESTION = "Somebody I know builds tools for gardeners. May I introduce you to each other?"

NEW = Introduction(id=1, owner_id=1, asker=ASKER, target=TARGET, stage="to ask", because="Ben asked for it")
ASKED = replace(NEW, stage="to answer", asked_at=NOW, asked_id="ask@own.example", question=QUESTION)
WAITING = replace(ASKED, stage="waiting")
YES = Agreement(mail_id=7, quote="Yes, please.")
AGREED = replace(WAITING, stage="to introduce", agreement=YES)
STAGES: dict[Stage, Introduction] = {
    "to ask": NEW,
    "to answer": ASKED,
    "waiting": WAITING,
    "to introduce": AGREED,
    "done": replace(AGREED, stage="done"),
    "ended": replace(WAITING, stage="ended"),
}


def mail(*to: Recipient, **changes: object) -> Envelope:
    plain = Envelope(
        channel="mail",
        identity=Identity("work", "Ola Owner", "ola@own.example"),
        to=to,
        subject="A question",
        body=QUESTION,
        message_id="ask@own.example",
    )
    return replace(plain, **changes)  # type: ignore[arg-type]


def answered(number: int, said: str | None, **changes: object) -> KeptMail:
    reply = {"sender": Address("Tara", "tara@target.example"), "in_reply_to": "ask@own.example", "references": ()}
    return kept(number, said=said, **{**reply, **changes})


# --- the way through ---


def test_the_whole_way() -> None:
    assert next_message(NEW) == "ask the target"
    assert weigh(NEW, "ask the target", mail(TARA)) is None
    asked = moved_on(NEW, "ask the target", NOW, message_id="ask@own.example", text=QUESTION)
    assert asked == replace(ASKED, because="the target was asked")
    assert weigh(ASKED, "answer the asker", mail(BEN, in_reply_to="req@asker.example")) is None
    waiting = moved_on(ASKED, "answer the asker", NOW, message_id="x@own.example", text="")
    assert isinstance(waiting, Introduction)
    assert (waiting.stage, next_message(waiting)) == ("waiting", None)
    reading = read_answer(waiting, [answered(7, "Yes, please.")], NOW)
    assert reading == YES
    agreed = heard(waiting, reading)
    assert isinstance(agreed, Introduction)
    assert (agreed.stage, agreed.agreement) == ("to introduce", YES)
    assert weigh(agreed, "introduce", mail(TARA, BEN), reading) is None
    done = moved_on(agreed, "introduce", NOW, message_id="x@own.example", text="")
    assert isinstance(done, Introduction)
    assert done.stage == "done"


STEPS: tuple[Step, ...] = ("ask the target", "answer the asker", "introduce")


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("stage", STAGES)
def test_no_step_is_taken_before_or_behind_its_turn(stage: Stage, step: Step) -> None:
    introduction = STAGES[stage]
    envelope = {"ask the target": mail(TARA), "answer the asker": mail(BEN), "introduce": mail(TARA, BEN)}[step]
    if next_message(introduction) == step:
        assert weigh(introduction, step, envelope, YES) is None
    else:
        assert weigh(introduction, step, envelope, YES) == Refusal("that step is not due")
        assert isinstance(moved_on(introduction, step, NOW, message_id="x@y", text=""), Refusal)


# --- the first two name nobody ---

CARRIED: dict[str, dict[str, object]] = {
    "the name in the text": {"body": "Ben Asker would like to meet you."},
    "the other way round": {"body": "Asker, Ben"},
    "in small letters": {"body": "ben  asker says hello"},
    "over two lines": {"body": "Ben\nAsker"},
    "the first name": {"body": "I know Ben from school."},
    "the last name": {"body": "a certain Mr Asker"},
    "look-alike letters": {"body": "Веn Аskеr"},
    "hidden letters": {"body": "B\u200ben As\u200bker"},
    "the name in the subject": {"subject": "Ben Asker"},
    "the address": {"body": "write to ben@asker.example"},
    "the address in capitals": {"body": "BEN@ASKER.EXAMPLE"},
    "the address in words": {"body": "ben at asker dot example"},
    "the address in brackets": {"body": "ben (at) asker [dot] example"},
    "the address with spaces": {"body": "ben @ asker . example"},
    "in copy": {"cc": (BEN,)},
    "in hidden copy": {"bcc": (BEN,)},
    "the other's thread": {"in_reply_to": "req@asker.example"},
    "the other's thread in references": {"references": ("req@asker.example",)},
    "a file": {"attachments": (Attachment("about.pdf", "application/pdf", 5, "a" * 64),)},
}


@pytest.mark.parametrize("change", CARRIED.values(), ids=CARRIED.keys())
def test_the_first_message_carries_nothing_of_the_asker(change: dict[str, object]) -> None:
    assert isinstance(weigh(NEW, "ask the target", mail(TARA, **change)), Refusal)


@pytest.mark.parametrize(
    "change",
    [
        {"body": "I have asked Tara van Target."},
        {"body": "I have asked van Target, Tara."},
        {"body": "I have asked Tara Target."},
        {"body": "Target has it now"},
        {"body": "tara@home.example"},
        {"cc": (TARA,)},
        {"subject": "Re: Intro to Tara van Target?"},
        {"references": ("old@target.example",)},
    ],
    ids=str,
)
def test_the_second_message_carries_nothing_of_the_target(change: dict[str, object]) -> None:
    assert isinstance(weigh(ASKED, "answer the asker", mail(BEN, **change)), Refusal)


@pytest.mark.parametrize("to", [(BEN,), (TARA, Recipient("", "x@y.example")), (Recipient("", "tara@targett.example"),)], ids=["the asker", "one more", "a look-alike"])  # fmt: skip
def test_the_first_message_goes_to_the_target_alone(to: tuple[Recipient, ...]) -> None:
    assert weigh(NEW, "ask the target", mail(*to)) == Refusal("it has to go to one of the two alone")


def test_what_both_bear_names_nobody() -> None:
    namesake = Party(name="Ben Other", addresses=("other@x.example",))
    assert not names(mail(TARA, body="Dear Ben, hello"), ASKER, namesake)
    assert names(mail(TARA, body="Dear Ben, hello"), ASKER, TARGET)
    assert not names(mail(TARA, body="The bent asking bench, benched"), ASKER, TARGET)


# --- the third ---


@pytest.mark.parametrize(
    ("introduction", "reading", "because"),
    [
        (AGREED, None, "the target has not agreed"),
        (AGREED, Silence(over=False), "the target has not agreed"),
        (AGREED, Declined(9, "No."), "the target has not agreed"),
        (AGREED, AskOwner(9, "x"), "the target has not agreed"),
        (replace(AGREED, agreement=None), YES, "the target has not agreed"),
        (AGREED, replace(YES, mail_id=9), "the target has written again since"),
    ],
    ids=["not read", "silence", "no", "unclear", "not on record", "another mail"],
)
def test_the_third_message_needs_the_agreement_as_it_is_read_now(
    introduction: Introduction, reading: Reading | None, because: str
) -> None:
    assert weigh(introduction, "introduce", mail(TARA, BEN), reading) == Refusal(because)


@pytest.mark.parametrize(
    "to", [(TARA,), (BEN,), (TARA, BEN, Recipient("", "x@y.example")), (TARA, Recipient("", "tara@home.example"))],
    ids=["one", "the other", "three", "one twice"],
)  # fmt: skip
def test_the_third_message_goes_to_both_and_nobody_else(to: tuple[Recipient, ...]) -> None:
    assert weigh(AGREED, "introduce", mail(*to), YES) == Refusal("it has to go to both and nobody else")


def test_the_two_see_each_other() -> None:
    assert weigh(AGREED, "introduce", mail(TARA, bcc=(BEN,)), YES) == Refusal("the two have to see each other")
    assert weigh(AGREED, "introduce", mail(TARA, cc=(BEN,)), YES) is None


# --- whose answer, and which ---


@pytest.mark.parametrize(
    "changes",
    [
        {"sender": Address("Tara van Target", "tara@targett.example")},
        {"sender": Address("", "ben@asker.example")},
        {"sender": None},
        {"in_reply_to": None},
        {"in_reply_to": "old@target.example"},
        {"by_owner": True},
    ],
    ids=["a look-alike", "the asker", "nobody", "out of the blue", "another thread", "the owner"],
)
def test_only_the_targets_answer_to_our_question_is_one(changes: dict[str, object]) -> None:
    assert read_answer(WAITING, [answered(7, "Yes, please.", **changes)], NOW) == Silence(over=False)


def test_an_answer_from_another_address_of_theirs_counts() -> None:
    other = answered(
        7, "Yes, please.", sender=Address("", "TARA@home.example"), in_reply_to="x@y", references=("ask@own.example",)
    )
    assert read_answer(WAITING, [other], NOW) == YES


@pytest.mark.parametrize(
    "changes",
    [
        {"senders_disagree": True},
        {"is_automated": True},
        {"is_bounce": True},
        {"was_cut": True},
        {"parts_disagree": True},
    ],
    ids=str,
)
def test_a_doubtful_mail_is_for_the_owner(changes: dict[str, object]) -> None:
    asked = read_answer(WAITING, [answered(7, "Yes, please.", **changes)], NOW)
    assert isinstance(asked, AskOwner)
    assert reason("de", asked.because) != reason("en", asked.because)


def test_quoted_history_that_was_not_cut_off_is_for_the_owner() -> None:
    assert isinstance(read_answer(WAITING, [answered(7, None)], NOW), AskOwner)
    assert isinstance(read_answer(WAITING, [answered(7, f"Yes.\n{QUESTION}")], NOW), AskOwner)


def test_a_mail_that_failed_its_check_is_for_the_owner() -> None:
    assert isinstance(read_answer(WAITING, [answered(7, "Yes, please.")], NOW, distrusted={7}), AskOwner)


def test_the_latest_answer_counts() -> None:
    yes, no = answered(7, "Yes, please."), answered(8, "No, thank you.")
    assert read_answer(AGREED, [no, yes], NOW) == Declined(8, "No, thank you.")
    assert read_answer(WAITING, [answered(9, "Yes, please."), no], NOW) == replace(YES, mail_id=9)


# --- what an answer changes ---


@pytest.mark.parametrize("stage", ["to answer", "waiting", "to introduce"])
def test_a_no_ends_it_at_any_stage(stage: Stage) -> None:
    ended = heard(STAGES[stage], Declined(8, "No."))
    assert isinstance(ended, Introduction)
    assert (ended.stage, ended.because) == ("ended", "the target declined")


def test_silence_ends_it_after_a_while() -> None:
    assert read_answer(WAITING, [], NOW + SILENCE_FOR - timedelta(seconds=1)) == Silence(over=False)
    assert heard(WAITING, Silence(over=False)) is None
    over = read_answer(WAITING, [], NOW + SILENCE_FOR)
    ended = heard(WAITING, over)
    assert isinstance(ended, Introduction)
    assert (ended.stage, ended.because) == ("ended", "the target did not answer")


def test_an_early_yes_waits_until_the_asker_was_answered() -> None:
    assert heard(ASKED, YES) is None


def test_a_doubt_after_a_yes_takes_it_back_until_the_owner_has_read() -> None:
    back = heard(AGREED, AskOwner(9, "unclear"))
    assert isinstance(back, Introduction)
    assert (back.stage, back.agreement) == ("waiting", None)


def test_the_owner_reads_what_code_can_not() -> None:
    unclear = read_answer(WAITING, [answered(7, "Why not, after the summer.")], NOW)
    assert isinstance(unclear, AskOwner)
    agreed = confirmed(WAITING, unclear, agreed=True)
    assert isinstance(agreed, Introduction)
    assert agreed.stage == "to introduce"
    again = read_answer(agreed, [answered(7, "Why not, after the summer.")], NOW)
    assert again == agreed.agreement
    assert weigh(agreed, "introduce", mail(TARA, BEN), again) is None
    later = read_answer(agreed, [answered(7, "Why not."), answered(8, "No, thank you.")], NOW)
    assert isinstance(later, Declined)
    ended = confirmed(WAITING, unclear, agreed=False)
    assert isinstance(ended, Introduction)
    assert ended.stage == "ended"


@pytest.mark.parametrize("stage", ["to ask", "done", "ended"])
def test_where_nothing_is_waited_for_nothing_is_heard(stage: Stage) -> None:
    assert isinstance(heard(STAGES[stage], YES), Refusal)
    assert isinstance(confirmed(STAGES[stage], AskOwner(7, "x"), agreed=True), Refusal)


@pytest.mark.parametrize("stage", STAGES)
def test_it_can_be_ended_until_it_is_over(stage: Stage) -> None:
    ended = end(STAGES[stage], because="discarded")
    assert isinstance(ended, Refusal) == (stage in {"done", "ended"})
