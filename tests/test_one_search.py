"""One search: the chat, the terminal, the web page and the thinker find the same, in the same order, and open the same."""

import asyncio
import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

from bot import meaning, wiring
from bot.terminal.client import Client
from memory.ledger import Tables
from memory.search.document import Document
from memory.sql.ledger import SqlLedger
from tests.bot.test_web_wired import free_port
from tests.doubles.clock import NOW, FakeClock
from tests.doubles.embedder import WordEmbedder
from tests.product_room import Product, open_product
from tools import found_card
from tools.gate import Caller, Gate
from tools.model import ToolCall
from tools.toolbox import Toolbox

CORPORA = ("note", "mail", "whatsapp", "imessage", "telegram", "calendar", "meeting", "person", "file")

QUESTIONS = (
    "heron",
    "heron noon",
    '"the heron landed"',
    "heron last week",
    "heron from:anna",
    "in:whatsapp heron",
    "in:notes heron",
    "heron has:pdf",
    "heron after:2026-02-20",
    "where did the heron land?",
    "nonesuch",
)


def document(corpus: str, number: int, text: str, **more: Any) -> Document:
    name = {"whatsapp": "whatsapp:abc/"}.get(corpus, f"{corpus}:x/")
    usual: dict[str, Any] = {
        "who": ("Anna Winter <anna@example.org>", "Ben Sommer", "you")[number % 3],
        "title": "" if corpus in ("whatsapp", "imessage", "telegram") else f"{corpus} {number}",
        "at": NOW - timedelta(days=3 * number, minutes=number),
        "place": f"{corpus} place",
        "tags": ("pdf",) if number % 4 == 0 else (),
    }
    return Document(corpus=corpus, ref=f"{name}{number:04}", text=text, **(usual | more))  # type: ignore[arg-type]


def everything(**more: Any) -> list[Document]:
    """A few of every corpus; of WhatsApp so many that they would bury the others."""
    told = ("The heron landed at noon.", "A heron, again: they land at noon.", "No heron at all, but a swift.")
    few = [document(corpus, number, told[number % 3], **more) for corpus in CORPORA for number in range(4)]
    return [*few, *(document("whatsapp", 10 + number, f"heron {number} noon", **more) for number in range(60))]


async def kept(product: Product, documents: list[Document]) -> None:
    await product.house.ledger.write(lambda t: t.search.put(1, documents, now=NOW))


@asynccontextmanager
async def opened(database: Path, clock: FakeClock, **given: Any) -> AsyncIterator[Product]:
    async with open_product(database, clock, web_port=free_port(), **given) as product:
        yield product


@asynccontextmanager
async def page(product: Product) -> AsyncIterator[httpx.AsyncClient]:
    settings = product.settings
    headers = {"Authorization": f"Bearer {settings.web_token.read_text().strip()}"}
    url = f"http://127.0.0.1:{settings.web_port}"
    async with httpx.AsyncClient(base_url=url, headers=headers, timeout=10) as client:
        yield client


async def by_terminal(product: Product, words: str) -> list[str]:
    async with Client(product.settings.socket) as client:
        steps = [step async for step in client.ask("find", {"words": words, "limit": 20})]
    return [hit["ref"] for hit in steps[-1].data["hits"]]


async def by_web(product: Product, words: str) -> list[str]:
    async with page(product) as client:
        html = (await client.get("/search", params={"q": words})).text
    links = [urlsplit(unescape(link)) for link in re.findall(r'<a href="(/found\?[^"]+)"', html)]
    return [parse_qs(link.query)["ref"][0] for link in links]


async def by_thinker(product: Product, words: str) -> list[str]:
    answer = await asked_by_thinker(product, words)
    return [hit["ref"] for group in answer["found"].values() for hit in group]


async def asked_by_thinker(product: Product, words: str) -> Any:
    clock = product.clock
    gate = Gate(Toolbox(product.house.ledger, clock).tools(), product.house.ledger, clock)
    caller = Caller(agent="thinker", owner_id=1, turn_id=None, signal_id=None)
    answer = await gate.attempt(caller).call(ToolCall("1", "search", {"query": words}))
    assert not answer.is_error, answer.content
    return json.loads(answer.content)


async def by_chat(product: Product, words: str) -> list[list[str]]:
    """Page by page, as far as the first twenty."""
    pages: list[list[str]] = []
    await product.says(f"/find {words}")
    while (shown := await product.house.ledger.read(card_shown)) is not None:
        pages.append([ref for ref, _ in found_card.sought_of(shown).hits])
        more = next((choice.label for choice in shown.choices if choice.key == "more"), None)
        if more is None or sum(map(len, pages)) >= 20:
            break
        await product.taps(more)
    return pages


def card_shown(t: Tables) -> Any:
    (newest,) = t.thread.history(1, limit=1)
    stored = t.cards.get(newest.card_id) if newest.card_id else None
    return stored.card if stored is not None else None


def assert_same(refs: list[str], pages: list[list[str]], others: list[list[str]]) -> None:
    """The first twenty, the same ones; within a page the corpora stand together, so that only pages keep their order."""
    for other in others:
        assert other == refs
    seen = [ref for one in pages for ref in one]
    assert sorted(seen[: len(refs)]) == sorted(refs)
    assert len(set(seen)) == len(seen)


@pytest.mark.parametrize("words", QUESTIONS)
async def test_all_four_ways_of_asking_find_the_same(database: Path, clock: FakeClock, words: str) -> None:
    async with opened(database, clock) as product:
        await kept(product, everything())
        await product.settled()
        terminal = await by_terminal(product, words)
        others = [await by_web(product, words), await by_thinker(product, words)]
        pages = await by_chat(product, words)
    assert bool(terminal) == (words != "nonesuch")
    assert_same(terminal, pages, others)


async def test_they_find_the_same_by_meaning(database: Path, clock: FakeClock, monkeypatch: pytest.MonkeyPatch) -> None:
    model = WordEmbedder({"bird": "heron"})
    monkeypatch.setattr(wiring, "embedder", lambda setting: model)
    monkeypatch.setattr(meaning, "SETTLES_FOR", timedelta())
    # Of nobody but the owner: whom it gets acquainted with comes into the index in its own time.
    documents = everything(who="you")
    async with SqlLedger(database) as ledger:
        await ledger.write(lambda t: t.search.put(1, documents, now=NOW))
    async with opened(database, clock) as product:
        await product.until(f"SELECT count(*) FROM passage_vectors HAVING count(*) = {len(documents)}")
        terminal = await by_terminal(product, "a bird landed")
        assert terminal
        others = [await by_web(product, "a bird landed"), await by_thinker(product, "a bird landed")]
        pages = await by_chat(product, "a bird landed")
        async with Client(product.settings.socket) as client:
            steps = [step async for step in client.ask("find", {"words": "a bird landed", "limit": 5})]
        assert steps[-1].data["how"] == ["found by words and meaning"]
        assert "found by words and meaning" in product.text_of(product.newest)
        # "bird" stands nowhere: that is said.
        assert await by_terminal(product, "bird")
        (alone,) = await product.says("/find bird")
        assert alone.endswith("nothing holds this word; this is nearest in meaning")
        async with page(product) as client:
            assert "nothing holds this word" in (await client.get("/search", params={"q": "bird"})).text
    assert_same(terminal, pages, others)


async def test_a_few_notes_are_not_buried_under_a_chat_on_the_first_page(database: Path, clock: FakeClock) -> None:
    async with opened(database, clock) as product:
        await kept(product, everything())
        (first, *_) = await by_chat(product, "heron")
    assert len(first) == found_card.SHOWN
    assert len({ref.partition(":")[0] for ref in first}) == found_card.SHOWN


async def test_a_line_is_opened_by_its_number_and_closed_again(database: Path, clock: FakeClock) -> None:
    async with opened(database, clock) as product:
        talk = [
            document("whatsapp", 3, "Shall we meet at the pond?", at=NOW - timedelta(minutes=3)),
            document("whatsapp", 2, "Yes. The heron landed there.", at=NOW - timedelta(minutes=2)),
            document("whatsapp", 1, "At noon, then.", at=NOW - timedelta(minutes=1)),
        ]
        await kept(product, talk)
        await product.says("/find heron")
        listed = product.text_of(product.newest)
        await product.taps("1")
        shown = product.text_of(product.newest)
        assert [
            line in shown for line in ("Shall we meet at the pond?", "The heron landed there.", "At noon, then.")
        ] == [
            True,
            True,
            True,
        ]
        await product.taps("Back")
        assert product.text_of(product.newest) == listed


async def test_what_was_excluded_since_is_neither_opened_nor_turned_to(database: Path, clock: FakeClock) -> None:
    async with opened(database, clock) as product:
        await kept(product, everything())
        await product.says("/find heron from:anna")
        product.settings.exclusions.write_text("address anna@example.org\n")
        assert await product.taps("1") == "That is no longer there."
        async with page(product) as client:
            assert (await client.get("/found", params={"ref": "note:x/0000"})).status_code == 404
        assert await by_web(product, "heron from:anna") == []
        # Whether there ever was anybody of that name is not given away either.
        (hint,) = (await asked_by_thinker(product, "heron from:anna"))["hints"]
        assert hint.startswith("nothing is from “anna”")


async def test_the_web_page_shows_what_others_wrote_as_it_is(database: Path, clock: FakeClock) -> None:
    wild = "<script>alert(1)</script> heron <img src=x onerror=alert(1)> \"'</main>"
    async with opened(database, clock) as product:
        await kept(product, [document("mail", 0, wild, title=wild, who=wild, place=wild)])
        async with page(product) as client:
            found = (await client.get("/search", params={"q": "heron " + wild})).text
            whole = (await client.get("/found", params={"ref": "mail:x/0000", "q": wild})).text
    for html in (found, whole):
        assert "heron" in html
        assert not re.search(r"<(script|img)\b", html)


async def test_a_question_is_no_answer_to_itself(database: Path, clock: FakeClock) -> None:
    async with opened(database, clock) as product:
        await product.says("the heron landed")
        refs = await by_terminal(product, "heron")
        assert len(refs) == 1
        async with asyncio.timeout(10):
            [said] = await product.says("/find heron")
    assert "/find" not in said


TELLS = {
    "heron in:whatapp": ("nothing stands in “whatapp”; in: takes notes, mail,", "in „whatapp“ steht nichts; in: nimmt notizen,"),
    "has:unicorn": ("nothing has “unicorn”; has: takes pdf,", "nichts hat „unicorn“; has: nimmt pdf,"),
    "heron after:easterish": ("“easterish” is no time I know; after: takes", "„easterish“ kenne ich nicht als Zeit; after:"),
    "von:nobody": ("nothing is from “nobody”; von: takes a name", "von „nobody“ ist nichts da; von: nimmt einen Namen"),
    "heron fron:anna": ("“fron:” is no filter; there are from:", "„fron:“ ist kein Filter; es gibt von:"),
}  # fmt: skip


@pytest.mark.parametrize("words", TELLS)
async def test_all_four_ways_say_what_a_filter_takes(database: Path, clock: FakeClock, words: str) -> None:
    english, german = (re.compile(re.escape(told), re.IGNORECASE) for told in TELLS[words])
    async with opened(database, clock) as product:
        await kept(product, everything(who="you"))
        (card,) = await product.says(f"/find {words}")
        assert english.search(card)
        async with Client(product.settings.socket) as client:
            steps = [step async for step in client.ask("find", {"words": words, "limit": 5})]
        assert english.search(" ".join(steps[-1].data["how"]))
        assert english.search(" ".join((await asked_by_thinker(product, words))["hints"]))
        async with page(product) as client:
            assert english.search(unescape((await client.get("/search", params={"q": words})).text))
            await product.house.ledger.write(lambda t: t.owners.set(1, language="de"))
            assert german.search(unescape((await client.get("/search", params={"q": words})).text))
        (card,) = await product.says(f"/find {words}")
        assert german.search(card)


ODD = (
    "-", "*", '"', '""', '"" heron', '"heron', "“”", "(((", "😀", "🦢 heron", "会议 明天", "שלום heron", "مرحبا",
    "a\x00b heron", "\x00", "\x1b[31mheron", "\u202eheron", "-heron", "heron -noon", "from:", "after:", "in: has:",
    "from:anna in:whatsapp", "has:unicorn in:nowhere after:never", 'from:"', 'from:""', "from:\x00", "AND OR NOT NEAR(",
    "{who}: heron*", "heron'; DROP TABLE passages; --", "heron " * 1700, "x" * 10_000, "\ud800 heron", "after:99999-01-01",
)  # fmt: skip


async def test_any_text_is_a_question_on_all_four_ways(database: Path, clock: FakeClock) -> None:
    async with opened(database, clock) as product:
        await kept(product, everything())
        for words in ODD:
            told = words.encode("utf-8", "replace").decode()
            async with Client(product.settings.socket) as client:
                steps = [step async for step in client.ask("find", {"words": told, "limit": 5})]
            assert "hits" in steps[-1].data, words
            async with page(product) as client:
                assert (await client.get("/search", params={"q": told})).status_code == 200, words
            if len(told) <= 300:
                assert "found" in await asked_by_thinker(product, told)
            # Telegram takes 4,096 characters, and what fills them is waited for a little.
            shown = await product.says(f"/find {told[:3000]}")
            assert shown, words
            assert not any("Traceback" in one or "went wrong" in one for one in shown), shown
