"""A model of the owner's own: a folder with model.onnx and tokenizer.json, as sentence-transformers are exported.

Needs the packages onnxruntime and tokenizers, which are no part of Stillbell. A folder whose name holds "e5" has its texts
begun as that family expects ("query: ", "passage: ").
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from memory.errors import BadInput

MODEL, TOKENIZER = "model.onnx", "tokenizer.json"
PIECES_MAX = 256
AT_ONCE = 16


class Onnx:
    """See memory.search.embedder.Embedder. Raises BadInput for a folder that holds no such model, or without the packages."""

    def __init__(self, folder: Path) -> None:
        try:
            import onnxruntime  # type: ignore[import-not-found]  # noqa: PLC0415  needed by few
            from tokenizers import Tokenizer  # type: ignore[import-not-found]  # noqa: PLC0415
        except ImportError as error:
            raise BadInput(f"{folder} needs two more packages: pip install onnxruntime tokenizers") from error
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        try:
            self._tokenizer = Tokenizer.from_file(str(folder / TOKENIZER))
            self._session = onnxruntime.InferenceSession(str(folder / MODEL), options, ["CPUExecutionProvider"])
        # Both libraries raise their own kinds, and plain Exceptions: whatever it is, the folder is not usable.
        except Exception as error:
            raise BadInput(f"{folder} holds no embedding model that can be run: {error}") from error
        self._tokenizer.enable_truncation(PIECES_MAX)
        self._tokenizer.enable_padding()
        self._wanted = {each.name for each in self._session.get_inputs()}
        self._begun = {"query": "query: ", "passage": "passage: "} if "e5" in folder.name.lower() else {}
        self.name = f"onnx/{folder.resolve().name}"[:80]
        self.dimension = len(self._vectors(["a"])[0])
        if self.dimension % 8:
            raise BadInput(f"{folder}: vectors of {self.dimension} numbers can't be kept; a multiple of 8 can")

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """A vector for each passage."""
        begun = [self._begun.get("passage", "") + text for text in texts]
        return [one for start in range(0, len(begun), AT_ONCE) for one in self._vectors(begun[start : start + AT_ONCE])]

    def embed_query(self, text: str) -> Sequence[float]:
        """The vector of a question."""
        return self._vectors([self._begun.get("query", "") + text])[0]

    def _vectors(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        import numpy as np  # noqa: PLC0415  only where there is a model

        cut = self._tokenizer.encode_batch([text.encode("utf-8", "replace").decode() for text in texts])
        mask = np.array([each.attention_mask for each in cut], dtype=np.int64)
        given: dict[str, Any] = {
            "input_ids": np.array([each.ids for each in cut], dtype=np.int64),
            "attention_mask": mask,
            "token_type_ids": np.zeros_like(mask),
        }
        told = self._session.run(None, {name: given[name] for name in self._wanted if name in given})[0]
        if told.ndim == 3:
            told = (told * mask[:, :, None]).sum(axis=1) / np.maximum(mask.sum(axis=1, keepdims=True), 1)
        lengths = np.maximum(np.linalg.norm(told, axis=1, keepdims=True), 1e-9)
        found: list[list[float]] = (told / lengths).tolist()
        return found
