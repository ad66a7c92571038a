"""The same passages and questions with notmuch and tantivy, where they are installed."""

import re
import shutil
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evals.report import Report

if TYPE_CHECKING:
    from evals.search_scale import Sampled

Passages = Sequence[tuple[str, str, str]]
KINDS = ("1 common word", "1 word", "2 words", "3 words", "phrase")


def measured_peers(folder: Path, passages: Passages, sampled: "Sampled", report: Report) -> None:
    """Add their figures to the report."""
    kinds = {kind: questions for kind, questions in sampled.kinds().items() if kind in KINDS}
    for measure in (_tantivy, _notmuch):
        report.figures += measure(folder, passages, kinds)


def _tantivy(folder: Path, passages: Passages, kinds: dict[str, list[str]]) -> list[str]:
    try:
        import tantivy  # noqa: PLC0415  no part of the project
    except ImportError:
        return ["tantivy: not installed"]
    path = folder / "tantivy"
    path.mkdir()
    schema = tantivy.SchemaBuilder()
    for name in ("who", "title", "text"):
        schema.add_text_field(name, stored=False)
    index = tantivy.Index(schema.build(), path=str(path))
    began = time.perf_counter()
    writer = index.writer(heap_size=128_000_000, num_threads=1)
    for who, title, text in passages:
        writer.add_document(tantivy.Document(who=who, title=title, text=text))
    writer.commit()
    writer.wait_merging_threads()
    rate = len(passages) / (time.perf_counter() - began)
    index.reload()
    searcher = index.searcher()

    def ask(question: str) -> Any:
        every = question if question.startswith('"') else " AND ".join(question.split())
        return searcher.search(index.parse_query(every, ["who", "title", "text"]), 10)

    return _lines("tantivy", len(passages), rate, _size(path), _asked(kinds, ask))


def _notmuch(folder: Path, passages: Passages, kinds: dict[str, list[str]]) -> list[str]:
    if shutil.which("notmuch") is None:
        return ["notmuch: not installed"]
    mails = folder / "notmuch"
    for part in ("cur", "new", "tmp"):
        (mails / "inbox" / part).mkdir(parents=True)
    for n, (who, title, text) in enumerate(passages):
        head = f"From: {_plain(who)}\nSubject: {_plain(title)}\nMessage-ID: <{n}@eval>\nDate: Mon, 2 Mar 2020 10:00:00 +0000\n"
        content = f"{head}Content-Type: text/plain; charset=utf-8\n\n{text}"
        (mails / "inbox" / "cur" / f"{n}:2,S").write_text(content, encoding="utf-8", errors="replace")
    config = folder / "notmuch-config"
    config.write_text(f"[database]\npath={mails}\n[user]\nname=x\nprimary_email=x@example.org\n[new]\ntags=\n")

    def call(*words: str) -> str:
        done = subprocess.run(["notmuch", f"--config={config}", *words], capture_output=True, text=True, check=True)
        return done.stdout

    began = time.perf_counter()
    call("new", "--no-hooks", "--quiet")
    rate = len(passages) / (time.perf_counter() - began)
    took = _asked(kinds, lambda question: call("search", "--output=messages", "--limit=10", question))
    return _lines("notmuch (a process a question)", len(passages), rate, _size(mails / ".notmuch"), took)


def _plain(value: str) -> str:
    return re.sub(r"[^\x20-\x7e]", "?", value)[:300]


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _asked(kinds: dict[str, list[str]], ask: Callable[[str], Any]) -> dict[str, tuple[float, float]]:
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


def _lines(name: str, count: int, rate: float, size: int, took: dict[str, tuple[float, float]]) -> list[str]:
    times = "; ".join(f"{kind} {p50:.1f} / {p95:.1f}" for kind, (p50, p95) in took.items())
    return [
        f"{name}, {count:,} passages: {rate:,.0f} a second, index {size / 1e6:,.0f} MB ({size / max(1, count):.0f} bytes a passage)",
        f"{name}, ms p50 / p95: {times}",
    ]
