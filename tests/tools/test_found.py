"""What was found, as it is shown: in which order, a page at a time, how much of a line, and how it was found."""

from dataclasses import replace

import pytest

from memory.contact import make
from memory.ledger import Tables
from memory.search.document import Document
from memory.search.found import Found, Group
from memory.search.opened import Opened
from memory.search.passage import Corpus, Hit
from memory.sql.ledger import SqlLedger
from tests.doubles.clock import NOW
from tests.doubles.familiar import acquainted
from tools.found import around, ask, how, in_order, page, passage


def hit(number: int, corpus: Corpus, score: float, line: str = "") -> Hit:
    return Hit(id=number, corpus=corpus, ref=f"{corpus}:{number}", who="Ben", title="", line=line, at=None, score=score)


def found(*hits: Hit, by: str = "words and meaning") -> Found:
    groups = {one.corpus: [each for each in hits if each.corpus == one.corpus] for one in hits}
    return Found(groups=tuple(Group(corpus=c, hits=tuple(some)) for c, some in groups.items()), by=by)  # type: ignore[arg-type]


def test_the_best_of_each_corpus_comes_first_if_it_is_worth_it() -> None:
    what = found(
        hit(1, "mail", 0.9), hit(2, "mail", 0.8), hit(3, "mail", 0.7), hit(4, "note", 0.5), hit(5, "file", 0.1)
    )
    assert [one.id for one in in_order(what)] == [1, 4, 2, 3, 5]
    assert in_order(Found()) == []


def test_a_page_keeps_the_corpora_together_and_loses_and_repeats_nothing() -> None:
    hits = in_order(found(hit(1, "mail", 0.9), hit(2, "mail", 0.8), hit(3, "note", 0.7), hit(4, "mail", 0.6)))
    assert [[one.id for one in group.hits] for group in page(hits, 0, 3)] == [[1, 2], [3]]
    assert [[one.id for one in group.hits] for group in page(hits, 3, 3)] == [[4]]
    assert page(hits, 9, 3) == ()


def test_a_long_line_is_shown_around_the_first_word_that_is_asked_for() -> None:
    line = "x " * 100 + "the Heron landed " + "y " * 100
    shown = around(line, "landed heron", 60)
    assert "Heron landed" in shown
    assert len(shown) <= 62
    assert (shown[0], shown[-1]) == ("…", "…")
    assert around("short", "heron", 60) == "short"
    assert around(line, "nonesuch", 60).startswith("x x")


def test_a_passage_begins_with_a_line_and_holds_the_place() -> None:
    lines = [f"line {number} of the letter" for number in range(500)]
    text = "\n".join(lines)
    start = text.index("line 250 ")
    opened = Opened(ref="mail:1", corpus="mail", who="", title="", text=text, at=None)
    shown = passage(opened, start, 600)
    assert "line 250 of" in shown
    assert shown.removeprefix("… ").startswith("line ")
    assert len(shown) <= 1.25 * 600 + 4
    assert passage(replace(opened, text="all of it\n"), 0, 600) == "all of it"
    assert passage(opened, 10**9, 600).endswith("line 499 of the letter")


@pytest.mark.parametrize(
    ("words", "by", "english", "german"),
    [
        ("zeppelin", "meaning", "nothing holds this word; this is nearest", "nichts enthält dieses Wort; das hier"),
        ("a zeppelin", "meaning", "nothing holds any of these words; this", "nichts enthält eines dieser Wörter; das"),
        ("car", "words and meaning", "found by words and meaning", "gefunden an Wörtern und Bedeutung"),
        ("car", "words", "found by words", "gefunden an Wörtern"),
    ],
)
def test_by_what_it_was_found_is_said(words: str, by: str, english: str, german: str) -> None:
    what = replace(found(hit(1, "mail", 0.9, "He bought a car."), by=by), share_embedded=1.0)
    assert next(how(what, words, "en")).startswith(english)
    assert next(how(what, words, "de")).startswith(german)


async def test_a_bare_number_is_shown_by_whose_it_is(ledger: SqlLedger) -> None:
    number = "+4915228817386"
    said = Document(corpus="imessage", ref="imessage:x/1", who=number, title="", text="the heron landed", at=NOW)

    def know(t: Tables) -> None:
        anna = make("Anna Winter", ("anna@mill.example",), "vcard", phones=(number,))
        t.contacts.keep(1, anna, key="x", now=NOW)
        t.search.put(1, [said, replace(said, ref="imessage:x/2", who="+4917698765432")], now=NOW)
        acquainted(t)

    await ledger.write(know)
    what = await ledger.read(lambda t: ask(t, 1, "heron", now=NOW))
    assert {one.who for one in what.hits} == {f"Anna Winter <{number}>", "+4917698765432"}
