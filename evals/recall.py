"""Recall: does the search find the turns of a long conversation that answer a question?

    STILLBELL_DATA=../shared/data python -m evals recall

LoCoMo (Maharana et al., 2024): five of its ten dialogs, their questions and the turns that hold the answer. Each dialog is
put into a ledger of its own through the importers' door, turn by turn, and each question is asked of the product's search
as it stands. Scored as the authors' scorer does: of a question's evidence turns, the share among the first k; a question
without evidence counts as answered. Beside it, in the same run on the same turns, plain Okapi BM25 (k1 1.2, b 0.75, light
suffixes cut, speaker, date and image caption in the text), and the same with each turn's two neighbours indexed with it.

No setting was chosen by question; the weights of memory/search/ranking were chosen on these five dialogs (evals/recall_settings
tells how much that means), so that the other five, which are kept back, are the ones to believe.
"""

import gzip
import json
import math
import os
import re
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from evals.embedders import chosen
from evals.indexing import embed_all, opened
from evals.report import Report
from memory.search.document import Document
from memory.sql.ledger import SqlLedger

KS = (5, 10, 25, 50)
GOAL_POINTS = 3.0
KINDS = {1: "several turns", 2: "time", 3: "open", 4: "one turn", 5: "adversarial"}
TURN_EVERY = timedelta(seconds=20)


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn as the data have it, its caption in the text."""

    name: str
    who: str
    text: str
    when: str
    session: int
    at: datetime


@dataclass(frozen=True, slots=True)
class Dialog:
    """A conversation and what is asked about it: question, evidence, kind."""

    turns: Sequence[Turn]
    questions: Sequence[tuple[str, frozenset[str], int]]

    @property
    def last_at(self) -> datetime:
        """When the last turn was said."""
        return max(turn.at for turn in self.turns)


Ranker = Callable[[str], Sequence[str]]
"""Names of turns, best first, for a question."""


class Score:
    """Recall at each k, over all questions and by kind at 10."""

    def __init__(self) -> None:
        self._at: dict[int, list[float]] = defaultdict(list)
        self._kinds: dict[int, list[float]] = defaultdict(list)
        self._dialogs: dict[str, list[float]] = defaultdict(list)

    def add(self, dialog: str, evidence: frozenset[str], kind: int, found: Sequence[str]) -> None:
        """Count one question."""
        for k in KS:
            share = len(evidence & set(found[:k])) / len(evidence) if evidence else 1.0
            self._at[k].append(share)
            if k == 10:
                self._kinds[kind].append(share)
                self._dialogs[dialog].append(share)

    def at(self, k: int) -> float:
        """In percent."""
        return 100 * sum(self._at[k]) / max(1, len(self._at[k]))

    def line(self, name: str) -> str:
        """For the report."""
        kinds = {KINDS[kind]: shares for kind, shares in sorted(self._kinds.items())}
        each = "  ".join(
            f"{one} {100 * sum(all_of) / len(all_of):.1f}" for one, all_of in {**kinds, **self._dialogs}.items()
        )
        return f"{name:34} " + " / ".join(f"{self.at(k):.1f}" for k in KS) + f"   at 10: {each}"


async def run() -> Report:
    """The report; without data it says so."""
    model = chosen()
    report = Report("recall", "none")
    folder = Path(os.environ.get("STILLBELL_DATA") or Path(__file__).parents[2] / "shared" / "data") / "memory"
    if not folder.is_dir():
        report.figures.append("not run: no data")
        return report
    scores = {name: Score() for name in ("BM25, turn", "BM25, with neighbours", "Stillbell, words")}
    if model is not None:
        scores[f"Stillbell, words and {model.name}"] = Score()
    for path in sorted(folder.glob("locomo-*.json.gz")):
        dialog, called = read_dialog(json.loads(gzip.decompress(path.read_bytes()))), path.name.removesuffix(".json.gz")
        for ranker, name in (
            (_bm25(dialog.turns, 0), "BM25, turn"),
            (neighbourly_bm25(dialog.turns), "BM25, with neighbours"),
        ):
            for question, evidence, kind in dialog.questions:
                scores[name].add(called, evidence, kind, ranker(question))
        await _ask(dialog, called, None, scores["Stillbell, words"])
        if model is not None:
            await _ask(dialog, called, model, scores[f"Stillbell, words and {model.name}"])
    ahead = scores["Stillbell, words"].at(10) - scores["BM25, with neighbours"].at(10)
    report.check(
        f"at 10, {GOAL_POINTS:.0f} points ahead of BM25 with neighbours", ahead >= GOAL_POINTS, f"{ahead:+.1f}"
    )
    report.figures.append(f"{'recall at 5 / 10 / 25 / 50, %':34}")
    report.figures += [score.line(name) for name, score in scores.items()]
    return report


def read_dialog(data: dict[str, Any]) -> Dialog:
    """A dialog as the data have it."""
    turns = [turn for number in range(1, 100) if data.get(f"session_{number}") for turn in _session(data, number)]
    asked = [
        (str(one["question"]), frozenset(re.findall(r"D\d+:\d+", " ".join(one.get("evidence") or []))), one["category"])
        for one in data["qa"]
    ]
    return Dialog(turns, asked)


def _session(data: dict[str, Any], number: int) -> Iterator[Turn]:
    when = data[f"session_{number}_date_time"]
    at = datetime.strptime(when, "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
    for n, turn in enumerate(data[f"session_{number}"]):
        shown = f" [photo: {turn['blip_caption']}]" if turn.get("blip_caption") else ""
        yield Turn(turn["dia_id"], turn["speaker"], turn["text"] + shown, when, number, at + n * TURN_EVERY)


def documents_of(dialog: Dialog) -> list[Document]:
    """Each turn as an importer of chats hands it in."""
    return [
        Document(corpus="whatsapp", ref=f"whatsapp:talk/{turn.name}", who=turn.who, title="", text=turn.text, at=turn.at, place="talk")
        for turn in dialog.turns
    ]  # fmt: skip


async def _ask(dialog: Dialog, called: str, model: Any, score: Score) -> None:
    """Put the dialog in, ask every question."""
    documents, now = documents_of(dialog), dialog.last_at
    with tempfile.TemporaryDirectory(prefix="stillbell-eval-") as folder:
        async with opened(Path(folder), model) as ledger:
            await ledger.write(lambda t: t.search.put(1, documents, now=now))
            if model is not None:
                await embed_all(ledger, model)
            for question, evidence, kind in dialog.questions:
                found = await found_by(ledger, question, now + timedelta(days=1), max(KS))
                score.add(called, evidence, kind, found)


async def found_by(ledger: SqlLedger, question: str, now: datetime, most: int) -> list[str]:
    """The names of the turns that the product finds, best first."""
    hits = await ledger.read(lambda t: t.search.find(1, question, limit=most, now=now))
    return [hit.ref.partition("/")[2] for hit in hits]


# The baseline


def neighbourly_bm25(turns: Sequence[Turn]) -> Ranker:
    """Okapi BM25, each turn indexed with the one before and after it."""
    return _bm25(turns, 1)


def _bm25(turns: Sequence[Turn], neighbours: int) -> Ranker:
    words = [[_light(word) for word in re.findall(r"\w+", f"{t.who} {t.when} {t.text}".lower())] for t in turns]
    held = []
    for n, turn in enumerate(turns):
        near = range(max(0, n - neighbours), min(len(turns), n + neighbours + 1))
        held.append(Counter(word for m in near if turns[m].session == turn.session for word in words[m]))
    lengths = [sum(counts.values()) for counts in held]
    usual = sum(lengths) / len(lengths)
    documents = Counter(word for counts in held for word in counts)

    def weight(word: str, n: int) -> float:
        count, rarity = held[n][word], math.log(1 + (len(held) - documents[word] + 0.5) / (documents[word] + 0.5))
        return rarity * count * 2.2 / (count + 1.2 * (0.25 + 0.75 * lengths[n] / usual))

    def rank(question: str) -> list[str]:
        asked = {_light(word) for word in re.findall(r"\w+", question.lower())}
        scores = [sum(weight(word, n) for word in asked if word in held[n]) for n in range(len(turns))]
        return [turns[n].name for n in sorted(range(len(turns)), key=lambda n: -scores[n])]

    return rank


def _light(word: str) -> str:
    for ending in ("ings", "ing", "edly", "ed", "ies", "es", "s", "ly"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word.removesuffix(ending)
    return word
