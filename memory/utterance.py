"""An utterance: something the owner wrote to others, by mail or in a chat, as far as promises look at it.

One shape for both, so that a promise in a message is asked about, confirmed and noticed as kept just as one in a mail is.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from memory.canonical import digest
from memory.detectors.finding import TEXT_MAX
from memory.detectors.sentence import own_words
from memory.mail import KeptMail
from memory.people.mailbox import mailbox_of
from memory.search.document import Document, person_of
from memory.search.passage import CHATS, Corpus

ANSWERS_WITHIN_FOR = timedelta(hours=24)
"""What somebody said so long ago, or less, may be what a message answers."""

ITSELF = "stillbell"
"""A chat of this name is the one with Stillbell, exported."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Utterance:
    """What was written, to whom, and where.

    ref: names it for ever: "mail:7", or a document's ref. text: the owner's own words. at: aware UTC. to: the others, by
    name or address; nobody where nothing can be promised: to oneself, to Stillbell, by a machine. about: a mail's subject,
    a group's name. place: the thread or chat it belongs to. readers: by what those who read it are known: addresses,
    numbers, the chat, persons; two utterances that share one reach the same people. before: who spoke last before it in a chat, and
    what they said. files: the names of what came with it. tags: what came with it, as in memory.search.document.
    """

    owner_id: int
    ref: str
    corpus: Corpus
    text: str
    at: datetime
    to: tuple[str, ...]
    about: str
    place: str
    readers: frozenset[str]
    before: tuple[str, str] = ("", "")
    files: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()

    @property
    def is_message(self) -> bool:
        """Whether it was written in a chat and not in a mail."""
        return self.corpus in CHATS

    @property
    def evidence(self) -> str:
        """The hash of what can be read in it: another one means that it was edited."""
        return digest([self.ref, self.text, *self.before])[:12]

    def comes_after(self, other: "Utterance") -> bool:
        """Whether it was written later. A chat may only know the minute: within one its refs tell."""
        if self.ref == other.ref:
            return False
        if self.at == other.at and self.place == other.place and self.is_message:
            return self.ref > other.ref
        return self.at > other.at


def of_mail(kept: KeptMail, mine: Collection[str]) -> Utterance:
    """A mail of the owner's. mine: their own addresses, lower case."""
    mail = kept.mail
    everybody = (*mail.to, *mail.cc, *mail.bcc)
    others = [one for one in everybody if (one.address or "").lower() not in mine]
    by_hand = kept.by_owner and not mail.is_automated and mail.auto_submitted in ("", "no")
    return Utterance(
        owner_id=kept.owner_id,
        ref=f"mail:{kept.id}",
        corpus="mail",
        text=own_words(kept),
        at=kept.at,
        to=tuple(one.name or one.address or "" for one in others) if by_hand else (),
        about=mail.subject,
        place=f"thread:{kept.thread_id}",
        readers=frozenset(mailbox_of(one.address) for one in others if one.address),
        files=tuple(one.name for one in mail.attachments),
        tags=("attachment",) if mail.attachments else (),
    )


def of_message(owner_id: int, said: Document, before: Sequence[Document]) -> Utterance | None:
    """A message of the owner's in a chat; None for what is none. before: what was said there before it, latest first."""
    if said.corpus not in CHATS or not said.by_owner or said.at is None:
        return None
    chat = chat_of(said.ref)
    other = next(
        (one for one in before if not one.by_owner and one.at and said.at - one.at <= ANSWERS_WITHIN_FOR), None
    )
    alone = not said.people and all(one.by_owner for one in before)
    is_itself = said.place.casefold().startswith(ITSELF)
    whom = _whom(said, other)
    addresses = [address for _, address in said.people if address] if len(said.people) == 1 else []
    return Utterance(
        owner_id=owner_id,
        ref=said.ref,
        corpus=said.corpus,
        # People end a line where a letter ends a sentence.
        text=said.text[:TEXT_MAX].replace("\n", "\n\n"),
        at=said.at,
        to=() if alone or is_itself else (whom,),
        about="" if said.place == whom else said.place,
        place=chat,
        readers=frozenset({chat, *(mailbox_of(one) if "@" in one else one for one in addresses)}),
        before=(person_of(other.who)[0], other.text[:TEXT_MAX]) if other else ("", ""),
        files=tuple(said.text.splitlines()[:1]) if "attachment" in said.tags else (),
        tags=tuple(said.tags),
    )


def _whom(said: Document, other: Document | None) -> str:
    """The other of two; in a group whoever is answered, else all of it."""
    if len(said.people) == 1:
        name, address = said.people[0]
        return name or address
    return (person_of(other.who)[0] if other else "") or said.place


def chat_of(ref: str) -> str:
    """The chat that a message's ref belongs to."""
    return ref.rpartition("/")[0]
