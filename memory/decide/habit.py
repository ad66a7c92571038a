"""Habits: of the mails met under some circumstance, the share that the owner acted on, with the recent ones counting most.

A circumstance met seldom says little by itself, so its share is drawn towards that of a wider one, and that towards the
share of all mail.
"""

import math
from collections.abc import Hashable, Sequence
from datetime import timedelta

FADES_FOR = timedelta(days=120)
"""After so long a mail counts half."""
STRENGTH = 8.0
"""The wider share counts as so many mails."""
USUAL_SHARE, USUAL_MAILS = 0.2, 20.0
"""What is assumed of all mail before anything was seen, and as how many mails that counts."""

ALL = ("all",)
"""The circumstance of every mail."""

KEPT_MOST = 50_000
"""So many circumstances are kept in mind; then those that have faded to less than half a mail are let go of."""

Circumstance = tuple[Hashable, ...]


class Fading:
    """A count of which each part counts half after `half_for`, half of that after twice as long, and so on."""

    __slots__ = ("_at_s", "_half_s", "_value")

    def __init__(self, half_for: timedelta) -> None:
        self._half_s = half_for.total_seconds()
        self._value = 0.0
        self._at_s = 0.0

    def at(self, at_s: float) -> float:
        """What it has come down to at `at_s` (seconds since 1970)."""
        return self._value * 0.5 ** ((at_s - self._at_s) / self._half_s) if self._value else 0.0

    def add(self, at_s: float) -> None:
        """Count one more."""
        self._value = self.at(at_s) + 1.0
        self._at_s = at_s


class Habits:
    """What the owner did under which circumstance."""

    def __init__(self) -> None:
        self._met: dict[Circumstance, Fading] = {}
        self._acted: dict[Circumstance, Fading] = {}
        self._let_go_above = KEPT_MOST

    def meet(self, circumstances: Sequence[Circumstance], at_s: float) -> None:
        """A mail came under these circumstances."""
        for each in circumstances:
            self._met.setdefault(each, Fading(FADES_FOR)).add(at_s)
        if len(self._met) > self._let_go_above:
            self._let_go(at_s)

    def act(self, circumstances: Sequence[Circumstance], at_s: float) -> None:
        """The owner acted on a mail that had come under these circumstances."""
        for each in circumstances:
            self._acted.setdefault(each, Fading(FADES_FOR)).add(at_s)

    def times(self, circumstance: Circumstance, at_s: float) -> float:
        """How many mails of it count by now."""
        met = self._met.get(circumstance)
        return met.at(at_s) if met else 0.0

    def share(self, chain: Sequence[Circumstance], at_s: float) -> float:
        """The share of the last circumstance of `chain`, which leads from wider to narrower ones; all mail need not be named."""
        share = self._drawn(ALL, USUAL_SHARE, USUAL_MAILS, at_s)
        for each in chain:
            share = self._drawn(each, share, STRENGTH, at_s)
        return share

    def _let_go(self, at_s: float) -> None:
        self._met = {each: count for each, count in self._met.items() if count.at(at_s) >= 0.5}
        self._acted = {each: count for each, count in self._acted.items() if each in self._met}
        # All of a busy mailbox may be fresh; then looking through them at every mail would help nobody.
        self._let_go_above = max(KEPT_MOST, 2 * len(self._met))

    def _drawn(self, circumstance: Circumstance, towards: float, strength: float, at_s: float) -> float:
        met = self.times(circumstance, at_s)
        if not met:
            return towards
        acted = self._acted.get(circumstance)
        return ((acted.at(at_s) if acted else 0.0) + strength * towards) / (met + strength)


def log_odds(share: float) -> float:
    """A share as log odds, kept away from the ends."""
    kept = min(0.95, max(0.02, share))
    return math.log(kept / (1 - kept))


def share_of(odds: float) -> float:
    """The share that these log odds stand for."""
    return 1 / (1 + math.exp(-odds))
