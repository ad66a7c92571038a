"""How far a Gmail mailbox has been read: the cursor that the ledger keeps, and what it means.

no place ─► catching up (backfill) ─► news ─► news … ─► history forgotten ─► catching up (gap) ─► news
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Literal

REMEMBERED = 100
"""So many ids of what was read last are kept, so that what is listed once more is known again."""

LOOK_BACK_MS = 600_000
"""What arrives is not stamped in the very order in which it is listed; ten minutes are looked through twice."""


Why = Literal["backfill", "gap"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CatchUp:
    """A stretch that is read by listing it. since_ms: from when on. done: so many are read, of those listed at first."""

    why: Why
    since_ms: int
    done: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """history: the id of the history from which on news are told. seen_ms: when the newest mail that was read came in,
    in milliseconds; 0 before the first. recent: the ids of what was read last."""

    history: str
    seen_ms: int = 0
    recent: tuple[str, ...] = ()
    catch_up: CatchUp | None = None

    @property
    def cursor(self) -> str:
        """The text that the ledger keeps."""
        held: dict[str, object] = {"history": self.history, "seen_ms": self.seen_ms, "recent": self.recent}
        if self.catch_up is not None:
            held |= {"why": self.catch_up.why, "since_ms": self.catch_up.since_ms, "done": self.catch_up.done}
        return json.dumps(held)

    def read(self, mails: Iterable[tuple[str, int]], *, done: int = 0) -> "Place":
        """The place after these mails (id, milliseconds) were read; `done` of them count for the stretch."""
        read = list(mails)
        recent = (*self.recent, *(each for each, _ in read))[-REMEMBERED:]
        seen_ms = max([self.seen_ms, *(at_ms for _, at_ms in read)])
        catch_up = self.catch_up and replace(self.catch_up, done=self.catch_up.done + done)
        return replace(self, recent=recent, seen_ms=seen_ms, catch_up=catch_up)

    def listed_from_ms(self) -> int:
        """From when on what is left of the stretch has to be listed."""
        if self.catch_up is None:
            raise ValueError("nothing is being caught up with")
        return max(self.catch_up.since_ms, self.seen_ms - LOOK_BACK_MS)

    def at_news(self, history: str | None = None) -> "Place":
        """The place behind the stretch, or further on in the history."""
        return replace(self, history=history or self.history, catch_up=None)


def begun(history: str, before: Place | None, since: datetime, *, is_first: bool) -> Place:
    """The place from which to catch up with everything since `since`, or with what came after the place `before`.

    is_first: the account was never read before.
    """
    before = before or Place(history=history)
    if before.catch_up is not None:
        return replace(before, history=history)
    why: Why = "backfill" if is_first else "gap"
    return replace(before, history=history, catch_up=CatchUp(why=why, since_ms=int(since.timestamp() * 1000)))


def place_of(cursor: str | None) -> Place | None:
    """The place that `cursor` is; None where there is none that can be understood."""
    try:
        held = json.loads(cursor or "null")
        why = held.get("why")
        catch_up = CatchUp(why=why, since_ms=int(held["since_ms"]), done=int(held["done"])) if why else None
        return Place(
            history=str(held["history"]), seen_ms=int(held["seen_ms"]), recent=tuple(held["recent"]), catch_up=catch_up
        )
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def moment(at_ms: int) -> datetime | None:
    """Milliseconds as an aware UTC datetime; None for what is none."""
    try:
        return datetime.fromtimestamp(at_ms / 1000, UTC) if at_ms > 0 else None
    except (OverflowError, ValueError, OSError):
        return None
