"""Filters, forms of words and times, asked of a real index; and that it stays quick and right when words are common."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memory.ledger import Tables
from memory.mail import Address
from memory.search import plan
from memory.search.document import Document
from memory.sql import candidates
from memory.sql.ledger import SqlLedger
from tests.doubles.acquainted import keep, known, mail
from tests.doubles.clock import NOW


def a_note(name: str, text: str, **given: object) -> Document:
    usual = Document(corpus="note", ref=f"note:{name}", who="you", title="", text=text, at=NOW - timedelta(days=100))
    return replace(usual, **given)  # type: ignore[arg-type]


KEPT = (
    a_note("mill", "Die Häuser an der Straße gehören Frau Müller, die Rechnungen auch."),
    a_note("street", "The strasse houses; meetings were moved; Mueller pays the invoices."),
    a_note(
        "letter", "The rent is due.", corpus="mail", ref="mail:900", who="Anna Müller <anna@mill.example>",
        people=[("Bob Stone", "bob@stone.example")], place="work/Archive", tags=("pdf", "attachment"),
        at=datetime(2025, 12, 24, 12, tzinfo=UTC),
    ),
    a_note(
        "chat", "rent?", corpus="whatsapp", ref="whatsapp:t/1", who="Bob Stone", place="Family",
        at=NOW - timedelta(days=4),
    ),
    a_note("mine", "rent paid", corpus="whatsapp", ref="whatsapp:t/2", who="you", place="Family", by_owner=True, at=NOW),
    a_note("undated", "rent, undated", at=None),
)  # fmt: skip


@pytest.fixture
async def filled(ledger: SqlLedger) -> SqlLedger:
    await ledger.write(lambda t: t.search.put(1, KEPT, now=NOW))
    return ledger


async def found(ledger: SqlLedger, query: str) -> set[str]:
    return {hit.ref for hit in await ledger.read(lambda t: t.search.find(1, query, now=NOW))}


@pytest.mark.parametrize(
    ("query", "refs"),
    [
        ("haus", {"note:mill"}),
        ("Haeuser", {"note:mill"}),
        ("strasse", {"note:mill", "note:street"}),
        ("straße", {"note:mill", "note:street"}),
        ("muller", {"note:mill", "note:street", "mail:900"}),
        ("moving meeting", {"note:street"}),
        ("invoicing", {"note:street"}),
        ("invoic*", {"note:street"}),
        ('"meetings were moved"', {"note:street"}),
        ('"were meetings"', set()),
        ("rent from:anna", {"mail:900"}),
        ("rent from:mueller", {"mail:900"}),
        ("rent to:bob", {"mail:900"}),
        ("rent from:bob", {"whatsapp:t/1"}),
        ("from:bob", {"whatsapp:t/1"}),
        ("rent from:me", {"whatsapp:t/2"}),
        ("rent von:mir", {"whatsapp:t/2"}),
        ("rent in:whatsapp", {"whatsapp:t/1", "whatsapp:t/2"}),
        ("rent in:family", {"whatsapp:t/1", "whatsapp:t/2"}),
        ("rent in:work", {"mail:900"}),
        ("rent has:pdf", {"mail:900"}),
        ("has:pdf", {"mail:900"}),
        ("rent mit:anhang", {"mail:900"}),
        ("rent after:2026-01-01", {"whatsapp:t/1", "whatsapp:t/2"}),
        ("rent before:2026-01-01", {"mail:900"}),
        ("rent after:december before:2025-12-31", {"mail:900"}),
        ("after:2025-12-24 before:2025-12-25", {"mail:900"}),
        ("rent last week", {"whatsapp:t/1"}),
        ("Miete rent letzte Woche", {"whatsapp:t/1"}),
        ("rent today", {"whatsapp:t/2"}),
        ("last week", {"whatsapp:t/1"}),
        ("rent from:nobody", set()),
        ("rent in:telegram", set()),
        ("rent from:anna in:whatsapp", set()),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
async def test_what_is_asked_is_what_is_found(filled: SqlLedger, query: str, refs: set[str]) -> None:
    assert await found(filled, query) == refs


@pytest.mark.parametrize(
    ("query", "first"),
    [("mueller invoice", "note:street"), ("Müller Rechnung", "note:mill"), ("move house", "note:street")],
)
async def test_what_holds_all_of_it_comes_first(filled: SqlLedger, query: str, first: str) -> None:
    assert (await filled.read(lambda t: t.search.find(1, query, now=NOW)))[0].ref == first


async def test_a_time_that_leads_nowhere_is_let_go_and_said_so(filled: SqlLedger) -> None:
    answer = await filled.read(lambda t: t.search.grouped(1, "meetings yesterday", now=NOW))
    assert [hit.ref for hit in answer.hits] == ["note:street"]
    assert answer.is_of_any_time


async def test_the_words_of_a_time_that_is_let_go_find_nothing_of_their_own(ledger: SqlLedger) -> None:
    said = [("Jonas Weber", f"The lease of house {number} is signed.") for number in range(25)]
    said += [("Anna Winter", f"Last week was long, week {number} of them.") for number in range(25)]
    documents = [a_note(f"{number}", text, who=who) for number, (who, text) in enumerate(said)]
    await ledger.write(lambda t: t.search.put(1, documents, now=NOW))
    answer = await ledger.read(lambda t: t.search.grouped(1, "what did Jonas say last week", now=NOW))
    assert answer.is_of_any_time
    assert {hit.who for hit in answer.hits} == {"Jonas Weber"}


async def test_a_preferred_time_comes_first_and_hides_nothing(filled: SqlLedger) -> None:
    hits = await filled.read(lambda t: t.search.find(1, "rent in December", now=NOW))
    assert hits[0].ref == "mail:900"
    assert len(hits) == 4


async def test_filters_alone_show_the_newest_first(filled: SqlLedger) -> None:
    hits = await filled.read(lambda t: t.search.find(1, "in:whatsapp", now=NOW))
    assert [hit.ref for hit in hits] == ["whatsapp:t/2", "whatsapp:t/1"]


async def test_keys_of_filters_are_no_words(filled: SqlLedger) -> None:
    for key in ("cmail", "m202512", "y2025", "xpdf", "mine"):
        assert await found(filled, key) == set()


async def test_an_answer_comes_in_groups(filled: SqlLedger) -> None:
    answer = await filled.read(lambda t: t.search.grouped(1, "rent", each=1, now=NOW))
    assert {group.corpus: len(group.hits) for group in answer.groups} == {"note": 1, "mail": 1, "whatsapp": 1}
    assert answer.by == "words"
    assert answer.share_embedded == 0.0


# --- words that stand everywhere ---


@pytest.fixture
async def crowded(ledger: SqlLedger, monkeypatch: pytest.MonkeyPatch) -> SqlLedger:
    """A store in which the limits are a hundredth of what they are, and a word that is in every mail of five years."""
    monkeypatch.setattr(candidates, "RANKED_MAX", 150)
    monkeypatch.setattr(candidates, "NEWEST", 30)
    monkeypatch.setattr(candidates, "POOL", 20)
    monkeypatch.setattr(candidates, "OF_A_CORPUS", 5)
    monkeypatch.setattr(plan, "SOME_MAX", 200)
    mails = [
        a_note("x", f"the meeting number{n}", corpus="mail", ref=f"mail:{n}", at=datetime(2020 + n % 5, 1 + n % 12, 5, tzinfo=UTC))
        for n in range(600)
    ]  # fmt: skip
    await ledger.write(lambda t: t.search.put(1, [*mails, *KEPT], now=NOW))
    await ledger.write(
        lambda t: t.search.put(
            1, [a_note("old", "A meeting in the barn.", at=datetime(2019, 3, 1, tzinfo=UTC))], now=NOW
        )
    )
    return ledger


async def test_of_a_word_in_every_mail_the_newest_are_shown_whatever_the_order_of_import(crowded: SqlLedger) -> None:
    hits = await crowded.read(lambda t: t.search.find(1, "meeting", corpora=("mail",), now=NOW))
    assert len(hits) == 10
    assert {hit.at.year for hit in hits if hit.at} == {2024}


async def test_within_a_stretch_of_time_it_is_looked_for_there(crowded: SqlLedger) -> None:
    hits = await crowded.read(lambda t: t.search.find(1, "meeting before:2021-01-01 after:2020-01-01", now=NOW))
    assert {hit.at.year for hit in hits if hit.at} == {2020}
    assert len(hits) == 10


async def test_what_many_wrote_of_and_nobody_of_late_is_found(crowded: SqlLedger) -> None:
    mails = [
        a_note("x", "the harvest", corpus="mail", ref=f"mail:{1000 + n}", at=datetime(2011, 9, 1, tzinfo=UTC))
        for n in range(200)
    ]
    await crowded.write(lambda t: t.search.put(1, mails, now=NOW))
    hits = await crowded.read(lambda t: t.search.find(1, "harvest", now=NOW))
    assert len(hits) == 10


async def test_a_phrase_of_function_words_is_found_where_it_is_newest(
    crowded: SqlLedger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plan, "COMMON_PHRASE", 2)
    parts = [a_note("x", "it is in the barn", corpus="mail", ref=f"mail:{2000 + n}") for n in range(3)]
    await crowded.write(lambda t: t.search.put(1, [*parts, a_note("y", "in it is the barn")], now=NOW))
    assert await found(crowded, '"is in the"') == {"mail:2000", "mail:2001", "mail:2002"}


async def test_the_one_note_among_hundreds_of_mails_is_there(crowded: SqlLedger) -> None:
    answer = await crowded.read(lambda t: t.search.grouped(1, "meeting", now=NOW))
    assert {group.corpus for group in answer.groups} == {"mail", "note"}
    assert "note:old" in {hit.ref for hit in answer.hits}


async def test_a_rare_word_beside_it_decides(crowded: SqlLedger) -> None:
    hits = await crowded.read(lambda t: t.search.find(1, "meeting number17", now=NOW))
    assert hits[0].ref == "mail:17"
    hits = await crowded.read(lambda t: t.search.find(1, "meeting barn", now=NOW))
    assert hits[0].ref == "note:old"


async def test_a_new_word_is_known_at_once(crowded: SqlLedger, database: Path) -> None:
    assert await found(crowded, "kingfisher") == set()
    await crowded.write(lambda t: t.search.put(1, [a_note("bird", "a kingfisher")], now=NOW))
    assert await found(crowded, "kingfisher") == {"note:bird"}


# --- talks ---


async def test_an_answer_is_found_by_the_question_before_it_unless_a_night_lies_between(ledger: SqlLedger) -> None:
    def turn(number: int, minutes: int, text: str) -> Document:
        at = NOW + timedelta(minutes=minutes)
        return a_note("x", text, corpus="telegram", ref=f"telegram:t/{number}", who="Ann", at=at, place="Ann")

    talk = [turn(1, 0, "where is the zeppelin"), turn(2, 1, "big hangar"), turn(3, 60 * 20, "good morning")]
    elsewhere = replace(talk[1], ref="telegram:u/1", place="Ben")
    await ledger.write(lambda t: t.search.put(1, [*talk, elsewhere], now=NOW))
    hits = await ledger.read(lambda t: t.search.find(1, "where is the zeppelin?", now=NOW))
    assert [hit.ref for hit in hits] == ["telegram:t/1", "telegram:t/2"]


async def test_a_phrase_finds_what_holds_it_and_not_what_was_said_around_it(ledger: SqlLedger) -> None:
    talk = [
        a_note(
            f"t{at}", text, corpus="whatsapp", ref=f"whatsapp:c/{at}", place="Ida", at=NOW - timedelta(minutes=9 - at)
        )
        for at, text in enumerate(("Are they at the dry cleaner?", "Yes, until tomorrow.", "Great."))
    ]
    await ledger.write(lambda t: t.search.put(1, talk, now=NOW))
    assert await found(ledger, '"dry cleaner"') == {"whatsapp:c/0"}
    assert "whatsapp:c/1" in await found(ledger, "are they at the dry cleaner")


async def unmet(ledger: SqlLedger, query: str) -> list[tuple[str, str, str]]:
    answer = await ledger.read(lambda t: t.search.grouped(1, query, each=5, now=NOW))
    return [(one.kind, one.name, one.value) for one in answer.unmet]


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("rent after:easterish", [("after", "after", "easterish")]),
        ("rent after:march", []),
        ("rent after:last week", []),
        ("has:unicorn", [("has", "has", "unicorn")]),
        ("rent mit:einhorn", [("has", "mit", "einhorn")]),
        ("zeppelin has:pdf", []),
        ("in:whatapp", [("in", "in", "whatapp")]),
        ("in:family zeppelin", []),
        ("von:nobody rent", [("from", "von", "nobody")]),
        ("to:bob zeppelin", []),
        ("an:niemand", [("to", "an", "niemand")]),
        ("rent from: anna", [("from", "from", "")]),
        ('rent from:"', [("from", "from", "")]),
        ("rent from:\x00", [("from", "from", "")]),
        ("fron:anna rent", [("mistyped", "fron", "")]),
        ("https://rent.example note:this", []),
        ("rent -paid", [("without", "", "paid")]),
        ("well-paid rent - paid", []),
    ],
)
async def test_a_filter_that_nobody_understands_or_nothing_meets_is_said(
    filled: SqlLedger, query: str, told: list[tuple[str, str, str]]
) -> None:
    assert await unmet(filled, query) == told


async def test_the_value_that_nobody_understands_is_not_looked_for_beside_other_words(filled: SqlLedger) -> None:
    await filled.write(lambda t: t.search.put(1, [a_note("easter", "All about easterish.")], now=NOW))
    assert await found(filled, "rent after:easterish") == await found(filled, "rent")
    assert await found(filled, "after:easterish") == {"note:easter"}


async def test_a_time_of_several_words_needs_no_quotes(filled: SqlLedger) -> None:
    assert await found(filled, "rent after:last week") == await found(filled, 'rent after:"last week"')
    assert await found(filled, "rent after:last week") != await found(filled, "rent")


async def test_a_name_filters_by_the_numbers_and_addresses_of_the_person_too(ledger: SqlLedger) -> None:
    texts = [
        a_note("a", "the curtains", corpus="imessage", ref="imessage:1/1", who="+4917012345678", place="+4917012345678"),
        a_note("b", "the curtains", corpus="imessage", ref="imessage:1/2", who="+4917000000000", place="+4917000000000"),
        a_note(
            "c", "the curtains", corpus="mail", ref="mail:901", who="you", by_owner=True,
            people=[("", "ida@mill.example")],
        ),
    ]  # fmt: skip
    await ledger.write(lambda t: t.search.put(1, texts, now=NOW))
    assert await found(ledger, "curtains from:ida") == set()

    await keep(ledger, mail("hello", Address("Ida Wolf", "ida@mill.example")))
    ida = await known(ledger, "ida@mill.example")

    def same(t: Tables) -> None:
        number = t.people.note(1, "phone", "+4917012345678", name="", at=NOW, now=NOW)
        assert number is not None
        other = t.people.of_identity(1, number.id)
        assert other is not None
        t.people.join(1, ida.id, other.id, because="the owner said so", now=NOW)

    await ledger.write(same)
    assert await found(ledger, "curtains from:ida") == {"imessage:1/1"}
    assert await found(ledger, "from:ida") >= {"imessage:1/1"}
    assert await found(ledger, 'curtains to:"ida wolf"') == {"mail:901"}
