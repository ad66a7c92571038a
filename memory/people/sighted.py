"""Sighted: by what people are known in a document, and in which role each stands there.

Of a mail this is told by its own rows (mail_people). In a chat of several only the writer is seen: nobody is spoken to by
name. A name alone stands for nobody yet: see memory/people/naming.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from memory.people.mailbox import folded_name, mailbox_of
from memory.people.person import IdentityKind, Role
from memory.people.phone import number_of
from memory.search.document import Document, person_of
from memory.search.passage import CHATS, Corpus

OWNER = "you"
_NOBODY = frozenset({"", OWNER, "unknown", "unknown sender", "deleted account"})
_MEETINGS: frozenset[Corpus] = frozenset({"calendar", "meeting"})
NAME_MAX = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Sighted:
    """One identity as it stands in a document; see memory.people.person.Identity."""

    kind: IdentityKind
    value: str
    name: str
    role: Role


def sighted(document: Document, *, zone: str) -> tuple[Sighted, ...]:
    """Everybody in it who is known by more than a name; each once. zone: where the owner is at home (phone numbers)."""
    if document.corpus in CHATS:
        found = _in_chat(document, zone)
    elif document.corpus in _MEETINGS:
        found = (_of(name, address, zone, "attended") for name, address in document.everybody)
    elif document.corpus == "note":
        found = (_of(name, address, zone, "named") for name, address in document.people)
    else:
        return ()
    return tuple(dict.fromkeys(one for one in found if one is not None))


def has_names(document: Document) -> bool:
    """Whether its text is looked through for names of people."""
    return document.corpus in ("note", "meeting")


def _in_chat(document: Document, zone: str) -> Iterator[Sighted | None]:
    if not document.by_owner:
        name, address = person_of(document.who)
        yield _of(name, address, zone, "wrote") or _handle(document, name)
    elif len(document.people) == 1:
        name, address = document.people[0]
        yield _of(name, address, zone, "received") or _handle(document, name)


def _of(name: str, address: str, zone: str, role: Role) -> Sighted | None:
    """By an address or number; of a chat's writer without a name the number is the name."""
    name = name[:NAME_MAX].strip()
    if "@" in (reached := address or name) and " " not in reached:
        return Sighted(kind="address", value=mailbox_of(reached), name=name if address else "", role=role)
    if number := number_of(reached, zone=zone):
        return Sighted(kind="phone", value=number, name=name if address else "", role=role)
    return None


def _handle(document: Document, name: str) -> Sighted | None:
    if name.casefold() in _NOBODY:
        return None
    chat = document.ref.partition("/")[0]
    within = " ".join(folded_name(name)) or name.casefold()
    value = f"{document.corpus}:{document.handle}" if document.handle else f"{chat}/{within}"
    return Sighted(kind="handle", value=value, name=name[:NAME_MAX], role="received" if document.by_owner else "wrote")
