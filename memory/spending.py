"""Money: what a model call may cost, reserved before it is spent."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

Label = Literal["instinct", "thinker", "triage", "extract", "diagnose", "draft"]

INSTINCT_SHARE = 0.05
"""The part of the day's cap that only instinct may use, so that a spent day still answers quickly."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A model call on record. *reserved* while it is under way, then *settled*, or *unknown* when nobody can say."""

    id: int
    at: datetime
    label: Label
    model: str
    state: Literal["reserved", "settled", "unknown"]
    cost_usd: float
    input_tokens: int
    output_tokens: int


@dataclass(frozen=True, slots=True)
class Granted:
    """The call may be made."""

    reserved_usd: float


@dataclass(frozen=True, slots=True)
class OverCap:
    """The call could pass the cap, so it is not made."""

    because: str


def reserve(*, label: Label, worst_usd: float, spent_usd: float, cap_usd: float) -> Granted | OverCap:
    """Whether a call that may cost `worst_usd` fits into a day on which `spent_usd` is spent or reserved.

    Every label but instinct leaves instinct's share untouched.
    """
    limit = cap_usd if label == "instinct" else cap_usd * (1 - INSTINCT_SHARE)
    # A free call (a local model) always fits; half a nano-dollar absorbs the rounding of sums.
    if worst_usd == 0 or spent_usd + worst_usd <= limit + 5e-10:
        return Granted(worst_usd)
    return OverCap(
        f"{label} could cost {worst_usd:.4f} USD; {spent_usd:.4f} of {cap_usd:.2f} USD are spent or reserved today"
    )
