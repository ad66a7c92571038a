"""What is learned is the same for the same mails, is told truly, and comes back from a file that can run nothing."""

import json
import random
import stat
import subprocess
import sys
import time
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memory.decide.features import Features, features_of
from memory.decide.history import History
from memory.decide.labels import labels
from memory.decide.score import Fitted, raw, score, weighed
from memory.errors import BadInput, OutOfReach, StillbellError
from tests.doubles.exchanged import START, came, features, weeks_of_mail
from tools.learning import fitting
from tools.learning.fitting import Example, calibrated, fit
from tools.learning.keeping import NAME, StrangeModel, load, save

ROOT = Path(__file__).parents[2]
NOW = START + timedelta(days=400)


def examples(weeks: int = 30) -> list[Example]:
    mails, history, found = weeks_of_mail(weeks), History(lambda at: at), []
    known = labels(mails, now=NOW)
    for mail in mails:
        if not mail.by_owner:
            found.append(Example(features_of(mail, history), known[mail.fingerprint].acted or False, mail.at))
        history.feed(mail)
    return found


@pytest.fixture(scope="module")
def learned_from() -> list[Example]:
    return examples()


@pytest.fixture(scope="module")
def fitted(learned_from: list[Example]) -> Fitted:
    return fit(learned_from, now=NOW)


def test_the_same_mails_give_the_same_model_in_any_order(learned_from: list[Example], fitted: Fitted) -> None:
    mixed = random.Random(3).sample(learned_from, len(learned_from))
    assert fit(mixed, now=NOW) == fitted


def test_it_says_from_what_it_was_learned(learned_from: list[Example], fitted: Fitted) -> None:
    assert (fitted.mails, fitted.acted) == (len(learned_from), sum(each.acted for each in learned_from))
    assert (fitted.since, fitted.until, fitted.trained_at) == (learned_from[0].at, learned_from[-1].at, NOW)
    assert fitted.is_enough


def test_it_learns_whom_and_what_the_owner_answers(fitted: Fitted) -> None:
    mails, at = weeks_of_mail(30), START + timedelta(days=215)
    asked = score(
        features(came(at, "mara", said="Could you look at the draft today?", subject="Draft 300"), *mails), fitted
    )
    passed_on = score(
        features(came(at, "otto", said="FYI", subject="Fwd: News 300", below="news " * 400), *mails), fitted
    )
    assert asked.probability > 0.6
    assert passed_on.probability < 0.3
    assert not asked.is_cold


def test_what_the_rules_would_not_say_is_learned_from_words() -> None:
    """Only a word tells the two apart; no rule and no relation does."""
    found, history = [], History(lambda at: at)
    for number in range(400):
        wanted = number % 2 == 0
        mail = came(START + timedelta(hours=number), said="budget figures" if wanted else "garden figures", subject="x")
        found.append(Example(features_of(mail, history), wanted, mail.at))
        history.feed(mail)
    learned = fit(found, now=NOW)
    late = START + timedelta(hours=401)
    budget, garden = (
        score(features_of(came(late, said=said, subject="x"), history), learned).probability
        for said in ("budget figures", "garden figures")
    )
    assert budget > garden + 0.2


class Watched:
    """Notes what is learned from which rows, and which rows are scored by it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.learned: list[tuple[slice, Any]] = []
        self.scored: list[tuple[slice, slice]] = []
        self.data: Any = None
        learn, scores = fitting._learn, fitting._Learned.scores
        rows_of: dict[int, slice] = {}

        def learns(data: Any, rows: slice) -> Any:
            self.data, found = data, learn(data, rows)
            self.learned.append((rows, found))
            rows_of[id(found)] = rows
            return found

        def scored(found: Any, data: Any, rows: slice) -> Any:
            self.scored.append((rows_of.get(id(found), rows), rows))
            return scores(found, data, rows)

        monkeypatch.setattr(fitting, "_learn", learns)
        monkeypatch.setattr(fitting._Learned, "scores", scored)


def test_the_score_in_plain_python_is_that_of_the_library(
    learned_from: list[Example], monkeypatch: pytest.MonkeyPatch
) -> None:
    watched = Watched(monkeypatch)
    learned = fit(learned_from, now=NOW)
    everything, found = next(each for each in watched.learned if each[0].stop == len(learned_from))
    theirs = found.scores(watched.data, everything)
    ours = [raw(weighed(each.features, learned), learned) for each in learned_from]
    assert ours == pytest.approx(list(theirs), abs=1e-3)


def test_nothing_is_calibrated_on_what_it_was_learned_from(
    learned_from: list[Example], monkeypatch: pytest.MonkeyPatch
) -> None:
    watched = Watched(monkeypatch)
    fit(learned_from, now=NOW)
    assert len(watched.scored) > 1
    assert all(scored.start >= learned.stop for learned, scored in watched.scored)
    assert max(scored.stop for _, scored in watched.scored) == len(learned_from)


@pytest.mark.parametrize(("stretch", "moved"), [(3.0, 0.0), (1.0, 0.8)], ids=["overconfident", "too low"])
def test_calibration_brings_chances_to_what_happens(stretch: float, moved: float) -> None:
    chance = np.random.default_rng(5)
    true = chance.normal(-1, 1, 4000)
    acted = chance.random(4000) < 1 / (1 + np.exp(-true))
    told = true * stretch - moved
    shift, slope = calibrated(told, acted)
    corrected = 1 / (1 + np.exp(-(shift + slope * told)))
    assert corrected.mean() == pytest.approx(acted.mean(), abs=0.02)
    assert slope == pytest.approx(1 / stretch, abs=0.15)


def test_calibration_on_next_to_nothing_changes_next_to_nothing() -> None:
    shift, slope = calibrated(np.array([2.0, -1.0]), np.array([False, True]))
    assert abs(shift) < 0.1
    assert abs(slope - 1) < 0.1


@pytest.mark.parametrize(
    "some",
    [
        pytest.param(lambda found: [], id="no mail"),
        pytest.param(lambda found: [each for each in found if each.acted], id="all acted on"),
        pytest.param(lambda found: [each for each in found if not each.acted], id="none acted on"),
    ],
)
def test_too_little_is_said_to_be_too_little(some, learned_from: list[Example]) -> None:
    with pytest.raises(BadInput, match="too little"):
        fit(some(learned_from), now=NOW)


def test_numbers_of_two_versions_are_not_mixed(learned_from: list[Example]) -> None:
    odd = learned_from[0]
    names = ("other", *odd.features.names[1:])
    mixed = [replace(odd, features=Features(names, odd.features.values, odd.features.marks)), *learned_from[1:]]
    with pytest.raises(BadInput, match="versions"):
        fit(mixed, now=NOW)


# Keeping


def test_what_is_kept_comes_back_as_it_was(fitted: Fitted, tmp_path: Path) -> None:
    path = save(fitted, tmp_path / "learned")
    assert load(tmp_path / "learned") == fitted
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [each.name for each in path.parent.iterdir()] == [NAME]


def test_nothing_kept_is_nothing_learned(tmp_path: Path) -> None:
    assert load(tmp_path) is None
    assert load(tmp_path / "not there") is None


def test_the_file_holds_numbers_and_no_word_of_a_mail(fitted: Fitted, tmp_path: Path) -> None:
    text = save(fitted, tmp_path).read_text()
    body = json.loads(text)["model"]
    assert set(body["names"]) == set(fitted.names)
    for word in ("draft", "news", "mara", "otto"):
        assert word not in text.lower()


def changed(**values: object):
    def change(whole: dict) -> str:
        from tools.learning.keeping import _digest  # noqa: PLC0415  a whole file, so that only its values are wrong

        body = whole["model"] | values
        return json.dumps(whole | {"model": body, "digest": _digest(body)})

    return change


@pytest.mark.parametrize(
    "spoil",
    [
        pytest.param(lambda whole: "", id="empty"),
        pytest.param(lambda whole: json.dumps(whole)[:1000], id="cut short"),
        pytest.param(lambda whole: "[" * 100_000, id="deeply nested"),
        pytest.param(lambda whole: "null", id="null"),
        pytest.param(lambda whole: json.dumps({"form": "a shopping list"}), id="something else"),
        pytest.param(lambda whole: json.dumps(whole | {"version": 999}), id="another version"),
        pytest.param(lambda whole: json.dumps(whole | {"model": whole["model"] | {"base": 3.0}}), id="altered"),
        pytest.param(lambda whole: json.dumps(whole | {"model": 7}), id="no model"),
        pytest.param(changed(base=float("nan")), id="not a number"),
        pytest.param(changed(shift="x"), id="a word for a number"),
        pytest.param(changed(means=[1.0]), id="too few means"),
        pytest.param(changed(weights=[1e300] * 3), id="weights that overflow"),
        pytest.param(changed(slope=-1.0), id="upside down"),
        pytest.param(changed(marks=[[-5, 1.0]]), id="a mark out of range"),
        pytest.param(changed(since="yesterday"), id="no date"),
        pytest.param(changed(since="2026-01-01T00:00:00"), id="a date without a zone"),
        pytest.param(changed(acted=10**9), id="more acts than mails"),
        pytest.param(changed(names=None), id="no names"),
    ],
)
def test_a_file_that_is_no_model_is_said_to_be_none(spoil, fitted: Fitted, tmp_path: Path) -> None:
    path = save(fitted, tmp_path)
    path.write_text(spoil(json.loads(path.read_text())))
    with pytest.raises(StrangeModel, match="rules of thumb") as raised:
        load(tmp_path)
    assert isinstance(raised.value, StillbellError)


def test_bytes_that_would_run_something_are_no_model(tmp_path: Path) -> None:
    trap = tmp_path / "sprung"
    (tmp_path / NAME).write_bytes(b"cposix\nsystem\n(S'touch " + str(trap).encode() + b"'\ntR.")
    with pytest.raises(StrangeModel):
        load(tmp_path)
    assert not trap.exists()


def test_learning_again_replaces_a_damaged_file(fitted: Fitted, tmp_path: Path) -> None:
    (tmp_path / NAME).write_bytes(b"\x80\x04junk")
    (tmp_path / f".{NAME}.coming").write_text("left behind by a crash")
    save(fitted, tmp_path)
    assert load(tmp_path) == fitted


def test_a_folder_that_can_not_be_written_is_out_of_reach(fitted: Fitted, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OutOfReach, match="decision model"):
        save(fitted, tmp_path / "file" / "folder")


# What it costs


def test_scoring_needs_none_of_what_learning_needs() -> None:
    code = (
        "import sys; import memory.decide.score, memory.decide.features, tools.learning.keeping; "
        "print([name for name in ('sklearn', 'numpy', 'scipy') if name in sys.modules])"
    )
    told = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "[]"


def test_a_mail_is_scored_in_milliseconds(fitted: Fitted) -> None:
    history = History(lambda at: at)
    for mail in weeks_of_mail(10):
        history.feed(mail)
    mail = came(START + timedelta(days=90), said="Could you look at this today? " * 60, below="text " * 2000)
    began = time.process_time()
    for _ in range(50):
        score(features_of(mail, history), fitted)
    assert (time.process_time() - began) / 50 < 0.02
