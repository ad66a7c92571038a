"""The same passages and questions with notmuch and tantivy, where they are installed."""

import re
import shutil
import subprocess
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from evals.report import Report

KINDS = ("1 common word", "1 word", "2 words", "3 words", "phrase")


class Peers:
    """What others make of passages (writer, title, text) and of questions by kind; their figures go into the report."""

    def __init__(self, folder: Path, kinds: Mapping[str, Sequence[str]], report: Report) -> None:
        self._folder = folder
        self._kinds = {kind: questions for kind, questions in kinds.items() if kind in KINDS}
        self._report = report

    def ask_tantivy(self, passages: Iterable[tuple[str, str, str]]) -> None:
        """All words of a question, one thread."""
        try:
            import tantivy  # noqa: PLC0415  no part of the project
        except ImportError:
            self._report.figures.append("tantivy: not installed")
            return
        path = self._folder / "tantivy"
        path.mkdir()
        schema = tantivy.SchemaBuilder()
        for name in ("who", "title", "text"):
            schema.add_text_field(name, stored=False)
        index = tantivy.Index(schema.build(), path=str(path))
        writer = index.writer(heap_size=128_000_000, num_threads=1)
        began, count = time.perf_counter(), 0
        for who, title, text in passages:
            writer.add_document(tantivy.Document(who=who, title=title, text=text))
            count += 1
        writer.commit()
        writer.wait_merging_threads()
        rate = count / (time.perf_counter() - began)
        index.reload()
        searcher = index.searcher()

        def ask(question: str) -> Any:
            every = question if question.startswith('"') else " AND ".join(question.split())
            return searcher.search(index.parse_query(every, ["who", "title", "text"]), 10)

        self._tell("tantivy", count, rate, _size(path), ask)

    def ask_notmuch(self, passages: Iterable[tuple[str, str, str]]) -> float | None:
        """A mail each, a process a question. How many bytes of index a passage takes."""
        if shutil.which("notmuch") is None:
            self._report.figures.append("notmuch: not installed")
            return None
        mails = self._folder / "notmuch"
        count = _written_as_mails(mails, passages)
        config = self._folder / "notmuch-config"
        config.write_text(f"[database]\npath={mails}\n[user]\nname=x\nprimary_email=x@example.org\n[new]\ntags=\n")

        def call(*words: str) -> str:
            done = subprocess.run(["notmuch", f"--config={config}", *words], capture_output=True, text=True, check=True)
            return done.stdout

        began = time.perf_counter()
        call("new", "--no-hooks", "--quiet")
        rate, size = count / (time.perf_counter() - began), _size(mails / ".notmuch")
        self._tell("notmuch", count, rate, size, lambda asked: call("search", "--output=messages", "--limit=10", asked))
        return size / count

    def _tell(self, name: str, count: int, rate: float, size: int, ask: Callable[[str], Any]) -> None:
        times = "; ".join(f"{kind} {p50:.1f} / {p95:.1f}" for kind, (p50, p95) in _asked(self._kinds, ask).items())
        self._report.figures += [
            f"{name}, {count:,} passages: {rate:,.0f} a second, index {size / 1e6:,.0f} MB ({size / max(1, count):.0f} bytes a passage)",
            f"{name}, ms on the clock p50 / p95: {times}",
        ]


def _written_as_mails(folder: Path, passages: Iterable[tuple[str, str, str]]) -> int:
    for part in ("cur", "new", "tmp"):
        (folder / "inbox" / part).mkdir(parents=True)
    count = 0
    for who, title, text in passages:
        head = f"From: {_plain(who)}\nSubject: {_plain(title)}\nMessage-ID: <{count}@eval>\nDate: Mon, 2 Mar 2020 10:00:00 +0000\n"
        content = f"{head}Content-Type: text/plain; charset=utf-8\n\n{text}"
        (folder / "inbox" / "cur" / f"{count}:2,S").write_text(content, encoding="utf-8", errors="replace")
        count += 1
    return count


def _plain(value: str) -> str:
    return re.sub(r"[^\x20-\x7e]", "?", value)[:300]


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _asked(kinds: Mapping[str, Sequence[str]], ask: Callable[[str], Any]) -> dict[str, tuple[float, float]]:
    found = {}
    for kind, questions in kinds.items():
        took = []
        ask(questions[0])
        for question in questions:
            began = time.perf_counter()
            ask(question)
            took.append(1000 * (time.perf_counter() - began))
        took.sort()
        found[kind] = took[len(took) // 2], took[int(len(took) * 0.95)]
    return found
