"""Finding by meaning: vectors come and go with their passages, exactly, and words decide where they are sure."""

import asyncio
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memory.ledger import Tables
from memory.search.document import Document
from memory.search.vectors import Signs, cosines, in_eight_bits, query_signs, signs_of
from memory.sql import candidates
from memory.sql.ledger import SqlLedger
from memory.sql.meanings import embedded_text, stored_name
from memory.sql.search_schema import BLOCK_ROWS
from tests.doubles.clock import NOW
from tests.doubles.embedder import DIMENSION, WordEmbedder
from tests.doubles.hand import hand, rows

SAME = {"car": "vehicle", "broke": "trouble", "down": "trouble", "ill": "sick"}


def a_note(name: str, text: str, **given: Any) -> Document:
    usual = Document(corpus="note", ref=f"note:{name}", who="you", title="", text=text, at=NOW)
    return replace(usual, **given)


CAR = a_note("car", "the car broke down")
CAKE = a_note("cake", "flour butter sugar")
VEHICLES = a_note("list", "a list of each vehicle in the museum and of many other things that stand there")


@asynccontextmanager
async def opened(database: Path, embedder: WordEmbedder | None, *documents: Document) -> AsyncIterator[SqlLedger]:
    async with SqlLedger(database, embedder=embedder) as ledger:
        await ledger.write(lambda t: t.search.put(1, documents, now=NOW))
        yield ledger


async def embed(ledger: SqlLedger, embedder: WordEmbedder) -> int:
    waiting = await ledger.read(lambda t: t.search.unembedded(1, limit=10_000))
    pairs = list(zip(waiting, embedder.embed([one.text for one in waiting]), strict=True))
    return await ledger.write(lambda t: t.search.keep_vectors(1, pairs))


async def found(ledger: SqlLedger, query: str, **given: Any) -> list[str]:
    return [hit.ref for hit in await ledger.read(lambda t: t.search.find(1, query, **given))]


async def test_a_text_is_found_that_shares_no_word_with_the_question(database: Path) -> None:
    embedder = WordEmbedder(SAME)
    async with opened(database, embedder, CAR, CAKE) as ledger:
        assert await found(ledger, "vehicle trouble") == []
        await embed(ledger, embedder)
        assert (await found(ledger, "vehicle trouble"))[0] == "note:car"


async def test_a_stray_word_does_not_outrank_the_meaning_and_all_the_words_do(database: Path) -> None:
    embedder = WordEmbedder(SAME)
    async with opened(database, embedder, CAR, CAKE, VEHICLES) as ledger:
        await embed(ledger, embedder)
        assert (await found(ledger, "trouble with my vehicle"))[0] == "note:car"
        assert (await found(ledger, "vehicle museum"))[0] == "note:list"


def test_of_a_talk_it_counts_who_said_it_and_elsewhere_what_it_is_called() -> None:
    assert embedded_text("whatsapp", "Anna <+491>", "", "off to the sea") == "Anna: off to the sea"
    assert embedded_text("chat", "you", "", "off to the sea") == "you: off to the sea"
    assert embedded_text("mail", "Anna <a@sea.example>", "Sea", "off we go") == "Sea\noff we go"


async def test_a_question_about_somebody_finds_what_they_said_and_not_what_was_said_to_them(database: Path) -> None:
    embedder = WordEmbedder({"where": "place", "sea": "place"})
    own, other = (
        a_note("x", text, corpus="whatsapp", ref=f"whatsapp:t/{n}", who=who, at=NOW + timedelta(days=n), place="t")
        for n, who, text in ((1, "Anna", "off to the sea"), (2, "Bob", "fine Anna fine fine"))
    )
    async with opened(database, embedder, own, other) as ledger:
        await embed(ledger, embedder)
        assert (await found(ledger, "where did anna go"))[0] == "whatsapp:t/1"


async def test_it_says_how_far_the_index_has_come(database: Path) -> None:
    embedder = WordEmbedder()
    async with opened(database, embedder, CAR, CAKE) as ledger:
        answer = await ledger.read(lambda t: t.search.grouped(1, "flour and butter"))
        assert (answer.by, answer.share_embedded) == ("words", 0.0)
        (first, _) = await ledger.read(lambda t: t.search.unembedded(1, limit=10))
        await ledger.write(lambda t: t.search.keep_vectors(1, [(first, embedder.embed_query(first.text))]))
        answer = await ledger.read(lambda t: t.search.grouped(1, "flour and butter"))
        assert (answer.by, answer.share_embedded) == ("words and meaning", 0.5)
        readiness = await ledger.read(lambda t: t.search.readiness(1))
        assert (readiness.model, readiness.passages, readiness.embedded, readiness.share) == ("words/1", 2, 1, 0.5)


async def test_one_word_finds_what_holds_it_and_when_nothing_does_only_the_nearest(database: Path) -> None:
    embedder = WordEmbedder(SAME)
    cars = [a_note(f"{n}", f"car number {n} stands in the yard") for n in range(10)]
    async with opened(database, embedder, VEHICLES, CAKE, *cars) as ledger:
        await embed(ledger, embedder)
        answer = await ledger.read(lambda t: t.search.grouped(1, "vehicle", each=20))
        assert ([hit.ref for hit in answer.hits], answer.by) == (["note:list"], "words")
        await ledger.write(lambda t: t.search.drop(1, ["note:list"], now=NOW))
        answer = await ledger.read(lambda t: t.search.grouped(1, "vehicle", each=20))
        assert (len(answer.hits), answer.by) == (3, "meaning")


@pytest.mark.parametrize(
    ("words", "by"),
    [
        ("automobile", "meaning"),
        ("vehicle from:ben", "meaning"),
        ("who bought a vehicle", "words and meaning"),
        ("buy a vehicle", "words and meaning"),
        ("art of a vehicle", "meaning"),
        ("Mueller vehicle", "words and meaning"),
    ],
)
async def test_it_is_said_when_nothing_holds_any_of_the_words(database: Path, words: str, by: str) -> None:
    embedder = WordEmbedder({**SAME, "automobile": "car"})
    said = a_note("car", "At the start of March Müller has bought, and buys, a car.", who="Ben")
    async with opened(database, embedder, said) as ledger:
        await embed(ledger, embedder)
        answer = await ledger.read(lambda t: t.search.grouped(1, words))
        assert ([hit.ref for hit in answer.hits], answer.by) == (["note:car"], by)


async def test_without_an_embedder_there_is_nothing_to_do(database: Path) -> None:
    async with opened(database, None, CAR) as ledger:
        assert await ledger.read(lambda t: t.search.unembedded(1, limit=10)) == []
        assert await ledger.write(lambda t: t.search.block()) == 0
        assert (await ledger.read(lambda t: t.search.readiness(1))).model is None
        assert await found(ledger, "car") == ["note:car"]


async def test_what_is_dropped_leaves_no_vector_and_no_sign(database: Path) -> None:
    embedder = WordEmbedder(SAME)
    many = [a_note(f"n{n}", f"number{n}") for n in range(BLOCK_ROWS + 10)]
    # The newest is embedded first, and so stands in the first block.
    async with opened(database, embedder, replace(CAR, at=NOW + timedelta(days=1)), *many) as ledger:
        await embed(ledger, embedder)
        assert rows(database, "SELECT count(*) FROM vector_blocks") == [(1,)]
        assert "note:car" in await found(ledger, "vehicle trouble")
        await ledger.write(lambda t: t.search.drop(1, ["note:car"], now=NOW))
        assert rows(database, "SELECT count(*) FROM vector_blocks") == [(0,)]
        assert rows(database, "SELECT count(*) FROM passage_vectors") == [(len(many),)]
        # The ledger that had it in memory forgets it, too; and so does one that opens anew, with the block made again.
        assert "note:car" not in await found(ledger, "vehicle trouble")
        assert await ledger.write(lambda t: t.search.block()) == 1
    async with SqlLedger(database, embedder=embedder) as anew:
        assert "note:car" not in await found(anew, "vehicle trouble")
        assert (await found(anew, "number7"))[0] == "note:n7"


async def test_an_edit_asks_for_a_new_vector_and_a_mere_move_does_not(database: Path) -> None:
    embedder = WordEmbedder(SAME)
    async with opened(database, embedder, CAR, CAKE) as ledger:
        await embed(ledger, embedder)
        await ledger.write(lambda t: t.search.put(1, [replace(CAR, place="elsewhere")], now=NOW))
        assert await ledger.read(lambda t: t.search.unembedded(1, limit=10)) == []
        await ledger.write(lambda t: t.search.put(1, [replace(CAR, text="the bicycle is fine")], now=NOW))
        assert await found(ledger, "vehicle trouble", limit=1) != ["note:car"]
        (waiting,) = await ledger.read(lambda t: t.search.unembedded(1, limit=10))
        assert waiting.text == "the bicycle is fine"


async def test_what_was_edited_while_it_was_embedded_gets_no_vector_of_the_old_text(database: Path) -> None:
    embedder = WordEmbedder()
    async with opened(database, embedder, CAR) as ledger:
        waiting = await ledger.read(lambda t: t.search.unembedded(1, limit=10))
        await ledger.write(lambda t: t.search.put(1, [replace(CAR, text="other")], now=NOW))
        pairs = [(one, embedder.embed_query(one.text)) for one in waiting]
        assert await ledger.write(lambda t: t.search.keep_vectors(1, pairs)) == 0
        assert rows(database, "SELECT count(*) FROM passage_vectors") == [(0,)]


async def test_another_model_makes_the_index_anew_and_never_compares_with_the_old(database: Path) -> None:
    old, new = WordEmbedder(SAME, name="old"), WordEmbedder(SAME, name="new")
    async with opened(database, old, CAR, CAKE) as ledger:
        await embed(ledger, old)
    async with SqlLedger(database, embedder=new) as ledger:
        assert await found(ledger, "vehicle trouble") == []
        assert len(await ledger.read(lambda t: t.search.unembedded(1, limit=10))) == 2
        await embed(ledger, new)
        assert (await found(ledger, "vehicle trouble"))[0] == "note:car"
        assert rows(database, "SELECT DISTINCT model FROM passage_vectors") == [(stored_name("new"),)]


async def test_what_is_found_often_and_what_is_newest_is_embedded_first(database: Path) -> None:
    embedder = WordEmbedder()
    dated = [a_note(f"n{n}", f"apple{n}", at=NOW.replace(day=1 + n)) for n in range(5)]
    async with opened(database, embedder, *dated) as ledger:
        first = await ledger.read(lambda t: t.search.unembedded(1, limit=2))
        assert [one.text for one in first] == ["apple4", "apple3"]
        await found(ledger, "apple1")
        await ledger.write(lambda t: t.search.note_uses(1))
        first = await ledger.read(lambda t: t.search.unembedded(1, limit=2))
        assert [one.text for one in first] == ["apple1"]


@pytest.mark.parametrize("narrow", [0, 1000], ids=["few are allowed", "many are allowed"])
async def test_filters_hold_for_what_is_found_by_meaning(
    database: Path, narrow: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(candidates, "NARROW", narrow)
    embedder = WordEmbedder(SAME)
    mail = replace(CAR, corpus="mail", ref="mail:900", who="Anna", place="work")
    async with opened(database, embedder, CAR, CAKE, mail) as ledger:
        await embed(ledger, embedder)
        assert await found(ledger, "vehicle trouble in:mail") == ["mail:900"]
        assert await found(ledger, "vehicle trouble from:anna") == ["mail:900"]
        assert "mail:900" not in await found(ledger, "vehicle trouble", corpora=("note",))
        assert await found(ledger, "vehicle trouble after:2027-01-01", now=NOW) == []


async def test_a_small_corpus_is_found_by_meaning_among_a_large_one(database: Path) -> None:
    embedder = WordEmbedder(SAME)
    mails = [a_note("x", f"vehicle vehicle trouble {n}", corpus="mail", ref=f"mail:{n}") for n in range(1200)]
    async with opened(database, embedder, *mails, CAR) as ledger:
        await embed(ledger, embedder)
        groups = (await ledger.read(lambda t: t.search.grouped(1, "automobile vehicle trouble"))).groups
        assert "note:car" in {hit.ref for group in groups for hit in group.hits}


async def test_vectors_of_a_transaction_that_came_to_nothing_are_not_remembered(database: Path) -> None:
    embedder = WordEmbedder(SAME)
    async with opened(database, embedder, CAR, CAKE) as ledger:

        def keep_and_fail(t: Tables) -> None:
            t.search.put(1, [a_note("gone", "gone", at=NOW + timedelta(days=1))], now=NOW)
            waiting = t.search.unembedded(1, limit=1)
            t.search.keep_vectors(1, [(one, embedder.embed_query("gone")) for one in waiting])
            t.search.find(1, "vehicle trouble")  # what is in memory now will never be on disk
            raise RuntimeError("and fail")

        with pytest.raises(RuntimeError, match="and fail"):
            await ledger.write(keep_and_fail)
        (car,) = [one for one in await ledger.read(lambda t: t.search.unembedded(1, limit=9)) if "car" in one.text]
        await ledger.write(lambda t: t.search.keep_vectors(1, [(car, embedder.embed_query(car.text))]))
        assert (await found(ledger, "vehicle trouble"))[0] == "note:car"


async def test_another_hand_that_deletes_a_passage_deletes_its_vector(database: Path) -> None:
    embedder = WordEmbedder()
    async with opened(database, embedder, CAR) as ledger:
        await embed(ledger, embedder)
    with hand(database) as connection:
        connection.execute("DELETE FROM passages")
    assert rows(database, "SELECT count(*) FROM passage_vectors") == [(0,)]


# --- vectors in small ---


def vectors(count: int, seed: int = 3) -> np.ndarray:
    found = np.random.default_rng(seed).standard_normal((count, DIMENSION))
    return found / np.linalg.norm(found, axis=1, keepdims=True)


def test_eight_bits_tell_how_near_two_vectors_are() -> None:
    several = vectors(50)
    near = cosines(several[0], [in_eight_bits(one) for one in several])
    assert near[0] == pytest.approx(1.0, abs=0.001)
    assert near == pytest.approx(list(several @ several[0]), abs=0.02)
    assert cosines(several[0], []) == []


@pytest.mark.parametrize("odd", [[0.0] * 8, [float("nan")] * 8, [float("inf")] + [0.0] * 7, [1e-30] * 8])
def test_odd_numbers_are_kept_as_numbers(odd: list[float]) -> None:
    assert len(in_eight_bits(odd)) == 8
    assert all(-1.01 <= near <= 1.01 for near in cosines([1.0] * 8, [in_eight_bits(odd)]))


def test_the_nearest_by_their_signs_are_among_the_nearest() -> None:
    several, signs = vectors(3000), Signs()
    ids = np.arange(3000, dtype=np.int64) + 100
    for start in range(0, 3000, 700):
        some = [in_eight_bits(one) for one in several[start : start + 700]]
        signs.add(ids[start : start + 700], bytes(n % 3 for n in range(start, start + len(some))), signs_of(some))
    assert len(signs) == 3000
    distances = signs.distances(query_signs(several[1234]))
    assert distances[1234] == 0
    assert 1334 in signs.nearest(distances, 5)
    assert len(signs.nearest(distances, 5)) == 5
    assert 1334 in signs.nearest(distances, 5, kind=1234 % 3)
    assert 1334 not in signs.nearest(distances, 5, kind=(1234 + 1) % 3)
    assert set(signs.nearest_of(distances, 5, [1334, 7, 101])) == {1334, 101}
    best = set((np.argsort(-(several @ several[1234]))[:10] + 100).tolist())
    assert len(best & set(signs.nearest(distances, 400))) >= 9


@pytest.mark.parametrize("verb", ["write", "read"])
async def test_while_a_question_gets_its_vector_others_write_and_read(database: Path, verb: str) -> None:
    embedder = WordEmbedder(SAME)
    began, may_end = asyncio.Event(), threading.Event()
    loop = asyncio.get_running_loop()

    def slowly() -> None:
        loop.call_soon_threadsafe(began.set)
        assert may_end.wait(10)

    async with opened(database, embedder, CAR, CAKE) as ledger:
        await embed(ledger, embedder)
        embedder.on_question = slowly
        asking = asyncio.create_task(getattr(ledger, verb)(lambda t: t.search.find(1, "vehicle trouble")))
        async with asyncio.timeout(5):
            await began.wait()
            await ledger.write(lambda t: t.search.put(1, [a_note("more", "and more")], now=NOW))
            await ledger.read(lambda t: t.search.refs(1, "note:"))
            may_end.set()
            assert (await asking)[0].ref == "note:car"


async def test_what_a_unit_wrote_before_its_question_had_a_vector_stands_once(database: Path) -> None:
    embedder = WordEmbedder(SAME)

    def loop_and_question(t: Tables) -> str:
        t.loops.open(owner_id=1, kind="task", title="mend it", because="a test", now=NOW)
        return t.search.find(1, "vehicle trouble")[0].ref

    async with opened(database, embedder, CAR, CAKE) as ledger:
        await embed(ledger, embedder)
        assert await ledger.write(loop_and_question) == "note:car"
        assert len(await ledger.read(lambda t: t.loops.list_open(1))) == 1
