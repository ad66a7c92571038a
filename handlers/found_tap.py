"""Taps on the card of what was found: a line is opened, the next ones come, the way back; why, for a mail."""

from dataclasses import replace

from handlers.scene import Reply, Scene
from memory.card import Card, Choice
from memory.errors import NotFound
from memory.ledger import Tables
from memory.search.attached import mail_of
from tools import found_card, why


def act(t: Tables, card: Card, choice: str, scene: Scene) -> Reply:
    """Do what the button says, within the caller's transaction. Nothing is changed by looking."""
    if choice.startswith("open."):
        place = int(choice.removeprefix("open."))
        return found_card.opened(t, scene.owner, card, place, scene.now) or scene.say("found_gone")
    if choice == "why":
        return _why(t, card, scene)
    sought = found_card.sought_of(card)
    start = {"more": sought.start + found_card.SHOWN, "first": 0}.get(choice, sought.start)
    lines = found_card.lines(
        t,
        scene.owner,
        replace(sought, start=start),
        subject=card.subject,
        because=card.because,
        now=scene.now,
    )
    return lines or scene.say("found_gone")


def _why(t: Tables, card: Card, scene: Scene) -> Reply:
    """The opened mail with what became of it."""
    sought = found_card.sought_of(card)
    ref, _ = sought.hits[sought.opened or 0]
    mail_id = mail_of(ref)
    try:
        said = why.of_mail(t, scene.owner, t.mails.get(mail_id or 0), scene.now)
    except NotFound:
        return scene.say("found_gone")
    back = Choice("back", scene.say("button_found_back"))
    return replace(card, text=f"{card.text}\n\n{said}", choices=(back,))
