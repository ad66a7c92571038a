"""Known items: does the search find the one text that was meant, by words, by meaning, and by both?

    STILLBELL_DATA=../shared/data python -m evals known_item

Two sets. *Pairs*: 60 questions in English and German, each with the one text that answers it (evals/pairs.py), among as
many others. *Replies*: mails of mailing lists, a slice for each list; what a reply says itself, without what it quotes, must
find the mail that it answers, the reply being left out. "words" is the product's search without an embedder, "meaning" the embedder's order alone,
"both" the product's search with it. On no slice may both be worse than the better of the two, by reciprocal rank.
`STILLBELL_EVAL_MAILS` (1,200) mails are embedded, which is what takes long; `STILLBELL_EVAL_REPLIES` (600) of them are asked,
as two hundred are too few to tell a hundredth from chance. By words alone all mails are asked, too.
"""

import os
import random
import sqlite3
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from evals.embedders import chosen
from evals.indexing import embed_all, opened
from evals.mail_documents import Letter, data_folder, list_letters
from evals.pairs import BESIDE, PAIRS
from evals.report import Report
from memory.clock import SystemClock
from memory.search.document import Document
from memory.search.embedder import Embedder
from memory.search.query import read_query
from memory.sql.ledger import SqlLedger
from tools.files.zones import zones

MAILS = int(os.environ.get("STILLBELL_EVAL_MAILS") or 1200)
REPLIES = int(os.environ.get("STILLBELL_EVAL_REPLIES") or 600)
WORDS_MIN = 12
DEPTH = 20
TOLERATED = 0.005


@dataclass(frozen=True, slots=True)
class Asked:
    """A question and the ref of its answer. leave: a ref that is none."""

    slice: str
    question: str
    answer: str
    leave: str | None = None


@dataclass(slots=True)
class Ranks:
    """At which place each answer stood, by slice; None: not among the first twenty."""

    places: dict[str, list[int | None]] = field(default_factory=lambda: defaultdict(list))

    def share(self, slice_: str, within: int) -> float:
        """The share of answers among the first so many."""
        return _mean([float(one is not None and one <= within) for one in self.places[slice_]])

    def reciprocals(self, slice_: str) -> list[float]:
        """One over the place of each."""
        return [1 / one if one else 0.0 for one in self.places[slice_]]

    def line(self, slice_: str) -> str:
        """For the report: found first, among ten, and the mean reciprocal rank with its interval."""
        low, high = interval(self.reciprocals(slice_))
        return (
            f"{100 * self.share(slice_, 1):.0f} / {100 * self.share(slice_, 10):.0f} / "
            f"{_mean(self.reciprocals(slice_)):.3f} ({low:.2f} to {high:.2f})"
        )


def interval(values: Sequence[float], *, rounds: int = 2000) -> tuple[float, float]:
    """Within which the mean lies 95 times in 100, drawn anew from the same questions."""
    drawn = random.Random(13)
    means = sorted(_mean(drawn.choices(values, k=len(values))) for _ in range(rounds))
    return means[int(0.025 * rounds)], means[int(0.975 * rounds)]


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


async def run() -> Report:
    """The report; the pairs need no data."""
    report, model = Report("known_item", "none"), chosen()
    report.figures.append(f"embedder: {model.name if model else 'none, so words alone'}")
    documents, asked = _of_pairs()
    await _compare("pairs", documents, asked, model, report)
    if not (data_folder() / "mail").is_dir():
        report.figures.append("replies: not run, no data")
        return report
    letters = list(list_letters(data_folder()))
    documents, asked = _of_replies(letters, MAILS)
    await _compare("replies", documents, asked, model, report)
    documents, asked = _of_replies(letters, len(letters))
    await _compare("replies, all mails", documents, asked, None, report)
    return report


def _of_pairs() -> tuple[list[Document], list[Asked]]:
    now = SystemClock().now()
    texts = [(pair.corpus, pair.text) for pair in PAIRS] + [("note", text) for text in BESIDE]
    documents = [
        Document(corpus=corpus, ref=f"{corpus}:{n}", who="", title="", text=text, at=now, place=str(n))  # type: ignore[arg-type]
        for n, (corpus, text) in enumerate(texts)
    ]
    return documents, [Asked(pair.slice, pair.question, documents[n].ref) for n, pair in enumerate(PAIRS)]


def _of_replies(letters: Sequence[Letter], most: int) -> tuple[list[Document], list[Asked]]:
    """Replies with the mails they answer first, then others up to `most`."""
    by_id = {letter.message_id: n for n, letter in enumerate(letters) if letter.message_id}
    numbers = [n for n, one in enumerate(letters) if one.answers in by_id and by_id[one.answers] != n]
    random.Random(5).shuffle(numbers)
    asked: list[Asked] = []
    kept: dict[int, None] = {}
    for n in numbers:
        said = zones(letters[n].text, subject=letters[n].subject).said
        if len(said.split()) >= WORDS_MIN and len(asked) < REPLIES:
            parent = by_id[letters[n].answers]
            asked.append(Asked(letters[n].folder, said, f"mail:{parent}", f"mail:{n}"))
            kept |= {parent: None, n: None}
    rest = [n for n in range(len(letters)) if n not in kept]
    random.Random(6).shuffle(rest)
    kept |= dict.fromkeys(rest[: max(0, most - len(kept))])
    return [letters[n].as_document(f"mail:{n}") for n in sorted(kept)], asked


async def _compare(
    name: str, documents: Sequence[Document], asked: Sequence[Asked], model: Embedder | None, report: Report
) -> None:
    ranks = {"words": Ranks()}
    with tempfile.TemporaryDirectory(prefix="stillbell-eval-") as folder:
        async with opened(Path(folder)) as ledger:
            await _fill(ledger, documents)
            await _ask(ledger, asked, ranks["words"])
        if model is not None:
            async with SqlLedger(Path(folder) / "stillbell.db", embedder=model) as ledger:
                await embed_all(ledger, model)
                ranks["both"] = Ranks()
                await _ask(ledger, asked, ranks["both"])
                ranks["meaning"] = Ranks()
                await _ask_meaning(ledger, model, asked, ranks["meaning"], _names(Path(folder) / "stillbell.db"))
    _tell(name, ranks, report)


async def _fill(ledger: SqlLedger, documents: Sequence[Document]) -> None:
    now = SystemClock().now()
    for start in range(0, len(documents), 1000):
        some = documents[start : start + 1000]
        await ledger.write(lambda t, some=some: t.search.put(1, some, now=now))  # type: ignore[misc]


async def _ask(ledger: SqlLedger, asked: Sequence[Asked], ranks: Ranks) -> None:
    for one in asked:
        hits = await ledger.read(lambda t, one=one: t.search.find(1, one.question, limit=DEPTH, before_ref=one.leave))  # type: ignore[misc]
        refs = [hit.ref for hit in hits]
        ranks.places[one.slice].append(refs.index(one.answer) + 1 if one.answer in refs else None)


def _names(database: Path) -> dict[int, str]:
    with closing(sqlite3.connect(database)) as connection:
        return dict(connection.execute("SELECT id, ref FROM passages").fetchall())


async def _ask_meaning(
    ledger: SqlLedger, model: Embedder, asked: Sequence[Asked], ranks: Ranks, names: dict[int, str]
) -> None:
    """The nearest passages in their order, a document counting by its best."""
    for one in asked:
        vector = model.embed_query(read_query(one.question).meaning)
        near = await ledger.read(lambda t, v=vector: t.search.nearest(1, v))  # type: ignore[misc]
        order = sorted(near, key=lambda passage: -near[passage])
        refs = [ref for ref in dict.fromkeys(names[passage] for passage in order) if ref != one.leave]
        ranks.places[one.slice].append(refs.index(one.answer) + 1 if one.answer in refs[:DEPTH] else None)


def _tell(name: str, ranks: dict[str, Ranks], report: Report) -> None:
    for slice_ in ranks["words"].places:
        shown = "; ".join(f"{way} {one.line(slice_)}" for way, one in ranks.items())
        count = len(ranks["words"].places[slice_])
        report.figures.append(f"{name}, {slice_} ({count}), first % / among ten % / reciprocal rank: {shown}")
        if "both" in ranks:
            alone = [ranks[way].reciprocals(slice_) for way in ("words", "meaning")]
            better, both = max(alone, key=_mean), ranks["both"].reciprocals(slice_)
            low, high = interval([one - other for one, other in zip(both, better, strict=True)])
            report.check(
                f"{name}, {slice_}: both no worse than the better alone",
                _mean(both) >= _mean(better) - TOLERATED,
                f"{_mean(both):.3f}, {_mean(better):.3f}; the difference lies between {low:+.3f} and {high:+.3f}",
            )
