"""Which loop is meant, and what "undo" takes back."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from memory import setting
from memory.command.intent import Target
from memory.decision import Decision
from memory.loop import Loop
from memory.search.query import folded, words_of

UNDO_AT_ONCE_FOR = timedelta(minutes=10)
"""A change this fresh is taken back without asking; an older one might not be the one that is meant."""

_CHANGES = {"done", "dropped", "snoozed", "opened", "set", "cancelled"}


@dataclass(frozen=True, slots=True)
class Which:
    """Several loops could be meant: ask. None at all: say so."""

    candidates: tuple[Loop, ...]


def resolve(target: Target, open_loops: Sequence[Loop], about: int | None) -> Loop | Which:
    """The loop that `target` means. `about` is the id of the loop last talked about, if there is one."""
    if target.how == "loop_id":
        return next((loop for loop in open_loops if loop.id == target.number), Which(()))
    if target.how == "number":
        known = 1 <= target.number <= len(open_loops)
        return open_loops[target.number - 1] if known else Which(tuple(open_loops))
    if target.how == "last":
        return open_loops[-1] if open_loops else Which(())
    if target.how == "words":
        return _by_words(target.words, open_loops)
    mentioned = [loop for loop in open_loops if loop.id == about]
    if mentioned or len(open_loops) == 1:
        return (mentioned or list(open_loops))[0]
    return Which(tuple(open_loops))


def _by_words(words: str, open_loops: Sequence[Loop]) -> Loop | Which:
    wanted = set(words_of(words))
    found = [loop for loop in open_loops if wanted and wanted <= set(words_of(loop.title))]
    if not found:
        found = [loop for loop in open_loops if wanted and folded(words) in folded(loop.title)]
    return found[0] if len(found) == 1 else Which(tuple(found))


@dataclass(frozen=True, slots=True)
class TakeBack:
    """The decision to reverse; `at_once` or only after asking."""

    decision: Decision
    at_once: bool


def to_take_back(decisions: Sequence[Decision], now: datetime) -> TakeBack | None:
    """What "undo" means, given the newest decisions, newest first; None when there is nothing to undo.

    The latest thing that the owner changed, unless it was taken back already. What follows from a change (a reminder
    cancelled with its loop) bears the same signal and comes with it, so the first row of a signal is the one that counts.
    """
    reversed_subjects: set[str] = set()
    for position, decision in enumerate(decisions):
        if decision.signal_id is None:
            continue
        if decision.decided in {"reopened", "undone"}:
            reversed_subjects.add(decision.subject)
            continue
        follows = any(
            other.signal_id == decision.signal_id and other.subject.startswith("loop:")
            for other in (*decisions[:position], *decisions[position + 1 :])
        ) and decision.subject.startswith("reminder:")
        if follows or not (decision.decided in _CHANGES or decision.subject.startswith(setting.PREFIX)):
            continue
        if decision.subject in reversed_subjects:
            reversed_subjects.discard(decision.subject)
            continue
        return TakeBack(decision, now - decision.at <= UNDO_AT_ONCE_FOR)
    return None
