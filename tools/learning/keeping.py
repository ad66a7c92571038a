"""Keeping: what was learned, as one JSON file. Numbers and names of features only; reading it can run nothing.

Needs no scikit-learn. Nothing of anybody's mail is in the file: words stand in it as numbers into which they were hashed.
"""

import json
import math
import os
from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

from memory.decide.score import Fitted
from memory.decide.words import MARKS
from memory.errors import OutOfReach, StillbellError

NAME = "decision-model.json"
FORM = "stillbell decision model"
VERSION = 1
"""Raised when the file, or the meaning of a feature, changes: what was learned before is then learned anew."""
SIZE_MAX_BYTES = 16 * 1024 * 1024
LARGEST = 1e6
"""No mean, scale or weight is larger; one that is would only make nonsense of every score."""


class StrangeModel(StillbellError):  # noqa: N818  a noun phrase reads better at every use
    """What is kept is no decision model of this version, or is damaged. Learning again replaces it."""


def save(fitted: Fitted, folder: Path) -> Path:
    """Keep what was learned in `folder`, in one step, readable by its owner alone (0600); returns the file.

    Raises OutOfReach when it can't be written.
    """
    path = folder / NAME
    coming = folder / f".{NAME}.coming"
    body = _plain(fitted)
    whole = json.dumps({"form": FORM, "version": VERSION, "digest": _digest(body), "model": body})
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        coming.unlink(missing_ok=True)
        handle = os.open(coming, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(whole)
            file.flush()
            os.fsync(file.fileno())
        coming.replace(path)
    except OSError as error:
        raise OutOfReach(f"the decision model can't be kept in {folder}: {error.strerror}") from error
    return path


def load(folder: Path) -> Fitted | None:
    """What was learned, None when nothing is kept in `folder` yet.

    Raises StrangeModel for a file that is damaged, of another version or not ours: score without it, and learn again.
    """
    path = folder / NAME
    try:
        if path.stat().st_size > SIZE_MAX_BYTES:
            raise _strange(path, "it is far too large")
        whole = json.loads(path.read_bytes())
    except FileNotFoundError:
        return None
    except OSError as error:
        raise _strange(path, f"it can't be read ({error.strerror})") from error
    except (ValueError, RecursionError) as error:
        raise _strange(path, "it is no JSON") from error
    if not isinstance(whole, dict) or whole.get("form") != FORM:
        raise _strange(path, "it is something else")
    if whole.get("version") != VERSION:
        raise _strange(path, "another version of Stillbell wrote it")
    return _read(whole, path)


def _read(whole: Mapping[str, Any], path: Path) -> Fitted:
    body = whole.get("model")
    if not isinstance(body, dict) or whole.get("digest") != _digest(body):
        raise _strange(path, "it is damaged")
    try:
        fitted = _fitted(body)
    except (KeyError, TypeError, ValueError, OverflowError, AttributeError) as error:
        raise _strange(path, "a value in it is none that a model has") from error
    if not _is_sound(fitted):
        raise _strange(path, "its values make no model")
    return fitted


def _plain(fitted: Fitted) -> dict[str, Any]:
    body = asdict(fitted)
    for name in ("trained_at", "since", "until"):
        body[name] = body[name].isoformat()
    body["marks"] = [[mark, weight] for mark, weight in sorted(fitted.marks.items())]
    return body


def _fitted(body: Mapping[str, Any]) -> Fitted:
    return Fitted(
        trained_at=_moment(body["trained_at"]),
        since=_moment(body["since"]),
        until=_moment(body["until"]),
        mails=int(body["mails"]),
        acted=int(body["acted"]),
        names=tuple(str(name) for name in body["names"]),
        means=tuple(float(value) for value in body["means"]),
        scales=tuple(float(value) for value in body["scales"]),
        weights=tuple(float(value) for value in body["weights"]),
        marks={int(mark): float(weight) for mark, weight in body["marks"]},
        base=float(body["base"]),
        shift=float(body["shift"]),
        slope=float(body["slope"]),
    )


def _moment(text: str) -> datetime:
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError("a time without a zone")
    return moment


def _is_sound(fitted: Fitted) -> bool:
    sizes = {len(fitted.names), len(fitted.means), len(fitted.scales), len(fitted.weights)}
    values = (*fitted.means, *fitted.scales, *fitted.weights, *fitted.marks.values())
    return (
        len(sizes) == 1
        and all(math.isfinite(value) and abs(value) <= LARGEST for value in values)
        and all(math.isfinite(value) for value in (fitted.base, fitted.shift, fitted.slope))
        and all(scale >= 0 for scale in fitted.scales)
        and all(0 <= mark < MARKS for mark in fitted.marks)
        and fitted.slope > 0
        and 0 <= fitted.acted <= fitted.mails
    )


def _digest(body: Mapping[str, Any]) -> str:
    """Tells damage; it keeps nobody from writing a file of their own."""
    return sha256(json.dumps(body, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def _strange(path: Path, why: str) -> StrangeModel:
    return StrangeModel(f"{path.name} is not used: {why}. Mail is judged by rules of thumb until the next learning.")
