"""Which loop is meant, and what "undo" takes back."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from memory import setting
from memory.command.intent import Target
from memory.command.naming import named
from memory.decision import Decision
from memory.loop import Loop
from memory.recollection import RECOLLECTION

UNDO_AT_ONCE_FOR = timedelta(minutes=10)
"""A change this fresh is taken back without asking; an older one might not be the one that is meant."""

_CHANGES = {"done", "dropped", "snoozed", "opened", "set", "cancelled"}
_TOLD = {"noted", "passed", "forgotten"}


@dataclass(frozen=True, slots=True)
class Which:
    """Several loops could be meant, or one perhaps: ask. None at all: say so."""

    candidates: tuple[Loop, ...]


def resolve(target: Target, open_loops: Sequence[Loop], about: int | None) -> Loop | Which:
    """The loop that `target` means. `about` is the id of the loop last talked about, if there is one."""
    every = tuple(open_loops)
    match target.how:
        case "words":
            found, else_asked = named(target.words, every)
        case "loop_id":
            found, else_asked = _with_id(every, target.number), ()
        case "number":
            known = 1 <= target.number <= len(every)
            found, else_asked = every[target.number - 1] if known else None, every
        case "last":
            found, else_asked = every[-1] if every else None, ()
        case "mentioned":
            found, else_asked = _with_id(every, about), ()
        case "it":
            found, else_asked = _with_id(every, about) or (every[0] if len(every) == 1 else None), every
    return found or Which(else_asked)


def _with_id(loops: Sequence[Loop], loop_id: int | None) -> Loop | None:
    return next((loop for loop in loops if loop.id == loop_id), None)


@dataclass(frozen=True, slots=True)
class TakeBack:
    """The decision to reverse; `at_once` or only after asking."""

    decision: Decision
    at_once: bool


def is_change(decision: Decision) -> bool:
    """Whether it is one that can be taken back."""
    if decision.subject.startswith(f"{RECOLLECTION}:"):
        return decision.decided == "remembered"
    is_kept = decision.subject.startswith(("loop:", "reminder:")) and decision.decided in _CHANGES
    return (
        is_kept
        or decision.subject.startswith((setting.PREFIX, "mail-act:", "contact:", "person-change:"))
        or (decision.subject.startswith("fact:") and decision.decided in _TOLD)
    )


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
        if follows or not is_change(decision):
            continue
        if decision.subject in reversed_subjects:
            reversed_subjects.discard(decision.subject)
            continue
        return TakeBack(decision, now - decision.at <= UNDO_AT_ONCE_FOR)
    return None
