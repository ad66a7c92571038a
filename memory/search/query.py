"""From what somebody typed to a full-text query that is quick on a large store, and to the line that answers."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from unicodedata import combining, normalize

WORDS_MAX = 6
"""More words than this cost time and add nothing: the rarest are kept."""

COMMON_DOCUMENTS = 20_000
"""A word in more passages than this is common: ranking its every match takes longer than a person waits."""

LINE_LENGTH = 300

_WORD = re.compile(r"\w+", re.UNICODE)
_STOP = frozenset(
    [
        "a",
        "an",
        "and",
        "are",
        "as",
        "at",
        "be",
        "by",
        "can",
        "did",
        "do",
        "does",
        "for",
        "from",
        "had",
        "has",
        "have",
        "how",
        "i",
        "in",
        "is",
        "it",
        "me",
        "my",
        "of",
        "on",
        "or",
        "our",
        "she",
        "he",
        "that",
        "the",
        "their",
        "them",
        "they",
        "this",
        "to",
        "us",
        "was",
        "we",
        "were",
        "what",
        "when",
        "where",
        "which",
        "who",
        "will",
        "with",
        "you",
        "your",
        "about",
        "any",
        "tell",
        "show",
        "find",
        "der",
        "die",
        "das",
        "ein",
        "eine",
        "einen",
        "einem",
        "einer",
        "und",
        "oder",
        "ist",
        "sind",
        "war",
        "waren",
        "im",
        "in",
        "am",
        "an",
        "auf",
        "aus",
        "bei",
        "von",
        "vom",
        "zu",
        "zum",
        "zur",
        "mit",
        "für",
        "ich",
        "du",
        "er",
        "sie",
        "es",
        "wir",
        "ihr",
        "mir",
        "mich",
        "dir",
        "dich",
        "uns",
        "was",
        "wann",
        "wo",
        "wer",
        "wie",
        "hat",
        "habe",
        "haben",
        "hatte",
        "über",
        "den",
        "dem",
        "des",
        "nicht",
        "mein",
        "meine",
        "dein",
        "deine",
        "sein",
        "seine",
    ]
)


def folded(text: str) -> str:
    """Lower case without accents, as the index folds its words ("Müller" is "muller")."""
    return "".join(ch for ch in normalize("NFKD", text.lower()) if not combining(ch))


def words_of(query: str) -> tuple[str, ...]:
    """The words worth looking for: folded, each once, function words only when there is nothing else."""
    # Composed first: an "ü" typed as two characters would fall apart into two words.
    raw = list(dict.fromkeys(_WORD.findall(normalize("NFC", query.lower()[:1000]))))
    telling = [word for word in raw if word not in _STOP]
    return tuple(dict.fromkeys(folded(word) for word in (telling or raw)))


@dataclass(frozen=True, slots=True)
class Plan:
    """Full-text expressions to be tried in order until there are enough hits."""

    matches: tuple[str, ...]
    words: tuple[str, ...]
    recent_only: bool = False


def plan(words: Sequence[str], documents: Mapping[str, int]) -> Plan:
    """How to look for `words`, given how many passages hold each.

    All of them first; then the same as beginnings of words; then any of the rarer ones.
    """
    kept = sorted(words, key=lambda word: documents.get(word, 0))
    kept = [word for word in kept if documents.get(word)][:WORDS_MAX] or kept[:WORDS_MAX]
    rare = [word for word in kept if documents.get(word, 0) <= COMMON_DOCUMENTS]
    missing = [word for word in words if not documents.get(word)]
    every = " AND ".join(_quoted(word) for word in kept + [word for word in missing if word not in kept][:2])
    prefixes = " AND ".join(f"{_quoted(word)}*" for word in words[:WORDS_MAX] if len(word) > 2)
    some = " OR ".join(_quoted(word) for word in rare)
    matches = tuple(dict.fromkeys(match for match in (every, prefixes, some) if match))
    return Plan(matches, tuple(words), recent_only=not rare)


def _quoted(word: str) -> str:
    return '"' + word.replace('"', '""') + '"'


def best_line(text: str, words: Collection[str]) -> str:
    """The line of `text` that holds most of `words`, cut around the first of them if it is long."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if not lines:
        return ""
    line = max(lines, key=lambda candidate: _score(candidate, words))
    if len(line) <= LINE_LENGTH:
        return line
    low = folded(line)
    first = min((low.find(word) for word in words if word in low), default=0)
    start = max(0, min(first - LINE_LENGTH // 3, len(line) - LINE_LENGTH))
    end = start + LINE_LENGTH
    return ("…" if start else "") + line[start:end].strip() + ("…" if end < len(line) else "")


def _score(line: str, words: Collection[str]) -> int:
    held = set(_WORD.findall(folded(line)))
    # A quoted line repeats what somebody else said: it answers only when nothing else does.
    return 2 * sum(word in held or any(other.startswith(word) for other in held) for word in words) - line.startswith(
        ">"
    )
