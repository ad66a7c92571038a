"""The ledger: the port behind which everything that is kept is kept.

A unit of work is a plain function over `Tables`. `Ledger.write` runs it in a transaction of the one writer and returns
once it is durable (a power cut loses nothing that was returned); `Ledger.read` runs it on a read-only connection, where a
write raises. Several units are committed together, each atomic by itself: one that raises leaves no trace. One that asks
a question which has no vector yet is begun again when it has one: what a unit does, it does to the tables alone.

    closed = await ledger.write(lambda t: t.loops.close(7, state="done", because="the owner said so", now=now))

Every datetime is aware UTC unless it is called `wall` (naive, in whatever zone is in force). Every method may raise
`StillbellError`s of the door (disk full, database damaged); the ones below name only their own.
"""

from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any, Protocol, TypeVar

from memory.backup import Backup
from memory.exclusion import Exclusions
from memory.tables.calendar import Calendars
from memory.tables.conversation import Cards, Files, Pieces, Thread
from memory.tables.counters import Counts, Cursors, Links
from memory.tables.exit import Approvals, Contacts, Dispatches, Drafts, Introductions
from memory.tables.facts import Facts
from memory.tables.history import Audit, Decisions, Spendings
from memory.tables.imports import Imports
from memory.tables.loops import Loops, Notices, Reminders
from memory.tables.mail import Accounts, Mails, Preferences, Senders, Verdicts
from memory.tables.owners import Owners
from memory.tables.people import Directory
from memory.tables.quotes import Quotes
from memory.tables.recollections import Recollections
from memory.tables.search import Search
from memory.tables.talk import Talk
from memory.tables.work import Jobs, Signals

T = TypeVar("T")


class Tables(Protocol):
    """What a unit of work may use, by topic."""

    @property
    def owners(self) -> Owners: ...
    @property
    def signals(self) -> Signals: ...
    @property
    def jobs(self) -> Jobs: ...
    @property
    def thread(self) -> Thread: ...
    @property
    def files(self) -> Files: ...
    @property
    def pieces(self) -> Pieces: ...
    @property
    def cards(self) -> Cards: ...
    @property
    def loops(self) -> Loops: ...
    @property
    def reminders(self) -> Reminders: ...
    @property
    def notices(self) -> Notices: ...
    @property
    def decisions(self) -> Decisions: ...
    @property
    def audit(self) -> Audit: ...
    @property
    def spendings(self) -> Spendings: ...
    @property
    def imports(self) -> Imports: ...
    @property
    def accounts(self) -> Accounts: ...
    @property
    def mails(self) -> Mails: ...
    @property
    def verdicts(self) -> Verdicts: ...
    @property
    def senders(self) -> Senders: ...
    @property
    def calendars(self) -> Calendars: ...
    @property
    def contacts(self) -> Contacts: ...
    @property
    def drafts(self) -> Drafts: ...
    @property
    def approvals(self) -> Approvals: ...
    @property
    def dispatches(self) -> Dispatches: ...
    @property
    def introductions(self) -> Introductions: ...
    @property
    def preferences(self) -> Preferences: ...
    @property
    def links(self) -> Links: ...
    @property
    def exclusions(self) -> Exclusions:
        """The list in force. Raises UnreadableExclusions."""
        ...

    @property
    def search(self) -> Search: ...
    @property
    def people(self) -> Directory:
        """Everybody the owner exchanged something with, or who is named in what they hold."""
        ...

    @property
    def recollections(self) -> Recollections: ...
    @property
    def facts(self) -> Facts: ...
    @property
    def talk(self) -> Talk: ...
    @property
    def quotes(self) -> Quotes: ...
    @property
    def counts(self) -> Counts: ...
    @property
    def cursors(self) -> Cursors: ...


class Reads(Protocol):
    """The reading half of a ledger."""

    async def read(self, work: Callable[[Tables], T]) -> T:
        """Run `work` on a read-only connection, in one snapshot."""
        ...


class Ledger(Reads, Protocol):
    """Everything that is kept, behind two verbs."""

    async def write(self, work: Callable[[Tables], T]) -> T:
        """Run `work` in the writer's transaction; returns when it is durable."""
        ...

    def on_commit(self, wake: Callable[[], None]) -> None:
        """Call `wake` on the event loop after each commit, ours or a hand-written insert's."""
        ...

    def ride(
        self, rider: Callable[[Collection[str]], tuple[Callable[[Tables], Any], Callable[[Any], None]] | None]
    ) -> None:
        """Let a unit ride along with every commit that made jobs: asked on any thread for the unit and for who is given
        its result on the event loop, or None for not now. It saves the worker a commit of its own before it begins."""
        ...

    def on_jobs(self, wake: Callable[[], None]) -> None:
        """The same, only after a commit that may have made jobs."""
        ...

    async def back_up(self, to: Path) -> Backup:
        """Write a checked copy of everything to the file `to`, while reading and writing go on.

        It appears under its name only when it is whole and durable. Raises StrangeDatabase when what is kept is damaged,
        OutOfReach when the copy can't be written.
        """
        ...
