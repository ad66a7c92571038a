"""A signal: one thing that happened."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class NewSignal:
    """A signal that is about to be published.

    `source_id` is unique with `source`: publishing the same one again does nothing, which is what makes a
    redelivery harmless. `payload` is JSON and may be erased later; everything else stays.
    """

    source: str
    kind: str
    source_id: str
    payload: Mapping[str, Any]
    owner_id: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Signal:
    """A signal as the ledger keeps it. An erased payload reads as an empty mapping."""

    id: int
    owner_id: int
    source: str
    kind: str
    source_id: str
    payload: Mapping[str, Any]
    received_at: datetime
