"""Introduce: an introduction begun by words, taken further by what was sent and what was answered, ended by a no or silence.

    words ─► begun ─► card 1 ─ sent ─► card 2 ─ sent ─► waiting ─ the target's mail ─► card 3 ─ sent ─► done
                                                           └─ unclear ─► two buttons
Each message is an approval of its own (tools/exit). What the target answered is read from their mail at every step anew.
"""

import json
from dataclasses import dataclass

import structlog

from handlers.plain import Reply, Scene
from memory import introduction as introductions
from memory.approval import WAITING
from memory.card import Card, Choice
from memory.clock import Clock
from memory.command.introducing import Introducing, is_stopping, read_introducing
from memory.envelope_words import reason
from memory.errors import NotFound, StillbellError
from memory.introduction import AskOwner, Introduction, Step, next_message
from memory.job import Job, Later
from memory.ledger import Ledger, Tables
from memory.markdown import escaped
from memory.owner import Owner
from memory.piece import NewPiece, Piece
from memory.quotation import barred
from memory.refusal import Refusal
from memory.thread import Message
from memory.wording import say
from tools import introducing
from tools.chat import Post
from tools.drafter import Drafter
from tools.exit import asking, playbook
from tools.exit.asking import Asked, Refused, Wait
from tools.exit.lapsing import supersede
from tools.letters import Letters, NoLetter

log = structlog.get_logger()

WHICH, UNCLEAR = "introduction_which", "introduction"
"""The kinds of the cards that ask who asked for it, and what an answer means."""

_OF_STAGE = frozenset({"to answer", "waiting", "to introduce"})


# By words and by buttons


def answer(t: Tables, words: str, asked: Message, scene: Scene) -> Reply | None:
    """What is said to words that ask for an introduction, or end one; None for other words."""
    if is_stopping(words):
        return _stop(t, scene)
    wish = read_introducing(words)
    if wish is None:
        return None
    return _begin(t, wish, scene) if wish.asker else _ask_which(wish, scene)


def pick(t: Tables, card: Card, choice: str, scene: Scene) -> Reply:
    """The owner said who asked for it."""
    if choice == "none":
        return card.text
    first, second = json.loads(card.state_of_subject)
    return _begin(t, Introducing(first, second, first if choice == "first" else second), scene)


def decided(t: Tables, card: Card, choice: str, scene: Scene) -> Reply:
    """The owner has read an unclear answer, and says what it means."""
    before = t.introductions.get(int(card.subject.partition(":")[2]))
    if before is None:
        return scene.say("stale_gone")
    mail_id, quote = json.loads(card.state_of_subject)
    after = introductions.confirmed(before, AskOwner(mail_id, "", quote), agreed=choice == "agreed")
    if isinstance(after, Refusal):
        return reason(scene.language, after.because)
    _store(t, before, after, scene)
    playbook.advance(t, scene.owner.id, before.id, "look", scene.now)
    return card.text


def _begin(t: Tables, wish: Introducing, scene: Scene) -> Reply:
    try:
        begun = introducing.begin(t, scene.owner, wish.asker, wish.target, because="you asked for it", now=scene.now)
    except NoLetter as error:
        return escaped(str(error))
    _record(t, begun, scene.now_and(scene.signal_id)) if False else None
    t.decisions.record(
        owner_id=scene.owner.id,
        subject=f"introduction:{begun.id}",
        decided=begun.stage,
        because=scene.because,
        now=scene.now,
        signal_id=scene.signal_id,
    )
    playbook.advance(t, scene.owner.id, begun.id, "begin", scene.now)
    return scene.say("introduction_begun", asker=escaped(begun.asker.name), target=escaped(begun.target.name))


def _ask_which(wish: Introducing, scene: Scene) -> Reply:
    return Card(
        kind=WHICH,
        subject=f"turn:{scene.turn_id}",
        text=scene.say("introduction_which"),
        choices=(
            Choice("first", wish.first[:40]),
            Choice("second", wish.second[:40]),
            Choice("none", scene.say("button_none")),
        ),
        because="the words don't say who asked for the introduction",
        state_of_subject=json.dumps([wish.first, wish.second]),
    )


def _stop(t: Tables, scene: Scene) -> Reply:
    open_ones = t.introductions.open(scene.owner.id)
    if not open_ones:
        return scene.say("introduction_none")
    before = open_ones[-1]
    after = introductions.end(before, because="the owner stopped it")
    if isinstance(after, Refusal):
        return reason(scene.language, after.because)
    _store(t, before, after, scene)
    playbook.advance(t, scene.owner.id, before.id, "stopped", scene.now)
    return scene.say("introduction_stopped")


def _store(t: Tables, before: Introduction, after: Introduction, scene: Scene) -> None:
    if t.introductions.store(after, before=before):
        _record(t, after, scene)
