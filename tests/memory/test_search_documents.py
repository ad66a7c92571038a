"""The door of the search: what is handed in is found, quoted where it stands, and followed through edits and deletions."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from memory.exclusion import Exclusions, read_exclusions
from memory.search.document import REF_MAX, Document, Put, person_of
from memory.sql.ledger import SqlLedger
from memory.sql.passages import AT_ONCE, FEW
from tests.doubles.clock import NOW
from tests.doubles.hand import hand, rows

PLAN = Document(
    corpus="note",
    ref="note:plans/heron",
    who="you",
    title="Heron",
    text="The heron lives by the mill.\nIt eats frogs.",
    at=NOW,
    place="plans/heron.md",
    people=[("Anna Müller", "anna@mill.example"), ("Bob", "")],
    tags=("link", "PDF"),
    by_owner=True,
)
LONG = replace(
    PLAN,
    ref="note:long",
    text="\n\n".join(f"Paragraph {n}: " + " ".join(f"word{n}x{m}" for m in range(60)) for n in range(20)),
)


SEGMENTS = "SELECT count(DISTINCT segid) FROM passages_fts_idx"
"""Of full text: each is looked through at every search, and merging them is most of the work of an import."""


def numbered(count: int) -> list[Document]:
    return [replace(PLAN, ref=f"note:{n}", text=f"number{n} of many") for n in range(count)]


async def put(ledger: SqlLedger, *documents: Document) -> Put:
    return await ledger.write(lambda t: t.search.put(1, documents, now=NOW))


async def refs(ledger: SqlLedger, query: str, **given: Any) -> list[str]:
    return [hit.ref for hit in await ledger.read(lambda t: t.search.find(1, query, **given))]


async def test_what_was_handed_in_is_found_with_who_when_and_where_from(ledger: SqlLedger) -> None:
    assert await put(ledger, PLAN) == Put(new=1)
    (hit,) = await ledger.read(lambda t: t.search.find(1, "frogs"))
    assert (hit.corpus, hit.ref, hit.who, hit.title, hit.at, hit.place, hit.part, hit.tags) == (
        "note", "note:plans/heron", "you", "Heron", NOW, "plans/heron.md", 0, ("link", "pdf"),
    )  # fmt: skip
    assert hit.line == "It eats frogs."


async def test_the_span_of_a_hit_is_where_its_line_stands_in_the_whole_text(ledger: SqlLedger) -> None:
    await put(ledger, LONG)
    (hit,) = await ledger.read(lambda t: t.search.find(1, "word17x59"))
    assert hit.part > 0
    start, end = hit.span
    assert LONG.text[start:end] == hit.line.strip("…")
    assert "word17x59" in hit.line


async def test_a_document_is_one_hit_however_many_of_its_passages_answer(ledger: SqlLedger) -> None:
    await put(ledger, LONG)
    assert await refs(ledger, "paragraph") == ["note:long"]


async def test_the_same_again_changes_nothing(ledger: SqlLedger, database: Path) -> None:
    await put(ledger, PLAN, LONG)
    before = rows(database, "SELECT * FROM passages")
    assert await put(ledger, PLAN, LONG) == Put(same=2)
    assert rows(database, "SELECT * FROM passages") == before


async def test_an_edit_touches_only_the_passages_that_changed(ledger: SqlLedger, database: Path) -> None:
    await put(ledger, LONG)
    before = dict(rows(database, "SELECT part, id FROM passages"))
    with hand(database) as connection:
        connection.execute("CREATE TRIGGER untouched BEFORE UPDATE ON passages WHEN OLD.part IN (1, 2) "
                           "BEGIN SELECT RAISE(ABORT, 'touched'); END")  # fmt: skip
    edited = replace(LONG, text=LONG.text + "\n\nAt the very end, a kingfisher.")
    assert await put(ledger, edited) == Put(changed=1)
    after = dict(rows(database, "SELECT part, id FROM passages"))
    assert {part: after[part] for part in before} == before
    assert await refs(ledger, "kingfisher") == ["note:long"]
    assert await ledger.read(lambda t: t.search.text(1, "note:long")) == edited.text


@pytest.mark.parametrize("document", [PLAN, LONG, replace(PLAN, at=None, tags=(), people=(), by_owner=False)])
async def test_an_edit_undone_leaves_what_was_there(ledger: SqlLedger, database: Path, document: Document) -> None:
    everything = "SELECT * FROM passages ORDER BY part"
    await put(ledger, document)
    first = rows(database, everything)
    edited = replace(document, who="Bob", title="Else", text="Short.", at=NOW + timedelta(days=1), tags=("new",))
    await put(ledger, edited)
    assert rows(database, everything) != first
    await put(ledger, document)
    again = rows(database, everything)
    assert [row[1:] for row in again] == [row[1:] for row in first]


async def test_of_many_at_once_each_is_kept_and_found(ledger: SqlLedger, database: Path) -> None:
    several = numbered(AT_ONCE[-1] + AT_ONCE[1] + 3)
    assert await put(ledger, *several) == Put(new=len(several))
    assert rows(database, "SELECT count(*) FROM passages") == [(len(several),)]
    for n in (0, AT_ONCE[-1], len(several) - 1):
        assert await refs(ledger, f"number{n}") == [f"note:{n}"]
    # Full text raises when it is not what the passages hold.
    rows(database, "INSERT INTO passages_fts (passages_fts, rank) VALUES ('integrity-check', 1)")


async def test_many_at_once_become_one_segment_of_full_text(ledger: SqlLedger, database: Path) -> None:
    await put(ledger, *numbered(1500))
    assert rows(database, SEGMENTS) == [(1,)]


@pytest.mark.parametrize("what", ["new", "changed", "dropped"])
async def test_what_imports_have_left_to_merge_is_merged_with_what_comes_after_them(
    ledger: SqlLedger, database: Path, what: str
) -> None:
    several = numbered(20 * (FEW + 1))
    for start in range(0, len(several), FEW + 1):
        await put(ledger, *several[start : start + FEW + 1])
    assert rows(database, SEGMENTS) == [(20,)]
    if what == "dropped":
        await ledger.write(lambda t: t.search.drop(1, ["note:0"], now=NOW))
    else:
        await put(ledger, PLAN if what == "new" else replace(several[0], text="another text"))
    assert rows(database, SEGMENTS) < [(10,)]
    assert await refs(ledger, "number1299") == ["note:1299"]
    rows(database, "INSERT INTO passages_fts (passages_fts, rank) VALUES ('integrity-check', 1)")


async def test_a_text_that_became_shorter_leaves_no_passage_behind(ledger: SqlLedger, database: Path) -> None:
    await put(ledger, LONG)
    await put(ledger, replace(LONG, text="Short now."))
    assert rows(database, "SELECT part, text FROM passages") == [(0, "Short now.")]
    assert await refs(ledger, "word17x59") == []


async def test_what_is_dropped_can_not_be_found(ledger: SqlLedger, database: Path) -> None:
    await put(ledger, PLAN, LONG)
    assert await ledger.write(lambda t: t.search.drop(1, ["note:long", "note:never"], now=NOW)) == 1
    assert await refs(ledger, "word17x59") == []
    assert rows(database, "SELECT DISTINCT ref FROM passages") == [("note:plans/heron",)]


async def test_a_source_is_followed_whole(ledger: SqlLedger) -> None:
    first = [replace(PLAN, corpus="whatsapp", ref=f"whatsapp:a/{n}", text=f"message{n}") for n in range(3)]
    other = replace(PLAN, corpus="whatsapp", ref="whatsapp:ab/0", text="message0 elsewhere")
    await put(ledger, *first, other)
    second = [
        first[0],
        replace(first[1], text="message1 as edited"),
        replace(first[0], ref="whatsapp:a/9", text="nine"),
    ]
    done = await ledger.write(lambda t: t.search.replace(1, "whatsapp:a/", second, now=NOW))
    assert done == Put(new=1, changed=1, same=1, dropped=1)
    kept = await ledger.read(lambda t: t.search.refs(1, "whatsapp:a/"))
    assert set(kept) == {"whatsapp:a/0", "whatsapp:a/1", "whatsapp:a/9"}
    assert kept["whatsapp:a/0"] == first[0].fingerprint
    assert "whatsapp:ab/0" in await ledger.read(lambda t: t.search.refs(1, "whatsapp:"))


async def test_a_source_takes_in_only_its_own(ledger: SqlLedger) -> None:
    with pytest.raises(ValueError, match="is not under"):
        await ledger.write(lambda t: t.search.replace(1, "whatsapp:a/", [PLAN], now=NOW))


async def test_of_two_under_one_ref_the_later_counts(ledger: SqlLedger) -> None:
    assert await put(ledger, PLAN, replace(PLAN, text="Only this.")) == Put(new=1)
    assert await ledger.read(lambda t: t.search.text(1, PLAN.ref)) == "Only this."


@pytest.mark.parametrize("text", ["", " \n ", "a\ud800b", "\x00 nul", "x" * 20_000, "ü" * 5_000, "\r\n" * 3_000])
async def test_any_text_is_kept_and_given_back(ledger: SqlLedger, text: str) -> None:
    await put(ledger, replace(PLAN, text=text, who="\ud800", title="\ud800", place="\udfff"))
    kept = await ledger.read(lambda t: t.search.text(1, PLAN.ref))
    assert kept == text.encode("utf-8", "replace").decode()


@pytest.mark.parametrize("ref", ["", "note", "note:", ":x", "note:" + "x" * REF_MAX])
def test_a_ref_names_its_kind_and_itself(ref: str) -> None:
    with pytest.raises(ValueError, match="a ref is"):
        replace(PLAN, ref=ref)


@pytest.mark.parametrize(
    "change",
    [
        {"text": "other"}, {"title": "other"}, {"who": "other"}, {"place": "other"}, {"tags": ()}, {"people": ()},
        {"at": NOW + timedelta(seconds=1)}, {"at": None}, {"by_owner": False}, {"people": [("Anna Müller", "anna@mill.example")]},
    ],
    ids=str,
)  # fmt: skip
def test_the_fingerprint_sees_every_change(change: dict[str, Any]) -> None:
    assert replace(PLAN, **change).fingerprint != PLAN.fingerprint


@pytest.mark.parametrize(
    ("who", "told"),
    [
        ("Anna M <a@b.example>", ("Anna M", "a@b.example")),
        ("a@b.example", ("", "a@b.example")),
        ("Anna", ("Anna", "")),
        ("<a@b.example>", ("", "a@b.example")),
        ("x < y", ("x < y", "")),
    ],
)
def test_a_writer_is_a_name_an_address_or_both(who: str, told: tuple[str, str]) -> None:
    assert person_of(who) == told


# --- exclusions ---


class Excluding:
    """A list of exclusions that a test can lengthen."""

    def __init__(self) -> None:
        self.now = Exclusions()

    def __call__(self) -> Exclusions:
        return self.now


RULES = {
    "writer": ("person Anna Müller", {"who": "Anna Müller <a@x.example>", "people": ()}),
    "company": ("address anna@mill.example", {}),
    "domain": ("domain mill.example", {}),
    "folder": ("folder Plans", {}),
}


@pytest.mark.parametrize(("rule", "fields"), RULES.values(), ids=RULES)
async def test_what_the_exclusions_cover_is_neither_kept_nor_found_nor_read(
    database: Path, rule: str, fields: dict[str, Any]
) -> None:
    excluding, document = Excluding(), replace(PLAN, **fields)
    async with SqlLedger(database, excluding) as ledger:
        await put(ledger, document)
        assert await refs(ledger, "frogs") == [PLAN.ref]
        excluding.now = read_exclusions(rule)
        assert await refs(ledger, "frogs") == []
        assert await ledger.read(lambda t: t.search.grouped(1, "frogs").hits) == ()
        assert await ledger.read(lambda t: t.search.text(1, PLAN.ref)) == ""
        assert await put(ledger, replace(document, text="frogs again")) == Put(excluded=1)
        assert rows(database, "SELECT count(*) FROM passages") == [(0,)]
        assert await ledger.read(lambda t: t.counts.total("excluded", owner_id=1)) == 1


async def test_what_a_longer_list_covers_is_erased(database: Path) -> None:
    excluding = Excluding()
    async with SqlLedger(database, excluding) as ledger:
        await put(ledger, PLAN, replace(PLAN, ref="note:other", people=(), place="elsewhere"))
        excluding.now = read_exclusions("address anna@mill.example")
        assert await ledger.write(lambda t: t.search.erase_covered(1, now=NOW)) == 1
        assert rows(database, "SELECT ref FROM passages") == [("note:other",)]


ZEPPELIN = [
    replace(PLAN, corpus="whatsapp", ref=f"whatsapp:t/{n}", who=who, text=text, at=NOW + timedelta(minutes=n), title="",
            people=(), place="t", tags=())
    for n, (who, text) in enumerate([("Ann", "the zeppelin lands at nine"), ("Ben", "fine with me")])
]  # fmt: skip


async def test_one_word_finds_what_holds_it_and_a_question_what_was_said_around_it(database: Path) -> None:
    async with SqlLedger(database) as ledger:
        await put(ledger, *ZEPPELIN)
        assert await refs(ledger, "zeppelin") == ["whatsapp:t/0"]
        assert await refs(ledger, "when does the zeppelin land") == ["whatsapp:t/0", "whatsapp:t/1"]


async def test_what_is_excluded_does_not_even_lend_its_words_to_a_neighbour(database: Path) -> None:
    excluding = Excluding()
    async with SqlLedger(database, excluding) as ledger:
        await put(ledger, *ZEPPELIN)
        assert await refs(ledger, "zeppelin lands") == ["whatsapp:t/0", "whatsapp:t/1"]
        excluding.now = read_exclusions("person Ann")
        assert await refs(ledger, "zeppelin lands") == []
