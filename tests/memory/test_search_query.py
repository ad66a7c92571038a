"""What somebody types: words, phrases, beginnings, filters and times, in English and German."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.search.chunking import LENGTH_MAX, WORDS_MAX, spans
from memory.search.filters import Filters
from memory.search.query import Query, Term, read_query
from memory.search.stems import beginning, spellings, stems

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


def read(text: str) -> Query:
    return read_query(text, now=NOW, zone=BERLIN)


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=BERLIN).astimezone(UTC)


def words(query: Query) -> list[str]:
    return [" ".join(term.words) for term in query.terms]


# --- filters ---


@pytest.mark.parametrize(
    ("text", "filters"),
    [
        ("from:anna", Filters(writers=(("anna",),))),
        ('von:"Anna Müller"', Filters(writers=(("anna", "muller"),))),
        ("from:anna from:müller", Filters(writers=(("anna",), ("muller",)))),
        ("from:me", Filters(by_owner=True)),
        ("von:mir", Filters(by_owner=True)),
        ("to:bob", Filters(others=(("bob",),))),
        ("an:bob", Filters(others=(("bob",),))),
        ("in:whatsapp", Filters(corpora=frozenset({"whatsapp"}))),
        ("in:notizen in:mail", Filters(corpora=frozenset({"note", "mail"}))),
        ('in:"Projects/Heron"', Filters(places=(("projects", "heron"),))),
        ("has:pdf", Filters(tags=("pdf",))),
        ("mit:foto", Filters(tags=("photo",))),
        ("after:2026-05-01", Filters(after_at=utc("2026-05-01"))),
        ("before:2026-05-01", Filters(before_at=utc("2026-05-01"))),
        ("after:march", Filters(after_at=utc("2026-03-01"))),
        ("nach:märz", Filters(after_at=utc("2026-03-01"))),
        ('before:"3 May 2024"', Filters(before_at=utc("2024-05-03"))),
        ("after:december", Filters(after_at=utc("2025-12-01"))),
        ("since:monday", Filters(after_at=utc("2026-11-30"))),
        ("after:2025", Filters(after_at=utc("2025-01-01"))),
        ("FROM:Anna", Filters(writers=(("anna",),))),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_filters_narrow(text: str, filters: Filters) -> None:
    query = read(f"rent {text}")
    assert query.filters == filters
    assert words(query) == ["rent"]


@pytest.mark.parametrize(
    "text", ["after:nonsense", "after:", "from:", "text:rent", "x:y", "http://in.example", "before:99999-01-01"]
)
def test_what_is_no_filter_is_looked_for(text: str) -> None:
    assert read(text).filters == Filters()
    assert read(text).terms


def test_filters_alone_are_a_query() -> None:
    query = read("in:whatsapp has:pdf")
    assert not query.is_empty
    assert query.terms == ()


def test_without_a_present_only_whole_dates_are_times() -> None:
    assert read_query("rent after:2026-05-01").filters.after_at == datetime(2026, 5, 1, tzinfo=UTC)
    assert read_query("rent after:march").filters == Filters()
    assert words(read_query("rent last week")) == ["rent", "last", "week"]


# --- times in words ---


@pytest.mark.parametrize(
    ("text", "left", "stretch"),
    [
        ("what did Anna say last week about rent", ["anna", "rent"], ("2026-11-23", "2026-11-30")),
        ("Miete letzte Woche", ["miete"], ("2026-11-23", "2026-11-30")),
        ("gestern Rechnung", ["rechnung"], ("2026-11-29", "2026-11-30")),
        ("yesterday", [], ("2026-11-29", "2026-11-30")),
        ("rent last month", ["rent"], ("2026-10-01", "2026-11-01")),
        ("photos from last year", ["photos"], ("2025-01-01", "2026-01-01")),
        ("rent since Friday", ["rent"], ("2026-11-27", "2026-12-01")),
        ("Miete seit März", ["miete"], ("2026-03-01", "2026-12-01")),
        ("rent since 2024", ["rent"], ("2024-01-01", "2026-12-01")),
        ("rent yesterday or today", ["rent"], ("2026-11-29", "2026-12-01")),
    ],
)
def test_a_time_that_looks_back_must_hold(text: str, left: list[str], stretch: tuple[str, str]) -> None:
    query = read(text)
    assert words(query) == left
    assert (query.filters.after_at, query.filters.before_at) == (utc(stretch[0]), utc(stretch[1]))


@pytest.mark.parametrize(
    ("text", "left", "stretch"),
    [
        ("Miete im März", ["miete"], ("2026-03-01", "2026-04-01")),
        ("budget March 2025", ["budget"], ("2025-03-01", "2025-04-01")),
        ("rent in December", ["rent"], ("2025-12-01", "2026-01-01")),
        ("rent three weeks ago", ["rent"], ("2026-11-09", "2026-11-16")),
        ("Miete vor zwei Monaten", ["miete"], ("2026-09-01", "2026-10-01")),
        ("rent after May", ["rent"], ("2026-06-01", "2026-12-01")),
        ("dentist next week", ["dentist"], ("2026-12-07", "2026-12-14")),
        ("Zahnarzt nächste Woche", ["zahnarzt"], ("2026-12-07", "2026-12-14")),
        ("dinner this Friday", ["dinner"], ("2026-12-04", "2026-12-05")),
    ],
)
def test_a_time_that_may_be_part_of_the_matter_is_only_preferred(
    text: str, left: list[str], stretch: tuple[str, str]
) -> None:
    query = read(text)
    assert words(query) == left
    assert query.filters == Filters()
    assert query.prefers is not None
    assert (query.prefers.from_at, query.prefers.to_at) == (utc(stretch[0]), utc(stretch[1]))
    assert all(term.is_optional for term in query.spoken)


@pytest.mark.parametrize("text", ["march", "may", "sun", "the rent of 950", "ten years ago", "next friday"])
def test_what_is_hardly_a_time_to_look_back_to_stays_a_word(text: str) -> None:
    query = read(text)
    assert query.filters == Filters()
    assert query.prefers is None
    assert query.terms


def test_a_time_that_is_let_go_is_looked_for_as_words_that_may_be_missing() -> None:
    query = read("what did Jonas say last week").untimed()
    assert query.filters == Filters()
    assert [term.words for term in query.terms if not term.is_optional] == [("jonas",)]
    assert [term.words for term in query.terms if term.is_optional] == [("say",), ("last",), ("week",)]


def test_a_time_alone_that_is_let_go_is_what_is_looked_for() -> None:
    assert read("yesterday").untimed().terms == (Term(("yesterday",)),)


def test_a_filter_outranks_the_words_of_a_time() -> None:
    assert read("rent last week after:2020-01-01").filters == Filters(after_at=utc("2020-01-01"))


# --- words ---


def test_phrases_and_beginnings_are_told_from_words() -> None:
    assert read('"spare key" plumb* nine').terms == (
        Term(("spare", "key"), "phrase"), Term(("plumb",), "beginning"), Term(("nine",)),
    )  # fmt: skip


def test_the_meaning_is_the_question_without_its_filters() -> None:
    assert read("in:mail  where is the  key?").meaning == "where is the key?"


@pytest.mark.parametrize(
    ("text", "asks"),
    [("when did she move", "when"), ("Wann kommt er?", "when"), ("how many eggs", "how many"), ("Wie viele Eier", "how many"),
     ("where is it now", "")],
)  # fmt: skip
def test_the_form_of_a_question_is_seen(text: str, asks: str) -> None:
    assert read(text).asks == asks


@given(st.text(max_size=200))
def test_any_text_can_be_read(text: str) -> None:
    assert isinstance(read(text), Query)


# --- spellings and stems ---


@pytest.mark.parametrize(
    ("typed", "written"),
    [("Müller", "mueller"), ("mueller", "muller"), ("muller", "mueller"), ("strasse", "straße"), ("Straße", "strasse"),
     ("Haeuser", "hauser"), ("Goethe", "gothe"), ("koeln", "koln")],
)  # fmt: skip
def test_umlauts_are_alike_however_they_are_written(typed: str, written: str) -> None:
    assert written in spellings(typed)


def test_a_word_of_many_vowels_has_few_spellings() -> None:
    assert len(spellings("donaudampfschifffahrtsgesellschaft")) < 20


@pytest.mark.parametrize(
    ("one", "other"),
    [("meeting", "meetings"), ("invoice", "invoices"), ("running", "run"), ("rechnung", "rechnungen"), ("haus", "hauser"),
     ("moved", "moving"), ("termin", "termine")],
)  # fmt: skip
def test_forms_of_a_word_share_a_stem_and_a_beginning(one: str, other: str) -> None:
    assert stems(one) & stems(other)
    assert other.startswith(beginning(one)) or one.startswith(beginning(other))


@pytest.mark.parametrize(("one", "other"), [("rent", "parent"), ("bus", "bu"), ("2026", "2027"), ("anna", "hanna")])
def test_other_words_share_none(one: str, other: str) -> None:
    assert not stems(one) & stems(other)


# --- passages ---


@given(st.text(alphabet="ab .\n\t!ü", max_size=6000))
def test_passages_tile_their_text(text: str) -> None:
    found = spans(text)
    assert "".join(text[start:end] for start, end in found) == text
    assert all(start < end for start, end in found) or text == ""
    assert all(end - start <= LENGTH_MAX for start, end in found)


@pytest.mark.parametrize("count", [1, 250, 251, 300, 399, 500, 5000])
def test_passages_of_prose_are_neither_long_nor_scraps(count: int) -> None:
    text = " ".join(f"w{n}" + ("." if n % 9 == 8 else "") + ("\n\n" if n % 40 == 39 else "") for n in range(count))
    sizes = [len(text[start:end].split()) for start, end in spans(text)]
    assert max(sizes) <= WORDS_MAX
    if count > WORDS_MAX:
        assert min(sizes) >= 50


def test_a_passage_ends_with_a_paragraph_where_it_can() -> None:
    text = "\n\n".join(f"{n} " + "word " * 90 for n in range(6))
    assert all(text[end - 1] == "\n" for _, end in spans(text)[:-1])
