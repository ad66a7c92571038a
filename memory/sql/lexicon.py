"""The words of the index: which there are, how many passages hold each, and which of them a query's word stands for."""

import json
from collections.abc import Collection, Sequence

from sqlalchemy import Connection, text

from memory.search.filters import Filters
from memory.search.passage import CORPORA, Corpus
from memory.search.plan import Known
from memory.search.query import Term
from memory.search.stems import beginning, folded, spellings, stems
from memory.search.stopwords import ENGLISH, GERMAN
from memory.sql.warm import Warm

_WORDS = text("SELECT term, doc FROM passages_words WHERE term IN (SELECT value FROM json_each(:words))")
_BEGIN = text(
    "SELECT term, doc FROM passages_words WHERE term >= :low AND term < :high AND length(term) <= :longest LIMIT :most"
)
_MONTHS = text(
    "SELECT term, doc FROM passages_words WHERE term >= 'm1' AND term < 'm3' AND term GLOB 'm[12][0-9][0-9][0-9][01][0-9]'"
)
_SIZE = text("SELECT max(id) FROM passages")

FORMS_MAX = 8
"""So many forms of a word are looked for, the commonest first."""

LOOKED_THROUGH = 2_000

ENDING_MAX = 6
"""A form is at most so much longer than the word that was typed."""

STEM_MATE = 0.85
"""What another form of a word counts against the word itself."""


class Lexicon:
    """The index's own words, on one connection."""

    def __init__(self, connection: Connection, warm: Warm) -> None:
        self._connection = connection
        self._warm = warm
        warm.looked_up(self._connection.execute(_SIZE).scalar() or 0)

    def know(self, terms: Sequence[Term]) -> list[Known]:
        """Each term with the words that it stands for."""
        return [self._known(term) for term in terms]

    def _known(self, term: Term) -> Known:
        found: Known | None = self._warm.word(term)
        if found is None:
            found = {"word": self._word, "phrase": self._phrase, "beginning": self._beginning}[term.shape](term)
            # What nobody has written yet may be written any moment.
            if found.documents:
                self._warm.remember(term, found)
        return found

    def _word(self, term: Term) -> Known:
        own = term.words[0]
        near = dict(self._mates(own))
        # How common a common word is takes a while to count: what was counted with its mates is not counted again.
        spelled = {word: near[word] for word in spellings(own) if word in near}
        spelled |= self.documents([word for word in spellings(own) if word not in near])
        counts = {word: spelled[word] for word in spellings(own) if word in spelled}
        forms = dict.fromkeys(counts, 1.0)
        for mates in (near.items(), *(self._mates(each) for each in counts if each != own)):
            for other, documents in mates:
                if other not in forms:
                    forms[other] = STEM_MATE
                    counts[other] = documents
        kept = sorted(forms, key=lambda word: (-forms[word], -counts[word]))[:FORMS_MAX]
        return Known(term=term, variants={w: forms[w] for w in kept}, documents=sum(counts[w] for w in kept))

    def _mates(self, word: str) -> list[tuple[str, int]]:
        """Words of the index that share a stem with this one."""
        start = beginning(word)
        if start == word and stems(word) == {word} and len(word) < 4:
            return []
        own = stems(word)
        rows = self._from(start, len(word) + ENDING_MAX)
        return [(other, documents) for other, documents in rows if other.isalpha() and own & stems(other)]

    def _phrase(self, term: Term) -> Known:
        # Function words are never the rarest, and counting them takes the longest.
        telling = [word for word in term.words if word not in ENGLISH and word not in GERMAN]
        counts = self.documents(telling)
        rarest = min((counts.get(word, 0) for word in telling), default=sum(self.corpora().values()) // 2)
        return Known(term=term, variants={}, documents=rarest)

    def _beginning(self, term: Term) -> Known:
        rows = self._from(term.words[0], len(term.words[0]) + 40)
        return Known(term=term, variants={}, documents=sum(documents for _, documents in rows))

    def _from(self, start: str, longest: int) -> list[tuple[str, int]]:
        high = start[:-1] + chr(min(ord(start[-1]) + 1, 0x10FFFF))
        given = {"low": start, "high": high, "longest": longest, "most": LOOKED_THROUGH}
        return [(row.term, row.doc) for row in self._connection.execute(_BEGIN, given)]

    def documents(self, words: Collection[str]) -> dict[str, int]:
        """How many passages hold each of these words, of those that any does."""
        rows = self._connection.execute(_WORDS, {"words": json.dumps(sorted(words))})
        return dict(rows.all())

    def spelled(self, filters: Filters) -> dict[str, list[str]]:
        """How each word of a filter's names and places stands in the index."""
        words = {
            word for several in (filters.writers, filters.others, filters.places) for name in several for word in name
        }
        found = {}
        for word in sorted(words):
            there = self.documents(spellings(word))
            found[word] = list(there) or [folded(word)]
        return found

    def months(self) -> dict[str, int]:
        """How many passages are of each month ("202603")."""
        found: dict[str, int] | None = self._warm.word("months")
        if found is None:
            found = {row.term[1:]: row.doc for row in self._connection.execute(_MONTHS)}
            self._warm.remember("months", found)
        return found

    def corpora(self) -> dict[Corpus, int]:
        """How many passages are of each corpus, of those that have any."""
        found: dict[Corpus, int] | None = self._warm.word("corpora")
        if found is None:
            counts = self.documents([f"c{corpus}" for corpus in CORPORA])
            found = {corpus: counts[f"c{corpus}"] for corpus in CORPORA if f"c{corpus}" in counts}
            self._warm.remember("corpora", found)
        return found
