"""A verdict: the judgement on one piece of mail, with its consequence and its reason. Ties go towards silence."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from memory.legible import legible
from memory.quiet import Urgency

What = Literal["notify", "hold", "loop", "log", "ignore"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """`consequence` says from 0 to 1 what missing it would cost; `stage` which judge decided."""

    what: What
    consequence: float
    reason: str
    stage: Literal["rule", "model"]


HELD_WHEN_UNREAD = Verdict(what="hold", consequence=0.5, reason="the judgement could not be read", stage="model")


def urgency(verdict: Verdict) -> Urgency | None:
    """When it is told; None for what is only kept."""
    return {"notify": "soon", "hold": "hold", "loop": "hold"}.get(verdict.what)  # type: ignore[return-value]


BULK = (
    "unsubscribe",
    "newsletter",
    "no-reply",
    "noreply",
    "do-not-reply",
    "donotreply",
    "abbestellen",
    "mailer-daemon",
)


def by_rule(mail: Mapping[str, Any]) -> Verdict:
    """The judgement without a model: bulk is only kept, everything else waits for the morning.

    `mail` has `from`, `subject`, `snippet`. A rule never interrupts: it can't tell a fire from a fire sale.
    """
    text = " ".join(str(mail.get(name, "")) for name in ("from", "subject", "snippet")).lower()
    sign = next((mark for mark in BULK if mark in text), None)
    if mail.get("is_automated") or sign:
        return Verdict(what="log", consequence=0.0, reason=f"bulk or automated ({sign or 'its headers'})", stage="rule")
    return Verdict(what="hold", consequence=0.5, reason="from a person, as far as a rule can tell", stage="rule")


def read(text: str) -> Verdict:
    """A model's judgement. What can't be read becomes *hold*: nobody is disturbed, and nothing is dropped."""
    start, end = text.find("{"), text.rfind("}")
    try:
        found = json.loads(text[start : end + 1])
        what, reason = found["verdict"], legible(str(found["reason"]))[:300]
        consequence = min(1.0, max(0.0, float(found["consequence"])))
    except (ValueError, KeyError, TypeError, RecursionError, OverflowError):
        return HELD_WHEN_UNREAD
    if what not in ("notify", "hold", "loop", "log", "ignore"):
        return HELD_WHEN_UNREAD
    return Verdict(what=what, consequence=consequence, reason=reason, stage="model")
