"""Following: what in the thread is new or reads otherwise since somebody last looked."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from bot.terminal.wire import TEXT_MAX, Button, Said, clean
from memory.card import StoredCard, callback
from memory.ledger import Tables
from memory.thread import Message

WINDOW = 50
"""How many of the newest messages are compared for edits and decided cards. An older one is left as it was shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What was seen: the newest messages by id as they read then, and the latest id of all."""

    messages: Mapping[int, Said]
    last_id: int


@dataclass(frozen=True, slots=True, kw_only=True)
class News:
    """What is new, what reads otherwise, and what is seen from now on."""

    new: tuple[Said, ...]
    amended: tuple[Said, ...]
    seen: Seen


def look(tables: Tables, owner_id: int, seen: Seen | None) -> News:
    """What happened in the thread since `seen`; nothing is news to who has seen nothing. A unit of work; reads only."""
    say = _sayer(tables, owner_id)
    window = {m.id: say(m) for m in tables.thread.history(owner_id, limit=WINDOW)}
    if seen is None:
        return News(new=(), amended=(), seen=Seen(messages=window, last_id=max(window, default=0)))
    new = tuple(window.get(m.id) or say(m) for m in tables.thread.after(owner_id, seen.last_id))
    amended = tuple(replace(m, is_="amended") for m in window.values() if seen.messages.get(m.id, m) != m)
    return News(new=new, amended=amended, seen=Seen(messages=window, last_id=max([seen.last_id, *window])))


def history(
    tables: Tables,
    owner_id: int,
    *,
    limit: int,
    after_id: int | None,
    before_id: int | None = None,
    is_: Literal["message", "amended"] = "message",
) -> list[Said]:
    """What a newcomer is shown: everything after `after_id`, else the newest `limit` (before `before_id`); oldest first.

    With `is_` "amended" it is told as something that was shown before.
    """
    say = _sayer(tables, owner_id)
    if after_id is not None:
        found = tables.thread.after(owner_id, after_id)
    else:
        found = tables.thread.history(owner_id, limit=limit, before_id=before_id) if limit else []
    return [replace(say(message), is_=is_) for message in found]


def _sayer(tables: Tables, owner_id: int) -> Callable[[Message], Said]:
    """Says a message on the wire, with the buttons its card has now, and the owner's own clock."""
    zones = tables.owners.get(owner_id).zones

    def say(message: Message) -> Said:
        card = tables.cards.get(message.card_id) if message.card_id is not None else None
        return Said(
            id=message.id,
            role=message.role,
            channel=message.channel,
            text=clean(message.text)[:TEXT_MAX],
            at=message.at.astimezone(zones.zone_at(message.at)),
            buttons=_buttons(card),
            decided=_decided(card),
            edited=message.edited_at is not None,
        )

    return say


def _buttons(card: StoredCard | None) -> tuple[Button, ...]:
    if card is None or card.state != "open":
        return ()
    return tuple(Button(label=choice.label, data=callback(card, choice)) for choice in card.card.choices)


def _decided(card: StoredCard | None) -> str | None:
    if card is None or card.state != "decided":
        return None
    labels = {choice.key: choice.label for choice in card.card.choices}
    return labels.get(card.decided_as or "", card.decided_as)
