"""multilingual-e5-small (MIT) on the processor, by numpy alone: about a hundred languages, German and English among them.

It finds within a language; across two it prefers the texts in the question's own, so that no promise is made there.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from tools.embedding.pieces import Pieces
from tools.embedding.weights import Floats, Weights

PIECES_MAX = 256
"""A longer passage is cut: what a vector is to tell stands at the beginning."""

AT_ONCE = 2048
"""So many pieces of several texts go through a layer together."""

NAME = "multilingual-e5-small/q4"


@dataclass(frozen=True, slots=True)
class _Layer:
    attention: Floats
    attention_bias: Floats
    out: Floats
    out_bias: Floats
    out_norm: tuple[Floats, Floats]
    inner: Floats
    inner_bias: Floats
    outer: Floats
    outer_bias: Floats
    outer_norm: tuple[Floats, Floats]


class E5:
    """See memory.search.embedder.Embedder. Opening reads about 100 MB and unpacks them; it takes a second or two."""

    name = NAME

    def __init__(self, path: Path) -> None:
        self._weights = Weights(path)
        self._pieces = Pieces(self._weights.vocabulary)
        # One core for a text, whatever the machine has: the rest of it is the owner's.
        threadpool_limits(1, user_api="blas")
        weights, shape = self._weights, self._weights.shape
        self.dimension = shape.width
        self._position = weights.floats("emb.pos").reshape(-1, shape.width) + weights.floats("emb.type")[: shape.width]
        self._norm = (weights.floats("emb.ln.w"), weights.floats("emb.ln.b"))
        self._layers = [self._layer(number) for number in range(shape.layers)]

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """A vector for each passage."""
        return [self._tolist(vector) for vector in self._all([f"passage: {text}" for text in texts])]

    def embed_query(self, text: str) -> Sequence[float]:
        """The vector of a question."""
        return self._tolist(self._all([f"query: {text}"])[0])

    @staticmethod
    def _tolist(vector: Floats) -> Sequence[float]:
        found: list[float] = vector.tolist()
        return found

    def _all(self, texts: Sequence[str]) -> list[Floats]:
        cut = [self._pieces.ids(text, PIECES_MAX) for text in texts]
        vectors: dict[int, Floats] = {}
        batch: list[int] = []
        # The short ones first: so many of them make up a batch that few batches are needed.
        for number in sorted(range(len(cut)), key=lambda each: len(cut[each])):
            if batch and sum(len(cut[each]) for each in batch) + len(cut[number]) > AT_ONCE:
                vectors |= self._several(batch, cut)
                batch = []
            batch.append(number)
        vectors |= self._several(batch, cut) if batch else {}
        return [vectors[number] for number in range(len(texts))]

    def _several(self, numbers: Sequence[int], cut: Sequence[Sequence[int]]) -> dict[int, Floats]:
        """The vectors of some texts, whose pieces go through the layers together."""
        ids = np.array([piece for number in numbers for piece in cut[number]], dtype=np.intp)
        places = np.concatenate([np.arange(len(cut[number])) for number in numbers])
        ends = np.cumsum([len(cut[number]) for number in numbers])
        spans = list(zip(np.concatenate(([0], ends[:-1])).tolist(), ends.tolist(), strict=True))
        told = self._weights.rows("emb.word", ids, self.dimension) + self._position[places]
        told = self._normed(told, self._norm)
        for layer in self._layers:
            told = self._through(layer, told, spans)
        means = [told[start:end].mean(axis=0) for start, end in spans]
        return {n: _of_length_one(mean) for n, mean in zip(numbers, means, strict=True)}

    def _through(self, layer: _Layer, told: Floats, spans: Sequence[tuple[int, int]]) -> Floats:
        mixed = told @ layer.attention + layer.attention_bias
        seen = np.empty_like(told)
        for start, end in spans:
            seen[start:end] = self._attended(mixed[start:end])
        told = self._normed(told + (seen @ layer.out + layer.out_bias), layer.out_norm)
        inner = _gelu(told @ layer.inner + layer.inner_bias)
        return self._normed(told + (inner @ layer.outer + layer.outer_bias), layer.outer_norm)

    def _attended(self, mixed: Floats) -> Floats:
        """What each piece of one text takes from all of its pieces."""
        heads = self._weights.shape.heads
        size = self.dimension // heads
        asks, offers, gives = mixed.reshape(len(mixed), 3, heads, size).transpose(1, 2, 0, 3)
        fits = asks @ offers.transpose(0, 2, 1) * np.float32(size**-0.5)
        fits -= fits.max(axis=2, keepdims=True)
        np.exp(fits, out=fits)
        fits /= fits.sum(axis=2, keepdims=True)
        together: Floats = np.ascontiguousarray((fits @ gives).transpose(1, 0, 2)).astype(np.float32, copy=False)
        return together.reshape(len(mixed), self.dimension)

    def _normed(self, told: Floats, norm: tuple[Floats, Floats]) -> Floats:
        told = (told - told.mean(axis=1, keepdims=True)).astype(np.float32, copy=False)
        spread = np.sqrt((told * told).mean(axis=1, keepdims=True) + self._weights.shape.epsilon)
        result: Floats = told / spread * norm[0] + norm[1]
        return result

    def _layer(self, number: int) -> _Layer:
        weights, width, inner = self._weights, self.dimension, self._weights.shape.inner

        def matrix(name: str, rows: int, columns: int) -> Floats:
            return np.ascontiguousarray(weights.matrix(f"l{number}.{name}", rows, columns).T)

        def plain(name: str) -> Floats:
            return weights.floats(f"l{number}.{name}")

        return _Layer(
            attention=np.hstack([matrix(f"{each}.w", width, width) for each in "qkv"]),
            attention_bias=np.concatenate([plain(f"{each}.b") for each in "qkv"]),
            out=matrix("ao.w", width, width),
            out_bias=plain("ao.b"),
            out_norm=(plain("aln.w"), plain("aln.b")),
            inner=matrix("fi.w", inner, width),
            inner_bias=plain("fi.b"),
            outer=matrix("fo.w", width, inner),
            outer_bias=plain("fo.b"),
            outer_norm=(plain("oln.w"), plain("oln.b")),
        )


def _of_length_one(vector: Floats) -> Floats:
    result: Floats = (vector / max(float(np.linalg.norm(vector)), 1e-9)).astype(np.float32)
    return result


def _gelu(numbers: Floats) -> Floats:
    """By the hyperbolic tangent: within a thousandth of the exact one, and a third of its time."""
    bent = 0.7978845608 * (numbers + 0.044715 * numbers * numbers * numbers)
    result: Floats = (0.5 * numbers * (1.0 + np.tanh(bent))).astype(np.float32, copy=False)
    return result
