"""Portions: how many mails are read in one go, and committed together."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

MAILS_LIMIT = 50
BYTES_LIMIT = 1024 * 1024

T = TypeVar("T")


def portions(items: Iterable[tuple[T, int]]) -> Iterator[list[T]]:
    """Items in their order, so many that neither limit is passed; one that is larger than the limit comes alone."""
    portion: list[T] = []
    total_bytes = 0
    for item, size_bytes in items:
        if portion and (len(portion) == MAILS_LIMIT or total_bytes + size_bytes > BYTES_LIMIT):
            yield portion
            portion, total_bytes = [], 0
        portion.append(item)
        total_bytes += size_bytes
    if portion:
        yield portion


def chunks(uids: Sequence[int], count: int) -> Iterator[Sequence[int]]:
    """Parts of at most `count`."""
    for start in range(0, len(uids), count):
        yield uids[start : start + count]
