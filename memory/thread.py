"""The thread: what the owner and Stillbell said to one another, and the turns it falls into."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

Role = Literal["owner", "stillbell"]

OVERTAKEN = "a newer message"
"""Why a turn ended that nobody ended on purpose."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One chat message. An erased one reads as an empty text.

    `channel_message_ids` are the ids by which its channel knows it: one message may be shown in several parts.
    """

    id: int
    owner_id: int
    role: Role
    channel: str
    text: str
    at: datetime
    turn_id: int | None = None
    reply_to_id: int | None = None
    channel_message_ids: tuple[str, ...] = ()
    edited_at: datetime | None = None
    card_id: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgotten:
    """What is left when a message is forgotten: the ids of the loops it opened and the reminders it set that still stand.

    `unheld` are the hashes of its files' bytes that no other message has brought: they are to be removed.
    """

    loops: tuple[int, ...] = ()
    reminders: tuple[int, ...] = ()
    unheld: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One message of the owner and all that follows. The newest turn of a thread is the only live one."""

    id: int
    owner_id: int
    signal_id: int
    question_id: int
    channel: str
    opened_at: datetime
    stopped_because: str | None = None
