"""What a model proposes as a fact, and what it must stand up to before it is one. Every check is code.

    a kind that may be proposed ─► a source it was shown ─► the quote stands there ─► said by them of themselves, or to
    them by the owner ─► every word of the value stands in the sentence ─► nothing negated, asked or supposed

So nothing that a hostile text makes a model write can be more than a sentence which stands in that text, said by the very
person whom it is about, under a kind of ours.
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from memory.fact_kinds import ASKED_FOR, FactKind
from memory.facts.quote import QUOTE_MAX, sentence_around, standing_in
from memory.facts.value import fault_in, folded, plain
from memory.search.passage import Corpus

Fault = Literal["garbled", "kind", "value", "source", "quote", "person", "ungrounded", "negated", "supposed"]
"""Why a proposal is dropped; the counts are kept, the words are not."""

BAD_QUOTE: frozenset[Fault] = frozenset({"source", "quote"})

_KINDS: Mapping[str, FactKind] = {kind.name: kind for kind in ASKED_FOR}

_FIRST = re.compile(
    r"\b(?:i|i['’]?m|i['’]?ve|i['’]?ll|me|my|mine|myself|ich|mich|mir|mein\w*|bin|hab|habe)\b", re.IGNORECASE
)
_WE = re.compile(r"\b(?:we|our|us|wir|uns|unser\w*)\b", re.IGNORECASE)
_SECOND = re.compile(
    r"\b(?:you|you['’]re|your|yours|du|dich|dir|dein\w*|euch|euer|eure\w*)\b|\b(?:Sie|Ihnen|Ihre?[nmrs]?)\b"
)
_RELATIVE = re.compile(
    r"\b(?:my|our|your|mein\w*|unser\w*|dein\w*|ihre?[nmr]?)\s+(?:\w+\s+)?(?:wife|husband|partner|girlfriend|boyfriend|fianc[eé]e?|son|daughter"
    r"|kids?|children|child|mother|mom|mum|father|dad|parents|brother|sister|boss|colleague|friend|neighbou?r|assistant"
    r"|frau|mann|freund(?:in)?|sohn|tochter|kind(?:er)?|mutter|mama|vater|papa|eltern|bruder|schwester|chef(?:in)?"
    r"|kolleg(?:e|in|en)|nachbar(?:in)?)\b",
    re.IGNORECASE,
)
_NOT = re.compile(
    r"\b(?:not|no|never|none|neither|nor|without|cannot|hardly|nicht|nichts|nie|niemals|kein\w*|weder|ohne)\b|n['’]t\b",
    re.IGNORECASE,
)
_SUPPOSED = re.compile(
    r"\b(?:if|unless|suppose|imagine|would|could|might|wenn|falls|wäre|wären|würde\w*|könnte\w*|angenommen|vielleicht|maybe|perhaps)\b",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"[,;:–—]\s")
_PASSING = frozenset(
    [
        "a",
        "an",
        "the",
        "of",
        "in",
        "at",
        "on",
        "to",
        "for",
        "and",
        "or",
        "with",
        "by",
        "as",
        "is",
        "no",
        "not",
        "two",
        "der",
        "die",
        "das",
        "ein",
        "eine",
        "im",
        "am",
        "bei",
        "in",
        "und",
        "oder",
        "mit",
        "von",
        "zu",
        "fur",
        "als",
        "ist",
    ]
)
_STEM = 5
"""Words of a value are found again by so many first letters: "vegetarian" in "vegetarians"."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FactPassage:
    """What a model is shown: the words themselves, without quotes and signature. by_them: the person wrote it, else the
    owner did, to them alone."""

    corpus: Corpus
    ref: str
    text: str
    at: datetime
    who: str
    by_them: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """One that stood up to everything: the quote is as it stands in the passage."""

    kind: str
    value: str
    quote: str
    passage: FactPassage


def weigh(proposed: Any, passages: Mapping[str, FactPassage], *, names: Collection[str]) -> Proposal | Fault:
    """What a model proposed, or why it is none. passages: those it was shown, by what they were called there. names: what
    the person goes by, as folded words."""
    if not isinstance(proposed, Mapping) or not all(isinstance(proposed.get(name), str) for name in _FIELDS):
        return "garbled"
    kind, value, passage = _KINDS.get(proposed["kind"]), plain(proposed["value"]), passages.get(proposed["ref"])
    if kind is None:
        return "kind"
    if fault_in(kind.name, value):
        return "value"
    if passage is None:
        return "source"
    quote = standing_in(passage.text, proposed["quote"])
    sentence = sentence_around(passage.text, proposed["quote"])
    if quote is None or sentence is None:
        return "quote"
    fault = _fault(kind, value, sentence, passage, names)
    return fault or Proposal(
        kind=kind.name, value=value, quote=sentence if len(sentence) <= QUOTE_MAX else quote, passage=passage
    )


_FIELDS = ("kind", "value", "quote", "ref")


def _fault(kind: FactKind, value: str, sentence: str, passage: FactPassage, names: Collection[str]) -> Fault | None:
    if not _is_about_them(kind, sentence, passage, names):
        return "person"
    if not _is_grounded(value, sentence):
        return "ungrounded"
    if kind.name == "asked":
        return None
    if bool(_NOT.search(_up_to(value, sentence))) != bool(_NOT.search(value)):
        return "negated"
    return "supposed" if sentence.endswith("?") or _SUPPOSED.search(sentence) else None


def _up_to(value: str, sentence: str) -> str:
    """The sentence as far as the clause in which the last word of the value stands: what is negated later is another matter."""
    last = max((sentence.lower().rfind(word.lower()[:_STEM]) for word in value.split()), default=0)
    end = _CLAUSE.search(sentence, max(last, 0))
    return sentence[: end.start()] if end else sentence


def _is_about_them(kind: FactKind, sentence: str, passage: FactPassage, names: Collection[str]) -> bool:
    """Said by them of themselves; or by the owner, to them alone, of them."""
    if kind.name == "answered":
        return not passage.by_them and _FIRST.search(sentence) is not None
    if not kind.is_of_others and _RELATIVE.search(sentence):
        return False
    if kind.name in ("met", "together") and _WE.search(sentence):
        return True
    if passage.by_them:
        return _FIRST.search(sentence) is not None or (kind.name == "asked" and _SECOND.search(sentence) is not None)
    if kind.name == "asked":
        return False
    words = set(folded(sentence).split())
    return _SECOND.search(sentence) is not None or not words.isdisjoint(names)


def _is_grounded(value: str, sentence: str) -> bool:
    """Whether every word of the value stands in the sentence, but for those that say nothing alone."""
    there = folded(sentence).split()
    words = [word for word in folded(value).split() if word not in _PASSING]
    return bool(words) and all(
        any(one == word or (len(word) >= _STEM and one.startswith(word[:_STEM])) for one in there) for word in words
    )
