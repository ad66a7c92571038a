"""A reading: what one thing that is brought in holds, as documents, and what of an earlier reading it takes the place of."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from hashlib import sha256

from memory.event import Event
from memory.exclusion import Exclusions
from memory.search.document import Document
from memory.zones import Timeline


@dataclass(frozen=True, slots=True)
class Fault:
    """What could not be read: the file, the line in it (0 for the whole), and why."""

    file: str
    line: int
    because: str


@dataclass(frozen=True, slots=True)
class Span:
    """Refs from `first` to `last`, both among them: what an export covers."""

    first: str
    last: str

    def __contains__(self, ref: str) -> bool:
        return self.first <= ref <= self.last


@dataclass(frozen=True, slots=True)
class Paper:
    """A document that came with a message: the message's ref, where the file lies in the export, and what it is without its words."""

    of: str
    name: str
    document: Document


@dataclass(frozen=True, slots=True)
class FileObject:
    """An event or series of a calendar's file, with its occurrences: see tools.calendar.CalendarItem."""

    ref: str
    ics: str
    events: tuple[Event, ...]

    @property
    def etag(self) -> str:
        """What changes when it does."""
        return sha256(self.ics.encode("utf-8", "replace")).hexdigest()[:32]


@dataclass(frozen=True, slots=True)
class FileCalendar:
    """The whole calendar that a file is, under the name that it gives itself."""

    name: str
    objects: Sequence[FileObject]


def paper_ref(of: str, number: int) -> str:
    """The ref of the `number`th paper that came with a message."""
    kind, _, rest = of.partition(":")
    return f"file:{kind}-{rest}.{number}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What was read in one go: of a file, or of one chat in it.

    under: what all its refs begin with. covers: of what was kept under it before, what lies in this span and is not here
    any more was deleted; None when nothing is to be dropped. by_name: nothing but a name tells what it is, so that another
    of the same name is told apart by what it holds. unsure_under: what the refs began with while nobody knew what is the
    owner's own. calls_me: what the owner is called in it. is_mine_known: whether it
    could be told what is the owner's own. mark: (key, mark) of a part of an item that is read by itself.
    calendar: what goes among the owner's events besides.
    """

    under: str
    documents: Sequence[Document]
    covers: Span | None = None
    by_name: bool = False
    unsure_under: str = ""
    calls_me: Collection[str] = ()
    is_mine_known: bool = True
    faults: tuple[Fault, ...] = ()
    mark: tuple[str, str] | None = None
    papers: tuple[Paper, ...] = ()
    calendar: FileCalendar | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Circumstance:
    """What a reader has to know besides the file.

    zones: where the owner's clock was. me: what the owner is called in chats. addresses: the owner's own, lower case.
    names: who goes by a number or address.
    """

    zones: Timeline
    now: datetime
    me: frozenset[str] = frozenset()
    addresses: frozenset[str] = frozenset()
    names: Mapping[str, str] = field(default_factory=dict)
    exclusions: Exclusions = field(default_factory=Exclusions)


SHARED_LEAST = 0.5
"""Two exports of one chat have this share of their messages in common, or more, where both cover the same time."""


def is_another(reading: Reading, known: Collection[str]) -> bool:
    """Whether what is kept under the same name is something else: it covers the same time and has little in common."""
    if not reading.by_name or reading.covers is None or not known:
        return False
    there = {ref for ref in known if ref in reading.covers}
    kept = Span(min(known), max(known))
    here = {one.ref for one in reading.documents if one.ref in kept}
    return bool(there and here) and len(there & here) < SHARED_LEAST * max(len(there), len(here))


def outdated(reading: Reading, known: Collection[str]) -> list[str]:
    """Of what is kept under `unsure_under`: all of it when it is the same chat, told from the others by now; else nothing."""
    here = {one.ref.removeprefix(reading.under) for one in reading.documents}
    same = sum(ref.removeprefix(reading.unsure_under) in here for ref in known)
    return list(known) if known and same >= SHARED_LEAST * len(known) else []


def moved(reading: Reading, under: str, number: int) -> Reading:
    """The same under another beginning, as the `number`th of its name."""

    def ref(of: str) -> str:
        return under + of.removeprefix(reading.under)

    documents = [replace(one, ref=ref(one.ref), place=f"{one.place} ({number})") for one in reading.documents]
    covers = Span(ref(reading.covers.first), ref(reading.covers.last)) if reading.covers else None
    papers = tuple(_moved(one, ref(one.of), number) for one in reading.papers)
    return replace(reading, under=under, documents=documents, covers=covers, papers=papers)


def _moved(paper: Paper, of: str, number: int) -> Paper:
    last = int(paper.document.ref.rpartition(".")[2])
    document = replace(paper.document, ref=paper_ref(of, last), place=f"{paper.document.place} ({number})")
    return replace(paper, of=of, document=document)


def gone(reading: Reading, known: Collection[str]) -> list[str]:
    """What was kept before and is not there any more."""
    if reading.covers is None:
        return []
    here = {one.ref for one in reading.documents}
    return [ref for ref in known if ref in reading.covers and ref not in here]


def fresh(documents: Sequence[Document], known: Mapping[str, str]) -> list[Document]:
    """Those that are not kept just so already."""
    return [one for one in documents if known.get(one.ref) != one.fingerprint]
