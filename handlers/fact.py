"""Facts by words: the owner says something of somebody, and it is known from then on, with the way back."""

import json
from collections.abc import Iterable, Iterator, Sequence

from handlers import recollect
from handlers.scene import Reply, Scene
from memory.card import Card, Choice
from memory.command.fact import ToldFact, read_fact
from memory.errors import NotFound
from memory.facts.quote import standing_in
from memory.factwords import say
from memory.foreign import foreign
from memory.ledger import Tables
from memory.markdown import escaped
from memory.people.person import Person
from memory.thread import Message
from tools import fact_notes
from tools.meant import labels, may_be_names

WHICH = "fact_which"
"""The kind of the card that asks of whom something was told."""

ASKED_MAX, LABEL_MAX = 6, 40

TALKED_OF_WITHIN = 6
"""Who was shown or named in one of the last so many messages is the one being talked about."""

NAMES_MAX = 12
"""So many words of a message are looked up as names."""


def answer(t: Tables, words: str, asked: Message, scene: Scene) -> Reply | None:
    """What is said to words that tell a fact of somebody the owner knows; None for other words, and of nobody they know."""
    told = read_fact(words)
    if told is None or standing_in(asked.text, words) is None:
        return None
    meant = _meant(t, told, asked, scene)
    if meant and told.how == "no day":
        return say(scene.language, "no_day", day=escaped(told.value))
    if len(meant) > 1:
        return _ask_which(t, told, meant, asked, scene)
    return _carry_out(t, told, meant[0], asked, scene) if meant else None


def pick(t: Tables, card: Card, choice: str, scene: Scene) -> Reply:
    """The owner said whom they meant."""
    if choice == "none":
        return card.text
    held = json.loads(card.state_of_subject)
    asked = t.thread.get(int(held["message"]))
    told = read_fact(asked.text)
    try:
        person = t.people.get(scene.owner.id, int(choice.removeprefix("who.")))
    except NotFound:
        return say(scene.language, "gone")
    said = _carry_out(t, told, person, asked, scene) if told else say(scene.language, "gone")
    return said if said is not None else say(scene.language, "nothing_to_forget")


def _carry_out(t: Tables, told: ToldFact, person: Person, asked: Message, scene: Scene) -> Reply | None:
    """None when there was nothing to forget: others may remember it."""
    word = fact_notes.Word(
        owner=scene.owner, message=asked, now=scene.now, because=scene.because, signal_id=scene.signal_id
    )
    said = fact_notes.carry_out(t, told, person, word)
    if told.how == "forget" and said is not None:
        # What was remembered of the conversation in these very words goes as well.
        recollect.disremember(t, told.words, scene)
    return said


def _meant(t: Tables, told: ToldFact, asked: Message, scene: Scene) -> Sequence[Person]:
    """Whom the words may mean: by name, else who is talked about."""
    if not told.names:
        return _talked_of(t, asked, scene)
    found = (t.people.named(scene.owner.id, name) for name in told.names)
    meant = next((some for some in found if some), ())
    if told.how == "is" or len(meant) < 2:
        return meant
    # What shall no longer be known is meant of the one of whom it is.
    of_whom = [person for person in meant if fact_notes.known_like(t, told, person, scene.owner)]
    return of_whom if len(of_whom) == 1 else meant


def _talked_of(t: Tables, asked: Message, scene: Scene) -> Sequence[Person]:
    """Who was shown or named last; several who were named in one message are asked about."""
    answered = [t.thread.get(asked.reply_to_id)] if asked.reply_to_id else []
    recent = t.thread.history(scene.owner.id, limit=TALKED_OF_WITHIN, before_id=asked.id)
    for message in (*answered, *reversed(recent)):
        found = {person.id: person for person in _in_message(t, message, scene)}
        if found:
            return tuple(found.values())
    return ()


def _in_message(t: Tables, message: Message, scene: Scene) -> Iterable[Person]:
    """Whom a message shows on its card; else whom it names, as far as nobody else may be meant by that."""
    shown = _on_card(t, message, scene)
    return (shown,) if shown else _named_in(t, message.text, scene)


def _on_card(t: Tables, message: Message, scene: Scene) -> Person | None:
    stored = t.cards.get(message.card_id) if message.card_id else None
    kind, _, number = (stored.card.subject if stored else "").partition(":")
    if not number.isdigit():
        return None
    try:
        if kind == "person":
            return t.people.get(scene.owner.id, int(number))
        if kind == fact_notes.KIND:
            return t.people.of_identity(scene.owner.id, t.facts.get(scene.owner.id, int(number)).identity_id)
    except NotFound:
        return None
    return None


def _named_in(t: Tables, text: str, scene: Scene) -> Iterator[Person]:
    for parts in may_be_names(text, NAMES_MAX):
        yield from next((found for part in parts if (found := t.people.named(scene.owner.id, part))), ())


def _ask_which(t: Tables, told: ToldFact, people: Sequence[Person], asked: Message, scene: Scene) -> Reply:
    name = told.names[0] if told.names else ""
    some = list(zip(people, labels(t, scene.owner.id, people), strict=True))[:ASKED_MAX]
    text = say(scene.language, "which", name=foreign(name, LABEL_MAX)) if name else say(scene.language, "whom")
    return Card(
        kind=WHICH,
        subject=f"turn:{scene.turn_id}",
        text=text,
        choices=(
            *(Choice(f"who.{person.id}", label[:LABEL_MAX]) for person, label in some),
            Choice("none", scene.say("button_none")),
        ),
        because="the words may mean more than one person",
        state_of_subject=json.dumps({"message": asked.id}),
    )
