"""Taps on the day: a thread's card below it, done and seen in its place, and what landed in silence, page by page."""

from collections.abc import Callable, Mapping
from datetime import datetime

from handlers import mail_tap, plain
from handlers.envelope_tap import Outcome
from handlers.scene import Reply, Scene
from memory.card import Card, StoredCard
from memory.command.intent import Close, Target
from memory.day import clash_subject
from memory.day_words import clash_words
from memory.ledger import Tables
from memory.mail import KeptMail
from memory.mail_thread import subject_of
from memory.piece import NewPiece, Piece
from tools import day as days
from tools import day_card, day_page, delivering, mail_card, promise_card, promised
from tools.vouching import standing_of

WEB = "web"
"""Where an answer is told that was given on the page."""


def feel(t: Tables, stored: StoredCard, choice: str, scene: Scene) -> Outcome:
    """Do what a button of one of these cards says, within the caller's transaction."""
    return FELT[stored.card.kind](t, stored, choice, scene)


def _on_card(t: Tables, stored: StoredCard, choice: str, scene: Scene) -> Outcome:
    if choice == "silent":
        return _below(t, stored, choice, day_card.silent(t, scene.owner, _since(stored)), scene)
    if choice.startswith(f"{promise_card.KIND}."):
        card = _promise_card(t, choice.partition(".")[2], scene)
        return _below(t, stored, choice, card, scene) if card else Outcome(scene.say("day_gone"))
    if choice.startswith("open."):
        card = _thread_card(t, _number(choice), scene)
        return _below(t, stored, choice, card, scene) if card else Outcome(scene.say("day_gone"))
    if not t.cards.decide(stored.id, choice, now=scene.now):
        return Outcome(scene.say("stale_decided"))
    _answer(t, choice, scene)
    return Outcome(scene.say("tap_ok"), (_instead(t, stored, day_card.today(t, scene.owner, scene.now), scene),))


def _on_silent(t: Tables, stored: StoredCard, choice: str, scene: Scene) -> Outcome:
    if not t.cards.decide(stored.id, choice, now=scene.now):
        return Outcome(scene.say("stale_decided"))
    kind, _, page = choice.partition(".")
    since = _since(stored)
    card = (
        day_card.silent_page(t, scene.owner, since, kind, int(page)) if page else day_card.silent(t, scene.owner, since)
    )
    return Outcome(scene.say("tap_ok"), (_instead(t, stored, card, scene),))


def _on_page(t: Tables, stored: StoredCard, choice: str, scene: Scene) -> Outcome:
    """The page's card stays open, as its other lines can still be answered; each button counts once."""
    key = f"{stored.card.kind}:{stored.id}:{choice}"
    if t.pieces.has(key):
        return Outcome(scene.say("stale_decided"))
    about = subject_of(_number(choice)) if choice.startswith("mail-") else ""
    reply = _answer(t, choice, scene)
    return Outcome(scene.say("tap_ok"), (_tell(t, key, about, reply, scene),))


FELT: Mapping[str, Callable[[Tables, StoredCard, str, Scene], Outcome]] = {
    day_card.KIND: _on_card,
    day_card.SILENT: _on_silent,
    day_page.KIND: _on_page,
}
"""What is done with a tap, by the kind of the card."""


def _answer(t: Tables, choice: str, scene: Scene) -> Reply:
    """Answer a line; what is said of it."""
    verb, _, which = choice.partition(".")
    match verb:
        case "done":
            return plain.carry_out(t, Close(Target("loop_id", int(which))), scene)
        case "seen":
            return _see(t, which, scene)
        case "mail-done":
            return _done(t, int(which), scene)
        case _:
            card = _thread_card(t, int(which), scene)
            return mail_tap.act(t, card, verb.removeprefix("mail-"), scene) if card else scene.say("day_gone")


def _see(t: Tables, which: str, scene: Scene) -> Reply:
    """A conflict was seen to: it stands in the day no more."""
    clashes = days.standing_clashes(t, scene.owner, scene.now)
    clash = next((one for one in clashes if day_card.reference(one) == which), None)
    if clash is None:
        return scene.say("day_gone")
    _record(t, clash_subject(clash), days.SEEN, scene)
    return scene.say("day_seen", what=clash_words(clash, scene.owner, scene.now))


def _done(t: Tables, thread_id: int, scene: Scene) -> Reply:
    mails = t.mails.thread(thread_id, limit=1)
    if not mails:
        return scene.say("day_gone")
    because, signal_id = scene.because, scene.signal_id
    delivering.settle(t, scene.owner.id, thread_id, because=because, now=scene.now, signal_id=signal_id)
    _record(t, subject_of(thread_id), "done", scene)
    return scene.say("mail_done", title=mail_card.subject(mails[-1], scene.language))


def _record(t: Tables, subject: str, decided: str, scene: Scene) -> None:
    t.decisions.record(
        owner_id=scene.owner.id,
        subject=subject,
        decided=decided,
        because=scene.because,
        now=scene.now,
        signal_id=scene.signal_id,
    )


def _thread_card(t: Tables, thread_id: int, scene: Scene) -> Card | None:
    """The thread's own card; None when it is gone or nothing was judged in it."""
    mails: list[KeptMail] = t.mails.thread(thread_id, limit=20)
    kept = next((one for one in reversed(mails) if not one.by_owner), None)
    if kept is None or kept.owner_id != scene.owner.id:
        return None
    judged = t.verdicts.of_mail(scene.owner.id, kept.id) or t.verdicts.of_thread(scene.owner.id, thread_id)
    return mail_card.card(kept, judged[-1], scene.owner, scene.now, standing_of(t, kept)) if judged else None


def _promise_card(t: Tables, reference: str, scene: Scene) -> Card | None:
    """The card that asks about the promises of a mail or message; None when nobody asks about them any more."""
    asked = promised.standing(t, scene.owner.id, scene.now)
    found = (one for one in asked if promise_card.reference(one) == reference)
    return next((promise_card.card(one, scene.owner, scene.now) for one in found), None)


def _below(t: Tables, stored: StoredCard, choice: str, card: Card, scene: Scene) -> Outcome:
    """A card of its own below this one, which stays as it is. A thread's earlier card gives way to it."""
    key, shown = f"{stored.card.kind}:{stored.id}:{choice}", t.pieces.of_card(stored.id)
    if t.pieces.has(key) or shown is None:
        return Outcome(scene.say("stale_decided"))
    if card.kind in (mail_card.KIND, promise_card.KIND):
        t.cards.outdate(card.subject, owner_id=scene.owner.id, now=scene.now)
    kept = t.cards.put(card, owner_id=scene.owner.id, now=scene.now)
    new = NewPiece(key=key, owner_id=scene.owner.id, channel=shown.channel, text=card.text, card_id=kept.id)
    return Outcome(scene.say("tap_ok"), (t.pieces.say(new, now=scene.now, handing=True),))


def _instead(t: Tables, stored: StoredCard, card: Card, scene: Scene) -> Piece | None:
    """The card's place in the chat shows this one now."""
    shown = t.pieces.of_card(stored.id)
    if shown is None:
        return None
    kept = t.cards.put(card, owner_id=scene.owner.id, now=scene.now)
    new = NewPiece(
        key=f"card:{stored.id}:after",
        owner_id=scene.owner.id,
        channel=shown.channel,
        text=card.text,
        card_id=kept.id,
        amends_key=shown.key,
    )
    return t.pieces.say(new, now=scene.now, handing=True)


def _tell(t: Tables, key: str, about: str, reply: Reply, scene: Scene) -> Piece | None:
    """What was answered on the page stands in the chat: in the place of the thread's open card, else by itself."""
    before = t.cards.open_about(scene.owner.id, about) if about else None
    shown = t.pieces.of_card(before.id) if before else None
    if about:
        t.cards.outdate(about, owner_id=scene.owner.id, now=scene.now)
    kept = t.cards.put(reply, owner_id=scene.owner.id, now=scene.now) if isinstance(reply, Card) else None
    new = NewPiece(
        key=key,
        owner_id=scene.owner.id,
        channel=shown.channel if shown else WEB,
        text=reply.text if isinstance(reply, Card) else reply,
        card_id=kept.id if kept else None,
        amends_key=shown.key if shown else None,
    )
    return t.pieces.say(new, now=scene.now, handing=True)


def _number(choice: str) -> int:
    return int(choice.partition(".")[2])


def _since(stored: StoredCard) -> datetime:
    return datetime.fromisoformat(stored.card.state_of_subject)
