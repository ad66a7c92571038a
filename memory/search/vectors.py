"""Vectors in small: eight bits a number on disk, one bit a number in memory, and finding the nearest among many.

A search looks at the signs of all (31 MB for 640,000 vectors of 384 numbers), then weighs the nearest few hundred by
their eight bits. Measured on 640,000: the same ten nearest as with all the figures for 97 in 100.
"""

from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

Ids = NDArray[np.int64]
Words = NDArray[np.uint64]

_NONE = np.empty(0, dtype=np.int64)


def in_eight_bits(vector: Sequence[float]) -> bytes:
    """A vector in one byte a number, as large as its largest number allows. What is no number counts as nothing."""
    numbers = np.nan_to_num(np.asarray(vector, dtype=np.float32), nan=0.0, posinf=0.0, neginf=0.0)
    largest = float(np.abs(numbers).max(initial=0.0)) or 1.0
    whole: NDArray[np.int8] = np.rint(numbers * (127.0 / largest)).astype(np.int8)
    return whole.tobytes()


def signs_of(weights: Sequence[bytes]) -> Words:
    """The signs of vectors in eight bits: a row each, in words of 64."""
    if not weights:
        return np.empty((0, 0), dtype=np.uint64)
    numbers = np.frombuffer(b"".join(weights), dtype=np.int8).reshape(len(weights), -1)
    return _packed(numbers >= 0)


def query_signs(vector: Sequence[float]) -> Words:
    """The same of a question."""
    found: Words = _packed(np.frombuffer(in_eight_bits(vector), dtype=np.int8)[None, :] >= 0)[0]
    return found


def _packed(is_positive: NDArray[np.bool_]) -> Words:
    missing = -is_positive.shape[1] % 64
    padded = np.pad(is_positive, ((0, 0), (0, missing))) if missing else is_positive
    packed = np.packbits(padded, axis=1)
    words: Words = np.frombuffer(packed.tobytes(), dtype=np.uint64)
    return words.reshape(len(packed), packed.shape[1] // 8)


def cosines(query: Sequence[float], weights: Sequence[bytes]) -> list[float]:
    """How near each vector in eight bits is to the question, -1 to 1."""
    if not weights:
        return []
    numbers = np.frombuffer(b"".join(weights), dtype=np.int8).reshape(len(weights), -1).astype(np.float32)
    asked = np.asarray(query, dtype=np.float32)
    lengths = np.linalg.norm(numbers, axis=1) * (np.linalg.norm(asked) or 1.0)
    return [float(each) for each in (numbers @ asked) / np.maximum(lengths, 1e-9)]


class Signs:
    """The signs of many vectors in memory, with the id of the passage that each stands for. Grows; forgets nothing by
    itself: a passage that is gone has no row to be weighed by."""

    def __init__(self) -> None:
        self._ids: Ids = _NONE
        self._kinds: NDArray[np.uint8] = np.empty(0, dtype=np.uint8)
        self._columns: Words = np.empty((0, 0), dtype=np.uint64)
        self._count = 0

    def __len__(self) -> int:
        return self._count

    @property
    def ids(self) -> Ids:
        """The passages, in the order of their vectors."""
        return self._ids[: self._count]

    def add(self, ids: Ids, kinds: bytes, signs: Words) -> None:
        """More of them, a row each. kinds: a number for the corpus of each."""
        if not len(ids):
            return
        self._grow(self._count + len(ids), signs.shape[1])
        end = self._count + len(ids)
        self._ids[self._count : end] = ids
        self._kinds[self._count : end] = np.frombuffer(kinds, dtype=np.uint8)
        self._columns[:, self._count : end] = signs.T
        self._count = end

    def _grow(self, wanted: int, words: int) -> None:
        if wanted <= self._ids.shape[0]:
            return
        room = max(wanted, self._ids.shape[0] * 5 // 4, 1024)
        ids, columns = np.zeros(room, dtype=np.int64), np.zeros((words, room), dtype=np.uint64)
        kinds = np.zeros(room, dtype=np.uint8)
        ids[: self._count] = self._ids[: self._count]
        kinds[: self._count] = self._kinds[: self._count]
        if self._count:
            columns[:, : self._count] = self._columns[:, : self._count]
        self._ids, self._kinds, self._columns = ids, kinds, columns

    def distances(self, query: Words) -> NDArray[np.uint16]:
        """In how many signs each differs from the question."""
        found = np.zeros(self._count, dtype=np.uint16)
        for column, word in zip(self._columns, query, strict=True):
            found += np.bitwise_count(column[: self._count] ^ word)
        return found

    def nearest(self, distances: NDArray[np.uint16], count: int, *, kind: int | None = None) -> list[int]:
        """The passages of the least distances, in no order; of one corpus only."""
        places = np.flatnonzero(self._kinds[: self._count] == kind) if kind is not None else np.arange(self._count)
        return self._least(distances, places, count)

    def nearest_of(self, distances: NDArray[np.uint16], count: int, ids: Collection[int]) -> list[int]:
        """The same among these passages."""
        wanted = np.fromiter(ids, dtype=np.int64, count=len(ids))
        return self._least(distances, np.flatnonzero(np.isin(self.ids, wanted)), count)

    def _least(self, distances: NDArray[np.uint16], places: NDArray[np.intp], count: int) -> list[int]:
        if len(places) > count:
            places = places[np.argpartition(distances[places], count)[:count]]
        return [int(each) for each in self.ids[places]]
