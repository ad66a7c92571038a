"""Recall, held out: were the weights of the search's ranking fitted to the dialogs by which they are measured?

    STILLBELL_DATA=../shared/data python -m evals recall_settings     # by words alone; some ten minutes

The weights of memory/search/ranking were chosen on LoCoMo's five handed dialogs. Here each dialog is left out in turn: every
weight is chosen anew by the other four, out of the values below, each weight by itself with the others as they stand; what is
chosen is then asked of the dialog that was left out. If the gain over BM25 with neighbours stays, it is not these dialogs that
make it. What the values can't tell: the ranking's form was made with the same dialogs in view, too.
"""

import gzip
import json
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

from evals.indexing import opened
from evals.mail_documents import data_folder
from evals.recall import GOAL_POINTS, Dialog, documents_of, found_by, neighbourly_bm25, read_dialog
from evals.report import Report
from memory.search import ranking
from memory.sql.ledger import SqlLedger

AT = 10
_Values = Mapping[str, Any]

AS_IT_STANDS: _Values = {}
NO_NEIGHBOURS: _Values = {"BEFORE": (0.0, 0.0, 0.0), "AFTER": (0.0, 0.0, 0.0)}
NOTHING_OF_ITS_OWN: _Values = {
    "BEFORE": (1.0, 0.0, 0.0), "AFTER": (1.0, 0.0, 0.0),
    "ALL_WORDS": 0.0, "SPEAKER": 0.0, "QUESTION": 0.0, "FITTING_FORM": 0.0, "IN_TIME": 0.0, "LENGTH_COUNTS": 0.75,
}  # fmt: skip
"""Okapi's usual figures, and the next turn on either side as good as one's own: the baseline, on our road."""

KNOBS: Mapping[str, Sequence[_Values]] = {
    "turns around": (
        NO_NEIGHBOURS,
        {"BEFORE": (0.4, 0.2, 0.1), "AFTER": (0.3, 0.15, 0.07)},
        {"BEFORE": (0.6, 0.3, 0.15), "AFTER": (0.6, 0.3, 0.15)},
        {"BEFORE": (0.8, 0.0, 0.0), "AFTER": (0.6, 0.0, 0.0)},
        {"BEFORE": (1.0, 0.7, 0.4), "AFTER": (0.9, 0.6, 0.3)},
    ),
    "all words": ({"ALL_WORDS": 0.0}, {"ALL_WORDS": 0.2}, {"ALL_WORDS": 0.7}),
    "speaker": ({"SPEAKER": 0.0}, {"SPEAKER": 0.1}, {"SPEAKER": 0.4}),
    "question": ({"QUESTION": 0.0}, {"QUESTION": 0.3}),
    "form": ({"FITTING_FORM": 0.0}, {"FITTING_FORM": 0.25}),
    "length": ({"LENGTH_COUNTS": 0.25}, {"LENGTH_COUNTS": 0.75}),
    "saturation": ({"SATURATES": 0.7}, {"SATURATES": 2.0}),
}


@dataclass(slots=True)
class Held:
    """A dialog, and its recall at ten by what was set."""

    name: str
    dialog: Dialog
    ledger: SqlLedger
    known: dict[str, float] = field(default_factory=dict)

    async def recall(self, values: _Values) -> float:
        """In percent."""
        key = repr(sorted(values.items()))
        if key not in self.known:
            with _set(values):
                self.known[key] = await _asked(self)
        return self.known[key]

    def baseline(self) -> float:
        """BM25 with neighbours."""
        rank = neighbourly_bm25(self.dialog.turns)
        return _mean(_share(evidence, rank(question)[:AT]) for question, evidence, _ in self.dialog.questions)


async def run() -> Report:
    """The report; without data it says so."""
    report = Report("recall_settings", "none")
    paths = sorted((data_folder() / "memory").glob("locomo-*.json.gz"))
    if not paths:
        report.figures.append("not run: no data")
        return report
    await _with_dialogs(paths, [], lambda dialogs: _compare(dialogs, report))
    return report


async def _with_dialogs(paths: Sequence[Path], dialogs: list[Held], then: Callable[[list[Held]], Any]) -> None:
    """Each in a ledger of its own, all of them open at once."""
    if not paths:
        await then(dialogs)
        return
    dialog = read_dialog(json.loads(gzip.decompress(paths[0].read_bytes())))
    documents = documents_of(dialog)
    with tempfile.TemporaryDirectory(prefix="stillbell-eval-") as folder:
        async with opened(Path(folder)) as ledger:
            await ledger.write(lambda t: t.search.put(1, documents, now=dialog.last_at))
            held = Held(paths[0].name.removesuffix(".json.gz"), dialog, ledger)
            await _with_dialogs(paths[1:], [*dialogs, held], then)


async def _compare(dialogs: Sequence[Held], report: Report) -> None:
    gains: list[tuple[float, float]] = []
    for left_out in dialogs:
        others = [one for one in dialogs if one is not left_out]
        values = await _chosen(others)
        bm25, stands, held_out, bare = (
            left_out.baseline(),
            await left_out.recall(AS_IT_STANDS),
            await left_out.recall(values),
            await left_out.recall(NOTHING_OF_ITS_OWN),
        )
        count = len(left_out.dialog.questions)
        gains += [(held_out - bm25, stands - bm25)] * count
        report.figures.append(
            f"{left_out.name} ({count} questions): BM25 with neighbours {bm25:.1f}, as it stands {stands:.1f}, "
            f"weights of the other four {held_out:.1f}, none of its own weights {bare:.1f}; chosen: {_spoken(values)}"
        )
    held_out, stands = (_mean(one[n] for one in gains) for n in (0, 1))
    report.check(
        f"weights chosen by other dialogs: {GOAL_POINTS:.0f} points ahead of BM25 with neighbours at {AT}",
        held_out >= GOAL_POINTS,
        f"{held_out:+.1f}, as it stands {stands:+.1f}",
    )


async def _chosen(dialogs: Sequence[Held]) -> _Values:
    """The best of each knob by these dialogs alone."""
    best: dict[str, Any] = {}
    for options in KNOBS.values():
        scores = [(await _over(dialogs, values), values) for values in (AS_IT_STANDS, *options)]
        best |= max(scores, key=lambda one: one[0])[1]
    return best


async def _over(dialogs: Sequence[Held], values: _Values) -> float:
    counts = [len(one.dialog.questions) for one in dialogs]
    shares = [await one.recall(values) for one in dialogs]
    return sum(count * share for count, share in zip(counts, shares, strict=True)) / sum(counts)


async def _asked(held: Held) -> float:
    now = held.dialog.last_at + timedelta(days=1)
    return _mean(
        [
            _share(evidence, (await found_by(held.ledger, question, now, AT)))
            for question, evidence, _ in held.dialog.questions
        ]
    )


def _share(evidence: frozenset[str], found: Sequence[str]) -> float:
    return 100 * len(evidence & set(found)) / len(evidence) if evidence else 100.0


def _mean(shares: Any) -> float:
    several = list(shares)
    return sum(several) / len(several)


def _spoken(values: _Values) -> str:
    return ", ".join(f"{name} {value}" for name, value in values.items()) or "everything as it stands"


@contextmanager
def _set(values: _Values) -> Iterator[None]:
    """The ranking with these weights for a while."""
    before = {name: getattr(ranking, name) for name in values}
    try:
        for name, value in values.items():
            setattr(ranking, name, value)
        yield
    finally:
        for name, value in before.items():
            setattr(ranking, name, value)


if __name__ == "__main__":
    import asyncio

    print("\n".join(asyncio.run(run()).lines()))
