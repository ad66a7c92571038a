"""How a query is looked for in a large index: what is rare first, what is common only among the newest."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from memory.search.filters import Filters
from memory.search.query import Term
from memory.search.stems import spellings
from memory.search.stretch import Stretch

WORDS_MAX = 6
"""More words than this cost time and add nothing: the rarest are kept."""

RANKED_MAX = 10_000
"""So many passages are ranked one by one (a thousandth of a second a thousand); of more, only the newest."""

NEWEST = 3_000
"""Of what matches too often, so many of the newest are ranked."""

SOME_MAX = 10_000
"""Passages with any of the words are looked at until there are so many: all of them are ranked, the oldest, too."""

BEGUN_MAX = 3
"""So many words may all be beginnings of what is meant; more are a question, and written out."""

COMMON_PHRASE = 20_000
"""A phrase whose rarest word is in so many passages is not looked for in all of them."""

KEYS_MAX = 48
"""More months than this are looked for as years."""


Reached = Mapping[tuple[str, ...], Sequence[tuple[str, ...]]]
"""The addresses and numbers, in words, of those who go by the words of a name: a chat may know a number alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """A term and what it stands for in the index.

    variants: words of the index with how well they fit, 0 to 1. documents: how many passages hold any of them.
    """

    term: Term
    variants: Mapping[str, float]
    documents: int

    @property
    def is_beginning(self) -> bool:
        """Whether it is looked for as the beginning of words: it was meant so, or nobody ever wrote it out."""
        return self.term.shape == "beginning" or (self.term.shape == "word" and not self.variants)

    @property
    def beginnings(self) -> tuple[str, ...]:
        """With what a longer word may begin; in every spelling, umlauts written out or not, where it is looked for as one."""
        own = self.term.words[0]
        return (own, *(one for one in spellings(own)[1:] if len(one) > 2)) if self.is_beginning else (own,)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """One full-text expression.

    is_last_resort: worth its time only when nothing was found before. is_common: the newest will do: what it finds is as
    good in one passage as in another, and is in very many.
    """

    match: str
    is_last_resort: bool = False
    is_common: bool = False


def stages(known: Sequence[Known], narrow: str = "") -> tuple[Stage, ...]:
    """Expressions to be tried in order until there is enough: all terms, then as beginnings, then any of the rarer ones.

    narrow: what must hold besides, as an expression; alone, when there are no terms.
    """
    if not known:
        return (Stage(match=narrow),) if narrow else ()
    must = _rarest(one for one in known if not one.term.is_optional)
    every = " AND ".join(_expression(one) for one in must)
    begun = " AND ".join(_begun(one) for one in must)
    some = " OR ".join(_expression(one) for one in _affordable(_rarest(known)))
    # Beginnings of several words at once take long to look for, and what they find is far from what was asked.
    is_question = len(must) > BEGUN_MAX
    found = dict.fromkeys(match for match in (every, "" if is_question else begun, some) if match)
    is_common = len(known) == 1 and known[0].term.shape == "phrase" and known[0].documents > COMMON_PHRASE
    return tuple(
        Stage(
            match=_narrowed(match, narrow),
            is_last_resort=match == begun != every and len(must) > 1,
            is_common=is_common,
        )
        for match in found
    )


def _rarest(known: Iterable[Known]) -> list[Known]:
    """What must be kept by its nature, then the rarest words: those nobody wrote come last."""
    ordered = sorted(known, key=lambda one: (one.term.shape == "word", not one.documents, one.documents))
    return ordered[:WORDS_MAX]


def _affordable(known: Sequence[Known]) -> list[Known]:
    """The rarest ones, as long as they are held by few passages together; one at least."""
    ordered = sorted(known, key=lambda one: one.documents)
    total = 0
    kept: list[Known] = []
    for one in ordered:
        total += one.documents
        if kept and total > SOME_MAX:
            break
        kept.append(one)
    return kept


def _narrowed(match: str, narrow: str) -> str:
    words = f"- {{keys}} : ({match})"
    return f"({words}) AND ({narrow})" if narrow else words


def _expression(one: Known) -> str:
    if one.term.shape == "phrase":
        return quoted(" ".join(one.term.words))
    if one.is_beginning:
        return _begun(one)
    variants = [quoted(word) for word in one.variants]
    return variants[0] if len(variants) == 1 else f"({' OR '.join(variants)})"


def _begun(one: Known) -> str:
    word = one.term.words[0]
    if one.term.shape == "phrase" or (len(word) < 3 and not one.is_beginning):
        return quoted(" ".join(one.term.words))
    begun = [f"{quoted(spelled)} *" for spelled in one.beginnings]
    return begun[0] if len(begun) == 1 else f"({' OR '.join(begun)})"


def narrowing(
    filters: Filters, spelled: Mapping[str, Sequence[str]], keys: Sequence[str] = (), reached: Reached | None = None
) -> str:
    """The filters as an expression. spelled: how each word of a name or place stands in the index; keys: of the dates."""
    also = reached or {}
    parts = [_in_column("who", words, spelled, also.get(words, ())) for words in filters.writers]
    parts += [_in_column("people", words, spelled, also.get(words, ())) for words in filters.others]
    parts += [" OR ".join(f"({_in_column('place', words, spelled)})" for words in filters.places)]
    parts += [_any_key(f"c{corpus}" for corpus in sorted(filters.corpora))]
    parts += [_any_key([f"x{tag}"]) for tag in filters.tags]
    parts += [_any_key(["mine"]) if filters.by_owner else "", _any_key(keys)]
    return " AND ".join(f"({part})" for part in parts if part)


def _in_column(
    column: str, words: Sequence[str], spelled: Mapping[str, Sequence[str]], also: Sequence[Sequence[str]] = ()
) -> str:
    each = [" OR ".join(quoted(form) for form in spelled.get(word) or (word,)) for word in words]
    named = " AND ".join(f"({one})" for one in each)
    return f"{{{column}}} : ({' OR '.join((f'({named})', *(quoted(' '.join(one)) for one in also)))})"


def _any_key(keys: Iterable[str]) -> str:
    listed = " OR ".join(quoted(key) for key in keys)
    return f"{{keys}} : ({listed})" if listed else ""


def date_keys(after_at: datetime | None, before_at: datetime | None, months: Iterable[str]) -> list[str]:
    """The keys of a stretch of time, of the months that the index knows ("202603"); [] when every one lies in it.

    They cover it, and at its ends somewhat more.
    """
    known = sorted(months)
    first = after_at.strftime("%Y%m") if after_at else ""
    last = before_at.strftime("%Y%m") if before_at else "9"
    within = [month for month in known if first <= month <= last]
    if len(within) == len(known):
        return []
    if len(within) <= KEYS_MAX:
        return [f"m{month}" for month in within] or ["m000000"]
    return [f"y{year}" for year in sorted({month[:4] for month in within})]


def newest_keys(months: Mapping[str, int], wanted: int, within: Stretch | None = None) -> list[str]:
    """Keys of the newest months that hold `wanted` passages together; months: how many each holds."""
    first, last = _ends(within)
    total, kept = 0, list[str]()
    for month in sorted((month for month in months if first <= month <= last), reverse=True):
        if total >= wanted:
            break
        kept.append(f"m{month}")
        total += months[month]
    return kept[:KEYS_MAX]


def _ends(within: Stretch | None) -> tuple[str, str]:
    return (within.from_at.strftime("%Y%m"), within.to_at.strftime("%Y%m")) if within else ("", "9")


def quoted(word: str) -> str:
    """A word, or words in a row, as full text takes them."""
    return '"' + word.replace('"', '""') + '"'
