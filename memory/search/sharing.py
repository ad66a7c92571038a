"""A fair share for each corpus: half a million messages must not bury three handwritten sentences."""

from collections.abc import Sequence

from memory.search.found import Group
from memory.search.passage import CORPORA, Hit

SEATS = 5
"""One place in so many is kept for each corpus that has something to say."""

WORTH = 0.35
"""What is worse than this share of the best has no claim to a place."""


def shared(hits: Sequence[Hit], limit: int) -> list[Hit]:
    """The best `limit`, best first; each corpus has its own best among them if they are worth it. `hits`: best first."""
    if len(hits) <= limit:
        return list(hits)
    best = hits[0].score
    seats = max(1, limit // SEATS)
    kept = {
        hit.id: hit
        for corpus in CORPORA
        for hit in [one for one in hits if one.corpus == corpus and one.score >= WORTH * best][:seats]
    }
    places = sorted(kept.values(), key=lambda hit: -hit.score)[:limit]
    chosen = {hit.id for hit in places}
    rest = [hit for hit in hits if hit.id not in chosen][: limit - len(places)]
    chosen |= {hit.id for hit in rest}
    return [hit for hit in hits if hit.id in chosen]


def grouped(hits: Sequence[Hit], each: int) -> tuple[Group, ...]:
    """Corpus by corpus, `each` at most, the corpus with the best hit first. `hits`: best first."""
    order = dict.fromkeys(hit.corpus for hit in hits)
    return tuple(Group(corpus=one, hits=tuple([hit for hit in hits if hit.corpus == one][:each])) for one in order)
