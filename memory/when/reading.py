"""What a mention of a time means: the values that the reader hands out."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from memory.when.grain import Grain
from memory.when.recurrence import Recurrence

Kind = Literal["instant", "interval", "duration"]
Bound = Literal["at", "until", "by", "before", "after", "since"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """One way to understand a mention.

    wall: naive wall time in the owner's zone; the start, at its grain, so "Friday" is Friday 00:00 with grain "day".
    anchor: naive wall time at which to remind: "Friday" at nine, "tomorrow evening" at seven; `wall` when that is exact.
    end: the end of an interval, not included. kind "duration" is a bare length ("three hours"), counted from now.
    bound: how the text leans on the time: "until Friday", "by noon"; "at" when it doesn't.
    at: the exact instant (UTC) of "in 20 minutes" and its like, which must not be recomputed from the wall time.
    recurrence: for "every Monday"; wall is then the first occurrence.
    explanation: how it was understood, in English, for a person to check.
    """

    wall: datetime
    anchor: datetime
    grain: Grain
    kind: Kind
    explanation: str
    end: datetime | None = None
    bound: Bound = "at"
    at: datetime | None = None
    recurrence: Recurrence | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """A place in a text where a time is said. Several readings mean: ask; they come likeliest first."""

    span: tuple[int, int]
    text: str
    readings: tuple[Reading, ...]
