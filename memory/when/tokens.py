"""A text cut into words, numbers and signs, each with its place."""

import re
from dataclasses import dataclass

from memory.when.words import COMPOUND_HEADS, COMPOUND_TAILS

TEXT_AT_MOST = 2_000
TOKENS_AT_MOST = 200

_TOKEN = re.compile(r"\d+|[^\W\d_]+|[^\s]")
_SPELLINGS = str.maketrans(
    {"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "’": "'", "–": "-", "—": "-", "‑": "-", "−": "-"}
)


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of the text: `word` is its plain spelling, `glued` says that no space stands before it."""

    word: str
    start: int
    end: int
    glued: bool
    capital: bool

    @property
    def is_number(self) -> bool:
        """Digits only."""
        return self.word.isascii() and self.word.isdigit()

    @property
    def is_word(self) -> bool:
        """Letters only."""
        return self.word.isalpha()


def tokens_of(text: str) -> list[Token]:
    """The first tokens of a text; what lies beyond the caps is not looked at."""
    tokens: list[Token] = []
    last = 0
    for found in _TOKEN.finditer(text[:TEXT_AT_MOST]):
        tokens += _split(found.group(), found.start(), glued=found.start() == last and found.start() > 0)
        last = found.end()
        if len(tokens) >= TOKENS_AT_MOST:
            break
    return tokens[:TOKENS_AT_MOST]


def plain(word: str) -> str:
    """One spelling for many: lower case, ä as ae."""
    return word.lower().translate(_SPELLINGS)


def _split(word: str, start: int, *, glued: bool) -> list[Token]:
    """One token, or the two of a German compound: Freitag|abend, Dienstag|spätabends."""
    lower = word.lower()
    cut = next((len(head) for head in COMPOUND_HEADS if lower.startswith(head) and _is_tail(lower[len(head) :])), 0)
    capital = word[0].isupper()
    if not cut:
        return [Token(plain(word), start, start + len(word), glued, capital)]
    return [
        Token(plain(word[:cut]), start, start + cut, glued, capital),
        Token(
            plain(word[cut:].removeprefix("s") if _is_joint(lower[cut:]) else word[cut:]),
            start + cut,
            start + len(word),
            True,
            False,
        ),
    ]


def _is_tail(rest: str) -> bool:
    return plain(rest) in COMPOUND_TAILS or _is_joint(rest)


def _is_joint(rest: str) -> bool:
    """The s that German puts between: Dienstag-s-abend."""
    return rest.startswith("s") and plain(rest) not in COMPOUND_TAILS and plain(rest[1:]) in COMPOUND_TAILS
