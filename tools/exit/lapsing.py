"""Lapsing: a question whose time is over is closed on its card, and the same draft is offered afresh."""

from datetime import datetime

from memory.approval import Approval
from memory.card import Card, Choice
from memory.ledger import Tables
from memory.piece import NewPiece, Piece
from memory.wording import say

AFRESH = "approval_afresh"
"""The kind of the card that offers an expired draft once more."""


def lapse(t: Tables, before: Approval, expired: Approval, now: datetime) -> Piece | None:
    """Store it as expired, and redraw its card; None when it was decided meanwhile, or no card of it was shown."""
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
        text=f"{say(owner.language, 'approval_expired')}\n\n{stored.card.text}",
        choices=(Choice("afresh", say(owner.language, "approval_afresh")),),
        because="nobody tapped in time",
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
