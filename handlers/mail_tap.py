"""What the buttons under a mail's card do: reply later, done, less like this, why, and what stands behind "more"."""

from dataclasses import replace

from handlers.scene import Reply, Scene
from memory.card import Card, Choice
from memory.errors import NotFound
from memory.foreign import foreign
from memory.ledger import Tables
from memory.loop import subject as loop_subject
from memory.mail import KeptMail
from memory.mail_thread import subject_of, thread_of
from memory.markdown import escaped
from tools import cards, delivering, mail_card, why
from tools.meetings import invitation_in
from tools.unsubscribing import can_leave

LESS = "mail_less"
"""The kind of the card that offers to take "less like this" back."""


def act(t: Tables, card: Card, choice: str, scene: Scene) -> Reply:
    """Do what the button says, within the caller's transaction."""
    thread_id = thread_of(card.subject)
    mails = t.mails.thread(thread_id, limit=20) if thread_id is not None else []
    kept = next((one for one in reversed(mails) if not one.by_owner), None)
    if thread_id is None or kept is None:
        return scene.say("stale_gone")
    match choice:
        case "later":
            return _later(t, kept, scene)
        case "done":
            because = scene.because
            delivering.settle(t, scene.owner.id, thread_id, because=because, now=scene.now, signal_id=scene.signal_id)
            _record(t, card.subject, "done", scene)
            return scene.say("mail_done", title=mail_card.subject(kept, scene.language))
        case "less":
            return _less(t, kept, card, scene)
        case "more" | "back":
            return _with_others(kept, card, choice, scene)
        case _:
            return _why(t, thread_id, card, scene)


def _later(t: Tables, kept: KeptMail, scene: Scene) -> Reply:
    loop_id = delivering.open_loop(
        t, kept, scene.owner, because=scene.because, now=scene.now, signal_id=scene.signal_id
    )
    loop = t.loops.get(loop_id)
    if loop is None:
        raise NotFound(f"there is no loop #{loop_id}")
    text = scene.say("mail_later", title=escaped(loop.title))
    return cards.after_change(loop_subject(loop_id), text, scene.language, because=scene.because)


def _less(t: Tables, kept: KeptMail, card: Card, scene: Scene) -> Reply:
    address = (kept.mail.sender.address or "").lower() if kept.mail.sender else ""
    if not address:
        return scene.say("mail_less_nobody")
    t.senders.wish(scene.owner.id, address, "less", now=scene.now)
    _record(t, card.subject, "less", scene)
    return Card(
        kind=LESS,
        # Not the thread's own: of its cards there is one, and this is none.
        subject=f"{LESS}:{kept.thread_id}",
        text=scene.say("mail_less", who=mail_card.who(kept, scene.language)),
        choices=(Choice("undo", scene.say("button_undo")),),
        because=scene.because,
        state_of_subject=address,
    )


def take_back(t: Tables, card: Card, scene: Scene) -> Reply:
    """The owner takes "less like this" back."""
    t.senders.unwish(scene.owner.id, card.state_of_subject, "less")
    _record(t, subject_of(int(card.subject.partition(":")[2])), "less undone", scene)
    return scene.say("mail_less_undone", who=foreign(card.state_of_subject, mail_card.ADDRESS_MAX))


def _with_others(kept: KeptMail, card: Card, choice: str, scene: Scene) -> Card:
    """The same card with its other buttons."""
    if choice == "more":
        return replace(card, choices=mail_card.more(scene.language, is_list=can_leave(kept)))
    invites = invitation_in(kept, scene.owner) is not None
    return replace(card, choices=mail_card.choices(scene.language, invites=invites))


def _why(t: Tables, thread_id: int, card: Card, scene: Scene) -> Reply:
    """The same card with the reason under it; its other buttons stay."""
    reasons = why.of_thread(t, scene.owner, thread_id, scene.now)
    return Card(
        kind=mail_card.KIND,
        subject=card.subject,
        text=f"{card.text}\n\n{reasons}",
        choices=tuple(choice for choice in card.choices if choice.key != "why"),
        because=card.because,
        state_of_subject=card.state_of_subject,
    )


def _record(t: Tables, subject: str, decided: str, scene: Scene) -> None:
    t.decisions.record(
        owner_id=scene.owner.id,
        subject=subject,
        decided=decided,
        because=scene.because,
        now=scene.now,
        signal_id=scene.signal_id,
    )
