"""Fitting: a logistic regression over the features of mails whose outcome is known, calibrated on later mails.

Numbers are brought to a common measure; the leaning, which rules of thumb make of them, is shrunk less, so that little data
moves the model little away from the rules; words are shrunk as the numbers are, at MARKS_SCALE. Calibration is learned from
mails that came after the ones that were learned from: the newest half, part by part, each scored by a model of everything
before it. Then all is learned from once more, and that calibration stays.

The only importer of scikit-learn, scipy and numpy. Importing it takes a second and a hundred megabytes; what scores a mail
(memory/decide/score) needs none of it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain, pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.sparse import csr_matrix, hstack
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from memory.decide.features import Features
from memory.decide.score import CLIP, LEANING, Fitted
from memory.decide.words import MARKS
from memory.errors import BadInput

INVERSE_PENALTY = 0.005
LEANING_SCALE, MARKS_SCALE = 5.0, 8.0
"""How much lighter the penalty weighs on the leaning and on words than on the other numbers. Chosen on the first half of
the weeks of evals/judgement."""
ROUNDS_MAX = 400

CALIBRATED_FROM = 0.5
CALIBRATED_IN_PARTS = 3
CALIBRATION_PENALTY = 40.0
"""Draws the calibration towards none, which is right while there is little to calibrate on."""
SLOPE_MIN = 0.05
FEWEST_ACTED = 2

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Example:
    """A received mail whose outcome is known: what it showed when it came, whether the owner acted on it, when it came."""

    features: Features
    acted: bool
    at: datetime


def fit(examples: Sequence[Example], *, now: datetime) -> Fitted:
    """What can be learned from `examples`, in any order. The same examples give the same model.

    Raises BadInput when nothing can be learned: too few mails that were acted on, or too few that were not.
    """
    ordered = sorted(examples, key=lambda each: each.at)
    acted = np.array([each.acted for each in ordered], dtype=bool)
    if min(acted.sum(), (~acted).sum()) < FEWEST_ACTED:
        raise BadInput(
            "there is too little to learn from: mails that you answered and mails that you did not are needed"
        )
    names = ordered[-1].features.names
    if any(each.features.names != names for each in ordered):
        raise BadInput("the examples were made by different versions of the program")
    data = _Data(_numbers(ordered), _marks(ordered), acted, names.index(LEANING))
    # One thread: several would wait for each other on a busy machine, and add in another order each time.
    with threadpool_limits(limits=1):
        learned = _learn(data, slice(0, len(ordered)))
        shift, slope = _calibration(data)
    return Fitted(
        trained_at=now,
        since=ordered[0].at,
        until=ordered[-1].at,
        mails=len(ordered),
        acted=int(acted.sum()),
        names=names,
        means=_rounded(learned.means),
        scales=_rounded(learned.scales),
        weights=_rounded(learned.weights),
        marks={int(mark): round(float(learned.marks[mark]), 6) for mark in np.flatnonzero(learned.marks.round(6))},
        base=round(learned.base, 6),
        shift=round(shift, 6),
        slope=round(slope, 6),
    )


@dataclass(frozen=True, slots=True)
class _Data:
    """All examples as tables, in order of time. `leaning`: the column of it."""

    numbers: Floats
    marks: csr_matrix
    acted: NDArray[np.bool_]
    leaning: int


@dataclass(frozen=True, slots=True)
class _Learned:
    """One regression, its weights for numbers in the common measure."""

    means: Floats
    scales: Floats
    weights: Floats
    marks: Floats
    base: float

    def scores(self, data: _Data, rows: slice) -> Floats:
        """The log odds of some rows."""
        numbers = _measured(data.numbers[rows], self.means, self.scales) @ self.weights
        words = np.asarray(data.marks[rows] @ self.marks, dtype=np.float64)
        return np.asarray(numbers + words + self.base, dtype=np.float64)


def _numbers(examples: Sequence[Example]) -> Floats:
    return np.array([each.features.values for each in examples], dtype=np.float64)


def _marks(examples: Sequence[Example]) -> csr_matrix:
    found = [each.features.marks for each in examples]
    flat = np.array(list(chain.from_iterable(found)), dtype=np.float64).reshape(-1, 2)
    ends = np.cumsum([0, *map(len, found)])
    return csr_matrix((flat[:, 1], flat[:, 0].astype(np.int32), ends), shape=(len(found), MARKS))


def _measured(numbers: Floats, means: Floats, scales: Floats) -> Floats:
    """As memory/decide/score measures: a number that never varied (its scale is 0) counts nothing."""
    varied = scales > 0
    return np.where(varied, np.clip((numbers - means) / np.where(varied, scales, 1.0), -CLIP, CLIP), 0.0)


def _learn(data: _Data, rows: slice) -> _Learned:
    numbers = data.numbers[rows]
    means, scales = numbers.mean(axis=0), numbers.std(axis=0)
    scales[scales < 1e-9] = 0.0
    # The leaning is log odds already.
    means[data.leaning], scales[data.leaning] = 0.0, 1.0
    relief = np.ones(len(means))
    relief[data.leaning] = LEANING_SCALE
    table = hstack(
        [csr_matrix(_measured(numbers, means, scales) * relief), data.marks[rows] * MARKS_SCALE], format="csr"
    )
    regression = LogisticRegression(C=INVERSE_PENALTY, max_iter=ROUNDS_MAX, tol=1e-4).fit(table, data.acted[rows])
    found = regression.coef_[0]
    weights, marks = found[: len(means)] * relief, found[len(means) :] * MARKS_SCALE
    return _Learned(means, scales, weights, marks, float(regression.intercept_[0]))


def _calibration(data: _Data) -> tuple[float, float]:
    """Shift and slope, from the newest half of the mails, each part scored by a model of all before it."""
    count = len(data.acted)
    first = int(count * CALIBRATED_FROM)
    cuts = [first + (count - first) * part // CALIBRATED_IN_PARTS for part in range(CALIBRATED_IN_PARTS + 1)]
    scores, acted = [np.zeros(0)], [np.zeros(0, dtype=bool)]
    for begin, end in pairwise(cuts):
        before = data.acted[:begin]
        if begin < end and min(before.sum(), (~before).sum()) >= FEWEST_ACTED:
            scores.append(_learn(data, slice(0, begin)).scores(data, slice(begin, end)))
            acted.append(data.acted[begin:end])
    return calibrated(np.concatenate(scores), np.concatenate(acted))


def calibrated(scores: Floats, acted: NDArray[np.bool_]) -> tuple[float, float]:
    """Shift and slope that bring log odds `scores` nearest to what happened, drawn towards 0 and 1.

    Minimises the log loss of shift + slope * score with a penalty on shift² + (slope - 1)².
    """
    outcome = acted.astype(np.float64)

    def loss(guess: Floats) -> float:
        odds = guess[0] + guess[1] * scores
        penalty = CALIBRATION_PENALTY * (guess[0] ** 2 + (guess[1] - 1) ** 2)
        return float(np.sum(np.logaddexp(0.0, odds) - outcome * odds) + penalty)

    found = minimize(loss, np.array([0.0, 1.0]), method="L-BFGS-B", bounds=[(None, None), (SLOPE_MIN, None)])
    return float(found.x[0]), float(found.x[1])


def _rounded(values: Floats) -> tuple[float, ...]:
    return tuple(round(float(value), 6) for value in values)
