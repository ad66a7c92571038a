"""A person as search finds them: what they are called, by what they are known, for whom they work, what is known of them."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from memory.people.mailbox import FREEMAIL, domain_of
from memory.people.person import LastContacts, Person, subject_of_person
from memory.search.document import Document
from memory.search.passage import Corpus

_CHANNELS: dict[Corpus, str] = {
    "mail": "mail",
    "whatsapp": "WhatsApp",
    "imessage": "iMessage",
    "telegram": "Telegram",
    "calendar": "calendar",
    "meeting": "meetings",
    "note": "notes",
}
NEVER: LastContacts = {}
NAMES_MAX = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Unwritten:
    """Somebody whose document is to be made anew. person: None for one who is there no more, or no person."""

    id: int
    person: Person | None = None
    names: tuple[str, ...] = ()
    contacts: LastContacts = field(default_factory=dict)


def document_of(
    person: Person, *, names: Sequence[str] = (), contacts: LastContacts = NEVER, lines: Sequence[str] = ()
) -> Document:
    """A person as a document. names: others they are called by. lines: what else is known of them, a line each."""
    others = [name for name in dict.fromkeys(names) if name and name != person.name][:NAMES_MAX]
    reached = [one.value for one in person.identities if one.kind in ("address", "phone")]
    channels = [_CHANNELS[corpus] for corpus in sorted(contacts) if corpus in _CHANNELS]
    firms = dict.fromkeys(_firm(address) for address in person.addresses)
    told = (
        ", ".join(others),
        ", ".join(reached),
        ", ".join(firm for firm in firms if firm),
        ", ".join(channels),
        *lines,
    )
    return Document(
        corpus="person",
        ref=subject_of_person(person.id),
        who=person.name,
        title=person.shown,
        text="\n".join(line for line in told if line),
        at=max((one.last_at for one in contacts.values()), default=None),
        people=tuple((one.name, one.value if one.kind in ("address", "phone") else "") for one in person.identities),
    )


def _firm(address: str) -> str:
    """For whom somebody works, as their address tells: the domain's name, nothing for a free mailbox."""
    domain = domain_of(address)
    if not domain or domain in FREEMAIL:
        return ""
    parts = domain.split(".")
    second = -3 if len(parts) > 2 and len(parts[-2]) <= 3 else -2
    return " ".join(parts[second].replace("-", " ").split()) if len(parts) >= -second else parts[0]
