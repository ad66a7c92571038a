"""Finding: the one path on which every question to what is kept is answered, and on which the exclusions stand."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from sqlalchemy import Connection, RowMapping

from memory.exclusion import Exclusions
from memory.search.attached import mail_of
from memory.search.chunking import Span
from memory.search.document import person_of
from memory.search.filters import Filters, Typed
from memory.search.found import By, Found, Group
from memory.search.fusion import fused
from memory.search.line import best_line
from memory.search.passage import CORPORA, Corpus, Hit
from memory.search.plan import Reached
from memory.search.query import Query, read_query
from memory.search.ranking import Candidate, Weighing, weigh, weighing
from memory.search.sharing import grouped
from memory.search.stems import WORD, folded
from memory.sql.candidates import Asked, Candidates
from memory.sql.lexicon import Lexicon
from memory.sql.owners import SqlOwners
from memory.sql.passages import people_in
from memory.sql.people_reading import Reading
from memory.sql.warm import Warm

if TYPE_CHECKING:
    from memory.sql.meanings import Meanings

NEAREST_MAX = 3
"""So many hits are shown to one word that stands nowhere, by meaning alone."""

REACHED_MAX = 40
"""So many addresses and numbers of those who go by a name are looked for beside it."""

_LONG_AGO = datetime(1, 1, 1, tzinfo=UTC)
_UTC = ZoneInfo("UTC")


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is asked. without: the ref that can't be an answer."""

    owner_id: int
    text: str
    wanted: int
    corpora: frozenset[Corpus]
    without: str | None
    now: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Answer:
    """Hits without their lines, best first, and what is needed to show them. holding: those that hold any of the words."""

    hits: Sequence[Hit] = ()
    rows: Mapping[int, RowMapping]
    pattern: Weighing | None = None
    is_of_any_time: bool = False
    unmet: tuple[Typed, ...] = ()
    kept: int = 0
    by_meaning: bool = False
    holding: frozenset[int] = frozenset()


class Finding:
    """The finding half of memory.tables.search.Search, on one connection."""

    def __init__(
        self,
        connection: Connection,
        exclusions: Callable[[], Exclusions],
        covered: Callable[[Collection[int]], Collection[int]],
        warm: Warm,
        meanings: "Meanings | None",
        *,
        looked: set[str],
    ) -> None:
        self._connection = connection
        self._exclusions = exclusions
        self._covered = covered
        self._warm = warm
        self._meanings = meanings
        self._looked = looked

    def find(self, question: Question) -> list[Hit]:
        """See memory.tables.search.Search."""
        answer = self._answer(question)
        return self._shown(answer, answer.hits[: question.wanted])

    def grouped(self, question: Question) -> Found:
        """See memory.tables.search.Search; `wanted` of each corpus."""
        answer = self._answer(question)
        groups = grouped(answer.hits, question.wanted)
        embedded = self._meanings.count if self._meanings else 0
        return Found(
            groups=tuple(replace(one, hits=tuple(self._shown(answer, one.hits))) for one in groups),
            by=_by(answer, groups),
            share_embedded=min(1.0, embedded / answer.kept) if answer.kept else 0.0,
            is_of_any_time=answer.is_of_any_time,
            unmet=answer.unmet,
        )

    def _answer(self, question: Question) -> _Answer:
        query = read_query(question.text, now=question.now, zone=self._zone(question))
        corpora = question.corpora & (query.filters.corpora or question.corpora)
        is_asked = not query.is_empty and bool(corpora)
        answer = self._once(question, query, corpora) if is_asked else _Answer(rows={})
        if is_asked and not answer.hits and query.is_timed_by_words:
            # The words of a time were no time: they are looked for like any others.
            answer = self._once(question, query.untimed(), corpora)
            answer = replace(answer, is_of_any_time=bool(answer.hits))
        unmet = (one for one in query.typed if one.only is None or not (answer.hits or self._meets(question, one.only)))
        return replace(answer, unmet=tuple(unmet))

    def _meets(self, question: Question, filters: Filters) -> bool:
        """Whether anything that may be found meets these filters. A time is understood or not; it is met by any."""
        query = Query(filters=filters.any_time())
        return query.is_empty or bool(self._once(question, query, filters.corpora or frozenset(CORPORA)).hits)

    def _zone(self, question: Question) -> ZoneInfo:
        if question.now is None:
            return _UTC
        return SqlOwners(self._connection).get(question.owner_id).zones.zone_at(question.now)

    def _once(self, question: Question, query: Query, corpora: frozenset[Corpus]) -> _Answer:
        lexicon = Lexicon(self._connection, self._warm)
        candidates = Candidates(self._connection, lexicon, self._meanings)
        known = lexicon.know((*query.terms, *query.spoken))
        asked = candidates.narrowed(
            Asked(
                owner_id=question.owner_id,
                query=query,
                known=known,
                filters=query.filters,
                corpora=corpora,
                wanted=question.wanted,
                reached=self._reached(question.owner_id, query.filters),
            )
        )
        # A word that is looked up and stands somewhere is found there, and not beside it.
        is_known = any(one.documents for one in known)
        is_asked = bool(query.terms) and not query.is_phrase and not (query.is_looked_up and is_known)
        has_meanings = is_asked and self._meanings is not None and self._meanings.count > 0
        vector = self._warm.question(query.meaning) if has_meanings else None
        rows, near = candidates.gather(asked, vector)
        rows = self.allowed(rows, question.without)
        around = candidates.around(rows)
        beside = self.allowed(candidates.rows(asked, _beside(around, rows)), question.without)
        everything = {**rows, **beside}
        if vector is not None and self._meanings is not None and near:
            near |= self._meanings.cosines(vector, list(beside))
        turns = candidates.around(beside) if beside and not asked.narrow else {}
        passages = {one: _candidate(row, {**turns, **around}.get(one)) for one, row in everything.items()}
        kept = sum(lexicon.corpora().values())
        pattern = weighing(known, kept, asks=query.asks, prefers=query.prefers)
        weighed = weigh(pattern, passages)
        if query.is_looked_up:
            near = _nearest(near, {one for one, told in weighed.items() if told.score})
        scores = fused(weighed, near, pattern.ideal, kept) if known else dict.fromkeys(rows, 1.0)
        # What was said around a hit tells of it. It answers a question; it is not what one word, a phrase or a filter looks for.
        may_hit = rows if asked.narrow or query.is_looked_up else everything
        return _Answer(
            hits=_ordered(scores, may_hit),
            rows=everything,
            pattern=pattern,
            kept=kept,
            by_meaning=has_meanings,
            holding=frozenset(one for one, told in weighed.items() if told.terms),
        )

    def _reached(self, owner_id: int, filters: Filters) -> Reached:
        names = {*filters.writers, *filters.others}
        if not names:
            return {}
        reading = Reading(self._connection, self._exclusions)
        return {
            name: [
                tuple(WORD.findall(folded(identity.value)))
                for person in reading.named(owner_id, " ".join(name))
                for identity in person.identities
                if identity.kind in ("address", "phone")
            ][:REACHED_MAX]
            for name in names
        }

    def allowed(self, rows: dict[int, RowMapping], without: str | None) -> dict[int, RowMapping]:
        """Those that the exclusions don't cover, and that aren't the question itself.

        Mails, and what came with them, are looked at by their mails' rows: in a passage's place the account's name stands
        before the folder.
        """
        mails = {one: mail_id for one, row in rows.items() if (mail_id := mail_of(row["ref"])) is not None}
        covered = self._covered(set(mails.values()))
        exclusions = self._exclusions()
        return {
            one: row
            for one, row in rows.items()
            if row["ref"] != without
            and mails.get(one) not in covered
            and (exclusions.is_empty or not exclusions.covers(_everybody(row), "" if one in mails else row["place"]))
        }

    def _shown(self, answer: _Answer, hits: Sequence[Hit]) -> list[Hit]:
        self._looked.update(hit.ref for hit in hits)
        spans = answer.pattern.spans if answer.pattern else _nothing
        with self._warm.lock:
            self._warm.uses.update(hit.id for hit in hits)
        return [_with_line(hit, answer.rows[hit.id], spans) for hit in hits]


def _by(answer: _Answer, groups: Sequence[Group]) -> By:
    if not answer.by_meaning:
        return "words"
    is_held = any(hit.id in answer.holding for group in groups for hit in group.hits)
    return "words and meaning" if is_held else "meaning"


def _everybody(row: RowMapping) -> list[tuple[str, str]]:
    return [person_of(row["who"]), *people_in(row["people"])]


def _nothing(_: str) -> list[Span]:
    return []


def _beside(around: Mapping[int, tuple[tuple[int, ...], tuple[int, ...]]], rows: Mapping[int, RowMapping]) -> list[int]:
    return [one for sides in around.values() for side in sides for one in side if one not in rows]


def _nearest(near: Mapping[int, float], held: Collection[int]) -> dict[int, float]:
    """How near those are that hold the word, and a few others: something is always nearest, most of it far off."""
    others = sorted((one for one in near if one not in held), key=lambda one: -near[one])[:NEAREST_MAX]
    return {one: near[one] for one in near if one in held or one in others}


def _candidate(row: RowMapping, around: tuple[tuple[int, ...], tuple[int, ...]] | None) -> Candidate:
    before, after = around or ((), ())
    names = ("id", "corpus", "who", "title", "text", "people", "place", "at")
    return Candidate(**{name: row[name] for name in names}, before=before, after=after)


def _ordered(scores: Mapping[int, float], rows: Mapping[int, RowMapping]) -> list[Hit]:
    """One hit for each document, best first, the newer of two that are as good."""
    order = sorted(
        (one for one in scores if one in rows),
        key=lambda one: (scores[one], rows[one]["at"] or _LONG_AGO, one),
        reverse=True,
    )
    hits: dict[str, Hit] = {}
    for one in order:
        row = rows[one]
        if row["ref"] not in hits:
            hits[row["ref"]] = _hit(row, scores[one])
    return list(hits.values())


def _hit(row: RowMapping, score: float) -> Hit:
    return Hit(
        id=row["id"],
        corpus=row["corpus"],
        ref=row["ref"],
        who=row["who"],
        title=row["title"],
        line="",
        at=row["at"],
        place=row["place"],
        part=row["part"],
        tags=tuple(row["tags"].split()),
        score=score,
    )


def _with_line(hit: Hit, row: RowMapping, spans: Callable[[str], list[Span]]) -> Hit:
    line, (start, end) = best_line(row["text"], spans)
    return replace(hit, line=line, span=(row["start"] + start, row["start"] + end))
