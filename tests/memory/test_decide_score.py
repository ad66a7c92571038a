"""A score is a probability with reasons that are true of the mail; without enough learned it is told by rules of thumb."""

from dataclasses import replace
from datetime import timedelta

import pytest

from memory.decide.because import SAYINGS, TOPICS, reasons, sentence, topic_of
from memory.decide.exchange import OWNER
from memory.decide.features import Features, features_of
from memory.decide.habit import ALL, Habits, log_odds, share_of
from memory.decide.leaning import WEIGHTS, signs
from memory.decide.score import CLIP, ENOUGH_ACTED, ENOUGH_MAILS, Fitted, Scored, raw, score, weighed
from tests.doubles.exchanged import START, a_history, answer, came, features, weeks_of_mail

LATER = START + timedelta(days=90)


def a_model(found: Features, **given: object) -> Fitted:
    """A model of these features by which nothing counts, unless given otherwise."""
    count = len(found.names)
    plain = Fitted(
        trained_at=LATER, since=START, until=LATER, mails=ENOUGH_MAILS, acted=ENOUGH_ACTED, names=found.names,
        means=(0.0,) * count, scales=(1.0,) * count, weights=(0.0,) * count, marks={}, base=0.0,
    )  # fmt: skip
    return replace(plain, **given)  # type: ignore[arg-type]


def weights_of(found: Features, **weights: float) -> tuple[float, ...]:
    return tuple(weights.get(name, 0.0) for name in found.names)


@pytest.mark.parametrize(
    "kept",
    [
        pytest.param(lambda found: None, id="nothing learned"),
        pytest.param(lambda found: a_model(found, mails=ENOUGH_MAILS - 1), id="too few mails"),
        pytest.param(lambda found: a_model(found, acted=ENOUGH_ACTED - 1), id="too few acts"),
        pytest.param(lambda found: a_model(found, names=("other", *found.names[1:])), id="another version's numbers"),
    ],
)
def test_it_is_cold_until_enough_was_learned(kept) -> None:
    found = features(came(said="Could you call me?"))
    scored = score(found, kept(found))
    assert scored.is_cold
    assert scored == score(found, None)
    assert not score(found, a_model(found)).is_cold


@pytest.mark.parametrize(
    ("likelier", "less"),
    [
        ({"said": "Could you call me today?"}, {"said": "The report stands on the shelf."}),
        ({"said": "Here is what I found out about it, at some length."}, {"said": "Ok, thanks."}),
        ({"said": "Shall we?"}, {"said": "Shall we?", "is_bulk": True}),
        ({"to": (OWNER,)}, {"to": ("ida",), "cc": (OWNER,)}),
        ({"subject": "News"}, {"subject": "Fwd: News", "said": ""}),
        ({"is_urgent": True}, {}),
        ({"to": (OWNER, "ida")}, {"to": (OWNER, *(f"p{n}" for n in range(30)))}),
    ],
    ids=["asks", "says more than thanks", "a person", "to the owner", "not passed on bare", "marked urgent", "few"],
)
def test_rules_of_thumb_know_what_anybody_knows(likelier: dict, less: dict) -> None:
    assert score(features(came(**likelier)), None).probability > score(features(came(**less)), None).probability


def test_even_when_cold_habits_count_from_the_first_mails() -> None:
    mail = came(LATER, "mara", said="Could you look?")
    asked = [came(START + timedelta(days=day), "mara", said="Could you look?") for day in range(8)]
    answered = [each for mail in asked for each in (mail, answer(mail))]
    assert score(features(mail, *answered), None).probability > score(features(mail, *asked), None).probability + 0.1


def test_a_probability_is_what_the_weights_come_to() -> None:
    found = features(came(said="Is it? Is it?"))
    fitted = a_model(found, weights=weights_of(found, questions=0.5), base=-1.0, shift=0.1, slope=2.0)
    questions = found.numbers["questions"]
    assert raw(weighed(found, fitted), fitted) == pytest.approx(-1.0 + 0.5 * questions)
    assert score(found, fitted).probability == pytest.approx(share_of(0.1 + 2.0 * (-1.0 + 0.5 * questions)))


def test_words_count_by_their_marks() -> None:
    found = features(came(said="zeppelin"))
    marks = {mark: 2.0 for mark, _ in found.marks}
    assert score(found, a_model(found, marks=marks)).probability > score(found, a_model(found)).probability


def test_one_odd_number_does_not_outweigh_all_else() -> None:
    found = features(came(said="?" * 1000))
    fitted = a_model(found, weights=weights_of(found, questions=1.0), scales=(0.001,) * len(found.names))
    assert weighed(found, fitted)["questions"] == CLIP


def test_a_number_that_never_varied_counts_nothing() -> None:
    found = features(came(is_urgent=True))
    fitted = a_model(found, weights=weights_of(found, urgent=3.0), scales=(0.0,) * len(found.names))
    assert weighed(found, fitted)["urgent"] == 0


def test_a_probability_stays_between_its_ends() -> None:
    found = features(came())
    for base in (-1e6, 1e6):
        assert 0 < score(found, a_model(found, base=base)).probability < 1


# Reasons


def scored_and_told(mail, *before, language="en") -> tuple[Scored, str]:
    found = features(mail, *before)
    scored = score(found, None)
    return scored, sentence(scored.reasons, found.numbers, language, who="Mara", is_cold=scored.is_cold)


def test_the_reasons_of_a_habit_name_whom_it_is_about() -> None:
    mails = weeks_of_mail()
    _, told = scored_and_told(came(LATER, "mara", said="Could you look at the draft today?", subject="Draft"), *mails)
    assert "you usually answer Mara within the hour".lower() in told.lower()
    _, german = scored_and_told(came(LATER, "mara", said="Could you look?"), *mails, language="de")
    assert "auf Mail von Mara antwortest du meist binnen einer Stunde".lower() in german.lower()


def test_a_cold_score_says_so_in_its_sentence() -> None:
    assert "rules of thumb" in scored_and_told(came(said="Could you?"))[1]
    assert "Faustregeln" in scored_and_told(came(said="Could you?"), language="de")[1]


@pytest.fixture(scope="module")
def many_numbers() -> list[dict[str, float]]:
    """The numbers of mails of many kinds, from people of three kinds."""
    kinds = (
        {},
        {"said": "Could you?", "is_urgent": True, "attachments": 1},
        {"said": "Ok"},
        {"said": "More about the draft, as discussed", "subject": "Draft"},
        {"said": "FYI", "subject": "Fwd: x", "below": "text " * 500, "cc": (OWNER,), "to": ("ida",)},
        {"answers_owner": True, "subject": "Re: x"},
        {"is_bulk": True, "to": tuple(f"p{n}" for n in range(9))},
    )
    history = a_history(*weeks_of_mail(8))
    return [
        features_of(came(START + timedelta(days=55, hours=4.2), who, **given), history).numbers
        for who in ("mara", "otto", "a stranger")
        for given in kinds
    ]


@pytest.mark.parametrize("saying", SAYINGS, ids=lambda saying: saying.code)
def test_no_saying_is_used_of_a_mail_of_which_it_is_not_true(saying, many_numbers: list[dict[str, float]]) -> None:
    for numbers in many_numbers:
        # Everything speaks for the topic, on the saying's side.
        name = next(each for each in (*numbers, "said") if topic_of(each) == saying.topic)
        given = reasons(numbers, {name: 5.0 if saying.is_for else -5.0}, is_likely=saying.is_for)
        if saying.code in {each.code for each in given}:
            assert saying.true(numbers)


def test_reasons_lie_on_the_side_of_the_score_and_are_three_at_most() -> None:
    found = features(came(LATER, "mara", said="Could you call? Today?", to=(OWNER,)), *weeks_of_mail())
    fitted = a_model(
        found, weights=weights_of(found, questions=2.0, place_alone=-1.0, habit_sender=1.0, wrote_1h=-3.0, words=0.5)
    )
    given = score(found, fitted).reasons
    assert 1 <= len(given) <= 3
    assert all(reason.weight > 0 for reason in given)
    assert [abs(each.weight) for each in given] == sorted((abs(each.weight) for each in given), reverse=True)


def test_nothing_to_say_is_said() -> None:
    assert sentence((), features(came()).numbers, "en") == "Nothing about it stands out."
    assert sentence((), features(came()).numbers, "de") == "Nichts daran fällt auf."


def test_every_number_has_a_topic_and_every_topic_a_saying() -> None:
    topics = {topic_of(name) for name in (*features(came()).names, *WEIGHTS, "said")}
    assert {saying.topic for saying in SAYINGS} == {topic for topic, _ in TOPICS}
    assert topics <= {topic for topic, _ in TOPICS}
    assert len({saying.code for saying in SAYINGS}) == len(SAYINGS)


def test_the_rules_look_only_at_numbers_that_there_are() -> None:
    assert set(signs(features(came()).numbers)) == set(WEIGHTS)


# Habits


def test_what_was_met_seldom_is_drawn_towards_the_wider_share() -> None:
    habits, who = Habits(), ("sender", "mara")
    for day in range(100):
        habits.meet((ALL,), day * 86_400.0)
    habits.meet((ALL, who), 100 * 86_400.0)
    habits.act((ALL, who), 100 * 86_400.0)
    usual, theirs = habits.share((), 100 * 86_400.0), habits.share((who,), 100 * 86_400.0)
    assert usual < theirs < 0.25


def test_log_odds_stay_away_from_the_ends() -> None:
    assert log_odds(0.0) == log_odds(0.02)
    assert log_odds(1.0) == log_odds(0.95)
    assert share_of(log_odds(0.3)) == pytest.approx(0.3)
