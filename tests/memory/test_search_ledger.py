"""Finding: any text is a query, the best passage comes first, and its own line answers."""

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection

from memory.ledger import Tables
from memory.search.line import LENGTH, Finder, best_line
from memory.search.passage import Hit
from memory.search.query import words_of
from memory.sql.engine import writing_engine
from memory.sql.ledger import SqlLedger
from memory.sql.tables import SqlTables
from tests.doubles.clock import NOW
from tests.doubles.hand import hand
from tests.doubles.spoken import a_piece, hear

MAILS = {
    "plumber": ("Anna Müller", "Rohrbruch", "Der Klempner kommt am Dienstag um neun.\nGrüße, Anna"),
    "rent": ("Landlord", "Rent for March", "The rent of 950 euros is due on the 3rd."),
    "rental": ("Cars Ltd", "Your booking", "Rental car, automatic, two days. Nothing is due now."),
    "reply": ("Bob", "Re: the key", "> When does the plumber arrive?\nAround nine, and he has a key."),
    "quoting": ("Carl", "Re: spare key", "No idea.\n> the plumber arrives around nine with a key"),
}


@pytest.fixture
def filled(database: Path) -> Path:
    with hand(database) as connection:
        for ref, (who, title, text) in MAILS.items():
            connection.execute(
                "INSERT INTO passages (corpus, ref, who, title, text, at) VALUES ('mail', ?, ?, ?, ?, ?)",
                (ref, who, title, text, "2026-03-01T08:00:00.000Z"),
            )
    return database


@pytest.fixture
async def mails(filled: Path) -> Any:
    async with SqlLedger(filled) as opened:
        yield opened


async def found(ledger: SqlLedger, query: str, **given: Any) -> list[str]:
    return [hit.ref for hit in await ledger.read(lambda t: t.search.find(1, query, **given))]


@pytest.mark.parametrize(
    ("query", "first"),
    [
        pytest.param("muller", "plumber", id="umlaut left out"),
        pytest.param("Müller", "plumber", id="umlaut written"),
        pytest.param("muelle", "plumber", id="a beginning, umlaut written out"),
        pytest.param("mülle*", "plumber", id="a beginning, umlaut written"),
        pytest.param("MÜLLER", "plumber", id="in capitals"),
        pytest.param("Mu\u0308ller", "plumber", id="umlaut in two characters"),
        pytest.param("grusse grüße", "plumber", id="one word of two"),
        pytest.param("Klempn", "plumber", id="beginning of a word"),
        pytest.param("Wann kommt der Klempner?", "plumber", id="a question"),
        pytest.param("rent due", "rent", id="all words before some"),
        pytest.param("rent due automatic", "rental", id="as many as possible"),
        pytest.param("950", "rent", id="a number"),
        pytest.param("Landlord's rent", "rent", id="apostrophe"),
    ],
)
async def test_the_best_passage_comes_first(mails: SqlLedger, query: str, first: str) -> None:
    assert (await found(mails, query))[0] == first


async def test_what_holds_every_word_comes_before_what_holds_some(mails: SqlLedger) -> None:
    assert set(await found(mails, "plumber key nine")) == {"reply", "quoting"}
    assert set((await found(mails, "spare key nine rent"))[:1]) == {"quoting"}
    assert set(await found(mails, "klempner rent")) >= {"plumber", "rent"}


async def test_a_whole_word_comes_before_its_beginning(mails: SqlLedger) -> None:
    assert (await found(mails, "rent"))[:2] == ["rent", "rental"]


async def test_a_word_that_nobody_wrote_does_not_hide_the_others(mails: SqlLedger) -> None:
    assert (await found(mails, "rent xylophone"))[0] == "rent"
    assert await found(mails, "xylophone") == []


async def test_the_line_that_answers_is_the_writers_own_and_not_the_quoted_one(mails: SqlLedger) -> None:
    hits = await mails.read(lambda t: t.search.find(1, "plumber nine key"))
    lines = {hit.ref: hit.line for hit in hits}
    assert lines["reply"] == "Around nine, and he has a key."
    assert lines["quoting"] == "> the plumber arrives around nine with a key"


async def test_a_hit_says_who_when_and_where_from(mails: SqlLedger) -> None:
    (hit, *_) = await mails.read(lambda t: t.search.find(1, "950 euros"))
    assert (hit.corpus, hit.ref, hit.who, hit.title, hit.line) == (
        "mail",
        "rent",
        "Landlord",
        "Rent for March",
        "The rent of 950 euros is due on the 3rd.",
    )
    assert hit.at is not None
    assert hit.at.isoformat() == "2026-03-01T08:00:00+00:00"


async def test_a_question_is_not_its_own_answer(ledger: SqlLedger) -> None:
    def life(t: Tables) -> tuple[list[Hit], list[Hit], str]:
        t.pieces.say(a_piece(text="The spare key is under the blue pot.", findable=True), now=NOW)
        question, *_ = hear(t, "where is the spare key?")
        ref = f"message:{question.id}"
        return t.search.find(1, question.text), t.search.find(1, question.text, before_ref=ref, limit=1), ref

    with_itself, without, ref = await ledger.write(life)
    assert ref in {hit.ref for hit in with_itself}
    assert [hit.line for hit in without] == ["The spare key is under the blue pot."]


async def test_a_corpus_that_is_not_asked_for_is_left_out_and_hides_nothing(ledger: SqlLedger, database: Path) -> None:
    await ledger.write(lambda t: hear(t, "the rent is paid by standing order, and the landlord knows"))
    with hand(database) as connection:
        connection.executemany(
            "INSERT INTO passages (corpus, ref, who, title, text) VALUES ('mail', ?, 'x', 'Rent', 'rent rent rent')",
            [(f"mail:{number}",) for number in range(300)],
        )
    assert await found(ledger, "rent", corpora=("chat",)) == ["message:1"]
    assert len(await found(ledger, "rent", corpora=("mail",))) == 10
    assert await found(ledger, "rent", corpora=()) == []


async def test_another_owners_passages_are_never_found(ledger: SqlLedger, database: Path) -> None:
    with hand(database) as connection:
        connection.execute(
            "INSERT INTO passages (owner_id, corpus, ref, who, title, text) VALUES (2, 'mail', 'm', 'x', '', 'rent')"
        )
    assert await found(ledger, "rent") == []


async def test_no_more_are_found_than_asked_for(mails: SqlLedger) -> None:
    assert len(await found(mails, "key nine rent due", limit=2)) == 2


# --- any text at all ---


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory, _blank_database: Path) -> Any:
    path = tmp_path_factory.mktemp("search") / "stillbell.db"
    path.write_bytes(_blank_database.read_bytes())
    with hand(path) as connection:
        connection.execute(
            "INSERT INTO passages (corpus, ref, who, title, text) VALUES ('mail', 'm', 'NEAR', 'OR', 'AND NOT rent 9')"
        )
    engine = writing_engine(path)
    connection: Connection = engine.connect()
    yield SqlTables(connection)
    connection.close()
    engine.dispose()


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(query=st.text(max_size=60))
@example('" OR *')
@example("NEAR(")
@example("NEAR(a b, 5)")
@example("rent*")
@example("text:rent")
@example("-rent ^rent {a b}: c + d")
@example("'; DROP TABLE passages; --")
@example("AND OR NOT")
@example('"')
@example("\x00")
@example("\ud800")
@example("a" * 2000)
@example("x_y ___ ٣ ½ ﬁ İ")
def test_any_text_is_a_query(tables: SqlTables, query: str) -> None:
    assert isinstance(tables.search.find(1, query), list)


@pytest.mark.parametrize("query", ["", " ", "?!", '"', "*", "()", "...", "—"])
async def test_a_query_without_words_finds_nothing(mails: SqlLedger, query: str) -> None:
    assert await found(mails, query) == []


async def test_words_that_are_operators_elsewhere_are_words_here(mails: SqlLedger) -> None:
    assert (await found(mails, "klempner NEAR rent"))[:1] != []
    assert await found(mails, "title:rent text:due") != []


# --- how it looks for them ---


def test_function_words_count_only_when_there_is_nothing_else() -> None:
    assert words_of("Where is the rent, and when?") == ("rent",)
    assert words_of("wer ist das") == ("wer", "ist", "das")
    assert words_of("Rent rent RENT") == ("rent",)
    assert words_of("Straße Übung café") == ("straße", "ubung", "cafe")


def spans_of(*words: str) -> Finder:
    return lambda text: [found.span() for word in words for found in re.finditer(word, text)]


def test_a_long_line_is_cut_around_the_answer() -> None:
    line = "before " * 100 + "the plumber comes " + "after " * 100
    cut, (start, end) = best_line(line, spans_of("plumber"))
    assert "plumber" in cut
    assert len(cut) <= LENGTH + 2
    assert cut[0] == cut[-1] == "…"
    assert line[start:end] == cut.strip("…")
    assert best_line("", spans_of("plumber")) == best_line(" \n ", spans_of("x")) == ("", (0, 0))


def test_what_a_mail_program_broke_is_shown_whole() -> None:
    head = "Anna, just a note to say that I have heard how hard you are working"
    text = f"Hello,\r\n{head}\r\non the plumber.\r\n- and the list stays a list\r\n\r\n{head}\r\n\r\nthe other plumber"
    line, (start, end) = best_line(text, spans_of("plumber", "working"))
    assert line == f"{head}  on the plumber."
    assert text[start:end] == f"{head}\r\non the plumber."


def test_short_lines_stay_lines() -> None:
    assert best_line("Ben\nthe plumber\nAnna", spans_of("plumber"))[0] == "the plumber"
    assert best_line(f"{'x' * 70}\n> the plumber", spans_of("plumber"))[0] == "> the plumber"


@pytest.mark.parametrize("head", ["Subject: the plumber", "Betreff: the plumber", "To: the plumber", "> the plumber"])
def test_the_head_of_a_quoted_mail_answers_only_when_nothing_else_does(head: str) -> None:
    assert best_line(f"{head}\nthe plumber comes", spans_of("plumber"))[0] == "the plumber comes"
    assert best_line(f"{head}\nnobody comes", spans_of("plumber"))[0] == head


def test_a_line_is_cut_between_words() -> None:
    line = "elephants " * 60 + "plumber " + "giraffes " * 60
    shown, (start, end) = best_line(line, spans_of("plumber"))
    assert set(shown.strip("…").split()) == {"elephants", "plumber", "giraffes"}
    assert line[start:end] == shown.strip("…")
    assert len(best_line("x" * 500 + "plumber" + "y" * 500, spans_of("plumber"))[0]) == LENGTH + 2


def test_a_sentence_answers_before_a_greeting() -> None:
    assert best_line("Dear plumber,\nthe rent is due on the first of May", spans_of("plumber", "rent"))[0].startswith(
        "the rent"
    )
    assert best_line("Dear plumber,\nsee you", spans_of("plumber"))[0] == "Dear plumber,"


def test_of_a_long_line_the_part_is_shown_that_holds_most() -> None:
    line = "plumber " + "before " * 100 + "the plumber and the rent " + "after " * 100
    shown, _ = best_line(line, spans_of("plumber", "rent"))
    assert "the plumber and the rent" in shown


def test_a_long_line_that_ends_with_the_answer_is_not_said_to_go_on() -> None:
    line = "before " * 100 + "the plumber comes."
    assert best_line(line, spans_of("plumber"))[0].endswith("the plumber comes.")
