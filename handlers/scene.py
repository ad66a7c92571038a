"""The scene: what a handler needs to know before it does anything, read in one unit of work."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from memory.approval import WAITING
from memory.card import Card
from memory.ledger import Tables
from memory.owner import Language, Owner
from memory.piece import NewPiece, Piece
from memory.thread import Message, Turn
from memory.wording import say, until, when
from memory.world import World
from tools import day

DECISIONS_LOOKED_AT = 500

MENTIONED_WITHIN = 6
"""A loop shown in one of the last so many messages is the one being talked about."""


def _nothing() -> None:
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """The moment in which something is asked: who, when, in answer to what, about which loop."""

    owner: Owner
    now: datetime
    signal_id: int
    turn_id: int
    because: str
    about: Callable[[], int | None] = _nothing
    """The id of the loop that is being talked about, looked up when a command says "it"."""
    interrupted: bool = False
    """Whether hearing this ended something that was still being thought about."""

    @property
    def language(self) -> Language:
        """The owner's language."""
        return self.owner.language

    @property
    def wall(self) -> datetime:
        """What the owner's clock shows (naive)."""
        return self.owner.zones.wall_at(self.now)

    def say(self, key: str, **values: object) -> str:
        """A text in the owner's language."""
        return say(self.language, key, **values)

    def when(self, wall: datetime) -> str:
        """A wall time as one says it now."""
        return when(wall, self.wall.date(), self.language)

    def until(self, wall: datetime) -> str:
        """A wall time as one says it after "until"."""
        return until(wall, self.wall.date(), self.language)


Reply = str | Card
"""What is said: a text, or a card whose text that is."""


def about(t: Tables, owner_id: int, answered_id: int | None) -> int | None:
    """The loop that is being talked about: that of the message replied to, else of the latest card about one loop."""
    if answered_id is not None:
        answered = t.thread.get(answered_id)
        # An answer means what it answers, or nothing: a guess at something else would close the wrong loop.
        return _on_card(t, answered) or _of_turn(t, answered)
    recent = t.thread.history(owner_id, limit=MENTIONED_WITHIN)
    return next((found for message in reversed(recent) if (found := _on_card(t, message))), None)


def _on_card(t: Tables, message: Message) -> int | None:
    stored = t.cards.get(message.card_id) if message.card_id else None
    name, _, number = (stored.card.subject if stored else "").partition(":")
    return int(number) if name == "loop" else None


def _of_turn(t: Tables, message: Message) -> int | None:
    """The one loop that the turn of this message changed."""
    if message.turn_id is None:
        return None
    signal_id = t.thread.turn(message.turn_id).signal_id
    changed = {
        decision.subject
        for decision in t.decisions.latest(message.owner_id, DECISIONS_LOOKED_AT)
        if decision.signal_id == signal_id and decision.subject.startswith("loop:")
    }
    return int(changed.pop().removeprefix("loop:")) if len(changed) == 1 else None


def of_message(t: Tables, message: Message, turn: Turn, owner: Owner, now: datetime, *, interrupted: bool) -> Scene:
    """The scene of a message that was just heard."""
    return Scene(
        owner=owner,
        now=now,
        signal_id=turn.signal_id,
        turn_id=turn.id,
        because=f"the owner said so (message {message.id})",
        about=lambda: about(t, owner.id, message.reply_to_id),
        interrupted=interrupted,
    )


def reply(
    t: Tables,
    said: Reply,
    *,
    key: str,
    owner_id: int,
    channel: str,
    turn_id: int | None,
    now: datetime,
    read: frozenset[str] = frozenset(),
) -> Piece | None:
    """Write what is said as a piece that goes out at once, with its card if it is one. read: see NewPiece."""
    card = t.cards.put(said, owner_id=owner_id, now=now) if isinstance(said, Card) else None
    text = said.text if isinstance(said, Card) else said
    new = NewPiece(
        key=key,
        owner_id=owner_id,
        channel=channel,
        text=text,
        turn_id=turn_id,
        card_id=card.id if card else None,
        read=read,
    )
    return t.pieces.say(new, now=now, handing=True)


def world(t: Tables, owner: Owner, now: datetime) -> World:
    """What stands in a prompt."""
    return World(
        owner=owner,
        now=now,
        loops=t.loops.list_open(owner.id, with_snoozed=True),
        reminders=t.reminders.active(owner.id),
        signals=t.signals.counts_since(owner.id, now - timedelta(hours=24)),
        day=day.of_prompt(t, owner, now),
        cards_waiting=sum(one.state in WAITING for one in t.approvals.waiting(owner.id)),
    )
