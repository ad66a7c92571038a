"""An approval: the owner's yes to one digest, given once, by a tap, spent once.

    asked ─tap─► approved ─► spent                    asked, confirming and approved can change, the others stay
      │ └─tap on a matter of money or law─► confirming ─tap on the second card─► approved
      ├─► rejected   the owner discarded it
      ├─► expired    nobody tapped in time; stored, so that no clock brings it back
      └─► void       another draft took its place

Each change is a new value or a Refusal with its reason. Nothing here writes; whoever stores a change does so in one
transaction with what follows from it, and only where the stored state is still the old one.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Literal

from memory.card import DIGEST_PREFIX, Tap
from memory.refusal import Refusal

State = Literal["asked", "confirming", "approved", "spent", "rejected", "expired", "void"]

WAITING: frozenset[State] = frozenset({"asked", "confirming"})
"""The states in which a tap counts."""

EXPIRES_FOR = timedelta(hours=48)
CARDS_PER_HOUR = 12
"""So many cards a person still reads in an hour; more is a way to wear them down."""
UNSPENT_FOR = timedelta(minutes=2)
"""An approval that stays unspent so long alarms."""

_HOUR = timedelta(hours=1)

SEND, SEND_AGAIN, EDIT, LATER, DISCARD = "send", "send.again", "edit", "later", "discard"
"""The keys of the buttons. The second tap has a key and a card of its own: tapping one button twice is one tap."""
REDIRECT = "redirect"
"""The key of the button that asks anew, to where the answered mail's Reply-To would have the answer. It approves nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Approval:
    """One question put to the owner.

    digest, matter: of the envelope (memory/envelope). card_id, card_digest: the card that asks now; None and "" until one
    is shown. needs_two: money or law, so one tap is not enough. tapped_by: the signal of the tap that decided.
    """

    id: int
    owner_id: int
    draft_id: int
    digest: str
    matter: str
    state: State
    because: str
    asked_at: datetime
    expires_at: datetime
    needs_two: bool = False
    card_id: int | None = None
    card_digest: str = ""
    changed_at: datetime | None = None
    tapped_by: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NewApproval:
    """A question that may be put. See Approval."""

    owner_id: int
    draft_id: int
    digest: str
    matter: str
    because: str
    needs_two: bool = False

    def asked(self, approval_id: int, now: datetime, *, expires_for: timedelta = EXPIRES_FOR) -> Approval:
        """The question as it is put now."""
        return Approval(
            id=approval_id,
            owner_id=self.owner_id,
            draft_id=self.draft_id,
            digest=self.digest,
            matter=self.matter,
            because=self.because,
            needs_two=self.needs_two,
            state="asked",
            asked_at=now,
            expires_at=now + expires_for,
        )


def afresh(expired: Approval, *, digest: str, matter: str) -> NewApproval | Refusal:
    """The same draft, as it now stands (`digest`, `matter`), as a new question, once the old one has expired.

    The old one stays expired.
    """
    if expired.state != "expired":
        return Refusal("it has not expired")
    return NewApproval(
        owner_id=expired.owner_id,
        draft_id=expired.draft_id,
        digest=digest,
        matter=matter,
        because="the card before it expired",
        needs_two=expired.needs_two,
    )


@dataclass(frozen=True, slots=True)
class Seat:
    """Where somebody sits: the channel, who they are there, and the chat. Numeric ids as text; names count for nothing."""

    channel: str
    user: str
    chat: str


@dataclass(frozen=True, slots=True)
class Press:
    """A tap as it came: what the button says, from which seat, and the signal that brought it."""

    tap: Tap
    seat: Seat | None
    signal_id: int


@dataclass(frozen=True, slots=True)
class Felt:
    """The tap counts. `choice` is its key, `approval` the value to store: changed, or as it was for *edit*, *redirect*, *later*."""

    choice: str
    approval: Approval


@dataclass(frozen=True, slots=True)
class Lapsed:
    """The tap came too late: store the expired value, and offer the same draft afresh."""

    approval: Approval


def shown(approval: Approval, *, card_id: int, card_digest: str) -> Approval | Refusal:
    """The approval with the card that now asks for it. An earlier card of it counts no more."""
    if approval.state not in WAITING:
        return Refusal("already decided")
    return replace(approval, card_id=card_id, card_digest=card_digest)


def weigh_tap(
    press: Press, approval: Approval | None, now: datetime, seats: Collection[Seat]
) -> Felt | Lapsed | Refusal:
    """What a tap does. It counts from one of the owner's `seats`, on the card that asks, while it asks, for what it shows.

    Who taps is looked at first, so that a stranger learns nothing. A refused tap leaves everything as it was.
    """
    if press.seat is None or press.seat not in seats:
        return Refusal("not the owner in the owner's chat")
    if approval is None:
        return Refusal("no such question")
    because = _decided(approval) or _of_another_card(press.tap, approval)
    if because:
        return Refusal(because)
    if now >= approval.expires_at:
        return Lapsed(_moved(approval, "expired", "nobody tapped in time", now))
    return _felt(press, approval, now)


def reject(approval: Approval, now: datetime, *, because: str) -> Approval | Refusal:
    """The owner wants it never."""
    return _ended(approval, "rejected", because, now)


def void(approval: Approval, now: datetime, *, because: str) -> Approval | Refusal:
    """Another draft takes its place, or what it answers is gone."""
    return _ended(approval, "void", because, now)


def expire(approval: Approval, now: datetime) -> Approval | Refusal:
    """The approval as expired, once its time is over; an approved one that was not spent expires as well."""
    if approval.state not in {*WAITING, "approved"}:
        return Refusal(_decided(approval) or "already decided")
    if now < approval.expires_at:
        return Refusal("its time is not over")
    return _moved(approval, "expired", "nobody tapped in time", now)


def withdraw(approval: Approval, now: datetime, *, because: str) -> Approval | Refusal:
    """What was approved is not there any more as it was: the yes counts no more, and what is there may be asked about."""
    if approval.state != "approved":
        return Refusal("not approved")
    return _moved(approval, "expired", because, now)


def spend(approval: Approval, digest: str, now: datetime) -> Approval | Refusal:
    """Use up the yes for the bytes whose digest was just computed. What differs by a byte is held."""
    if approval.state != "approved":
        return Refusal(_decided(approval) or "not approved")
    if digest != approval.digest:
        return Refusal("what would leave is not what was approved")
    if now >= approval.expires_at:
        return Refusal("expired")
    return _moved(approval, "spent", "handed to the exit", now)


def weigh_proposal(
    *, digest: str, matter: str, earlier: Sequence[Approval], now: datetime, cap_per_hour: int = CARDS_PER_HOUR
) -> Refusal | datetime | None:
    """Whether a new question may be put: a Refusal, the moment until which it has to wait, or None for now.

    `earlier` are the owner's approvals: those of the last hour, and all of this digest or matter. A No sticks; so does a
    question that is still open, and a Yes that was given.
    """
    same = {one.state for one in earlier if one.digest == digest or one.matter == matter}
    if "rejected" in same:
        return Refusal("discarded before")
    if same & WAITING:
        return Refusal("already asked")
    if same & {"approved", "spent"}:
        return Refusal("approved before")
    # On both sides of now: a clock that was set back makes no room for a flood, and blocks nothing for long.
    recent = sorted(one.asked_at for one in earlier if abs(now - one.asked_at) < _HOUR)
    return min(recent[-cap_per_hour], now) + _HOUR if len(recent) >= cap_per_hour else None


def is_unspent(approval: Approval, now: datetime) -> bool:
    """Whether the yes was given a while ago and nothing came of it: the watchdog alarms."""
    return approval.state == "approved" and now - (approval.changed_at or approval.asked_at) >= UNSPENT_FOR


def _felt(press: Press, approval: Approval, now: datetime) -> Felt | Refusal:
    choice = press.tap.choice
    if choice in {EDIT, REDIRECT, LATER}:
        return Felt(choice, approval)
    if choice == DISCARD:
        moved = _moved(approval, "rejected", "the owner discarded it", now)
    elif choice == SEND and approval.state == "asked" and approval.needs_two:
        # The card that was tapped is used up: the second tap belongs to the next one.
        moved = replace(_moved(approval, "confirming", "the first of two taps", now), card_id=None, card_digest="")
    elif choice == (SEND_AGAIN if approval.state == "confirming" else SEND):
        moved = _moved(approval, "approved", "the owner tapped", now)
    else:
        return Refusal("no such choice")
    return Felt(choice, replace(moved, tapped_by=press.signal_id))


def _of_another_card(tap: Tap, approval: Approval) -> str | None:
    """Why the tap is not on the card that asks, showing what it shows now."""
    if approval.card_id is None or tap.card_id != approval.card_id:
        return "another card"
    if len(tap.digest_prefix) != DIGEST_PREFIX or not approval.card_digest.startswith(tap.digest_prefix):
        return "the card has changed"
    return None


def _decided(approval: Approval) -> str | None:
    if approval.state in WAITING:
        return None
    return {"void": "another draft took its place", "expired": "expired"}.get(approval.state, "already decided")


def _ended(approval: Approval, state: State, because: str, now: datetime) -> Approval | Refusal:
    decided = _decided(approval)
    return Refusal(decided) if decided else _moved(approval, state, because, now)


def _moved(approval: Approval, state: State, because: str, now: datetime) -> Approval:
    return replace(approval, state=state, because=because, changed_at=now)
