"""The audit's chain: each row's hash takes in the hash of the row before, so that a removed or changed row shows.

    GENESIS ─► sha-256(hash before + row 1) ─► sha-256(hash before + row 2) ─► … ─► head

Rows cut off at the end show only against a head that was written down elsewhere (a backup, an export).
"""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from memory.canonical import Plain, canonical

GENESIS = "0" * 64
"""What stands before the first row."""


@dataclass(frozen=True, slots=True)
class Link:
    """A row with the hash that was written beside it."""

    row: Mapping[str, Plain]
    hash: str


@dataclass(frozen=True, slots=True)
class Broken:
    """Where the chain first breaks: the place in order, from 0; the number of rows when the end is not the known head."""

    place: int
    because: str


@dataclass(frozen=True, slots=True)
class Verified:
    """What looking at the whole chain found. head: the hash at its end, to be written down elsewhere."""

    broken: Broken | None
    count: int
    head: str


def link(previous: str, row: Mapping[str, Plain]) -> Link:
    """The row as it is to be written after the one whose hash is `previous`. Raises ValueError for a float in it."""
    return Link(row, hashlib.sha256(bytes.fromhex(previous) + canonical(row)).hexdigest())


def verify(links: Iterable[Link], *, start: str = GENESIS, head: str | None = None) -> Broken | None:
    """The first broken place, or None. `head`: the hash that is known to stand at the end, or further on.

    Rows are taken in the order in which they were written, one after another, so any number may be checked.
    """
    previous, place = start, 0
    seen = head is None or head == start
    for one in links:
        if link(previous, one.row).hash != one.hash:
            return Broken(place, "a row was changed, removed, put in or moved before this place")
        previous, place = one.hash, place + 1
        seen = seen or one.hash == head
    return None if seen else Broken(place, "the end of the chain is missing")
