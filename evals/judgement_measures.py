"""Measures of a ranking of mails, each with an interval over clusters that were drawn anew.

A cluster is a sender, or a thread: mails of one share their fate, so it is the clusters that are drawn, with replacement,
and a mail counts as often as its cluster was drawn. Intervals are percentiles (2.5 and 97.5) of such draws.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
DRAWS = 1_000
SEED = 20_091_204
TOP_SHARE = 0.1


@dataclass(frozen=True, slots=True)
class Interval:
    """A figure with its interval."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.3f} [{self.low:.3f}, {self.high:.3f}]"


class Ranking:
    """Mails in the order of a score. acted: whether the owner acted on each; days: numbers of the days they came on."""

    def __init__(self, scores: Floats, acted: NDArray[np.bool_], days: NDArray[np.int64]) -> None:
        self._order = np.argsort(-scores, kind="stable")
        ranked = scores[self._order]
        self._ends = np.flatnonzero(np.append(np.diff(ranked) != 0, True))
        self._acted = acted[self._order].astype(np.float64)
        self._top_tenth = np.zeros(len(scores), dtype=bool)
        self._top_tenth[: max(1, round(len(scores) * TOP_SHARE))] = True
        self._daily = {number: self._top_of_day(days[self._order], number) for number in (3, 10)}

    @staticmethod
    def _top_of_day(days: NDArray[np.int64], number: int) -> NDArray[np.bool_]:
        seen: dict[int, int] = {}
        top = np.zeros(len(days), dtype=bool)
        for at, day in enumerate(days.tolist()):
            seen[day] = seen.get(day, 0) + 1
            top[at] = seen[day] <= number
        return top

    def _counts(self, weights: Floats) -> tuple[Floats, Floats]:
        """Acted and all mails down to each step of the ranking; equal scores are one step."""
        drawn = weights[self._order]
        return np.cumsum(drawn * self._acted)[self._ends], np.cumsum(drawn)[self._ends]

    def auc(self, weights: Floats) -> float:
        """The chance that a mail that was acted on stands above one that was not."""
        hits, all_ = self._counts(weights)
        misses = all_ - hits
        area = np.trapezoid(np.concatenate([[0.0], hits]), np.concatenate([[0.0], misses]))
        return float(area / (hits[-1] * misses[-1]))

    def average_precision(self, weights: Floats) -> float:
        """The mean of the precision at each mail that was acted on."""
        hits, all_ = self._counts(weights)
        gained = np.diff(np.concatenate([[0.0], hits]))
        return float(np.sum(gained * hits / np.maximum(all_, 1e-12)) / hits[-1])

    def lift(self, weights: Floats) -> float:
        """How many times more often than usual the top tenth was acted on."""
        return self._precision(self._top_tenth, weights) / float(np.average(self._acted, weights=weights[self._order]))

    def top_of_day(self, number: int) -> Callable[[Floats], float]:
        """The share that was acted on of the highest so many of each day."""
        return lambda weights: self._precision(self._daily[number], weights)

    def _precision(self, mask: NDArray[np.bool_], weights: Floats) -> float:
        drawn = weights[self._order][mask]
        return float(np.sum(drawn * self._acted[mask]) / max(1e-12, drawn.sum()))


def draws(clusters: Sequence[str]) -> Floats:
    """How often each mail counts in each of DRAWS draws of the clusters; one row a draw."""
    names, index = np.unique(np.array(clusters), return_inverse=True)
    random = np.random.default_rng(SEED)
    counts = random.multinomial(len(names), np.full(len(names), 1 / len(names)), size=DRAWS)
    return counts[:, index].astype(np.float64)


def interval(measure: Callable[[Floats], float], drawn: Floats) -> Interval:
    """A measure of all mails, with the interval of its values over the draws."""
    values = np.array([measure(weights) for weights in drawn])
    low, high = np.percentile(values, [2.5, 97.5])
    return Interval(measure(np.ones(drawn.shape[1])), float(low), float(high))


def calibration_error(chances: Floats, acted: NDArray[np.bool_]) -> tuple[float, float]:
    """The mean gap between chance and share over ten bins of equal size, and its 95th percentile if the chances were true."""
    order = np.argsort(chances, kind="stable")
    bins = np.array_split(order, 10)

    def gap(outcomes: Floats) -> float:
        gaps = [abs(chances[each].mean() - outcomes[each].mean()) * len(each) for each in bins]
        return float(sum(gaps) / len(chances))

    random = np.random.default_rng(SEED)
    null = [gap((random.random(len(chances)) < chances).astype(np.float64)) for _ in range(200)]
    return gap(acted.astype(np.float64)), float(np.percentile(null, 95))
