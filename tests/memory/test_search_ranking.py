"""How passages are ordered: by what they hold, by what was said around them, by their meaning, and by corpus."""

from dataclasses import replace
from datetime import timedelta

import pytest

from memory.search.fusion import SEVERAL, certainty, fused
from memory.search.passage import Corpus, Hit
from memory.search.plan import COMMON_PHRASE, RANKED_MAX, SOME_MAX, Known, date_keys, newest_keys, stages
from memory.search.query import Asks, Term
from memory.search.ranking import Candidate, Weighed, weigh, weighing
from memory.search.sharing import grouped
from memory.search.sought import sought
from memory.search.stretch import Stretch
from tests.doubles.clock import NOW


def known(*words: str, documents: int = 5, **variants: float) -> list[Known]:
    return [Known(term=Term((word,)), variants={word: 1.0, **variants}, documents=documents) for word in words]


def a_turn(number: int, text: str, **given: object) -> Candidate:
    usual: dict[str, object] = {
        "id": number, "corpus": "whatsapp", "who": "Ann", "title": "", "text": text, "people": "", "place": "", "at": NOW,
    }  # fmt: skip
    return Candidate(**{**usual, **given})  # type: ignore[arg-type]


def order(terms: list[Known], *candidates: Candidate, asks: Asks = "", prefers: Stretch | None = None) -> list[int]:
    scores = weigh(weighing(terms, 1000, asks=asks, prefers=prefers), {one.id: one for one in candidates})
    return sorted((one for one in scores if scores[one].score), key=lambda one: -scores[one].score)


def test_all_of_the_words_outweigh_many_of_one() -> None:
    assert order(known("rent", "key"), a_turn(1, "rent rent rent rent rent"), a_turn(2, "rent and key")) == [2, 1]


def test_the_rare_word_outweighs_the_common_one() -> None:
    terms = known("rent", documents=500) + known("zeppelin", documents=2)
    assert order(terms, a_turn(1, "rent"), a_turn(2, "zeppelin")) == [2, 1]


def test_a_title_outweighs_a_mention_and_a_quoted_line_weighs_less() -> None:
    found = order(
        known("rent"),
        a_turn(1, "the > rent here", corpus="mail"),
        a_turn(2, "see below\n> rent", corpus="mail"),
        a_turn(3, "see below thing", title="Rent", corpus="mail"),
    )
    assert found == [3, 1, 2]


def test_a_form_of_the_word_weighs_less_than_the_word_and_more_than_its_beginning() -> None:
    terms = known("rent", rents=0.85)
    assert order(terms, a_turn(1, "rental"), a_turn(2, "rents"), a_turn(3, "rent")) == [3, 2, 1]


def test_a_turn_answers_what_the_turn_before_it_asks() -> None:
    talk = (
        a_turn(1, "where is the zeppelin?", after=(2, 3)),
        a_turn(2, "in the big hangar", before=(1,), after=(3,), who="Ben"),
        a_turn(3, "great", before=(2, 1)),
        a_turn(9, "something else"),
    )
    assert order(known("zeppelin"), *talk) == [1, 2, 3]
    # Each alone holds half; together with the question the answer holds all.
    assert order(known("zeppelin", "hangar"), *talk)[0] == 2


def test_neighbours_count_in_talks_only() -> None:
    assert order(known("zeppelin"), a_turn(1, "zeppelin"), a_turn(2, "no", corpus="mail")) == [1]


def test_who_is_asked_about_comes_before_who_only_asks() -> None:
    terms = known("ben", "hangar")
    talk = a_turn(1, "Ben likes the hangar", who="Ann"), a_turn(2, "I like the hangar, says ben", who="Ben")
    assert order(terms, *talk)[0] == 2


def test_the_form_of_the_question_favours_an_answer_of_its_kind() -> None:
    when = a_turn(1, "we moved"), a_turn(2, "we moved last week, all of us did")
    assert order(known("moved"), *when)[0] == 1
    assert (
        order(
            known("moved"),
            a_turn(1, "we moved once again here"),
            a_turn(2, "we moved last summer, in june"),
            asks="when",
        )[0]
        == 2
    )
    many = a_turn(1, "some eggs left"), a_turn(2, "12 eggs left")
    assert order(known("eggs"), *many, asks="how many")[0] == 2


def test_what_lies_in_the_time_spoken_of_comes_first() -> None:
    march = Stretch(NOW, NOW + timedelta(days=31))
    old, new = (
        a_turn(1, "the rent", at=NOW - timedelta(days=400)),
        a_turn(2, "the rent again", at=NOW + timedelta(days=2)),
    )
    assert order(known("rent"), old, new) == [1, 2]
    assert order(known("rent"), old, new, prefers=march) == [2, 1]


def test_a_phrase_is_found_over_punctuation_and_line_ends_but_not_within_words() -> None:
    term = sought(Known(term=Term(("spare", "key"), "phrase"), variants={}, documents=1))
    assert [(start, end) for start, end, _ in term.places("the spare,\nkey")] == [(4, 14)]
    assert list(term.places("spare keys")) == list(term.places("aspare key")) == []


# --- the plan ---


def test_every_word_is_tried_before_beginnings_and_those_before_any() -> None:
    rent, due = known("rent", documents=5) + known("due", documents=2)
    matches = [stage.match for stage in stages([rent, due])]
    assert matches == [
        '- {keys} : ("due" AND "rent")', '- {keys} : ("due" * AND "rent" *)', '- {keys} : ("due" OR "rent")',
    ]  # fmt: skip


def test_the_rarest_words_are_kept() -> None:
    terms = [one for n in range(10) for one in known(f"w{n}", documents=100 - n)]
    assert stages(terms)[0].match == "- {keys} : (" + " AND ".join(f'"w{n}"' for n in range(9, 3, -1)) + ")"


def test_common_words_are_left_out_where_any_word_will_do() -> None:
    terms = known("zeppelin", documents=3) + known("meeting", documents=SOME_MAX)
    assert stages(terms)[-1].match == '- {keys} : ("zeppelin")'


def test_a_word_that_nobody_wrote_is_looked_for_as_a_beginning() -> None:
    (first, *_) = stages([Known(term=Term(("klempn",)), variants={}, documents=0)])
    assert first.match == '- {keys} : ("klempn" *)'


def test_a_question_of_many_words_is_not_looked_for_as_beginnings() -> None:
    terms = [one for word in ("who", "paid", "the", "rent") for one in known(word, documents=5)]
    assert len(stages(terms)) == 2
    assert not any("*" in stage.match for stage in stages(terms))
    assert any("*" in stage.match for stage in stages(terms[:3]))


def test_of_a_phrase_that_is_everywhere_the_newest_will_do() -> None:
    phrase = Term(("is", "in", "the"), "phrase")
    everywhere = Known(term=phrase, variants={}, documents=COMMON_PHRASE + 1)
    assert all(stage.is_common for stage in stages([everywhere]))
    assert not any(stage.is_common for stage in stages([replace(everywhere, documents=COMMON_PHRASE)]))
    assert not any(stage.is_common for stage in stages([everywhere, *known("rent", documents=5)]))


def test_the_forms_of_a_word_are_one_word() -> None:
    (first, *_) = stages(known("rent", rents=0.85))
    assert first.match == '- {keys} : (("rent" OR "rents"))'


MONTHS = {f"{year}{month:02}": 100 for year in range(2015, 2026) for month in range(1, 13)}


def test_a_stretch_of_time_is_covered_by_months_or_else_by_years() -> None:
    assert date_keys(None, None, MONTHS) == []
    assert date_keys(NOW.replace(year=2024, month=11), None, MONTHS)[0] == "m202411"
    assert len(date_keys(NOW.replace(year=2024, month=11), None, MONTHS)) == 14
    assert date_keys(NOW.replace(year=2016, month=5), None, MONTHS) == [f"y{year}" for year in range(2016, 2026)]
    assert date_keys(NOW.replace(year=1999), NOW.replace(year=2000), MONTHS) == ["m000000"]


def test_the_newest_months_are_taken_until_they_hold_enough() -> None:
    assert newest_keys(MONTHS, 250) == ["m202512", "m202511", "m202510"]
    within = Stretch(NOW.replace(year=2020, month=1), NOW.replace(year=2020, month=6))
    assert newest_keys(MONTHS, 150, within) == ["m202006", "m202005"]
    assert RANKED_MAX


# --- words and meaning ---


def test_what_holds_everything_outranks_the_nearest_meaning() -> None:
    words = {1: Weighed(3.0, 1.0)}
    scores = fused(words, {1: 0.2, 2: 0.9}, ideal=3.0, passages=1000)
    assert scores[1] > scores[2]


def test_a_stray_word_does_not_outrank_the_nearest_meaning_however_rare_it_is() -> None:
    words = {1: Weighed(7.0, 0.3, 1)}
    scores = fused(words, {1: 0.80, 2: 0.84, 3: 0.5}, ideal=23.0, passages=1000)
    assert scores[2] > scores[1] > scores[3]


def test_several_words_of_a_long_question_decide_though_they_are_a_small_share_of_it() -> None:
    words = {1: Weighed(14.0, 0.15, 5), 2: Weighed(3.0, 0.03, 1)}
    scores = fused(words, {1: 0.80, 2: 0.84, 3: 0.82}, ideal=100.0, passages=1000)
    assert max(scores, key=lambda each: scores[each]) == 1


def test_the_more_passages_there_are_the_more_must_be_told() -> None:
    half = Weighed(8.0, 0.5, 1)
    assert certainty(half, 16.0, 100) == 1.0
    assert certainty(half, 16.0, 10**6) == pytest.approx(0.25)
    assert certainty(Weighed(1.0, 1.0, 1), 1.0, 10**6) == 1.0
    assert certainty(Weighed(0.0, 0.0), 16.0, 1) == 0.0


def test_two_words_are_hardly_chance() -> None:
    one, two = Weighed(5.0, 0.3, 1), Weighed(5.0, 0.3, 2)
    assert certainty(one, 16.0, 1000) < 0.1 < certainty(two, 16.0, 1000) == SEVERAL


def test_a_passage_tells_how_many_of_the_terms_it_holds_itself() -> None:
    pattern = weighing(known("rent") + known("due") + known("zeppelin"), 100)
    first, second = a_turn(1, "the rent is due, the rent"), a_turn(2, "nothing")
    found = weigh(pattern, {1: first, 2: second})
    assert (found[1].terms, found[2].terms) == (2, 0)


def test_where_no_word_is_found_meaning_decides_alone() -> None:
    assert fused({}, {1: 0.5, 2: 0.9}, ideal=4.0, passages=10) == {1: 0.0, 2: 1.0}


def test_without_meanings_words_decide_alone() -> None:
    assert fused({1: Weighed(2.0, 1.0), 2: Weighed(0.0, 0.0)}, {}, ideal=2.0, passages=10) == {1: 1.0}


# --- by corpus ---


def a_hit(number: int, corpus: Corpus, score: float) -> Hit:
    return Hit(id=number, corpus=corpus, ref=f"{corpus}:{number}", who="", title="", line="", at=None, score=score)


def test_groups_come_in_the_order_of_their_best() -> None:
    hits = [
        a_hit(1, "note", 0.9),
        a_hit(2, "mail", 0.8),
        a_hit(3, "note", 0.7),
        a_hit(4, "mail", 0.6),
        a_hit(5, "mail", 0.5),
    ]
    groups = grouped(hits, 2)
    assert [(group.corpus, [hit.id for hit in group.hits]) for group in groups] == [("note", [1, 3]), ("mail", [2, 4])]


def test_beginnings_of_several_words_are_the_last_resort_and_of_one_word_are_not() -> None:
    assert [stage.is_last_resort for stage in stages(known("rent") + known("due"))] == [False, True, False]
    assert [stage.is_last_resort for stage in stages(known("rent"))] == [False, False]
