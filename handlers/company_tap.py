"""Taps on the card of a meeting's guests: the whole card of one of them below it, which stays as it is."""

from handlers.envelope_tap import Outcome
from handlers.scene import Scene
from memory.card import StoredCard
from memory.errors import NotFound
from memory.ledger import Tables
from memory.piece import NewPiece
from tools import company_card, portrait_card


def feel(t: Tables, stored: StoredCard, choice: str, scene: Scene) -> Outcome:
    """Show the guest's card, once a guest, within the caller's transaction."""
    key, shown = f"{stored.card.kind}:{stored.id}:{choice}", t.pieces.of_card(stored.id)
    if t.pieces.has(key) or shown is None:
        return Outcome(scene.say("stale_decided"))
    try:
        person = t.people.get(scene.owner.id, int(choice.removeprefix(f"{company_card.CARD}.")))
    except NotFound:
        return Outcome(scene.say("stale_gone"))
    drawn = portrait_card.drawn(t, scene.owner, person, scene.now)
    card = portrait_card.card(drawn, scene.owner, because=scene.because)
    kept = t.cards.put(card, owner_id=scene.owner.id, now=scene.now)
    new = NewPiece(key=key, owner_id=scene.owner.id, channel=shown.channel, text=card.text, card_id=kept.id)
    return Outcome(scene.say("tap_ok"), (t.pieces.say(new, now=scene.now, handing=True),))
