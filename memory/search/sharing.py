"""A fair share for each corpus: half a million messages must not bury three handwritten sentences."""

from collections.abc import Sequence

from memory.search.found import Group
from memory.search.passage import Hit

WORTH = 0.35
"""The best of a corpus comes before the others if it is at least this share of the best of all."""


def grouped(hits: Sequence[Hit], each: int) -> tuple[Group, ...]:
    """Corpus by corpus, `each` at most, the corpus with the best hit first. `hits`: best first."""
    order = dict.fromkeys(hit.corpus for hit in hits)
    return tuple(Group(corpus=one, hits=tuple([hit for hit in hits if hit.corpus == one][:each])) for one in order)
