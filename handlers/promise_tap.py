"""Taps on the card that asks about promises: one is kept open, all are, or it was no promise."""

from handlers.scene import Reply, Scene
from memory.card import Card
from memory.ledger import Tables
from memory.loop import Loop
from memory.loop import subject as loop_subject
from memory.promised import Promised, from_text
from memory.promisewords import say
from tools import cards, promise_card, promised


def act(t: Tables, card: Card, choice: str, scene: Scene) -> Reply:
    """Do what the button says, within the caller's transaction."""
    asked = from_text(card.state_of_subject)
    says = promised.Says(owner=scene.owner, now=scene.now, signal_id=scene.signal_id, because=scene.because)
    if choice == promise_card.DROP:
        promised.drop(t, asked, says)
        whats = ", ".join(promise_card.what(one) for _, one in asked.items)
        return say(scene.language, "dropped", what=whats)
    if choice == promise_card.KEEP_ALL:
        loops = [promised.keep(t, asked, place, says) for place, _ in asked.items]
        return "\n".join(_kept(loop, scene) for loop in loops)
    place = int(choice.removeprefix(f"{promise_card.KEEP}."))
    loop = promised.keep(t, asked, place, says)
    return _after(loop, asked.without(place), scene)


def _after(loop: Loop, left: Promised, scene: Scene) -> Reply:
    """What is said of it, with the way back; or the card that asks about the rest."""
    line = _kept(loop, scene)
    if not left.items:
        return cards.after_change(loop_subject(loop.id), line, scene.language, because="a promise is kept open")
    rest = promise_card.card(left, scene.owner, scene.now)
    return Card(
        kind=rest.kind,
        subject=rest.subject,
        text=f"{line}\n\n{rest.text}",
        choices=rest.choices,
        because=rest.because,
        state_of_subject=rest.state_of_subject,
    )


def _kept(loop: Loop, scene: Scene) -> str:
    title = promised.inert_title(loop)
    if loop.remind_at_wall is None:
        return say(scene.language, "kept", title=title)
    return say(scene.language, "kept_when", title=title, when=scene.when(loop.remind_at_wall))
