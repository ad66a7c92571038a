"""The ledger: the port behind which everything that is kept is kept.

A unit of work is a plain function over `Tables`. `Ledger.write` runs it in a transaction of the one writer and returns
once it is durable (a power cut loses nothing that was returned); `Ledger.read` runs it on a read-only connection, where a
write raises. Several units are committed together, each atomic by itself: one that raises leaves no trace.

    closed = await ledger.write(lambda t: t.loops.close(7, state="done", because="the owner said so", now=now))

Every datetime is aware UTC unless it is called `wall` (naive, in whatever zone is in force). Every method may raise
`StillbellError`s of the door (disk full, database damaged); the ones below name only their own.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime, time
from pathlib import Path
from typing import Any, Literal, Protocol, TypeVar

from memory.audit import AuditRow, Outcome, Permission
from memory.backup import Backup
from memory.card import Card, StoredCard
from memory.decision import Decision
from memory.file import Fetched, NewFile, StoredFile, Then
from memory.job import Finished, Job, Lane
from memory.loop import Kind, Loop
from memory.mail import Mail
from memory.notice import Notice
from memory.owner import Language, Owner
from memory.piece import NewPiece, Piece
from memory.quiet import Urgency
from memory.reminder import Reminder
from memory.search.passage import Corpus, Hit
from memory.signal import NewSignal, Signal
from memory.spending import Label
from memory.thread import Forgotten, Message, Turn

T = TypeVar("T")


class Owners(Protocol):
    """The persons served."""

    def get(self, owner_id: int = 1) -> Owner:
        """The owner. Raises NotFound."""
        ...

    def pair(self, owner_id: int, *, telegram_id: int, language: Language, now: datetime) -> None:
        """From now on this numeric Telegram user, in a private chat, is the owner."""
        ...

    def set(
        self,
        owner_id: int,
        *,
        language: Language | None = None,
        quiet_from: time | None = None,
        quiet_to: time | None = None,
        cap_usd: float | None = None,
    ) -> None:
        """Change what is given and leave the rest."""
        ...

    def move(self, owner_id: int, *, zone: str, from_at: datetime, because: str) -> None:
        """From `from_at` on the owner's clock follows `zone`; earlier plans for later moves are kept."""
        ...

    def unmove(self, owner_id: int, *, after: datetime) -> None:
        """Forget every planned move later than `after`: a newer sentence of the owner replaces them."""
        ...


class Signals(Protocol):
    """What happened. Heads are append-only; payloads can be erased."""

    def publish(self, signal: NewSignal, *, now: datetime) -> int | None:
        """Record it (a trigger makes the job) and return its id; None when this source has told it already."""
        ...

    def get(self, signal_id: int) -> Signal:
        """One signal. Raises NotFound."""
        ...

    def counts_since(self, owner_id: int, since: datetime) -> Mapping[tuple[str, str], int]:
        """How many signals of each (source, kind) came at or after `since`."""
        ...

    def exists(self, source: str, source_id: str) -> bool:
        """Whether this source has told this already."""
        ...


class Jobs(Protocol):
    """The queue."""

    def add(
        self, *, owner_id: int, kind: str, lane: Lane, thread: str, payload: Mapping[str, Any], now: datetime
    ) -> int:
        """A job that no signal asked for by itself (the thinker of a turn)."""
        ...

    def round(self, finished: Sequence[Finished], *, take: Mapping[Lane, int], now: datetime) -> list[Job]:
        """Settle what ended and take what may start now, at most `take` of each lane, in order."""
        ...

    def next_run_at(self, *, now: datetime) -> datetime | None:
        """When the earliest job that waits for a time later than `now` becomes due."""
        ...

    def clamp(self, *, now: datetime) -> int:
        """After the clock was set back: no pending job waits for longer than its wait from `now`; how many did."""
        ...

    def recover(self, *, now: datetime) -> tuple[int, list[Job]]:
        """At boot: rows left running are pending again (how many); those that were running at too many deaths are parked."""
        ...

    def behind(self, job_id: int, thread: str) -> list[Job]:
        """The inline jobs of the thread that wait behind this one, in order, at most 200."""
        ...

    def take_along(self, job_id: int, *, because: str, now: datetime) -> None:
        """A pending job is done: an earlier one of its thread did its work with its own."""
        ...

    def cancel_pending(self, *, thread: str, kind: str, because: str, now: datetime) -> int:
        """Cancel the pending jobs of this kind in this thread."""
        ...

    def busy(self, thread: str, kinds: Sequence[str] = ()) -> int:
        """How many jobs of this thread (of these kinds, or of any) are not finished."""
        ...

    def parked(self, owner_id: int) -> list[tuple[int, str, str]]:
        """(id, kind, last error) of every parked job, oldest first."""
        ...

    def counts(self) -> Mapping[str, int]:
        """How many jobs stand in each state."""
        ...


class Thread(Protocol):
    """The conversation."""

    def hear(
        self,
        *,
        owner_id: int,
        channel: str,
        text: str,
        signal_id: int,
        channel_message_id: str | None,
        reply_to: str | None,
        now: datetime,
    ) -> tuple[Message, Turn, bool]:
        """Record the owner's message and open its turn, stopping the turns before it.

        Idempotent by signal: the third value is False when this signal was heard before.
        """
        ...

    def join(
        self,
        *,
        turn_id: int,
        text: str,
        signal_id: int,
        channel_message_id: str | None,
        reply_to: str | None,
        now: datetime,
    ) -> tuple[Message, bool]:
        """Record a further message of the owner in an open turn. Idempotent by signal, as `hear` is."""
        ...

    def parts(self, turn_id: int) -> list[tuple[Message, Signal]]:
        """The owner's messages of a turn, in order, each with the signal that brought it."""
        ...

    def reword(self, message_id: int, text: str) -> None:
        """The message reads so from now on: what was said in it has been written down."""
        ...

    def edit(self, *, owner_id: int, channel: str, channel_message_id: str, text: str, now: datetime) -> Message | None:
        """The owner's message with its new text; None when it isn't known or its text has not changed."""
        ...

    def reopen(self, *, turn_id: int, signal_id: int, now: datetime) -> Turn:
        """A new turn for the same question, after an edit of it; the old one is stopped."""
        ...

    def history(self, owner_id: int, *, limit: int, before_id: int | None = None) -> list[Message]:
        """The newest messages, oldest first."""
        ...

    def after(self, owner_id: int, message_id: int, *, limit: int) -> list[Message]:
        """The newest messages later than `message_id`, at most `limit`, oldest first."""
        ...

    def get(self, message_id: int) -> Message:
        """One message. Raises NotFound."""
        ...

    def by_channel_id(self, owner_id: int, channel: str, channel_message_id: str) -> Message | None:
        """The message that the channel knows by this id, said by either side."""
        ...

    def counts(self, owner_id: int) -> Mapping[tuple[str, str], int]:
        """How many messages of each (channel, role) there are."""
        ...

    def forget(self, message_id: int, *, now: datetime) -> Forgotten:
        """Erase its text, passage, payloads and files, and the answers and cards of its turn; what is left of it.

        The rows stay, empty. Its turn is stopped. Of a loop or reminder that is over the title goes, too.
        """
        ...

    def turn(self, turn_id: int) -> Turn:
        """One turn. Raises NotFound."""
        ...

    def stopped(self, turn_id: int) -> str | None:
        """Why this turn was stopped; None while it is live, or not known."""
        ...

    def by_signal(self, signal_id: int) -> Turn | None:
        """The turn that this signal opened, or opened again."""
        ...

    def newest_turn(self, owner_id: int) -> Turn | None:
        """The live turn, or the last one there was."""
        ...

    def stop(self, turn_id: int, *, because: str, now: datetime) -> None:
        """No further piece of this turn is shown."""
        ...


class Files(Protocol):
    """What was sent that is more than text."""

    def want(self, file: NewFile, *, refused_because: str | None, now: datetime) -> StoredFile:
        """Record it, findable by name at once. The same message again is the same file."""
        ...

    def get(self, file_id: int) -> StoredFile:
        """One file. Raises NotFound."""
        ...

    def of_turn(self, turn_id: int) -> list[StoredFile]:
        """The files of a turn's messages, in order."""
        ...

    def of_messages(self, message_ids: Collection[int]) -> list[StoredFile]:
        """The files of these messages, in order."""
        ...

    def wanted_since(self, owner_id: int, since: datetime) -> int:
        """How many files that came at or after `since` are still to be fetched."""
        ...

    def plan(self, turn_id: int, then: Then | None) -> None:
        """What is to be done once every file of the turn is settled."""
        ...

    def keep(self, file_id: int, fetched: Fetched, *, now: datetime) -> StoredFile | None:
        """*wanted* → *kept*, with its words findable; None when it was settled before."""
        ...

    def fail(self, file_id: int, *, because: str, now: datetime) -> StoredFile | None:
        """*wanted* → *failed*; None when it was settled before."""
        ...

    def text(self, file_id: int) -> str:
        """The words that were read in it, "" for none."""
        ...

    def holds(self, sha256: str) -> bool:
        """Whether any message has brought these bytes."""
        ...


class Pieces(Protocol):
    """What Stillbell says, on its way to the channels."""

    def say(self, piece: NewPiece, *, now: datetime, handing: bool = False) -> Piece | None:
        """Write the piece with its message in the thread; None when this key was written before.

        `handing` writes it as already on its way: the caller gives it to the courier right after the commit.
        """
        ...

    def has(self, key: str) -> bool:
        """Whether a piece with this key was written."""
        ...

    def hand(self, piece_id: int, *, now: datetime) -> Piece | None:
        """*ready* → *handing*; the piece as it now stands, or None when it may not be shown any more.

        A piece of a stopped turn is dropped here, in the same transaction that would have let it go.
        """
        ...

    def part_shown(self, piece_id: int, channel_message_id: str) -> None:
        """A part was shown under this id of its channel."""
        ...

    def end(
        self, piece_id: int, state: Literal["shown", "unknown", "failed", "dropped"], *, because: str, now: datetime
    ) -> None:
        """It ends, in this way and for this reason."""
        ...

    def undelivered(self) -> list[Piece]:
        """At boot: every piece *ready* or *handing*, oldest first; those in *handing* come with `in_doubt`."""
        ...

    def get(self, key: str) -> Piece | None:
        """The piece of this key."""
        ...

    def of_card(self, card_id: int) -> Piece | None:
        """The piece in whose place this card stands: the one that showed it, or the one that was amended to show it."""
        ...

    def move(self, piece_id: int, channel: str) -> Piece:
        """It goes to another channel; the piece as it now stands."""
        ...

    def revive(self, owner_id: int, channel: str, *, since: datetime) -> list[Piece]:
        """What failed because this channel did not lead to the owner, written at or after `since`: *ready* again."""
        ...

    def unsettled(self, owner_id: int) -> list[tuple[str, str]]:
        """(key, state) of what ended as unknown or failed, oldest first."""
        ...


class Cards(Protocol):
    """What is shown with buttons."""

    def put(self, card: Card, *, owner_id: int, now: datetime) -> StoredCard:
        """Keep a card, open."""
        ...

    def get(self, card_id: int) -> StoredCard | None:
        """One card, or None."""
        ...

    def of(self, card_ids: Collection[int]) -> Mapping[int, StoredCard]:
        """Those of these cards that there are, by id."""
        ...

    def decide(self, card_id: int, choice: str, *, now: datetime) -> bool:
        """*open* → *decided*; False when it was not open, so that of two taps one counts."""
        ...

    def outdate(self, *subjects: str, owner_id: int, now: datetime) -> list[int]:
        """Every open card about one of `subjects` is stale from now on; their ids."""
        ...


class Loops(Protocol):
    """What is open."""

    def open(
        self, *, owner_id: int, kind: Kind, title: str, because: str, now: datetime, signal_id: int | None = None
    ) -> Loop:
        """A new loop, with its decision row."""
        ...

    def close(
        self,
        loop_id: int,
        *,
        state: Literal["done", "dropped"],
        because: str,
        now: datetime,
        signal_id: int | None = None,
    ) -> Loop | None:
        """Close it, cancel its reminders, outdate its cards; None when it was not open."""
        ...

    def reopen(self, loop_id: int, *, because: str, now: datetime, signal_id: int | None = None) -> Loop | None:
        """Open it again, with the reminder it had; None when it is open."""
        ...

    def snooze(
        self,
        loop_id: int,
        *,
        until_wall: datetime,
        because: str,
        now: datetime,
        signal_id: int | None = None,
        exact_at: datetime | None = None,
    ) -> Loop | None:
        """Out of sight until the wall time, when a reminder brings it back; None when it is not open."""
        ...

    def unsnooze(self, loop_id: int, *, because: str, now: datetime, signal_id: int | None = None) -> Loop | None:
        """Back in sight, the snooze's reminder cancelled and the one before it set again; None when it is not open."""
        ...

    def wake(self, loop_id: int) -> None:
        """In sight again."""
        ...

    def get(self, loop_id: int) -> Loop | None:
        """One loop, or None."""
        ...

    def list_open(self, owner_id: int, *, with_snoozed: bool = False) -> list[Loop]:
        """The open loops, oldest first: the order in which "the first" counts."""
        ...


class Reminders(Protocol):
    """What is to be said at a wall time."""

    def set(
        self,
        *,
        owner_id: int,
        text: str,
        wall: datetime,
        rule: str | None,
        loop_id: int | None,
        because: str,
        now: datetime,
        signal_id: int | None = None,
        exact_at: datetime | None = None,
    ) -> Reminder:
        """A new reminder, with its decision row."""
        ...

    def get(self, reminder_id: int) -> Reminder | None:
        """One reminder, or None."""
        ...

    def active(self, owner_id: int) -> list[Reminder]:
        """Every reminder that will fire, soonest wall time first."""
        ...

    def advance(self, reminder_id: int, *, wall: datetime | None, loop_id: int | None = None) -> None:
        """After a firing: the next wall time, or None when it was the last."""
        ...

    def cancel(self, reminder_id: int, *, because: str, now: datetime, signal_id: int | None = None) -> bool:
        """It will not fire; False when it was not set."""
        ...

    def restore(self, reminder_id: int, *, because: str, now: datetime, signal_id: int | None = None) -> bool:
        """A cancelled reminder is set again."""
        ...


class Notices(Protocol):
    """What landed and may be worth a line."""

    def hold(
        self,
        *,
        owner_id: int,
        source: str,
        summary: str,
        urgency: Urgency,
        because: str,
        deliver_after_at: datetime,
        now: datetime,
        signal_id: int | None = None,
    ) -> Notice | None:
        """Keep it; None when this signal has a notice already."""
        ...

    def due(self, owner_id: int, now: datetime) -> list[Notice]:
        """Not yet told and no longer held, oldest first."""
        ...

    def held(self, owner_id: int, now: datetime) -> list[Notice]:
        """Not yet told and still held."""
        ...

    def told(self, notice_ids: Collection[int], *, key: str, now: datetime) -> None:
        """These stand in the piece `key` and never again in another."""
        ...


class Decisions(Protocol):
    """Append-only history."""

    def record(
        self, *, owner_id: int, subject: str, decided: str, because: str, now: datetime, signal_id: int | None = None
    ) -> int:
        """One more row."""
        ...

    def about(self, owner_id: int, subject: str) -> list[Decision]:
        """Everything decided about one subject, oldest first."""
        ...

    def latest(self, owner_id: int, limit: int) -> list[Decision]:
        """The newest decisions, newest first."""
        ...


class Audit(Protocol):
    """Append-only record of tool calls."""

    def record(
        self,
        *,
        owner_id: int,
        agent: str,
        tool: str,
        permission: Permission,
        outcome: Outcome,
        because: str,
        arguments_digest: str,
        now: datetime,
        turn_id: int | None = None,
        subject: str | None = None,
    ) -> int:
        """One more row."""
        ...

    def deeds(self, turn_id: int) -> list[AuditRow]:
        """What was done in this turn: its rows that are *done* and name a subject, oldest first."""
        ...

    def latest(self, owner_id: int, limit: int) -> list[AuditRow]:
        """The newest rows, newest first."""
        ...


class Spendings(Protocol):
    """Model calls and what they cost."""

    def reserve(self, *, owner_id: int, label: Label, model: str, cost_usd: float, now: datetime) -> int:
        """A reservation row."""
        ...

    def settle(self, usage_id: int, *, cost_usd: float, input_tokens: int, output_tokens: int) -> None:
        """The real figures."""
        ...

    def abandon(self) -> int:
        """At boot: calls still *reserved* were under way when the process ended; they become *unknown*."""
        ...

    def unsettle(self, usage_id: int, *, cost_usd: float, error: str) -> None:
        """The call ended without figures: `cost_usd` is what is put on record (0 when it certainly cost nothing)."""
        ...

    def spent_usd(self, owner_id: int, since: datetime) -> float:
        """Spent and reserved since then."""
        ...

    def by_label(self, owner_id: int, since: datetime) -> list[tuple[Label, str, int, int, int, float]]:
        """(label, model, calls, input tokens, output tokens, USD) since then, dearest first."""
        ...


class Mails(Protocol):
    """Imported mail, and how far each import came."""

    def begin(self, *, owner_id: int, path: str, files: Sequence[tuple[str, int]], now: datetime) -> int:
        """The id of the import of `path`: a new one, or the earlier one to go on with."""
        ...

    def position(self, import_id: int, file: str) -> int:
        """The byte at which to go on in `file`."""
        ...

    def add(
        self,
        *,
        owner_id: int,
        import_id: int,
        file: str,
        mails: Sequence[Mail],
        faults: Sequence[tuple[int, str]],
        end_byte: int,
        now: datetime,
    ) -> int:
        """Keep a batch, its faults as (byte, reason) and the new position in one transaction; how many were new."""
        ...

    def finish(self, import_id: int, *, now: datetime) -> Mapping[str, int]:
        """Done: counts of read, new, repeated and bad mails."""
        ...

    def faults(self, import_id: int, limit: int = 50) -> list[tuple[str, int, str]]:
        """(file, byte, reason) of what could not be read."""
        ...

    def count(self, owner_id: int) -> int:
        """How many mails are kept."""
        ...


class Search(Protocol):
    """Full text over everything that may be found."""

    def find(
        self,
        owner_id: int,
        query: str,
        *,
        limit: int = 10,
        corpora: Collection[Corpus] = ("mail", "chat", "file"),
        before_ref: str | None = None,
    ) -> list[Hit]:
        """The best passages, best first. Any text is a valid query; one without words finds nothing.

        `before_ref` is left out: a question must not be its own answer.
        """
        ...


class Counts(Protocol):
    """Things that are counted and not kept."""

    def add(self, name: str, *, owner_id: int, now: datetime, by: int = 1) -> None:
        """One more of these today (UTC)."""
        ...


class Cursors(Protocol):
    """How far a source was read."""

    def get(self, name: str, *, owner_id: int) -> str | None:
        """The value, or None at the very start."""
        ...

    def set(self, name: str, value: str, *, owner_id: int, now: datetime) -> None:
        """Move it."""
        ...


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
    def mails(self) -> Mails: ...
    @property
    def search(self) -> Search: ...
    @property
    def counts(self) -> Counts: ...
    @property
    def cursors(self) -> Cursors: ...


class Ledger(Protocol):
    """Everything that is kept, behind two verbs."""

    async def write(self, work: Callable[[Tables], T]) -> T:
        """Run `work` in the writer's transaction; returns when it is durable."""
        ...

    async def read(self, work: Callable[[Tables], T]) -> T:
        """Run `work` on a read-only connection, in one snapshot."""
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
