"""Words that stand for one another: folded spellings, umlauts written out or left out, and forms of one stem.

The index holds words as they were written, without accents; what a query's word may stand for is found when it is asked.
"""

import re
from functools import lru_cache
from itertools import product
from unicodedata import combining, normalize

from snowballstemmer import stemmer

WORD = re.compile(r"\w+", re.UNICODE)

STEMMED_MIN = 4
"""Shorter words have no endings to speak of: "bus" is not "bu"."""

SPELLINGS_MAX = 8

_ENGLISH = stemmer("english")
_GERMAN = stemmer("german")
_WRITTEN_OUT = {"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"}
_LEFT_OUT = re.compile(r"ae|oe|ue|ss|ß|[aou]")
_EITHER = {
    "ae": ("ae", "a"),
    "oe": ("oe", "o"),
    "ue": ("ue", "u"),
    "ss": ("ss", "ß"),
    "ß": ("ß", "ss"),
    "a": ("a", "ae"),
    "o": ("o", "oe"),
    "u": ("u", "ue"),
}


def folded(text: str) -> str:
    """Lower case without accents, as the index folds its words ("Müller" is "muller")."""
    low = text.lower()
    return low if low.isascii() else "".join(ch for ch in normalize("NFKD", low) if not combining(ch))


@lru_cache(maxsize=4096)
def spellings(word: str) -> tuple[str, ...]:
    """The folded spellings that a word may have in the index, its own first: "Müller" muller, mueller; "strasse" straße.

    Which of them exist, the index knows. A word with many vowels is only tried with one change at a time.
    """
    own = folded(word)
    places = list(_LEFT_OUT.finditer(own))
    options = [_EITHER[place[0]] for place in places]
    if 2 ** len(options) > SPELLINGS_MAX:
        picks = [
            tuple(option[n == changed] for n, option in enumerate(options)) for changed in (-1, *range(len(options)))
        ]
    else:
        picks = list(product(*options))
    return tuple(dict.fromkeys([own, *(_with(own, places, pick) for pick in picks)]))


def _with(word: str, places: list[re.Match[str]], pick: tuple[str, ...]) -> str:
    found, end = [], 0
    for place, text in zip(places, pick, strict=True):
        found += [word[end : place.start()], text]
        end = place.end()
    return "".join((*found, word[end:]))


@lru_cache(maxsize=65536)
def stems(word: str) -> frozenset[str]:
    """What remains of a folded word without its endings, by the rules of both languages."""
    if len(word) < STEMMED_MIN or not word.isalpha():
        return frozenset((word,))
    return frozenset((_ENGLISH.stemWord(word), _GERMAN.stemWord(word)))


def beginning(word: str) -> str:
    """How every form of the word begins, as far as endings go: "happiness" happ, "meeting" meet, "moving" mov."""
    shortest = min(stems(word), key=len)
    shared = shortest[:-1] if shortest[-1:] in "eiy" else shortest
    # A stemmer may change the letters that it leaves (ß to ss): then the word's own beginning is all there is.
    return shared if len(shared) >= STEMMED_MIN - 1 and word.startswith(shared) else word
