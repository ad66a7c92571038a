"""Who: the card of a person, by `/who`, by plain words, by a button; of two people of one name it asks which.

Somebody whom the exclusions cover is answered as one of whom nothing is known.
"""

import json
from collections.abc import Sequence

from handlers.scene import Reply, Scene
from memory.card import Card
from memory.command.person import Asked, name_and_place, read_person, read_which
from memory.errors import NotFound
from memory.foreign import foreign
from memory.ledger import Tables
from memory.people.person import Person
from memory.portraitwords import say
from memory.thread import Message
from tools import meant, person_notes, portrait_card, portraying

NAME_MAX = 80

LATELY = 4
"""A question among the last so many messages may be answered in words."""


def command(t: Tables, rest: str, scene: Scene) -> Reply:
    """/who NAME."""
    if not rest:
        return say(scene.language, "usage")
    asked = name_and_place(rest) or Asked(rest, whole=rest)
    found = meant.people_meant(t, scene.owner, asked)
    return _answer(t, found, asked, scene) if found else _nobody(t, asked.whole, scene)


def answer(t: Tables, words: str, asked: Message, scene: Scene) -> Reply | None:
    """What is said to words that ask who somebody is, or say which of several; None for other words, and for nobody known."""
    if apart := read_which(words):
        chosen = _chosen(t, apart, asked, scene)
        if chosen is not None:
            return chosen
    person = read_person(words)
    found = meant.people_meant(t, scene.owner, person) if person else ()
    return _answer(t, found, person, scene) if person and found else None


def pick(t: Tables, card: Card, choice: str, scene: Scene) -> Reply:
    """The owner chose one of several, or said that both are one."""
    if choice == portrait_card.SAME:
        return _one(t, card, scene)
    return _portrait(t, int(choice.removeprefix("pick.")), scene)


def act(t: Tables, card: Card, choice: str, scene: Scene) -> Reply:
    """The sources of a card are shown, or hidden: read anew, so that nothing is shown that may no longer be."""
    try:
        person = t.people.get(scene.owner.id, int(card.subject.partition(":")[2]))
    except NotFound:
        return scene.say("stale_gone")
    drawn = portrait_card.drawn(t, scene.owner, person, scene.now)
    if choice == portrait_card.SOURCES:
        return portrait_card.with_sources(t, drawn, scene.owner, scene.now, because=card.because)
    return portrait_card.card(drawn, scene.owner, because=card.because)


def _answer(t: Tables, found: Sequence[Person], asked: Asked, scene: Scene) -> Reply:
    if len(found) == 1:
        return _portrait(t, found[0].id, scene)
    labels = meant.labels(t, scene.owner.id, found)
    return portrait_card.which(found, labels, asked.name, scene.owner, turn_id=scene.turn_id)


def _portrait(t: Tables, person_id: int, scene: Scene) -> Reply:
    try:
        person = t.people.get(scene.owner.id, person_id)
    except NotFound:
        return scene.say("stale_gone")
    drawn = portrait_card.drawn(t, scene.owner, person, scene.now)
    return portrait_card.card(drawn, scene.owner, because=scene.because)


def _nobody(t: Tables, name: str, scene: Scene) -> str:
    return say(scene.language, portraying.nobody(t, scene.owner), name=foreign(name, NAME_MAX))


def _chosen(t: Tables, apart: str, asked: Message, scene: Scene) -> Reply | None:
    """The one of a question that was just put, by what tells them apart; None when nothing was asked, or not of these."""
    recent = [asked.reply_to_id] if asked.reply_to_id else []
    messages = [t.thread.get(number) for number in recent] or t.thread.history(scene.owner.id, limit=LATELY)
    for message in reversed(messages):
        stored = t.cards.get(message.card_id) if message.card_id else None
        if stored is None or stored.card.kind != portrait_card.WHICH or stored.state != "open":
            continue
        options = json.loads(stored.card.state_of_subject)
        people = [(person, label) for number, label in options if (person := _there(t, number, scene)) is not None]
        found = [person for person, label in people if meant.is_at(apart, person, label)]
        if len(found) != 1:
            return None
        t.cards.decide(stored.id, f"pick.{found[0].id}", now=scene.now)
        return _portrait(t, found[0].id, scene)
    return None


def _one(t: Tables, card: Card, scene: Scene) -> Reply:
    one, other = (_there(t, number, scene) for number, _ in json.loads(card.state_of_subject))
    if one is None or other is None:
        return scene.say("stale_gone")
    return person_notes.join(
        t, scene.owner, one, other, because=scene.because, now=scene.now, signal_id=scene.signal_id
    )


def _there(t: Tables, person_id: int, scene: Scene) -> Person | None:
    try:
        return t.people.get(scene.owner.id, person_id)
    except NotFound:
        return None
