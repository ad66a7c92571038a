"""Score: how likely the owner will act on a mail, and what weighed most in that.

With a fitted model that was learned from enough of the owner's own history it decides; else rules of thumb do, and the
score says that it is cold.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from memory.decide.because import Reason, reasons
from memory.decide.features import Features
from memory.decide.leaning import HABIT, HABIT_WEIGHT, WEIGHTS, signs

ENOUGH_MAILS, ENOUGH_ACTED = 150, 30
"""What was learned from fewer labelled mails, or fewer that were acted on, is not trusted over rules of thumb."""

CLIP = 4.0
"""So many standard deviations from the usual count at most: one odd mail must not outweigh all else."""
LOG_ODDS_MAX = 6.0

LEANING = "leaning"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fitted:
    """What was learned of one owner; made by tools/learning.

    trained_at: when. since, until: the times of the first and the last mail learned from. All aware UTC.
    mails, acted: so many were learned from, and so many of them the owner had acted on.
    names: the numbers that are weighed, in the order of features. means, scales: to bring each to a common measure.
    weights: of each number; marks: of the words' marks; base: of every mail. In log odds.
    shift, slope: calibration, so that of mails given 30 % some 30 % are acted on; learned from mails that came after those
    that were learned from.
    """

    trained_at: datetime
    since: datetime
    until: datetime
    mails: int
    acted: int
    names: tuple[str, ...]
    means: tuple[float, ...]
    scales: tuple[float, ...]
    weights: tuple[float, ...]
    marks: Mapping[int, float]
    base: float
    shift: float = 0.0
    slope: float = 1.0

    @property
    def is_enough(self) -> bool:
        """Whether it was learned from enough to be trusted."""
        return self.mails >= ENOUGH_MAILS and self.acted >= ENOUGH_ACTED

    def fits(self, features: Features) -> bool:
        """Whether it was learned from these very numbers; another version of the program may have had others."""
        return self.names == features.names


@dataclass(frozen=True, slots=True)
class Scored:
    """`probability` that the owner will reply or pass it on within two weeks. `is_cold`: told by rules of thumb.

    reasons: what weighed most towards that side of the usual, at most three; see `because.sentence`.
    """

    probability: float
    is_cold: bool
    reasons: tuple[Reason, ...]


def score(features: Features, fitted: Fitted | None) -> Scored:
    """The score of a mail. Same features and model, same score."""
    if fitted is None or not fitted.is_enough or not fitted.fits(features):
        return _scored(features, features.numbers[LEANING], _by_rules(features), is_cold=True)
    parts = weighed(features, fitted)
    return _scored(features, fitted.shift + fitted.slope * raw(parts, fitted), parts, is_cold=False)


def raw(parts: Mapping[str, float], fitted: Fitted) -> float:
    """The log odds of a mail before calibration, from what `weighed` gave."""
    return fitted.base + sum(parts.values())


def weighed(features: Features, fitted: Fitted) -> dict[str, float]:
    """How much each number counts for a mail (log odds, before calibration), and all its words together as "said"."""
    measured = map(_measured, features.values, fitted.means, fitted.scales)
    parts = {name: weight * value for name, weight, value in zip(fitted.names, fitted.weights, measured, strict=True)}
    parts["said"] = sum(fitted.marks.get(mark, 0.0) * value for mark, value in features.marks)
    return parts


def _measured(value: float, mean: float, scale: float) -> float:
    """A number in standard deviations from its mean, CLIP of them at most; 0 for one that never varied."""
    return max(-CLIP, min(CLIP, (value - mean) / scale)) if scale else 0.0


def _by_rules(features: Features) -> dict[str, float]:
    numbers = features.numbers
    habit = HABIT_WEIGHT * (numbers[HABIT] - numbers["habit_all"])
    return {HABIT: habit} | {name: WEIGHTS[name] * value for name, value in signs(numbers).items()}


def _scored(features: Features, log_odds: float, parts: Mapping[str, float], *, is_cold: bool) -> Scored:
    numbers = features.numbers
    is_likely = log_odds >= numbers["habit_all"]
    chance = 1 / (1 + math.exp(-max(-LOG_ODDS_MAX, min(LOG_ODDS_MAX, log_odds))))
    return Scored(chance, is_cold, reasons(numbers, _unfolded(parts, features), is_likely=is_likely))


def _unfolded(parts: Mapping[str, float], features: Features) -> dict[str, float]:
    """The parts, with what the leaning counts for given to what it is made of, for a reason in words."""
    unfolded = dict(parts)
    numbers = features.numbers
    leaning = unfolded.pop(LEANING, 0.0)
    per_unit = leaning / numbers[LEANING] if numbers[LEANING] else 0.0
    for name, part in _by_rules(features).items():
        unfolded[name] = unfolded.get(name, 0.0) + per_unit * part
    return unfolded
