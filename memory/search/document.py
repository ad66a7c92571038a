"""The door for whatever is to be found: a document, as an importer hands it in.

    document = Document(
        corpus="note",
        ref="note:plans/heron.md",
        who="you",
        title="Heron",
        text=path.read_text(),
        at=changed_at,
        place="plans/heron.md",
        by_owner=True,
    )
    done = await ledger.write(lambda t: t.search.put(owner_id, [document], now=now))

One document is one thing that somebody would name: a note, a mail, one chat message, one event, one meeting, one person.
It is cut into passages by itself (memory/search/chunking). Handing in the same document again changes nothing; the same
`ref` with another content replaces what was there, passage by passage, so that what is unchanged keeps its vectors.

Refs. `KIND:` and whatever names the thing for ever within its source, the same at every run; no content, since refs
stand in history: a hash where the name is private. A source of many documents gives them a common beginning that ends in
"/": "whatsapp:3f9c/…". `t.search.refs(owner_id, under="whatsapp:3f9c/")` tells what is kept of it, and
`t.search.replace(owner_id, "whatsapp:3f9c/", documents, now=now)` follows a source whole: what is no longer in it is
dropped. For one file, `put` and `drop` do.

Batches of some hundred to a thousand documents are quickest, in the order of their dates.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Literal

from memory.search.passage import Corpus

REF_MAX = 200
TITLE_MAX = 500
PEOPLE_MAX = 200
"""So many people of one document are kept: more than that is a list, not company."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """Something that can be found.

    corpus, ref: see above. who: who wrote, said or called it: "Name <address>", one of both, or "you" for the owner.
    title: subject, heading, event's or file's name; "" for a chat message.
    text: in full; a span of a hit counts its characters. For a mail the body, for a person the card's lines.
    at: when it was written, said, or begins; aware. None when nobody knows.
    place: where it comes from, in words a person would use and `in:` looks for: account and folder, the chat's name, the
    calendar, the path. The exclusions' folders are matched against it, for mail and notes as a path.
    people: (name, address) of everybody else it went to, concerns or was said before; address may be a phone number or "".
    tags: what `has:` looks for, in lower case: "pdf", "link", "photo", "voice".
    by_owner: written by the owner.
    handle: how the source itself knows the writer, "" when it does not say; of what the owner wrote to one other, that other.
    """

    corpus: Corpus
    ref: str
    who: str
    title: str
    text: str
    at: datetime | None
    place: str = ""
    people: Sequence[tuple[str, str]] = ()
    tags: Sequence[str] = ()
    by_owner: bool = False
    handle: str = ""

    def __post_init__(self) -> None:
        kind, colon, rest = self.ref.partition(":")
        if not (kind and colon and rest) or len(self.ref) > REF_MAX:
            raise ValueError(f"a ref is KIND:NAME, at most {REF_MAX} characters: {self.ref!r}")

    @property
    def fingerprint(self) -> str:
        """Sha-256 over everything in it: the same means that nothing is to be done."""
        at = self.at.isoformat() if self.at else None
        told = (
            self.corpus,
            self.ref,
            self.who,
            self.title,
            at,
            self.place,
            *self.people,
            "",
            *self.tags,
            self.by_owner,
            *((self.handle,) if self.handle else ()),
        )
        return sha256(f"{told!r}\n{self.text}".encode("utf-8", "surrogatepass")).hexdigest()

    @property
    def everybody(self) -> list[tuple[str, str]]:
        """(name, address) of who wrote it and of all others: what the exclusions look at."""
        return [person_of(self.who), *self.people]


def person_of(who: str) -> tuple[str, str]:
    """The name and address in "Name <address>", or in one of both."""
    name, bracket, rest = who.rpartition("<")
    if bracket and rest.endswith(">"):
        return name.strip(), rest[:-1].strip()
    return ("", who.strip()) if "@" in who else (who.strip(), "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Put:
    """What came of handing documents in, each counted once."""

    new: int = 0
    changed: int = 0
    same: int = 0
    excluded: int = 0
    dropped: int = 0


PutAs = Literal["new", "changed", "same", "excluded"]
