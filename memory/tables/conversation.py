"""Where the conversation is kept: messages, turns, files, pieces, cards.

Every datetime is aware UTC unless it is called `wall`. What else may be raised stands in memory/ledger.
"""

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Literal, Protocol

from memory.card import Card, StoredCard
from memory.file import Fetched, NewFile, StoredFile, Then
from memory.piece import NewPiece, Piece
from memory.signal import Signal
from memory.thread import Forgotten, Message, Turn


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

    def typed(self, owner_id: int, address: str) -> int | None:
        """The newest message in which the owner typed this address themselves; None when there is none."""
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

    def forget_cards(self, owner_id: int, kinds: Collection[str], *, now: datetime) -> None:
        """Empty every card of these kinds and the messages that showed them: who is named there can't be told any more."""
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

    def open_about(self, owner_id: int, subject: str) -> StoredCard | None:
        """The newest open card about this subject, or None."""
        ...

    def decide(self, card_id: int, choice: str, *, now: datetime) -> bool:
        """*open* → *decided*; False when it was not open, so that of two taps one counts."""
        ...

    def outdate(self, *subjects: str, owner_id: int, now: datetime) -> list[int]:
        """Every open card about one of `subjects` is stale from now on; their ids."""
        ...
