"""The embedder that the evals ask besides words: what STILLBELL_EMBEDDER says, as in the product.

It takes a tenth of a second and more for a text, so the evals remember vectors from one run to the next, in the folder
`STILLBELL_EVAL_VECTORS` (default: one in the folder for temporary files).
"""

import hashlib
import os
import sqlite3
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from memory.search.embedder import Embedder
from tools.embedding.choosing import embedder


def chosen() -> Embedder | None:
    """None when there is none, which the reports then say."""
    found = embedder(os.environ.get("STILLBELL_EMBEDDER"))
    if found is None:
        return None
    folder = os.environ.get("STILLBELL_EVAL_VECTORS") or Path(tempfile.gettempdir()) / "stillbell-eval-vectors"
    return Remembering(found, Path(folder))


class Remembering:
    """An embedder that looks up what it was asked before, in an earlier run, too."""

    def __init__(self, model: Embedder, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.name, self.dimension = model.name, model.dimension
        self._model = model
        self._lock = threading.Lock()
        path = folder / f"{hashlib.sha256(model.name.encode()).hexdigest()[:16]}.db"
        self._known = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=60)
        self._known.execute(
            "CREATE TABLE IF NOT EXISTS vectors (mark BLOB PRIMARY KEY, numbers BLOB NOT NULL) WITHOUT ROWID"
        )

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """A vector for each text."""
        there = [self._recalled("text", text) for text in texts]
        missing = [text for text, known in zip(texts, there, strict=True) if known is None]
        made = iter(self._model.embed(missing) if missing else [])
        return [self._kept("text", text, next(made)) if known is None else known
                for text, known in zip(texts, there, strict=True)]  # fmt: skip

    def embed_query(self, text: str) -> Sequence[float]:
        """The vector of a question."""
        known = self._recalled("question", text)
        return self._kept("question", text, self._model.embed_query(text)) if known is None else known

    def _recalled(self, kind: str, text: str) -> Sequence[float] | None:
        with self._lock:
            row = self._known.execute("SELECT numbers FROM vectors WHERE mark = ?", (_mark(kind, text),)).fetchone()
        found: Sequence[float] | None = np.frombuffer(row[0], dtype="<f4") if row else None  # type: ignore[assignment]
        return found

    def _kept(self, kind: str, text: str, vector: Sequence[float]) -> Sequence[float]:
        numbers = np.asarray(vector, dtype="<f4").tobytes()
        with self._lock:
            self._known.execute("INSERT OR IGNORE INTO vectors VALUES (?, ?)", (_mark(kind, text), numbers))
        return vector


def _mark(kind: str, text: str) -> bytes:
    return hashlib.sha256(f"{kind}\n{text}".encode("utf-8", "surrogatepass")).digest()
