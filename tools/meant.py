"""Meant: whom words about a person mean: by an address or a number, by the whole of them as a name, by a name and a place."""

import re
from collections.abc import Iterable, Iterator, Sequence

from memory.command.person import Asked
from memory.ledger import Tables
from memory.owner import Owner
from memory.people.mailbox import folded_name
from memory.people.person import Person

APART_MAX = 40

_NAME = re.compile(r"(?<!\w)[^\W\d_a-zäöüß][\w'’-]+(?:\s[^\W\d_a-zäöüß][\w'’-]+)?")


def people_meant(t: Tables, owner: Owner, asked: Asked) -> Sequence[Person]:
    """Whom the words may mean, likeliest first; several: ask."""
    if "@" in asked.name or asked.name.lstrip("+").replace(" ", "").isdigit():
        person = t.people.of(owner.id, asked.name)
        return (person,) if person else ()
    if found := t.people.named(owner.id, asked.whole):
        return found
    if not asked.at:
        return ()
    named = t.people.named(owner.id, asked.name)
    told = zip(named, labels(t, owner.id, named), strict=True)
    return [person for person, label in told if is_at(asked.at, person, label)]


def labels(t: Tables, owner_id: int, people: Sequence[Person]) -> list[str]:
    """What tells each apart: where they work, if no other of them works there, else an address or number."""
    employers = [_employer(t, owner_id, person) for person in people]
    apart = [
        employer if employer and employers.count(employer) == 1 else _reached(person)
        for person, employer in zip(people, employers, strict=True)
    ]
    return [f"{person.shown}, {it}" if it else person.shown for person, it in zip(people, apart, strict=True)]


def _employer(t: Tables, owner_id: int, person: Person) -> str:
    facts = t.facts.current(owner_id, person.identity_ids)
    return next((fact.value[:APART_MAX] for fact in facts if fact.kind == "employer"), "")


def _reached(person: Person) -> str:
    """An address or number, else the program in which they are seen."""
    reached = next((one.shown for one in person.identities if one.kind in ("address", "phone")), "")
    return (reached or next((one.value.partition(":")[0] for one in person.identities), ""))[:APART_MAX]


def is_at(apart: str, person: Person, label: str) -> bool:
    """Whether an organisation or an address that was named tells this one from others."""
    wanted = apart.casefold()
    if "@" in wanted:
        return wanted in person.addresses
    words = folded_name(apart)
    told = {word for text in (label.partition(",")[2], *person.addresses) for word in _words(text)}
    return bool(words) and all(any(one.startswith(word) for one in told) for word in words)


def _words(text: str) -> Iterable[str]:
    return folded_name("".join(sign if sign.isalnum() else " " for sign in text))


def may_be_names(text: str, most: int) -> Iterator[tuple[str, ...]]:
    """What in a text may be somebody's name, at most so many: each as written, then by its words, without a genitive's "'s"."""
    for name in list(dict.fromkeys(_NAME.findall(text)))[:most]:
        parts = (name, *name.split()) if " " in name else (name,)
        yield tuple(part.removesuffix("'s").removesuffix("’s") for part in parts)
