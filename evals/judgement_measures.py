"""Measures of a ranking of mails, each with an interval over clusters that were drawn anew.

A cluster is a sender, or a thread: mails of one share their fate, so it is the clusters that are drawn, with replacement,
and a mail counts as often as its cluster was drawn. Intervals are percentiles (2.5 and 97.5) of such draws.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
DRAWS = 1_000
SEED = 20_091_204
TOP_SHARE = 0.1
TOPS_OF_DAY = (10, 3)
MEASURES = ("AUC", "average precision", "lift, top tenth", "top 10 a day", "top 3 a day")
"""Lift: how many times more often than usual the top tenth was acted on. Top: the share acted on of the highest so many of
each day."""


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
        self._daily = [self._top_of_day(days[self._order], number) for number in TOPS_OF_DAY]

    @staticmethod
    def _top_of_day(days: NDArray[np.int64], number: int) -> NDArray[np.bool_]:
        seen: dict[int, int] = {}
        top = np.zeros(len(days), dtype=bool)
        for at, day in enumerate(days.tolist()):
            seen[day] = seen.get(day, 0) + 1
            top[at] = seen[day] <= number
        return top

    def measures(self, weights: Floats) -> Floats:
        """All MEASURES of the ranking, each mail counting as often as its weight says."""
        drawn = weights[self._order]
        hit = drawn * self._acted
        # Equal scores are one step of the ranking.
        hits, all_ = np.cumsum(hit)[self._ends], np.cumsum(drawn)[self._ends]
        misses = all_ - hits
        area = np.trapezoid(np.concatenate([[0.0], hits]), np.concatenate([[0.0], misses]))
        precisions = np.diff(np.concatenate([[0.0], hits])) * hits / np.maximum(all_, 1e-12)
        tops = [hit[mask].sum() / max(1e-12, drawn[mask].sum()) for mask in (self._top_tenth, *self._daily)]
        return np.array(
            [
                area / (hits[-1] * misses[-1]),
                precisions.sum() / hits[-1],
                tops[0] * all_[-1] / hits[-1],
                *tops[1:],
            ]
        )

    def auc(self, weights: Floats) -> float:
        """The chance that a mail that was acted on stands above one that was not."""
        return float(self.measures(weights)[0])


def draws(clusters: Sequence[str]) -> Floats:
    """How often each mail counts in each of DRAWS draws of the clusters; one row a draw."""
    names, index = np.unique(np.array(clusters), return_inverse=True)
    random = np.random.default_rng(SEED)
    counts = random.multinomial(len(names), np.full(len(names), 1 / len(names)), size=DRAWS)
    return counts[:, index].astype(np.float64)


def intervals(ranking: Ranking, drawn: Floats) -> tuple[Interval, ...]:
    """Each of MEASURES over all mails, with the interval of its values over the draws."""
    values = np.array([ranking.measures(weights) for weights in drawn])
    return tuple(map(_interval, ranking.measures(np.ones(drawn.shape[1])), values.T))


def gain(one: Ranking, other: Ranking, drawn: Floats) -> Interval:
    """By how much the AUC of one ranking lies above that of another of the same mails, on the same draws."""
    values = np.array([one.auc(weights) - other.auc(weights) for weights in drawn])
    every = np.ones(drawn.shape[1])
    return _interval(one.auc(every) - other.auc(every), values)


def _interval(value: float, values: Floats) -> Interval:
    low, high = np.percentile(values, [2.5, 97.5])
    return Interval(float(value), float(low), float(high))


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
