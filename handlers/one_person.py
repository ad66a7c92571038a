"""Who is one person, by the owner's words, with the way back; and what evidence has joined of late."""

from collections.abc import Mapping, Sequence

from handlers.scene import Reply, Scene
from memory.card import Card, Choice
from memory.command.one_person import SameOrNot, read_same
from memory.command.person import Asked, name_and_place
from memory.errors import BadInput, NotFound
from memory.foreign import foreign
from memory.ledger import Tables
from memory.people.person import Person
from memory.personwords import because, say
from memory.thread import Message
from tools import meant, person_notes

WHICH = "person_which"
"""The kind of the card that asks which identity is somebody else's."""

NAME_MAX, LABEL_MAX, ASKED_MAX, LISTED_MAX = 80, 40, 8, 10


def answer(t: Tables, words: str, asked: Message, scene: Scene) -> Reply | None:
    """What is said to words about who is one person; None for other words, and where nobody is known by any of them."""
    said = read_same(words)
    if said is None:
        return None
    found = {name: _meant(t, name, scene) for name in (said.one, said.other) if name}
    if not any(found.values()):
        return None
    if not said.other:
        return _split_one(t, said.one, found[said.one], scene)
    if said.one.casefold() == said.other.casefold() and len(found[said.one]) == 2:
        return _tell(t, said, found[said.one][0], found[said.one][1], scene)
    if said.is_one:
        found = _without_each_other(said, found)
    for name, people in found.items():
        if len(people) != 1:
            return _unclear(t, name, people, scene)
    return _tell(t, said, found[said.one][0], found[said.other][0], scene)


def command(t: Tables, rest: str, scene: Scene) -> Reply:
    """/people: whom evidence and the owner have joined, and how to say otherwise."""
    lines, seen = list[str](), set[int]()
    for change in t.people.changes(scene.owner.id, limit=100):
        if change.what != "joined" or change.to_person in seen or len(lines) >= LISTED_MAX:
            continue
        seen.add(change.to_person)
        try:
            person = t.people.get(scene.owner.id, change.to_person)
        except NotFound:
            continue
        if len(person.identities) > 1:
            why = because(person.because, scene.language)
            lines.append(f"- **{person_notes.named(person)}**: {person_notes.listed(person.identities)} ({why})")
    head = [say(scene.language, "recent"), *lines] if lines else [say(scene.language, "none")]
    return "\n".join((*head, "", say(scene.language, "usage")))


def pick(t: Tables, card: Card, choice: str, scene: Scene) -> Reply:
    """The owner said what is somebody else's."""
    if choice == "none":
        return card.text
    try:
        person = t.people.get(scene.owner.id, int(card.state_of_subject))
        return _part(t, person, int(choice.removeprefix("other.")), scene)
    except (NotFound, BadInput):
        return say(scene.language, "gone")


def _meant(t: Tables, name: str, scene: Scene) -> Sequence[Person]:
    return meant.people_meant(t, scene.owner, name_and_place(name) or Asked(name, whole=name))


def _without_each_other(said: SameOrNot, found: Mapping[str, Sequence[Person]]) -> dict[str, Sequence[Person]]:
    """Nobody is told to be the same as themselves: of two who go by a name, the one that the other words name is not meant."""
    left = dict(found)
    for name, other in ((said.one, said.other), (said.other, said.one)):
        if len(found[name]) > 1 and len(found[other]) == 1:
            left[name] = [person for person in found[name] if person.id != found[other][0].id]
    return left


def _tell(t: Tables, said: SameOrNot, one: Person, other: Person, scene: Scene) -> Reply:
    if said.is_one:
        if one.id == other.id:
            return say(scene.language, "same_already", who=person_notes.named(one))
        return person_notes.join(
            t, scene.owner, one, other, because=scene.because, now=scene.now, signal_id=scene.signal_id
        )
    if one.id != other.id:
        return say(scene.language, "two_already")
    named = next((each for each in one.identities if each.shown.casefold() == said.other.casefold()), None)
    return _split_one(t, said.one, [one], scene) if named is None else _part(t, one, named.id, scene)


def _split_one(t: Tables, name: str, people: Sequence[Person], scene: Scene) -> Reply:
    several = [one for one in people if len(one.identities) > 1]
    if not several:
        person = people[0]
        identities = person_notes.listed(person.identities)
        return say(scene.language, "single", who=person_notes.named(person), identities=identities)
    if len(several) > 1:
        return _unclear(t, name, several, scene)
    person = several[0]
    if len(person.identities) == 2:
        return _part(t, person, person.identities[1].id, scene)
    return Card(
        kind=WHICH,
        subject=f"turn:{scene.turn_id}",
        text=say(scene.language, "which"),
        choices=(
            *(Choice(f"other.{one.id}", one.shown[:LABEL_MAX]) for one in person.identities[:ASKED_MAX] if one.shown),
            Choice("none", scene.say("button_none")),
        ),
        because="one person is known by several things",
        state_of_subject=str(person.id),
    )


def _part(t: Tables, person: Person, identity_id: int, scene: Scene) -> Reply:
    return person_notes.split(
        t, scene.owner, person, {identity_id}, because=scene.because, now=scene.now, signal_id=scene.signal_id
    )


def _unclear(t: Tables, name: str, people: Sequence[Person], scene: Scene) -> Reply:
    shown = foreign(name, NAME_MAX)
    if not people:
        return say(scene.language, "nobody", name=shown)
    labels = [foreign(label, NAME_MAX) for label in meant.labels(t, scene.owner.id, people)]
    return say(scene.language, "several", name=shown, people="; ".join(labels[:ASKED_MAX]))
