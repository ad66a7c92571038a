"""A piece: one thing that Stillbell says, on its way to a channel."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from memory.card import StoredCard

State = Literal["ready", "handing", "shown", "unknown", "failed", "dropped"]
"""
ready ─► handing ─► shown       the channel took it
            ├─────► unknown     it may have been shown, and a marked repeat didn't settle it
            ├─────► failed      the channel will never take it
   └────────┴─────► dropped     a newer message or /stop overtook it
"""

OUT_OF_REACH = "the owner is out of reach in this channel"
"""How the reason begins for which a piece *failed* that is worth another try once the channel leads to the owner again."""

REVIVED_FOR = timedelta(days=7)
"""For so long such a piece is worth it."""

REPEATS_MAX = 1
"""How often a piece whose showing is in doubt is shown again, marked as a possible repeat."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewPiece:
    """A piece about to be written. `key` is unique: writing the same one again does nothing.

    `amends_key` names an earlier piece whose text and buttons this one replaces where they stand.
    """

    key: str
    owner_id: int
    channel: str
    text: str
    turn_id: int | None = None
    card_id: int | None = None
    silent: bool = False
    amends_key: str | None = None
    findable: bool = False
    """Whether search finds it later: an answer that was thought out, not a word of confirmation."""

    read: frozenset[str] = frozenset()
    """What its writer had before them in an earlier unit of work, by ref (see memory/tables/quotes): it may quote that."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A piece as the ledger keeps it.

    `parts` are the channel's ids of the parts already shown (a long piece is shown in several); `in_doubt` says that
    the next part may have been shown before a crash or a cut connection, so it has to bear the mark of a repeat.
    `amends` are the channel's ids of the piece that this one replaces.
    """

    id: int
    key: str
    owner_id: int
    channel: str
    text: str
    state: State
    created_at: datetime
    message_id: int
    turn_id: int | None = None
    card: StoredCard | None = None
    silent: bool = False
    parts: tuple[str, ...] = ()
    in_doubt: bool = False
    amends: tuple[str, ...] | None = None
    reply_to: str | None = None
    """The channel's id of the owner's message that this answers, to be quoted when a newer one stands between."""
