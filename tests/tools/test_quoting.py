"""Of what a search found, only what may answer is quoted."""

from typing import cast

from memory.search.passage import Corpus, Hit
from tools.quoting import SAME_FROM, answers

WORDS = "The heron lands at noon, and whoever wants to see it has to be there an hour before"


def hit(number: int, line: str, *, corpus: str = "mail", who: str = "Anna") -> Hit:
    return Hit(
        id=number,
        corpus=cast(Corpus, corpus),
        ref=f"{corpus}:{number}",
        who=who,
        title="",
        line=line,
        at=None,
        place="",
        part=0,
        tags=(),
        score=1.0,
    )


def test_what_the_owner_asked_before_is_no_answer() -> None:
    asked = hit(1, "When does the heron land?", corpus="chat", who="you")
    theirs = hit(2, "When does the heron land?")
    told = hit(3, "The heron lands at noon", corpus="chat", who="you")
    assert answers([asked, theirs, told]) == [theirs, told]


def test_of_lines_that_say_the_same_the_first_is_told() -> None:
    first, cut, other = hit(1, WORDS), hit(2, f"{WORDS.upper()[: SAME_FROM + 20]}…"), hit(3, f"No: {WORDS}")
    assert answers([first, cut, other]) == [first, other]


def test_what_two_people_said_in_the_same_few_words_is_told_of_both() -> None:
    assert len(answers([hit(1, "On Friday, then.", who="Anna"), hit(2, "On Friday, then.", who="Jonas")])) == 2
    assert len(answers([hit(1, "?!"), hit(2, "?!")])) == 2
