"""The local model: its weights are read from a file, any text is cut into its pieces, and nothing is fetched."""

import struct
from pathlib import Path

import numpy as np
import pytest

from memory.errors import BadInput
from tools.embedding import choosing
from tools.embedding.choosing import embedder
from tools.embedding.e5 import E5
from tools.embedding.pieces import EXPANDED_MAX, Pieces
from tools.embedding.weights import BLOCK, Weights

WIDTH, LAYERS, HEADS, INNER, POSITIONS = 32, 2, 2, 64, 300
PIECES = [
    "<s>",
    "<pad>",
    "</s>",
    "<unk>",
    "▁",
    "▁he",
    "ron",
    "▁heron",
    "a",
    "b",
    "h",
    "e",
    "r",
    "o",
    "n",
    "s",
    "▁p",
    ":",
    "q",
    "u",
    "y",
]
SCORES = [0.0, 0.0, 0.0, 0.0, -5.0, -3.0, -3.0, -4.0, *[-7.0] * 13]


def in_four_bits(matrix: np.ndarray) -> bytes:
    """Rows in blocks of 32: a scale in two bytes, then two weights a byte."""
    packed = b""
    for block in matrix.reshape(-1, BLOCK):
        scale = float(np.abs(block).max() / 7) or 1.0
        whole = np.clip(np.rint(block / np.float16(scale)) + 8, 0, 15).astype(np.uint8)
        packed += struct.pack("<e", scale) + bytes((whole[:16] | (whole[16:] << 4)).tolist())
    return packed


def tensors() -> dict[str, tuple[int, bytes]]:
    drawn = np.random.default_rng(1)

    def matrix(rows: int, columns: int) -> tuple[int, bytes]:
        return rows * columns, in_four_bits(drawn.standard_normal((rows, columns)))

    def plain(count: int, value: float = 0.0) -> tuple[int, bytes]:
        return count, np.full(count, value, "<f4").tobytes()

    found = {
        "emb.word": matrix(len(PIECES), WIDTH),
        "emb.pos": (POSITIONS * WIDTH, drawn.standard_normal(POSITIONS * WIDTH).astype("<f4").tobytes()),
        "emb.type": plain(2 * WIDTH), "emb.ln.w": plain(WIDTH, 1.0), "emb.ln.b": plain(WIDTH),
    }  # fmt: skip
    for n in range(LAYERS):
        for name in ("q", "k", "v", "ao"):
            found |= {f"l{n}.{name}.w": matrix(WIDTH, WIDTH), f"l{n}.{name}.b": plain(WIDTH)}
        found |= {f"l{n}.fi.w": matrix(INNER, WIDTH), f"l{n}.fi.b": plain(INNER)}
        found |= {f"l{n}.fo.w": matrix(WIDTH, INNER), f"l{n}.fo.b": plain(WIDTH)}
        for name in ("aln", "oln"):
            found |= {f"l{n}.{name}.w": plain(WIDTH, 1.0), f"l{n}.{name}.b": plain(WIDTH)}
    return found


def a_file() -> bytes:
    """A whole file of weights for a model of two small layers."""
    blob = [piece.encode() for piece in PIECES]
    offsets = [sum(map(len, blob[:n])) for n in range(len(blob) + 1)]
    head = b"E5S1" + struct.pack("<I7ifi", 1, WIDTH, LAYERS, HEADS, INNER, len(PIECES), POSITIONS, 2, 1e-12, BLOCK)
    head += struct.pack("<5iQ", len(PIECES), 0, 2, 1, 3, sum(map(len, blob)))
    head += struct.pack(f"<{len(offsets)}I", *offsets) + struct.pack(f"<{len(SCORES)}f", *SCORES) + b"".join(blob)
    replaced = struct.pack("<IBI", ord("H"), 1, ord("h")) + struct.pack("<IB18I", 0xFDFA, 18, *[ord("s")] * 18)
    head += struct.pack("<iI", 2, len(replaced)) + replaced
    held = tensors()
    size = len(head) + 4 + sum(2 + len(name) + 1 + 4 + 16 for name in held)
    head += struct.pack("<i", len(held))
    for name, (count, data) in held.items():
        head += struct.pack("<H", len(name)) + name.encode() + struct.pack("<BIQQ", 0, count, size, len(data))
        size += len(data)
    return head + b"".join(data for _, data in held.values())


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("model") / "small.bin"
    path.write_bytes(a_file())
    return path


@pytest.fixture(scope="module")
def model(path: Path) -> E5:
    return E5(path)


def test_weights_come_out_as_they_went_in(path: Path) -> None:
    weights = Weights(path)
    (_, data) = tensors()["emb.pos"]
    assert weights.floats("emb.pos").tobytes() == data
    drawn = np.random.default_rng(1).standard_normal((len(PIECES), WIDTH))
    assert np.abs(weights.matrix("emb.word", len(PIECES), WIDTH) - drawn).max() < 0.3
    assert (
        weights.rows("emb.word", np.array([3, 1]), WIDTH) == weights.matrix("emb.word", len(PIECES), WIDTH)[[3, 1]]
    ).all()


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("heron", ["▁heron"]),
        ("Heron", ["▁heron"]),
        ("herons he", ["▁heron", "s", "▁he"]),
        ("aaron", ["▁", "a", "a", "ron"]),
        ("", []),
        ("  \n ", []),
        ("héro", ["▁", "h", "<unk>", "r", "o"]),
    ],
)
def test_a_text_is_cut_into_its_likeliest_pieces(path: Path, text: str, cut: list[str]) -> None:
    ids = Pieces(Weights(path).vocabulary).ids(text, 100)
    assert [PIECES[one] for one in ids] == ["<s>", *cut, "</s>"]


def test_a_long_text_keeps_its_beginning_and_its_end_mark(path: Path) -> None:
    ids = Pieces(Weights(path).vocabulary).ids("heron " * 500, 10)
    assert [PIECES[one] for one in ids] == ["<s>", *["▁heron"] * 8, "</s>"]


@pytest.mark.parametrize(
    "text", ["\ufdfa" * 20_000, "\x00heron", "\ud800", "a" * 100_000, "漢" * 5_000, "\u0301" * 999, "🦜" * 99]
)
def test_hostile_text_is_cut_within_bounds(model: E5, path: Path, text: str) -> None:
    assert len(Pieces(Weights(path).vocabulary).ids(text, 10**6)) <= EXPANDED_MAX + 10
    (vector,) = model.embed([text])
    assert np.linalg.norm(vector) == pytest.approx(1.0, abs=1e-3)


def test_a_vector_does_not_depend_on_what_is_embedded_beside_it(model: E5) -> None:
    alone = model.embed(["heron a b"])[0]
    beside = model.embed(["heron heron heron", "heron a b", "", "b " * 400])[1]
    assert beside == pytest.approx(alone, abs=1e-5)
    assert model.dimension == WIDTH == len(alone)


def test_texts_that_differ_have_vectors_that_differ(model: E5) -> None:
    one, other = model.embed(["heron a b", "b a he"])
    assert np.dot(one, other) < 0.999
    assert np.dot(model.embed_query("heron"), model.embed(["heron"])[0]) < 0.9999  # each is begun differently


def test_it_computes_what_the_formula_says(path: Path, model: E5) -> None:
    """The same by the book, in twice the precision and one piece at a time."""
    weights = Weights(path)
    ids = Pieces(weights.vocabulary).ids("passage: heron a b", 256)

    def w(name: str, rows: int, columns: int) -> np.ndarray:
        return weights.matrix(name, rows, columns).astype(float)

    def normed(x: np.ndarray) -> np.ndarray:
        return (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-12)

    x = (
        weights.rows("emb.word", np.array(ids), WIDTH).astype(float)
        + weights.floats("emb.pos").reshape(-1, WIDTH)[: len(ids)]
    )
    x = normed(x)
    for n in range(LAYERS):
        q, k, v = (x @ w(f"l{n}.{each}.w", WIDTH, WIDTH).T for each in "qkv")
        seen = np.zeros_like(x)
        for h in range(HEADS):
            part = slice(h * WIDTH // HEADS, (h + 1) * WIDTH // HEADS)
            fits = np.exp(q[:, part] @ k[:, part].T / np.sqrt(WIDTH // HEADS))
            seen[:, part] = fits / fits.sum(1, keepdims=True) @ v[:, part]
        x = normed(x + seen @ w(f"l{n}.ao.w", WIDTH, WIDTH).T)
        inner = x @ w(f"l{n}.fi.w", INNER, WIDTH).T
        inner = inner * 0.5 * (1 + np.tanh(np.sqrt(2 / np.pi) * (inner + 0.044715 * inner**3)))
        x = normed(x + inner @ w(f"l{n}.fo.w", WIDTH, INNER).T)
    mean = x.mean(0)
    assert model.embed(["heron a b"])[0] == pytest.approx(list(mean / np.linalg.norm(mean)), abs=1e-4)


@pytest.mark.parametrize(
    "broken", [b"", b"E5S1", b"nothing of the kind", a_file()[:90], b"E5S1" + b"\xff" * 200], ids=len
)
def test_a_file_that_is_no_model_is_refused(tmp_path: Path, broken: bytes) -> None:
    path = tmp_path / "odd.bin"
    path.write_bytes(broken)
    with pytest.raises(BadInput, match=r"odd\.bin"):
        E5(path)


# --- which one ---


def test_a_setting_chooses(path: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    chosen = embedder(str(path))
    assert chosen is not None
    assert chosen.dimension == WIDTH
    assert embedder("off") is None
    with pytest.raises(BadInput, match="neither a file nor a folder"):
        embedder(str(tmp_path / "nowhere"))
    with pytest.raises(BadInput):
        embedder(str(tmp_path))


def test_without_a_setting_the_installed_weights_are_used_if_there_are_any(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(choosing, "installed_weights", lambda: None)
    assert embedder(None) is None
    monkeypatch.setattr(choosing, "installed_weights", lambda: path)
    assert embedder("") is not None
