"""Fitting what a tool found into what a model may be shown: whole rows and clean cuts, never half a JSON."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from memory.legible import legible

ROWS_MAX = 18_000
"""So many characters the rows of one result may take, as JSON; the gate cuts at 20,000 (tools/gate.RESULT_MAX)."""


def taken(value: object) -> int:
    """How many characters it takes as JSON."""
    return len(json.dumps(value, ensure_ascii=False))


def fitting(rows: Sequence[Mapping[str, Any]], most: int = ROWS_MAX) -> list[Mapping[str, Any]]:
    """The first rows that fit together."""
    kept: list[Mapping[str, Any]] = []
    for row in rows:
        most -= taken(row) + 2
        if most < 0:
            break
        kept.append(row)
    return kept


def cut(text: str, most: int) -> str:
    """As much of the text's beginning as takes no more than `most` characters as JSON, its quotation marks aside."""
    kept = text[: max(0, most)]
    while kept and taken(kept) - 2 > most:
        kept = kept[: len(kept) * most // (taken(kept) - 2)]
    return kept


def line(words: str, most: int) -> str:
    """Words of others on one line, and no more than `most` characters of them."""
    flat = " ".join(legible(words).split())
    return flat if len(flat) <= most else f"{flat[: most - 1]}…"
