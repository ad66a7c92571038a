"""Lapsing: a question that is asked no more. One whose time is over is offered afresh; one for another draft is void."""

from datetime import datetime

from memory.approval import Approval, void
from memory.card import Card, Choice
from memory.ledger import Tables
from memory.piece import NewPiece, Piece
from memory.refusal import Refusal
from memory.wording import say

AFRESH = "approval_afresh"
"""The kind of the card that offers an expired draft once more."""


def lapse(t: Tables, before: Approval, expired: Approval, now: datetime, *, line: str = "") -> Piece | None:
    """Store it as expired, and redraw its card; None when it was decided meanwhile, or no card of it was shown.

    `line`: what stands above it, if not that nobody tapped in time.
    """
    if not t.approvals.store(expired, before=before):
        return None
    t.decisions.record(
        owner_id=expired.owner_id,
        subject=f"approval:{expired.id}",
        decided=expired.state,
        because=expired.because,
        now=now,
        signal_id=expired.tapped_by,
    )
    stored = t.cards.get(before.card_id) if before.card_id else None
    shown = t.pieces.of_card(stored.id) if stored else None
    if stored is None or shown is None:
        return None
    owner = t.owners.get(before.owner_id)
    t.cards.outdate(stored.card.subject, owner_id=owner.id, now=now)
    offer = Card(
        kind=AFRESH,
        subject=stored.card.subject,
        text=f"{line or say(owner.language, 'approval_expired')}\n\n{stored.card.text}",
        choices=(Choice("afresh", say(owner.language, "approval_afresh")),),
        because=expired.because,
    )
    kept = t.cards.put(offer, owner_id=owner.id, now=now)
    new = NewPiece(
        key=f"card:{stored.id}:expired",
        owner_id=owner.id,
        channel=shown.channel,
        text=offer.text,
        card_id=kept.id,
        silent=True,
        amends_key=shown.key,
    )
    return t.pieces.say(new, now=now, handing=True)


def supersede(t: Tables, before: Approval, now: datetime) -> Piece | None:
    """Another draft was asked about in its place: it is void, and its card says so and has no buttons."""
    after = void(before, now, because="another draft took its place")
    if isinstance(after, Refusal) or not t.approvals.store(after, before=before):
        return None
    stored = t.cards.get(before.card_id) if before.card_id is not None else None
    shown = t.pieces.of_card(stored.id) if stored is not None else None
    if stored is None or shown is None:
        return None
    t.cards.outdate(stored.card.subject, owner_id=before.owner_id, now=now)
    new = NewPiece(
        key=f"card:{stored.id}:void",
        owner_id=before.owner_id,
        channel=shown.channel,
        text=f"{say(t.owners.get(before.owner_id).language, 'approval_void')}\n\n{stored.card.text}",
        silent=True,
        amends_key=shown.key,
    )
    return t.pieces.say(new, now=now, handing=True)
