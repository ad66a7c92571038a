"""Introductions by words and by buttons: begun, ended, and what an unclear answer means. The rest is a job's (introduction_step)."""

import json

from handlers.scene import Reply, Scene
from memory import introduction as introductions
from memory.card import Card, Choice
from memory.command.introducing import Introducing, is_stopping, read_introducing
from memory.envelope_words import reason
from memory.introduction import AskOwner
from memory.ledger import Tables
from memory.markdown import escaped
from memory.refusal import Refusal
from memory.thread import Message
from tools import introducing
from tools.exit import playbook
from tools.letters import NoLetter

WHICH, UNCLEAR = "introduction_which", "introduction_unclear"
"""The kinds of the cards that ask who asked for it, and what an answer means."""

LABEL_MAX = 40


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
    introducing.store(t, before, after, now=scene.now, signal_id=scene.signal_id)
    playbook.advance(t, scene.owner.id, before.id, "confirmed", scene.now)
    return card.text


def _begin(t: Tables, wish: Introducing, scene: Scene) -> Reply:
    try:
        begun = introducing.begin(t, scene.owner, wish.asker, wish.target, because="you asked for it", now=scene.now)
    except NoLetter as error:
        return escaped(str(error))
    introducing.record(t, begun, now=scene.now, signal_id=scene.signal_id)
    playbook.advance(t, scene.owner.id, begun.id, "begun", scene.now)
    return scene.say("introduction_begun", asker=escaped(begun.asker.name), target=escaped(begun.target.name))


def _ask_which(wish: Introducing, scene: Scene) -> Reply:
    return Card(
        kind=WHICH,
        subject=f"turn:{scene.turn_id}",
        text=scene.say("introduction_which"),
        choices=(
            Choice("first", wish.first[:LABEL_MAX]),
            Choice("second", wish.second[:LABEL_MAX]),
            Choice("none", scene.say("button_none")),
        ),
        because="the words don't say who asked for the introduction",
        state_of_subject=json.dumps([wish.first, wish.second]),
    )


def _stop(t: Tables, scene: Scene) -> Reply:
    """The newest that is on its way goes no further."""
    open_ones = t.introductions.open(scene.owner.id)
    after = introductions.end(open_ones[-1], because="the owner stopped it") if open_ones else None
    if after is None or isinstance(after, Refusal):
        return scene.say("introduction_none")
    introducing.store(t, open_ones[-1], after, now=scene.now, signal_id=scene.signal_id)
    playbook.advance(t, scene.owner.id, after.id, "stopped", scene.now)
    return scene.say("introduction_stopped")
