"""Telling what became of an approval, on the card that it was tapped on: it waits, it left, it did not, or nobody can tell."""

from datetime import datetime

from memory.card import Card, Choice, StoredCard
from memory.dispatch import Dispatch
from memory.draft import Draft
from memory.envelope_words import REASONS, reason
from memory.ledger import Tables
from memory.owner import Language
from memory.piece import NewPiece, Piece
from memory.quotation import coded
from memory.wording import say
from tools.exit.lapsing import AFRESH

UNKNOWN = "dispatch_unknown"
"""The kind of the card that asks the owner what became of something."""


def held_key(approval_id: int) -> str:
    """The key of the piece that says that an approval waits for a way out."""
    return f"approval:{approval_id}:held"


def mark_held(t: Tables, approval_id: int, now: datetime) -> Piece | None:
    """On its card: it was approved, and waits until the account can send again."""
    found = _shown(t, approval_id)
    if found is None:
        return None
    stored, shown = found
    new = NewPiece(
        key=held_key(approval_id),
        owner_id=stored.owner_id,
        channel=shown.channel,
        text=f"{say(t.owners.get(stored.owner_id).language, 'dispatch_held')}\n\n{stored.card.text}",
        silent=True,
        amends_key=shown.key,
    )
    return t.pieces.say(new, now=now, handing=True)


def mark(t: Tables, dispatch: Dispatch, now: datetime) -> Piece | None:
    """What became of it, on its card: the same card with a line above it and no buttons."""
    found = _shown(t, dispatch.approval_id)
    if found is None:
        return None
    stored, shown = found
    owner = t.owners.get(dispatch.owner_id)
    at = owner.zones.wall_at(now)
    because = told(owner.language, dispatch.because)
    line = say(owner.language, f"dispatch_{dispatch.state}", when=f"{at:%H:%M}", because=because)
    again = _offered(t, dispatch, stored, line, now) if dispatch.state == "failed" else None
    new = NewPiece(
        key=f"dispatch:{dispatch.id}:{dispatch.state}:{dispatch.settled_by}",
        owner_id=owner.id,
        channel=shown.channel,
        text=f"{line}\n\n{stored.card.text}",
        card_id=again.id if again else None,
        silent=True,
        amends_key=shown.key,
    )
    return t.pieces.say(new, now=now, handing=True)


def _shown(t: Tables, approval_id: int) -> tuple[StoredCard, Piece] | None:
    """The card of an approval and the piece in whose place it stands; None when it was never shown."""
    approval = t.approvals.get(approval_id)
    stored = t.cards.get(approval.card_id) if approval and approval.card_id else None
    shown = t.pieces.of_card(stored.id) if stored else None
    return (stored, shown) if stored is not None and shown is not None else None


def told(language: Language, because: str) -> str:
    """A reason for the owner: ours in their language; a provider's words as a quotation, for anything may stand in them."""
    return reason(language, because) if because in REASONS else coded(because)


def _offered(t: Tables, dispatch: Dispatch, stored: StoredCard, line: str, now: datetime) -> StoredCard:
    """What did not leave may be asked for once more; that is another question, with a yes of its own."""
    offer = Card(
        kind=AFRESH,
        subject=f"approval:{dispatch.approval_id}",
        text=f"{line}\n\n{stored.card.text}",
        choices=(Choice("afresh", say(t.owners.get(dispatch.owner_id).language, "approval_afresh")),),
        because=dispatch.because,
    )
    return t.cards.put(offer, owner_id=dispatch.owner_id, now=now)


def ask_what_became(
    t: Tables, dispatch: Dispatch, draft: Draft, because: str, *, channel: str, now: datetime
) -> Piece | None:
    """The question that only the owner can answer, with what is known; None when it was put before."""
    key = f"dispatch:{dispatch.id}:unknown"
    if t.pieces.has(key):
        return None
    owner = t.owners.get(dispatch.owner_id)
    card = unknown_card(dispatch, draft, because, owner.language)
    stored = t.cards.put(card, owner_id=owner.id, now=now)
    new = NewPiece(
        key=key,
        owner_id=owner.id,
        channel=channel,
        text=card.text,
        card_id=stored.id,
    )
    return t.pieces.say(new, now=now, handing=True)


def unknown_card(dispatch: Dispatch, draft: Draft, because: str, language: Language) -> Card:
    """Did it arrive? Asked when looking could not tell."""
    to = ", ".join(one.address for one in draft.envelope.recipients)
    return Card(
        kind=UNKNOWN,
        subject=f"dispatch:{dispatch.id}",
        text=say(language, "dispatch_ask", to=coded(to), because=told(language, because)),
        choices=(
            Choice("arrived", say(language, "button_arrived"), "good"),
            Choice("lost", say(language, "button_lost")),
        ),
        because=because,
        state_of_subject=dispatch.state,
    )
