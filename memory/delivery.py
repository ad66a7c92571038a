"""Delivery: how a verdict on a thread of mail reaches the owner. Most of them don't.

verdict   thread's card open?   fresh?   allowance left?   quiet hours?          → way
log, ignore                                                                       silent
loop                                                                              keep    (a loop, and a line in the brief)
hold                                                                              hold    (a line in the brief)
notify    yes                                                                     update  (the card is redrawn, silently)
notify    no              no                                                      hold    nobody is pinged about the past
notify    no              yes      no                                             hold    today's pings are used
notify    no              yes      yes               yes, and not urgent          hold    for the brief
notify    no              yes      yes               no, or an urgent sender      ping
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from memory.owner import Owner
from memory.quiet import is_quiet, next_at
from memory.verdict import Verdict

Way = Literal["ping", "update", "hold", "keep", "silent"]

PINGS_A_DAY = 5
"""The owner's allowance of pings, unless they set another (/quiet pings 3)."""

FRESH_FOR = timedelta(hours=24)
"""A mail that is older when it is judged makes no sound any more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """What else decides. `from_past`: it came in a backfill or a gap. `pings_today` of `pings_a_day` were used.

    was_pinged: the latest mail made a sound already, before more came to light of its thread.
    """

    now: datetime
    written_at: datetime
    from_past: bool
    card_is_open: bool
    was_pinged: bool = False
    is_urgent_sender: bool
    pings_today: int
    pings_a_day: int = PINGS_A_DAY


@dataclass(frozen=True, slots=True)
class Delivery:
    """`at` is when a held line may be said, None for now. `because` is why, in plain words without content."""

    way: Way
    because: str
    at: datetime | None = None


def deliver(verdict: Verdict, owner: Owner, moment: Moment) -> Delivery:
    """How it reaches the owner."""
    if verdict.what in ("log", "ignore"):
        return Delivery("silent", "not worth telling")
    brief_at = next_at(owner, owner.brief_at, moment.now)
    if verdict.what != "notify":
        way: Way = "keep" if verdict.what == "loop" else "hold"
        return Delivery(way, "for the morning brief", brief_at)
    if moment.card_is_open:
        return Delivery("update", "its card is still open")
    if moment.was_pinged:
        return Delivery("silent", "it was told before")
    if why := _held_because(owner, moment):
        return Delivery("hold", why, brief_at)
    return Delivery("ping", "it can't wait")


def _held_because(owner: Owner, moment: Moment) -> str:
    if moment.from_past or moment.now - moment.written_at > FRESH_FOR:
        return "it is from the past"
    if moment.pings_today >= moment.pings_a_day:
        return f"today's {moment.pings_a_day} pings are used"
    if is_quiet(owner, moment.now) and not moment.is_urgent_sender:
        return "quiet hours"
    return ""
