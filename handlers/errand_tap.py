"""Taps on buttons that ask for something in the world of mail: the answer to an invitation, an archived thread, a list left.

They redraw more than the card they stand on, or nothing of it: a question gets a card of its own.
"""

from dataclasses import dataclass

from handlers import mail_act, meeting, mentioned
from handlers.envelope_tap import Outcome
from handlers.scene import Scene
from memory.card import StoredCard
from memory.ledger import Tables
from memory.mail import KeptMail
from memory.mail_thread import thread_of
from memory.piece import NewPiece, Piece
from tools import mail_acts, mail_card
from tools.letters import Letters
from tools.meetings import Meetings
from tools.unsubscribing import leave

LEAVE = "leave"
"""The button by which a list is left."""

ASKS = frozenset({*meeting.BUTTONS, LEAVE})
ACTS = frozenset(mail_act.BUTTONS)


@dataclass(frozen=True, slots=True)
class Errands:
    """What the questions are made with."""

    letters: Letters
    meetings: Meetings


def feel(t: Tables, stored: StoredCard, choice: str, scene: Scene, errands: Errands) -> Outcome | None:
    """What such a tap does, within the caller's transaction; None for every other tap."""
    kind = stored.card.kind
    if kind == mail_acts.KIND:
        return _undo(t, stored, choice, scene)
    thread_id = thread_of(stored.card.subject) if kind == mail_card.KIND else None
    if thread_id is None or choice not in ASKS | ACTS:
        return None
    if choice in meeting.BUTTONS:
        return meeting.feel(t, stored, choice, scene, errands.meetings, thread_id=thread_id)
    kept = mentioned.latest_of(t, thread_id)
    if kept is None:
        return Outcome(scene.say("stale_gone"))
    return _leave(t, stored, kept, scene, errands) if choice == LEAVE else _act(t, stored, kept, choice, scene)


def _act(t: Tables, stored: StoredCard, kept: KeptMail, choice: str, scene: Scene) -> Outcome:
    """Reversible, so at once; the card's place says what came of it."""
    shown = t.pieces.of_card(stored.id)
    if shown is None or not t.cards.decide(stored.id, choice, now=scene.now):
        return Outcome(scene.say("stale_decided"))
    mail_act.begin(t, kept, mail_act.BUTTONS[choice], scene, amends=shown.key)
    return Outcome(scene.say("tap_ok"), (_going(t, stored, shown, scene),))


def _undo(t: Tables, stored: StoredCard, choice: str, scene: Scene) -> Outcome:
    shown = t.pieces.of_card(stored.id)
    if shown is None or not t.cards.decide(stored.id, choice, now=scene.now):
        return Outcome(scene.say("stale_decided"))
    mail_acts.take_back(
        t, stored.card, owner_id=scene.owner.id, now=scene.now, signal_id=scene.signal_id, amends=shown.key
    )
    return Outcome(scene.say("tap_ok"), (_going(t, stored, shown, scene),))


def _going(t: Tables, stored: StoredCard, shown: Piece, scene: Scene) -> Piece | None:
    new = NewPiece(
        key=f"card:{stored.id}:after",
        owner_id=scene.owner.id,
        channel=shown.channel,
        text=scene.say("mail_act_going"),
        silent=True,
        amends_key=shown.key,
    )
    return t.pieces.say(new, now=scene.now, handing=True)


def _leave(t: Tables, stored: StoredCard, kept: KeptMail, scene: Scene, errands: Errands) -> Outcome:
    because = "you tapped to unsubscribe on its mail"
    return meeting.put(
        t, stored, scene, lambda: leave(t, scene.owner, kept, errands.letters, because=because), note="leave"
    )
