"""Letters by words: what the owner writes in order to have something written, edited, or sent. Words send nothing.

An edit takes the next message as the new text; "send it" brings the open card back; "reply to Anna: …" begins a card.
"""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from handlers import contact, fact, introduce, mail_act, meeting, one_person, who
from handlers.compose import COMPOSE
from handlers.envelope_tap import EDITING
from handlers.scene import Reply, Scene
from memory.approval import WAITING, Approval
from memory.card import Card, Choice, StoredCard
from memory.command.correspondence import (
    Correspondence,
    from_payload,
    is_approving,
    read_correspondence,
    redraft_of,
    subject_in,
    to_payload,
)
from memory.ledger import Tables
from memory.mail_thread import thread_of
from memory.markdown import escaped
from memory.quotation import without_bars
from memory.thread import Message
from tools.letters import offered

OFFER = "letter_to"
"""The kind of the card that asks whether a letter goes to an address that the owner has written to before."""

LABEL_MAX = 60

ERRANDS = (
    meeting.answer,
    mail_act.answer,
    introduce.answer,
    contact.answer,
    one_person.answer,
    fact.answer,
    who.answer,
)
"""What else plain words may ask for in the world of mail and people. Each answers words of its own and no others."""


def answer(t: Tables, words: str, asked: Message, scene: Scene) -> Reply | Approval | None:
    """What is said to words that are about a letter: a text, an open question to be put once more, or None for other words."""
    if editing := _editing(t, scene):
        return _edit(t, words, editing, scene)
    if is_approving(words) and (waiting := _waiting(t, scene)):
        return waiting
    if words.startswith("/"):
        return None
    wish = read_correspondence(words)
    if wish is None:
        said = (errand(t, words, asked, scene) for errand in ERRANDS)
        return next((one for one in said if one is not None), None)
    if wish.how == "new" and not wish.copies and (address := offered(t, scene.owner, wish.who)):
        return _offer(wish, address, scene)
    about = _about(t, asked) if not wish.who else None
    _compose(t, scene, {"wish": to_payload(wish), "thread": about})
    return scene.say("letter_writing")


def _offer(wish: Correspondence, address: str, scene: Scene) -> Card:
    """Whether it goes to the address at which the owner has written to them before: that is for the owner to say."""
    return Card(
        kind=OFFER,
        subject=f"turn:{scene.turn_id}",
        text=scene.say("letter_offered", who=escaped(wish.who), address=f"`{address}`"),
        choices=(Choice("yes", address[:LABEL_MAX]), Choice("none", scene.say("button_none"))),
        because="somebody in no record, and one address that the owner has written to",
        state_of_subject=json.dumps({"wish": to_payload(wish), "address": address}, sort_keys=True),
    )


def pick(t: Tables, stored: StoredCard, choice: str, scene: Scene) -> Reply:
    """The owner said whether it goes there. What may no longer be known by now is not written to."""
    if choice == "none":
        return stored.card.text
    given = json.loads(stored.card.state_of_subject)
    wish, address = from_payload(given["wish"]), str(given["address"])
    if offered(t, scene.owner, wish.who) != address:
        return scene.say("letter_no_contact", who=escaped(wish.who))
    _compose(
        t,
        replace(scene, turn_id=int(stored.card.subject.removeprefix("turn:"))),
        {"wish": to_payload(replace(wish, who=address)), "thread": None, "chosen": [[address, stored.id]]},
    )
    return scene.say("letter_writing")


def _editing(t: Tables, scene: Scene) -> Approval | None:
    """The approval whose new text this message is, if it still waits."""
    kept = t.preferences.get(scene.owner.id, EDITING)
    if not kept:
        return None
    approval = t.approvals.get(int(kept))
    if approval is None or approval.state not in WAITING:
        t.preferences.set(scene.owner.id, EDITING, "")
        return None
    return approval


def _edit(t: Tables, words: str, approval: Approval, scene: Scene) -> Reply | None:
    t.preferences.set(scene.owner.id, EDITING, "")
    if words.startswith("/"):
        return scene.say("approval_edit_left") if words.split(maxsplit=1)[0].lower() == "/stop" else None
    subject, rest = subject_in(words)
    instruction = redraft_of(rest)
    text = without_bars(rest) if instruction is None else ""
    _compose(t, scene, {"edit": approval.id, "subject": subject, "text": text, "instruction": instruction})
    return scene.say("letter_writing")


def _waiting(t: Tables, scene: Scene) -> Approval | None:
    """The newest question that is still open."""
    return next((one for one in reversed(t.approvals.waiting(scene.owner.id)) if one.state in WAITING), None)


def _about(t: Tables, asked: Message) -> int | None:
    """The thread of mail that is being talked about: that of the card which is answered."""
    answered = t.thread.get(asked.reply_to_id) if asked.reply_to_id else None
    stored = t.cards.get(answered.card_id) if answered and answered.card_id else None
    return thread_of(stored.card.subject) if stored else None


def _compose(t: Tables, scene: Scene, payload: Mapping[str, Any]) -> None:
    t.jobs.add(
        owner_id=scene.owner.id,
        kind=COMPOSE,
        lane="background",
        thread=f"owner:{scene.owner.id}",
        payload={**payload, "turn": scene.turn_id},
        now=scene.now,
    )
