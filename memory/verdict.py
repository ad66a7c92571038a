"""A verdict: the judgement on one piece of mail, with its consequence and its reason. Ties go towards silence.

    silence  ◄─ ignore ─ log ─ hold ─ loop ─ notify ─►  noise

Whatever a stage proposes passes `settle`, which knows what no stage may decide.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

from memory.evidence import Evidence
from memory.legible import legible
from memory.owner import Language
from memory.quiet import Urgency
from memory.reasons import reason

What = Literal["notify", "hold", "loop", "log", "ignore"]
Stage = Literal["rule", "decision model", "model", "owner"]

REASON_MAX = 300
ANSWER_MAX = 20_000
"""A model's answer that is longer than this is no verdict."""

NOTIFY_FROM = 0.6
"""What costs less than this if it is seen a day late makes no sound."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """`consequence` says from 0 to 1 what missing it would cost; `stage` which judge decided.

    reason: a sentence for the owner; it may repeat what the mail says and is escaped by whoever draws it.
    code: the reason's name, without content.
    """

    what: What
    consequence: float
    reason: str
    stage: Stage
    code: str = ""


HELD_WHEN_UNREAD = Verdict(
    what="hold", consequence=0.5, reason="the judgement could not be read", stage="model", code="unread"
)


def urgency(verdict: Verdict, *, is_urgent_sender: bool = False) -> Urgency | None:
    """When it is told; None for what is only kept. Who is on the urgent list may break quiet hours."""
    if verdict.what == "notify":
        return "now" if is_urgent_sender else "soon"
    return "hold" if verdict.what in ("hold", "loop") else None


def quieter(one: What, other: What) -> What:
    """The one of two that wins a tie: the more silent; between keeping and telling, telling in the morning."""
    pair = {one, other}
    if len(pair) == 1:
        return one
    return "ignore" if pair == {"log", "ignore"} else "hold"


# What no stage may decide


def settle(proposed: Verdict, evidence: Evidence, language: Language = "en") -> Verdict:
    """What becomes of a proposal. Where it was changed, the reason says so behind the stage's own; the owner's own
    decision stands as it is.

    own        who had the last word is not judged, unless it is that nobody answers      → log
    floor      money and law from a person (bulk is bulk)                                 → hold at least
    unasked    a loop where nothing is asked                                              → hold
    bulk       bulk that no rule let through                                              → never notify or loop
    softened   the owner asked for less like this                                         → never notify
    unsure     the sender may not be who it says                                          → never notify
    past       it is no news; or the owner has read it                                    → never notify
    tie        a consequence under NOTIFY_FROM                                            → never notify
    """
    if proposed.stage == "owner":
        return proposed
    if evidence.latest.by_owner and evidence.aspect == "mail":
        return Verdict(what="log", consequence=0.0, reason=reason(language, "own"), stage="rule", code="own")
    code = _floor(proposed, evidence) or _loop_ceiling(proposed, evidence)
    settled = _changed(proposed, "hold", code, language) if code else proposed
    code = _ceiling(settled, evidence)
    return _changed(settled, "hold", code, language) if code else settled


def _floor(proposed: Verdict, evidence: Evidence) -> str:
    """The past of a mailbox has no floor: nobody wants last year's bills in the morning."""
    touches = evidence.finding("money") or evidence.finding("law")
    is_low = proposed.what in ("log", "ignore")
    return "floor" if is_low and touches and evidence.is_current and not evidence.is_bulk() else ""


def _loop_ceiling(proposed: Verdict, evidence: Evidence) -> str:
    if proposed.what != "loop":
        return ""
    is_asked = evidence.asks or evidence.aspect != "mail"
    return "" if is_asked and not evidence.is_bulk() else "nothing_asked"


def _ceiling(settled: Verdict, evidence: Evidence) -> str:
    if settled.what != "notify":
        return ""
    reasons = (
        ("bulk", evidence.is_bulk() and settled.stage not in ("rule", "owner")),
        ("softened", evidence.is_softened),
        ("unsure_sender", evidence.is_doubtful),
        ("past", not evidence.is_fresh),
        ("read", evidence.latest.is_read),
        ("tie", settled.consequence < NOTIFY_FROM),
    )
    return next((code for code, holds in reasons if holds), "")


def _changed(verdict: Verdict, what: What, code: str, language: Language) -> Verdict:
    because = f"{verdict.reason.rstrip()} {reason(language, code)}".strip()
    return replace(verdict, what=what, reason=because, code=f"{verdict.code}+{code}" if verdict.code else code)


# A model's answer


def read(text: str) -> Verdict:
    """A model's judgement. What can't be read becomes *hold*: nobody is disturbed, and nothing is dropped.

    It must be one JSON object of exactly the three fields; words or a fence around it are passed over.
    """
    if len(text) > ANSWER_MAX:
        return HELD_WHEN_UNREAD
    start, end = text.find("{"), text.rfind("}")
    try:
        found = json.loads(text[start : end + 1])
        return _verdict(found)
    except (ValueError, KeyError, TypeError, RecursionError, OverflowError):
        return HELD_WHEN_UNREAD


def _verdict(found: Any) -> Verdict:
    """Raises ValueError, KeyError or TypeError for what is no answer."""
    if not isinstance(found, dict) or set(found) != {"verdict", "consequence", "reason"}:
        raise ValueError("an answer has exactly three fields")
    what, consequence, because = found["verdict"], found["consequence"], found["reason"]
    if what not in get_args(What) or isinstance(consequence, bool) or not isinstance(consequence, int | float):
        raise TypeError("not the types that were asked for")
    if not isinstance(because, str) or math.isnan(consequence):
        raise TypeError("not the types that were asked for")
    flat = " ".join(legible(because).split())[:REASON_MAX]
    return Verdict(
        what=what, consequence=min(1.0, max(0.0, float(consequence))), reason=flat, stage="model", code="model"
    )


# The judgement of a mail that is known by a few lines only


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
        return Verdict(
            what="log",
            consequence=0.0,
            reason=f"bulk or automated ({sign or 'its headers'})",
            stage="rule",
            code="automated",
        )
    return Verdict(
        what="hold", consequence=0.5, reason="from a person, as far as a rule can tell", stage="rule", code="unsorted"
    )
