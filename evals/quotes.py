"""Quotes: how well what a mail says is told from what it quotes, beside quotequail alone and beside "lines that begin with >".

    STILLBELL_DATA=../shared/data python -m evals quotes

Two sets. *Lines*: real replies of mailing lists, each line labelled by whether it stands in the mail that is answered. The
labels are an approximation: a short line of the quoted mail, or one that a mail program wrapped, counts there as not
quoted, and an author's signature, or a list's footer, that stood in the parent too counts as quoted. So a perfect splitter
would not reach 1.0, above all where nothing marks the quote; the figures compare. An attribution counts as not quoted. In
the column *sure*, lines labelled as not quoted that stand within an unmarked quote are left out.
*Fixtures*: replies of many clients and languages with the visible text that is expected of them.

Lines are halved by a hash of the Message-ID. The first half was looked at while the rules grew, the second never; the
fixtures have all been looked at.
"""

import ast
import gzip
import hashlib
import json
import os
import re
import tarfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import quotequail

from evals.report import Report
from tools.files.zones import zones

Marked = Callable[[Sequence[str]], list[bool]]
"""Tells for each line whether it is quoted."""

NO_LIMIT = 10**9
HALVES = ("looked at", "kept back")
STYLES = ("gt", "outlook")
SURE = "sure"
COLUMNS = "F1 where quotes are marked, unmarked, of the sure lines"


@dataclass(slots=True)
class Score:
    """Lines rightly and wrongly taken for quoted, and quoted ones that were missed."""

    right: int = 0
    wrong: int = 0
    missed: int = 0

    def add(self, guess: bool, truth: bool) -> None:
        """Count one line."""
        self.right += guess and truth
        self.wrong += guess and not truth
        self.missed += truth and not guess

    @property
    def precision(self) -> float:
        """Of the lines taken for quoted, the share that is."""
        return self.right / max(1, self.right + self.wrong)

    @property
    def recall(self) -> float:
        """Of the quoted lines, the share that was found."""
        return self.right / max(1, self.right + self.missed)

    @property
    def f1(self) -> float:
        """The harmonic mean of the two."""
        return 2 * self.right / max(1, 2 * self.right + self.wrong + self.missed)


async def run() -> Report:
    """The report; without data it says so."""
    report = Report("quotes", "none")
    folder = Path(os.environ.get("STILLBELL_DATA") or Path(__file__).parents[2] / "shared" / "data") / "quotes"
    if not folder.is_dir():
        report.figures.append("not run: no data")
        return report
    _measure_lines(folder / "quoted-lines.jsonl.gz", report)
    _measure_fixtures(folder / "reply-fixtures.tar.gz", report)
    return report


def by_zones(lines: Sequence[str]) -> list[bool]:
    """What the product takes for quoted."""
    return [label in ("quoted", "forwarded") for label in zones("\n".join(lines)).labels]


def by_quotequail(lines: Sequence[str]) -> list[bool]:
    """What quotequail alone folds away: everything from the first introduction on."""
    shown = quotequail.quote("\n".join(lines), limit=NO_LIMIT)[0][1].count("\n") + 1
    return [number >= shown for number in range(len(lines))]


def by_mark(lines: Sequence[str]) -> list[bool]:
    """Lines that begin with a mark."""
    return [line.lstrip().startswith(">") for line in lines]


WAYS: dict[str, Marked] = {"zones": by_zones, "quotequail alone": by_quotequail, "lines with >": by_mark}


def _half(name: str) -> int:
    return hashlib.sha256(name.encode()).digest()[0] % 2


def _measure_lines(path: Path, report: Report) -> None:
    scores = {(way, half, kind): Score() for way in WAYS for half in (0, 1) for kind in (*STYLES, "", SURE)}
    mails = [0, 0]
    with gzip.open(path, "rt", encoding="utf-8") as rows:
        for row in map(json.loads, rows):
            half = _half(row["mid"])
            mails[half] += 1
            for way, marked in WAYS.items():
                guesses = marked(row["lines"])
                for kind in (row["style"], ""):
                    _count(scores[way, half, kind], guesses, row["labels"])
                _count(scores[way, half, SURE], guesses, _sure(row["labels"], row["style"]))
    for half, name in enumerate(HALVES):
        report.figures.append(f"lines, the half {name}, {mails[half]} replies: F1 (precision, recall); {COLUMNS}")
        for way in WAYS:
            whole = scores[way, half, ""]
            others = "  ".join(f"{scores[way, half, kind].f1:.3f}" for kind in (*STYLES, SURE))
            figure = f"{whole.f1:.3f} ({whole.precision:.3f}, {whole.recall:.3f})"
            report.figures.append(f"  {way:<17} {figure}   {others}")
    ours, *others = (scores[way, 1, ""].f1 for way in WAYS)
    report.check("on the half kept back better than either baseline", ours > max(others), f"{ours:.3f}")


def _sure(labels: Sequence[str], style: str) -> list[str]:
    """The labels without those in doubt: not quoted, it says, but within an unmarked quote."""
    quoted = [number for number, label in enumerate(labels) if label == "quoted"]
    if style != "outlook" or not quoted:
        return list(labels)
    within = range(quoted[0], quoted[-1])
    return ["blank" if label == "other" and number in within else label for number, label in enumerate(labels)]


def _count(score: Score, guesses: Sequence[bool], labels: Sequence[str]) -> None:
    for guess, label in zip(guesses, labels, strict=True):
        if label != "blank":
            score.add(guess, label != "other")


def _measure_fixtures(path: Path, report: Report) -> None:
    texts, expected = _fixtures(path)
    for way, said in {
        "zones": lambda text: zones(text).said,
        "quotequail alone": lambda text: quotequail.quote(text, limit=NO_LIMIT, quote_intro_line=True)[0][1].strip(),
        "lines with >": lambda text: "\n".join(
            line for line in text.split("\n") if not line.lstrip().startswith(">")
        ).strip(),
    }.items():
        exact = 0
        lines = Score()
        for name, wanted in expected.items():
            got = said(texts[name])
            exact += _words(got) == _words(wanted)
            kept, wished = ({line.strip() for line in one.split("\n") if line.strip()} for one in (got, wanted))
            lines.right += len(kept & wished)
            lines.wrong += len(kept - wished)
            lines.missed += len(wished - kept)
        report.figures.append(
            f"fixtures, {way:<17} {exact} of {len(expected)} exactly as expected, F1 of the visible lines {lines.f1:.3f}"
        )


def _words(text: str) -> list[str]:
    return text.split()


def _fixtures(path: Path) -> tuple[dict[str, str], dict[str, str]]:
    """The texts by name, and for those of which the whole visible text is expected, that text."""
    with tarfile.open(path) as packed:
        files = {Path(one.name).name: _read(packed, one) for one in packed if one.isfile()}
    tests = files.pop("test.js")
    texts = {name.removesuffix(".txt"): text for name, text in files.items()}
    return texts, dict(_expected(tests))


def _read(packed: tarfile.TarFile, member: tarfile.TarInfo) -> str:
    content = packed.extractfile(member)
    return content.read().decode().replace("\r\n", "\n") if content else ""


def _expected(tests: str) -> Iterator[tuple[str, str]]:
    """(fixture, visible text) out of the tests of the parser for which the fixtures were made."""
    common = re.search(r"COMMON_FIRST_FRAGMENT = '(.*?)';", tests, re.DOTALL)
    assert common is not None
    for test in re.split(r"\nexport function ", tests):
        name = re.search(r'get_email\("(\w+)"\)', test)
        literal = re.search(r'test\.equal\(("(?:[^"\\]|\\.)*"), \w+\.getVisibleText\(\)\)', test)
        if name and "COMMON_FIRST_FRAGMENT, " in test:
            yield name[1], common[1].replace("\\n\\\n", "\n")
        elif name and literal:
            yield name[1], _text(literal[1])


def _text(literal: str) -> Any:
    return ast.literal_eval(literal)
