"""Judgement: how well the local decision model tells which mails the owner will act on, on one owner's real mail.

    STILLBELL_DATA=../shared/data python -m evals judgement

Prequential: every week the model is learned anew from all that was known by then, and scores the mails of the week that
follows, each with the features it had when it came. The features, the rules of thumb, the fitting and the scoring are the
product's own (memory/decide, tools/learning); only the reading of the scans is not (evals/judgement_mails).

A mail is *acted on* when the labels say that the owner replied to it or passed it on within 14 days. "other" is left out. What
is known on a learning day: mails at least seven days old; acted on if the act came before that day. A mail that was acted
on later counts as not acted on until then, as it would in a mailbox. Younger ones are left out, acted on or not: to take
only the early answers among them would teach that young mail is answered.
"""

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, hstack
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_limits

from evals.judgement_mails import ZONE, Outcome, Reader, Row, answered, in_time, outcomes, rows_in
from evals.judgement_measures import MEASURES, Floats, Ranking, calibration_error, draws, gain, intervals
from evals.report import Report
from memory.decide.exchange import OWNER, Exchange
from memory.decide.features import Features, features_of
from memory.decide.history import History
from memory.decide.labels import ACT_FOR, KNOWN_AFTER_FOR
from memory.decide.score import Fitted, score
from memory.decide.words import MARKS
from memory.errors import BadInput
from tools.learning.fitting import Example, fit

WEEK_FOR = timedelta(days=7)
BAR = 0.64
"""What a plain text-and-relations regression gets by this protocol on these years."""
AIM = 0.72
"""The best published figure on a comparable private corpus."""
CHANCE_LOW, CHANCE_HIGH = 0.47, 0.53
SHUFFLED_EVERY = 4
SEED = 4

QUICK = (
    "habit_sender",
    "received",
    "written_to",
    "answers_owner",
    "place_alone",
    "place_cc",
    "words",
    "hour_sin",
    "hour_cos",
)
"""The relations that the quick regression knows beside words."""


@dataclass(slots=True)
class Case:
    """One labelled mail: what it was, its features when it came, what became of it, and the scores it was given."""

    exchange: Exchange
    features: Features
    outcome: Outcome
    priors: dict[str, float]
    scores: dict[str, float] = field(default_factory=dict)
    is_cold: bool = True

    @property
    def acted(self) -> bool:
        """Whether the owner acted on it in time."""
        at = self.outcome.at
        return self.outcome.label in ("reply", "forward") and at is not None and at - self.exchange.at <= ACT_FOR

    def acted_by(self, now: datetime) -> bool:
        """What is known of that at `now`."""
        return self.acted and self.outcome.at is not None and self.outcome.at < now


def cases(mails: Sequence[Row], found: Mapping[str, Outcome], answers: dict[str, str]) -> list[Case]:
    """The labelled mails in order, each with features asked of a history that was fed what came before it."""
    reader, history, priors = Reader(answers), History(lambda at: at.astimezone(ZONE)), Priors()
    gathered = []
    for mail in mails:
        exchange = reader.read(mail)
        outcome = found.get(exchange.fingerprint)
        if not exchange.by_owner and outcome is not None and outcome.label != "other":
            case = Case(exchange, features_of(exchange, history), outcome, priors.of(exchange))
            gathered.append(case)
            priors.came(case)
        history.feed(exchange)
    return gathered


class Priors:
    """The trivial baselines: a sender's share so far, and rules about who it is to."""

    def __init__(self) -> None:
        self._counts: dict[str, list[int]] = {}
        self._waiting: list[Case] = []

    def of(self, exchange: Exchange) -> dict[str, float]:
        """What they say of a mail, by what was known when it came."""
        for case in [each for each in self._waiting if each.acted_by(exchange.at)]:
            self._counts[case.exchange.sender][1] += 1
            self._waiting.remove(case)
        self._waiting = [each for each in self._waiting if exchange.at - each.exchange.at <= ACT_FOR]
        met, acted = self._counts.get(exchange.sender, (0, 0))
        to_me = 1.0 if OWNER in exchange.to else 0.5 if not exchange.people else 0.0
        few = to_me + (len(exchange.people) <= 2)
        asks = few + ("?" in exchange.said) + exchange.answers_owner
        return {
            "sender's prior": (acted + 2) / (met + 8),
            "to me": to_me,
            "to me, few": few,
            "to me, few, live or asks": asks,
        }

    def came(self, case: Case) -> None:
        """Take in a mail."""
        self._counts.setdefault(case.exchange.sender, [0, 0])[0] += 1
        if case.acted:
            self._waiting.append(case)


def weeks(all_: Sequence[Case]) -> Iterator[tuple[datetime, list[Case], list[Case]]]:
    """Each week: its beginning, the cases known by then, and those that come in it."""
    begin = all_[0].exchange.at
    while begin <= all_[-1].exchange.at:
        known = [case for case in all_ if case.exchange.at < begin - KNOWN_AFTER_FOR]
        coming = [case for case in all_ if begin <= case.exchange.at < begin + WEEK_FOR]
        if coming:
            yield begin, known, coming
        begin += WEEK_FOR


def run_weeks(all_: Sequence[Case]) -> None:
    """Score every case by the model of its week, by the rules of thumb alone, and by the quick regression."""
    for begin, known, coming in weeks(all_):
        fitted = learned(known, begin)
        quick = quick_regression(known, begin)
        for case in coming:
            scored, ruled = score(case.features, fitted), score(case.features, None)
            case.is_cold = scored.is_cold
            case.scores = {
                "decision model": scored.probability,
                "rules of thumb": ruled.probability,
                "quick regression": quick(case) if quick else ruled.probability,
                **case.priors,
            }


def learned(known: Sequence[Case], now: datetime) -> Fitted | None:
    """The product's own learning on a day; None while nothing can be learned."""
    try:
        return fit([Example(case.features, case.acted_by(now), case.exchange.at) for case in known], now=now)
    except BadInput:
        return None


def quick_regression(known: Sequence[Case], now: datetime) -> Callable[[Case], float] | None:
    """A plain regression over words and a few relations, with no thought given to it: what any model has to beat."""
    acted = np.array([case.acted_by(now) for case in known], dtype=bool)
    if acted.sum() < 2:
        return None
    numbers, words = _quick_numbers(known), _words(known)
    means, scales = numbers.mean(axis=0), numbers.std(axis=0) + 1e-9
    with threadpool_limits(limits=1):
        table = hstack([csr_matrix((numbers - means) / scales), words], format="csr")
        model = LogisticRegression(max_iter=200).fit(table, acted)
    weights, base = model.coef_[0], float(model.intercept_[0])

    def scored(case: Case) -> float:
        parts = (_quick_numbers([case])[0] - means) / scales @ weights[: len(means)]
        return float(base + parts + sum(weights[len(means) + mark] * value for mark, value in case.features.marks))

    return scored


def _quick_numbers(some: Sequence[Case]) -> Floats:
    places = [some[0].features.names.index(name) for name in QUICK]
    return np.array([[case.features.values[place] for place in places] for case in some])


def _words(some: Sequence[Case]) -> csr_matrix:
    flat = np.array([mark for case in some for mark in case.features.marks], dtype=np.float64).reshape(-1, 2)
    ends = np.cumsum([0, *(len(case.features.marks) for case in some)])
    return csr_matrix((flat[:, 1], flat[:, 0].astype(np.int32), ends), shape=(len(some), MARKS))


# Checks on the measuring itself


def shuffled(all_: Sequence[Case]) -> tuple[Floats, NDArray[np.bool_]]:
    """The same learning where outcomes were dealt out anew among the mails: scores, and the outcomes that were dealt."""
    dealt = np.random.default_rng(SEED).permutation(np.array([case.acted for case in all_]))
    number = {case.exchange.fingerprint: at for at, case in enumerate(all_)}
    scores = np.full(len(all_), np.nan)
    fitted: Fitted | None = None
    for week, (begin, known, coming) in enumerate(weeks(all_)):
        if week % SHUFFLED_EVERY == 0 and len(known) > 200:
            examples = [Example(c.features, bool(dealt[number[c.exchange.fingerprint]]), c.exchange.at) for c in known]
            fitted = fit(examples, now=begin)
        if fitted is not None:
            for case in coming:
                scores[number[case.exchange.fingerprint]] = score(case.features, fitted).probability
    kept = ~np.isnan(scores)
    return scores[kept], dealt[kept]


def sees_the_future(
    mails: Sequence[Row], labels: Sequence[Row], found: Mapping[str, Outcome], all_: Sequence[Case]
) -> int:
    """How many mails have other features when nothing after them exists: no later mail, no later label."""
    whole = {case.exchange.fingerprint: case.features for case in all_}
    differing = 0
    for part in (1 / 3, 2 / 3):
        past = mails[: int(len(mails) * part)]
        docs = {mail["doc"] for mail in past}
        told = {own: on for own, on in answered(labels).items() if own in docs and on in docs}
        cut = cases(past, found, told)
        differing += sum(case.features != whole[case.exchange.fingerprint] for case in cut)
    return differing


# The report


@dataclass(frozen=True, slots=True)
class Table:
    """Cases as columns, for measuring."""

    cases: Sequence[Case]
    acted: NDArray[np.bool_]
    by_sender: Floats
    by_thread: Floats

    @classmethod
    def of(cls, some: Sequence[Case]) -> "Table":
        """The table of some cases."""
        return cls(
            some,
            np.array([case.acted for case in some]),
            draws([case.exchange.sender for case in some]),
            draws([case.exchange.thread for case in some]),
        )

    def scores(self, name: str) -> Floats:
        """What one contender gave each."""
        return np.array([case.scores[name] for case in self.cases])

    def ranking(self, name: str) -> Ranking:
        """The cases in the order of a contender."""
        days = [case.exchange.at.astimezone(ZONE).date().toordinal() for case in self.cases]
        return Ranking(self.scores(name), self.acted, np.array(days))


CONTENDERS = (
    "decision model",
    "rules of thumb",
    "quick regression",
    "sender's prior",
    "to me",
    "to me, few",
    "to me, few, live or asks",
)


def lines_of(table: Table) -> list[str]:
    """A line for each contender; the intervals are of drawn senders, and for the AUC of drawn threads too."""
    head = f"{'':<26}{'AUC (senders drawn)':<23}{'(threads drawn)':<17}" + "".join(
        f"{name:<23}" for name in MEASURES[1:]
    )
    found = [head.rstrip()]
    for name in CONTENDERS:
        ranking = table.ranking(name)
        auc, *rest = intervals(ranking, table.by_sender)
        narrow = intervals(ranking, table.by_thread)[0]
        threads = f"[{narrow.low:.3f}, {narrow.high:.3f}]"
        line = f"{name:<26}{auc!s:<23}{threads:<17}" + "".join(f"{each!s:<23}" for each in rest)
        found.append(line.rstrip())
    return found


def calibration_line(table: Table) -> str:
    """How true the probabilities are."""
    chances, acted = table.scores("decision model"), table.acted
    share = acted.mean()
    brier, plain = np.mean((chances - acted) ** 2), share * (1 - share)
    error, null = calibration_error(chances, acted)
    return (
        f"calibration: mean {chances.mean():.3f} against {share:.3f} acted on; Brier {brier:.4f} (the bare share: {plain:.4f}); "
        f"calibration error {error:.3f} (up to {null:.3f} by chance)"
    )


def folder_of_data() -> Path:
    """Where the sets are."""
    return Path(os.environ.get("STILLBELL_DATA", "../shared/data"))


async def run() -> Report:
    """Measure, and hold to what is claimed."""
    report = Report("judgement", "none")
    folder = folder_of_data() / "clinton"
    if not folder.is_dir():
        report.figures.append("not run: no data")
        return report
    mails, labels = in_time(rows_in(folder, "mail")), rows_in(folder, "labels")
    found = outcomes(mails, labels)
    began = time.process_time()
    all_ = cases(mails, found, answered(labels))
    feature_ms = 1000 * (time.process_time() - began) / len(all_)
    run_weeks(all_)
    _judge(report, [case for case in all_ if not case.is_cold], all_)
    _check_the_measuring(report, mails, labels, found, all_)
    report.figures.append(
        f"reading, features and history: {feature_ms:.2f} ms a labelled mail; {_score_ms(all_):.2f} ms a score"
    )
    return report


def _judge(report: Report, learned_: Sequence[Case], all_: Sequence[Case]) -> None:
    middle = all_[0].exchange.at + (all_[-1].exchange.at - all_[0].exchange.at) / 2
    table = Table.of(learned_)
    _print(report, "all weeks with a model", table)
    _print(report, "first half", Table.of([case for case in learned_ if case.exchange.at < middle]))
    _print(report, "second half", Table.of([case for case in learned_ if case.exchange.at >= middle]))
    model = table.ranking("decision model")
    auc = intervals(model, table.by_thread)[0]
    report.check(f"AUC above {BAR}, with all of its interval (threads drawn)", auc.low > BAR, auc)
    more = gain(model, table.ranking("quick regression"), table.by_sender)
    report.check("AUC above the quick regression's, on the same draws of senders", more.low > 0, more)
    report.figures.append(f"the aim, an AUC of {AIM}, is {'reached' if auc.value >= AIM else 'not reached'}")
    cold = Table.of([case for case in all_ if case.is_cold])
    before = cold.ranking("rules of thumb").auc(np.ones(len(cold.cases)))
    report.figures.append(f"before there was a model: {len(cold.cases)} mails, AUC {before:.3f} by rules of thumb")


def _print(report: Report, name: str, table: Table) -> None:
    senders = len({case.exchange.sender for case in table.cases})
    threads = len({case.exchange.thread for case in table.cases})
    report.figures.append(
        f"{name}: {len(table.cases)} mails, {table.acted.sum()} acted on ({table.acted.mean():.3f}), {senders} senders, {threads} threads"
    )
    report.figures += [f"  {line}" for line in (*lines_of(table), calibration_line(table))]


def _check_the_measuring(
    report: Report, mails: Sequence[Row], labels: Sequence[Row], found: Mapping[str, Outcome], all_: Sequence[Case]
) -> None:
    scores, dealt = shuffled(all_)
    chance = Ranking(scores, dealt, np.zeros(len(dealt), dtype=np.int64)).auc(np.ones(len(dealt)))
    report.check(
        "shuffled outcomes are told no better than by chance", CHANCE_LOW < chance < CHANCE_HIGH, f"AUC {chance:.3f}"
    )
    differing = sees_the_future(mails, labels, found, all_)
    report.check("no feature changes when everything later is taken away", differing == 0, f"{differing} differ")


def _score_ms(all_: Sequence[Case]) -> float:
    fitted = learned(all_, all_[-1].exchange.at)
    some = all_[-500:]
    began = time.process_time()
    for case in some:
        score(case.features, fitted)
    return 1000 * (time.process_time() - began) / len(some)
