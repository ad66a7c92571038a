"""One spelling for every value, so that equal values have equal digests on every platform."""

import hashlib
import json
from collections.abc import Mapping, Sequence

PLAIN_ONLY = "a digest is taken of text, whole numbers, booleans, lists and mappings only"

Plain = str | int | bool | None | Sequence["Plain"] | Mapping[str, "Plain"]


def canonical(value: Plain) -> bytes:
    """`value` as UTF-8 JSON: keys sorted, no spaces, no floats (their spelling differs between platforms).

    Raises ValueError for a float or for text that UTF-8 can't carry (lone surrogates).
    """
    _refuse_floats(value)
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def digest(value: Plain) -> str:
    """The sha-256 of the canonical spelling, in 64 hex digits."""
    return hashlib.sha256(canonical(value)).hexdigest()


def _refuse_floats(value: Plain) -> None:
    if isinstance(value, float):
        raise ValueError(PLAIN_ONLY)  # noqa: TRY004  a wrong value, as its callers see it
    if isinstance(value, Mapping):
        for inner in value.values():
            _refuse_floats(inner)
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for inner in value:
            _refuse_floats(inner)
