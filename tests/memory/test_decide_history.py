"""The history knows the past alone, and what it says of a mail is what the owner did."""

import random
from dataclasses import replace
from datetime import timedelta

import pytest

from memory.decide.exchange import OWNER, Exchange
from memory.decide.features import Features, features_of
from memory.decide.history import History
from tests.doubles.exchanged import START, a_history, answer, came, features, sent, weeks_of_mail

HOUR = timedelta(hours=1)


def walked(mails: list[Exchange]) -> list[Features]:
    history, seen = History(lambda at: at), []
    for mail in mails:
        if not mail.by_owner:
            seen.append(features_of(mail, history))
        history.feed(mail)
    return seen


def shuffled(later: list[Exchange]) -> list[Exchange]:
    times = [mail.at for mail in later]
    mixed = random.Random(7).sample(later, len(later))
    return [replace(mail, at=at) for mail, at in zip(mixed, times, strict=True)]


def never_answered(later: list[Exchange]) -> list[Exchange]:
    return [mail for mail in later if not mail.by_owner]


def all_from_otto(later: list[Exchange]) -> list[Exchange]:
    return [mail if mail.by_owner else replace(mail, sender="otto", said="Can you?", thread="one") for mail in later]


def nothing(_: list[Exchange]) -> list[Exchange]:
    return []


@pytest.mark.parametrize("other", [shuffled, never_answered, all_from_otto, nothing])
def test_no_feature_depends_on_what_comes_later(other) -> None:
    mails = weeks_of_mail(6)
    cut = len(mails) // 2
    past = sum(not mail.by_owner for mail in mails[:cut])
    assert repr(walked(mails)[:past]) == repr(walked(mails[:cut] + other(mails[cut:]))[:past])


def test_asking_for_features_changes_nothing() -> None:
    mails, mail = weeks_of_mail(3), came(START + timedelta(days=30))
    once, often = a_history(*mails), a_history(*mails)
    for _ in range(5):
        features_of(mail, often)
    assert features_of(mail, once) == features_of(mail, often)


def test_features_have_the_same_names_whoever_writes() -> None:
    names = {found.names for found in walked(weeks_of_mail(3))} | {features(came(sender="nobody yet")).names}
    assert len(names) == 1
    assert len(set(names.pop())) > 80


def test_whom_the_owner_answers_is_likelier_than_whom_they_leave() -> None:
    mails, at = weeks_of_mail(), START + timedelta(days=90)
    mara, otto = (features(came(at, who), *mails).numbers for who in ("mara", "otto"))
    assert mara["habit_sender"] > otto["habit_sender"] + 1
    assert mara["last_acts"] > otto["last_acts"]
    assert otto["ignored"] > mara["ignored"]


def test_an_act_counts_from_when_it_was_done() -> None:
    first, second = came(), came(START + HOUR)
    reply = answer(first, 2 * HOUR)
    third = came(START + 3 * HOUR)
    before = features(second, first).numbers["habit_sender"]
    after = features(third, first, second, reply).numbers["habit_sender"]
    unanswered = features(third, first, second, sent(START + 2 * HOUR, "ida")).numbers["habit_sender"]
    assert before < after
    assert unanswered < after


def test_two_answers_to_one_mail_are_one_act() -> None:
    first, third = came(), came(START + 3 * HOUR)
    once = features(third, first, answer(first)).numbers
    twice = features(third, first, answer(first), answer(first, 2 * HOUR)).numbers
    assert once["habit_sender"] == pytest.approx(twice["habit_sender"], abs=1e-3)
    assert twice["thread_acted"] == once["thread_acted"] == 0


def test_a_thread_knows_who_wrote_last() -> None:
    first = came()
    reply, later = answer(first), came(START + HOUR, thread=first.thread, subject="Re: Quarterly plan")
    numbers = features(later, first, reply).numbers
    assert (numbers["thread_owner_last"], numbers["thread_unanswered"], numbers["spoke_last"]) == (1, 0, 1)
    assert features(later, first).numbers["thread_unanswered"] == 1
    assert features(came(START + HOUR, "otto", thread=first.thread), first).numbers["thread_newcomer"] == 1


def test_old_habits_fade() -> None:
    asked = [came(START + timedelta(days=day)) for day in range(30)]
    mails = [mail for each in asked for mail in (each, answer(each))]
    soon, late = (features(came(START + timedelta(days=day)), *mails).numbers["habit_sender"] for day in (31, 900))
    assert late < soon


def test_a_mail_that_comes_out_of_order_breaks_no_count() -> None:
    history = a_history(*weeks_of_mail(2))
    early = came(START - timedelta(days=400), "mara")
    for mail in (early, came(START + timedelta(days=15), "mara")):
        numbers = features_of(mail, history).numbers
        assert 0 <= numbers["lately"] <= numbers["received"]
        assert 0 <= numbers["came_24h"] <= numbers["came_7d"]
        history.feed(mail)


def test_topics_that_the_owner_writes_about_are_told_from_others() -> None:
    mails = [came(START + timedelta(hours=n), said=f"plain words number {n}") for n in range(60)]
    mails.append(sent(START + timedelta(hours=70), "ida", said="The zeppelin contract again", subject="zeppelin"))
    theirs, other = (
        features(came(START + timedelta(hours=80), said=said, subject="x"), *mails).numbers["topic_written"]
        for said in ("about the zeppelin contract", "about the garden fence")
    )
    assert theirs > other


def test_the_owner_is_no_correspondent_of_their_own() -> None:
    mail = came(to=(OWNER, "ida"), cc=(OWNER,))
    assert mail.people == ("ida",)


def test_an_exchange_needs_a_time_with_its_zone() -> None:
    with pytest.raises(ValueError, match="zone"):
        came(START.replace(tzinfo=None))
